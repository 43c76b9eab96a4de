"""RLlib: masked PPO in self-play on one core or on a Ray cluster, from the first step to a bundle.

    python -m training.recipes.rllib -o runs/rllib
    python -m training.recipes.rllib -o runs/rllib --address auto --runners 64

It trains, plays a match of the result against easy with an interval, and exports it: `learned:runs/rllib` plays it.
docs/recipes.md says what RLlib needs, and what goes wrong otherwise.
"""

import logging
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count, pairwise
from typing import Any, Final

import numpy as np
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_MODULE_STEPS_SAMPLED
from torch import Tensor, nn

from mtrain_env.bots.policy import MASKED
from mtrain_env.envs import mexican_train_v0
from mtrain_env.errors import ConfigError
from mtrain_env.rules import Rules
from training.onnx_model import Weights
from training.recipes.common import Learned, parser
from training.recipes.common import run as recipe

LEARNER: Final = "learner"
EASY: Final = "easy"
PAST: Final = "past"


@dataclass(frozen=True)
class Settings:
    """All settings of a run; they are written into the bundle."""

    rules: str = "core"
    players: int = 4
    opponents: tuple[str, ...] = (PAST, EASY)
    """Policies of the last seats: past, an earlier self of the learner, or easy. The learner plays all other seats."""
    steps: int = 60_000
    """Decisions of the learner, in all its seats."""
    seed: int = 1
    runners: int = 0
    """Processes that play; 0 = the one that learns."""
    envs: int = 32
    """Rounds at once in each of them."""
    batch: int = 8192
    """Decisions of all seats between two updates."""
    minibatch: int = 1024
    epochs: int = 6
    rate: float = 1e-3
    entropy_cost: float = 0.003
    hidden: tuple[int, ...] = (128, 64)
    refresh: int = 5
    """Updates after which `past` becomes the learner as it is, a second `past` what the first was, and so on."""

    @property
    def seats(self) -> tuple[str, ...]:
        """The policy of each seat: learner, past_1, past_2, .., easy; ConfigError, in a sentence, if there is none."""
        for name in self.opponents:
            if name not in (PAST, EASY):
                raise ConfigError(f"There is no opponent {name!r} in self-play: it is {PAST} or {EASY}.")
        left = self.players - len(self.opponents)
        if left < 1:
            raise ConfigError(f"{len(self.opponents)} opponents leave no seat of {self.players} to the learner.")
        numbered = (
            f"{PAST}_{self.opponents[: i + 1].count(PAST)}" if name == PAST else name
            for i, name in enumerate(self.opponents)
        )
        return (LEARNER,) * left + tuple(numbered)


class Round(MultiAgentEnv):
    """A round for all seats: only the seat to move has an observation, at the end all seats are paid."""

    def __init__(self, config: dict[str, Any]) -> None:
        """`config`: `rules`, a Rules."""
        super().__init__()
        self.table = mexican_train_v0.raw_env(
            rules=config["rules"],
            episode="round",  # the pay comes about 12 decisions after the beginning, not 160
            reward="relative",  # (mean of the others' pips - own) / 100: what the value of a bundle means
            skip_forced=True,  # nothing is learned from a single legal action
        )
        self.agents = self.possible_agents = self.table.possible_agents
        self.observation_spaces = self.table.observation_spaces
        self.action_spaces = self.table.action_spaces

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin a round in which somebody has a choice."""
        self.table.reset(seed, options)
        while self.table.terminations[self.table.agent_selection]:
            self.table.reset(options=options)
        return self._seen(), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Carry out the action of the seat to move, the only one in `action_dict`."""
        table = self.table
        table.step(action_dict[table.agent_selection])
        over = table.terminations[table.agent_selection]
        return (
            {} if over else self._seen(),
            dict(table.rewards),
            {**table.terminations, "__all__": over},
            {"__all__": False},
            {},
        )

    def _seen(self) -> dict[str, Any]:
        agent = self.table.agent_selection
        return {agent: self.table.observe(agent)}


def masked(logits: Tensor, batch: dict[str, Any]) -> dict[str, Tensor]:
    """Return what the action distribution is made of: the logits of legal actions."""
    return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(batch[Columns.OBS]["action_mask"] == 0, MASKED)}


class Network(TorchRLModule, ValueFunctionAPI):
    """The network of a flat bundle: ReLU layers, and on them a score for each action and a value."""

    def setup(self) -> None:
        """Make the layers; `model_config["hidden"]` has the widths."""
        widths = (self.observation_space["observation"].shape[0], *self.model_config["hidden"])
        self.hidden = nn.ModuleList(nn.Linear(*both) for both in pairwise(widths))
        self.score = nn.Linear(widths[-1], int(self.action_space.n))
        self.value = nn.Linear(widths[-1], 1)

    def _trunk(self, batch: dict[str, Any]) -> Tensor:
        x: Tensor = batch[Columns.OBS]["observation"]
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return x

    def _forward(self, batch: dict[str, Any], **_: object) -> dict[str, Tensor]:
        return masked(self.score(self._trunk(batch)), batch)

    def _forward_train(self, batch: dict[str, Any], **_: object) -> dict[str, Tensor]:
        x = self._trunk(batch)
        return masked(self.score(x), batch) | {Columns.EMBEDDINGS: x}

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """The value of each row."""
        value: Tensor = self.value(self._trunk(batch) if embeddings is None else embeddings)
        return value.squeeze(-1)


