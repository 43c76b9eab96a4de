"""Setting up a round: deals, opening doubles, the hunt and who starts (R1-R6). Worked by hand from RULES.md."""

import pytest

from mtrain_env.game import Game
from mtrain_env.rules import Rules, RulesError
from mtrain_env.tiles import TILE_PIPS, parse_tile
from tests.engine.positions import (
    boneyard,
    deal,
    fact,
    legal,
    markers,
    play,
    play_round,
    position,
    result,
    rules,
    set_out,
    waiting,
)


def blocked(**fields: object) -> Game:
    """A round that seat 0 started and that is blocked: every 3 and every 1 is on the table, the boneyard empty."""
    hands = ["1-3 1-2 2-3 2-2", "0-3 0-1 1-1 0-0"]
    game = position(rules("core", first_turn="chain", **fields), hands, opening=3, boneyard="0-2")
    play(game, "1-3 > P0", "1-2 > P0", "2-3 > P0", "stop", "0-3 > P1", "0-1 > P1", "1-1 > P1", "stop")
    play(game, "draw", "pass", "pass", "pass", "pass")
    assert result(game) == ("blocked", None, [6, 0])
    return game


def test_r1_hands_and_boneyard_make_up_the_set() -> None:
    game = Game("core", seed=3)
    hands = [game.hand(seat) for seat in range(4)]
    assert [len(hand) for hand in hands] == [15] * 4
    assert len(boneyard(game)) == 91 - 4 * 15 - 1
    tiles = [*(tile for hand in hands for tile in hand), *boneyard(game), "12-12"]
    assert len(tiles) == len(set(tiles)) == 91
    assert markers(game) == []


def test_r1_every_round_starts_with_all_markers_off() -> None:
    game = position(rules(), ["1-1 2-2", "0-1 1-2"], opening=0, boneyard="3-3 2-3")
    play(game, "draw", "pass", "0-1 > P1", "draw", "pass", "1-2 > P1")
    assert game.round_over and markers(game) == [0]
    game.next_round()
    assert markers(game) == []


def test_r1_a_deal_that_does_not_fit_the_set_is_refused() -> None:
    Rules.preset("core", num_players=2, hand_size=45)  # 2 * 45 + 1 = 91
    with pytest.raises(RulesError, match="hand_size=46"):
        Rules.preset("core", num_players=2, hand_size=46)
    Rules.preset("deluxe", num_players=2, hand_size=52)  # 104 of 91 + 14
    Rules.preset("deluxe", num_players=2, hand_size=51, derail_once=True)  # 102 of 103
    with pytest.raises(RulesError, match="hand_size=52"):
        Rules.preset("deluxe", num_players=2, hand_size=52, derail_once=True)
    with pytest.raises(RulesError, match="hand_size"):
        Rules.preset("core", hand_size=1)


def test_r1_sixteen_seats_and_the_double_18_set() -> None:
    game = Game(Rules.preset("dominoplay", num_players=16), seed=1)
    line = game.history[0]
    assert [len(hand) for hand in line["deal"]] == [9] * 16
    assert len(line["boneyard"]) == 190 - 16 * 9
    assert line["opening"] == 18
    play_round(game)
    hands = [sum(int(TILE_PIPS[parse_tile(tile)]) for tile in game.hand(seat)) for seat in range(16)]
    assert result(game)[2] == hands == game.totals


@pytest.mark.parametrize(
    ("order", "max_pip", "numbers"),
    [
        ("descending", 3, [3, 2, 1, 0]),
        ("ascending", 3, [0, 1, 2, 3]),
        ("even", 6, [0, 2, 4, 6]),
        ("odd", 6, [1, 3, 5]),
    ],
)
@pytest.mark.parametrize("preset", ["core", "dominoplay"])
def test_r2_orders_of_the_opening_doubles(preset: str, order: str, max_pip: int, numbers: list[int]) -> None:
    game = Game(rules(preset, opening_order=order, max_pip=max_pip), seed=2)
    found = [fact(game, "opening")]
    play_round(game)
    while not game.over:
        game.next_round()
        found.append(fact(game, "opening"))
        play_round(game)
    assert found == numbers


def test_r2_random_takes_the_first_double_in_the_order_of_dealing() -> None:
    hands = ["0-1 2-2", "0-2 1-2", "1-3 3-3"]
    game = position(rules("dominoplay", opening_order="random"), hands, hunting=2)
    # 1-3 to seat 2, 0-1, 0-2, then 3-3 to seat 2
    assert (fact(game, "opening"), fact(game, "starter")) == (3, 2)
    assert game.hand(2) == ["1-3"]
    game = position(rules("dominoplay", opening_order="random"), hands, hunting=0)
    # 0-1, 0-2, 1-3, then 2-2 to seat 0
    assert (fact(game, "opening"), fact(game, "starter")) == (2, 0)


