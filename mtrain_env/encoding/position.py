"""A decision as one seat may see it, as a JSON object (format `mtrain-position/1`), and a GAME record made of it.

`write_position` reads a blanked record (engine/determinize.py), so nothing hidden can get in. `read_position` gives the
same bytes back; from programs that know less it also takes an object without the members that have a default, and then
a bot knows less about the other hands. Each member is described in docs/bots.md, the object by the models below.
"""

import functools
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from mtrain_env.encoding.notation import train_text
from mtrain_env.engine.state import (
    ANY,
    CHOOSING,
    FACES,
    MAX_TILES,
    NONE,
    NUMBERS,
)
from mtrain_env.rules import Rules
from mtrain_env.tiles import SPECIAL_KINDS, tile_text

FORMAT: Final = "mtrain-position/1"
TURNS: Final = ("normal", "chain", "opening_tile")
OWES: Final = ("nothing", "anywhere", "may_anywhere", "cover")
DOUBLES: Final = ("laid", "waiting", "asleep")
FACE_NAMES: Final = (*map(str, range(NUMBERS)), *SPECIAL_KINDS)
"""What a tile can show: a number, or its kind."""

Record = Any  # a GAME record: numpy has no better type
Line = dict[str, Any]

SeatNumber = Annotated[int, Field(ge=0, le=15)]
Count = Annotated[int, Field(ge=0, le=255)]
Number = Annotated[int, Field(ge=0, le=NUMBERS - 1)]
Points = Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]
Train = Annotated[str, Field(pattern=r"^(M|P(\d|1[0-5]))$")]
Text = Annotated[str, Field(max_length=8)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Turn(_Part):
    """What has happened in the turn of the acting seat."""

    kind: Literal["normal", "chain", "opening_tile"] = "normal"
    owes: Literal["nothing", "anywhere", "may_anywhere", "cover"] = "nothing"
    laid: Count = 0
    draws: Count = 0
    after_double: bool = False
    drawn: Text | None = None


class Seat(_Part):
    """What everybody knows of one seat."""

    tiles: Count
    marker: bool = False
    cover_marker: bool = False
    had_turn: bool = False
    lacks: dict[Text, Annotated[int, Field(ge=1, le=255)]] = {}
    may_hold: dict[Text, Count] = {}


class TrainEnd(_Part):
    """One train."""

    end: Number | Literal["any"]
    inner: Number | None = None
    length: Count | None = None
    blocked: Literal["draw", "skip"] | None = None


class Double(_Part):
    """One uncovered double."""

    train: Train
    state: Literal["laid", "waiting", "asleep"]


class Event(_Part):
    """One tile that left a hand for all to see, or came into a hand."""

    seat: SeatNumber | None
    tile: Text | None = None
    train: Train | None = None
    out: Number | Literal["any"] = 0
    turned: Count = 0
    since: Count = 0
    drew: bool | Text | None = None
    trade: Annotated[int, Field(ge=0, le=1)] | None = None


class Trade(_Part):
    """One trade of the round (D7)."""

    actor: SeatNumber
    other: SeatNumber
    given: Text | None = None
    taken: Text | None = None
    given_held: bool = False
    taken_held: bool = False


class Position(_Part):
    """The whole object."""

    format: Literal["mtrain-position/1"]
    rules: dict[str, str | int | bool | None]
    seat: SeatNumber
    phase: Literal["playing", "choosing"] = "playing"
    round: Annotated[int, Field(ge=1, le=127)] = 1
    opening: Number | None = None
    starter: SeatNumber | None = None
    hunting_seat: SeatNumber | None = None
    winner: SeatNumber | None = None
    used: list[Number] = []
    totals: list[Points] = []
    derails_gone: Annotated[int, Field(ge=0, le=2)] = 0
    hand: list[Text]
    dealt: list[Text]
    boneyard: Count
    turn: Turn = Turn()
    duty: Train | None = None
    clockwise: bool = True
    idle_passes: Count = 0
    first_out: SeatNumber | None = None
    seats: list[Seat]
    trains: list[TrainEnd]
    doubles: list[Double] = []
    history: list[Event]
    trades: Annotated[list[Trade], Field(max_length=2)] = []


# -- writing


def write_position(s: Record, seat: int, rules: Rules) -> Line:
    """Return the position of the blanked record `s`, in which `seat` is to act under `rules`, as plain values."""
    n = rules.num_players
    choosing = bool(s["phase"] == CHOOSING)
    first = seat * rules.hand_size
    dealt = [] if choosing else s["deck"][first : first + rules.hand_size].tolist()
    doubles = zip(_first(s, "double_train", "double_count"), s["double_state"].tolist(), strict=False)
    return {
        "format": FORMAT,
        "rules": rules_dict(rules),
        "seat": seat,
        "phase": "choosing" if choosing else "playing",
        "round": int(s["round"]),
        **{field: _or_none(int(s[field])) for field in ("opening", "starter", "hunting_seat", "winner")},
        "used": _members(int(s["used_doubles"])),
        "totals": s["totals"][:n].tolist(),
        "derails_gone": int(s["derails_gone"]),
        "hand": hand_of(s, seat),
        "dealt": list(map(tile_text, dealt)),
        "boneyard": int(s["deck_size"]) - int(s["deck_next"]),
        "turn": {
            "kind": TURNS[int(s["turn"])],
            "owes": OWES[int(s["owed"])],
            "laid": int(s["chain_laid"]),
            "draws": int(s["draws"]),
            "after_double": bool(s["last_was_double"]),
            "drawn": _tile_or_none(int(s["last_draw"])),
        },
        "duty": None if s["duty_train"] < 0 else train_text(int(s["duty_train"]), n),
        "clockwise": bool(s["direction"] > 0),
        "idle_passes": int(s["idle_passes"]),
        "first_out": _or_none(int(s["first_out"])),
        "seats": _seats(s, n, choosing),
        "trains": [] if choosing else _trains(s, n),
        "doubles": [{"train": train_text(train, n), "state": DOUBLES[state]} for train, state in doubles],
        "history": history_of(s, seat),
        "trades": [_trade(s, t) for t in range(int(s["trades"]))],
    }


@functools.lru_cache(maxsize=64)
def rules_dict(rules: Rules) -> dict[str, object]:
    """Return every field of the rules; do not change it."""
    return rules.as_dict()


def hand_of(s: Record, seat: int) -> list[str]:
    """Return the tiles in the hand of `seat`, special tiles last."""
    numbered = map(tile_text, np.flatnonzero(s["tile_place"] == seat).tolist())
    kinds = s["special_hand"][seat].tolist()
    return [*numbered, *(name for name, copies in zip(SPECIAL_KINDS, kinds, strict=True) for _ in range(copies))]


def history_of(s: Record, seat: int) -> list[Line]:
    """Return the events of the round in order; what `seat` itself drew is named, what others drew is not.

    Passes are no events: what they show is in the seats' `lacks` and `may_hold`.
    """
    n, drawn = int(s["num_players"]), int(s["num_players"]) * int(s["hand_size"])
    columns = [_first(s, f"laid_{name}", "laid_count") for name in ("tile", "train", "out", "turned", "by", "from")]
    when = _first(s, "laid_gains", "laid_count")
    gains = [_first(s, name, "gains") for name in ("gain_seat", "gain_trade")]
    deck = s["deck"].tolist()
    events: list[Line] = []
    done = 0
    for number, laid in enumerate([*zip(*columns, strict=True), None]):
        until = len(gains[0]) if laid is None else when[number]
        for by, trade in zip(gains[0][done:until], gains[1][done:until], strict=True):
            if trade:
                events.append({"seat": by, "trade": trade - 1})
            else:
                events.append({"seat": by, "drew": tile_text(deck[drawn]) if by == seat else True})
                drawn += 1
        done = until
        if laid is not None:
            events.append(_laid(n, *laid))
    return events


def _laid(n: int, tile: int, train: int, out: int, turned: int, by: int, since: int) -> Line:
    """Return the event of a tile laid or used."""
    event: Line = {"seat": None if by == NONE else by, "tile": tile_text(tile)}
    if train != NONE:
        event["train"] = train_text(train, n)
    if train != NONE or tile < MAX_TILES:
        event["out"] = "any" if out == ANY else out
    if turned:
        event["turned"] = turned
    if since:
        event["since"] = since
    return event


def _seats(s: Record, n: int, choosing: bool) -> list[Line]:
    """Return what everybody knows of each seat; before the deal `may_hold` still has the round before."""
    flags = {name: int(s[field]) for name, field in SEAT_FLAGS.items()}
    tiles = s["hand_count"].tolist()
    lacks, may_hold = s["void_at"].tolist(), s["may_hold"].tolist()
    if choosing:
        may_hold = [[0] * FACES] * n
    return [
        {
            "tiles": tiles[seat],
            **{name: bool(bits >> seat & 1) for name, bits in flags.items()},
            "lacks": {face: at for face, at in zip(FACE_NAMES, lacks[seat], strict=True) if at},
            "may_hold": {
                face: most for face, most in zip(FACE_NAMES, may_hold[seat], strict=True) if most != tiles[seat]
            },
        }
        for seat in range(n)
    ]


SEAT_FLAGS: Final = {"marker": "markers", "cover_marker": "cover_markers", "had_turn": "had_turn"}


def _trains(s: Record, n: int) -> list[Line]:
    ends, inner, lengths = (s[f"train_{name}"].tolist() for name in ("end", "inner", "length"))
    draw, skip = int(s["draw_blockers"]), int(s["skip_blockers"])
    return [
        {
            "train": train_text(train, n),
            "end": "any" if ends[train] == ANY else ends[train],
            "inner": inner[train],
            "length": lengths[train],
            "blocked": "draw" if draw >> train & 1 else "skip" if skip >> train & 1 else None,
        }
        for train in range(n + 1)
    ]


def _trade(s: Record, t: int) -> Line:
    return {
        "actor": int(s["trade_actor"][t]),
        "other": int(s["trade_other"][t]),
        "given": _tile_or_none(int(s["trade_given"][t])),
        "taken": _tile_or_none(int(s["trade_taken"][t])),
        "given_held": bool(s["trade_given_held"][t]),
        "taken_held": bool(s["trade_taken_held"][t]),
    }


def _first(s: Record, field: str, count: str) -> list[int]:
    """Return a list of the record as far as it is filled."""
    found: list[int] = s[field][: int(s[count])].tolist()
    return found


def _members(bits: int) -> list[int]:
    return [k for k in range(NUMBERS) if bits >> k & 1]


def _or_none(value: int) -> int | None:
    return None if value < 0 else value


def _tile_or_none(code: int) -> str | None:
    return None if code == NONE else tile_text(code)
