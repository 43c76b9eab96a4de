"""Hard: the longest line of its hand, saved for its own train; all other tiles elsewhere, heaviest first.

A move is judged by what it leaves in hand, and the cheapest rest is chosen. A tile of the longest line from the
own end can be laid turn by turn, so it costs its points alone; a spare tile depends on others to open a place for
it, so its points cost double and the tile itself a bit more: spare tiles go first, the line is kept unless it pays
to break it. A double is judged together with the best tile that can follow it. A special tile fits almost always, so
it waits, until somebody is about to go out.

The weights won most in matches between variants of this bot.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit, trailing_zeros
from mtrain_env.bots.moves import (
    NOT_A_PLAY,
    SPECIAL,
    played_tile,
    played_train,
    special_points,
    tile_points,
)
from mtrain_env.engine.legal import open_trains
from mtrain_env.engine.lines import WORK_SHAPE, longest_line, longest_line_after
from mtrain_env.engine.state import (
    ANY,
    ANY_PLAY,
    ANYWHERE_OPTIONAL,
    CHOOSING,
    KINDS,
    MAX_TILES,
    NO_FOLLOW_UP,
    NORMAL_TURN,
    NUMBERS,
    ON_DOUBLE,
    TILE_ID,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW

NODE_CAP: Final = 300  # of a search for the longest line: exact up to 15 tiles, and in 96% of hands of 20

# What is left in hand costs, and what else a move is worth. Pips a round lost by other values, 1,500 deals each, +-
# 0.5: in `core` LINE_POINT 8 1.0, 10 3.7, 0 1.3; no SPARE_TILE 1.5; no MARKER 0.5; in `deluxe` SPECIAL_POINT 5 1.3.
LINE_POINT: Final = 5  # a point on the line
SPARE_POINT: Final = 10  # a point on another tile
SPARE_TILE: Final = 50  # another tile, whatever its points
MARKER: Final = 100  # taking the own marker off, where no other play does it
SPECIAL_POINT: Final = 1  # a point on a special tile that is played; a Wild is kept
LATE_SPECIAL_POINT: Final = 5  # the same, once an opponent has at most LATE tiles
LATE: Final = 2
NEVER: Final = 1 << 40  # more than any cost
NEAR: Final = 20  # less a tile for each tile of the opponent whom a special tile hits

PLAN: Final = np.dtype(
    [
        ("hand", np.uint32, (NUMBERS,)),  # numbered tiles, as GAME's hand
        ("tiles", np.int64),  # how many they are
        ("points", np.int64),  # their points
        ("end", np.int64),  # number at the end of the own train, or ANY
        ("line", np.uint8, (MAX_TILES,)),  # the longest line from there
        ("length", np.int64),
        ("rest", np.uint8, (MAX_TILES,)),  # the longest line after one tile more
        ("work", np.int64, WORK_SHAPE),  # of the line searches
        ("late", np.int64),  # 1 = an opponent is about to go out
    ],
    align=True,
)
"""A hand and its longest line."""
SCRATCH_SHAPE: Final = 2
"""`scratch` is so many PLAN records, of any content: for the hand as it is, and for the hand after a double."""


@jit
def write_costs(
    s: np.void, actions: NDArray[np.int16], count: int, scratch: NDArray[np.void], out: NDArray[np.int64]
) -> None:
    """Write the cost of each of the legal ids `actions[:count]` to `out`; `scratch` as in choose_one."""
    if s["phase"] == CHOOSING:
        for k in range(count):
            out[k] = -int64(actions[k])  # the hand is not dealt yet: high doubles, so that nobody is left with them
        return
    plan = scratch[0]
    _read_hand(s, plan)
    _find_line(plan, int64(s["train_end"][int64(s["seat"])]))
    for k in range(count):
        out[k] = _cost_of(s, plan, scratch[1], int64(actions[k]))


@jit
def choose_one(
    s: np.void, rng: NDArray[np.uint64], actions: NDArray[np.int16], count: int, scratch: NDArray[np.void]
) -> int:
    """Index of the action chosen in `actions[:count]`; arguments as scripted.choose_one."""
    if s["phase"] == CHOOSING:
        return count - 1  # the highest double, as write_costs
    plan = scratch[0]
    _read_hand(s, plan)
    _find_line(plan, int64(s["train_end"][int64(s["seat"])]))
    best = 0
    least = int64(NEVER)
    for k in range(count):
        cost = _cost_of(s, plan, scratch[1], int64(actions[k]))
        if cost < least:
            least = cost
            best = k
    return best


@jit
def _read_hand(s: np.void, plan: np.void) -> None:
    """Note the hand of the acting seat, and whether an opponent is about to go out."""
    seat = int64(s["seat"])
    tiles = 0
    points = 0
    for p in range(NUMBERS):
        plan["hand"][p] = s["hand"][seat, p]
        row = int64(s["hand"][seat, p]) & ((2 << p) - 1)
        while row != 0:
            points += tile_points(s, int64(TILE_ID[p, trailing_zeros(row)]))
            row &= row - 1
            tiles += 1
    plan["tiles"] = tiles
    plan["points"] = points
    plan["late"] = 0
    for other in range(int64(s["num_players"])):
        if other != seat and s["hand_count"][other] <= LATE:
            plan["late"] = 1


@jit
def _find_line(plan: np.void, end: int) -> None:
    """Find the longest line of the plan's hand from `end`."""
    plan["end"] = end
    plan["length"] = longest_line(plan["hand"], end, NODE_CAP, plan["work"], plan["line"])


