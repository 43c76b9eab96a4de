"""skrl: PPO over our vector of games, from the first step to a bundle.

    python -m training.recipes.skrl -o runs/skrl

It trains in one seat among scripted bots, exports the result and measures it against easy: `learned:runs/skrl` plays
it. docs/recipes.md says what skrl needs, and what goes wrong otherwise.
"""

import sys
from collections.abc import Sequence
from typing import Any

from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from torch import Tensor, nn

from mtrain_env.rules import Rules
from training.recipes.one_seat import Joined, Policy, Settings, Value, command_line, show


class Shown(Joined):
    """The learner's games, which print how they ended after so many steps in each."""

    def __init__(self, settings: Settings, rules: Rules) -> None:
        super().__init__(settings, rules)
        self.settings = settings
        self.steps = 0
        self.paid: list[float] = []

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:  # noqa: ANN401 -- as Gymnasium
        """As the games."""
        rows, rewards, terminated, truncated, infos = super().step(actions)
        self.steps += 1
        self.paid += rewards[terminated].tolist()
        if self.steps % self.settings.decisions == 0:
            show(self.steps * self.num_envs, self.paid)
            self.paid.clear()
        return rows, rewards, terminated, truncated, infos


class Actor(CategoricalMixin, Model):
    """The policy as skrl calls it."""

    def __init__(self, env: Any, hidden: Sequence[int]) -> None:  # noqa: ANN401 -- skrl's wrapper
        Model.__init__(self, observation_space=env.observation_space, action_space=env.action_space, device="cpu")
        CategoricalMixin.__init__(self)
        self.network = Policy(env.size, hidden, env.actions)

    def compute(self, inputs: dict[str, Tensor], role: str = "") -> tuple[Tensor, dict[str, Any]]:
        """Return logits."""
        return self.network(inputs["observations"]), {}


class Critic(DeterministicMixin, Model):
    """The value as skrl calls it."""

    def __init__(self, env: Any, hidden: Sequence[int]) -> None:  # noqa: ANN401 -- skrl's wrapper
        Model.__init__(self, observation_space=env.observation_space, action_space=env.action_space, device="cpu")
        DeterministicMixin.__init__(self)
        self.network = Value(env.size, hidden)

    def compute(self, inputs: dict[str, Tensor], role: str = "") -> tuple[Tensor, dict[str, Any]]:
        """Return values."""
        return self.network(inputs["observations"]), {}


def train(settings: Settings, rules: Rules) -> tuple[nn.Module, nn.Module, int]:
    """Return the networks of the policy and of the value, and the decisions that they learned from."""
    set_seed(settings.seed)  # also the seed of the games
    env = wrap_env(Shown(settings, rules), wrapper="gymnasium", verbose=False)
    actor, critic = Actor(env, settings.hidden), Critic(env, settings.hidden)
    config = PPO_CFG(
        rollouts=settings.decisions,
        learning_epochs=settings.epochs,
        mini_batches=settings.batches,
        discount_factor=1.0,
        gae_lambda=settings.smoothing,
        learning_rate=settings.rate,
        ratio_clip=settings.clip,
        value_clip=0.0,
        entropy_loss_scale=settings.entropy_cost,
        value_loss_scale=settings.value_cost,
        grad_norm_clip=settings.largest_gradient,
    )
    config.experiment.write_interval = config.experiment.checkpoint_interval = 0
    agent = PPO(
        models={"policy": actor, "value": critic},
        memory=RandomMemory(memory_size=settings.decisions, num_envs=env.num_envs, device="cpu"),
        observation_space=env.observation_space,
        action_space=env.action_space,
        device="cpu",
        cfg=config,
    )
    steps = settings.collections * settings.decisions
    quiet = {"headless": True, "disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": steps, **quiet}).train()
    return actor.network, critic.network, steps * env.num_envs


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return command_line("skrl", train, arguments)


if __name__ == "__main__":
    sys.exit(main())
