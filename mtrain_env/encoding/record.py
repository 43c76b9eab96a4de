"""Records of games: JSON Lines, one object a line, format mtrain-record/1 (DESIGN.md section 7)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtrain_env.engine.state import BLOCKED
from mtrain_env.errors import RecordError
from mtrain_env.rules import Rules
from mtrain_env.tiles import MAX_TILES, tile_text

FORMAT = "mtrain-record/1"
VIEW_FORMAT = "mtrain-view/1"

Line = dict[str, Any]
Gains = Mapping[int, Sequence[str]]
"""Tiles that came into hands with a line: seat -> texts."""


def deal_line(rules: Rules, s: Any) -> Line:
    """The line of a round just dealt: hands before the hunt in dealt order, boneyard in draw order before the hunt."""
    n, size = rules.num_players, rules.hand_size
    deck = [tile_text(int(code)) for code in s["deck"][: int(s["deck_size"])]]
    hunting = int(s["hunting_seat"])
    return {
        "round": int(s["round"]),
        "opening": int(s["opening"]),
        "hunting_seat": None if rules.opening_source == "set_out" else hunting,
        "starter": int(s["starter"]),
        "deal": [deck[seat * size : (seat + 1) * size] for seat in range(n)],
        "boneyard": deck[n * size :],
    }


def event_lines(before: Any | None, after: Any) -> list[Line]:
    """R25: who has just been left with one tile; `before` is None when the round was dealt."""
    seats = range(int(after["num_players"]))
    return [
        {"event": "last_tile", "seat": seat}
        for seat in seats
        if after["hand_count"][seat] == 1 and (before is None or before["hand_count"][seat] != 1)
    ]


def round_line(s: Any) -> Line:
    """The line of a finished round: how it ended, and the points (R22, R23)."""
    n = int(s["num_players"])
    return {
        "end": "blocked" if s["round_end"] == BLOCKED else "out",
        "winner": None if s["winner"] < 0 else int(s["winner"]),
        "pips": [int(x) for x in s["pips"][:n]],
        "totals": [int(x) for x in s["totals"][:n]],
    }


def gained(before: Any, after: Any) -> dict[int, list[str]]:
    """The tiles that came into each hand between two states of one round."""
    found: dict[int, list[str]] = {}
    n = int(after["num_players"])
    for tile in (before["tile_place"] != after["tile_place"]).nonzero()[0]:
        seat = int(after["tile_place"][tile])
        if seat < n:
            found.setdefault(seat, []).append(tile_text(int(tile)))
    for seat, kind in zip(*(after["special_hand"] > before["special_hand"]).nonzero(), strict=True):
        found.setdefault(int(seat), []).append(tile_text(MAX_TILES + int(kind)))
    return found


def view_lines(lines: Iterable[Line], gains: Iterable[Gains], seat: int) -> list[Line]:
    """What `seat` saw of the lines: its own deal as "hand", tiles it got as "got", traded tiles if it took part."""
    seen = []
    for line, got in zip(lines, gains, strict=True):
        if "deal" in line:
            line = {key: value for key, value in line.items() if key not in ("deal", "boneyard")} | {
                "hand": line["deal"][seat]
            }
        elif "took" in line and seat != line["seat"] and seat not in got:
            line = {"seat": line["seat"], "do": " ".join(line["do"].split()[:2])}
        if got.get(seat):
            line = line | {"got": list(got[seat])}
        seen.append(line)
    return seen


def dumps(lines: Iterable[Line]) -> str:
    """The text of a record: one compact JSON object a line."""
    return "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)


def loads(text: str) -> list[Line]:
    """The lines of a record's text; RecordError with the line number if one is no JSON object."""
    lines = []
    for number, row in enumerate(text.splitlines(), 1):
        try:
            line = json.loads(row)
        except json.JSONDecodeError as error:
            raise RecordError(f"Line {number} of the record is no JSON: {error.msg}.") from None
        except (ValueError, RecursionError):  # numbers of thousands of digits, brackets thousands deep
            raise RecordError(f"Line {number} of the record is no line of a game.") from None
        if not isinstance(line, dict):
            raise RecordError(f"Line {number} of the record must be an object, got {row[:40]!r}.")
        lines.append(line)
    return lines


def read_record(path: Path) -> list[Line]:
    """The lines of the record in a file; RecordError if it cannot be read."""
    try:
        return loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"The record {path} cannot be read: {error}.") from None
