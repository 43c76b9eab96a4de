"""Special tiles: playing one, Draw, Skip, Reverse, Trade, points and going out (D1-D7, D11-D13). Worked by hand."""

import pytest

from tests.engine.positions import (
    blockers,
    boneyard,
    ends,
    fact,
    legal,
    markers,
    play,
    position,
    result,
    rules,
    special,
    starting,
    trains,
    waiting,
)


def test_d1_a_playable_special_is_a_play_so_there_is_no_draw() -> None:
    game = position(special(), ["reverse 1-1 1-2", "0-1 0-2 0-3"], opening=6)
    assert legal(game) == {"reverse"}


def test_d1_a_drawn_special_that_can_be_played_must_be() -> None:
    game = position(special(), ["0-0 1-1 1-2", "0-1 0-2 0-3"], opening=6, boneyard="skip")
    play(game, "draw")
    assert legal(game) == {"skip > P1"}


@pytest.mark.parametrize(("value", "left"), [("any_play", []), ("own_play", [0])])
def test_d1_any_play_takes_the_marker_off(value: str, left: list[int]) -> None:
    game = position(special(marker_off=value), ["0-0 1-1 1-2", "5-6 0-2 0-3"], opening=6, boneyard="2-2 reverse")
    play(game, "draw", "pass", "5-6 > P1")
    assert markers(game) == [0]
    play(game, "draw", "reverse")
    assert markers(game) == left


def test_d2_no_special_but_a_wild_answers_a_double() -> None:
    hands = ["5-6 5-5 skip", "4-6 reverse wild"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "5-6 > P0", "4-6 > P1")
    assert legal(game) == {"5-5 > P0", "skip > P1"}
    play(game, "5-5 > P0")
    assert legal(game) == {"draw"}  # to be covered: no Skip
    play(game, "draw", "pass")
    assert legal(game) == {"wild > P0"}  # to be satisfied: no Reverse, and the Wild nowhere else


def test_d3_a_special_is_the_whole_turn() -> None:
    hands = ["reverse 5-6 4-6", "skip 3-6 2-6", "0-6 1-6 0-0"]
    game = position(special(), hands, opening=6)
    assert {"reverse", "5-6 > P0"} <= legal(game)  # in the first turn too
    play(game, "reverse")
    assert game.seat == 2
    play(game, "0-6 > P2")
    assert game.seat == 1
    play(game, "skip > P2")
    assert game.seat == 0


def test_d3_not_as_the_optional_tile() -> None:
    game = position(rules("deluxe", max_pip=6), ["0-0 reverse wild", "5-6 4-6 0-1"], opening=0)
    assert legal(game) == {"stop"}
    game = position(rules("deluxe", max_pip=6), ["0-0 0-1 wild", "5-6 4-6 0-2"], opening=0)
    assert legal(game) == {"0-1 > P0", "stop"}


# ---- Draw and Skip: D4, D5 -----------------------------------------------------------------------


def test_d4_where_a_draw_may_lie() -> None:
    game = position(special(), ["draw 5-6", "4-6 0-1", "3-6 0-2"], opening=6)
    # opponents only, closed and empty trains too, never the Mexican train
    assert starting(game, "draw") == {"draw > P1", "draw > P2"}


def test_d4_its_owner_draws_one_and_has_its_own_draw_left() -> None:
    game = position(special(), ["draw 5-6", "0-0 0-1"], opening=6, boneyard="1-1 1-2 1-3")
    play(game, "draw > P1")
    assert blockers(game) == {} and game.seat == 1
    assert set(game.hand(1)) == {"0-0", "0-1", "1-1"}
    assert legal(game) == {"draw"}
    play(game, "draw")
    assert legal(game) == {"pass"} and boneyard(game)[0] == "1-3"


def test_d4_the_tile_may_be_played_in_the_turn_that_goes_on() -> None:
    game = position(special(), ["draw 5-6", "0-0 0-1"], opening=6, boneyard="4-6")
    play(game, "draw > P1")
    assert legal(game) == {"4-6 > P1", "4-6 > M"}


def test_d4_a_blocked_train_takes_no_tile_no_twist_and_no_second_blocker() -> None:
    hands = ["0-5 0-4 twist skip", "3-4 1-1 2-2 1-3", "5-6 draw 2-3 2-4"]
    game = position(special(), hands, opening=6, starter=1, boneyard="3-3 1-2 1-4")
    play(game, "draw", "pass", "5-6 > P1", "0-5 > P1", "draw", "pass")
    assert markers(game) == [1] and ends(game)[1] == 0
    before = game.clone()
    play(game, "draw > P1")
    assert blockers(game) == {"P1": "draw"}
    assert legal(game) == {"skip > P2"}
    play(before, "draw > P0")
    assert legal(before) == {"0-4 > P1", "twist > P1", "skip > P1", "skip > P2"}
    play(game, "skip > P2")
    assert len(game.hand(1)) == 7 and blockers(game) == {"P2": "skip"}
    assert legal(game) == {"draw"}


