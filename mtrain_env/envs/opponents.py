"""The other seats of an environment for one learner: bots that play on until the learner is to move."""

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Bot, RunningBot, batched, close_bot, make_bot
from mtrain_env.engine.rng import random_below, seed_words
from mtrain_env.envs.base import EnvOptionError, Tables, checked_seed, fresh_entropy
from mtrain_env.envs.kernels import Ints

_MADE = ("bots", "_own", "_running", "_seats")  # attributes that _take_seats makes
_BOTS, _SEATS = 1, 2  # what a seed is used for, beside the game


class Opponents:
    """Bots for all seats but the learner's, at every table.

    `bots`: names or bots, one for each opponent, sitting clockwise after the learner; or one for all of them.
    `seat`: the learner's seat; None draws it for every episode.

    Attributes:
        given: the bots as they were given.
        fixed: the learner's seat, None if it is drawn.
        learner: int64[tables], the seat of the learner.
    """

    def __init__(self, bots: Sequence[str | Bot] | str | Bot, tables: Tables, seat: int | None) -> None:
        given = list(bots) if isinstance(bots, Sequence) and not isinstance(bots, str) else [bots]
        players = tables.players
        if len(given) not in (1, players - 1):
            raise EnvOptionError(f"opponents must be 1 or {players - 1} with {players} players, got {len(given)}.")
        if seat is not None and seat not in range(players):
            raise EnvOptionError(f"seat must be None or a seat from 0 to {players - 1}, got {seat!r}.")
        self.given = given
        self.fixed = None if seat is None else int(seat)
        self._take_seats(players)
        self._tables = tables
        self._its_seats = np.zeros((len(self.bots), tables.count), np.uint32)
        self._index = np.zeros(tables.count, np.int64)
        self._bot_words = np.zeros((tables.count, players, 2), np.uint64)
        self._seat_words = np.zeros((tables.count, 2), np.uint64)
        self.learner = np.zeros(tables.count, np.int64)

    def _take_seats(self, players: int) -> None:
        """Make the bots that were given by name, and say where each of them sits."""
        named = {bot: make_bot(bot) for bot in self.given if isinstance(bot, str)}
        row = [named[bot] if isinstance(bot, str) else bot for bot in self.given]
        row *= players - 1 if len(row) == 1 else 1
        distinct = {id(bot): bot for bot in row}
        self.bots = [batched(bot) for bot in distinct.values()]
        self._own = list(named.values())
        self._seats = np.array([_seats_of(key, row) for key in distinct], np.uint32)
        running = [bot for bot in self.bots if isinstance(bot, RunningBot)]
        self._running = running if len(running) == len(self.bots) else []

    @property
    def position(self) -> tuple[NDArray[Any], ...]:
        """The arrays that are a position together with the tables; call `sit_down` after writing them."""
        return self.learner, self._bot_words, self._seat_words

    def sit_down(self, which: Ints) -> None:
        """Let the bots take their seats around `learner` at the tables `which`."""
        self._its_seats[:, which] = self._seats[:, self.learner[which]]

    def clone(self, tables: Tables) -> Self:
        """The same opponents, who remember nothing, in the same position at `tables`."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__, _tables=tables)
        for name in ("learner", "_its_seats", "_bot_words", "_seat_words", "_index"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone(copy.deepcopy(self._tables, memo))

    def __getstate__(self) -> dict[str, Any]:
        """Names are made into bots again: a network cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name not in _MADE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take_seats(self._tables.players)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Set the random state of bots and seating of every table by its seed, as Tables.seed."""
        for g, seed in enumerate(seeds):
            if seed is None and self._seat_words[g].any():
                continue
            entropy = fresh_entropy() if seed is None else checked_seed(seed)
            self._bot_words[g] = [seed_words(entropy, _BOTS, seat) for seat in range(self._tables.players)]
            self._seat_words[g] = seed_words(entropy, _SEATS)

    def close(self) -> None:
        """End the programs that run for bots which were given by name."""
        for bot in self._own:
            close_bot(bot)

    def begin(self, which: Ints, opening: int, starter: int) -> None:
        """Begin episodes at the tables `which` and play on to the learner's first decision there."""
        tables = self._tables
        while len(which):
            for g in which:
                fixed = self.fixed
                self.learner[g] = random_below(self._seat_words[g], tables.players) if fixed is None else fixed
            self.sit_down(which)
            tables.begin(which, opening, starter)
            self.play_on(which)
            which = which[tables.counts[which] == 0]  # over before the learner could move

    def play_on(self, which: Ints) -> None:
        """Let the bots move at the tables `which` until the learner is to move or the episode is over."""
        tables = self._tables
        while True:
            theirs = (tables.counts[which] > 0) & (tables.seats[which] != self.learner[which])
            which = which[theirs]
            if not len(which):
                return
            if self._running:
                for bot, seats in zip(self._running, self._its_seats, strict=True):
                    bot.play_on(tables.games, which, tables.actions, tables.counts, self._bot_words, seats)
                tables.settle(which)
            else:
                self._choose(which)
                tables.play(which)

    def _choose(self, which: Ints) -> None:
        tables = self._tables
        tables.chosen[which] = tables.actions[which, 0]
        open_ = which[tables.counts[which] > 1]
        for bot, seats in zip(self.bots, self._its_seats, strict=True):
            its = open_[seats[open_] >> tables.seats[open_].astype(np.uint32) & 1 != 0]
            if len(its):
                bot.choose(tables.games, its, tables.actions, tables.counts, self._bot_words, self._index)
                tables.chosen[its] = tables.actions[its, self._index[its]]


def _seats_of(key: int, row: Sequence[Bot]) -> list[int]:
    """The seats of the bot with that id as bits, for each seat of the learner; `row`: bots clockwise after it."""
    players = len(row) + 1
    places = [place for place, bot in enumerate(row, 1) if id(bot) == key]
    return [sum(1 << (learner + place) % players for place in places) for learner in range(players)]
