"""The longest line of a hand: the most tiles that the seat could lay one after the other on its own train.

A hand is a graph: its numbers are the vertices, its tiles the edges (a double is a loop), so a line is a
trail, and the longest one is found by depth-first search. More tiles beat fewer; among equally long lines
more pips win. Both are one integer, the *value*: a tile p-q is worth (HALF + p) + (HALF + q), half of it at
each of its two *ends*, and 2 * HALF = 4096 is more than the 3420 pips of the whole double-18 set.

A double leads back to its own number, so it can be put into any line that touches the number, without
changing the rest. Hence a best line has it, and the first touch is as good a place as any: doubles are laid
at once and never branched on.

Every kernel takes `work`, a caller-owned int64 array of shape WORK_SHAPE whose content need not be
initialised, and allocates nothing. Numbers are 0..18; sets of numbers are integers of bits.
"""

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit, popcount, trailing_zeros
from mtrain_env.engine.state import ANY, NUMBERS
from mtrain_env.tiles import MAX_TILES, TILE_HIGH, TILE_LOW, TILE_PIPS

HALF = 2048  # what a tile's half is worth before its pips

# Rows of `work`. _NUMBER.._LIMIT are the stack of the search: a column per number of the line being tried, at
# most 172 (the double-18 set has 171 tiles that are not doubles).
_HAND = 0  # bit j of column p: the tile p-j, p != j, is in the hand and not in the line
_NUMBER = 1  # the open end of the line
_UNTRIED = 2  # numbers to which the line has not been continued yet, bits
_VALUE = 3  # value of the line so far
_DOUBLES = 4  # doubles not in the line, bits by number
_LEAVES = 5  # numbers on exactly one tile of the hand that is left, without the open end; bits
_LIMIT = 6  # no line that begins like this one is worth more
_BEST = 7  # numbers of the best line found
_FOUND = 8  # the columns below
_WORTH = 0  # value of the best line found
_SIZE = 1  # how many numbers of it are in _BEST
_NODES = 2  # nodes tried, of all starts together
_HAND_DOUBLES = 3  # doubles of the hand that was loaded, bits by number
_HAND_LEAVES = 4  # numbers on exactly one tile, doubles aside, of that hand; bits

WORK_SHAPE = (9, MAX_TILES)
"""Shape of the int64 scratch array `work`."""


@jit
def longest_line(
    hand: NDArray[np.uint32], start: int, node_cap: int, work: NDArray[np.int64], path: NDArray[np.uint8]
) -> int:
    """Write the tile ids of the best line from `start` to `path` (uint8[>=190]); return how many they are.

    `hand` is uint32[19], bit j of hand[p] = holds tile p-j. `start` is 0..18, or ANY for any number.
    After `node_cap` nodes (0 = no limit, exact) the best line found so far is taken.
    """
    _load(hand, -1, work)
    return _best_line(start, node_cap, work, path)


@jit
def longest_line_after(
    hand: NDArray[np.uint32],
    start: int,
    line: NDArray[np.uint8],
    length: int,
    tile: int,
    end: int,
    node_cap: int,
    work: NDArray[np.int64],
    path: NDArray[np.uint8],
) -> int:
    """Like `longest_line` for the hand without `tile` (0..189), from `end`: what is left once it is played.

    `line` (uint8[>=length], not `path`) is the best line of the whole hand from `start`; often it already
    tells the answer. With a node cap the result can differ from a fresh search, but is always a line.
    """
    if length > 0 and line[0] == tile and start != ANY and start + end == TILE_PIPS[tile]:
        # The line's own first tile: what follows it must be best, or the line was not.
        for k in range(1, length):
            path[k - 1] = line[k]
        return length - 1
    used = False
    for k in range(length):
        path[k] = line[k]
        used |= line[k] == tile
    if end == start and not used:
        return length
    _load(hand, tile, work)
    return _best_line(end, node_cap, work, path)


@jit
def line_pips(path: NDArray[np.uint8], length: int) -> int:
    """Return the pips on the first `length` tiles of `path` (tile ids)."""
    pips = 0
    for k in range(length):
        pips += int(int64(TILE_PIPS[path[k]]))
    return pips


@jit
def _load(hand: NDArray[np.uint32], without: int, work: NDArray[np.int64]) -> None:
    """Begin a search: copy `hand` to `work`, except the tile `without` (-1 = none)."""
    doubles = 0
    for p in range(NUMBERS):
        row = int(int64(hand[p]))
        bit = 1 << p
        doubles |= row & bit
        work[_HAND, p] = row & ~bit
    if without >= 0:
        low, high = int(int64(TILE_LOW[without])), int(int64(TILE_HIGH[without]))
        if low == high:
            doubles &= ~(1 << low)
        work[_HAND, low] &= ~(1 << high)
        work[_HAND, high] &= ~(1 << low)
    leaves = 0
    for p in range(NUMBERS):
        if popcount(work[_HAND, p]) == 1:
            leaves |= 1 << p
    work[_FOUND, _WORTH] = 0
    work[_FOUND, _SIZE] = 0
    work[_FOUND, _NODES] = 0
    work[_FOUND, _HAND_DOUBLES] = doubles
    work[_FOUND, _HAND_LEAVES] = leaves


@jit
def _best_line(start: int, node_cap: int, work: NDArray[np.int64], path: NDArray[np.uint8]) -> int:
    """Search the loaded hand from `start` and write the best line to `path`; return its number of tiles."""
    if start != ANY:
        _search(int(int64(start)), node_cap, work)
    else:
        for p in range(NUMBERS):
            if node_cap == 0 or work[_FOUND, _NODES] < node_cap:
                _search(p, node_cap, work)
    return _write_path(work, path)


