"""Candidate rows: their layout, and that they say what the action leads to."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.encoding import candidate_layout
from mtrain_env.encoding.candidate_layout import MOVES
from mtrain_env.encoding.candidates import CAND_LAYOUT, CAND_WIDTH, COLUMNS, NODE_CAP, candidates, new_scratch
from mtrain_env.engine.batch import step
from mtrain_env.engine.legal import faces_wanted, must_cover
from mtrain_env.engine.lines import WORK_SHAPE, line_pips, longest_line
from mtrain_env.engine.state import ANY, CHOOSING, NONE, OPENING_TILE_TURN, PLAYING
from mtrain_env.rules import Rules
from tests.encoding.worlds import actions_of, all_rules, positions, rules_id

RULES = all_rules()
FEW = 3 if JIT_DISABLED else 40
SCRATCH = new_scratch()


def rows_of(games: NDArray[Any], node_cap: int = NODE_CAP) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The legal ids of the one game and their rows, written over rubbish; the game must stay as it is."""
    actions = actions_of(games, 0)
    out = np.full((len(actions) + 1, CAND_WIDTH), np.nan, np.float32)
    before = games.tobytes()
    candidates(games, 0, actions, len(actions), node_cap, SCRATCH, out)
    assert games.tobytes() == before
    assert np.isnan(out[-1]).all() and np.isfinite(out[:-1]).all()
    return actions, out[:-1]


def get(row: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    return row[CAND_LAYOUT[name]]


def one(row: NDArray[np.float32], name: str) -> float:
    (value,) = get(row, name).tolist()
    return float(value)


def test_layout_is_consistent() -> None:
    assert CAND_WIDTH == sum(column.size for column in COLUMNS) == 763
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)
    for column in COLUMNS:
        assert CAND_LAYOUT[column.name].start == getattr(candidate_layout, column.name.upper())


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_rows_say_what_the_action_leads_to(rules: Rules) -> None:
    """Against the engine: what is public after the action, and the own hand where nothing unseen comes to it."""
    for games in positions(rules, 12, FEW):
        if games[0]["phase"] != PLAYING:
            continue
        actions, rows = rows_of(games)
        for action, row in zip(actions.tolist(), rows, strict=True):
            after = games.copy()
            step(after, 0, action, NONE)
            check_row(games[0], after[0], row)
            check_ends(games[0], after[0], row)
            check_move(games[0], after[0], row)


def check_ends(before: Any, a: Any, row: NDArray[np.float32]) -> None:
    """The ends that the seats can use: those of the next seat against the engine, where its turn has begun."""
    seat, n = int(before["seat"]), int(before["num_players"])
    numbers = (2 << int(a["max_pip"])) - 1
    follower = (seat + int(a["direction"])) % n
    if a["phase"] == PLAYING and a["seat"] == follower and a["turn"] != OPENING_TILE_TURN:
        wanted = faces_wanted(a) & numbers
        assert np.flatnonzero(get(row, "next_ends")).tolist() == [p for p in range(19) if wanted >> p & 1]
    open_ends = set()
    for owner in range(n):
        blocked = int(a["draw_blockers"] | a["skip_blockers"]) >> owner & 1
        if owner != seat and int(a["markers"]) >> owner & 1 and not blocked:
            end = int(a["train_end"][owner])
            open_ends |= set(range(int(a["max_pip"]) + 1)) if end == ANY else {end}
    assert set(np.flatnonzero(get(row, "open_ends")).tolist()) == open_ends
    held = (get(row, "hand_by_number") * 8).astype(int)
    left = (get(row, "left_by_number") * 8).astype(int)
    assert one(row, "fits_open") * 8 == sum(held[p] for p in open_ends)
    if get(row, "mexican_train")[1]:
        end = int(a["train_end"][n])
        ends = open_ends | (set(range(19)) if end == ANY else {end})
        assert one(row, "left_fits") * 8 == sum(left[p] for p in ends)
        if end != ANY:
            assert one(row, "fits_mexican") * 8 == held[end]
    else:
        assert one(row, "fits_mexican") == 0
        assert one(row, "left_fits") * 8 == sum(left[p] for p in open_ends)