@jit
def _cost_of(s: np.void, plan: np.void, after: np.void, action: int) -> int:
    """The cost of the hand that the action leaves, less what else it is worth; `after` is scratch."""
    tile = played_tile(s, action)
    if tile == SPECIAL:
        return _cost_of_special(s, plan, action)
    if tile == NOT_A_PLAY:
        return _cost_from(s, plan, int64(plan["end"]))
    own = played_train(s, action) == 0
    low, high = int64(TILE_LOW[tile]), int64(TILE_HIGH[tile])
    bonus = 0
    if own and s["marker_off"] != ANY_PLAY and (int64(s["markers"]) >> int64(s["seat"])) & 1 != 0:
        bonus = MARKER
    if low == high and s["turn"] == NORMAL_TURN and s["double_follow_up"] != NO_FOLLOW_UP:
        return _cost_after_double(s, plan, after, low, own) - bonus
    end = int64(plan["end"])
    out = end
    if own:
        out = low + high - end
        if end == ANY:
            out = low if action >= int64(s["at_out_low"]) else high
    return _cost_without(s, plan, tile, out) - bonus


@jit
def _cost_after_double(s: np.void, plan: np.void, after: np.void, number: int, own: bool) -> int:
    """R14: the cost of the hand without the double `number` and the best tile that must or may follow it."""
    for p in range(NUMBERS):
        after["hand"][p] = plan["hand"][p]
    after["hand"][number] ^= np.uint32(1 << number)
    after["tiles"] = int64(plan["tiles"]) - 1
    after["points"] = int64(plan["points"]) - tile_points(s, int64(TILE_ID[number, number]))
    end = number if own else int64(plan["end"])
    _find_line(after, end)
    elsewhere = 0 if own else 1 << number  # numbers that fit on trains other than the own
    if s["double_follow_up"] != ON_DOUBLE:
        elsewhere = _ends_elsewhere(s)
        own = True
    least = int64(NEVER)
    for p in range(NUMBERS):
        here = own and p == end
        there = (elsewhere >> p) & 1 != 0
        row = int64(after["hand"][p]) if here or there else 0
        while row != 0:
            q = trailing_zeros(row)
            row &= row - 1
            tile = int64(TILE_ID[p, q])
            if here:
                least = min(least, _cost_without(s, after, tile, q))
            if there:
                least = min(least, _cost_without(s, after, tile, end))
    if least == NEVER or s["double_follow_up"] == ANYWHERE_OPTIONAL:
        least = min(least, _cost_from(s, after, end))
    return least