def test_d4_on_an_empty_boneyard_nothing_is_drawn() -> None:
    first = "0-0 draw draw trade trade skip skip reverse reverse twist twist wild"
    second = "wild derail derail 0-1 0-2 0-3 1-1 1-2 1-3 2-2 2-3 3-3"
    game = position(rules("deluxe", opening_turn="start_train"), [first, second], opening=0)
    assert boneyard(game) == []
    play(game, "draw > P1")
    assert game.seat == 1 and blockers(game) == {} and len(game.hand(1)) == 12
    assert "0-1 > P1" in legal(game)


def test_d5_a_skipped_turn_is_no_turn_at_all() -> None:
    game = position(special(), ["skip 5-6", "0-0 0-1", "3-6 0-2"], opening=6)
    assert starting(game, "skip") == {"skip > P1", "skip > P2"}
    play(game, "skip > P1")
    assert game.seat == 2
    assert markers(game) == [] and len(game.hand(1)) == 2 and blockers(game) == {}
    play(game, "3-6 > P2", "5-6 > P0")
    assert game.round_over


def test_d5_a_skip_waits_on_its_train_until_the_owners_turn() -> None:
    hands = ["0-0 0-1 0-2", "skip 4-6 1-1", "5-6 3-6 2-2"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "draw", "pass", "skip > P0")
    assert blockers(game) == {"P0": "skip"} and game.seat == 2
    assert "5-6 > P0" not in legal(game) and "5-6 > P2" in legal(game)  # blocked, though the marker is on
    play(game, "5-6 > P2")
    assert game.seat == 1 and len(game.hand(0)) == 4


def test_d5_a_skip_on_the_seat_that_faces_a_waiting_double() -> None:
    hands = ["5-6 5-5 1-1", "4-6 0-1 0-2", "skip 0-5 0-0"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "5-6 > P0", "4-6 > P1", "skip > P1", "5-5 > P0", "draw", "pass")
    # seat 1 makes no attempt to cover; the duty moves on
    assert game.seat == 2 and markers(game) == [] and len(game.hand(1)) == 2
    assert waiting(game) == ["P0"] and legal(game) == {"0-5 > P0"}


# ---- Reverse and Trade: D6, D7 -------------------------------------------------------------------


def test_d6_reverse_and_back() -> None:
    hands = ["reverse 5-6 0-0", "4-6 0-1 0-2", "reverse 3-6 0-3"]
    game = position(special(), hands, opening=6)
    play(game, "reverse")
    assert (game.seat, fact(game, "direction")) == (2, -1)
    play(game, "reverse")
    assert (game.seat, fact(game, "direction")) == (0, 1)
    play(game, "5-6 > P0")
    assert game.seat == 1


def test_d6_with_two_players() -> None:
    game = position(special(), ["reverse 5-6 0-0", "4-6 0-1 0-2"], opening=6)
    play(game, "reverse")
    assert (game.seat, fact(game, "direction")) == (1, -1)
    play(game, "4-6 > P1")
    assert game.seat == 0


def test_d6_a_round_starts_clockwise() -> None:
    game = position(special(num_rounds=2), ["reverse 5-6", "4-6 0-1", "3-6 0-2"], opening=6)
    play(game, "reverse", "3-6 > P2", "4-6 > P1", "5-6 > P0")
    assert game.round_over and fact(game, "direction") == -1
    game.next_round()
    assert fact(game, "direction") == 1


def test_d7_any_tile_but_the_trade_itself_may_be_given() -> None:
    for hand, gifts in (("trade skip 5-6", ("skip", "5-6")), ("trade trade 5-6", ("trade", "5-6"))):
        game = position(special(), [hand, "4-6 0-1 0-2", "0-3 0-4 0-5"], opening=6)
        assert starting(game, "trade") == {f"trade P{seat} {gift}" for seat in (1, 2) for gift in gifts}


def test_d7_give_one_take_one() -> None:
    game = position(special(), ["trade 1-1 5-6", "4-6 wild 0-2"], opening=6)
    play(game, "trade P1 1-1 for wild")
    assert game.hand(0) == ["5-6", "wild"] and game.hand(1) == ["1-1", "0-2", "4-6"]
    assert game.seat == 1 and trains(game) == [[], [], []]


