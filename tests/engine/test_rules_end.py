"""The end of a round and of a game: going out, blocked rounds, points, winners (R13, R22-R25). Worked by hand."""

from collections.abc import Callable

import pytest

from mtrain_env.game import Game
from tests.engine.positions import (
    asleep,
    boneyard,
    fact,
    legal,
    markers,
    play,
    position,
    result,
    rules,
    set_out,
    special,
    uncovered,
    waiting,
)


def blocked(**fields: object) -> Game:
    """Nothing fits any more and the boneyard is empty, but nobody has passed: seat 0 holds 2-2, seat 1 0-0 and 0-2."""
    hands = ["3-3 1-3 1-2 2-3 2-2", "0-3 0-1 1-1 0-0 0-2"]
    game = position(rules("pagat", num_rounds=1, **fields), hands, opening=3)
    play(game, "1-3 > P0", "1-2 > P0", "2-3 > P0", "stop", "0-3 > P1", "0-1 > P1", "1-1 > P1", "stop")
    assert boneyard(game) == [] and legal(game) == {"pass"}
    return game


def last_round(**fields: object) -> Game:
    """A game of one round that seat 0 wins with its next tile, 1-2; seat 1 is left with 1-1 and 2-2, six pips."""
    game = position(rules(num_rounds=1, **fields), ["0-1 1-2", "1-1 2-2"], opening=0, boneyard="3-3")
    play(game, "0-1 > P0", "draw", "pass")
    assert game.hand(1) == ["1-1", "2-2", "3-3"]
    return game


# ---- going out: R13 ------------------------------------------------------------------------------


def test_r13_the_round_ends_with_the_last_tile() -> None:
    game = last_round()
    play(game, "1-2 > P0")
    assert result(game) == ("out", 0, [0, 12])


@pytest.mark.parametrize("follow_up", ["anywhere", "anywhere_optional", "on_double", "none"])
def test_r13_a_double_as_the_last_tile_owes_nothing(follow_up: str) -> None:
    game = position(rules(double_follow_up=follow_up), ["0-1 1-1", "2-2 3-3"], opening=0, boneyard="2-3 1-2")
    play(game, "0-1 > P0", "draw", "pass", "1-1 > P0")
    assert result(game) == ("out", 0, [0, 15])


def test_r13_out_on_a_double_while_another_is_uncovered() -> None:
    hands = ["5-6 5-5 4-4", "4-6 0-5 0-6"]
    game = position(set_out("pagat", first_turn="single", max_pip=6), hands, opening=6)
    play(game, "5-6 > P0", "4-6 > M", "5-5 > P0")
    assert uncovered(game) == ["P0"]
    play(game, "4-4 > M")
    assert result(game) == ("out", 0, [0, 11])


HANDS = ["0-1 1-1 2-2", "0-2 2-3 3-3", "0-3 1-3 1-2"]


def test_r13_out_on_a_double_while_another_sleeps() -> None:
    game = position(set_out("pagat", finish_first_lap=True), HANDS, opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "stop", "0-2 > P1", "2-3 > P1", "3-3 > P1")
    # seat 1 is out, but seat 2 had no turn yet; the 3-3 makes no duty, the 1-1 goes on sleeping
    assert (game.seat, asleep(game), waiting(game), uncovered(game)) == (2, ["P0"], [], [])
    assert legal(game) == {"0-3 > P2"}
    play(game, "0-3 > P2")
    assert legal(game) == {"1-3 > P2", "stop"}
    play(game, "stop")
    assert result(game) == ("out", 1, [4, 0, 7])


def test_r13_out_in_the_first_lap_without_finish_first_lap() -> None:
    game = position(set_out("pagat"), HANDS, opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "stop", "0-2 > P1", "2-3 > P1", "3-3 > P1")
    assert result(game) == ("out", 1, [4, 0, 10])


def test_r13_a_second_seat_out_scores_nothing_and_does_not_end_the_lap() -> None:
    hands = ["0-1 1-1", "0-2 2-3", "0-3 1-3"]
    game = position(set_out("pagat", finish_first_lap=True), hands, opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "0-2 > P1", "2-3 > P1")
    assert game.seat == 2
    play(game, "0-3 > P2", "stop")
    assert result(game) == ("out", 0, [0, 0, 4])


def test_r13_out_as_the_last_seat_of_the_first_lap() -> None:
    hands = ["0-1 1-1", "0-2 2-3", "0-3 1-3"]
    game = position(set_out("pagat", finish_first_lap=True), hands, opening=0, starter=1)
    play(game, "0-2 > P1", "stop", "0-3 > P2", "stop", "0-1 > P0", "1-1 > P0")
    assert result(game) == ("out", 0, [0, 5, 4])