def test_r2_random_hunts_on_in_the_boneyard() -> None:
    game = position(rules("dominoplay", opening_order="random"), ["0-1 0-2", "0-3 1-2"], hunting=1, boneyard="1-3 1-1")
    assert (fact(game, "opening"), fact(game, "starter")) == (1, 0)
    assert game.hand(1) == ["1-2", "0-3", "1-3"]


def test_r2_random_passes_over_doubles_already_used() -> None:
    game = position(rules("dominoplay", opening_order="random"), ["3-3 0-1", "0-2 1-2"])
    assert fact(game, "opening") == 3
    play_round(game)
    deal(game, ["3-3 0-1", "2-2 0-2"])
    assert (fact(game, "opening"), fact(game, "starter")) == (2, 1)
    assert "3-3" in game.hand(0)


def test_r2_chosen_in_round_1_by_the_seat_that_starts() -> None:
    chosen = rules(opening_order="chosen")
    assert {Game(chosen, seed).seat for seed in range(20)} == {0, 1}
    game = Game(chosen, seed=5)
    seat = game.seat
    assert legal(game) == {"choose 0", "choose 1", "choose 2", "choose 3"}
    play(game, "choose 2")
    assert (fact(game, "opening"), fact(game, "starter"), game.seat) == (2, seat, seat)
    assert "2-2" not in [*game.hand(0), *game.hand(1), *boneyard(game)]


def test_r2_chosen_by_the_winner_from_those_not_used_yet() -> None:
    game = position(rules(opening_order="chosen"), ["0-1 1-2", "2-2 3-3"], opening=0, boneyard="2-3")
    play(game, "0-1 > P0", "draw", "pass", "1-2 > P0")
    game.next_round()
    assert game.seat == 0
    assert legal(game) == {"choose 1", "choose 2", "choose 3"}
    play(game, "choose 3")
    assert (fact(game, "opening"), game.seat) == (3, 1)  # the starter rotates all the same


def test_r2_chosen_after_a_blocked_round_by_the_seat_that_rotates() -> None:
    game = blocked(opening_order="chosen")
    game.next_round()
    assert game.seat == 1
    assert legal(game) == {"choose 0", "choose 1", "choose 2"}


@pytest.mark.parametrize(
    ("fields", "rounds"),
    [
        ({}, 4),
        ({"num_rounds": 2}, 2),
        ({"max_pip": 6, "opening_order": "even"}, 4),
        ({"max_pip": 6, "opening_order": "odd"}, 3),
        ({"max_pip": 6, "opening_order": "odd", "num_rounds": 1}, 1),
    ],
)
def test_r3_number_of_rounds(fields: dict[str, object], rounds: int) -> None:
    game = Game(rules(**fields), seed=4)
    for _ in range(rounds - 1):
        play_round(game)
        assert not game.over
        game.next_round()
    play_round(game)
    assert game.over


def test_r3_no_more_rounds_than_the_order_has() -> None:
    with pytest.raises(RulesError, match="num_rounds=5"):
        rules(num_rounds=5)


def test_r3_the_last_round_with_0_0_in_the_middle() -> None:
    game = Game(rules(double_blank_points=50), seed=6)
    for _ in range(3):
        play_round(game)
        game.next_round()
    assert fact(game, "opening") == 0
    assert "0-0" not in [*game.hand(0), *game.hand(1), *boneyard(game)]
    assert all(text.startswith("0-") for text in legal(game) - {"draw"})
    play_round(game)
    assert game.over and max(result(game)[2]) < 50  # nobody holds the 0-0


def test_r4_a_double_that_is_set_out_is_in_no_hand() -> None:
    game = position(rules(), ["0-1 1-1", "0-2 2-2"], opening=3)
    assert boneyard(game) == ["0-0", "1-2", "0-3", "1-3", "2-3"]
    assert fact(game, "hunting_seat") == -1


def test_r4_the_holder_lays_it_whoever_would_hunt() -> None:
    game = position(rules("dominoplay"), ["0-1 1-1", "0-2 2-2", "3-3 1-2"], opening=3, hunting=1)
    assert [len(game.hand(seat)) for seat in range(3)] == [2, 2, 1]
    assert len(boneyard(game)) == 4
    assert fact(game, "starter") == 2


def test_r4_the_hunt_stops_at_the_finder() -> None:
    hands = ["0-0 0-1", "0-2 0-3", "1-1 1-2"]
    game = position(rules("dominoplay"), hands, opening=3, hunting=2, boneyard="1-3 3-3 2-2 2-3")
    # seat 2 draws the 1-3 and keeps it, seat 0 finds the 3-3: nobody draws any more, and seat 0 gets no other tile
    assert [game.hand(seat) for seat in range(3)] == [["0-0", "0-1"], ["0-2", "0-3"], ["1-1", "1-2", "1-3"]]
    assert boneyard(game) == ["2-2", "2-3"]
    assert fact(game, "starter") == 0


