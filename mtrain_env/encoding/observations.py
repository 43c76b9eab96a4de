"""Writing observations and action masks: kernels that allocate nothing, for any seat at any time.

What an observation holds is explained in observation_layout.py. Nothing here reads another seat's hand, the order
of the boneyard or the random state. Before a round is dealt (and while its opening double is being chosen) the
table and the hands count as empty.
"""

from typing import Any

import numpy as np

from mtrain_env._jit import int64, jit, trailing_zeros
from mtrain_env.encoding import observation_layout as at
from mtrain_env.encoding.observation_layout import MAX_TOTAL, OBS_SPEC, ObservationLayout
from mtrain_env.engine.knowledge import known_by
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.state import CHOOSING, KINDS, MAX_TILES, NONE, NUMBERS, ON_TABLE, UNDEALT
from mtrain_env.tiles import TILE_HIGH, TILE_LOW

__all__ = ["OBS_SPEC", "ObservationLayout", "mask_from", "observe", "observe_float", "write_mask"]


@jit
def observe(games: Any, i: int, seat: int, offsets: Any, out: Any) -> None:
    """R26: write what `seat` knows of game `i` to `out`, uint8[layout.size]; `offsets` is layout.offsets."""
    s = games[i]
    out[:] = 0
    if s["phase"] != UNDEALT and s["phase"] != CHOOSING:
        _tiles(s, seat, offsets, out)
        _trains(s, seat, offsets, out)
        _seats(s, seat, offsets, out)
        _doubles(s, seat, offsets, out)
        _turn(s, seat, offsets, out)
        if s["special_tiles"] != 0:
            _specials(s, seat, offsets, out)
    _game(s, seat, offsets, out)


@jit
def observe_float(games: Any, i: int, seat: int, offsets: Any, reciprocals: Any, scratch: Any, out: Any) -> None:
    """As observe, to `out`, float32[layout.size] in [0, 1].

    `reciprocals` is layout.reciprocals, `scratch` uint8[layout.size].
    """
    observe(games, i, seat, offsets, scratch)
    for k in range(out.shape[0]):
        out[k] = scratch[k] * reciprocals[k]


@jit
def mask_from(ids: Any, count: int, out: Any) -> None:
    """Write an action mask to `out`, (u)int8[num_actions]: 1 at ids[:count], 0 elsewhere."""
    out[:] = 0
    for k in range(count):
        out[int64(ids[k])] = 1


@jit
def write_mask(games: Any, i: int, out: Any, scratch: Any) -> int:
    """Write the legal actions of the acting seat of game `i` as a mask to `out`, (u)int8[num_actions]; their number.

    `scratch`: integers, room for num_actions; it holds their ids afterwards.
    """
    count = legal_actions(games[i], scratch)
    mask_from(scratch, count, out)
    return count


@jit
def _relative(s: Any, seat: int, other: int) -> int:
    """The place of the seat `other` seen from `seat`: 0 itself, then clockwise."""
    place = other - seat
    return place if place >= 0 else place + int64(s["num_players"])


