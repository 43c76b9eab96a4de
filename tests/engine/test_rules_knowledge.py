"""What a seat knows: its view, and the numbers that others have shown to lack (R26, R27, D7). By hand from RULES.md."""

from typing import Any

import numpy as np
import pytest

from mtrain_env.engine.state import MAX_TILES, NONE, NUMBERS, ON_TABLE, REVERSE, SKIP, TRADE, UNSEEN, WILD
from mtrain_env.game import Game
from mtrain_env.tiles import parse_tile
from tests.engine.positions import deal, fact, play, position, rules, set_out, special


def may_hold(game: Game, seat: int, face: int) -> int:
    """How many tiles with the face the seat may hold, as everybody can tell."""
    return int(game.state["may_hold"][seat, face])


def is_void(game: Game, seat: int, face: int) -> bool:
    """Whether the seat has shown, at some time of this round, that it lacked the face."""
    return bool(game.state["void_at"][seat, face] > 0)


def voids(game: Game, seat: int) -> list[int]:
    """The numbers that the seat has shown to lack."""
    return [number for number in range(game.rules.max_pip + 1) if is_void(game, seat, number)]


# ---- views: R26 ----------------------------------------------------------------------------------


def both_views(seat: int, first: list[str], second: list[str], boneyards: tuple[str, str], *texts: str) -> list[Any]:
    """The seat's view of two games in which the same happened, with different hidden tiles."""
    views = []
    for hands, boneyard in ((first, boneyards[0]), (second, boneyards[1])):
        game = position(special(), hands, opening=6, boneyard=boneyard)
        play(game, *texts)
        views.append(game.view(seat))
    return views


def test_r26_a_view_shows_the_own_hand_and_no_other() -> None:
    game = position(rules(), ["0-1 1-1", "0-2 2-2"], opening=0)
    s = game.view(0)[0]
    assert [int(s["tile_place"][parse_tile(tile)]) for tile in ("0-1", "1-1")] == [0, 0]
    for hidden in ("0-2", "2-2", "0-3", "3-3"):
        assert s["tile_place"][parse_tile(hidden)] == UNSEEN
    assert s["tile_place"][parse_tile("0-0")] == ON_TABLE
    assert not s["hand"][1].any() and s["hand"][0].any()


def test_r26_what_is_public_is_in_every_view() -> None:
    game = position(rules(), ["1-1 2-2 1-2", "0-1 0-2 0-3"], opening=0, boneyard="3-3")
    game.state["totals"][:2] = (17, 4)
    play(game, "draw", "pass", "0-1 > P0")
    for seat in range(2):
        s = game.view(seat)[0]
        for field in ("markers", "train_end", "train_length", "hand_count", "totals", "round", "direction", "seat"):
            assert np.array_equal(s[field], game.state[field]), field
        assert s["deck_size"] - s["deck_next"] == 2
        assert s["laid_tile"][1] == parse_tile("0-1") and s["laid_train"][1] == 0
        assert s["void_at"][0, 0] > 0


def test_r26_a_view_is_the_same_whatever_is_hidden() -> None:
    first = ["5-6 0-0", "4-6 0-1"]
    second = ["5-6 0-0", "4-6 3-3"]
    one, other = both_views(0, first, second, ("1-1 2-2", "2-3 wild"), "5-6 > P0", "4-6 > P1")
    assert one.tobytes() == other.tobytes()


def test_r26_nobody_sees_what_another_draws() -> None:
    hands = ["0-0 0-1", "4-6 0-2"]
    for texts in (("draw",), ("draw", "pass")):
        one, other = both_views(1, hands, hands, ("1-1 2-2", "1-2 3-3"), *texts)
        assert one.tobytes() == other.tobytes()
        one, other = both_views(0, hands, hands, ("1-1 2-2", "1-2 3-3"), *texts)
        assert one.tobytes() != other.tobytes()


def test_r26_the_boneyards_order_is_known_to_nobody() -> None:
    hands = ["5-6 0-0", "4-6 0-1"]
    for seat in range(2):
        one, other = both_views(seat, hands, hands, ("1-1 2-2", "2-2 1-1"), "5-6 > P0")
        assert one.tobytes() == other.tobytes()


def test_r26_nor_the_random_state() -> None:
    views = [Game(rules("dominoplay"), seed).view(0)[0] for seed in range(2)]
    assert np.array_equal(views[0]["rng"], views[1]["rng"])


def test_d7_both_who_traded_know_both_tiles_and_nobody_else() -> None:
    game = position(special(), ["trade 1-1 5-6", "4-6 wild 0-2", "3-6 0-3 0-4"], opening=6)
    play(game, "trade P1 1-1 for wild")
    given, taken = parse_tile("1-1"), MAX_TILES + WILD
    for seat in (0, 1):
        s = game.view(seat)[0]
        assert (s["trade_given"][0], s["trade_taken"][0]) == (given, taken)
        assert s["trade_given_held"][0] == s["trade_taken_held"][0] == 1
    s = game.view(2)[0]
    assert (s["trade_given"][0], s["trade_taken"][0]) == (NONE, NONE)
    assert (s["trade_actor"][0], s["trade_other"][0]) == (0, 1)  # that they traded is public


