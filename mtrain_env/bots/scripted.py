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
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.state import NONE
from mtrain_env.engine.turn import act

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


@jit
def play_each(
    level: int,
    games: Games,
    which: Ints,
    actions: Ints,
    counts: Ints,
    rngs: NDArray[np.uint64],
    seats: NDArray[np.uint32],
    scratch: NDArray[np.void],
) -> None:
    """choose_one and carry it out, again and again; arguments as bot.RunningBot.play_on."""
    for k in range(which.shape[0]):
        g = which[k]
        s = games[g]
        count = int64(counts[g])
        while count > 0 and (int64(seats[g]) >> int64(s["seat"])) & 1 != 0:
            chosen = 0
            if count > 1:
                chosen = choose_one(level, s, rngs[g, int64(s["seat"])], actions[g], count, scratch)
            act(s, int64(actions[g, chosen]), NONE)
            count = legal_actions(s, actions[g])
        counts[g] = count


class Scripted(KernelBot):
    """A scripted bot of one of the LEVELS."""

    def __init__(self, level: str) -> None:
        self.name = level
        self._level = LEVELS.index(level)

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        choose_each(self._level, games, which, actions, counts, rngs, out, np.empty(SCRATCH_SHAPE, PLAN))

    def play_on(
        self,
        games: Games,
        which: Ints,
        actions: Ints,
        counts: Ints,
        rngs: NDArray[np.uint64],
        seats: NDArray[np.uint32],
    ) -> None:
        """Act for these seats, as RunningBot says."""
        play_each(self._level, games, which, actions, counts, rngs, seats, np.empty(SCRATCH_SHAPE, PLAN))


def easy() -> Scripted:
    """Any legal action."""
    return Scripted("easy")


def medium() -> Scripted:
    """The own train first, the heaviest tile first."""
    return Scripted("medium")


def hard() -> Scripted:
    """The longest line, saved for the own train; other tiles elsewhere, heaviest first."""
    return Scripted("hard")
