"""A bot at work in many games: what it chooses, how long it takes, and where it fails.

Where a bot fails, the first legal action (the lowest id) is played for it, so that the deal has an outcome, and the
incident is counted: it is never hidden behind a good move. A bot that contains failures of its own, as a program in
another process does, counts them the same way in an attribute `incidents` (a Counter by what happened).
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import BatchBot, Bot, Games, Ints, OneByOne

Incidents = Mapping[str, int]
"""How often a bot failed, by what happened: `crashed`, `illegal`, `late`, .."""


@dataclass
class Clock:
    """What a bot took for its decisions (those with a choice), without its first call, which may compile."""

    decisions: int = 0
    seconds: float = 0.0
    warm: bool = False

    def add(self, decisions: int, seconds: float) -> None:
        """Count one call."""
        if self.warm:
            self.decisions += decisions
            self.seconds += seconds
        self.warm = True

    @property
    def microseconds(self) -> float:
        """Time of one decision."""
        return self.seconds / max(1, self.decisions) * 1e6


class Contained(OneByOne):
    """A bot that is asked one by one; where it raises, the first legal action is its choice."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot)
        counted = getattr(bot, "incidents", None)
        self.incidents: Counter[str] = counted if isinstance(counted, Counter) else Counter()

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        for k in range(len(which)):
            try:
                super().choose(games, which[k : k + 1], actions, counts, rngs, out)
            except Exception:  # whatever it raises, the other games go on
                self.incidents["crashed"] += 1
                out[which[k]] = 0


class Player:
    """A bot with its clock and its incidents."""

    def __init__(self, bot: Bot) -> None:
        self.clock = Clock()
        self._bot = bot if isinstance(bot, BatchBot) else Contained(bot)
        self._illegal: Counter[str] = Counter()
        self._before = self._own()

    def _own(self) -> Counter[str]:
        """What the bot has counted itself so far."""
        return Counter(getattr(self._bot, "incidents", {}))

    @property
    def incidents(self) -> dict[str, int]:
        """What happened since this player was made."""
        return dict(self._illegal + self._own() - self._before)

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says; an index that is none becomes 0."""
        began = time.perf_counter()
        self._bot.choose(games, which, actions, counts, rngs, out)
        self.clock.add(len(which), time.perf_counter() - began)
        wrong = which[(out[which] < 0) | (out[which] >= counts[which])]
        if len(wrong):
            self._illegal["illegal"] += len(wrong)
            out[wrong] = 0


def by_name(many: Iterable[tuple[Sequence[str], Sequence[Incidents]]]) -> dict[str, Incidents]:
    """Return the sum of the incidents of each bot, from names and incidents side by side; who had none is left out."""
    sums: dict[str, Counter[str]] = {}
    for names, incidents in many:
        for name, its in zip(names, incidents, strict=True):
            sums.setdefault(name, Counter()).update(its)
    return {name: dict(its) for name, its in sums.items() if its}
