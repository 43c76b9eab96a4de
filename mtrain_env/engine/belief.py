"""Drawing the hidden tiles: a uniformly random deal among those under which the whole public history was legal.

A deal puts one tile into every *slot*: the places of the first hands, each later gain, what is left of the boneyard.
Known tiles that left a hand fill one slot of their seat, but which one is often unknown; hidden tiles fill the rest.
A tile fits a slot of a hand if the seat was not shown to lack its numbers after it got that slot (knowledge.py). So
deals are the perfect matchings of contents and slots. One is found (earliest slots to tiles that left, then
augmenting paths) and shuffled by random swaps and rotations that keep it legal: a symmetric walk, uniform in the limit.

Approximations, both rare: a tile that two *other* seats traded is only held to be one that may lie in the taker's hand,
and what a partner in trade did with a traded tile in a second trade, unseen, is not followed (there are two at most).
"""

from typing import Any

import numpy as np

from mtrain_env._jit import int64, jit
from mtrain_env.engine.knowledge import known_by
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.specials import move_tile
from mtrain_env.engine.state import (
    DERAIL,
    IN_BONEYARD,
    KINDS,
    MAX_DECK,
    MAX_GAINS,
    MAX_TILES,
    NONE,
    NUMBERS,
    RANDOM,
    UNSEEN,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW

_MAX_SLOTS = MAX_DECK + MAX_GAINS
_SWEEPS = 12  # proposals per slot; the chi-square tests see no trace of the start from 4 on
_EMPTY = -1

WORK = np.dtype(
    [
        ("slots", np.int16),
        ("slot_seat", np.int16, (_MAX_SLOTS,)),  # a seat, or IN_BONEYARD
        ("slot_gain", np.int16, (_MAX_SLOTS,)),  # 0 = dealt, else the number of the gain
        ("slot_order", np.int16, (_MAX_SLOTS,)),  # when the tile turned up, for `random` opening doubles
        ("slot_content", np.int16, (_MAX_SLOTS,)),  # index of the content, _EMPTY
        ("items", np.int16),  # contents 0..items-1 belong to a seat; the others are hidden tiles
        ("contents", np.int16),
        ("content_tile", np.int16, (_MAX_SLOTS,)),  # tile code, NONE = a traded tile that is counted elsewhere
        ("content_seat", np.int16, (_MAX_SLOTS,)),
        ("content_from", np.int16, (_MAX_SLOTS,)),  # its slot has this gain number or a later one ..
        ("content_to", np.int16, (_MAX_SLOTS,)),  # .. up to this one
        ("content_stays", np.int16, (_MAX_SLOTS,)),  # 1 = still in the hand (a traded tile the seat knows of)
        ("content_slot", np.int16, (_MAX_SLOTS,)),
        ("opening", np.int16),  # content that is the opening double, _EMPTY if the seat drew it itself
        ("opening_order", np.int16),  # when it did
        ("queue", np.int16, (_MAX_SLOTS,)),  # augmenting paths: slots to look at, and where each was reached from
        ("parent", np.int16, (_MAX_SLOTS,)),
    ],
    align=True,
)


@jit
def draw_world(s: Any, seat: int, w: Any, rng: Any) -> None:
    """R26, R27: fill the hidden hands and the boneyard of the blanked game `s` at random; `w`: one WORK record."""
    _list_slots(s, seat, w)
    _list_items(s, seat, w)
    w["items"] = w["contents"]
    _list_hidden(s, seat, w)
    _place_items(w)
    _place_hidden(s, w, rng)
    _mix(s, w, rng)
    _write(s, seat, w)


@jit
def _add_slot(w: Any, seat: int, gain: int, order: int) -> None:
    k = int64(w["slots"])
    w["slot_seat"][k] = seat
    w["slot_gain"][k] = gain
    w["slot_order"][k] = order
    w["slot_content"][k] = _EMPTY
    w["slots"] = k + 1


@jit
def _list_slots(s: Any, seat: int, w: Any) -> None:
    """Every place of a tile that `seat` does not see, by seat and order of gains; its own deal for `random` only."""
    n = int64(s["num_players"])
    size = int64(s["hand_size"])
    after_deal = n * size
    hunting = max(int64(s["hunting_seat"]), 0)
    w["slots"] = 0
    for other in range(n):
        if other == seat and s["opening_order"] != RANDOM:
            continue
        for k in range(size):
            _add_slot(w, other, 0, k * n + (other - hunting + n) % n)
        if other == seat:
            continue
        for g in range(int64(s["gains"])):
            if s["gain_seat"][g] == other:
                _add_slot(w, other, g + 1, after_deal + g)
    for _ in range(int64(s["deck_size"]) - int64(s["deck_next"])):
        _add_slot(w, IN_BONEYARD, 0, after_deal + MAX_GAINS)


@jit
def _add_content(w: Any, code: int, seat: int, first: int, last: int, stays: int) -> None:
    k = int64(w["contents"])
    w["content_tile"][k] = code
    w["content_seat"][k] = seat
    w["content_from"][k] = first
    w["content_to"][k] = last
    w["content_stays"][k] = stays
    w["content_slot"][k] = _EMPTY
    w["contents"] = k + 1


@jit
def _list_items(s: Any, seat: int, w: Any) -> None:
    """The contents that belong to a seat: tiles laid and used, traded away, or known to be held."""
    w["contents"] = 0
    for k in range(int64(s["laid_count"])):
        other = int64(s["laid_by"][k])
        if other != NONE and other != seat:
            code = int64(s["laid_tile"][k])
            first = max(int64(s["laid_from"][k]), _traded_to(s, seat, other, code))
            _add_content(w, code, other, first, int64(s["laid_gains"][k]), 0)
    if s["opening_order"] == RANDOM:
        size = int64(s["hand_size"])
        for k in range(seat * size, (seat + 1) * size):
            _add_content(w, int64(s["deck"][k]), seat, 0, 0, 0)
    for g in range(int64(s["gains"])):
        if s["gain_trade"][g] != 0 and s["gain_seat"][g] == s["trade_actor"][int64(s["gain_trade"][g]) - 1]:
            t = int64(s["gain_trade"][g]) - 1
            _list_trade(s, seat, w, t, g + 1)


@jit
def _list_trade(s: Any, seat: int, w: Any, t: int, gain: int) -> None:
    """D7: trade `t`, in which the actor got gain number `gain` and the other the next one."""
    actor = int64(s["trade_actor"][t])
    other = int64(s["trade_other"][t])
    if actor != seat:
        _add_content(w, NONE, actor, 0, gain - 1, 0)
    if other != seat:
        _add_content(w, NONE, other, 0, gain - 1, 0)
    if actor == seat and s["trade_given_held"][t] != 0:
        _add_content(w, int64(s["trade_given"][t]), other, gain + 1, gain + 1, 1)
    if other == seat and s["trade_taken_held"][t] != 0:
        _add_content(w, int64(s["trade_taken"][t]), actor, gain, gain, 1)


@jit
def _traded_to(s: Any, seat: int, holder: int, code: int) -> int:
    """D7: the gain by which `holder` got the numbered tile `code` from `seat`, 0 if it did not."""
    if code >= MAX_TILES:
        return 0
    for g in range(int64(s["gains"])):
        t = int64(s["gain_trade"][g]) - 1
        if t >= 0 and s["gain_seat"][g] == holder and known_by(s, seat, t):
            if code == int64(s["trade_given"][t] if s["trade_other"][t] == holder else s["trade_taken"][t]):
                return g + 1
    return 0


@jit
def _list_hidden(s: Any, seat: int, w: Any) -> None:
    """The hidden tiles, but those that the items count already."""
    for tile in range(int64(s["num_tiles"])):
        if s["tile_place"][tile] == UNSEEN and not _listed_as_held(w, tile):
            _add_content(w, tile, NONE, 0, 0, 0)
    if s["special_tiles"] != 0:
        for kind in range(KINDS):
            left = 2 - int64(s["special_hand"][seat, kind])
            if kind == DERAIL and s["derail_once"] != 0:
                left -= int64(s["derails_gone"])
            else:
                left -= int64(s["specials_played"][kind])
            for k in range(int64(w["items"])):
                if w["content_stays"][k] != 0 and w["content_tile"][k] == MAX_TILES + kind:
                    left -= 1
            for _ in range(left):
                _add_content(w, MAX_TILES + kind, NONE, 0, 0, 0)


@jit
def _listed_as_held(w: Any, tile: int) -> bool:
    for k in range(int64(w["items"])):
        if w["content_stays"][k] != 0 and w["content_tile"][k] == tile:
            return True
    return False


@jit
def _put(w: Any, content: int, slot: int) -> None:
    w["slot_content"][slot] = content
    w["content_slot"][content] = slot


@jit
def _place_items(w: Any) -> None:
    """Give each slot, earliest gain first, to the item that must leave first: slots of which least is known stay free.

    The slots of a seat that items can fill are the independent sets of a matroid, and this is its greedy basis.
    """
    for slot in range(int64(w["slots"])):
        best = _EMPTY
        for item in range(int64(w["items"])):
            if w["content_slot"][item] == _EMPTY and _item_fits(w, item, slot):
                if best == _EMPTY or w["content_to"][item] < w["content_to"][best]:
                    best = item
        if best != _EMPTY:
            _put(w, best, slot)


@jit
def _item_fits(w: Any, item: int, slot: int) -> bool:
    gain = w["slot_gain"][slot]
    seat_fits = w["content_seat"][item] == w["slot_seat"][slot]
    return bool(seat_fits and w["content_from"][item] <= gain <= w["content_to"][item])


@jit
def _fits(s: Any, w: Any, content: int, slot: int) -> bool:
    """R27: the content may lie in the slot."""
    if content < int64(w["items"]):
        return _item_fits(w, content, slot)
    seat = int64(w["slot_seat"][slot])
    if seat == IN_BONEYARD:
        return True
    gain = int64(w["slot_gain"][slot])
    code = int64(w["content_tile"][content])
    void_at = s["void_at"][seat]
    if code >= MAX_TILES:
        return int64(void_at[NUMBERS + code - MAX_TILES]) <= gain
    return int64(void_at[TILE_LOW[code]]) <= gain and int64(void_at[TILE_HIGH[code]]) <= gain


@jit
def _place_hidden(s: Any, w: Any, rng: Any) -> None:
    """Fill the free slots of hands with random hidden tiles that fit, by augmenting paths; then the boneyard."""
    first = int64(w["items"])
    for k in range(int64(w["contents"]) - 1, first, -1):
        j = first + random_below(rng, k - first + 1)
        code = w["content_tile"][k]
        w["content_tile"][k] = w["content_tile"][j]
        w["content_tile"][j] = code
    for slot in range(int64(w["slots"])):
        if w["slot_content"][slot] == _EMPTY and w["slot_seat"][slot] != IN_BONEYARD:
            _augment(s, w, slot)
    content = first
    for slot in range(int64(w["slots"])):
        if w["slot_content"][slot] == _EMPTY:
            while w["content_slot"][content] != _EMPTY:
                content += 1
            _put(w, content, slot)


@jit
def _free_content(s: Any, w: Any, slot: int) -> int:
    """A hidden tile not placed yet that fits the slot, _EMPTY if none."""
    for content in range(int64(w["items"]), int64(w["contents"])):
        if w["content_slot"][content] == _EMPTY and _fits(s, w, content, slot):
            return content
    return _EMPTY


@jit
def _augment(s: Any, w: Any, slot: int) -> None:
    """Fill `slot`, moving hidden tiles among slots filled before where no unplaced one fits (breadth-first search)."""
    slots = int64(w["slots"])
    for k in range(slots):
        w["parent"][k] = _EMPTY
    w["parent"][slot] = slot
    w["queue"][0] = slot
    head = 0
    tail = 1
    while head < tail:
        at = int64(w["queue"][head])
        head += 1
        content = _free_content(s, w, at)
        if content != _EMPTY:
            while at != slot:  # shift the tiles along the path
                before = int64(w["parent"][at])
                moved = int64(w["slot_content"][at])
                _put(w, content, at)
                content = moved
                at = before
            _put(w, content, slot)
            return
        for k in range(slots):
            held = int64(w["slot_content"][k])
            if w["parent"][k] == _EMPTY and held >= int64(w["items"]) and _fits(s, w, held, at):
                w["parent"][k] = at
                w["queue"][tail] = k
                tail += 1


@jit
def _find_opening(s: Any, w: Any) -> None:
    """R2 `random`: which content is the opening double, or when the seat itself drew it."""
    w["opening"] = _EMPTY
    w["opening_order"] = int64(s["num_players"]) * int64(s["hand_size"]) + int64(s["laid_from"][0]) - 1
    for content in range(int64(w["items"])):
        if w["content_tile"][content] == s["laid_tile"][0]:
            w["opening"] = content


@jit
def _too_early(s: Any, w: Any) -> int:
    """R2 `random`: how many doubles not used yet turned up before the opening double did: none, in truth."""
    opening_order = int64(w["opening_order"])
    if w["opening"] != _EMPTY:
        opening_order = int64(w["slot_order"][int64(w["content_slot"][int64(w["opening"])])])
    count = 0
    for content in range(int64(w["contents"])):
        code = int64(w["content_tile"][content])
        if code < MAX_TILES and TILE_LOW[code] == TILE_HIGH[code]:
            unused = (int64(s["used_doubles"]) >> int64(TILE_LOW[code])) & 1 == 0
            if unused and int64(w["slot_order"][int64(w["content_slot"][content])]) < opening_order:
                count += 1
    return count


@jit
def _may_rotate(s: Any, w: Any, a: int, b: int, c: int) -> bool:
    """R27: the contents of slots a -> b -> c -> a may change places so; c = a is a swap of two."""
    if a == b or b == c or (w["slot_seat"][a] == IN_BONEYARD and w["slot_seat"][b] == IN_BONEYARD):
        return False
    if not _fits(s, w, int64(w["slot_content"][a]), b) or not _fits(s, w, int64(w["slot_content"][b]), c):
        return False
    return c == a or _fits(s, w, int64(w["slot_content"][c]), a)


@jit
def _rotate_contents(w: Any, a: int, b: int, c: int) -> None:
    x = int64(w["slot_content"][a])
    y = int64(w["slot_content"][b])
    z = int64(w["slot_content"][c])
    _put(w, x, b)
    _put(w, y, c)
    if c != a:
        _put(w, z, a)


@jit
def _mix(s: Any, w: Any, rng: Any) -> None:
    """Shuffle: swap two slots or rotate three, wherever the contents fit (and `random`'s order stays true)."""
    slots = int64(w["slots"])
    ordered = s["opening_order"] == RANDOM
    early = 0
    if ordered:
        _find_opening(s, w)
        early = _too_early(s, w)
    for _ in range(_SWEEPS * slots):
        a = random_below(rng, slots)
        b = random_below(rng, slots)
        c = random_below(rng, slots) if random_below(rng, 3) == 0 else a
        if not _may_rotate(s, w, a, b, c):
            continue
        _rotate_contents(w, a, b, c)
        if ordered:
            now = _too_early(s, w)
            if now > early:
                if c == a:
                    _rotate_contents(w, a, b, a)
                else:
                    _rotate_contents(w, a, c, b)
            else:
                early = now


@jit
def _write(s: Any, seat: int, w: Any) -> None:
    """Put the drawn tiles into the hands and the boneyard of the game."""
    for other in range(int64(s["num_players"])):
        if other != seat:
            s["hand_count"][other] = 0
    next_drawn = int64(s["deck_next"])
    for slot in range(int64(w["slots"])):
        content = int64(w["slot_content"][slot])
        if content < int64(w["items"]) and w["content_stays"][content] == 0:
            continue
        code = int64(w["content_tile"][content])
        holder = int64(w["slot_seat"][slot])
        if holder == IN_BONEYARD:
            s["deck"][next_drawn] = code
            next_drawn += 1
            if code < MAX_TILES:
                s["tile_place"][code] = IN_BONEYARD
        else:
            move_tile(s, code, NONE, holder)
