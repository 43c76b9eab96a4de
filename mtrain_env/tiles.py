"""The numbering of tiles, the same for every set.

A numbered tile (a, b) with a <= b has the id b(b+1)/2 + a, so that the double-9 set is the first 55 ids of
the double-18 set. The seven kinds of special tiles (RULES.md, section 6) follow as the codes 190..196; the
two copies of a kind share one code, because they are the same action. Texts are `3-12` and `skip`.
"""

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from mtrain_env.errors import InvalidAction

MAX_PIP: Final = 18
MAX_TILES: Final = 190
"""Numbered tiles of the largest set; also the code of the first special kind."""

SPECIAL_KINDS: Final = ("draw", "trade", "skip", "reverse", "twist", "wild", "derail")
NUM_KINDS: Final = 7
COPIES_PER_KIND: Final = 2
NUM_SPECIAL_TILES: Final = NUM_KINDS * COPIES_PER_KIND

DRAW: Final = 190
TRADE: Final = 191
SKIP: Final = 192
REVERSE: Final = 193
TWIST: Final = 194
WILD: Final = 195
DERAIL: Final = 196
NUM_CODES: Final = MAX_TILES + NUM_KINDS

SPECIAL_POINTS: Final[npt.NDArray[np.uint8]] = np.array([30, 30, 30, 30, 30, 50, 40], np.uint8)
"""Points in hand by kind, in the order of SPECIAL_KINDS (D11)."""

_NUMBERED = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")


def tile_count(max_pip: int) -> int:
    """Return how many numbered tiles the double-`max_pip` set has."""
    return (max_pip + 1) * (max_pip + 2) // 2


def tile_id(a: int, b: int) -> int:
    """Return the id (0..189) of the tile with the numbers a and b (0..18), in either order."""
    low, high = min(a, b), max(a, b)
    if not 0 <= low <= high <= MAX_PIP:
        raise InvalidAction(f"There is no tile {a}-{b}: its numbers must lie between 0 and {MAX_PIP}.")
    return high * (high + 1) // 2 + low


def _ends_of_all_tiles() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    pairs = [(low, high) for high in range(MAX_PIP + 1) for low in range(high + 1)]
    table = np.array(pairs, np.uint8)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])


TILE_LOW, TILE_HIGH = _ends_of_all_tiles()
"""Lower and higher number of each tile, uint8[190]."""

TILE_PIPS: Final[npt.NDArray[np.uint8]] = TILE_LOW + TILE_HIGH
"""Pips on each tile (R23, with 0-0 as 0), uint8[190]."""

for _table in (SPECIAL_POINTS, TILE_LOW, TILE_HIGH, TILE_PIPS):
    _table.flags.writeable = False


def tile_text(code: int) -> str:
    """Return the text of a numbered tile or of a special kind: `3-12`, `skip`."""
    if 0 <= code < MAX_TILES:
        return f"{TILE_LOW[code]}-{TILE_HIGH[code]}"
    if MAX_TILES <= code < NUM_CODES:
        return SPECIAL_KINDS[code - MAX_TILES]
    raise InvalidAction(f"There is no tile with the code {code}: codes run from 0 to {NUM_CODES - 1}.")


def parse_tile(text: str, max_pip: int = MAX_PIP, *, special_tiles: bool = True) -> int:
    """Return the code of the tile that a text such as `3-12`, `12-3` or `skip` names, in a given set."""
    word = text.strip().lower()
    if word in SPECIAL_KINDS:
        if special_tiles:
            return MAX_TILES + SPECIAL_KINDS.index(word)
        raise InvalidAction(f"'{word}' is a special tile, and this set has none.")
    found = _NUMBERED.fullmatch(word)
    if found is None:
        kinds = f" or one of {', '.join(SPECIAL_KINDS)}" if special_tiles else ""
        raise InvalidAction(f"{text!r} is no tile: write two numbers as in '3-12'{kinds}.")
    a, b = int(found[1]), int(found[2])
    if max(a, b) > max_pip:
        raise InvalidAction(f"There is no tile {a}-{b} in the double-{max_pip} set.")
    return tile_id(a, b)