def test_d7_the_taken_tile_is_any_of_the_hand_before_the_gift() -> None:
    taken = set()
    for seed in range(40):
        game = position(special(), ["trade 1-1 5-6", "4-6 wild 0-2"], opening=6)
        game.state["rng"] = random_state(seed)
        play(game, "trade P1 1-1")
        (tile,) = set(game.hand(0)) - {"5-6"}
        taken.add(tile)
    assert taken == {"4-6", "wild", "0-2"}


def random_state(seed: int) -> tuple[int, int]:
    """Some random state."""
    return (2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64, (2 * seed + 3) * 0xC2B2AE3D27D4EB4F % 2**64


def test_d7_only_an_opponent_who_holds_a_tile() -> None:
    lap = special(finish_first_lap=True)
    hands = ["wild 1-2", "trade 0-1", "0-2 0-3"]
    game = position(lap, hands, opening=6)
    play(game, "wild > P0", "1-2 > P0 out 2")  # seat 0 is out, the lap goes on
    assert starting(game, "trade") == {"trade P2 0-1"}


# ---- points, going out, blocked: D11, D12, D13 ---------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("draw 1-3", 34),
        ("twist 1-3", 34),
        ("skip 1-3", 34),
        ("trade 1-3", 34),
        ("reverse 1-3", 34),
        ("derail 1-3", 44),
        ("wild 1-3", 54),
        ("wild wild", 100),
    ],
)
def test_d11_points(hand: str, points: int) -> None:
    game = position(rules("deluxe"), ["0-0 0-1", hand], opening=0)
    play(game, "0-1 > P0")
    assert result(game) == ("out", 0, [0, points])


@pytest.mark.parametrize(
    ("tile", "action"),
    [
        ("draw", "draw > P1"),
        ("skip", "skip > P2"),
        ("reverse", "reverse"),
        ("derail", "derail 1"),
        ("trade", "trade P1"),
        ("wild", "wild > P0"),
        ("wild", "wild > M"),
    ],
)
def test_d12_going_out_with_a_special_has_no_effect(tile: str, action: str) -> None:
    hands = [f"5-6 {tile}", "4-6 0-1", "3-6 0-2"]
    game = position(special(), hands, opening=6)
    play(game, "5-6 > P0", "4-6 > P1", "3-6 > P2")
    placed = trains(game)
    assert action in legal(game)
    play(game, action)
    assert result(game) == ("out", 0, [0, 1, 2])
    assert blockers(game) == {} and fact(game, "direction") == 1
    if tile != "wild":
        assert trains(game) == placed


def test_d12_going_out_with_a_twist() -> None:
    hands = ["5-6 4-5 twist", "3-6 0-1 0-2"]
    game = position(special(), hands, opening=6, boneyard="0-4")
    play(game, "5-6 > P0", "3-6 > P1", "4-5 > P0", "draw", "pass")
    assert legal(game) == {"twist > P0"}
    play(game, "twist > P0")
    assert result(game)[1] == 0 and ends(game)[0] == 4


def test_d12_only_where_it_would_be_legal_anyway() -> None:
    hands = ["5-6 twist", "3-6 0-1"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "5-6 > P0", "3-6 > P1")
    assert legal(game) == {"draw"}  # no train has two tiles


def test_d12_the_last_trade_goes_to_any_opponent() -> None:
    game = position(special(), ["5-6 trade", "4-6 0-1", "3-6 0-2"], opening=6)
    play(game, "5-6 > P0", "4-6 > P1", "3-6 > P2")
    assert starting(game, "trade") == {"trade P1", "trade P2"}
    play(game, "trade P2")
    assert game.hand(1) == ["0-1"] and game.hand(2) == ["0-2"]


def test_d12_no_effect_on_the_first_lap_that_is_finished() -> None:
    lap = rules("deluxe", finish_first_lap=True, opening_turn="start_train", mexican_train="always")
    game = position(lap, ["0-0 skip", "0-1 1-2", "0-3 2-3"], opening=0)
    play(game, "skip > P1")
    assert game.seat == 1 and blockers(game) == {}


def test_d13_with_a_playable_special_nobody_passes_though_the_boneyard_is_empty() -> None:
    first = "0-0 0-1 0-2 0-3 draw trade trade skip skip twist twist wild"
    second = "wild derail derail 1-1 1-2 1-3 2-2 2-3 3-3 draw reverse reverse"
    game = position(rules("deluxe", opening_turn="start_train"), [first, second], opening=0)
    play(game, "0-1 > P0")
    assert boneyard(game) == []
    assert legal(game) == {"wild > P1", "derail 1", "draw > P0", "reverse"}  # no numbered tile fits
