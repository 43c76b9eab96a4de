"""The candidate view `cand`: one feature row for each legal action, the position after it as the acting seat sees it.

The row's slices are named and explained in candidate_layout.py. The position after an action is found by carrying
it out on a scratch copy whose next tile to draw is a dummy, so that nothing hidden can reach a row: rows are equal
byte for byte however the unseen tiles are dealt.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.encoding import candidate_layout as at
from mtrain_env.encoding.candidate_features import (
    beside,
    worst_seat,
    write_hand,
    write_lacks,
    write_line,
    write_next_ends,
    write_others,
    write_rules,
    write_score,
    write_tiles,
    write_trains,
    write_turn,
)
from mtrain_env.encoding.candidate_layout import CAND_LAYOUT, CAND_SPEC, CAND_WIDTH, COLUMNS, Column
from mtrain_env.engine.deal import clear_table
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.lines import WORK_SHAPE, longest_line, longest_line_after
from mtrain_env.engine.state import (
    CHOOSING,
    DERAIL,
    DRAW,
    GAME,
    IN_BONEYARD,
    KINDS,
    MAX_TILES,
    NONE,
    NUMBERS,
    ON_TABLE,
    REVERSE,
    SKIP,
    TILE_ID,
    TRADE,
    TWIST,
    WILD,
)
from mtrain_env.engine.turn import absolute_train, act
from mtrain_env.tiles import TILE_HIGH, TILE_LOW

__all__ = [
    "CAND_LAYOUT",
    "CAND_SPEC",
    "CAND_WIDTH",
    "COLUMNS",
    "NODE_CAP",
    "CandidateScratch",
    "Column",
    "candidates",
    "new_scratch",
]

NODE_CAP = 300
"""Nodes after which the search for a longest line stops, as good as exact in play (lines.py)."""

_DUMMY = MAX_TILES + DRAW  # stands for a tile that the seat cannot see; any special kind would do


class CandidateScratch(NamedTuple):
    """Work space of `candidates`, one per thread; its content does not matter between calls."""

    after: NDArray[Any]  # GAME[1]: the position after an action
    work: NDArray[np.int64]  # WORK_SHAPE, for lines.py
    line: NDArray[np.uint8]  # [190]: best line of the hand before the action
    line_after: NDArray[np.uint8]  # [190]: and after it
    left: NDArray[np.int64]  # [19]: tiles outside of the line by number
    rows: NDArray[np.int64]  # [380]: row with the line from the same end without a tile laid, or given away; -1 = none


def new_scratch() -> CandidateScratch:
    """Work space for one thread."""
    return CandidateScratch(
        np.zeros(1, GAME),
        np.zeros(WORK_SHAPE, np.int64),
        np.zeros(MAX_TILES, np.uint8),
        np.zeros(MAX_TILES, np.uint8),
        np.zeros(NUMBERS, np.int64),
        np.zeros(2 * MAX_TILES, np.int64),
    )


@jit
def candidates(
    games: Any, i: int, actions: Any, count: int, node_cap: int, scratch: CandidateScratch, out: Any
) -> None:
    """Write the row of each legal action `actions[k]`, k < count, of the acting seat of game `i` to `out[k]`.

    `actions`: integers, as batch.legal writes them. `out`: float32 (>= count, CAND_WIDTH), C-contiguous.
    `node_cap`: as lines.longest_line, NODE_CAP by default.
    """
    if count == 0:
        return
    s = games[i]
    seat = int64(s["seat"])
    first = out[0]
    first[:] = 0.0
    write_rules(s, first)
    write_score(s, seat, first)
    if s["phase"] == CHOOSING:
        for k in range(1, count):
            _copy(first, 0, CAND_WIDTH, out[k])
        for k in range(count):
            _choice_row(games, i, int64(actions[k]) - int64(s["at_choose"]), scratch, out[k])
        return
    write_tiles(s, seat, first)
    write_lacks(s, seat, first)
    length = longest_line(s["hand"][seat], int64(s["train_end"][seat]), node_cap, scratch.work, scratch.line)
    for k in range(1, count):
        _copy(first, 0, CAND_WIDTH, out[k])
    scratch.rows[:] = -1
    a = scratch.after[0]
    for k in range(count):
        action = int64(actions[k])
        kind, target, tile = _move(s, action)
        unknown = _carry_out(games, i, action, kind, target, scratch.after)
        points = _known_tiles(s, a, kind, tile, unknown, out[k])
        _line(s, a, kind, tile, k, length, unknown, points, node_cap, scratch, out)
        _position(s, a, kind, target, tile, scratch.left, out[k])


@jit
def _copy(source: Any, first: int, last: int, row: Any) -> None:
    """row[first:last] = source[first:last]."""
    for k in range(first, last):
        row[k] = source[k]


@jit
def _move(s: Any, action: int) -> tuple[int, int, int]:
    """Kind of the action (MOVES), the train or seat that it aims at (-1 = none), and its tile (-1 = none)."""
    num_tiles = int64(s["num_tiles"])
    at_draw = int64(s["at_draw"])
    if action < at_draw:
        relative = action // num_tiles
        kind = at.PLAY_OWN if relative == 0 else at.PLAY_OTHER
        if relative == int64(s["num_players"]):
            kind = at.PLAY_MEXICAN
        return kind, absolute_train(s, relative), action - relative * num_tiles
    if action < at_draw + 3:
        return at.MOVE_DRAW + action - at_draw, -1, -1
    return _special_move(s, action)


@jit
def _special_move(s: Any, action: int) -> tuple[int, int, int]:
    """As _move, for the blocks that only special tiles need."""
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    num_tiles = int64(s["num_tiles"])
    if action < int64(s["at_wild"]):
        k = action - int64(s["at_out_low"])
        train = must_cover(s) if s["finish_first_lap"] == 0 else absolute_train(s, k // num_tiles)
        kind = at.PLAY_OWN if train == seat else (at.PLAY_MEXICAN if train == n else at.PLAY_OTHER)
        return kind, train, k % num_tiles
    if action < int64(s["at_draw_on"]):
        return at.MOVE_WILD, absolute_train(s, action - int64(s["at_wild"])), MAX_TILES + WILD
    if action < int64(s["at_skip_on"]):
        return at.MOVE_DRAW_ON, absolute_train(s, action - int64(s["at_draw_on"]) + 1), MAX_TILES + DRAW
    if action < int64(s["at_reverse"]):
        return at.MOVE_SKIP_ON, absolute_train(s, action - int64(s["at_skip_on"]) + 1), MAX_TILES + SKIP
    if action < int64(s["at_twist"]):
        return at.MOVE_REVERSE, -1, MAX_TILES + REVERSE
    if action < int64(s["at_derail"]):
        return at.MOVE_TWIST, absolute_train(s, action - int64(s["at_twist"])), MAX_TILES + TWIST
    if action < int64(s["at_trade"]):
        return at.MOVE_DERAIL, -1, MAX_TILES + DERAIL
    if action < int64(s["at_trade_out"]):
        k = action - int64(s["at_trade"])
        other = k // (num_tiles + KINDS)
        given = k - other * (num_tiles + KINDS)
        if given >= num_tiles:
            given += MAX_TILES - num_tiles
        return at.MOVE_TRADE, absolute_train(s, other + 1), given
    return at.MOVE_TRADE_OUT, absolute_train(s, action - int64(s["at_trade_out"]) + 1), MAX_TILES + TRADE


@jit
def _carry_out(games: Any, i: int, action: int, kind: int, target: int, after: Any) -> int:
    """Carry out `action` on a copy, after[0], blind to hidden tiles; how many tiles the hand gets unseen."""
    after[0] = games[i]
    a = after[0]
    seat = int64(a["seat"])
    if a["deck_next"] < a["deck_size"]:  # at most one tile is drawn in an action, here or by a Draw (D4)
        a["deck"][int64(a["deck_next"])] = _DUMMY
    if kind == at.MOVE_TRADE:
        a["special_hand"][target, DRAW] += np.uint8(1)
    act(a, action, _DUMMY if kind == at.MOVE_TRADE else NONE)
    if kind != at.MOVE_TRADE and kind != at.MOVE_DRAW:
        return 0
    a["special_hand"][seat, DRAW] -= np.uint8(1)
    return 1


@jit
def _known_tiles(s: Any, a: Any, kind: int, tile: int, unknown: int, row: Any) -> int:
    """What the seat knows of its hand and of the unseen tiles, where it differs between actions; the hand's points."""
    seat = int64(s["seat"])
    if 0 <= tile < MAX_TILES:
        row[at.HAND + tile] = 0.0
        if kind == at.MOVE_TRADE:
            row[at.UNSEEN + tile] = 1.0
    if kind > at.MOVE_CHOOSE or s["draw_blockers"] != 0:  # else neither the others' hands nor the direction change
        write_lacks(a, seat, row)
    return write_hand(a, seat, unknown, row)


