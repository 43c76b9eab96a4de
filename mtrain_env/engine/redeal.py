"""Drawing one of the deals that belief.py describes, uniformly at random.

One is found (earliest slots to tiles that left, then augmenting paths) and shuffled by excursions: a reversible walk
through all legal deals, uniform in the limit. Swaps of two tiles were tried first: so few of them are legal late in a
round that thousands left a trace of the start. Only bound slots need the walk; the free ones are simply shuffled.
"""

from typing import Any

from mtrain_env._jit import int64, jit
from mtrain_env.engine.belief import EMPTY, fits, item_fits, list_world, put
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.specials import move_tile
from mtrain_env.engine.state import IN_BONEYARD, MAX_TILES, NONE, NUMBERS
from mtrain_env.tiles import TILE_HIGH, TILE_LOW

_EXCURSIONS = 4  # per bound slot, and _AT_LEAST; from 3 on 20,000 worlds of real games show no trace of the start
_AT_LEAST = 32
_IN_ORDER = 4  # so many times more where the order of the deal matters (`random` opening doubles)
_HOME = 8


@jit
def draw_world(s: Any, seat: int, w: Any, rng: Any) -> None:
    """R26, R27: fill the hidden hands and the boneyard of the blanked game `s` at random; `w`: one WORK record."""
    if s["deck_size"] == 0:  # nothing is dealt while a seat chooses the opening double
        return
    list_world(s, seat, w)
    _place_items(s, w)
    _place_hidden(s, w, rng)
    w["pairs"] = 0
    if s["special_tiles"] != 0:
        _pair_copies(w)
    _mix(s, w, rng)
    _shuffle_free(w, rng)
    _write(s, seat, w)


@jit
def _place_items(s: Any, w: Any) -> None:
    """Give each slot, earliest gain first, to the item that must leave first: the latest slots stay free.

    The slots of a seat that items can fill are the independent sets of a matroid, and this is its greedy basis; the
    latest slots are the ones that the most tiles fit.
    """
    for seat in range(int64(s["num_players"])):
        first = int64(w["seat_first"][seat])
        first_item = int64(w["item_first"][seat])
        for slot in range(first, first + int64(w["seat_slots"][seat])):
            if w["slot_content"][slot] != EMPTY:
                continue
            best = EMPTY
            for item in range(first_item, first_item + int64(w["seat_items"][seat])):
                if w["content_slot"][item] == EMPTY and item_fits(w, item, slot):
                    if best == EMPTY or w["content_to"][item] < w["content_to"][best]:
                        best = item
            if best != EMPTY:
                put(w, best, slot)


@jit
def _place_hidden(s: Any, w: Any, rng: Any) -> None:
    """Fill the bound slots with hidden tiles that fit, augmenting if need be; then the free ones."""
    first = int64(w["items"])
    for k in range(int64(w["contents"]) - 1, first, -1):
        j = first + random_below(rng, k - first + 1)
        code = w["content_tile"][k]
        w["content_tile"][k] = w["content_tile"][j]
        w["content_tile"][j] = code
        late = w["content_late"][k]
        w["content_late"][k] = w["content_late"][j]
        w["content_late"][j] = late
    for slot in range(int64(w["bound"])):
        if w["slot_content"][slot] == EMPTY:
            content = _free_content(s, w, slot)
            if content != EMPTY:
                put(w, content, slot)
            else:
                _augment(s, w, slot)
    content = first
    for slot in range(int64(w["bound"]), int64(w["slots"])):
        if w["slot_content"][slot] == EMPTY:
            while w["content_slot"][content] != EMPTY:
                content += 1
            put(w, content, slot)


@jit
def _free_content(s: Any, w: Any, slot: int) -> int:
    """A hidden tile not placed yet that fits the slot, EMPTY if none."""
    for content in range(int64(w["items"]), int64(w["contents"])):
        if w["content_slot"][content] == EMPTY and fits(s, w, content, slot):
            return content
    return EMPTY


