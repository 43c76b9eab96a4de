"""The special tiles of section 6: where each may be played, and what it does. turn.py handles the turn around them."""

from typing import Any

import numpy as np

from mtrain_env._jit import int64, jit
from mtrain_env.engine.knowledge import add_gain, forget_traded, known_by, note_hidden_loss
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.state import (
    ANY,
    DERAIL,
    DERAIL_ANY,
    DRAW,
    KINDS,
    MAX_TILES,
    NONE,
    REVERSE,
    SKIP,
    TRADE,
    TWIST,
    WILD,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW


@jit
def blocked_trains(s: Any) -> int:
    """D4, D5: trains that hold a blocker, as bits."""
    return int64(s["draw_blockers"]) | int64(s["skip_blockers"])


@jit
def can_twist(s: Any, train: int) -> bool:
    """D8: the train has at least two tiles, the last one numbered, and no blocker."""
    if s["train_length"][train] < 2 or s["train_end"][train] == ANY:
        return False
    return (blocked_trains(s) >> train) & 1 == 0


@jit
def can_derail(s: Any, k: int) -> bool:
    """D10: the distance `k` (1..n-1) is allowed."""
    return s["derail"] == DERAIL_ANY or k == 1 or k == int64(s["num_players"]) - 1


@jit
def playable_kinds(s: Any) -> int:
    """D1-D10: the special kinds that could be played in a free turn by a seat that held them, as bits."""
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    kinds = 1 << WILD | 1 << REVERSE | 1 << DERAIL
    for train in range(n + 1):
        if can_twist(s, train):
            kinds |= 1 << TWIST
        if train != seat and train != n:
            if (blocked_trains(s) >> train) & 1 == 0:
                kinds |= 1 << DRAW | 1 << SKIP
            if s["hand_count"][train] > 0:
                kinds |= 1 << TRADE
    return kinds


@jit
def special_actions(s: Any, out: Any, count: int) -> int:
    """D3-D10: append the ids of special tiles other than Wilds in a free turn; the new number of ids."""
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    held = s["special_hand"][seat]
    blocked = blocked_trains(s)
    for kind, base in ((DRAW, int64(s["at_draw_on"])), (SKIP, int64(s["at_skip_on"]))):
        if held[kind] > 0:
            for k in range(1, n):
                if (blocked >> (seat + k) % n) & 1 == 0:
                    out[count] = base + k - 1
                    count += 1
    if held[REVERSE] > 0:
        out[count] = s["at_reverse"]
        count += 1
    if held[TWIST] > 0:
        for relative in range(n + 1):
            if can_twist(s, n if relative == n else (seat + relative) % n):
                out[count] = int64(s["at_twist"]) + relative
                count += 1
    if held[DERAIL] > 0:
        for k in range(1, n):
            if can_derail(s, k):
                out[count] = int64(s["at_derail"]) + k - 1
                count += 1
    if held[TRADE] > 0:
        count = _trade_actions(s, out, count)
    return count


@jit
def _trade_actions(s: Any, out: Any, count: int) -> int:
    """D7, D12: append every trade: an opponent who holds a tile, and the tile to give (none as the last tile)."""
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    num_tiles = int64(s["num_tiles"])
    last = s["hand_count"][seat] == 1
    for k in range(1, n):
        if s["hand_count"][(seat + k) % n] == 0:
            continue
        if last:
            out[count] = int64(s["at_trade_out"]) + k - 1
            count += 1
            continue
        base = int64(s["at_trade"]) + (k - 1) * (num_tiles + KINDS)
        for tile in range(num_tiles):
            if s["tile_place"][tile] == seat:
                out[count] = base + tile
                count += 1
        for kind in range(KINDS):
            copies = int64(s["special_hand"][seat, kind])
            if copies > (1 if kind == TRADE else 0):
                out[count] = base + num_tiles + kind
                count += 1
    return count


@jit
def move_tile(s: Any, code: int, giver: int, taker: int) -> None:
    """Move the tile `code`: `giver` and `taker` are seats, or NONE for no hand; what is known is not touched."""
    if code < MAX_TILES:
        a = int64(TILE_LOW[code])
        b = int64(TILE_HIGH[code])
        if giver != NONE:
            s["hand"][giver, a] ^= np.uint32(1 << b)
            if a != b:
                s["hand"][giver, b] ^= np.uint32(1 << a)
        if taker != NONE:
            s["hand"][taker, a] ^= np.uint32(1 << b)
            if a != b:
                s["hand"][taker, b] ^= np.uint32(1 << a)
            s["tile_place"][code] = taker
    else:
        kind = code - MAX_TILES
        if giver != NONE:
            s["special_hand"][giver, kind] -= 1
        if taker != NONE:
            s["special_hand"][taker, kind] += 1
    if giver != NONE:
        s["hand_count"][giver] -= 1
    if taker != NONE:
        s["hand_count"][taker] += 1


@jit
def nth_tile(s: Any, seat: int, k: int) -> int:
    """The code of the k-th tile (from 0, by code, copies apart) in the hand of `seat`."""
    for tile in range(int64(s["num_tiles"])):
        if s["tile_place"][tile] == seat:
            if k == 0:
                return tile
            k -= 1
    for kind in range(KINDS):
        k -= int64(s["special_hand"][seat, kind])
        if k < 0:
            return MAX_TILES + kind
    return NONE


@jit
def trade(s: Any, other: int, given: int, taken: int) -> None:
    """D7: give the tile `given` to seat `other` and take `taken`; NONE = drawn unseen from the hand before the gift."""
    seat = int64(s["seat"])
    if taken == NONE:
        taken = nth_tile(s, other, random_below(s["rng"], int64(s["hand_count"][other])))
    move_tile(s, given, seat, NONE)
    note_hidden_loss(s, seat)
    forget_traded(s, seat, given, other)
    move_tile(s, taken, other, NONE)
    note_hidden_loss(s, other)
    forget_traded(s, other, taken, seat)
    move_tile(s, taken, NONE, seat)
    move_tile(s, given, NONE, other)
    t = int64(s["trades"])
    s["trades"] = t + 1
    s["trade_actor"][t] = seat
    s["trade_other"][t] = other
    s["trade_given"][t] = given
    s["trade_taken"][t] = taken
    s["trade_given_held"][t] = 1
    s["trade_taken_held"][t] = 1
    add_gain(s, seat, 1 + t)
    add_gain(s, other, 1 + t)


@jit
def twist(s: Any, train: int) -> None:
    """D8: turn the last tile of `train`; its inner number becomes the end."""
    inner = int64(s["train_inner"][train])
    s["train_inner"][train] = s["train_end"][train]
    s["train_end"][train] = inner
    k = int64(s["laid_count"]) - 1
    while s["laid_train"][k] != train:
        k -= 1
    s["laid_out"][k] = inner
    s["laid_turned"][k] += 1


@jit
def _rotate_bits(bits: int, k: int, n: int) -> int:
    """Bit s of the result is bit (s + k) % n of `bits`; bits from n on stay."""
    low = bits & ((1 << n) - 1)
    return (bits & ~((1 << n) - 1)) | ((low >> k) | (low << (n - k))) & ((1 << n) - 1)


@jit
def _rotate(values: Any, k: int, n: int) -> None:
    """values[s] = old values[(s + k) % n] for the first n entries, in place by three reversals."""
    for first, last in ((0, k - 1), (k, n - 1), (0, n - 1)):
        while first < last:
            kept = values[first]
            values[first] = values[last]
            values[last] = kept
            first += 1
            last -= 1


@jit
def derail(s: Any, k: int) -> None:
    """D10: every player's train becomes the one that belonged to the seat `k` further clockwise; markers stay."""
    n = int64(s["num_players"])
    _rotate(s["train_end"], k, n)
    _rotate(s["train_inner"], k, n)
    _rotate(s["train_length"], k, n)
    s["started"] = _rotate_bits(int64(s["started"]), k, n)
    s["draw_blockers"] = _rotate_bits(int64(s["draw_blockers"]), k, n)
    s["skip_blockers"] = _rotate_bits(int64(s["skip_blockers"]), k, n)
    for i in range(int64(s["double_count"])):
        if s["double_train"][i] < n:
            s["double_train"][i] = (int64(s["double_train"][i]) - k + n) % n
    for i in range(1, int64(s["laid_count"])):
        if s["laid_train"][i] < n:
            s["laid_train"][i] = (int64(s["laid_train"][i]) - k + n) % n


@jit
def knows_traded(s: Any, seat: int, holder: int, code: int) -> int:
    """D7: how many copies of the tile `code` the seat knows `holder` to hold because they traded it."""
    count = 0
    for t in range(int64(s["trades"])):
        if known_by(s, seat, t):
            if s["trade_other"][t] == holder and s["trade_given"][t] == code:
                count += int64(s["trade_given_held"][t])
            if s["trade_actor"][t] == holder and s["trade_taken"][t] == code:
                count += int64(s["trade_taken_held"][t])
    return count
