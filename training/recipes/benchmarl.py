"""BenchMARL: IPPO over our vector of games, from the first step to a bundle.

    python -m training.recipes.benchmarl -o runs/benchmarl

It trains a group of one seat among scripted bots, exports the result and measures it against easy:
`learned:runs/benchmarl` plays it. docs/recipes.md says what BenchMARL needs, and what goes wrong otherwise.
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from benchmarl.algorithms import IppoConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models import MlpConfig
from tensordict import TensorDict, TensorDictBase
from torch import nn
from torchrl.data import Binary, Categorical, Composite, Unbounded

from mtrain_env.rules import Rules
from training.recipes.one_seat import Settings, command_line, show, stack
from training.recipes.torchrl_games import Games

GROUP = "learner"


class GroupedGames(Games):
    """The games with what belongs to a seat in a group of one seat: ("learner", "observation") of [games, 1, ..]."""

    def __init__(self, settings: Settings, rules: Rules) -> None:
        super().__init__(settings, rules)
        seat = (*self.batch_size, 1)

        def group(**specs: Any) -> Composite:  # noqa: ANN401 -- TorchRL has no types
            return Composite({GROUP: Composite(specs, shape=seat)}, shape=self.batch_size)

        self.observation_spec = group(
            observation=Unbounded((*seat, self.width)), action_mask=Binary(shape=(*seat, self.moves), dtype=torch.bool)
        )
        self.action_spec = group(action=Categorical(self.moves, shape=seat))
        self.reward_spec = group(reward=Unbounded((*seat, 1)))

    def _grouped(self, plain: TensorDictBase) -> TensorDictBase:
        names = {"observation": "observation", "mask": "action_mask", "reward": "reward"}
        inside = {new: plain.pop(old)[:, None] for old, new in names.items() if old in plain}
        return plain.set(GROUP, TensorDict(inside, (*self.batch_size, 1)))

    def _reset(self, tensordict: TensorDictBase | None, **kwargs: Any) -> TensorDictBase:  # noqa: ANN401
        return self._grouped(super()._reset(tensordict, **kwargs))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        action = tensordict[GROUP, "action"][:, 0]
        return self._grouped(super()._step(TensorDict({"action": action}, self.batch_size)))


class OneSeat(TaskClass):
    """The learner's games as a task: `config` holds `settings` and `rules`."""

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Any:  # noqa: ANN401
        """Return what makes so many games."""
        settings = replace(self.config["settings"], envs=num_envs, seed=seed)
        return lambda: GroupedGames(settings, self.config["rules"])

    def supports_continuous_actions(self) -> bool:
        """Return False: an action is an id."""
        return False

    def supports_discrete_actions(self) -> bool:
        """Return True."""
        return True

    def max_steps(self, env: Games) -> int:
        """Return more decisions than any round has; only BenchMARL's own evaluation, switched off here, asks."""
        return 1000

    def has_render(self, env: Games) -> bool:
        """Return False."""
        return False

    def group_map(self, env: Games) -> dict[str, list[str]]:
        """Return the one group of one seat."""
        return {GROUP: [GROUP]}

    def observation_spec(self, env: Games) -> Composite:
        """Return the observation of one game."""
        return _only(env.observation_spec_unbatched, "observation")

    def action_mask_spec(self, env: Games) -> Composite:
        """Return the mask of one game."""
        return _only(env.observation_spec_unbatched, "action_mask")

    def action_spec(self, env: Games) -> Composite:
        """Return the action of one game."""
        return env.full_action_spec_unbatched

    def info_spec(self, env: Games) -> None:
        """Return nothing: there are no infos."""

    def state_spec(self, env: Games) -> None:
        """Return nothing: no state that is more than an observation."""

    @staticmethod
    def env_name() -> str:
        """Return the name in BenchMARL's logs."""
        return "mtrain"


def _only(spec: Composite, name: str) -> Composite:
    return Composite({GROUP: Composite({name: spec[GROUP, name].clone()}, shape=(1,))})


class Shown(Callback):
    """Prints how the rounds ended."""

    def on_batch_collected(self, batch: TensorDictBase) -> None:
        """As BenchMARL calls it."""
        pay, done = batch["next", GROUP, "reward"], batch["next", "done"]
        show(self.experiment.total_frames, pay[:, :, 0][done])


def trained(settings: Settings, rules: Rules) -> Experiment:
    """Return an experiment that has been run."""
    config = ExperimentConfig.get_from_yaml()
    config.gamma, config.lr, config.adam_eps = 1.0, settings.rate, 1e-5
    config.clip_grad_norm, config.clip_grad_val = True, settings.largest_gradient
    config.max_n_iters, config.max_n_frames = settings.collections, None
    config.on_policy_collected_frames_per_batch = settings.frames
    config.on_policy_n_envs_per_worker = settings.envs
    config.on_policy_n_minibatch_iters = settings.epochs
    config.on_policy_minibatch_size = settings.batch
    config.evaluation, config.render, config.loggers, config.create_json = False, False, [], False
    algorithm = IppoConfig.get_from_yaml()
    algorithm.clip_epsilon, algorithm.lmbda = settings.clip, settings.smoothing
    algorithm.entropy_coef, algorithm.critic_coef = settings.entropy_cost, settings.value_cost
    model = MlpConfig(num_cells=list(settings.hidden), layer_class=nn.Linear, activation_class=nn.ReLU)
    with tempfile.TemporaryDirectory() as folder:
        config.save_folder = folder
        experiment = Experiment(
            task=OneSeat("one_seat", {"settings": settings, "rules": rules}),
            algorithm_config=algorithm,
            model_config=model,
            critic_model_config=model,
            seed=settings.seed,
            config=config,
            callbacks=[Shown()],
        )
        experiment.run()
    return experiment


def networks_of(experiment: Experiment, hidden: Sequence[int]) -> tuple[nn.Module, nn.Module]:
    """Return the policy and the value as modules, which BenchMARL keeps as parameters alone."""
    loss, env = experiment.losses[GROUP], experiment.test_env
    policy, value = stack(env.width, hidden, env.moves), stack(env.width, hidden, 1)
    for network, parameters in ((policy, loss.actor_network_params), (value, loss.critic_network_params)):
        # Their names end as those of our layers do: 0.weight, 0.bias, 2.weight, ..
        named = parameters.flatten_keys(".").items()
        network.load_state_dict({".".join(name.split(".")[-2:]): tensor for name, tensor in named})
    return policy, value


def train(settings: Settings, rules: Rules) -> tuple[nn.Module, nn.Module, int]:
    """Return the networks of the policy and of the value, and the decisions that they learned from."""
    experiment = trained(settings, rules)
    return *networks_of(experiment, settings.hidden), experiment.total_frames


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return command_line("benchmarl", train, arguments)


if __name__ == "__main__":
    sys.exit(main())