class Easy(RLModule):
    """Plays as easy does: any legal action, all equally likely."""

    def _forward(self, batch: dict[str, Any], **_: object) -> dict[str, Tensor]:
        legal = torch.as_tensor(batch[Columns.OBS]["action_mask"], dtype=torch.float32)
        return {Columns.ACTIONS: torch.multinomial(legal, 1).squeeze(1)}


def config_of(settings: Settings, rules: Rules) -> PPOConfig:
    """Return RLlib's configuration of a run."""
    seats = settings.seats
    network = RLModuleSpec(Network, model_config={"hidden": settings.hidden})
    modules = {policy: RLModuleSpec(Easy) if policy == EASY else network for policy in seats}
    return (
        PPOConfig()
        # its checker plays without masks
        .environment(Round, env_config={"rules": rules}, disable_env_checking=True)
        .env_runners(num_env_runners=settings.runners, num_envs_per_env_runner=settings.envs)
        # while a lost runner waits for a place, each update waits so long for it
        .fault_tolerance(restart_failed_env_runners=True, env_runner_health_probe_timeout_s=5)
        .multi_agent(
            policies=set(modules),
            policy_mapping_fn=lambda agent, *_, **__: seats[int(agent.removeprefix("player_"))],
            policies_to_train=[LEARNER],
            count_steps_by="agent_steps",
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(
            gamma=1.0,  # the only pay comes at the end of a round
            lambda_=0.95,
            lr=settings.rate,
            entropy_coeff=settings.entropy_cost,
            use_kl_loss=False,
            clip_param=0.2,
            grad_clip=0.5,
            vf_loss_coeff=0.5,
            train_batch_size_per_learner=settings.batch,
            minibatch_size=settings.minibatch,
            num_epochs=settings.epochs,
        )
        .debugging(seed=settings.seed, log_level="ERROR")
    )


def refresh(algorithm: Algorithm, settings: Settings) -> None:
    """Make the first past self the learner as it is, and each further one what the one before it was."""
    selves = [LEARNER, *(policy for policy in settings.seats if policy.startswith(PAST))]

    def shift(runner: Any) -> None:  # noqa: ANN401 -- Ray is untyped
        for newer, older in reversed([*pairwise(selves)]):
            runner.module[older].set_state(runner.module[newer].get_state())

    algorithm.env_runner_group.foreach_env_runner(shift)


def updates(algorithm: Algorithm, settings: Settings) -> Iterator[tuple[int, dict[str, Any]]]:
    """Train; after each update yield the learner's decisions so far and RLlib's result, and print a line."""
    decisions = 0
    for number in count(1):
        if decisions >= settings.steps:
            return
        result = algorithm.train()
        played = result[ENV_RUNNER_RESULTS]
        decisions += int(played[NUM_MODULE_STEPS_SAMPLED][LEARNER])
        paid = (
            f"{policy} {reward / settings.seats.count(policy):+.3f}"
            for policy, reward in sorted(played["module_episode_returns_mean"].items())
        )
        print(f"{decisions:>8} decisions, {played['num_episodes']} rounds: reward {', '.join(paid)}", flush=True)
        if number % settings.refresh == 0:
            refresh(algorithm, settings)
        yield decisions, result


def weights_of(algorithm: Algorithm) -> Weights:
    """Return the learner's weights, whose names are those of flat-mlp/1."""
    return {name: np.array(tensor, np.float32) for name, tensor in algorithm.get_module(LEARNER).get_state().items()}


def learn(settings: Settings, rules: Rules, address: str | None = None) -> Learned:
    """Train on the Ray cluster at `address`, None = on this machine alone; return what a bundle holds."""
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # else every start says that the new API stack is new
    config = config_of(settings, rules)
    here = {"num_cpus": settings.runners + 1, "object_store_memory": 200_000_000, "include_dashboard": False}
    ray.init(address or "local", logging_level="ERROR", **({} if address else here))
    try:
        algorithm = config.build_algo()
        began = time.monotonic()
        decisions = max((done for done, _ in updates(algorithm, settings)), default=0)
        return Learned(
            library="ray",
            weights=weights_of(algorithm),
            settings=asdict(settings),
            decisions=decisions,
            updates=decisions * settings.epochs // settings.minibatch,
            seconds=time.monotonic() - began,
        )
    finally:
        ray.shutdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = parser("Masked PPO of RLlib in self-play, to a bundle.", steps=Settings.steps)
    options.add_argument(
        "--opponents", default=",".join(Settings.opponents), help="past and easy in the last seats (past,easy)"
    )
    options.add_argument("--runners", type=int, default=0, help="processes that play; 0 = the one that learns (0)")
    options.add_argument("--address", help="of a Ray cluster, as auto or HOST:6379; without it, this machine alone")

    def learn_as(given: Namespace, rules: Rules) -> Learned:
        opponents = tuple(given.opponents.split(","))
        settings = Settings(given.rules, given.players, opponents, given.steps, given.seed, given.runners)
        return learn(settings, rules, given.address)

    return recipe(options, learn_as, arguments)


if __name__ == "__main__":
    sys.exit(main())
