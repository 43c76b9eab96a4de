"""The turn: where to play, drawing, passing, the first turn and markers (R7-R12, R20, R21). By hand from RULES.md."""

import pytest

from mtrain_env.game import Game
from tests.engine.positions import (
    asleep,
    boneyard,
    ends,
    fact,
    legal,
    markers,
    play,
    position,
    rules,
    set_out,
    uncovered,
    waiting,
)


def six(**fields: object) -> Game:
    """The double-6 set, core but for some fields; seat 0 has only its two 5s to play, seat 1 cannot cover them."""
    hands = ["5-6 5-5 1-1", "4-6 0-0 0-1"]
    return position(rules(max_pip=6, **fields), hands, opening=6, boneyard="1-2 1-3 1-4 0-5")


# ---- where to play: R7, R8 -----------------------------------------------------------------------


def test_r7_own_mexican_and_marked_trains() -> None:
    hands = ["5-6 4-6 1-1", "0-0 0-1 0-2", "3-6 2-5 2-2"]
    game = position(rules(max_pip=6), hands, opening=6, starter=1, boneyard="0-3")
    play(game, "draw", "pass")
    # an empty marked train may be started by others; seat 0's is closed
    assert legal(game) == {"3-6 > P2", "3-6 > M", "3-6 > P1"}
    play(game, "3-6 > P1")
    assert ends(game) == [6, 3, 6, 6]
    assert legal(game) == {"5-6 > P0", "5-6 > M", "4-6 > P0", "4-6 > M"}


def test_r7_a_tile_may_lie_either_way_round() -> None:
    game = position(rules(), ["0-3 2-3", "1-1 2-2"], opening=3)
    play(game, "2-3 > M")
    assert ends(game) == [3, 3, 2]


def test_r7_a_pass_opens_a_train_for_the_next_seats_with_an_empty_boneyard() -> None:
    hands = ["0-0 1-1 0-1", "1-3 0-2 2-2", "0-3 2-3 1-2"]
    game = position(rules(mexican_train="never"), hands, opening=3)
    assert boneyard(game) == []
    assert legal(game) == {"pass"}
    play(game, "pass")
    assert legal(game) == {"1-3 > P0", "1-3 > P1"}
    play(game, "1-3 > P0")
    assert legal(game) == {"0-3 > P2", "2-3 > P2", "1-2 > P0"}


@pytest.mark.parametrize("value", ["always", "after_own", "after_all", "never"])
def test_r8_mexican_train(value: str) -> None:
    game = position(rules(mexican_train=value), ["0-1 0-2 1-1", "0-3 1-3 2-3"], opening=0)
    assert ("0-1 > M" in legal(game)) == (value == "always")
    play(game, "0-1 > P0")
    assert ("0-3 > M" in legal(game)) == (value == "always")
    play(game, "0-3 > P1")
    assert ("0-2 > M" in legal(game)) == (value != "never")


def test_r8_after_own_asks_for_the_own_train_and_after_all_for_every_train() -> None:
    hands = ["0-1 0-2 1-1", "1-2 1-3 2-3"]
    for value, allowed in (("after_own", True), ("after_all", False)):
        game = position(rules(mexican_train=value), hands, opening=0, boneyard="3-3 2-2")
        play(game, "0-1 > P0", "draw", "pass")
        assert markers(game) == [1]
        assert ("0-2 > M" in legal(game)) == allowed
        assert "0-2 > P1" in legal(game)


def test_r8_the_mexican_train_counts_for_no_player() -> None:
    game = position(rules(mexican_train="after_own"), ["0-1 0-2 1-1", "0-3 1-3 2-3"], opening=0)
    play(game, "0-1 > P0")
    assert legal(game) == {"0-3 > P1"}


def test_r8_own_train_first() -> None:
    game = position(rules(own_train_first=True), ["0-1 0-2 1-1", "0-3 1-3 2-3"], opening=0)
    assert legal(game) == {"0-1 > P0", "0-2 > P0"}
    play(game, "0-1 > P0", "0-3 > P1")
    assert legal(game) == {"1-1 > P0", "0-2 > M"}


