"""What the seat to move may do: R6 to R12, R14 to R18, D1 to D10 and section 8. Part of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .table import ANY
from .tiles import Tile, tile_text

if TYPE_CHECKING:
    from .round import Round

Action = tuple[Any, ...]
"""("lay", tile, train, outer), ("wild", train), ("draw",), ("pass",), ("stop",), ("draw_on", seat),
("skip_on", seat), ("reverse",), ("twist", train), ("derail", k) or ("trade", seat, given or None);
a train is the seat that owns it now, or n for the Mexican train."""


def actions(game: Round) -> dict[str, Action]:
    """All legal actions by text: R9's "must play", R10's draw, R11's pass, and *stop*."""
    turn = game.turn
    found = plays(game)
    may_stop = turn.kind == "opening_tile" or (turn.kind == "chain" and turn.laid_any) or turn.right
    if may_stop:
        found["stop"] = ("stop",)
    if found:
        return found
    if game.boneyard and not turn.draw_spent:
        return {"draw": ("draw",)}
    return {"pass": ("pass",)}


def plays(game: Round) -> dict[str, Action]:
    """Every way to play a tile now."""
    turn = game.turn
    hand = game.hands[turn.seat]
    found: dict[str, Action] = {}
    if turn.kind == "opening_tile":
        numbered = [tile for tile in hand if not isinstance(tile, str)]
        add_lays(game, numbered, turn.seat, found)
    elif turn.kind == "chain":
        add_lays(game, hand, turn.seat, found)
    elif turn.duty is not None:
        add_lays(game, hand, train_index(game, turn.duty.train), found)
    else:
        for index in open_trains(game):
            add_lays(game, hand, index, found)
        for kind in {tile for tile in hand if isinstance(tile, str)}:
            add_special(game, kind, found)
    return found


def train_index(game: Round, train: object) -> int:
    """The seat that owns this train now, or n for the Mexican train."""
    for seat in range(game.seats):
        if game.trains[seat] is train:
            return seat
    assert train is game.mexican
    return game.seats


def open_trains(game: Round) -> list[int]:
    """R7, R8: where the seat may play when no double must be satisfied (D4: never on a blocked train)."""
    seat = game.turn.seat
    if game.rules["own_train_first"] and game.trains[seat].empty:
        allowed = [seat]
    else:
        allowed = [other for other in range(game.seats) if other == seat or game.markers[other]]
        if mexican_available(game):
            allowed.append(game.seats)
    return [index for index in allowed if game.train(index).blocker is None]


def mexican_available(game: Round) -> bool:
    """R8."""
    when = game.rules["mexican_train"]
    if when == "after_own":
        return not game.trains[game.turn.seat].empty
    if when == "after_all":
        return not any(train.empty for train in game.trains)
    return bool(when == "always")


def train_name(game: Round, index: int) -> str:
    """Section 8: P0, P1, .. and M."""
    return "M" if index == game.seats else f"P{index}"


def add_lays(game: Round, hand: Sequence[Tile], index: int, found: dict[str, Action]) -> None:
    """The numbered tiles and Wilds of a hand that go on one train (D9: anything goes on an open Wild)."""
    name = train_name(game, index)
    end = game.train(index).end
    for tile in hand:
        if isinstance(tile, str):
            if tile == "wild":
                found[f"wild > {name}"] = ("wild", index)
        elif end == ANY:
            for outer in tile:
                found[f"{tile_text(tile)} > {name} out {outer}"] = ("lay", tile, index, outer)
        elif tile[0] == end:
            found[f"{tile_text(tile)} > {name}"] = ("lay", tile, index, tile[1])
        elif tile[1] == end:
            found[f"{tile_text(tile)} > {name}"] = ("lay", tile, index, tile[0])


def add_special(game: Round, kind: str, found: dict[str, Action]) -> None:
    """D4 to D8 and D10: where a special tile other than Wild may go."""
    seat = game.turn.seat
    others = [other for other in range(game.seats) if other != seat]
    if kind in ("draw", "skip"):
        for other in others:
            if game.trains[other].blocker is None:
                found[f"{kind} > P{other}"] = (f"{kind}_on", other)
    elif kind == "reverse":
        found["reverse"] = ("reverse",)
    elif kind == "twist":
        for index in range(game.seats + 1):
            if game.train(index).can_be_twisted():
                found[f"twist > {train_name(game, index)}"] = ("twist", index)
    elif kind == "derail":
        for distance in derail_distances(game):
            found[f"derail {distance}"] = ("derail", distance)
    elif kind == "trade":
        add_trades(game, others, found)


def derail_distances(game: Round) -> list[int]:
    """D10: by one seat either way, or by any distance."""
    if game.rules["derail"] == "any":
        return list(range(1, game.seats))
    return sorted({1, game.seats - 1})


def add_trades(game: Round, others: list[int], found: dict[str, Action]) -> None:
    """D7: one action for each opponent with a tile and each different tile to give; D12: the last tile."""
    to_give = list(game.hands[game.turn.seat])
    to_give.remove("trade")
    for other in others:
        if not to_give:
            found[f"trade P{other}"] = ("trade", other, None)
        elif game.hands[other]:
            for tile in to_give:
                found[f"trade P{other} {tile_text(tile)}"] = ("trade", other, tile)
