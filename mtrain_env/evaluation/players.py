"""A bot at work in many games: what it chooses, how long it takes, and where it fails.

Where a bot fails, the first legal action (the lowest id) is played for it, so that the deal has an outcome, and the
incident is counted: it is never hidden behind a good move. A program in another process does the same of itself
(bot.Outsider), and its incidents are counted with the others.
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import BatchBot, Bot, Games, Ints, OneByOne, incidents_of

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

    def __init__(self, bot: Bot, incidents: Counter[str]) -> None:
        super().__init__(bot)
        self._incidents = incidents

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        for k in range(len(which)):
            try:
                super().choose(games, which[k : k + 1], actions, counts, rngs, out)
            except Exception:  # whatever it raises, the other games go on
                self._incidents["crashed"] += 1
                out[which[k]] = 0


class Player:
    """A bot with its clock and its incidents."""

    def __init__(self, bot: Bot) -> None:
        self.bot, self.clock = bot, Clock()
        self.incidents: Counter[str] = Counter()
        self._asked = bot if isinstance(bot, BatchBot) else Contained(bot, self.incidents)

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says; an index that is none becomes 0."""
        began = time.perf_counter()
        self._asked.choose(games, which, actions, counts, rngs, out)
        self.clock.add(len(which), time.perf_counter() - began)
        self.incidents.update(incidents_of(self.bot))
        wrong = which[(out[which] < 0) | (out[which] >= counts[which])]
        if len(wrong):
            self.incidents["illegal"] += len(wrong)
            out[wrong] = 0


def by_name(many: Iterable[tuple[Sequence[str], Sequence[Incidents]]]) -> dict[str, Incidents]:
    """Return the sum of the incidents of each bot, from names and incidents side by side; who had none is left out."""
    sums: dict[str, Counter[str]] = {}
    for names, incidents in many:
        for name, its in zip(names, incidents, strict=True):
            sums.setdefault(name, Counter()).update(its)
    return {name: dict(its) for name, its in sums.items() if its}