def test_r8_own_train_first_gives_way_to_a_double_that_must_be_satisfied() -> None:
    hands = ["0-1 1-1 2-2", "1-3 2-3 3-3"]
    game = position(rules(own_train_first=True), hands, opening=0, boneyard="1-2 0-2")
    play(game, "0-1 > P0", "draw", "pass", "1-1 > P0", "draw", "pass")
    assert legal(game) == {"1-2 > P0", "1-3 > P0"}


# ---- play, draw or pass: R9, R10, R11 ------------------------------------------------------------


def test_r9_who_can_play_must() -> None:
    game = position(rules(), ["0-1 1-1", "0-2 2-2"], opening=0)
    assert legal(game) == {"0-1 > P0", "0-1 > M"}
    assert not any(game.can(text) for text in ("draw", "pass", "stop"))


def test_r9_drawing_is_the_only_action_then_playing_or_passing() -> None:
    for first, then in (("3-3", {"pass"}), ("0-3", {"0-3 > P0", "0-3 > M"})):
        game = position(rules(), ["1-1 2-2", "0-1 0-2"], opening=0, boneyard=first)
        assert legal(game) == {"draw"}
        play(game, "draw")
        assert game.seat == 0 and legal(game) == then


@pytest.mark.parametrize(
    ("limit", "steps"),
    [
        ("per_turn", [{"pass"}]),
        ("per_owed_tile", [{"draw"}, {"pass"}]),
        ("until_playable", [{"draw"}, {"draw"}, {"1-2 > P0"}]),
    ],
)
def test_r10_draws_for_a_tile_owed_after_a_drawn_double(limit: str, steps: list[set[str]]) -> None:
    hands = ["0-1 2-2 2-3", "0-2 3-3 1-3"]
    game = position(rules(draw_limit=limit), hands, opening=0, boneyard="1-1 0-3 1-2")
    play(game, "0-1 > P0", "0-2 > P1", "draw", "1-1 > P0")
    for step in steps:
        assert legal(game) == step
        if step == {"draw"}:
            play(game, "draw")


def test_r10_the_turns_one_draw_is_left_for_an_owed_tile() -> None:
    game = six(draw_limit="per_turn")
    play(game, "5-6 > P0", "4-6 > P1", "5-5 > P0")
    assert legal(game) == {"draw"}
    play(game, "draw")
    assert legal(game) == {"pass"}


def test_r10_until_playable_up_to_a_hand_of_forty_tiles() -> None:
    low = [f"{a}-{b}" for b in range(12) for a in range(b + 1)]  # no 12 among them
    house = rules(max_pip=12, draw_limit="until_playable")
    game = position(house, [" ".join(low[:2]), " ".join(low[2:4])], opening=12, boneyard=" ".join([*low[4:42], "0-12"]))
    for size in range(2, 40):
        assert len(game.hand(0)) == size and legal(game) == {"draw"}
        play(game, "draw")
    assert len(game.hand(0)) == 40 and legal(game) == {"draw"}
    play(game, "draw")
    assert legal(game) == {"0-12 > P0", "0-12 > M"}
    play(game, "0-12 > P0")
    assert game.seat == 1 and len(game.hand(0)) == 40


def test_r10_until_playable_ends_with_the_boneyard() -> None:
    game = position(
        rules(draw_limit="until_playable"), ["1-1 1-2 1-3", "0-1 0-2 0-3"], opening=0, boneyard="2-2 2-3 3-3"
    )
    play(game, "draw", "draw", "draw")
    assert boneyard(game) == [] and legal(game) == {"pass"}


def test_r11_a_pass_raises_the_marker_and_ends_the_turn() -> None:
    game = position(rules(), ["1-1 2-2", "1-2 1-3"], opening=0, boneyard="3-3 2-3 0-1")
    play(game, "draw", "pass")
    assert (markers(game), game.seat) == ([0], 1)
    play(game, "draw", "pass")
    assert (markers(game), game.seat) == ([0, 1], 0)


# ---- the first turn: R12 -------------------------------------------------------------------------


