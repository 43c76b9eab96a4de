"""Actions as text (RULES.md section 8), with absolute seats: `5-12 > P0`, `5-12 > P0 out 5`, `trade P3 skip`."""

import re
from typing import Any

from mtrain_env.encoding.actions import ActionLayout, Move
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.state import ANY, MAX_TILES
from mtrain_env.errors import InvalidAction
from mtrain_env.tiles import TILE_HIGH, TILE_LOW, parse_tile, tile_text

_ON_TRAIN = re.compile(r"(?P<what>\S+) *> *(?P<train>M|P\d+)(?: +out +(?P<out>\d+))?", re.IGNORECASE)
_TRADE = re.compile(r"trade +(?P<seat>P\d+)(?: +(?P<tile>\S+))?", re.IGNORECASE)
_NUMBERED_WORD = re.compile(r"(?P<word>choose|derail) +(?P<number>\d+)", re.IGNORECASE)
_SPECIAL_BLOCKS = {"wild": "wild", "draw": "draw_on", "skip": "skip_on", "twist": "twist"}
_FORMS = "'5-12 > P0', '5-12 > M', 'draw', 'pass', 'stop'"


def train_text(train: int, num_players: int) -> str:
    """`P0`.. for the train of a seat, `M` for the Mexican train (number `num_players`)."""
    return "M" if train == num_players else f"P{train}"


def action_text(layout: ActionLayout, s: Any, action: int) -> str:
    """The text of the id `action` for the acting seat of the game record `s`."""
    move = layout.decode(action)
    if move.block in ("draw", "pass", "stop", "wait", "reverse"):
        return move.block
    if move.number is not None:
        return f"{move.block} {move.number}"
    n = int(s["num_players"])
    train = _absolute(s, move.train)
    target = train_text(train, n)
    if move.block == "trade_out":
        return f"trade {target}"
    if move.block == "trade":
        assert move.tile is not None
        return f"trade {target} {tile_text(move.tile)}"
    if move.tile is None:
        return f"{move.block.removesuffix('_on')} > {target}"
    text = f"{tile_text(move.tile)} > {target}"
    if int(s["train_end"][train]) == ANY:
        half = TILE_LOW if move.block == "out_low" else TILE_HIGH
        text += f" out {half[move.tile]}"
    return text


def parse_action(layout: ActionLayout, s: Any, text: str) -> int:
    """The id that `text` names for the acting seat of `s`, legal or not; InvalidAction if it cannot be read."""
    move = _parse(layout, s, text.strip())
    if move.block not in layout.blocks:
        raise InvalidAction(f"{text!r} cannot be done under these rules: they have no such tile or action.")
    return layout.encode(move)


def _parse(layout: ActionLayout, s: Any, text: str) -> Move:
    if text.lower() in ("draw", "pass", "stop", "reverse"):
        return Move(text.lower())
    if found := _NUMBERED_WORD.fullmatch(text):
        return Move(found["word"].lower(), number=int(found["number"]))
    if found := _TRADE.fullmatch(text):
        train = _relative(s, found["seat"], text)
        if found["tile"] is None:
            return Move("trade_out", train=train)
        return Move("trade", train=train, tile=parse_tile(found["tile"], layout.rules.max_pip))
    found = _ON_TRAIN.fullmatch(text)
    if found is None:
        raise InvalidAction(f"{text!r} cannot be read as an action: write for example {_FORMS}.")
    train = _relative(s, found["train"], text)
    block = _SPECIAL_BLOCKS.get(found["what"].lower())
    if block is not None:
        return Move(block, train=train)
    tile = parse_tile(found["what"], layout.rules.max_pip, special_tiles=layout.rules.special_tiles)
    if tile >= MAX_TILES:
        raise InvalidAction(f"{text!r} cannot be read: a {tile_text(tile)} is not put on a train.")
    return _play(layout, s, tile, train, found["out"], text)


def _play(layout: ActionLayout, s: Any, tile: int, train: int, out: str | None, text: str) -> Move:
    """A numbered tile on a train; on an open Wild `out` says which half points out."""
    end = int(s["train_end"][_absolute(s, train)])
    low, high = int(TILE_LOW[tile]), int(TILE_HIGH[tile])
    if end != ANY and (out is None or int(out) + end == low + high):
        return Move("play", train=train, tile=tile)
    if end == ANY and out is not None and int(out) == high:
        return Move("play", train=train, tile=tile)
    if end == ANY and out is not None and int(out) == low:
        return Move("out_low", train=train if layout.rules.finish_first_lap else None, tile=tile)
    if end == ANY:
        raise InvalidAction(f"{text!r} must say which half points out on the open Wild: 'out {low}' or 'out {high}'.")
    raise InvalidAction(f"{text!r} cannot be: the end there is {end}, so {low + high - end} points out.")


def _absolute(s: Any, relative: int | None) -> int:
    """The absolute train of a relative one; None is the train of the one open Wild."""
    n = int(s["num_players"])
    if relative is None:
        return max(int(must_cover(s)), 0)
    return n if relative == n else (int(s["seat"]) + relative) % n


def _relative(s: Any, name: str, text: str) -> int:
    """The relative train of `M` or `P3`."""
    n = int(s["num_players"])
    if name.upper() == "M":
        return n
    seat = int(name[1:])
    if seat >= n:
        raise InvalidAction(f"{text!r} names seat {seat}: seats are P0 to P{n - 1}.")
    return (seat - int(s["seat"])) % n
