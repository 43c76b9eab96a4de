"""What happened, in sentences: one text for everybody, and for the seats that know more their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtrain_env.encoding.actions import ActionLayout, Move
from mtrain_env.engine.state import ANY, BLOCKED, CHOOSING, GAME_OVER, NONE, ROUND_OVER
from mtrain_env.play.words import SPECIAL_NAMES, count, have, possessive, sentence, tile_name, train_name
from mtrain_env.tiles import tile_text

Record = Any  # a GAME record: numpy has no better type

_SPECIAL_BLOCKS = {
    "draw_on": "draw",
    "skip_on": "skip",
    "reverse": "reverse",
    "twist": "twist",
    "derail": "derail",
    "trade_out": "trade",
}


@dataclass(frozen=True)
class Entry:
    """One thing that happened; `private` has the texts of the seats that know more than the others."""

    text: str
    private: Mapping[int, str] = field(default_factory=dict)

    def for_seat(self, seat: int | None) -> str:
        """Return what `seat` is told; None is somebody who sees only the table."""
        return self.text if seat is None else self.private.get(seat, self.text)


def of_action(layout: ActionLayout, before: Record, action: int, after: Record, names: Sequence[str]) -> list[Entry]:
    """Return what is told about one action and what followed from it."""
    seat = int(before["seat"])
    move = layout.decode(action)
    told = [_action(before, seat, move, after, names)]
    if before["phase"] == CHOOSING:
        return [*told, *of_deal(after, names)]
    told += _markers(before, after, names)
    told += _blockers(before, after, seat, move, names)
    told += _duty(before, after, names)
    told += [
        Entry(f"{names[other]} {have(names[other])} one tile left!")
        for other in range(len(names))
        if after["hand_count"][other] == 1 and before["hand_count"][other] != 1
    ]
    return told + _end(after, names)


def of_deal(s: Record, names: Sequence[str]) -> list[Entry]:
    """Return what is told when a round has been dealt."""
    if s["phase"] == CHOOSING:
        return [
            Entry(
                f"{names[int(s['seat'])]} {_chooses(names[int(s['seat'])])} the opening double of round {s['round']}."
            )
        ]
    starter = names[int(s["starter"])]
    told = [Entry(f"Round {s['round']}: the opening double is {s['opening']}-{s['opening']}.")]
    if s["hunting_seat"] < 0:
        return [*told, Entry(f"{starter} {'start' if starter == 'You' else 'starts'}.")]
    drawn = int(s["gains"])
    hunt = f", after {count(drawn, 'tile')} drawn in search of it" if drawn else ""
    return [*told, Entry(f"{starter} laid the opening double{hunt}.")]


def _chooses(name: str) -> str:
    return "choose" if name == "You" else "chooses"


def _action(before: Record, seat: int, move: Move, after: Record, names: Sequence[str]) -> Entry:
    name = names[seat]
    n = len(names)
    match move.block:
        case "draw":
            drawn = int(after["last_draw"])
            private = {} if drawn == NONE else {seat: f"{name} drew {tile_name(tile_text(drawn))}."}
            return Entry(f"{name} drew a tile.", private)
        case "pass":
            return Entry(f"{name} passed.")
        case "stop":
            return Entry(f"{name} stopped.")
        case "choose":
            return Entry(f"{name} chose the opening double {move.number}-{move.number}.")
        case block if block in _SPECIAL_BLOCKS and after["hand_count"][seat] == 0:  # D12: no effect any more
            return Entry(f"{name} played {SPECIAL_NAMES[_SPECIAL_BLOCKS[block]]} as the last tile.")
        case "reverse":
            return Entry(f"{name} played Reverse.")
        case "derail":
            return Entry(f"{name} played Derail: the trains move on by {count(move.number or 0, 'seat')}.")
    target = n if move.train == n else (seat + (move.train or 0)) % n
    if move.train is None:  # the one open Wild
        target = int(after["laid_train"][int(after["laid_count"]) - 1])
    if move.block == "trade":
        return _trade(before, after, seat, target, names)
    where = train_name(target, names)
    if move.block == "twist":
        end = int(after["train_end"][target])
        return Entry(f"{name} played Twist on {where}: it ends in {end} now.")
    if move.tile is None:
        return Entry(f"{name} played {SPECIAL_NAMES[move.block.removesuffix('_on')]} on {where}.")
    return Entry(f"{name} played {tile_text(move.tile)} on {where}.")


def _trade(before: Record, after: Record, seat: int, other: int, names: Sequence[str]) -> Entry:
    """D7: both seats know both tiles."""
    me, you = names[seat], names[other]
    t = int(before["trades"])
    given, taken = int(after["trade_given"][t]), int(after["trade_taken"][t])
    text = f"{me} traded a tile with {you}."
    if NONE in (given, taken):
        return Entry(text)
    detail = f"{me} gave {you} {tile_name(tile_text(given))} and took {tile_name(tile_text(taken))}."
    return Entry(text, {seat: detail, other: detail})


def _bits(value: int, names: Sequence[str]) -> list[int]:
    return [seat for seat in range(len(names)) if value >> seat & 1]


def _markers(before: Record, after: Record, names: Sequence[str]) -> list[Entry]:
    was, now = int(before["markers"]), int(after["markers"])
    told = [
        Entry(f"{sentence(train_name(seat, names))} is open to everybody now.") for seat in _bits(now & ~was, names)
    ]
    return told + [Entry(f"{sentence(train_name(seat, names))} is closed again.") for seat in _bits(was & ~now, names)]


def _blockers(before: Record, after: Record, actor: int, move: Move, names: Sequence[str]) -> list[Entry]:
    """D4, D5: blockers that acted on their owners at the turn's end (a Derail only moves them)."""
    told = []
    if move.block == "reverse" and after["direction"] != before["direction"]:
        way = "clockwise" if after["direction"] > 0 else "counter-clockwise"
        told.append(Entry(f"Play goes {way} now."))
    k = move.number or 0 if move.block == "derail" else 0
    n = len(names)
    for field_name, text in (("skip_blockers", "lost a turn to the Skip"), ("draw_blockers", "drew for the Draw")):
        now = int(after[field_name])
        for train in _bits(int(before[field_name]), names):
            owner = (train - k) % n
            if not now >> owner & 1:
                told.append(Entry(f"{names[owner]} {text} on {possessive(names[owner])} train."))
    return told


def _duty(before: Record, after: Record, names: Sequence[str]) -> list[Entry]:
    """R16, R17: the double that must be satisfied from now on."""
    train = int(after["duty_train"])
    laid = (int(before["duty_train"]), int(before["double_count"])) != (train, int(after["double_count"]))
    if train < 0 or not laid or after["phase"] in (ROUND_OVER, GAME_OVER):
        return []
    return [Entry(f"{sentence(double_name(after, train, names))} must be covered next.")]


def double_name(s: Record, train: int, names: Sequence[str]) -> str:
    """Return `the double 7 on Anna's train`, or `the Wild on ...`."""
    end = int(s["train_end"][train])
    what = "the Wild" if end == ANY else f"the double {end}"
    return f"{what} on {train_name(train, names)}"


def _end(s: Record, names: Sequence[str]) -> list[Entry]:
    if s["phase"] not in (ROUND_OVER, GAME_OVER):
        return []
    if s["round_end"] == BLOCKED:
        return [Entry("Nobody can go on: the round is blocked.")]
    return [Entry(f"{names[int(s['winner'])]} went out and won the round.")]