def test_r13_out_after_the_first_lap_ends_at_once() -> None:
    game = position(rules(finish_first_lap=True), ["0-1 1-2", "0-2 2-3", "0-3 1-3"], opening=0)
    play(game, "0-1 > P0", "0-2 > P1", "0-3 > P2", "1-2 > P0")
    assert result(game) == ("out", 0, [0, 5, 4])


def test_r13_laying_the_opening_double_was_a_first_turn() -> None:
    lap = rules("dominoplay", finish_first_lap=True)
    game = position(lap, ["0-0 2-2", "0-1 3-3", "1-1 1-2", "0-2 0-3"], opening=0)
    play(game, "0-1 > M", "1-1 > M", "1-2 > M")  # seat 2 is out
    assert game.seat == 3 and legal(game) == {"0-2 > P3", "0-2 > M", "0-3 > P3"}
    play(game, "0-2 > P3")  # seat 0 laid the 0-0
    assert result(game) == ("out", 2, [4, 6, 0, 3])


def test_r13_a_first_turn_lost_to_a_skip_has_been_had() -> None:
    lap = set_out("deluxe", finish_first_lap=True, mexican_train="always")
    game = position(lap, ["skip 1-1", "wild 1-2", "0-1 0-2", "0-3 2-3"], opening=0)
    play(game, "skip > P2", "wild > P1", "1-2 > P1 out 2")  # seat 1 is out, seat 2 loses its turn
    assert game.seat == 3
    play(game, "0-3 > P3")
    assert result(game) == ("out", 1, [2, 0, 3, 5])


# ---- blocked: R22 --------------------------------------------------------------------------------


def test_r22_only_passes_with_the_marker_already_on_count() -> None:
    game = blocked()
    for seat, on in ((0, [0]), (1, [0, 1]), (0, [0, 1])):
        assert game.seat == seat
        play(game, "pass")
        assert not game.round_over and markers(game) == on
    play(game, "pass")
    assert result(game) == ("blocked", None, [4, 2])


def test_r22_two_passes_in_a_row_that_open_trains_do_not_block() -> None:
    hands = ["3-3 1-3 1-2 0-0 0-3", "2-3 0-2 0-1 1-1 2-2"]
    loose = rules("pagat", mexican_train="never", double_follow_up="none", double_duty="none")
    game = position(loose, hands, opening=3)
    play(game, "1-3 > P0", "stop", "2-3 > P1", "0-2 > P1", "0-1 > P1", "1-1 > P1", "stop", "1-2 > P0")
    # the boneyard is empty, seat 1 cannot play, neither can seat 0: nobody can, right now
    play(game, "pass", "pass")
    assert not game.round_over
    assert legal(game) == {"2-2 > P0"}  # but seat 0's pass has opened its train
    play(game, "2-2 > P0")
    assert result(game) == ("out", 1, [3, 0])


def test_r22_never_with_tiles_in_the_boneyard() -> None:
    hands = ["0-0 0-1", "1-1 1-2"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="0-2 0-3 0-4 1-3 1-4 2-2 2-3 2-4 3-3")
    for _ in range(4):
        play(game, "draw", "pass", "draw", "pass")
    assert not game.round_over and markers(game) == [0, 1]
    assert fact(game, "idle_passes") == 1
    play(game, "draw")  # a draw starts the count again
    assert fact(game, "idle_passes") == 0


def test_r22_a_play_starts_the_count_again() -> None:
    hands = ["0-0 0-1 0-2 1-1 2-2", "3-3 1-3 1-2 2-3 0-3"]
    game = position(rules("pagat", first_turn="single", mexican_train="never"), hands, opening=3)
    play(game, "1-3 > P1", "pass", "1-2 > P1", "pass", "2-3 > P1", "pass")
    # two passes of seat 0 changed nothing, but seat 1 played between them
    assert not game.round_over and game.seat == 1
    play(game, "0-3 > P1")
    assert result(game) == ("out", 1, [9, 0])


def test_r22_a_removed_skip_starts_the_count_again() -> None:
    hands = ["5-6 4-6 0-3", "skip 3-6 0-4", "0-0 0-1 0-2"]
    game = position(special(), hands, opening=6, starter=2, boneyard="1-1 1-2")
    play(game, "draw", "pass", "5-6 > P0", "skip > P0", "draw")
    counting = game.clone()
    counting.state["skip_blockers"] = 0
    play(counting, "pass")
    assert fact(counting, "idle_passes") == 1  # seat 2's marker was on
    play(game, "pass")
    assert game.seat == 1 and fact(game, "idle_passes") == 0


# ---- points and winners: R23, R24, R25 -----------------------------------------------------------