@jit
def _augment(s: Any, w: Any, slot: int) -> None:
    """Fill `slot`, moving hidden tiles among slots filled before where no unplaced one fits (breadth-first search)."""
    slots = int64(w["bound"])
    for k in range(slots):
        w["parent"][k] = EMPTY
    w["parent"][slot] = slot
    w["queue"][0] = slot
    head = 0
    tail = 1
    while head < tail:
        at = int64(w["queue"][head])
        head += 1
        content = _free_content(s, w, at)
        if content != EMPTY:
            while at != slot:  # shift the tiles along the path
                before = int64(w["parent"][at])
                moved = int64(w["slot_content"][at])
                put(w, content, at)
                content = moved
                at = before
            put(w, content, slot)
            return
        for k in range(slots):
            held = int64(w["slot_content"][k])
            if w["parent"][k] == EMPTY and held >= int64(w["items"]) and fits(s, w, held, at):
                w["parent"][k] = at
                w["queue"][tail] = k
                tail += 1


@jit
def _pair_copies(w: Any) -> None:
    """Section 6: find the pairs of copies of a special tile one of which has left a hand (`_double_counted`)."""
    for a in range(int64(w["items"])):
        code = w["content_tile"][a]
        if MAX_TILES <= code < NONE and w["content_twin"][a] == EMPTY:
            for b in range(a + 1, int64(w["contents"])):
                if w["content_tile"][b] == code:
                    w["content_twin"][a] = b
                    w["content_twin"][b] = a
                    w["pair"][int64(w["pairs"])] = a
                    w["pairs"] += 1
                    break


@jit
def _double_counted(s: Any, w: Any) -> int:
    """Section 6: how many pairs of copies could change places.

    A deal in which a seat held both copies is one deal, whichever of them the seat laid: it must not count twice.
    """
    count = 0
    for k in range(int64(w["pairs"])):
        a = int64(w["pair"][k])
        b = int64(w["content_twin"][a])
        if fits(s, w, a, int64(w["content_slot"][b])) and fits(s, w, b, int64(w["content_slot"][a])):
            count += 1
    return count


@jit
def _swap_opening(s: Any, w: Any, rng: Any) -> None:
    """R2 `random`: let the opening double and a tile of its seat change places, if no unused double was earlier."""
    opening = int64(w["opening"])
    a = int64(w["content_slot"][opening])
    seat = int64(w["slot_seat"][a])
    b = int64(w["seat_first"][seat]) + random_below(rng, int64(w["seat_slots"][seat]))
    other = int64(w["slot_content"][b])
    if a == b or w["content_late"][other] != 0 or not fits(s, w, opening, b) or not fits(s, w, other, a):
        return
    order = w["slot_order"][b]
    for content in range(int64(w["contents"])):
        if w["content_late"][content] != 0 and w["slot_order"][int64(w["content_slot"][content])] < order:
            return
    put(w, opening, b)
    put(w, other, a)
    w["opening_order"] = order


@jit
def _list_reach(s: Any, w: Any) -> None:
    """Which slots each content fits: the latest of each bound seat and the free ones, or some of the item's seat."""
    for content in range(int64(w["items"])):
        seat = int64(w["content_seat"][content])
        w["reach_all"][content] = 0
        for slot in range(int64(w["seat_first"][seat]), int64(w["seat_first"][seat]) + int64(w["seat_slots"][seat])):
            gain = w["slot_gain"][slot]
            if w["content_from"][content] <= gain <= w["content_to"][content]:
                if w["reach_all"][content] == 0:
                    w["reach_from"][content] = slot
                w["reach_all"][content] += 1
    n = int64(s["num_players"])
    for content in range(int64(w["items"]), int64(w["contents"])):
        reach = int64(w["slots"]) - int64(w["bound"])
        for seat in range(n):
            if w["seat_slots"][seat] > 0:
                count = _reach(s, w, content, seat)
                w["reach"][content, seat] = count
                reach += count
        w["reach_all"][content] = reach