def test_r12_any_number_of_tiles_on_the_own_train_but_at_least_one() -> None:
    hands = ["0-1 1-1 1-2", "0-2 2-2 3-3", "0-3 2-3 1-3"]
    game = position(set_out("pagat"), hands, opening=0)
    assert legal(game) == {"0-1 > P0"}
    play(game, "0-1 > P0")
    assert legal(game) == {"1-1 > P0", "1-2 > P0", "stop"}
    play(game, "1-1 > P0")
    assert legal(game) == {"1-2 > P0", "stop"}  # a double in the chain owes nothing
    play(game, "stop")
    assert game.seat == 1
    play(game, "0-2 > P1", "2-2 > P1")
    assert legal(game) == {"stop"}  # no further tile fits
    play(game, "stop")
    assert game.seat == 2 and markers(game) == []


def test_r12_other_trains_wait_for_the_second_turn() -> None:
    game = position(set_out("pagat"), ["1-1 2-2 1-2", "0-1 0-2 2-3"], opening=0, boneyard="3-3 0-3")
    play(game, "draw", "pass")
    assert markers(game) == [0]
    assert legal(game) == {"0-1 > P1", "0-2 > P1"}  # neither the Mexican nor the marked train
    play(game, "0-1 > P1", "stop")
    # seat 0 has had its first turn, though nothing came of it
    play(game, "draw")
    assert legal(game) == {"0-3 > P0", "0-3 > M"}


def test_r12_a_drawn_tile_starts_no_chain() -> None:
    game = position(set_out("pagat"), ["1-1 1-2", "2-2 3-3"], opening=0, boneyard="0-1 2-3")
    play(game, "draw")
    assert legal(game) == {"0-1 > P0"}
    play(game, "0-1 > P0")
    assert game.seat == 1
    play(game, "draw", "pass")
    assert markers(game) == [1]


def test_r12_stop_does_not_draw() -> None:
    game = position(set_out("pagat"), ["0-1 2-2", "0-2 3-3"], opening=0)
    play(game, "0-1 > P0", "stop")
    assert game.seat == 1 and len(game.hand(0)) == 1 and markers(game) == []


def test_r12_the_layer_of_the_opening_double_chains_on() -> None:
    game = position(rules("pagat"), ["0-1 1-1 1-2", "3-3 1-3 0-0"], opening=3)
    assert legal(game) == {"1-3 > P1"}
    play(game, "1-3 > P1")
    assert legal(game) == {"stop"}


def test_r12_a_chain_of_more_than_74_tiles() -> None:
    # 19 is prime: 0, d, 2d, 3d, .. is a round trip through all numbers, and no tile lies on the trips of two d = 1..9
    line = [(d * k % 19, d * (k + 1) % 19) for d in (1, 2, 3, 4, 5) for k in range(19)][:80]
    chain = [f"{min(a, b)}-{max(a, b)}" for a, b in line]
    rest = [f"{a}-{b}" for b in range(1, 19) for a in range(b + 1) if f"{a}-{b}" not in chain]
    game = position(set_out("pagat", max_pip=18), [" ".join(chain), " ".join(rest[:80])], opening=0)
    play(game, *(f"{tile} > P0" for tile in chain[:79]))
    assert int(game.state["train_length"][0]) == 79
    assert game.hand(0) == [chain[79]] and legal(game) == {f"{chain[79]} > P0", "stop"}
    assert ends(game)[0] == line[78][1]


def test_r12_single_has_no_special_first_turn() -> None:
    game = position(rules(), ["0-1 1-1", "0-2 2-2"], opening=0)
    play(game, "0-1 > M")
    assert game.seat == 1 and asleep(game) == []


# ---- markers: R20, R21 ---------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "now"), [("on_pass", [0]), ("not_on_own_double", [])])
def test_r20_a_double_that_the_seat_cannot_cover_itself(value: str, now: list[int]) -> None:
    game = six(marker_on=value)
    play(game, "5-6 > P0", "4-6 > P1")
    assert legal(game) == {"5-5 > P0"}
    play(game, "5-5 > P0")
    assert uncovered(game) == ["P0"]
    play(game, "draw", "pass")
    assert markers(game) == now and waiting(game) == ["P0"]
    play(game, "draw", "pass")  # seat 1 cannot satisfy it: a pass like any other
    assert markers(game) == [*now, 1]
    play(game, "draw", "pass")  # play has returned, the double is still open
    assert markers(game) == [0, 1]
    play(game, "draw")
    assert legal(game) == {"0-5 > P0"}


