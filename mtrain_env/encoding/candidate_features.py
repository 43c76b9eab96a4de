"""What a candidate row says of a position: kernels that fill the slices of candidate_layout.py.

`row` is float32[CAND_WIDTH], zero where nothing has been written. `a` is the game after the action, a scratch
copy that may be changed. Nothing here reads another seat's hand, the order of the boneyard or the random state.
"""

from typing import Any

import numpy as np

from mtrain_env._jit import int64, jit, popcount, trailing_zeros
from mtrain_env.encoding import candidate_layout as at
from mtrain_env.engine.legal import mexican_open, must_cover, open_trains
from mtrain_env.engine.state import (
    ANY,
    ANY_PLAY,
    BLOCKED,
    CHAIN,
    CHAIN_TURN,
    DERAIL,
    DERAIL_ANY,
    HUNT,
    KINDS,
    MAX_TILES,
    NORMAL_TURN,
    NOT_IN_SET,
    NOT_ON_OWN_DOUBLE,
    NUMBERS,
    ON_TABLE,
    OWES_NOTHING,
    PER_OWED_TILE,
    PREVIOUS_WINNER,
    UNTIL_PLAYABLE,
    WAITS,
)
from mtrain_env.tiles import SPECIAL_POINTS, TILE_HIGH, TILE_LOW

_TILES = 1.0 / 16.0
_FEW = 1.0 / 8.0
_POINTS = 1.0 / 128.0


@jit
def write_rules(s: Any, row: Any) -> None:
    """The rules of the game."""
    row[at.SEATS] = int64(s["num_players"]) / 16.0
    row[at.MAX_PIP] = int64(s["max_pip"]) / 18.0
    row[at.HAND_SIZE] = int64(s["hand_size"]) * _TILES
    row[at.DOUBLE_BLANK] = min(int64(s["double_blank_points"]) / 50.0, 4.0)
    row[at.RULE_FOLLOW_UP + int64(s["double_follow_up"])] = 1.0
    row[at.RULE_DUTY + int64(s["double_duty"])] = 1.0
    row[at.RULE_MEXICAN + int64(s["mexican_train"])] = 1.0
    flags = (
        s["first_turn"] == CHAIN,
        s["finish_first_lap"] != 0,
        s["own_train_first"] != 0,
        s["draw_limit"] == PER_OWED_TILE,
        s["draw_limit"] == UNTIL_PLAYABLE,
        s["exhausted_double"] == WAITS,
        s["marker_on"] == NOT_ON_OWN_DOUBLE,
        s["marker_off"] == ANY_PLAY,
        s["failed_cover_marker_off_any"] != 0,
        s["special_tiles"] != 0,
        s["special_tiles"] != 0 and s["derail"] == DERAIL_ANY,
        s["derail_once"] != 0,
        s["opening_source"] == HUNT,
        s["starter_rule"] == PREVIOUS_WINNER,
    )
    for k in range(len(flags)):
        row[at.RULE_FLAGS + k] = 1.0 if flags[k] else 0.0


@jit
def beside(seat: int, step: int, n: int) -> int:
    """The seat one `step` (1 or -1) from `seat`, of `n`; a comparison is faster than the division of %."""
    other = seat + step
    if other == n:
        return 0
    return other if other >= 0 else n - 1


@jit
def _clipped(difference: float) -> float:
    """A difference of totals / 100, within -4..4."""
    return max(-4.0, min(4.0, difference / 100.0))


@jit
def write_score(s: Any, seat: int, row: Any) -> None:
    """Rounds played and to come, and the totals before this round."""
    row[at.ROUND] = int64(s["round"]) / 19.0
    row[at.ROUNDS_LEFT] = (int64(s["num_rounds"]) - int64(s["round"])) / 19.0
    n = int64(s["num_players"])
    own = int64(s["totals"][seat])
    lowest = int64(s["totals"][(seat + 1) % n])
    highest = lowest
    total = 0
    for k in range(n):
        if k != seat:
            other = int64(s["totals"][k])
            lowest = min(lowest, other)
            highest = max(highest, other)
            total += other
    row[at.TOTALS] = _clipped(own - lowest + 0.0)
    row[at.TOTALS + 1] = _clipped(own - total / (n - 1.0))
    row[at.TOTALS + 2] = _clipped(own - highest + 0.0)