@jit
def _reach(s: Any, w: Any, content: int, seat: int) -> int:
    """R27: how many of the latest slots of the bound `seat` the hidden tile fits (whatever the order of the deal)."""
    if w["seat_items"][seat] == w["seat_slots"][seat]:
        return 0
    code = int64(w["content_tile"][content])
    void_at = s["void_at"][seat]
    if code >= MAX_TILES:
        since = int64(void_at[NUMBERS + code - MAX_TILES])
    else:
        since = max(int64(void_at[TILE_LOW[code]]), int64(void_at[TILE_HIGH[code]]))
    count = int64(w["seat_slots"][seat])
    if since > 0:
        first = int64(w["seat_first"][seat])
        last = first + count - 1
        count = 0
        while last - count >= first and int64(w["slot_gain"][last - count]) >= since:
            count += 1
    return count


@jit
def _reached(s: Any, w: Any, content: int, k: int) -> int:
    """The k-th of the slots that the content fits (_list_reach)."""
    if content < int64(w["items"]):
        return int64(w["reach_from"][content]) + k
    free = int64(w["slots"]) - int64(w["bound"])
    if k < free:
        return int64(w["bound"]) + k
    k -= free
    seat = 0
    while w["seat_slots"][seat] == 0 or k >= int64(w["reach"][content, seat]):
        if w["seat_slots"][seat] > 0:
            k -= int64(w["reach"][content, seat])
        seat += 1
    return int64(w["seat_first"][seat]) + int64(w["seat_slots"][seat]) - 1 - k


@jit
def _excursion(s: Any, w: Any, rng: Any) -> None:
    """Take the content out of a bound slot and let it push others out, one after the other, until one fills the gap.

    What is out goes to one of the slots that it fits at random, `_HOME` times as often to the gap. Every legal deal is
    as likely as any other, because an excursion the other way undoes each push by a choice of the same slot.
    """
    gap = random_below(rng, int64(w["bound"]))
    out = int64(w["slot_content"][gap])
    if out == w["opening"]:
        return
    while True:
        reach = int64(w["reach_all"][out])
        home = _HOME if fits(s, w, out, gap) else 0
        k = random_below(rng, reach + home)
        slot = _reached(s, w, out, k) if k < reach else gap
        if w["content_late"][out] != 0 and w["slot_order"][slot] <= w["opening_order"]:
            continue
        if slot == gap:
            put(w, out, gap)
            return
        pushed = int64(w["slot_content"][slot])
        if pushed != w["opening"]:
            put(w, out, slot)
            out = pushed


@jit
def _mix(s: Any, w: Any, rng: Any) -> None:
    """Shuffle by many excursions."""
    special = w["pairs"] > 0
    counted = _double_counted(s, w)
    _list_reach(s, w)
    excursions = _EXCURSIONS * int64(w["bound"]) + _AT_LEAST
    if w["opening"] != EMPTY:
        excursions *= _IN_ORDER
    for _ in range(excursions if w["bound"] > 0 else 0):
        if w["opening"] != EMPTY:
            _swap_opening(s, w, rng)
        if special:
            for slot in range(int64(w["slots"])):
                w["before"][slot] = w["slot_content"][slot]
        _excursion(s, w, rng)
        if special:
            now = _double_counted(s, w)
            if now > counted and random_below(rng, 1 << (now - counted)) != 0:
                for slot in range(int64(w["slots"])):
                    put(w, int64(w["before"][slot]), slot)
            else:
                counted = now


@jit
def _shuffle_free(w: Any, rng: Any) -> None:
    """Shuffle the hidden tiles in the free slots: every order of them is equally likely."""
    count = 0
    for slot in range(int64(w["bound"]), int64(w["slots"])):
        if w["slot_content"][slot] >= w["items"]:
            w["queue"][count] = slot
            count += 1
    for k in range(count - 1, 0, -1):
        a = int64(w["queue"][k])
        b = int64(w["queue"][random_below(rng, k + 1)])
        moved = int64(w["slot_content"][a])
        put(w, int64(w["slot_content"][b]), a)
        put(w, moved, b)


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
