"""Matches: one seat of a bot among copies of another, in every seat, on the same deals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Bot
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import GAMES_AT_ONCE, Deals, Mode, Progress, play
from mtrain_env.evaluation.players import Incidents, by_name
from mtrain_env.evaluation.statistics import Interval, bootstrap, deals_needed
from mtrain_env.rules import Rules

Values = NDArray[np.float64]


@dataclass(frozen=True)
class MatchResult:
    """A bot in one seat among copies of another; the arrays have one value a deal, the mean over the bot's seats."""

    bot: str
    others: str
    deals: Deals
    own: Values
    """Pips per round of the bot."""
    other: Values
    """Pips per round of the others, on average."""
    won: Values
    """Share of rounds (or games) with the fewest pips, a shared win counting its part."""
    by_place: Values
    """Pips per round, the bot's minus the others', by deal and by how many seats after the starter the bot sits."""
    microseconds: float
    """Time of the bot per decision."""
    incidents: Mapping[str, Incidents] = field(default_factory=dict)
    """By bot, those that failed."""

    @cached_property
    def pips_difference(self) -> Interval:
        """Pips per round, the bot's minus the others': below zero is better."""
        return bootstrap(self.own - self.other)

    @cached_property
    def pips(self) -> Interval:
        """Pips per round of the bot."""
        return bootstrap(self.own)

    @cached_property
    def rounds_won(self) -> Interval:
        """Share of rounds won, or of games in the mode `game`; equal bots have `fair_share`."""
        return bootstrap(self.won)

    @cached_property
    def places(self) -> tuple[Interval, ...]:
        """As pips_difference, by how many seats after the starter the bot sits."""
        return tuple(bootstrap(column) for column in self.by_place.T)

    @property
    def fair_share(self) -> float:
        """What each seat would win among equals."""
        return 1 / self.deals.rules.num_players

    def deals_for(self, difference: float) -> int:
        """Return how many deals show a difference of so many pips with 80% power (two-sided, 95%)."""
        return deals_needed(float(np.std(self.own - self.other, ddof=1)), difference)


def match(
    bot: Bot,
    others: Bot,
    rules: Rules,
    deals: int,
    seed: int = 0,
    mode: Mode = "round",
    *,
    first: int = 0,
    progress: Progress | None = None,
    games_at_once: int = GAMES_AT_ONCE,
) -> MatchResult:
    """Play one seat of `bot` among `others`, every deal once in each seat for `bot`.

    The deals are numbers `first` to `first + deals - 1` of `seed`.
    """
    row = Deals(rules, deals, seed, mode, first)
    played = play([bot, others], rotations(rules.num_players), row, progress=progress, games_at_once=games_at_once)
    names = (bot.name, others.name)
    incidents = by_name([(names, played.incidents)])
    return match_result(names, row, played.points, played.clocks[0].microseconds, incidents)


def rotations(seats: int) -> list[list[int]]:
    """Return the seatings of bot 0 among copies of bot 1, once in each seat."""
    return [[int(seat != mine) for seat in range(seats)] for mine in range(seats)]


def match_result(
    names: tuple[str, str],
    deals: Deals,
    points: NDArray[np.int64],
    microseconds: float,
    incidents: Mapping[str, Incidents] | None = None,
) -> MatchResult:
    """Return the result of a match from the points by deal, seat of the bot (`rotations`) and seat.

    `names` are those of the bot and of the others.
    """
    seats = deals.rules.num_players
    own = np.diagonal(points, axis1=1, axis2=2)
    other = (points.sum(axis=2) - own) / (seats - 1)
    best = points == points.min(axis=2, keepdims=True)
    won = np.diagonal(best / best.sum(axis=2, keepdims=True), axis1=1, axis2=2)
    in_order = (deals.starters()[:, None] + np.arange(seats)) % seats
    return MatchResult(
        bot=names[0],
        others=names[1],
        deals=deals,
        own=own.mean(axis=1) / deals.rounds,
        other=other.mean(axis=1) / deals.rounds,
        won=won.mean(axis=1),
        by_place=np.take_along_axis(own - other, in_order, axis=1) / deals.rounds,
        microseconds=microseconds,
        incidents=incidents or {},
    )


def paired_difference(a: MatchResult, b: MatchResult) -> Interval:
    """Return how many pips fewer (below zero) or more `a` leaves than `b` does, against the same others and deals."""
    if (a.deals, a.others) != (b.deals, b.others):
        raise BotError("Only matches on the same deals against the same others can be compared deal by deal.")
    return bootstrap((a.own - a.other) - (b.own - b.other))
