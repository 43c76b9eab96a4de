"""Expert: the best few choices of hard, each played out by hard on many deals that agree with what the seat knows.

Hard's own choice is left only for one that is better by two standard errors (`gate`) on the same deals: the mean of
a few rounds is so noisy that taking the best one plays worse than hard itself (`gate=0`).
"""

import time
from dataclasses import dataclass, fields, replace
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Games, Ints
from mtrain_env.bots import rollout
from mtrain_env.bots.reasons import Searcher
from mtrain_env.errors import BotError

CHUNK: Final = 8
"""Deals played by each thread between two looks at the clock, with `ms`."""
MOST_DEALS: Final = 100_000


@dataclass(frozen=True)
class Options:
    """How much a bot searches. As text: `name=value` joined by colons, a number alone is the rollouts."""

    rollouts: int = 100
    """Deals drawn for a decision, on each of which every choice is played out once."""
    candidates: int = 4
    """Choices that are played out."""
    gate: float = 2.0
    """Standard errors by which another choice must be better than the first; 0 takes the best mean."""
    ms: float = 0.0
    """Milliseconds for a decision instead of `rollouts`; then a seed does not reproduce the moves. 0 = no limit."""
    threads: int = 1
    """Threads among which the deals of a decision are shared; without `ms` they change no move."""

    def text(self, usual: "Options") -> str:
        """Return what differs from the `usual` options and can change a move, as it is written in a name."""
        parts = [f":{self.rollouts}"] if self.rollouts != usual.rollouts else []
        for name in (field.name for field in fields(self) if field.name not in ("rollouts", "threads")):
            value = getattr(self, name)
            if value != getattr(usual, name):
                parts.append(f":{name}={value:g}")
        return "".join(parts)


_Options = TypeVar("_Options", bound=Options)


def options(bot: str, text: str, usual: _Options) -> _Options:
    """Return the options of `bot` in `text`, such as `400:candidates=6`; where it says nothing, the usual ones."""
    kinds = {field.name: int if isinstance(getattr(usual, field.name), int) else float for field in fields(usual)}
    found: dict[str, float] = {}
    for part in text.split(":") if text else ():
        name, _, value = part.partition("=") if "=" in part else ("rollouts", "=", part)
        try:
            found[name] = kinds[name](value)
        except (KeyError, ValueError):
            known = ", ".join(f"{name}={getattr(usual, name):g}" for name in kinds)
            raise BotError(f"{bot!r} has no option {part!r}; write {bot}:NAME=VALUE, usual are {known}.") from None
    made = replace(usual, **found)
    if not (2 <= made.rollouts <= MOST_DEALS and 1 <= made.candidates <= 1000 and 1 <= made.threads <= 1000):
        raise BotError(f"{bot!r} needs 2 to {MOST_DEALS:,} rollouts and 1 or more candidates and threads.")
    if not (0 <= made.gate < np.inf and 0 <= made.ms < np.inf):
        raise BotError(f"{bot!r} needs a gate and ms of 0 or more.")
    return made


class Expert(Searcher):
    """Hard with a search; `knows` is what it draws its deals from, one of rollout's."""

    def __init__(self, name: str, searched: Options, knows: int = rollout.ITS_VIEW) -> None:
        self.name = name
        self.fair = knows == rollout.ITS_VIEW
        self.options = searched
        self._knows = knows

    def weigh(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64]
    ) -> rollout.Weighed:
        """Return the best few choices of each game and how they did, as Searcher says."""
        choices = np.zeros((len(which), self.options.candidates), np.int64)
        used = np.zeros(len(which), np.int64)
        scratch = rollout.new_scratch(int(games["num_actions"].max()))
        rollout.list_choices(self._knows, games, which, actions, counts, scratch, choices, used)
        if self.options.ms == 0:
            deals = 1 if self._knows == rollout.EVERYTHING else self.options.rollouts
            sums = self._play(games, which, actions, choices, used, rngs, deals)
            return rollout.Weighed(choices, used, sums, np.full(choices.shape, deals))
        rows = [slice(k, k + 1) for k in range(len(which))]
        one = [self._play_in_time(games, which[k], actions, choices[k], used[k], rngs) for k in rows]
        sums = np.concatenate([each for each, _ in one])
        deals_of_each = np.repeat([[deals] for _, deals in one], choices.shape[1], axis=1)
        return rollout.Weighed(choices, used, sums, deals_of_each)

    def units(self, others: int) -> int:
        """Return how many units of the sums of `weigh` a pip is: they are integers, not divided by the others yet."""
        return others

    def _play_in_time(
        self, games: Games, which: Ints, actions: Ints, choices: Ints, used: Ints, rngs: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], int]:
        """Return the sums of one game over as many deals as fit into the time, and how many these are."""
        end = time.perf_counter() + self.options.ms / 1000
        deals, step = 0, CHUNK * self.options.threads
        sums = np.zeros((1, choices.shape[1], 2), np.int64)
        while deals == 0 or (time.perf_counter() < end and deals < MOST_DEALS):
            sums += self._play(games, which, actions, choices, used, rngs, step)
            deals += step
        return sums, deals

    def _play(
        self,
        games: Games,
        which: Ints,
        actions: Ints,
        choices: Ints,
        used: Ints,
        rngs: NDArray[np.uint64],
        deals: int,
    ) -> NDArray[np.int64]:
        """Return the sums of rollout.play_deals over new deals."""
        words = rollout.new_words(games, which, rngs, deals)
        threads = self.options.threads
        return rollout.play_in_threads(threads, self._knows, games, which, actions, choices, used, words)


USUAL: Final = Options()


def make(text: str = "") -> Expert:
    """Return the expert with the options in `text`."""
    searched = options("expert", text, USUAL)
    return Expert(f"expert{searched.text(USUAL)}", searched)