@jit
def _position(s: Any, a: Any, kind: int, target: int, tile: int, left: Any, row: Any) -> None:
    """Everything else in a row: the table, the other seats, the turn, the action."""
    seat = int64(s["seat"])
    write_trains(a, seat, left, row)
    write_others(s, a, seat, row)
    write_turn(a, seat, row)
    _write_move(s, a, kind, target, tile, row)
    write_next_ends(a, seat, row)


@jit
def _line(
    s: Any,
    a: Any,
    kind: int,
    tile: int,
    k: int,
    length: int,
    unknown: int,
    points: int,
    node_cap: int,
    scratch: CandidateScratch,
    out: Any,
) -> None:
    """The line features of out[k]; a line that another row has already is copied."""
    seat = int64(s["seat"])
    start = int64(s["train_end"][seat])
    end = int64(a["train_end"][seat])
    known = int64(a["hand_count"][seat]) - unknown
    if tile < 0 or tile >= MAX_TILES:  # all numbered tiles are still there
        line = scratch.line
        if end != start:
            line = scratch.line_after
            length = longest_line(a["hand"][seat], end, node_cap, scratch.work, line)
        write_line(a, seat, known, points, line, length, scratch.left, out[k])
        return
    key = tile + (MAX_TILES if kind == at.MOVE_TRADE else 0)
    if end == start:
        same = scratch.rows[key]
        if same >= 0:
            _copy(out[same], at.LINE_LENGTH, at.OWN_END, out[k])
            for p in range(NUMBERS):
                scratch.left[p] = int64(out[k, at.LEFT_BY_NUMBER + p] * 8)
            return
        scratch.rows[key] = k
    length = longest_line_after(
        s["hand"][seat], start, scratch.line, length, tile, end, node_cap, scratch.work, scratch.line_after
    )
    write_line(a, seat, known, points, scratch.line_after, length, scratch.left, out[k])