def check_move(before: Any, a: Any, row: NDArray[np.float32]) -> None:
    """What the row says of the action itself: where a tile went, what it covered, what is to be covered now."""
    seat, n = int(before["seat"]), int(before["num_players"])
    move = MOVES[int(get(row, "move").argmax())]
    longer = np.flatnonzero(a["train_length"] != before["train_length"])
    uncovered = before["double_train"][: int(before["double_count"])].tolist()
    if move.startswith("play") or move == "wild":
        (train,) = longer.tolist()
        assert one(row, "covers") == (train in uncovered)
        if train not in (seat, n):
            gap = (train - seat) * int(a["direction"]) % n
            assert get(row, "target")[:2].tolist() == [gap == 1, gap == n - 1]
        if move.startswith("play"):
            assert move == ("play_own" if train == seat else "play_mexican" if train == n else "play_other")
    else:
        assert move == "derail" or not longer.size
        assert one(row, "covers") == 0
    states = np.bincount(a["double_state"][: int(a["double_count"])], minlength=3)
    assert (get(row, "uncovered") * 4).tolist() == states.tolist()
    over = a["phase"] != PLAYING
    cover = -1 if over else must_cover(a)
    if not over:
        assert get(row, "duty_end").sum() == (cover >= 0)
        assert one(row, "duty_mine") == (cover >= 0 and a["seat"] == seat)
    if cover >= 0:
        assert get(row, "duty_end")[a["train_end"][cover]] == 1
        assert one(row, "duty_own_train") == (cover == seat)


def check_row(before: Any, a: Any, row: NDArray[np.float32]) -> None:
    """One row against the game after the action."""
    seat, n = int(before["seat"]), int(before["num_players"])
    unknown = int(one(row, "unknown"))
    assert one(row, "goes_out") == (a["hand_count"][seat] == 0)
    assert one(row, "goes_on") == (a["seat"] == seat)
    assert one(row, "hand_count") * 16 == a["hand_count"][seat]
    assert get(row, "own_end")[a["train_end"][seat]] == 1 and get(row, "own_end").sum() == 1
    assert get(row, "mexican_end")[a["train_end"][n]] == 1 and get(row, "mexican_end").sum() == 1
    bits = [int(a[name]) >> seat & 1 for name in ("started", "markers", "draw_blockers", "skip_blockers")]
    assert get(row, "own_train")[1:].tolist() == bits
    assert get(row, "boneyard")[0] * 64 == int(a["deck_size"]) - int(a["deck_next"])
    assert get(row, "move").sum() == 1
    held = a["tile_place"] == seat
    if unknown:
        assert held.sum() - get(row, "hand").sum() in (0, 1)
        assert not (get(row, "hand") > held).any()
    else:
        assert np.array_equal(get(row, "hand"), held)
        assert np.array_equal(get(row, "hand_specials") * 2, a["special_hand"][seat])
        numbers = [int(bits).bit_count() for bits in a["hand"][seat]]
        assert (get(row, "hand_by_number") * 8).tolist() == numbers
    seen = (a["tile_place"] > 16) & (a["tile_place"] != 18)
    assert np.array_equal(get(row, "unseen"), ~(seen | (get(row, "hand") == 1)))
    step_to = int(a["direction"])
    for name, other in (("next", seat + step_to), ("previous", seat - step_to)):
        other %= n
        assert get(row, name)[0] * 16 == a["hand_count"][other]
        assert get(row, name)[2] == int(a["markers"]) >> other & 1
        may = a["may_hold"][other, : int(a["max_pip"]) + 1]
        lacks = get(row, name + "_lacks")[: len(may)]
        assert np.allclose(lacks, 1 - may / max(1, int(a["hand_count"][other])))


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_line_features_are_those_of_a_fresh_search(rules: Rules) -> None:
    """Length and pips of the exact line from the own end after the action, and what is left outside of it."""
    work, path = np.zeros(WORK_SHAPE, np.int64), np.zeros(190, np.uint8)
    checked = 0
    for games in positions(rules, 13, FEW):
        if games[0]["phase"] != PLAYING or int(games[0]["hand_count"][int(games[0]["seat"])]) > 14:
            continue
        for row in rows_of(games, node_cap=0)[1]:
            hand = hand_of(get(row, "hand"))
            end = int(get(row, "own_end").argmax())
            length = longest_line(hand, end, 0, work, path)
            assert one(row, "line_length") * 16 == length
            assert one(row, "line_pips") * 128 == line_pips(path, length)
            known = round(one(row, "hand_count") * 16 - one(row, "unknown"))
            assert one(row, "left_count") * 16 == known - length
            assert one(row, "line_clears") == (known == length)
            if games[0]["double_blank_points"] == 0:
                points = one(row, "hand_points") - one(row, "line_pips")
                assert one(row, "left_points") == points
            left = one(row, "left_count") * 16 - get(row, "hand_specials").sum() * 2
            assert left <= get(row, "left_by_number").sum() * 8 <= 2 * left  # a double shows its number once
            shown = sum(int(bits).bit_count() for bits in hand)
            doubles = sum(int(bits) >> p & 1 for p, bits in enumerate(hand))
            numbered = (shown + doubles) // 2
            assert numbered == get(row, "hand").sum()
            fits = numbered if end == ANY else int(hand[end]).bit_count()
            if end != ANY:
                assert one(row, "fits_own") * 8 == fits
            checked += 1
    assert checked or JIT_DISABLED


