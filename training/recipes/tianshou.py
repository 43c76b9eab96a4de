"""Tianshou 2: PPO over our vector of games, from the first step to a bundle.

    python -m training.recipes.tianshou -o runs/tianshou

It trains in one seat among scripted bots, exports the result and measures it against easy: `learned:runs/tianshou`
plays it. docs/recipes.md says what Tianshou needs, and what goes wrong otherwise.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import BaseVectorEnv
from tianshou.utils.net.discrete import dist_fn_categorical_from_logits
from tianshou.utils.torch_utils import policy_within_training_step
from torch import Tensor, nn

from mtrain_env.rules import Rules
from training.recipes.one_seat import Joined, Policy, Settings, Value, command_line, show


class Games(BaseVectorEnv):
    """The learner's games: Tianshou's own vectors hold one environment a worker, ours is a vector already."""

    def __init__(self, settings: Settings, rules: Rules) -> None:  # without super(), as Tianshou's own wrappers
        self.games = Joined(settings, rules)
        self.is_async = self.is_closed = False
        self.rows, self.no_infos = np.zeros((0, 0), np.float32), np.array([{} for _ in range(settings.envs)])

    def __len__(self) -> int:
        return self.games.num_envs

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:  # noqa: ANN401 -- as Tianshou
        """Return the space `action_space` or `observation_space` of each game."""
        return [getattr(self.games, f"single_{key}")] * len(self)

    def reset(self, env_id: Any = None, **kwargs: Any) -> tuple[NDArray[np.float32], NDArray[Any]]:  # noqa: ANN401
        """Begin all games; those of `env_id` began anew in the step before."""
        if env_id is None:
            self.rows, _ = self.games.reset(**kwargs)
            return self.rows, self.no_infos
        return self.rows[env_id], self.no_infos[env_id]

    def step(self, action: Any, id: Any = None) -> tuple[Any, Any, Any, Any, Any]:  # noqa: ANN401
        """Act in all games."""
        self.rows, reward, terminated, truncated, _ = self.games.step(np.asarray(action))
        return self.rows, reward, terminated, truncated, self.no_infos


class Actor(nn.Module):
    """The policy as Tianshou calls it."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:  # noqa: ANN401
        """Return logits, and the state, which there is none of."""
        return self.network(obs), state


def train(settings: Settings, rules: Rules) -> tuple[nn.Module, nn.Module, int]:
    """Return the networks of the policy and of the value, and the decisions that they learned from."""
    torch.manual_seed(settings.seed)
    np.random.seed(settings.seed)  # noqa: NPY002 -- Tianshou shuffles its batches with the global generator
    env = Games(settings, rules)
    size, actions = env.games.size, env.games.actions
    actor, critic = Actor(Policy(size, settings.hidden, actions)), Value(size, settings.hidden)
    policy = ProbabilisticActorPolicy(
        actor=actor,
        dist_fn=dist_fn_categorical_from_logits,
        action_space=env.games.single_action_space,
        action_scaling=False,
        action_bound_method=None,
    )
    algorithm = PPO(
        policy=policy,
        critic=critic,
        optim=AdamOptimizerFactory(lr=settings.rate, eps=1e-5),
        gamma=1.0,
        gae_lambda=settings.smoothing,
        eps_clip=settings.clip,
        ent_coef=settings.entropy_cost,
        vf_coef=settings.value_cost,
        max_grad_norm=settings.largest_gradient,
        max_batchsize=settings.frames,
    )
    collector = Collector(policy, env, VectorReplayBuffer(settings.frames, len(env)))
    collector.reset(gym_reset_kwargs={"seed": settings.seed})
    for _ in range(settings.collections):
        with policy_within_training_step(policy):
            collected = collector.collect(n_step=settings.frames)
            algorithm.update(collector.buffer, settings.batch, settings.epochs)
        collector.reset_buffer(keep_statistics=True)
        show(collector.collect_step, collected.returns)
    return actor, critic, collector.collect_step


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return command_line("tianshou", train, arguments)


if __name__ == "__main__":
    sys.exit(main())
