"""The scripted levels, easy to hard, as one kernel for a game, one for many, and as bots."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.bot import Games, Ints, KernelBot
from mtrain_env.bots import easy as _easy
from mtrain_env.bots import hard as _hard
from mtrain_env.bots import medium as _medium
from mtrain_env.bots.hard import PLAN, SCRATCH_SHAPE

LEVELS: Final = ("easy", "medium", "hard")
EASY, MEDIUM, HARD = range(3)

_easy_one, _medium_one, _hard_one = _easy.choose_one, _medium.choose_one, _hard.choose_one


@jit
def choose_one(
    level: int,
    s: np.void,
    rng: NDArray[np.uint64],
    actions: NDArray[np.int16],
    count: int,
    scratch: NDArray[np.void],
) -> int:
    """Index of the action that a bot of this level chooses for the acting seat.

    `actions[:count]` are the legal ids, ascending; `rng` is two words of random state, changed where the level
    draws from it; `scratch` is SCRATCH_SHAPE records PLAN, of any content. Only what the seat may know is read.
    """
    if level == EASY:
        return _easy_one(s, rng, actions, count, scratch)
    if level == MEDIUM:
        return _medium_one(s, rng, actions, count, scratch)
    return _hard_one(s, rng, actions, count, scratch)


@jit
def choose_each(
    level: int,
    games: Games,
    which: Ints,
    actions: Ints,
    counts: Ints,
    rngs: NDArray[np.uint64],
    out: Ints,
    scratch: NDArray[np.void],
) -> None:
    """choose_one for the games `which`; arguments as bot.BatchBot.choose."""
    for k in range(which.shape[0]):
        g = which[k]
        s = games[g]
        seat = int64(s["seat"])
        out[g] = choose_one(level, s, rngs[g, seat], actions[g], int64(counts[g]), scratch)


class Scripted(KernelBot):
    """A scripted bot of one of the LEVELS."""

    def __init__(self, level: str) -> None:
        self.name = level
        self._level = LEVELS.index(level)

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        choose_each(self._level, games, which, actions, counts, rngs, out, np.zeros(SCRATCH_SHAPE, PLAN))


def easy() -> Scripted:
    """Any legal action."""
    return Scripted("easy")


def medium() -> Scripted:
    """The own train first, the heaviest tile first."""
    return Scripted("medium")


def hard() -> Scripted:
    """The longest line, saved for the own train; other tiles elsewhere, heaviest first."""
    return Scripted("hard")