def test_d7_a_traded_tile_that_was_laid_is_not_held_any_more() -> None:
    game = position(special(), ["trade 5-6 0-0", "4-6 3-3 0-2"], opening=6)
    play(game, "trade P1 5-6 for 3-3", "5-6 > P1")
    assert game.view(0)[0]["trade_given_held"][0] == 0
    assert game.view(1)[0]["trade_taken_held"][0] == 1


# ---- void numbers: R27 ---------------------------------------------------------------------------


def test_r27_a_draw_shows_the_numbers_that_are_missing() -> None:
    hands = ["0-0 0-1 1-1", "5-6 4-6 3-6"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="0-2")
    assert may_hold(game, 0, 6) == may_hold(game, 0, 5) == 3
    play(game, "draw")
    assert voids(game, 0) == [6]
    # the tile just drawn may show anything
    assert may_hold(game, 0, 6) == 1 and may_hold(game, 0, 5) == 4


def test_r27_a_pass_shows_it_of_the_drawn_tile_too() -> None:
    hands = ["0-0 0-1 1-1", "5-6 4-6 3-6"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="0-2 0-3")
    play(game, "draw", "pass")
    assert voids(game, 0) == [6] and may_hold(game, 0, 6) == 0
    play(game, "5-6 > P1")
    assert voids(game, 1) == []
    play(game, "draw")  # a later draw can bring it back
    assert may_hold(game, 0, 6) == 1


def test_r27_all_ends_that_were_open_then() -> None:
    hands = ["5-6 0-0 0-1", "4-6 1-2 1-1", "2-6 3-5 2-3"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="0-2")
    play(game, "5-6 > P0", "4-6 > M", "2-6 > P2", "draw")
    assert voids(game, 0) == [4, 5]  # P0 and the Mexican train, not the closed P2
    play(game, "pass", "draw")
    assert voids(game, 1) == [4, 5, 6]  # its own, the Mexican and the marked train


def test_r27_before_a_double_only_its_number() -> None:
    hands = ["5-6 5-5 1-1", "4-6 0-0 0-1"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="1-2 1-3")
    play(game, "5-6 > P0", "4-6 > P1", "5-5 > P0", "draw")
    assert voids(game, 0) == [5]  # to be covered
    play(game, "pass", "draw", "pass")
    assert voids(game, 1) == [5]  # to be satisfied; it may still hold a 4 or a 6
    assert may_hold(game, 1, 5) == 0 and may_hold(game, 1, 6) == 3


def test_r27_laying_a_tile_takes_its_numbers_along() -> None:
    hands = ["5-6 4-5 0-0", "0-1 0-2 0-3"]
    game = position(rules(max_pip=6), hands, opening=6)
    play(game, "5-6 > P0")
    assert [may_hold(game, 0, number) for number in (5, 6, 1)] == [2, 2, 2]


def test_r27_the_hunt_proves_nothing() -> None:
    hands = ["0-0 0-1", "0-2 0-3", "1-1 1-2"]
    game = position(rules("dominoplay"), hands, opening=3, hunting=2, boneyard="1-3 3-3")
    assert [voids(game, seat) for seat in range(3)] == [[], [], []]
    assert [may_hold(game, seat, 1) for seat in range(3)] == [2, 2, 3]


def test_r27_the_draw_of_a_blocker_proves_nothing() -> None:
    game = position(special(), ["draw 5-6", "4-6 0-1"], opening=6, boneyard="1-1")
    play(game, "draw > P1")
    assert voids(game, 1) == []
    assert may_hold(game, 1, 6) == 3


def test_r27_a_trade_can_bring_a_number_back() -> None:
    hands = ["0-0 0-1 1-1", "5-6 trade 0-2"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "draw", "pass")
    assert may_hold(game, 0, 6) == 0
    play(game, "trade P0 5-6 for 0-0")
    assert may_hold(game, 0, 6) == 1


def test_r27_special_kinds_that_could_have_been_played() -> None:
    game = position(special(), ["0-0 0-1 twist", "5-6 4-6 3-6"], opening=6, boneyard="1-1")
    play(game, "draw", "pass")
    for kind in (WILD, REVERSE, SKIP, TRADE):
        assert is_void(game, 0, NUMBERS + kind)
    assert not is_void(game, 0, NUMBERS + parse_tile("twist") - MAX_TILES)  # no train had two tiles


@pytest.mark.parametrize("preset", ["core", "pagat"])
def test_r27_a_new_round_forgets(preset: str) -> None:
    game = position(set_out(preset, first_turn="single"), ["1-1 1-2", "0-1 1-3"], opening=0, boneyard="2-2 2-3")
    play(game, "draw", "pass", "0-1 > P1", "draw", "pass", "1-3 > P1")
    assert game.round_over and voids(game, 0) != []
    deal(game, ["1-1 1-2", "0-1 1-3"], opening=2)
    assert fact(game, "gains") == 0
    assert voids(game, 0) == voids(game, 1) == []
    assert may_hold(game, 0, 0) == 2
