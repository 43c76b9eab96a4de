"""Replay an mtrain-record/1 (shared/DESIGN.md section 7) and compare everything that it states."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .game import ReferenceGame
from .tiles import ReferenceMismatch

FORMAT = "mtrain-record/1"
Line = dict[str, Any]


def replay(lines: Iterable[str | Line]) -> ReferenceGame:
    """The game at the end of a complete record; ReferenceMismatch says in which line what differed."""
    reader = _Reader()
    number = 0
    for number, raw in enumerate(lines, start=1):
        if isinstance(raw, str) and not raw.strip():
            continue
        try:
            reader.read(_as_object(raw))
        except ReferenceMismatch as problem:
            raise ReferenceMismatch(f"line {number}: {problem}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise ReferenceMismatch(f"line {number}: damaged ({problem!r})") from problem
    if reader.game is None or not reader.finished:
        raise ReferenceMismatch(f"line {number}: the record ends before the winners are named")
    return reader.game


def _as_object(raw: str | Line) -> Line:
    line = json.loads(raw) if isinstance(raw, str) else raw
    if not isinstance(line, dict):
        raise ReferenceMismatch("this is no JSON object")
    return line


class _Reader:
    """Reads one line after the other."""

    def __init__(self) -> None:
        self.game: ReferenceGame | None = None
        self.result_due = False
        self.finished = False

    def read(self, line: Line) -> None:
        """One line of any kind, in its place."""
        if "event" in line:
            return
        if self.game is None:
            if line.get("format") != FORMAT:
                raise ReferenceMismatch(f"the format is {line.get('format')!r}, not {FORMAT!r}")
            self.game = ReferenceGame(line["rules"])
            return
        if self.finished:
            raise ReferenceMismatch("a line follows after the winners")
        if self.result_due and "end" not in line:
            raise ReferenceMismatch("the round is over, but its result is missing")
        self._dispatch(self.game, line)

    def _dispatch(self, game: ReferenceGame, line: Line) -> None:
        if "do" in line:
            self._do(game, line)
        elif "choose" in line:
            self._legal(game, line)
            game.choose(line["seat"], line["choose"])
        elif "round" in line:
            if line["round"] != game.round_number + 1:
                raise ReferenceMismatch(f"round {line['round']} after {game.round_number} rounds")
            game.start_round(
                line["opening"],
                line["hunting_seat"],
                line["starter"],
                line["deal"],
                line["boneyard"],
            )
        elif "end" in line:
            self._result(game, line)
        elif "stopped" in line:
            game.stop()
        elif "winners" in line:
            if game.phase != "over":
                raise ReferenceMismatch("winners are named, but the game is not over")
            _same("winners", line["winners"], game.winners)
            _same("totals", line["totals"], game.totals)
            self.finished = True
        else:
            raise ReferenceMismatch(f"a line of unknown kind: {sorted(line)}")

    def _do(self, game: ReferenceGame, line: Line) -> None:
        if game.phase != "play":
            raise ReferenceMismatch(f"{line['do']!r}, but no round is being played")
        _same("seat", line["seat"], game.actor)
        self._legal(game, line)
        game.do(line["do"], line.get("took"))
        self.result_due = game.phase != "play"

    def _legal(self, game: ReferenceGame, line: Line) -> None:
        if "legal" not in line or line["legal"] is None:
            return
        given, expected = sorted(line["legal"]), game.legal()
        if given != expected:
            missing = [text for text in expected if text not in given]
            extra = [text for text in given if text not in expected]
            raise ReferenceMismatch(
                f"legal actions differ for seat {game.actor}: missing {missing}, extra {extra}, "
                f"{len(given)} given, {len(expected)} expected"
            )

    def _result(self, game: ReferenceGame, line: Line) -> None:
        result = game.round_result
        if result is None or not self.result_due:
            raise ReferenceMismatch("a result is given, but no round has just ended")
        for what in ("end", "winner", "pips", "totals"):
            _same(what, line[what], result[what])
        if "hands" in line:
            _same("hands", [sorted(hand) for hand in line["hands"]], game.hands)
        self.result_due = False


def _same(what: str, given: object, expected: object) -> None:
    if given != expected:
        raise ReferenceMismatch(f"{what}: {given!r} in the record, {expected!r} by the rules")