@jit
def write_tiles(s: Any, seat: int, row: Any) -> None:
    """R26: which numbered tiles are unseen and which are in the own hand."""
    place = s["tile_place"]
    own = np.uint8(seat)
    for tile in range(MAX_TILES):
        there = place[tile]
        mine = there == own
        known = mine | (there == np.uint8(ON_TABLE)) | (there == np.uint8(NOT_IN_SET))
        row[at.HAND + tile] = np.float32(mine)
        row[at.UNSEEN + tile] = np.float32(not known)


@jit
def write_hand(a: Any, seat: int, unknown: int, row: Any) -> int:
    """The hand by number and kind, and what is unseen; `unknown` tiles in it are not known yet. Its points."""
    hand = a["hand"][seat]
    numbers = int64(a["max_pip"]) + 1
    points = 0
    for p in range(numbers):
        held_bits = int64(hand[p])
        held = popcount(held_bits)
        row[at.HAND_BY_NUMBER + p] = held * _FEW
        row[at.UNSEEN_BY_NUMBER + p] = (numbers - held - int64(a["seen_count"][p])) / numbers
        points += p * (held + ((held_bits >> p) & 1))
    if int64(hand[0]) & 1 != 0:
        points += int64(a["double_blank_points"])
    if a["special_tiles"] != 0:
        points += _write_specials(a, seat, row)
    row[at.HAND_COUNT] = int64(a["hand_count"][seat]) * _TILES
    row[at.HAND_POINTS] = points * _POINTS
    row[at.UNKNOWN] = unknown
    return points


@jit
def _write_specials(a: Any, seat: int, row: Any) -> int:
    """Special tiles in hand and unseen; the points of those in hand."""
    points = 0
    for kind in range(KINDS):
        held = int64(a["special_hand"][seat, kind])
        gone = int64(a["specials_played"][kind])
        if kind == DERAIL and a["derail_once"] != 0:
            gone = int64(a["derails_gone"])  # in this round too (D10)
        row[at.HAND_SPECIALS + kind] = held * 0.5
        row[at.UNSEEN_SPECIALS + kind] = (2 - held - gone) * 0.5
        points += held * int64(SPECIAL_POINTS[kind])
    return points


@jit
def write_line(a: Any, seat: int, known: int, points: int, line: Any, length: int, left: Any, row: Any) -> None:
    """The best line `line[:length]`, and what is left of the `known` tiles worth `points`.

    `left`: int64[19], gets the tiles outside of the line by number.
    """
    hand = a["hand"][seat]
    for p in range(NUMBERS):
        left[p] = popcount(int64(hand[p]))
    pips = 0
    blank = 0
    for k in range(length):
        low = int64(TILE_LOW[line[k]])
        high = int64(TILE_HIGH[line[k]])
        pips += low + high
        left[low] -= 1
        if low != high:
            left[high] -= 1
        elif low == 0:
            blank = int64(a["double_blank_points"])
    row[at.LINE_LENGTH] = length * _TILES
    row[at.LINE_PIPS] = pips * _POINTS
    row[at.LEFT_COUNT] = (known - length) * _TILES
    row[at.LEFT_POINTS] = (points - pips - blank) * _POINTS
    row[at.LINE_SHARE] = length / max(known, 1)
    row[at.LINE_CLEARS] = 1.0 if length == known else 0.0
    for p in range(NUMBERS):
        row[at.LEFT_BY_NUMBER + p] = left[p] * _FEW


@jit
def _numbers_at(a: Any, trains: int) -> int:
    """The numbers that fit an end of one of `trains` (bits), as bits; an open Wild takes every number."""
    numbers = 0
    while trains != 0:
        end = int64(a["train_end"][trailing_zeros(trains)])
        trains &= trains - 1
        numbers |= (2 << int64(a["max_pip"])) - 1 if end == ANY else 1 << end
    return numbers


@jit
def _held(hand: Any, numbers: int) -> int:
    """Tiles of a hand that show one of `numbers` (bits), counted once for each of their numbers in it."""
    count = 0
    while numbers != 0:
        count += popcount(int64(hand[trailing_zeros(numbers)]))
        numbers &= numbers - 1
    return count


@jit
def _write_numbers(numbers: int, first: int, row: Any) -> None:
    """A column of 0 or 1 for each number, from the column `first` on."""
    for p in range(NUMBERS):
        row[first + p] = (numbers >> p) & 1


