"""Tiles, their texts and their points (R1, R23, D11). Part of the slow reference, see game.py."""

from __future__ import annotations

from typing import Any

Tile = tuple[int, int] | str
"""A numbered tile is a pair (low, high); a special tile is the name of its kind."""

Rules = dict[str, Any]

SPECIAL_POINTS: dict[str, int] = {
    "draw": 30,
    "twist": 30,
    "skip": 30,
    "trade": 30,
    "reverse": 30,
    "derail": 40,
    "wild": 50,
}
"""D11: points of the special tiles left in a hand."""


class ReferenceMismatch(Exception):
    """Something that the rules do not allow, said in one sentence."""


def tile_text(tile: Tile) -> str:
    """Section 8: '5-12' with the low number first, or the kind of a special tile."""
    if isinstance(tile, str):
        return tile
    return f"{tile[0]}-{tile[1]}"


def tile_from_text(text: object) -> Tile:
    """The tile that a text names; ReferenceMismatch for anything else."""
    if not isinstance(text, str):
        raise ReferenceMismatch(f"{text!r} is no tile")
    if text in SPECIAL_POINTS:
        return text
    low, dash, high = text.partition("-")
    if dash and low.isdecimal() and high.isdecimal():
        tile = (int(low), int(high))
        if tile[0] <= tile[1] and tile_text(tile) == text:
            return tile
    raise ReferenceMismatch(f"{text!r} is no tile")


def is_double(tile: Tile) -> bool:
    """Section 1: a numbered tile with two equal halves (a Wild is asked about separately, D9)."""
    return not isinstance(tile, str) and tile[0] == tile[1]


def numbered_tiles(max_pip: int) -> list[Tile]:
    """Section 1: the (M+1)(M+2)/2 tiles of a double-M set."""
    return [(low, high) for low in range(max_pip + 1) for high in range(low, max_pip + 1)]


def whole_set(rules: Rules, derails_gone: int = 0) -> list[Tile]:
    """Every tile of a round: the set and, by section 6, two of each special (D10: less gone Derails)."""
    tiles = numbered_tiles(rules["max_pip"])
    if rules["special_tiles"]:
        for kind in SPECIAL_POINTS:
            copies = 2 - derails_gone if kind == "derail" else 2
            tiles.extend([kind] * copies)
    return tiles


def points(tile: Tile, double_blank_points: int) -> int:
    """R23 and D11: what a tile left in a hand costs."""
    if isinstance(tile, str):
        return SPECIAL_POINTS[tile]
    if tile == (0, 0):
        return double_blank_points
    return tile[0] + tile[1]