def test_rows_that_choose_the_opening_double() -> None:
    """R2 `chosen`: a table with that double alone, and nothing of the round before."""
    rules = Rules.preset("dominoplay-chosen")
    seen = 0
    for games in positions(rules, 14, 60):
        if games[0]["phase"] != CHOOSING:
            continue
        seen += 1
        actions, rows = rows_of(games)
        for action, row in zip(actions.tolist(), rows, strict=True):
            number = action - int(games[0]["at_choose"])
            assert np.flatnonzero(get(row, "own_end")).tolist() == [number]
            assert np.flatnonzero(get(row, "tile_numbers")).tolist() == [number]
            assert get(row, "hand").sum() == 0 and get(row, "unseen").sum() == 54
            assert one(row, "hand_count") * 16 == rules.hand_size
            assert MOVES[int(get(row, "move").argmax())] == "choose"
    assert seen


def hand_of(multi_hot: NDArray[np.float32]) -> NDArray[np.uint32]:
    """The rows of bits of a hand given as a multi-hot vector."""
    hand = np.zeros(19, np.uint32)
    for tile in np.flatnonzero(multi_hot):
        high = int((np.sqrt(8 * tile + 1) - 1) // 2)
        low = int(tile) - high * (high + 1) // 2
        hand[low] |= np.uint32(1 << high)
        hand[high] |= np.uint32(1 << low)
    return hand


def rows_digest() -> str:
    """Hash of the rows of some positions of every rule set."""
    digest = hashlib.sha1(usedforsecurity=False)
    for k, rules in enumerate(RULES):
        for games in positions(rules, 100 + k, 3):
            if len(actions_of(games, 0)) < 60:
                digest.update(rows_of(games, node_cap=50)[1].tobytes())
    return digest.hexdigest()


def test_plain_python_gives_the_same_rows() -> None:
    other_mode = os.environ | {"NUMBA_DISABLE_JIT": "0" if JIT_DISABLED else "1"}
    command = "from tests.encoding.test_candidates import rows_digest; print(rows_digest())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", command],
        env=other_mode,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == rows_digest()
