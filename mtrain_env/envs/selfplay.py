# mypy: disable-error-code="arg-type"
# a kernel: np.int64 and int are one type when compiled, which mypy tells apart
"""Rounds for self-play: many at once, in lock-step, each asking the seat to act where it has a choice.

An episode is one round: the opening double is drawn uniformly from the order, the starter (or hunting seat) at
random, totals are 0. Forced actions are carried out at once and never asked about. Nothing is allocated in a step.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.state import NONE, RANDOM, new_record
from mtrain_env.engine.turn import act, begin_round
from mtrain_env.rules import Rules


@jit
def _skip_forced(s: Any, actions: Any) -> int:  # noqa: ANN401 -- a GAME record; numba types it
    """Carry out forced actions; write the legal ids of the next choice, and return their number, 0 at the end."""
    while True:
        count = legal_actions(s, actions)
        if count != 1:
            return count
        act(s, np.int64(actions[0]), NONE)


@jit
def _deal_all(games: Any, openings: Any, actions: Any, counts: Any, seats: Any) -> None:  # noqa: ANN401
    """Deal every round; `openings[i, :k]`, k = openings[i, -1], are the numbers that the order of round i has."""
    for i in range(games.shape[0]):
        s = games[i]
        opening = np.int64(openings[i, random_below(s["rng"], np.int64(openings[i, -1]))])
        first = random_below(s["rng"], np.int64(s["num_players"]))
        begin_round(s, -1 if s["opening_order"] == RANDOM else opening, first)
        counts[i] = _skip_forced(s, actions[i])
        seats[i] = s["seat"]


@jit
def _step(games: Any, which: Any, chosen: Any, actions: Any, counts: Any, seats: Any) -> None:  # noqa: ANN401
    """Carry out `actions[g, chosen[g]]` in each round g of `which`, and go on to its next choice."""
    for k in range(which.shape[0]):
        g = which[k]
        s = games[g]
        act(s, np.int64(actions[g, chosen[g]]), NONE)
        counts[g] = _skip_forced(s, actions[g])
        seats[g] = s["seat"]


class SelfPlayRounds:
    """`count` rounds in lock-step; round i has the rules `rules[i % len(rules)]`.

    After `deal` and each `step`, `waiting` are the rounds that wait for a choice: there the seat `seats[g]` chooses
    among the ids `actions[g, :counts[g]]`. A round with `counts[g] == 0` is over, and `pips[g]` its result by seat.
    Round i depends on the entropy and on i alone, whatever `count` is.
    """

    def __init__(self, rules: Rules | Sequence[Rules], count: int) -> None:
        each = [rules] if isinstance(rules, Rules) else list(rules)
        records = [new_record(one) for one in each]
        self._fresh = np.concatenate([records[i % len(each)] for i in range(count)])
        self._openings = np.zeros((count, 20), np.int8)
        for i in range(count):
            one = each[i % len(each)]
            numbers = one.order_numbers[: one.rounds_in_game]
            self._openings[i, : len(numbers)] = numbers
            self._openings[i, -1] = len(numbers)
        self.games = self._fresh.copy()
        """The GAME records, shape (count,)."""
        self.players = self._fresh["num_players"].astype(np.int64)
        """Seats of each round."""
        self.actions = np.zeros((count, int(self._fresh["num_actions"].max())), np.int16)
        self.counts = np.zeros(count, np.int32)
        self.seats = np.zeros(count, np.int8)
        self.waiting: NDArray[np.int64] = np.zeros(0, np.int64)

    def deal(self, *entropy: int) -> NDArray[np.int64]:
        """Deal all rounds anew by the entropy; return `waiting`."""
        self.games[:] = self._fresh
        self.games["rng"] = round_words(len(self.games), *entropy)
        _deal_all(self.games, self._openings, self.actions, self.counts, self.seats)
        self.waiting = np.flatnonzero(self.counts)
        return self.waiting

    def step(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Carry out `actions[g, chosen[g]]` in all rounds that wait; return `waiting`. `chosen`: an entry a round."""
        _step(self.games, self.waiting, chosen, self.actions, self.counts, self.seats)
        self.waiting = self.waiting[self.counts[self.waiting] > 0]
        return self.waiting

    @property
    def pips(self) -> NDArray[np.int32]:
        """Pips of the finished rounds, (count, 16)."""
        pips: NDArray[np.int32] = self.games["pips"]
        return pips


def round_words(count: int, *entropy: int) -> NDArray[np.uint64]:
    """Return two random words for each of `count` rounds, (count, 2): row i depends on the entropy and i alone."""
    words = np.random.SeedSequence(entropy).generate_state(2 * count, np.uint64)
    return np.asarray(words.reshape(count, 2) | 1, np.uint64)


__all__ = ["SelfPlayRounds", "round_words"]