@pytest.mark.parametrize(("value", "left"), [("own_play", [0]), ("any_play", [])])
def test_r21_which_play_takes_the_marker_off(value: str, left: list[int]) -> None:
    hands = ["1-1 1-2 1-3", "4-6 0-0 0-1"]
    game = position(rules(max_pip=6, marker_off=value), hands, opening=6, boneyard="2-2 1-4 3-6")
    play(game, "draw", "pass", "4-6 > M", "draw")
    assert markers(game) == [0]
    play(game, "1-4 > M")
    assert markers(game) == left
    play(game, "0-1 > M", "draw", "3-6 > P0")
    assert markers(game) == []


@pytest.mark.parametrize(("flag", "left"), [(True, []), (False, [0])])
def test_r21_a_marker_from_a_failed_cover_comes_off_at_any_play(flag: bool, left: list[int]) -> None:
    hands = ["5-6 5-5 3-6", "4-6 0-5 0-0"]
    failed = rules(max_pip=6, failed_cover_marker_off_any=flag)
    game = position(failed, hands, opening=6, boneyard="1-2")
    play(game, "5-6 > P0", "4-6 > P1", "5-5 > P0", "draw", "pass", "0-5 > P0")
    assert markers(game) == [0]
    assert legal(game) == {"3-6 > M"}
    play(game, "3-6 > M")
    assert markers(game) == left


def test_r21_a_marker_from_failing_somebody_elses_double_comes_off_too() -> None:
    hands = ["5-6 5-5 3-6", "0-0 0-1 4-6", "2-5 1-1 4-4"]
    failed = rules(max_pip=6, failed_cover_marker_off_any=True)
    game = position(failed, hands, opening=6, boneyard="0-4 1-2 1-3 2-3")
    play(game, "5-6 > P0", "4-6 > P1", "draw", "pass")  # seat 2's marker is an ordinary one
    play(game, "5-5 > P0", "draw", "pass", "draw", "pass", "2-5 > P0")
    assert markers(game) == [0, 1, 2]
    play(game, "3-6 > P2")  # seat 0 failed to cover: off
    assert markers(game) == [1, 2]
    play(game, "1-3 > P2")  # seat 1 failed to satisfy: off
    assert markers(game) == [2]


def test_r21_an_ordinary_marker_stays_one_through_a_failed_cover() -> None:
    hands = ["1-1 1-2 1-3 0-1", "4-6 4-4 2-6 0-0"]
    failed = rules(max_pip=6, failed_cover_marker_off_any=True)
    game = position(failed, hands, opening=6, boneyard="2-2 2-3 3-3 0-3 4-5 3-6")
    play(game, "draw", "pass", "4-6 > P1", "draw", "pass", "4-4 > P1", "draw", "pass")
    assert markers(game) == [0, 1]
    play(game, "draw", "pass")  # before the double, but the marker was on
    play(game, "draw", "4-5 > P1", "draw", "3-6 > M")
    assert markers(game) == [0]


@pytest.mark.parametrize(("value", "after"), [("on_pass", [0]), ("not_on_own_double", [])])
def test_r21_off_and_on_again_in_one_turn(value: str, after: list[int]) -> None:
    hands = ["5-5 1-1 1-2", "5-6 0-0 0-1"]
    game = position(rules(max_pip=6, marker_on=value), hands, opening=6, boneyard="2-2 2-3")
    play(game, "draw", "pass", "5-6 > P0")
    assert markers(game) == [0]
    play(game, "5-5 > P0")
    assert markers(game) == []
    play(game, "draw", "pass")
    assert markers(game) == after


def test_r21_a_tile_that_another_seat_lays_leaves_the_marker_on() -> None:
    game = position(rules(marker_off="any_play"), ["1-1 2-2 1-2", "0-1 0-2 0-3"], opening=0, boneyard="3-3")
    play(game, "draw", "pass", "0-1 > P0")
    assert markers(game) == [0]
    assert fact(game, "seat") == 0