@jit
def _ends_elsewhere(s: np.void) -> int:
    """R7: the numbers at the ends of the open trains other than the own, as bits."""
    trains = open_trains(s) & ~(1 << int64(s["seat"]))
    ends = 0
    while trains != 0:
        ends |= 1 << int64(s["train_end"][trailing_zeros(trains)])
        trains &= trains - 1
    return ends


@jit
def _cost_of_special(s: np.void, plan: np.void, action: int) -> int:
    """Section 6: the cost of the hand if a special tile is played, less what it is worth to play it now.

    Draw, Skip, Twist and Trade go against the opponent with the fewest tiles; a Wild is kept for the own train.
    """
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    end = int64(plan["end"])
    target = 0  # relative seat
    worth = special_points(s, action) * (LATE_SPECIAL_POINT if plan["late"] != 0 else SPECIAL_POINT)
    if action < int64(s["at_draw_on"]):
        worth = 0
        if action == int64(s["at_wild"]):
            end = ANY
    elif action < int64(s["at_skip_on"]):
        target = action - int64(s["at_draw_on"]) + 1
    elif action < int64(s["at_reverse"]):
        target = action - int64(s["at_skip_on"]) + 1
    elif int64(s["at_twist"]) <= action < int64(s["at_derail"]):
        target = (action - int64(s["at_twist"])) % n
        if action == int64(s["at_twist"]):
            end = int64(s["train_inner"][seat])
    elif int64(s["at_derail"]) <= action < int64(s["at_trade"]):
        end = int64(s["train_end"][(seat + action - int64(s["at_derail"]) + 1) % n])
    elif action >= int64(s["at_trade"]):
        return _cost_of_trade(s, plan, action) - worth
    if target > 0:
        worth += NEAR - int64(s["hand_count"][(seat + target) % n])
    return _cost_from(s, plan, end) - worth


@jit
def _cost_of_trade(s: np.void, plan: np.void, action: int) -> int:
    """D7: the cost of the hand after giving a tile away; what comes back is not known and counts nothing."""
    if action >= int64(s["at_trade_out"]):
        return 0
    num_tiles = int64(s["num_tiles"])
    k = action - int64(s["at_trade"])
    target = (int64(s["seat"]) + k // (num_tiles + KINDS) + 1) % int64(s["num_players"])
    end = int64(plan["end"])
    given = k % (num_tiles + KINDS)
    cost = _cost_without(s, plan, given, end) if given < num_tiles else _cost_from(s, plan, end)
    return cost - NEAR + int64(s["hand_count"][target])


@jit
def _cost_without(s: np.void, plan: np.void, tile: int, end: int) -> int:
    """The cost of the plan's hand without `tile`, the own train ending in `end` then."""
    length = longest_line_after(
        plan["hand"],
        int64(plan["end"]),
        plan["line"],
        int64(plan["length"]),
        tile,
        end,
        NODE_CAP,
        plan["work"],
        plan["rest"],
    )
    points = int64(plan["points"]) - tile_points(s, tile)
    return _cost(s, int64(plan["tiles"]) - 1, points, plan["rest"], length)


@jit
def _cost_from(s: np.void, plan: np.void, end: int) -> int:
    """The cost of the plan's hand, the own train ending in `end`."""
    tiles, points = int64(plan["tiles"]), int64(plan["points"])
    if end == int64(plan["end"]):
        return _cost(s, tiles, points, plan["line"], int64(plan["length"]))
    length = longest_line(plan["hand"], end, NODE_CAP, plan["work"], plan["rest"])
    return _cost(s, tiles, points, plan["rest"], length)


@jit
def _cost(s: np.void, tiles: int, points: int, line: NDArray[np.uint8], length: int) -> int:
    """The cost of so many numbered tiles with so many points, of which `line[:length]` are the longest line."""
    line_points = 0
    for k in range(length):
        line_points += tile_points(s, int64(line[k]))
    return LINE_POINT * line_points + SPARE_POINT * (points - line_points) + SPARE_TILE * (tiles - length)
