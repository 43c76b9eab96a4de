"""What a bot can tell of its choice: the numbers of the actions that it weighed."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Games, Ints, KernelBot, View
from mtrain_env.bots.rollout import Weighed, best_choices, mean_and_error

if TYPE_CHECKING:
    from mtrain_env.bots.expert import Options


@dataclass(frozen=True)
class Reason:
    """The numbers of one action."""

    index: int
    """Which of the legal actions."""
    chance: float | None
    """Probability under the policy, 0 to 1, where there is one."""
    pips: float | None
    """See Reasons.pips_are; less is better; None where the bot says nothing of them."""
    error: float | None
    """Standard error of `pips`, where it is a mean."""


@dataclass(frozen=True)
class Reasons:
    """A choice, and the numbers behind it."""

    chosen: int
    """Which of the legal actions."""
    pips_are: str
    """What the pips count, in words."""
    weighed: list[Reason]
    """The actions that were weighed, the best first."""


@runtime_checkable
class Explaining(Protocol):
    """A bot that tells why."""

    def explain(self, view: View, rng: np.random.Generator) -> Reasons:
        """Return the choice that `act` makes with an equal `rng`, and its reasons."""
        ...


def as_batch(view: View, rng: np.random.Generator) -> tuple[Games, Ints, Ints, Ints, NDArray[np.uint64]]:
    """Return games, which, actions, counts and rngs of `choose` for one view, as KernelBot.act makes them."""
    rngs = rng.integers(1, 1 << 64, (1, int(view.game["num_players"][0]), 2), np.uint64)
    counts = np.array([len(view.legal)], np.int32)
    return view.game, np.zeros(1, np.int64), view.legal[None].astype(np.int16), counts, rngs


class Searcher(KernelBot):
    """A bot that compares its best few choices on imagined deals, and can tell how they did."""

    options: "Options"

    @abstractmethod
    def weigh(self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64]) -> Weighed:
        """Return the best few choices of each game and how they did; arguments as those of `choose`."""

    @abstractmethod
    def units(self, others: int) -> int:
        """Return how many units of the sums of `weigh` a pip is, with so many other players."""

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        if len(which) == 0:
            return
        found = self.weigh(games, which, actions, counts, rngs)
        best = best_choices(found.sums, found.deals, self.options.gate)
        out[which] = found.choices[np.arange(len(which)), best]

    def explain(self, view: View, rng: np.random.Generator) -> Reasons:
        """Return the choice that `act` makes with an equal `rng`, and its reasons, as Explaining says."""
        found = self.weigh(*as_batch(view, rng))
        (best,) = best_choices(found.sums, found.deals, self.options.gate)
        unit = self.units(int(view.game["num_players"][0]) - 1)
        used = int(found.used[0])
        mean, error = (values[0, :used] / unit for values in mean_and_error(found.sums, found.deals))
        weighed = [
            Reason(int(found.choices[0, c]), None, float(mean[c]), float(error[c]))
            for c in map(int, np.argsort(mean, kind="stable"))
        ]
        fewest, most = found.deals[0, :used].min(), found.deals[0, :used].max()
        deals = f"{most}" if fewest == most else f"{fewest} to {most}"
        what = f"against its first choice, mean of {deals} imagined deals ± standard error"
        return Reasons(int(found.choices[0, best]), what, weighed)