@jit
def write_trains(a: Any, seat: int, left: Any, row: Any) -> None:
    """The ends on which the seat may play in its turns to come, and the tiles that fit them; doubles aside."""
    n = int64(a["num_players"])
    hand = a["hand"][seat]
    own = 1 << seat
    draw_blockers = int64(a["draw_blockers"])
    skip_blockers = int64(a["skip_blockers"])
    row[at.OWN_END + int64(a["train_end"][seat])] = 1.0
    row[at.OWN_TRAIN] = int64(a["train_length"][seat]) * _TILES
    row[at.OWN_TRAIN + 1] = (int64(a["started"]) >> seat) & 1
    row[at.OWN_TRAIN + 2] = (int64(a["markers"]) >> seat) & 1
    row[at.OWN_TRAIN + 3] = (draw_blockers >> seat) & 1
    row[at.OWN_TRAIN + 4] = (skip_blockers >> seat) & 1
    row[at.FITS_OWN] = _held(hand, _numbers_at(a, own)) * _FEW
    others = _numbers_at(a, int64(a["markers"]) & ~(draw_blockers | skip_blockers | own))
    _write_numbers(others, at.OPEN_ENDS, row)
    row[at.FITS_OPEN] = _held(hand, others) * _FEW
    row[at.MEXICAN_END + int64(a["train_end"][n])] = 1.0
    row[at.MEXICAN_TRAIN] = int64(a["train_length"][n]) * _TILES
    mover = int64(a["seat"])
    a["seat"] = seat
    if mexican_open(a):
        mexican = _numbers_at(a, 1 << n)
        row[at.MEXICAN_TRAIN + 1] = 1.0
        row[at.FITS_MEXICAN] = _held(hand, mexican) * _FEW
        others |= mexican
    a["seat"] = mover
    left_fits = 0
    while others != 0:
        left_fits += left[trailing_zeros(others)]
        others &= others - 1
    row[at.LEFT_FITS] = left_fits * _FEW


@jit
def write_turn(a: Any, seat: int, row: Any) -> None:
    """Who acts next and what is owed (R9-R16), the doubles to be covered (R16, R17), the boneyard, the round's end."""
    mine = a["seat"] == seat
    row[at.GOES_ON] = 1.0 if mine else 0.0
    row[at.GOES_OUT] = 1.0 if a["hand_count"][seat] == 0 else 0.0
    row[at.BLOCKED] = 1.0 if a["round_end"] == BLOCKED else 0.0
    row[at.LAST_LAP] = 1.0 if a["first_out"] >= 0 else 0.0
    if a["owed"] != OWES_NOTHING:
        row[at.OWED + int64(a["owed"]) - 1] = 1.0
    if a["turn"] != NORMAL_TURN:
        row[at.TURN + int64(a["turn"]) - 1] = 1.0
    row[at.DRAWS] = min(int64(a["draws"]), 16) * 0.25
    row[at.IDLE_PASSES] = int64(a["idle_passes"]) / int64(a["num_players"])
    boneyard = int64(a["deck_size"]) - int64(a["deck_next"])
    row[at.BONEYARD] = boneyard / 64.0
    row[at.BONEYARD + 1] = boneyard / max(int64(a["deck_size"]), 1)
    row[at.BONEYARD + 2] = 1.0 if boneyard == 0 else 0.0
    counts = int64(a["double_count"])
    for i in range(counts):
        row[at.UNCOVERED + int64(a["double_state"][i])] += np.float32(0.25)
    train = must_cover(a)
    if train >= 0:
        _write_duty(a, seat, train, row)


@jit
def _write_duty(a: Any, seat: int, train: int, row: Any) -> None:
    """The double at the end of `train`, which the seat to act must cover."""
    end = int64(a["train_end"][train])
    row[at.DUTY_END + end] = 1.0
    row[at.DUTY_MINE] = 1.0 if a["seat"] == seat else 0.0
    row[at.DUTY_OWN_TRAIN] = 1.0 if train == seat else 0.0
    row[at.DUTY_HELD] = _held(a["hand"][seat], _numbers_at(a, 1 << train)) * _FEW
    row[at.DUTY_UNSEEN] = 1.0 if end == ANY else row[at.UNSEEN_BY_NUMBER + end]
    row[at.DUTY_NEXT_LACKS] = 0.0 if end == ANY else row[at.NEXT_LACKS + end]


