"""Stepping through a record: every position of it with all hands, and what a chosen bot would have played there."""

import bisect
import copy
import secrets
from typing import Any

import numpy as np

from mtrain_env.bot import Bot, Games, View, view_of
from mtrain_env.bots.flat import FlatLearned
from mtrain_env.bots.learned import Learned, write_rows
from mtrain_env.bots.networks import Floats
from mtrain_env.bots.reasons import Explaining, Reason, Reasons, as_batch
from mtrain_env.bots.search import PIPS
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from mtrain_env.encoding.notation import parse_action
from mtrain_env.encoding.record import Line
from mtrain_env.engine import batch
from mtrain_env.engine.state import CHOOSING, NONE
from mtrain_env.errors import RecordError
from mtrain_env.game import Game
from mtrain_env.play import log
from mtrain_env.play.frames import private, revealed, status, table
from mtrain_env.play.setups import title_of
from mtrain_env.replay import follow
from mtrain_env.tiles import parse_tile

_KEPT_EVERY = 32
"""Positions from one that is kept whole to the next: 5 kB each, and a long game has 20 thousand."""

_REASONS = 8
"""Actions whose numbers are shown."""


class Replay:
    """One finished game of a record, position by position; RecordError with the line number if it does not hold."""

    def __init__(self, lines: list[Line], which: int = 0) -> None:
        """Read all games of the record and keep that with the number `which`, from 0 on."""
        self.id = secrets.token_urlsafe(9)
        self.which = which
        self.games = 0
        self._told: list[list[str]] = []
        self._moves: list[tuple[int, int]] = []  # action and tile taken that led to each position, none after a deal
        self._kept_at: list[int] = []
        self._kept: list[Games] = []
        self._starts: list[int] = []
        self._choice = NONE
        for line, game in follow(lines):
            self.games += "format" in line
            if self.games - 1 == which:
                self._take(line, game)
        if not self._told:
            raise RecordError(f"The record holds {self.games} games; there is none with the number {which + 1}.")

    @property
    def steps(self) -> int:
        """How many positions there are."""
        return len(self._told)

    def _take(self, line: Line, game: Game) -> None:
        """Keep the position to which a line led, if it led to one."""
        s = game.state
        if "format" in line:
            self.game, self.rules, self._layout = game, game.rules, game.layout
            self._before = batch.copy_games(game.games)[0]
            self.names = [f"P{seat}" for seat in range(game.rules.num_players)]
        elif "choose" in line:
            self._starts.append(self.steps)
            self._keep(game, log.of_deal(s, self.names))
            self._choice = parse_action(self._layout, s, f"choose {line['choose']}")
        elif "deal" in line:
            told = log.of_deal(s, self.names)
            if self._before["phase"] == CHOOSING:
                told = log.of_action(self._layout, self._before, self._choice, s, self.names)
            else:
                self._starts.append(self.steps)
            self._keep(game, told)
        elif "do" in line:
            action = parse_action(self._layout, self._before, line["do"])
            taken = parse_tile(line["took"]) if "took" in line else NONE
            self._keep(game, log.of_action(self._layout, self._before, action, s, self.names), (action, taken))

    def _keep(self, game: Game, told: list[log.Entry], move: tuple[int, int] | None = None) -> None:
        """Note a position: how it came about (None: not by a move), and every so often the position itself."""
        after = batch.copy_games(game.games)
        if move is None or self.steps - self._kept_at[-1] >= _KEPT_EVERY:
            self._kept_at.append(self.steps)
            self._kept.append(after)
        self._before = after[0]
        self._moves.append(move or (NONE, NONE))
        self._told.append([entry.text for entry in told])

    def summary(self) -> dict[str, Any]:
        """Return what the page is told about the whole record."""
        return {
            "replay": self.id,
            "games": self.games,
            "game": self.which,
            "steps": self.steps,
            "names": self.names,
            "bots": [name[:40] for name in self.game.bots[: len(self.names)]],
            "title": title_of(self.rules),
            "rounds": self._starts,
        }

    def position(self, step: int) -> dict[str, Any]:
        """Return a position with all hands."""
        game = self.at(step)
        s, seat = game.state, game.seat
        own: dict[str, Any] = {"seat": None, "hand": None, "drawn": None, "moves": []}
        if seat is not None:
            own = private(game.layout, s, seat, game.legal_ids(), self.names)
        follows = step + 1 < self.steps and seat is not None
        return {
            "step": step,
            **table(s, self.names),
            **own,
            "hands": [game.hand(other) for other in range(len(self.names))],
            "status": status(s, seat, own["moves"], self.names),
            "summary": revealed(game, self.names),
            "told": self._told[step],
            "played": self._told[step + 1][0] if follows else None,
        }

    def at(self, step: int) -> Game:
        """Return the game in a position, for looking only: its record is that of the whole game."""
        k = bisect.bisect_right(self._kept_at, step) - 1
        games = batch.copy_games(self._kept[k])
        for action, taken in self._moves[self._kept_at[k] + 1 : step + 1]:
            batch.step(games, 0, action, taken)
        game = copy.copy(self.game)
        game.games = games
        return game


def advice(replay: Replay, step: int, bot: Bot) -> dict[str, Any] | None:
    """Return what a bot would play in a position, and why, if it is one that can tell; None if nobody is to play."""
    game = replay.at(step)
    seat, legal = game.seat, game.legal_ids()
    if seat is None:
        return None
    view = view_of(game.games, 0, seat, np.array(legal, np.int16))
    rng = np.random.default_rng([step, 1])
    labels = [move["label"] for move in private(game.layout, view.game[0], seat, legal, replay.names)["moves"]]
    reasons = _reasons(bot, view, rng)
    if reasons is None:
        (chosen,) = bot.act([view], rng)
        return {"choice": labels[int(chosen)], "why": None}
    rows = [
        {"move": labels[one.index], "chance": one.chance, "pips": one.pips, "error": one.error}
        for one in reasons.weighed[:_REASONS]
    ]
    return {"choice": labels[reasons.chosen], "why": {"pips": reasons.pips_are, "rows": rows}}


def _reasons(bot: Bot, view: View, rng: np.random.Generator) -> Reasons | None:
    """Return the choice and reasons of a bot that has some."""
    if isinstance(bot, Explaining):
        return bot.explain(view, rng)
    if not isinstance(bot, Learned | FlatLearned):
        return None
    games, which, actions, counts, rngs = as_batch(view, rng)
    chosen = np.zeros(1, np.int64)
    bot.choose(games, which, actions, counts, rngs, chosen)
    if isinstance(bot, FlatLearned):
        (score,), _ = bot.network(*bot.seen(games, which, actions, counts))
        return _of_scores(int(chosen[0]), score[view.legal], None)
    rows = np.empty((len(view.legal), CAND_WIDTH), np.float32)
    write_rows(games, which, actions, counts, bot.node_cap, new_scratch(), rows)
    score, value = bot.network(rows)
    return _of_scores(int(chosen[0]), score, value[:, 0])


def _of_scores(chosen: int, score: Floats, value: Floats | None) -> Reasons:
    """Return the probabilities of a network's policy, and how many pips it expects after each move, if it says so."""
    odds = np.exp(score.astype(np.float64) - score.max())
    odds /= odds.sum()
    weighed = [
        Reason(k, float(odds[k]), None if value is None else PIPS * float(value[k]), None)
        for k in map(int, np.argsort(-score, kind="stable"))
    ]
    return Reasons(chosen, "what it expects to be left with at the end of the round", weighed)
