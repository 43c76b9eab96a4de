"""Deals, and playing them: any bots in any seats, many games in lock-step."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.bot import Bot, Games, Ints, Outsider, tell_result
from mtrain_env.engine.batch import deal
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.state import CHOOSING, NONE, ROUND_OVER, new_record
from mtrain_env.engine.turn import act, begin_round
from mtrain_env.errors import ConfigError
from mtrain_env.evaluation.players import Clock, Incidents, Player
from mtrain_env.rules import Rules

Mode = Literal["round", "game"]
Progress = Callable[[int, int], None]
"""Called with the number of deals played and the number of all deals."""

GAMES_AT_ONCE: Final = 1024


@dataclass(frozen=True)
class Deals:
    """A row of deals: what deal k is depends on the rules, the seed, the mode and k alone, not on who plays it.

    A deal is one round, its opening double drawn from the order and its starter (or hunting seat) at random; in
    the mode `game` it is a whole game with all its rounds.
    """

    rules: Rules
    count: int
    seed: int = 0
    mode: Mode = "round"
    first: int = 0

    def __post_init__(self) -> None:
        if self.count < 2:
            raise ConfigError(f"At least 2 deals are needed, as one alone has no interval; got {self.count}.")
        for what, number in (("seed", self.seed), ("number of the first deal", self.first)):
            if number < 0:
                raise ConfigError(f"The {what} must not be negative, got {number}.")

    @property
    def name(self) -> str:
        """A hash of all that makes these deals: results on deals of one name can be compared deal by deal."""
        what = [self.rules.as_dict(), self.mode, self.seed, self.first, self.count]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def rounds(self) -> int:
        """Rounds in a deal."""
        return self.rules.rounds_in_game if self.mode == "game" else 1

    def words(self, k: int) -> NDArray[np.uint64]:
        """Return the random words of deal k, (1 + seats + rounds, 2): of its draw, of the bots, of its rounds.

        Each round has its own, so that a round's deal does not depend on how an earlier one was played.
        """
        rows = 1 + self.rules.num_players + self.rounds
        words = np.random.SeedSequence((self.seed, self.first + k)).generate_state(2 * rows, np.uint64)
        return words.reshape(rows, 2) | np.uint64(1)

    def begin(self, games: Games, i: int, words: NDArray[np.uint64]) -> None:
        """Begin the undealt game `i` as the deal with these words."""
        opening = first = -1
        if self.mode == "round":
            numbers = self.rules.order_numbers[: self.rules.rounds_in_game]
            draw = words[0].copy()
            opening = numbers[random_below(draw, len(numbers))]
            first = random_below(draw, self.rules.num_players)
            if self.rules.opening_order == "random":
                opening = -1  # the hunt finds one
        games[i]["rng"] = words[1 + self.rules.num_players]
        deal(games, i, opening, first)

    def begun(self, first: int, last: int) -> tuple[Games, NDArray[np.uint64]]:
        """Return the games of the deals first..last-1 as they begin, and the words of each."""
        games = np.repeat(new_record(self.rules), last - first)
        words = np.array([self.words(k) for k in range(first, last)])
        for i in range(last - first):
            self.begin(games, i, words[i])
        return games, words

    def starters(self) -> NDArray[np.int64]:
        """Return by deal the seat that starts its (first) round, be it by laying or naming the opening double."""
        games, _ = self.begun(0, self.count)
        return np.where(games["phase"] == CHOOSING, games["seat"], games["starter"]).astype(np.int64)


@jit
def _next_choice(s: np.void, actions: NDArray[np.int16], round_words: NDArray[np.uint64], rounds: int) -> int:
    """Go on to the next decision with a choice; write its legal ids, and return their number, 0 at the end."""
    while True:
        if s["phase"] == ROUND_OVER and s["round"] < rounds:
            words = round_words[int64(s["round"])]
            s["rng"][0] = words[0]
            s["rng"][1] = words[1]
            begin_round(s, -1, -1)
        count = legal_actions(s, actions)
        if count != 1:
            return count
        act(s, int64(actions[0]), NONE)


@jit
def _first_choices(games: Games, actions: Ints, counts: Ints, round_words: NDArray[np.uint64], rounds: int) -> None:
    """_next_choice for all games."""
    for g in range(games.shape[0]):
        counts[g] = _next_choice(games[g], actions[g], round_words[g], rounds)


@jit
def _carry_out(
    games: Games,
    which: Ints,
    chosen: Ints,
    actions: Ints,
    counts: Ints,
    round_words: NDArray[np.uint64],
    rounds: int,
) -> None:
    """Carry out `actions[g, chosen[g]]` in the games `which`, and go on to their next choices."""
    for k in range(which.shape[0]):
        g = which[k]
        act(games[g], int64(actions[g, chosen[g]]), NONE)
        counts[g] = _next_choice(games[g], actions[g], round_words[g], rounds)


@dataclass(frozen=True)
class Played:
    """The outcome of deals: points by deal, seating and seat, and a clock and the incidents of each bot."""

    points: NDArray[np.int64]
    clocks: tuple[Clock, ...]
    incidents: tuple[Incidents, ...]


def play(
    bots: Sequence[Bot],
    seatings: Sequence[Sequence[int]],
    deals: Deals,
    *,
    progress: Progress | None = None,
    games_at_once: int = GAMES_AT_ONCE,
) -> Played:
    """Play every deal once in every seating: `seatings[j][seat]` is the index of the bot that sits there.

    Bots are asked only where they have a choice; where one fails, players.py says what is played. The outcome does
    not depend on `games_at_once`.
    """
    players = [Player(bot) for bot in bots]
    places = np.array(seatings, np.int64)
    points = np.zeros((deals.count, *places.shape), np.int64)
    step = max(1, games_at_once // len(places))
    for first in range(0, deals.count, step):
        last = min(first + step, deals.count)
        points[first:last] = _play_together(players, places, deals, first, last)
        if progress is not None:
            progress(last, deals.count)
    clocks, incidents = (player.clock for player in players), (dict(player.incidents) for player in players)
    return Played(points, tuple(clocks), tuple(incidents))


def _play_together(players: Sequence[Player], places: Ints, deals: Deals, first: int, last: int) -> NDArray[np.int64]:
    """Play the deals first..last-1 in lock-step; return the points by deal, seating and seat."""
    count, (copies, seats) = last - first, places.shape
    dealt, words = deals.begun(first, last)
    games = np.repeat(dealt, copies)
    words = np.repeat(words, copies, axis=0)
    rngs, round_words = words[:, 1 : 1 + seats].copy(), words[:, 1 + seats :].copy()
    bot_at = np.tile(places, (count, 1))
    actions = np.zeros((len(games), games[0]["num_actions"]), np.int16)
    counts = np.zeros(len(games), np.int32)
    chosen = np.zeros(len(games), np.int64)
    _first_choices(games, actions, counts, round_words, deals.rounds)
    active = np.flatnonzero(counts)
    while len(active):
        acting = bot_at[active, games["seat"][active]]
        for b, player in enumerate(players):
            which = active[acting == b]
            if len(which):
                player.choose(games, which, actions, counts, rngs, chosen)
        _carry_out(games, active, chosen, actions, counts, round_words, deals.rounds)
        active = active[counts[active] > 0]
    totals = games["totals"][:, :seats]
    if any(isinstance(player.bot, Outsider) for player in players):
        for row, pips, points in zip(bot_at, games["pips"][:, :seats], totals, strict=True):
            tell_result([players[b].bot for b in row], pips, points, over=deals.mode == "game")
    return totals.reshape(count, copies, seats).astype(np.int64)
