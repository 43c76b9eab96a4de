"""Matches: one seat of a bot among copies of another, in every seat, on the same deals."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Bot
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import GAMES_AT_ONCE, Deals, Mode, Progress, play
from mtrain_env.evaluation.statistics import Interval, bootstrap, deals_needed
from mtrain_env.rules import Rules

Values = NDArray[np.float64]


@dataclass(frozen=True)
class MatchResult:
    """A bot in one seat among copies of another; the arrays have one value a deal, the mean over A's seats."""

    bot: str
    others: str
    deals: Deals
    own: Values
    """Pips per round of the bot."""
    other: Values
    """Pips per round of the others, on average."""
    won: Values
    """Share of rounds (or games) with the fewest pips, a shared win counting its part."""
    microseconds: float
    """Time of the bot per decision."""

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
    return match_result(bot.name, others.name, row, played.points, played.clocks[0].microseconds)


def rotations(seats: int) -> list[list[int]]:
    """Return the seatings of bot 0 among copies of bot 1, once in each seat."""
    return [[int(seat != mine) for seat in range(seats)] for mine in range(seats)]


def match_result(bot: str, others: str, deals: Deals, points: NDArray[np.int64], microseconds: float) -> MatchResult:
    """Return the result of a match from the points by deal, seat of the bot (`rotations`) and seat."""
    own = np.diagonal(points, axis1=1, axis2=2)
    other = (points.sum(axis=2) - own) / (deals.rules.num_players - 1)
    best = points == points.min(axis=2, keepdims=True)
    won = np.diagonal(best / best.sum(axis=2, keepdims=True), axis1=1, axis2=2)
    return MatchResult(
        bot=bot,
        others=others,
        deals=deals,
        own=own.mean(axis=1) / deals.rounds,
        other=other.mean(axis=1) / deals.rounds,
        won=won.mean(axis=1),
        microseconds=microseconds,
    )


def paired_difference(a: MatchResult, b: MatchResult) -> Interval:
    """Return how many pips fewer (below zero) or more `a` leaves than `b` does, against the same others and deals."""
    if (a.deals, a.others) != (b.deals, b.others):
        raise BotError("Only matches on the same deals against the same others can be compared deal by deal.")
    return bootstrap((a.own - a.other) - (b.own - b.other))