@jit
def _search(start: int, node_cap: int, work: NDArray[np.int64]) -> None:
    """Depth-first search from `start` for a line that is worth more than the best one found."""
    _stand_on(start, 0, 0, work[_FOUND, _HAND_DOUBLES], work[_FOUND, _HAND_LEAVES], -1, work)
    depth = 0
    while depth >= 0:
        here = work[_NUMBER, depth]
        untried = work[_UNTRIED, depth]
        if untried == 0 or work[_LIMIT, depth] <= work[_FOUND, _WORTH]:
            depth -= 1
            if depth >= 0:
                _flip(here, work[_NUMBER, depth], work)
            continue
        if node_cap > 0 and work[_FOUND, _NODES] >= node_cap:
            return
        work[_FOUND, _NODES] += 1
        there = _busiest(untried, work)
        work[_UNTRIED, depth] = untried ^ (1 << there)
        _flip(here, there, work)
        leaves = work[_LEAVES, depth]
        limit = -1
        if popcount(work[_HAND, here]) == 1:
            leaves |= 1 << here
        elif (leaves >> there) & 1 == 0 and (work[_HAND, here] == 0 or work[_HAND, here] & work[_HAND, there] != 0):
            limit = work[_LIMIT, depth]  # nothing was cut off: the same ends can still be used
        value = work[_VALUE, depth] + 2 * HALF + here + there
        _stand_on(there, depth + 1, value, work[_DOUBLES, depth], leaves, limit, work)
        depth += 1


@jit
def _stand_on(
    number: int, depth: int, value: int, doubles: int, leaves: int, limit: int, work: NDArray[np.int64]
) -> None:
    """Push `number` as the open end of the line, lay its double, and note the line if it is the best.

    `limit`: the most that a line which begins like this one can be worth, -1 = to be worked out.
    """
    bit = 1 << number
    if doubles & bit:
        doubles ^= bit
        value += 2 * (HALF + number)
    leaves &= ~bit
    work[_NUMBER, depth] = number
    work[_UNTRIED, depth] = work[_HAND, number]
    work[_VALUE, depth] = value
    work[_DOUBLES, depth] = doubles
    work[_LEAVES, depth] = leaves
    if value > work[_FOUND, _WORTH]:
        work[_FOUND, _WORTH] = value
        work[_FOUND, _SIZE] = depth + 1
        for k in range(depth + 1):
            work[_BEST, k] = work[_NUMBER, k]
    if limit < 0:
        limit = value
        if work[_HAND, number]:
            limit += _most_to_come(number, doubles, leaves, work)
    work[_LIMIT, depth] = limit


@jit
def _most_to_come(number: int, doubles: int, leaves: int, work: NDArray[np.int64]) -> int:
    """Return an upper bound of the value that a line with the open end `number` can still gain.

    Only tiles connected to the open end count. Passing through a number uses two ends of tiles there; a line
    also leaves its open end once, and stops at its last number. So an even count of the ends at every number
    is used, an odd count at the open end, and one more at the last number alone (of `spares`, if there are any).
    A leaf can only be the last number. So leaves and their tiles are left out, and come back as alternatives
    for the last number: then the neighbour's spare end is used too, paired with its end of the leaf's tile.

    Leaving out the rule for leaves makes a bound cheaper but the search longer: 20 tiles of double-12 then
    take 2000 instead of 320 nodes, 10 tiles 6.1 instead of 4.6.
    """
    todo = 1 << number
    seen = leaves | todo
    gain = 0
    last = 0
    spares = 0
    last_leaves = 0
    while todo:
        p = trailing_zeros(todo)
        row = work[_HAND, p]
        new = row & ~seen
        seen |= new
        todo = (todo & (todo - 1)) | new
        last_leaves |= row & leaves
        degree = popcount(row & ~leaves)
        odd = (degree & 1) ^ (p == number)
        spares |= odd << p
        last = max(last, odd * (HALF + p))
        gain += (degree - odd + 2 * ((doubles >> p) & 1)) * (HALF + p)
    while last_leaves:
        leaf = trailing_zeros(last_leaves)
        last_leaves &= last_leaves - 1
        p = trailing_zeros(work[_HAND, leaf])
        spare = ((spares >> p) & 1) * (HALF + p)
        last = max(last, 2 * spare + (1 + 2 * ((doubles >> leaf) & 1)) * (HALF + leaf))
    return gain + last


@jit
def _busiest(numbers: int, work: NDArray[np.int64]) -> int:
    """Return the number of the set `numbers` with the most tiles left: it is no dead end."""
    best = 0
    most = -1
    while numbers:
        p = trailing_zeros(numbers)
        numbers &= numbers - 1
        degree = popcount(work[_HAND, p])
        if degree >= most:  # of equals the highest number, for its pips
            most = degree
            best = p
    return best


@jit
def _flip(p: int, q: int, work: NDArray[np.int64]) -> None:
    """Take the tile p-q, p != q, out of the hand that is left, or put it back."""
    work[_HAND, p] ^= 1 << q
    work[_HAND, q] ^= 1 << p


@jit
def _write_path(work: NDArray[np.int64], path: NDArray[np.uint8]) -> int:
    """Write the tiles of the best line found to `path` and return their number."""
    doubles = work[_FOUND, _HAND_DOUBLES]
    length = 0
    for k in range(work[_FOUND, _SIZE]):
        p = work[_BEST, k]
        if k > 0:
            q = work[_BEST, k - 1]
            high = max(p, q)
            path[length] = high * (high + 1) // 2 + min(p, q)
            length += 1
        if (doubles >> p) & 1:
            doubles ^= 1 << p
            path[length] = p * (p + 1) // 2 + p
            length += 1
    return length
