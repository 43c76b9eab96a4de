"""Stepping through a record: every position of it with all hands, and what a chosen bot would have played there."""

import copy
import secrets
from typing import Any

import numpy as np

from mtrain_env.bot import Bot, view_of
from mtrain_env.bots.learned import Learned, write_rows
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from mtrain_env.encoding.record import FORMAT, Line
from mtrain_env.engine import batch
from mtrain_env.engine.state import NONE
from mtrain_env.errors import MtrainError, RecordError
from mtrain_env.game import Game
from mtrain_env.play import log
from mtrain_env.play.frames import private, revealed, status, table
from mtrain_env.play.setups import title_of
from mtrain_env.rules import Rules

_KEPT_EVERY = 32
"""Positions from one that is kept whole to the next: 10 kB each, and a long game has 20 thousand."""


class Replay:
    """A finished game, position by position; RecordError with the line number if the record does not hold."""

    def __init__(self, lines: list[Line]) -> None:
        if not lines or lines[0].get("format") != FORMAT:
            raise RecordError(f"Line 1 of the record must be its header, with format {FORMAT!r}.")
        self.id = secrets.token_urlsafe(9)
        self.number = 1
        try:
            self.rules = Rules.of(lines[0].get("rules", {}))
            bots = lines[0].get("bots") or []
            self.names = [_name(seat, bots) for seat in range(self.rules.num_players)]
            self.game = Game(self.rules, int(lines[0].get("seed", 0)))
            self._told: list[list[str]] = []
            self._moves: list[int | None] = []
            self._kept: list[np.ndarray[Any, Any]] = []
            self._starts = [0]
            self._play(lines)
        except RecordError:
            raise
        except (MtrainError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise RecordError(f"Line {self.number} of the record does not hold: {error}") from None

    @property
    def steps(self) -> int:
        """How many positions there are."""
        return len(self._told)

    def _play(self, lines: list[Line]) -> None:
        """Play the record as the seed deals it, and compare what it says line by line."""
        game = self.game
        self._keep(None, log.of_deal(game.state, self.names))
        history = 0
        for self.number, line in enumerate(lines[1:], 2):
            if ("round" in line or "choose" in line) and game.round_over:
                game.next_round()
                self._starts.append(self.steps)
                self._keep(None, log.of_deal(game.state, self.names))
            if "do" in line or "choose" in line:
                if game.seat != line["seat"]:
                    raise RecordError(f"Line {self.number} of the record does not hold: seat {game.seat} is to act.")
                self._act(line)
            if "stopped" in line:
                game.stop(str(line["stopped"]))
            if line.get("event") == "incident":
                continue
            written = game.history[history] if history < len(game.history) else None
            if written != {key: value for key, value in line.items() if key != "legal"}:
                raise RecordError(f"Line {self.number} of the record does not hold: the game gives {written}.")
            history += 1

    def _act(self, line: Line) -> None:
        before = self.game.games.copy()[0]
        action = self.game.verify(line.get("do") or f"choose {line['choose']}")
        self.game.act(action)  # what a trade takes follows from the seed too
        told = log.of_action(self.game.layout, before, action, self.game.state, self.names)
        self._keep(action, told)

    def _keep(self, move: int | None, told: list[log.Entry]) -> None:
        """Note a position: how it came about (None: by a deal), and every so often the position itself."""
        if self.steps % _KEPT_EVERY == 0:
            self._kept.append(self.game.games.copy())
        self._moves.append(move)
        self._told.append([entry.text for entry in told])

    def summary(self) -> dict[str, Any]:
        """Return what the page is told about the whole record."""
        return {
            "replay": self.id,
            "steps": self.steps,
            "names": self.names,
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
        games = self._kept[step // _KEPT_EVERY].copy()
        for move in self._moves[step // _KEPT_EVERY * _KEPT_EVERY + 1 : step + 1]:
            if move is None:
                batch.deal(games, 0, -1, -1)
            else:
                batch.step(games, 0, move, NONE)
        game = copy.copy(self.game)
        game.games = games
        return game


def _name(seat: int, bots: list[Any]) -> str:
    what = str(bots[seat])[:40] if seat < len(bots) else ""
    return f"P{seat} ({what})" if what else f"P{seat}"


def advice(replay: Replay, step: int, bot: Bot) -> dict[str, Any] | None:
    """Return what a bot would play in a position, and why: a learned one's probabilities and expected pips."""
    game = replay.at(step)
    seat, legal = game.seat, game.legal_ids()
    if seat is None:
        return None
    view = view_of(game.games, 0, seat, np.array(legal, np.int16))
    (chosen,) = bot.act([view], np.random.default_rng([step, 1]))
    texts = {
        move["id"]: move["label"] for move in private(game.layout, view.game[0], seat, legal, replay.names)["moves"]
    }
    return {"choice": texts[legal[int(chosen)]], "why": _why(bot, view.game, legal, texts)}


def _why(bot: Bot, games: Any, legal: list[int], texts: dict[int, str]) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the numbers behind a choice, best first; none for a bot that has none to give."""
    if not isinstance(bot, Learned):
        return []
    ids = np.array([legal], np.int16)
    rows = np.zeros((len(legal), CAND_WIDTH), np.float32)
    counts = np.array([len(legal)], np.int32)
    write_rows(games, np.array([0]), ids, counts, bot.node_cap, new_scratch(), rows)
    score, value = bot.network(rows)
    odds = np.exp(score - score.max())
    odds /= odds.sum()
    order = np.argsort(-odds, kind="stable")[:8]
    return [
        {"move": texts[legal[k]], "chance": round(float(odds[k]), 4), "pips": round(100 * float(value[k, 0]), 1)}
        for k in map(int, order)
    ]
