"""The legal actions of the acting seat, as ascending ids of the action layout (DESIGN.md section 5)."""

from typing import Any

from mtrain_env._jit import int64, jit, trailing_zeros
from mtrain_env.engine.specials import playable_kinds, special_actions
from mtrain_env.engine.state import (
    ALL_NUMBERS,
    ANY,
    CHAIN_TURN,
    CHOOSING,
    MAY_ANYWHERE,
    MEXICAN_AFTER_ALL,
    MEXICAN_AFTER_OWN,
    MEXICAN_ALWAYS,
    NORMAL_TURN,
    NUMBERS,
    OPENING_TILE_TURN,
    OWES_COVER,
    OWES_NOTHING,
    PLAYING,
    TILE_ID,
    UNTIL_PLAYABLE,
    WILD,
)


@jit
def must_cover(s: Any) -> int:
    """R14, R16, R17: the train of the double that the acting seat must cover or satisfy, -1 if none."""
    if s["owed"] == OWES_COVER:
        return int64(s["double_train"][int64(s["double_count"]) - 1])
    if s["owed"] != OWES_NOTHING:
        return -1
    return int64(s["duty_train"])


@jit
def mexican_open(s: Any) -> bool:
    """R8: the Mexican train may be played on by the acting seat."""
    rule = s["mexican_train"]
    if rule == MEXICAN_ALWAYS:
        return True
    if rule == MEXICAN_AFTER_OWN:
        return (int64(s["started"]) >> int64(s["seat"])) & 1 == 1
    if rule == MEXICAN_AFTER_ALL:
        everyone = (1 << int64(s["num_players"])) - 1
        return int64(s["started"]) & everyone == everyone
    return False


@jit
def open_trains(s: Any) -> int:
    """R7: the trains on which the acting seat may lay a numbered tile now, as bits."""
    cover = must_cover(s)
    if cover >= 0:
        return 1 << cover
    own = 1 << int64(s["seat"])
    if s["turn"] != NORMAL_TURN:  # R12's chain and R6's tile stay at home
        return own
    if s["own_train_first"] != 0 and int64(s["started"]) & own == 0:
        return own
    trains = own | int64(s["markers"])
    if mexican_open(s):
        trains |= 1 << int64(s["num_players"])
    return trains & ~(int64(s["draw_blockers"]) | int64(s["skip_blockers"]))


@jit
def may_play_specials(s: Any) -> bool:
    """D1, D2, D3: special tiles other than a Wild may be played now."""
    return bool(
        s["special_tiles"] != 0 and s["turn"] == NORMAL_TURN and s["owed"] == OWES_NOTHING and s["duty_train"] < 0
    )


@jit
def faces_wanted(s: Any) -> int:
    """R27: the numbers and special kinds that the acting seat could play now if it held them, as bits."""
    trains = open_trains(s)
    faces = 0
    while trains != 0:
        end = int64(s["train_end"][trailing_zeros(trains)])
        trains &= trains - 1
        faces |= ALL_NUMBERS if end == ANY else 1 << end
    if s["special_tiles"] != 0 and s["turn"] == NORMAL_TURN:
        kinds = playable_kinds(s) if may_play_specials(s) else 1 << WILD
        faces |= kinds << NUMBERS
    return faces


@jit
def _any_half(s: Any, out: Any, count: int, base: int, low: bool) -> int:
    """D9: append every numbered tile for an open Wild; `low` = lower half out, so without the doubles."""
    hand = s["hand"][int64(s["seat"])]
    for b in range(int64(s["max_pip"]) + 1):
        row = int64(hand[b]) & ((1 << b) - 1 if low else (2 << b) - 1)
        while row != 0:
            out[count] = base + int64(TILE_ID[b, trailing_zeros(row)])
            row &= row - 1
            count += 1
    return count


@jit
def _plays(s: Any, out: Any) -> int:
    """R7, R9: write the ids of all plays of numbered tiles; their number."""
    seat = int64(s["seat"])
    n = int64(s["num_players"])
    num_tiles = int64(s["num_tiles"])
    hand = s["hand"][seat]
    trains = open_trains(s)
    count = int64(0)
    train = seat
    for relative in range(n + 1):
        if relative == n:
            train = n
        if (trains >> train) & 1 != 0:
            end = int64(s["train_end"][train])
            base = relative * num_tiles
            if end == ANY:
                count = _any_half(s, out, count, base, False)
            else:
                row = int64(hand[end])
                while row != 0:
                    out[count] = base + int64(TILE_ID[end, trailing_zeros(row)])
                    row &= row - 1
                    count += 1
        train += 1
        if train == n:
            train = 0
    return count


@jit
def can_draw(s: Any) -> bool:
    """R10: the boneyard has a tile and the draw for the tile to be played is not spent."""
    return bool(s["deck_next"] < s["deck_size"] and (s["draw_limit"] == UNTIL_PLAYABLE or s["draws"] == 0))


@jit
def _choices(s: Any, out: Any) -> int:
    """R2 `chosen`: write the ids that name an opening double not used yet; their number."""
    count = 0
    for number in range(int64(s["max_pip"]) + 1):
        if (int64(s["used_doubles"]) >> number) & 1 == 0:
            out[count] = int64(s["at_choose"]) + number
            count += 1
    return count


@jit
def legal_actions(s: Any, out: Any) -> int:
    """R9-R12, R14: write the ids of the acting seat's legal actions to `out`, ascending; their number, 0 at an end.

    `out`: integers, room for num_actions.
    """
    if s["phase"] != PLAYING:
        return _choices(s, out) if s["phase"] == CHOOSING else 0
    count = _plays(s, out)
    draw = int64(s["at_draw"])
    may_stop = s["owed"] == MAY_ANYWHERE or s["turn"] == OPENING_TILE_TURN
    if s["turn"] == CHAIN_TURN and s["chain_laid"] > 0:
        may_stop = True
    if may_stop:
        out[count] = draw + 2
        return count + 1
    if s["special_tiles"] != 0 and s["turn"] == NORMAL_TURN:
        count = _special_plays(s, out, count)
    if count == 0:
        out[0] = draw if can_draw(s) else draw + 1
        return 1
    return count


@jit
def _special_plays(s: Any, out: Any, count: int) -> int:
    """D1-D10, D13: append the ids of plays that only the special tiles make possible."""
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    trains = open_trains(s)
    low_step = int64(s["num_tiles"]) if s["finish_first_lap"] != 0 else 0
    for relative in range(n + 1):
        train = n if relative == n else (seat + relative) % n
        if (trains >> train) & 1 != 0 and s["train_end"][train] == ANY:
            count = _any_half(s, out, count, int64(s["at_out_low"]) + relative * low_step, True)
    if s["special_hand"][seat, WILD] > 0:
        for relative in range(n + 1):
            train = n if relative == n else (seat + relative) % n
            if (trains >> train) & 1 != 0:
                out[count] = int64(s["at_wild"]) + relative
                count += 1
    if may_play_specials(s):
        count = special_actions(s, out, count)
    return count


@jit
def is_legal(s: Any, action: int, scratch: Any) -> bool:
    """Whether `action` is a legal id now; `scratch` as `out` of legal_actions."""
    for k in range(legal_actions(s, scratch)):
        if scratch[k] == action:
            return True
    return False