@jit
def write_next_ends(a: Any, seat: int, row: Any) -> None:
    """Where the next seat could play if its turn began now (R7); changes whose turn it is in `a`."""
    n = int64(a["num_players"])
    follower = beside(seat, int64(a["direction"]), n)
    if a["seat"] != follower:
        a["seat"] = follower
        a["owed"] = OWES_NOTHING
        chain = a["first_turn"] == CHAIN and (int64(a["had_turn"]) >> follower) & 1 == 0
        a["turn"] = CHAIN_TURN if chain else NORMAL_TURN
    row[at.MEXICAN_TRAIN + 2] = 1.0 if mexican_open(a) else 0.0
    ends = _numbers_at(a, open_trains(a))
    _write_numbers(ends, at.NEXT_ENDS, row)
    unseen = int64(a["deck_size"]) - int64(a["deck_next"])
    for k in range(n):
        if k != seat:
            unseen += int64(a["hand_count"][k])
    fits = 0
    numbers = int64(a["max_pip"]) + 1
    while ends != 0:
        p = trailing_zeros(ends)
        ends &= ends - 1
        fits += numbers - int64(a["seen_count"][p]) - popcount(int64(a["hand"][seat, p]))
    row[at.NEXT_FITS] = min(1.0, fits / max(unseen, 1))


@jit
def worst_seat(a: Any, seat: int) -> int:
    """The other seat with the fewest tiles, of equals the first one in the direction of play."""
    n = int64(a["num_players"])
    step = int64(a["direction"])
    other = beside(seat, step, n)
    worst = other
    for _ in range(n - 2):
        other = beside(other, step, n)
        if a["hand_count"][other] < a["hand_count"][worst]:
            worst = other
    return worst


@jit
def _write_seat(a: Any, seat: int, other: int, first: int, row: Any) -> None:
    """One other seat, from the column `first` on: SEAT_COLUMNS."""
    count = int64(a["hand_count"][other])
    row[first] = count * _TILES
    row[first + 1] = 1.0 if count == 1 else 0.0
    row[first + 2] = (int64(a["markers"]) >> other) & 1
    row[first + 3] = (int64(a["started"]) >> other) & 1
    row[first + 4] = int64(a["train_length"][other]) * _TILES
    row[first + 5] = (int64(a["draw_blockers"]) >> other) & 1
    row[first + 6] = (int64(a["skip_blockers"]) >> other) & 1
    row[first + 7] = (int64(a["had_turn"]) >> other) & 1


@jit
def write_others(s: Any, a: Any, seat: int, row: Any) -> None:
    """The other seats after the action; totals are those of `s`, the game before it, whatever the action ends."""
    n = int64(a["num_players"])
    step = int64(a["direction"])
    seats = (beside(seat, step, n), beside(seat, -step, n), worst_seat(a, seat))
    firsts = (at.NEXT, at.PREVIOUS, at.WORST)
    own = int64(s["totals"][seat])
    for k in range(3):
        _write_seat(a, seat, seats[k], firsts[k], row)
        row[firsts[k] + 8] = _clipped(own - int64(s["totals"][seats[k]]) + 0.0)
    total = 0
    most = 0
    for k in range(n):
        if k != seat:
            count = int64(a["hand_count"][k])
            total += count
            most = max(most, count)
    others = ((1 << n) - 1) & ~(1 << seat)
    share = 1.0 / (n - 1.0)
    row[at.OTHERS] = total * share * _TILES
    row[at.OTHERS + 1] = most * _TILES
    row[at.OTHERS + 2] = popcount(int64(a["markers"]) & others) * share
    row[at.OTHERS + 3] = popcount(int64(a["started"]) & others) * share
    row[at.OTHERS + 4] = popcount(int64(a["had_turn"]) & others) * share


@jit
def write_lacks(a: Any, seat: int, row: Any) -> None:
    """R27: how surely the next, previous and worst seat lack each number."""
    n = int64(a["num_players"])
    step = int64(a["direction"])
    seats = (beside(seat, step, n), beside(seat, -step, n), worst_seat(a, seat))
    firsts = (at.NEXT_LACKS, at.PREVIOUS_LACKS, at.WORST_LACKS)
    numbers = int64(a["max_pip"]) + 1
    for k in range(3):
        share = 1.0 / max(int64(a["hand_count"][seats[k]]), 1)
        may_hold = a["may_hold"][seats[k]]
        for p in range(numbers):
            row[firsts[k] + p] = 1.0 - int64(may_hold[p]) * share
