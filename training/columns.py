"""Which columns of a candidate row can differ from zero: the others cost time in the first layer and are left out.

A double-12 game uses 91 of the 190 columns of `hand`. A run learns on the columns that its rules can use, and the
finished network gets zero weights for all others (network.CandidateNetwork.widened).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.candidate_layout import CAND_LAYOUT, CAND_WIDTH, COLUMNS, ENDS, SEAT_COLUMNS
from mtrain_env.engine.state import KINDS, MAX_TILES, NUMBERS
from mtrain_env.errors import ConfigError
from mtrain_env.rules import Rules

_SPECIAL_MOVES = 7  # `move` from "wild" on needs special tiles
_SEATS = ("next", "previous", "worst")


def used_columns(rules: Sequence[Rules], ignore: Sequence[str]) -> NDArray[np.int64]:
    """Return the indices of the columns to learn from: those that one of `rules` uses, but the slices `ignore`."""
    for name in ignore:
        if name not in CAND_LAYOUT:
            raise ConfigError(f"{name!r} in ignore is no slice of the candidate row.")
    tiles = max(one.num_tiles for one in rules)
    numbers = max(one.max_pip for one in rules) + 1
    special = any(one.special_tiles for one in rules)
    used = np.zeros(CAND_WIDTH, bool)
    for column in COLUMNS:
        if column.name in ignore:
            continue
        part = used[CAND_LAYOUT[column.name]]
        if column.size == MAX_TILES:
            part[:tiles] = True
        elif column.size in (NUMBERS, ENDS):
            part[:numbers] = True
            part[NUMBERS:] = special  # the end of an open Wild
        elif column.size == KINDS:
            part[:] = special
        else:
            part[:] = True
    if not special:
        used[CAND_LAYOUT["move"]][-_SPECIAL_MOVES - 1 :] = False
    if "totals" in ignore:
        for name in _SEATS:
            used[CAND_LAYOUT[name]][len(SEAT_COLUMNS) - 1] = False
    return np.flatnonzero(used)
