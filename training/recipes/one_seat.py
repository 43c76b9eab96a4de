"""What recipes of one learner among scripted bots share: their settings, their games, their command line."""

import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.rules import Rules
from training.recipes.common import Learned, parser, run, side_by_side


@dataclass(frozen=True)
class Settings:
    """All settings of a run; they are written into the bundle."""

    rules: str = "core"
    players: int = 4
    opponents: tuple[str, ...] = ("easy",)
    """Bots clockwise after the learner, or one for all of them."""
    steps: int = 150_000
    """Decisions of the learner."""
    seed: int = 1
    envs: int = 64
    decisions: int = 64
    """In each game between two updates."""
    hidden: tuple[int, ...] = (128, 64)
    """Widths of the hidden layers, of the policy and of the value each."""
    batch: int = 1024
    epochs: int = 6
    rate: float = 1e-3
    smoothing: float = 0.95
    """Lambda of the advantages. They are not discounted: the only pay comes at the end of a round."""
    clip: float = 0.2
    entropy_cost: float = 0.003
    value_cost: float = 0.5
    largest_gradient: float = 0.5

    @property
    def frames(self) -> int:
        """Decisions between two updates, in all games."""
        return self.envs * self.decisions

    @property
    def collections(self) -> int:
        """How often `frames` are collected."""
        return -(-self.steps // self.frames)

    @property
    def batches(self) -> int:
        """Into which `frames` are cut."""
        return max(1, self.frames // self.batch)

    @property
    def updates(self) -> int:
        """Steps of the optimiser."""
        return self.collections * self.epochs * self.batches


def games(settings: Settings, rules: Rules) -> MexicanTrainVectorEnv:
    """Return the learner's games: masks are in the infos, and a finished round begins anew in the same step."""
    return MexicanTrainVectorEnv(
        settings.envs,
        opponents=settings.opponents,
        rules=rules,
        episode="round",  # the pay comes about 12 decisions after the beginning, not 160
        reward="relative",  # (mean of the others' pips - own) / 100: what the value of a bundle means
        skip_forced=True,  # nothing is learned from a single legal action
    )


def show(decisions: int, paid: ArrayLike) -> None:
    """Print how the rounds between two updates ended; `paid`: the learner's pay for each of them."""
    pay = np.asarray(paid, np.float64)
    print(
        f"{decisions:>8} decisions, {pay.size} rounds: lost {(pay < 0).mean():.1%}, reward {pay.mean():+.3f}",
        flush=True,
    )


def stack(inputs: int, hidden: Sequence[int], outputs: int) -> nn.Sequential:
    """Return linear layers with ReLU between them, which is what a bundle can hold."""
    *before, last = pairwise((inputs, *hidden, outputs))
    layers = [layer for widths in before for layer in (nn.Linear(*widths), nn.ReLU())]
    return nn.Sequential(*layers, nn.Linear(*last))


class Joined(VectorWrapper[Any, Any, Any, Any, Any]):
    """Such games with observation and mask in one row, for libraries that give a network nothing but an array.

    Attributes:
        size: numbers of an observation; the mask follows.
        actions: numbers of a mask.
    """

    def __init__(self, settings: Settings, rules: Rules) -> None:
        env = games(settings, rules)
        super().__init__(env)
        self.size, self.actions = env.buffers.observation.shape[1], env.buffers.action_mask.shape[1]
        self.single_observation_space = spaces.Box(0.0, 1.0, (self.size + self.actions,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, settings.envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[NDArray[np.float32], dict[str, Any]]:  # noqa: ANN401
        """As the games."""
        return self._joined(*self.env.reset(seed=seed, options=options))

    def step(self, actions: Any) -> tuple[NDArray[np.float32], Any, Any, Any, dict[str, Any]]:  # noqa: ANN401
        """As the games."""
        observation, rewards, terminated, truncated, infos = self.env.step(actions)
        rows, infos = self._joined(observation, infos)
        return rows, rewards, terminated, truncated, infos

    def _joined(self, observation: NDArray[Any], infos: dict[str, Any]) -> tuple[NDArray[np.float32], dict[str, Any]]:
        return np.hstack([observation, infos["action_mask"]], dtype=np.float32), infos


class Policy(nn.Module):
    """Logits from rows of Joined, those of illegal actions -1e9."""

    def __init__(self, size: int, hidden: Sequence[int], actions: int) -> None:
        super().__init__()
        self.size = size
        self.stack = stack(size, hidden, actions)

    def forward(self, rows: Tensor | NDArray[np.float32]) -> Tensor:
        """Return float32[n, actions]."""
        rows = torch.as_tensor(rows)
        logits: Tensor = self.stack(rows[:, : self.size])
        return logits.masked_fill(rows[:, self.size :] == 0, -1e9)


class Value(nn.Module):
    """Values from rows of Joined."""

    def __init__(self, size: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.size = size
        self.stack = stack(size, hidden, 1)

    def forward(self, rows: Tensor | NDArray[np.float32]) -> Tensor:
        """Return float32[n, 1]."""
        value: Tensor = self.stack(torch.as_tensor(rows)[:, : self.size])
        return value


Train = Callable[[Settings, Rules], tuple[nn.Module, nn.Module, int]]
"""What a recipe does: return the stacks of the policy and of the value, and the decisions that they learned from."""


def learn(library: str, train: Train, settings: Settings, rules: Rules) -> Learned:
    """Train, and return the policy as a bundle holds it."""
    began = time.monotonic()
    policy, value, decisions = train(settings, rules)
    return Learned(
        library=library,
        weights=side_by_side(policy, value),
        settings=asdict(settings),
        decisions=decisions,
        updates=settings.updates,
        seconds=time.monotonic() - began,
    )


def command_line(library: str, train: Train, arguments: Sequence[str] | None) -> int:
    """Run such a recipe from the command line; returns the exit status."""
    options = parser(f"PPO of {library} in one seat among scripted bots, to a bundle.", steps=Settings.steps)
    options.add_argument("--opponents", default="easy", help="bots clockwise after the learner, or one for all (easy)")

    def learn_as(given: Namespace, rules: Rules) -> Learned:
        opponents = tuple(given.opponents.split(","))
        return learn(library, train, Settings(given.rules, given.players, opponents, given.steps, given.seed), rules)

    return run(options, learn_as, arguments)
