"""The deals under which the whole public history was legal, as slots and contents; redeal.py draws one of them.

A deal puts one tile into every *slot*: the places of the first hands, each later gain, and what is left of the
boneyard. Known tiles that have left a hand, the *items*, occupy one slot of their seat, but which one is often
unknown; hidden tiles fill the rest. A tile fits a slot of a hand if the seat was not shown to lack its numbers after
it got that slot (knowledge.py). So deals are the perfect matchings of contents and slots. Only *bound* slots, those of
seats that have shown to lack something, need such care: any hidden tile fits the others, so their items are left out.

Approximations, all rare: a tile that two *other* seats traded is only held to be one that may lie in the taker's hand;
what a partner in trade did with a traded tile in a second trade, unseen, is not followed (at most two trades a round);
when the giver of a traded tile got it is known no better than the latest void numbers tell (`_traded_from`).
"""

from typing import Any

import numpy as np

from mtrain_env._jit import int64, jit
from mtrain_env.engine.knowledge import known_by
from mtrain_env.engine.state import (
    DERAIL,
    FACES,
    IN_BONEYARD,
    KINDS,
    MAX_DECK,
    MAX_GAINS,
    MAX_PLAYERS,
    MAX_TILES,
    NONE,
    NUMBERS,
    RANDOM,
    UNSEEN,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW

_MAX_SLOTS = MAX_DECK + MAX_GAINS
EMPTY = -1

WORK = np.dtype(
    [
        ("slots", np.int16),
        ("bound", np.int16),  # slots 0..bound-1 belong to seats that have shown to lack something
        ("seat_first", np.int16, (MAX_PLAYERS,)),  # the first of a bound seat's slots and of its items, and how many
        ("seat_slots", np.int16, (MAX_PLAYERS,)),
        ("item_first", np.int16, (MAX_PLAYERS,)),
        ("seat_items", np.int16, (MAX_PLAYERS,)),
        ("slot_seat", np.int16, (_MAX_SLOTS,)),  # a seat, or IN_BONEYARD
        ("slot_gain", np.int16, (_MAX_SLOTS,)),  # 0 = dealt, else the number of the gain
        ("slot_order", np.int16, (_MAX_SLOTS,)),  # when the tile turned up, for `random` opening doubles
        ("slot_content", np.int16, (_MAX_SLOTS,)),  # index of the content, EMPTY
        ("items", np.int16),  # contents 0..items-1 belong to a seat; the others are hidden tiles
        ("contents", np.int16),
        ("content_tile", np.int16, (_MAX_SLOTS,)),  # tile code, NONE = a tile that others traded
        ("content_seat", np.int16, (_MAX_SLOTS,)),
        ("content_from", np.int16, (_MAX_SLOTS,)),  # its slot has this gain number or a later one ..
        ("content_to", np.int16, (_MAX_SLOTS,)),  # .. up to this one
        ("content_stays", np.int16, (_MAX_SLOTS,)),  # 1 = still in the hand (a traded tile the seat knows of)
        ("content_late", np.int16, (_MAX_SLOTS,)),  # 1 = must have turned up after the opening double (`random`)
        ("content_twin", np.int16, (_MAX_SLOTS,)),  # other copy of a special tile if one is an item; EMPTY
        ("content_slot", np.int16, (_MAX_SLOTS,)),
        ("pairs", np.int16),  # pairs of copies of special tiles one of which has left a hand
        ("pair", np.int16, (KINDS,)),  # the item of each
        ("opening", np.int16),  # content that is the opening double (`random`), EMPTY if there is none
        ("opening_order", np.int16),  # when it turned up
        ("queue", np.int16, (_MAX_SLOTS,)),  # augmenting paths: slots to look at, and where each was reached from
        ("parent", np.int16, (_MAX_SLOTS,)),
        ("reach", np.int16, (_MAX_SLOTS, MAX_PLAYERS)),  # how many, the latest, of a seat's slots it fits
        ("reach_all", np.int16, (_MAX_SLOTS,)),  # how many slots the content fits
        ("reach_from", np.int16, (_MAX_SLOTS,)),  # the first slot that an item fits
        ("before", np.int16, (_MAX_SLOTS,)),  # the contents of all slots before the last change
    ],
    align=True,
)


@jit
def list_world(s: Any, seat: int, w: Any) -> None:
    """R26, R27: list the slots and contents of the deals that agree with the blanked game `s`; none is placed yet."""
    w["slots"] = 0
    w["contents"] = 0
    _list_bound(s, seat, w)
    _list_free(s, seat, w)
    w["items"] = w["contents"]
    _list_hidden(s, seat, w)
    _find_opening(s, w)


@jit
def _is_bound(s: Any, other: int) -> bool:
    """R27: not every hidden tile fits every place of this hand; with `random` opening doubles no hand is free."""
    if s["opening_order"] == RANDOM:
        return True
    for face in range(FACES):
        if s["void_at"][other, face] != 0:
            return True
    if s["special_tiles"] != 0:  # which of two copies left the hand matters (redeal.py)
        for k in range(int64(s["laid_count"])):
            if s["laid_by"][k] == other and s["laid_tile"][k] >= MAX_TILES:
                return True
        for t in range(int64(s["trades"])):
            if s["trade_actor"][t] == other or s["trade_other"][t] == other:
                return True
    return False


@jit
def _add_slot(w: Any, seat: int, gain: int, order: int) -> None:
    k = int64(w["slots"])
    w["slot_seat"][k] = seat
    w["slot_gain"][k] = gain
    w["slot_order"][k] = order
    w["slot_content"][k] = EMPTY
    w["slots"] = k + 1


@jit
def _add_content(w: Any, code: int, seat: int, first: int, last: int, stays: int) -> None:
    k = int64(w["contents"])
    w["content_tile"][k] = code
    w["content_seat"][k] = seat
    w["content_from"][k] = first
    w["content_to"][k] = last
    w["content_stays"][k] = stays
    w["content_late"][k] = 0
    w["content_twin"][k] = EMPTY
    w["content_slot"][k] = EMPTY
    w["contents"] = k + 1


@jit
def _list_bound(s: Any, seat: int, w: Any) -> None:
    """Every place that a bound seat ever had for a tile, by gain, and its items; the own deal for `random` only."""
    n = int64(s["num_players"])
    for other in range(n):
        w["seat_slots"][other] = 0
        if not _is_bound(s, other) or (other == seat and s["opening_order"] != RANDOM):
            continue
        w["seat_first"][other] = w["slots"]
        w["item_first"][other] = w["contents"]
        size = int64(s["hand_size"])
        if other == seat:
            for k in range(seat * size, (seat + 1) * size):
                _add_content(w, int64(s["deck"][k]), seat, 0, 0, 0)
        else:
            size -= _list_items(s, seat, other, w)
        _list_slots(s, seat, other, size, w)
        w["seat_slots"][other] = w["slots"] - w["seat_first"][other]
        w["seat_items"][other] = w["contents"] - w["item_first"][other]
    w["bound"] = w["slots"]


@jit
def _list_slots(s: Any, seat: int, other: int, dealt: int, w: Any) -> None:
    n = int64(s["num_players"])
    size = int64(s["hand_size"])
    hunting = int64(s["hunting_seat"])
    for k in range(dealt):
        _add_slot(w, other, 0, k * n + (other - hunting + n) % n)
    if other != seat:
        for g in range(int64(s["gains"])):
            if s["gain_seat"][g] == other:
                _add_slot(w, other, g + 1, n * size + g)


@jit
def _first_gain(s: Any, other: int) -> int:
    """The number of the first gain of the seat, one more than all gains if it made none."""
    for g in range(int64(s["gains"])):
        if s["gain_seat"][g] == other:
            return g + 1
    return int64(s["gains"]) + 1


@jit
def _list_items(s: Any, seat: int, other: int, w: Any) -> int:
    """The contents that belong to `other`: tiles laid and used, traded away, or known to be held.

    Numbered tiles that can only have been dealt are left out, each with one of the dealt slots. Returns their number.
    """
    dealt = 0
    first_gain = _first_gain(s, other)
    for k in range(int64(s["laid_count"])):
        if s["laid_by"][k] == other:
            code, last = int64(s["laid_tile"][k]), int64(s["laid_gains"][k])
            traded = _traded_to(s, seat, other, code, last, k) if s["trades"] > 0 else 0
            if traded > 0:
                _add_content(w, code, other, traded, traded, 0)
            elif last < first_gain and code < MAX_TILES and s["opening_order"] != RANDOM:
                dealt += 1
            else:
                _add_content(w, code, other, int64(s["laid_from"][k]), last, 0)
    for t in range(int64(s["trades"])):
        if s["trade_actor"][t] == other or s["trade_other"][t] == other:
            code = int64(s["trade_given"][t] if s["trade_actor"][t] == other else s["trade_taken"][t])
            last = _gain_of_trade(s, t) - 1
            traded = 0
            if code != NONE:
                traded = _traded_to(s, seat, other, code, last, int64(s["laid_count"]))
            if traded > 0:
                _add_content(w, code, other, traded, traded, 0)
            else:
                _add_content(w, code, other, _traded_from(s, other, last, code), last, 0)
    _list_held(s, seat, other, w)
    return dealt


@jit
def _list_held(s: Any, seat: int, other: int, w: Any) -> int:
    """D7: add the contents that `seat` knows `other` to hold, because they traded; their number."""
    count = 0
    for t in range(int64(s["trades"])):
        gain = _gain_of_trade(s, t)
        if s["trade_actor"][t] == seat and s["trade_other"][t] == other and s["trade_given_held"][t] != 0:
            _add_content(w, int64(s["trade_given"][t]), other, gain + 1, gain + 1, 1)
            count += 1
        if s["trade_other"][t] == seat and s["trade_actor"][t] == other and s["trade_taken_held"][t] != 0:
            _add_content(w, int64(s["trade_taken"][t]), other, gain, gain, 1)
            count += 1
    return count


@jit
def _gain_of_trade(s: Any, t: int) -> int:
    """D7: the number of the gain that the actor made by trade `t`; the other made the next one."""
    g = 0
    while s["gain_trade"][g] != t + 1:
        g += 1
    return g + 1


@jit
def _traded_from(s: Any, giver: int, last: int, code: int) -> int:
    """D7: a gain no later than that by which `giver` got the tile `code`, which it traded away after gain `last`.

    0 for an unknown tile (NONE), and where the lack of its faces was shown again after the trade: that hides what was
    shown before.
    """
    if code == NONE:
        return 0
    low, high = NUMBERS + code - MAX_TILES, NUMBERS + code - MAX_TILES
    if code < MAX_TILES:
        low, high = int64(TILE_LOW[code]), int64(TILE_HIGH[code])
    shown_low = int64(s["void_at"][giver, low])
    shown_high = int64(s["void_at"][giver, high])
    return max(shown_low if shown_low <= last else 0, shown_high if shown_high <= last else 0)


@jit
def _traded_to(s: Any, seat: int, holder: int, code: int, last: int, k: int) -> int:
    """D7: the gain by which `holder` got from `seat` the tile `code` that left its hand after gain `last`, 0 if not so.

    It was laid as number `k`, or traded away (`k` = laid_count). Of equal special tiles the traded one leaves first.
    """
    for t in range(int64(s["trades"])):
        if not known_by(s, seat, t):
            continue
        gain = _gain_of_trade(s, t)
        got = NONE
        if s["trade_other"][t] == holder:
            got = int64(s["trade_given"][t])
            gain += 1
        elif s["trade_actor"][t] == holder:
            got = int64(s["trade_taken"][t])
        if got == code and gain <= last and not _left_before(s, holder, code, gain, last, k):
            return gain
    return 0


@jit
def _left_before(s: Any, holder: int, code: int, gain: int, last: int, k: int) -> bool:
    """D7: a tile `code` left the hand of `holder` after gain `gain` and before another did (arguments: _traded_to)."""
    for j in range(k):
        if s["laid_by"][j] == holder and s["laid_tile"][j] == code and gain <= s["laid_gains"][j] <= last:
            return True
    for t in range(int64(s["trades"])):
        left = _gain_of_trade(s, t) - 1
        if gain <= left < last:  # a tile laid with `left` gains made was laid before this trade
            if s["trade_actor"][t] == holder and s["trade_given"][t] == code:
                return True
            if s["trade_other"][t] == holder and s["trade_taken"][t] == code:
                return True
    return False


@jit
def _list_free(s: Any, seat: int, w: Any) -> None:
    """The places of the hands that are not bound, tiles known to be held in theirs, and of the boneyard."""
    for other in range(int64(s["num_players"])):
        if other == seat or _is_bound(s, other):
            continue
        held = _list_held(s, seat, other, w)
        for item in range(int64(w["contents"]) - held, int64(w["contents"])):
            _add_slot(w, other, int64(w["content_from"][item]), 0)
            put(w, item, int64(w["slots"]) - 1)
        for _ in range(int64(s["hand_count"][other]) - held):
            _add_slot(w, other, 0, 0)
    late = int64(s["num_players"]) * int64(s["hand_size"]) + MAX_GAINS
    for _ in range(int64(s["deck_size"]) - int64(s["deck_next"])):
        _add_slot(w, IN_BONEYARD, 0, late)


@jit
def _list_hidden(s: Any, seat: int, w: Any) -> None:
    """The hidden tiles, but those that the items count already."""
    for tile in range(int64(s["num_tiles"])):
        if s["tile_place"][tile] == UNSEEN and _listed_as_held(s, w, tile) == 0:
            _add_content(w, tile, NONE, 0, 0, 0)
    if s["special_tiles"] != 0:
        for kind in range(KINDS):
            left = 2 - int64(s["special_hand"][seat, kind])
            if kind == DERAIL and s["derail_once"] != 0:
                left -= int64(s["derails_gone"])
            else:
                left -= int64(s["specials_played"][kind])
            for _ in range(left - _listed_as_held(s, w, MAX_TILES + kind)):
                _add_content(w, MAX_TILES + kind, NONE, 0, 0, 0)


@jit
def _listed_as_held(s: Any, w: Any, tile: int) -> int:
    if s["trades"] == 0:
        return 0
    count = 0
    for k in range(int64(w["items"])):
        if w["content_stays"][k] != 0 and w["content_tile"][k] == tile:
            count += 1
    return count


@jit
def put(w: Any, content: int, slot: int) -> None:
    """Lay the content into the slot."""
    w["slot_content"][slot] = content
    w["content_slot"][content] = slot


@jit
def _find_opening(s: Any, w: Any) -> None:
    """R2 `random`: put the opening double into the earliest slot possible, and note what must have turned up later.

    These are the doubles not used yet: the first one that turns up is the opening double.
    """
    w["opening"] = EMPTY
    if s["opening_order"] != RANDOM:
        return
    w["opening_order"] = int64(s["num_players"]) * int64(s["hand_size"]) + int64(s["laid_from"][0]) - 1
    for content in range(int64(w["contents"])):
        code = int64(w["content_tile"][content])
        if code < MAX_TILES and TILE_LOW[code] == TILE_HIGH[code]:
            if (int64(s["used_doubles"]) >> int64(TILE_LOW[code])) & 1 == 0:
                w["content_late"][content] = 1
            if code == s["laid_tile"][0]:
                w["opening"] = content
    if w["opening"] != EMPTY:
        item = int64(w["opening"])
        slot = int64(w["seat_first"][int64(w["content_seat"][item])])
        while not item_fits(w, item, slot):
            slot += 1
        put(w, item, slot)
        w["opening_order"] = w["slot_order"][slot]


@jit
def item_fits(w: Any, item: int, slot: int) -> bool:
    """R27: the item may lie in the slot: it is of that seat, and came and left at the right time."""
    if w["content_seat"][item] != w["slot_seat"][slot]:
        return False
    gain = w["slot_gain"][slot]
    if gain < w["content_from"][item] or gain > w["content_to"][item]:
        return False
    return bool(w["content_late"][item] == 0 or w["slot_order"][slot] > w["opening_order"])


@jit
def fits(s: Any, w: Any, content: int, slot: int) -> bool:
    """R27: the content may lie in the slot."""
    if content < int64(w["items"]):
        return item_fits(w, content, slot)
    seat = int64(w["slot_seat"][slot])
    if seat == IN_BONEYARD:
        return True
    gain = int64(w["slot_gain"][slot])
    code = int64(w["content_tile"][content])
    void_at = s["void_at"][seat]
    if code >= MAX_TILES:
        return int64(void_at[NUMBERS + code - MAX_TILES]) <= gain
    if int64(void_at[TILE_LOW[code]]) > gain or int64(void_at[TILE_HIGH[code]]) > gain:
        return False
    return bool(w["content_late"][content] == 0 or w["slot_order"][slot] > w["opening_order"])