@jit
def _game(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """R2-R5, R23: the state of the game, around the rounds; whose turn it is."""
    n = int64(s["num_players"])
    if s["special_tiles"] != 0:
        out[offsets[at.DERAILS_GONE]] = s["derails_gone"]
    out[offsets[at.PHASE] + int64(s["phase"])] = 1
    out[offsets[at.TO_ACT] + _relative(s, seat, int64(s["seat"]))] = 1
    out[offsets[at.ROUND]] = s["round"]
    out[offsets[at.ROUNDS_LEFT]] = int64(s["num_rounds"]) - int64(s["round"])
    if s["opening"] >= 0:
        out[offsets[at.OPENING] + int64(s["opening"])] = 1
    used = int64(s["used_doubles"])
    while used != 0:
        out[offsets[at.USED_DOUBLES] + trailing_zeros(used)] = 1
        used &= used - 1
    if s["starter"] >= 0:
        out[offsets[at.STARTER] + _relative(s, seat, int64(s["starter"]))] = 1
    if s["winner"] >= 0:
        out[offsets[at.WINNER] + _relative(s, seat, int64(s["winner"]))] = 1
    totals = s["totals"]
    lowest = int64(totals[0])
    for other in range(1, n):
        lowest = min(lowest, int64(totals[other]))
    behind = offsets[at.TOTAL_BEHIND]
    high = offsets[at.TOTAL_HIGH]
    low = offsets[at.TOTAL_LOW]
    other = seat
    for place in range(n):
        total = int64(totals[other])
        out[behind + place] = min(total - lowest, 255)
        total = min(total, MAX_TOTAL)
        out[high + place] = total >> 8
        out[low + place] = total & 255
        other = other + 1 if other + 1 < n else 0


@jit
def _tiles(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """The own hand, the tiles on the table, and the tile just drawn."""
    if s["last_draw"] != NONE and s["seat"] == seat:
        _faces(s, int64(s["last_draw"]), offsets[at.DRAWN], out)
    num_tiles = int64(s["num_tiles"])
    place = s["tile_place"]
    own = np.uint8(seat)
    hand = out[offsets[at.HAND] : offsets[at.HAND] + num_tiles]  # slices, for loops that become vector instructions
    face_up = out[offsets[at.FACE_UP] : offsets[at.FACE_UP] + num_tiles]
    for tile in range(num_tiles):
        hand[tile] = place[tile] == own
    for tile in range(num_tiles):
        face_up[tile] = place[tile] == np.uint8(ON_TABLE)


@jit
def _faces(s: Any, code: int, first: int, out: Any) -> None:
    """The faces of the tile `code`, from the entry `first` on: its numbers, or its special kind after the numbers."""
    if code < MAX_TILES:
        out[first + int64(TILE_LOW[code])] = 1
        out[first + int64(TILE_HIGH[code])] = 1
    else:
        out[first + int64(s["max_pip"]) + 1 + code - MAX_TILES] = 1


@jit
def _trains(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """Every train: end, started, length."""
    n = int64(s["num_players"])
    special = s["special_tiles"] != 0
    any_end = int64(s["max_pip"]) + 1
    width = any_end + 1 if special else any_end
    started = int64(s["started"])
    train = seat
    for place in range(n + 1):
        if place == n:
            train = n
        end = min(int64(s["train_end"][train]), any_end)
        out[offsets[at.TRAIN_END] + place * width + end] = 1
        out[offsets[at.TRAIN_STARTED] + place] = (started >> train) & 1
        out[offsets[at.TRAIN_LENGTH] + place] = s["train_length"][train]
        if special:
            out[offsets[at.TRAIN_INNER] + place] = s["train_inner"][train]
        train = train + 1 if train + 1 < n else 0


@jit
def _seats(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """Every seat: tiles in hand, markers, first turns, and what it may hold (R27)."""
    n = int64(s["num_players"])
    numbers = int64(s["max_pip"]) + 1
    special = s["special_tiles"] != 0
    width = numbers + KINDS if special else numbers
    markers = int64(s["markers"])
    had_turn = int64(s["had_turn"])
    if s["failed_cover_marker_off_any"] != 0:
        for other in range(n):
            bit = (int64(s["cover_markers"]) >> other) & 1
            out[offsets[at.COVER_MARKER] + _relative(s, seat, other)] = bit
    if s["finish_first_lap"] != 0 and s["first_out"] >= 0:
        out[offsets[at.FIRST_OUT] + _relative(s, seat, int64(s["first_out"]))] = 1
    count_at = offsets[at.HAND_COUNT]
    marker_at = offsets[at.MARKER]
    turn_at = offsets[at.HAD_TURN]
    first = offsets[at.MAY_HOLD]
    other = seat
    for place in range(n):
        out[count_at + place] = s["hand_count"][other]
        out[marker_at + place] = (markers >> other) & 1
        out[turn_at + place] = (had_turn >> other) & 1
        if place != 0:
            may_hold = s["may_hold"][other]
            shown = out[first : first + numbers]
            for number in range(numbers):
                shown[number] = may_hold[number]
            if special:
                for kind in range(KINDS):
                    out[first + numbers + kind] = may_hold[NUMBERS + kind]
            first += width
        other = other + 1 if other + 1 < n else 0


@jit
def _train_place(s: Any, seat: int, train: int) -> int:
    """The place of `train` seen from `seat`."""
    return train if train == int64(s["num_players"]) else _relative(s, seat, train)


@jit
def _doubles(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """R14-R17: the uncovered doubles in order."""
    for k in range(int64(s["double_count"])):
        place = _train_place(s, seat, int64(s["double_train"][k]))
        out[offsets[at.DOUBLE_ORDER] + place] = k + 1
        out[offsets[at.DOUBLE_STATE] + 3 * place + int64(s["double_state"][k])] = 1


@jit
def _turn(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """R9-R14, R22: what has happened in the turn, and the boneyard."""
    out[offsets[at.TURN] + int64(s["turn"])] = 1
    out[offsets[at.OWED] + int64(s["owed"])] = 1
    out[offsets[at.CHAIN_LAID]] = s["chain_laid"]
    out[offsets[at.DRAWS]] = s["draws"]
    out[offsets[at.LAST_WAS_DOUBLE]] = s["last_was_double"]
    out[offsets[at.IDLE_PASSES]] = s["idle_passes"]
    out[offsets[at.BONEYARD]] = int64(s["deck_size"]) - int64(s["deck_next"])


@jit
def _specials(s: Any, seat: int, offsets: Any, out: Any) -> None:
    """Section 6: special tiles in hand and played, direction, blockers, tiles known from trades (D7)."""
    n = int64(s["num_players"])
    for kind in range(KINDS):
        out[offsets[at.HAND_SPECIALS] + kind] = s["special_hand"][seat, kind]
        out[offsets[at.SPECIALS_PLAYED] + kind] = s["specials_played"][kind]
    out[offsets[at.REVERSED]] = s["direction"] < 0
    for other in range(n):
        place = _relative(s, seat, other)
        out[offsets[at.DRAW_BLOCKER] + place] = (int64(s["draw_blockers"]) >> other) & 1
        out[offsets[at.SKIP_BLOCKER] + place] = (int64(s["skip_blockers"]) >> other) & 1
    for t in range(int64(s["trades"])):
        if known_by(s, seat, t):
            actor = s["trade_actor"][t] == seat
            holder = int64(s["trade_other"][t] if actor else s["trade_actor"][t])
            code = int64(s["trade_given"][t] if actor else s["trade_taken"][t])
            held = s["trade_given_held"][t] if actor else s["trade_taken_held"][t]
            if held != 0:
                faces = int64(s["max_pip"]) + 1 + KINDS
                out[offsets[at.TRADED_HOLDER] + t * n + _relative(s, seat, holder)] = 1
                _faces(s, code, offsets[at.TRADED_TILE] + t * faces, out)