def test_r4_the_hunt_goes_round() -> None:
    hands = ["0-0 0-1", "0-2 0-3"]
    game = position(rules("dominoplay"), hands, opening=3, hunting=1, boneyard="1-1 1-2 1-3 3-3")
    assert game.hand(1) == ["1-1", "0-2", "0-3", "1-3"]
    assert game.hand(0) == ["0-0", "0-1", "1-2"]
    assert fact(game, "starter") == 0


def test_r4_the_hunting_seat_is_random_in_round_1() -> None:
    games = [Game(rules("dominoplay", num_players=3), seed) for seed in range(20)]
    assert {fact(game, "hunting_seat") for game in games} == {0, 1, 2}


def test_r4_the_hunting_seat_moves_on_after_a_blocked_round() -> None:
    hands = ["3-3 1-3 1-2 2-3 2-2", "0-3 0-1 1-1 0-0 0-2"]
    game = position(rules("pagat"), hands, opening=3, hunting=1)
    play(game, "1-3 > P0", "1-2 > P0", "2-3 > P0", "stop", "0-3 > P1", "0-1 > P1", "1-1 > P1", "stop")
    play(game, "pass", "pass", "pass", "pass")
    assert result(game) == ("blocked", None, [4, 2])
    game.next_round()
    assert fact(game, "hunting_seat") == 1  # clockwise after seat 0, which laid the 3-3


def test_r4_the_hunting_seat_moves_on_clockwise_after_a_reverse() -> None:
    game = position(rules("deluxe"), ["0-0 0-1", "reverse 2-2", "1-2 1-3"], opening=0)
    play(game, "stop", "reverse", "0-1 > P0")
    assert game.round_over
    game.next_round()
    assert fact(game, "hunting_seat") == 1


def test_r5_the_layer_of_a_hunted_double_starts() -> None:
    game = position(rules("pagat"), ["0-1 1-1", "0-2 2-2", "3-3 1-3"], opening=3, hunting=1)
    assert (fact(game, "starter"), game.seat) == (2, 2)


def test_r5_rotate() -> None:
    assert {Game(rules(num_players=3), seed).seat for seed in range(20)} == {0, 1, 2}
    game = position(rules(), ["0-1 1-1", "0-2 2-2", "0-3 2-3"], opening=0, starter=1)
    assert game.seat == 1
    starters = []
    for _ in range(3):
        play_round(game)
        game.next_round()
        starters.append(game.seat)
    assert starters == [2, 0, 1]


def test_r5_previous_winner() -> None:
    fields = {"starter": "previous_winner"}
    assert {Game(rules(**fields), seed).seat for seed in range(20)} == {0, 1}
    game = position(rules(**fields), ["0-1 1-2", "2-2 3-3"], opening=0, boneyard="2-3")
    play(game, "0-1 > P0", "draw", "pass", "1-2 > P0")
    assert result(game)[1] == 0
    game.next_round()
    assert game.seat == 0


def test_r5_previous_winner_after_a_blocked_round_rotates() -> None:
    game = blocked(starter="previous_winner")
    game.next_round()
    assert game.seat == 1


def test_r6_start_train_is_a_normal_turn() -> None:
    single = rules("pagat", first_turn="single")
    game = position(single, ["3-3 1-3 1-1", "0-3 2-2 0-0"], opening=3)
    assert legal(game) == {"1-3 > P0", "1-3 > M"}
    game = position(single, ["3-3 1-2 1-1", "0-3 2-2 0-0"], opening=3)
    assert legal(game) == {"draw"}


def test_r6_optional_tile() -> None:
    game = position(rules("deluxe"), ["0-0 0-1 0-2", "0-3 2-2 3-3"], opening=0)
    assert legal(game) == {"0-1 > P0", "0-2 > P0", "stop"}
    stopped = game.clone()
    play(stopped, "stop")
    assert (stopped.seat, markers(stopped), len(stopped.hand(0))) == (1, [], 2)
    play(game, "0-1 > P0")
    assert game.seat == 1  # one tile, no more


def test_r6_optional_tile_neither_draws_nor_marks() -> None:
    game = position(rules("deluxe"), ["0-0 1-2 1-3", "0-1 0-2 0-3"], opening=0)
    assert legal(game) == {"stop"}
    play(game, "stop")
    assert (game.seat, markers(game)) == (1, [])


def test_r6_optional_tile_may_go_out() -> None:
    game = position(rules("deluxe"), ["0-0 0-3", "0-1 1-2"], opening=0)
    play(game, "0-3 > P0")
    assert result(game) == ("out", 0, [0, 4])


def test_r6_ends_turn() -> None:
    game = position(rules("dominoplay"), ["0-1 1-1", "3-3 1-3", "0-3 2-2"], opening=3)
    assert (fact(game, "starter"), game.seat) == (1, 2)
    assert (markers(game), waiting(game)) == ([], [])


def test_r6_nothing_is_laid_by_the_starter_if_set_out() -> None:
    game = position(set_out("pagat", first_turn="single"), ["0-3 1-1", "1-3 2-2"], opening=3, starter=1)
    assert game.seat == 1 and legal(game) == {"1-3 > P1", "1-3 > M"}