@jit
def _write_move(s: Any, a: Any, kind: int, target: int, tile: int, row: Any) -> None:
    """The action itself: its kind, its tile, the seat that it aims at, and whether it covers a double."""
    n = int64(s["num_players"])
    seat = int64(s["seat"])
    row[at.MOVE + kind] = 1.0
    if target >= 0 and target != seat and target != n:
        step = int64(a["direction"])
        row[at.TARGET] = 1.0 if target == beside(seat, step, n) else 0.0
        row[at.TARGET + 1] = 1.0 if target == beside(seat, -step, n) else 0.0
        row[at.TARGET + 2] = 1.0 if target == worst_seat(a, seat) else 0.0
    if tile >= MAX_TILES:
        row[at.TILE_SPECIAL + tile - MAX_TILES] = 1.0
        row[at.TILE_DOUBLE] = 1.0 if tile == MAX_TILES + WILD else 0.0
    elif tile >= 0:
        low = int64(TILE_LOW[tile])
        high = int64(TILE_HIGH[tile])
        row[at.TILE_NUMBERS + low] = 1.0
        row[at.TILE_NUMBERS + high] = 1.0
        row[at.TILE_PIPS] = (low + high) / 36.0
        row[at.TILE_DOUBLE] = 1.0 if low == high else 0.0
    if kind <= at.PLAY_MEXICAN or kind == at.MOVE_WILD:
        for d in range(int64(s["double_count"])):
            if s["double_train"][d] == target:
                row[at.COVERS] = 1.0


@jit
def _choice_row(games: Any, i: int, number: int, scratch: CandidateScratch, row: Any) -> None:
    """R2 `chosen`: the table before the deal, with the double `number` in the middle and nothing known of the hands."""
    scratch.after[0] = games[i]
    a = scratch.after[0]
    n = int64(a["num_players"])
    seat = int64(a["seat"])
    dealt = int64(a["hand_size"])
    tile = int64(TILE_ID[number, number])
    clear_table(a)
    for t in range(int64(a["num_tiles"])):
        a["tile_place"][t] = IN_BONEYARD
    a["tile_place"][tile] = ON_TABLE
    a["seen_count"][number] = 1
    a["train_end"][:] = number
    a["hand_count"][:n] = dealt
    a["deck_next"] = n * dealt
    a["deck_size"] = int64(a["num_tiles"]) - 1
    if a["special_tiles"] != 0:
        a["deck_size"] += np.uint8(2 * KINDS - int64(a["derails_gone"]))
    write_tiles(a, seat, row)
    write_hand(a, seat, 1, row)
    write_line(a, seat, 0, 0, scratch.line, 0, scratch.left, row)
    write_trains(a, seat, scratch.left, row)
    write_others(games[i], a, seat, row)
    write_turn(a, seat, row)
    _write_move(games[i], a, at.MOVE_CHOOSE, -1, tile, row)
    write_next_ends(a, seat, row)