def test_r23_pips_left_in_hand() -> None:
    game = last_round()
    play(game, "1-2 > P0")
    assert result(game)[2] == game.totals == [0, 12]


@pytest.mark.parametrize(("points", "pips"), [(0, [4, 2]), (50, [4, 52])])
def test_r23_double_blank(points: int, pips: list[int]) -> None:
    game = blocked(double_blank_points=points)
    play(game, "pass", "pass", "pass", "pass")
    assert result(game) == ("blocked", None, pips)
    assert game.totals == pips  # once, and not twice


def test_r23_totals_add_up_over_the_rounds() -> None:
    game = position(rules(), ["0-1 1-2", "1-1 2-2"], opening=0, boneyard="3-3")
    play(game, "0-1 > P0", "draw", "pass", "1-2 > P0")
    assert game.totals == [0, 12]
    game.next_round()
    while not game.round_over:
        game.act(game.legal_ids()[0])
    pips = result(game)[2]
    assert game.totals == [pips[0], 12 + pips[1]]


@pytest.mark.parametrize(
    ("before", "winners"),
    [
        ([0, 0], [0]),
        ([20, 0], [1]),
        ([12, 0], [0, 1]),
        ([11, 0], [0]),
        ([13, 0], [1]),
    ],
)
def test_r24_the_lowest_total_wins_and_equal_ones_share(before: list[int], winners: list[int]) -> None:
    game = last_round()
    game.state["totals"][:2] = before
    assert game.winners == []
    play(game, "1-2 > P0")
    assert game.over
    assert game.totals == [before[0], before[1] + 12]
    assert game.winners == game.history[-1]["winners"] == winners


@pytest.mark.parametrize(
    ("before", "winners"),
    [([0, 0, 0], [0]), ([4, 0, 0], [0, 2]), ([5, 0, 1], [0, 1, 2]), ([9, 0, 1], [1, 2]), ([9, 1, 0], [2])],
)
def test_r24_ties_of_two_and_of_all(before: list[int], winners: list[int]) -> None:
    hands = ["0-1 1-2", "0-2 2-3", "0-3 1-3"]
    game = position(rules(num_rounds=1), hands, opening=0)
    game.state["totals"][:3] = before
    play(game, "0-1 > P0", "0-2 > P1", "0-3 > P2", "1-2 > P0")  # 0, 5 and 4 pips
    assert game.winners == winners


def test_r24_a_blocked_last_round_can_be_a_tie_of_all() -> None:
    game = blocked(double_blank_points=2)
    play(game, "pass", "pass", "pass", "pass")
    assert game.totals == [4, 4] and game.winners == [0, 1]


def test_r24_a_game_stopped_between_rounds_has_winners_too() -> None:
    game = position(rules(), ["0-1 1-2", "1-1 2-2"], opening=0, boneyard="3-3")
    play(game, "0-1 > P0", "draw", "pass", "1-2 > P0")
    assert game.winners == []
    game.stop()
    assert game.over and game.winners == [0]


def announced(game: Game) -> list[int]:
    """The seats that were announced to have one tile left, in order."""
    return [line["seat"] for line in game.history if line.get("event") == "last_tile"]


def _by_laying() -> Game:
    game = position(rules(), ["0-1 1-2", "0-2 2-2"], opening=0, boneyard="3-3")
    play(game, "0-1 > P0", "0-2 > P1")
    return game


def _by_the_opening_double() -> Game:
    return position(rules("dominoplay"), ["0-1 1-2", "3-3 0-2"], opening=3)


def _by_a_trade() -> Game:
    game = position(set_out("deluxe"), ["trade 1-1", "0-2 2-2"], opening=0)
    play(game, "trade P1 1-1 for 2-2")
    return game


@pytest.mark.parametrize(("make", "seats"), [(_by_laying, [0, 1]), (_by_the_opening_double, [1]), (_by_a_trade, [0])])
def test_r25_the_last_tile_is_announced(make: Callable[[], Game], seats: list[int]) -> None:
    assert announced(make()) == seats


def test_r25_announced_again_after_a_draw_and_not_when_going_out() -> None:
    game = position(rules(), ["0-1 2-2", "0-2 3-3"], opening=0, boneyard="1-3 2-3 1-2")
    play(game, "0-1 > P0", "0-2 > P1")
    assert announced(game) == [0, 1]
    play(game, "draw", "1-3 > P0")
    assert announced(game) == [0, 1, 0]
    play(game, "draw", "2-3 > P1", "draw", "pass")
    assert announced(game) == [0, 1, 0, 1]
    play(game, "3-3 > P1")
    assert game.round_over and announced(game) == [0, 1, 0, 1]
