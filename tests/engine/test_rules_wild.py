"""Special tiles that change trains: Twist, Wild and Derail (D8-D10). Worked by hand from RULES.md."""

import pytest

from mtrain_env.game import Game
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
    set_out,
    special,
    starting,
    trains,
    uncovered,
    waiting,
)

# ---- Twist: D8 -----------------------------------------------------------------------------------


def twistable() -> Game:
    """P0 is 6-5, 5-4 and P1 is 6-3: seat 1 is to move and holds two Twists; the Mexican train is empty."""
    hands = ["5-6 4-5 0-0 0-4", "3-6 twist twist 0-2"]
    game = position(special(), hands, opening=6, boneyard="1-2 1-1 2-2")
    play(game, "5-6 > P0", "3-6 > P1", "4-5 > P0")
    return game


def test_d8_the_last_tile_is_turned() -> None:
    game = twistable()
    # of the trains only P0, which is closed, has two tiles; the opening double is none
    assert legal(game) == {"twist > P0"}
    play(game, "twist > P0")
    assert ends(game) == [5, 3, 6] and trains(game)[0] == ["5-6", "4-5"]
    assert game.seat == 0
    assert legal(game) == {"draw"}  # the 0-4 fits no more


def test_d8_a_second_twist_turns_the_tile_back() -> None:
    game = twistable()
    play(game, "twist > P0", "draw", "pass", "twist > P0")
    assert ends(game) == [4, 3, 6] and trains(game)[0] == ["5-6", "4-5"]
    assert "0-4 > P0" in legal(game)


def test_d8_a_twist_is_no_tile_of_the_train() -> None:
    hands = ["5-6 twist 0-0", "3-6 twist 0-2"]
    game = position(special(), hands, opening=6, boneyard="1-2 1-1")
    play(game, "5-6 > P0", "3-6 > P1")
    assert legal(game) == {"draw"}  # one tile on each train


def test_d8_the_mexican_train_too() -> None:
    hands = ["5-6 twist 0-0", "4-5 3-6 0-2"]
    game = position(special(), hands, opening=6)
    play(game, "5-6 > M", "4-5 > M")
    assert legal(game) == {"twist > M"}
    play(game, "twist > M")
    assert ends(game)[2] == 5


def test_d8_a_double_stays_the_same() -> None:
    game = position(
        set_out("deluxe", mexican_train="always"), ["0-1 1-2 1-1 2-2", "0-3 1-3 twist 2-3"], opening=0, boneyard="wild"
    )
    play(game, "0-1 > P0", "0-3 > M", "1-2 > P0", "1-3 > M", "1-1 > M")
    # every 1 lies on the table: the 1-1 has lapsed, though a Wild could still come (D9)
    assert game.seat == 1 and waiting(game) == []
    assert starting(game, "twist") == {"twist > P0", "twist > M"}
    play(game, "twist > M")
    assert ends(game)[2] == 1 and trains(game)[2] == ["0-3", "1-3", "1-1"]


def test_d8_the_last_tile_must_be_numbered() -> None:
    hands = ["wild wild", "twist 5-6", "0-2 0-1"]
    game = position(special(finish_first_lap=True), hands, opening=6)
    play(game, "wild > P0", "wild > P0")  # seat 0 is out: two tiles, and no duty
    assert legal(game) == {"5-6 > P1", "5-6 > M"}


# ---- Wild: D9 ------------------------------------------------------------------------------------


def test_d9_where_a_wild_may_lie() -> None:
    hands = ["0-0 0-1 0-2", "wild 3-4 1-1", "2-3 2-4 2-5"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "draw", "pass")
    assert legal(game) == {"wild > P1", "wild > M", "wild > P0"}  # seat 0 is marked, P2 closed
    game = position(special(mexican_train="after_all"), hands, opening=6, boneyard="1-2")
    play(game, "draw", "pass")
    assert legal(game) == {"wild > P1", "wild > P0"}


def test_d9_any_numbered_tile_covers_it_either_half_out() -> None:
    game = position(special(), ["wild 0-2 3-3 skip", "4-6 4-5 0-1 5-5"], opening=6)
    play(game, "wild > P0")
    assert game.seat == 0 and ends(game)[0] == "any" and uncovered(game) == ["P0"]
    assert legal(game) == {"0-2 > P0 out 0", "0-2 > P0 out 2", "3-3 > P0 out 3"}
    for half in (0, 2):
        after = game.clone()
        play(after, f"0-2 > P0 out {half}")
        assert (after.seat, ends(after)[0], waiting(after)) == (1, half, [])


def test_d9_a_double_on_a_wild_must_be_covered_in_turn() -> None:
    game = position(special(), ["wild 0-3 3-3 skip", "4-6 4-5 0-1 5-5"], opening=6)
    play(game, "wild > P0", "3-3 > P0 out 3")
    assert game.seat == 0 and uncovered(game) == ["P0"]
    assert legal(game) == {"0-3 > P0"}
    play(game, "0-3 > P0")
    assert (game.seat, waiting(game)) == (1, [])


def test_d9_a_wild_on_a_wild() -> None:
    game = position(special(), ["wild wild 0-2 1-1", "4-6 4-5 0-1 5-5"], opening=6)
    play(game, "wild > P0")
    assert "wild > P0" in legal(game) and "wild > M" not in legal(game)
    play(game, "wild > P0")
    assert (game.seat, ends(game)[0], uncovered(game)) == (0, "any", ["P0"])
    assert trains(game)[0] == ["wild", "wild"]
    play(game, "0-2 > P0 out 2")
    assert (game.seat, ends(game)[0], waiting(game)) == (1, 2, [])


def test_d9_a_wild_on_a_waiting_double() -> None:
    hands = ["5-6 5-5 1-1", "4-6 0-1 wild"]
    game = position(special(), hands, opening=6, boneyard="1-2")
    play(game, "5-6 > P0", "4-6 > P1", "5-5 > P0", "draw", "pass")
    assert legal(game) == {"wild > P0"}
    play(game, "wild > P0")
    assert (game.seat, waiting(game), uncovered(game)) == (1, [], ["P0"])
    assert legal(game) == {"0-1 > P0 out 0", "0-1 > P0 out 1"}


def test_d9_out_with_a_wild_on_a_waiting_double() -> None:
    hands = ["5-6 3-6 5-5 1-1", "4-6 2-4 0-2 wild"]
    game = position(special(), hands, opening=6, starter=1, boneyard="1-2")
    play(game, "4-6 > P1", "5-6 > P0", "2-4 > P1", "3-6 > M", "0-2 > P1", "5-5 > P0", "draw", "pass")
    assert legal(game) == {"wild > P0"}
    play(game, "wild > P0")
    assert result(game) == ("out", 1, [5, 0])


def test_d9_an_open_wild_that_makes_no_duty_takes_any_number_too() -> None:
    hands = ["wild wild", "twist 5-5", "0-2 0-1"]
    game = position(special(finish_first_lap=True), hands, opening=6)
    play(game, "wild > M", "wild > M")
    assert game.seat == 1 and waiting(game) == []
    assert legal(game) == {"5-5 > M out 5"}


def test_d9_an_open_wild_waits_for_any_number() -> None:
    game = position(special(), ["wild skip twist", "0-2 wild reverse"], opening=6, boneyard="skip")
    play(game, "wild > M")
    assert legal(game) == {"draw"}
    play(game, "draw", "pass")
    assert markers(game) == [] and waiting(game) == ["M"]  # it counts as a double of its own (R20)
    assert legal(game) == {"0-2 > M out 0", "0-2 > M out 2", "wild > M"}
    play(game, "0-2 > M out 2")
    assert (game.seat, ends(game)[2], waiting(game)) == (0, 2, [])


def test_d9_a_wild_never_becomes_exhausted() -> None:
    game = position(
        special(), ["wild skip twist", "trade reverse skip", "0-2 1-1 1-2"], opening=6, boneyard="draw draw"
    )
    play(game, "wild > P0", "draw", "pass", "draw", "pass")
    assert waiting(game) == ["P0"] and markers(game) == [1]
    assert {text.split()[0] for text in legal(game)} == {"0-2", "1-1", "1-2"}


def test_d9_a_wild_laid_by_oneself_raises_the_marker_when_play_returns() -> None:
    hands = ["wild skip twist", "trade reverse skip"]
    game = position(special(), hands, opening=6, boneyard="draw draw twist reverse")
    play(game, "wild > P0", "draw", "pass", "draw", "pass")
    assert markers(game) == [1]
    play(game, "draw", "pass")
    assert markers(game) == [0, 1]


# ---- Derail: D10 ---------------------------------------------------------------------------------


def test_d10_a_marked_train_and_a_skip_move() -> None:
    hands = ["skip 4-6 4-4", "5-6 derail 1-1", "0-0 0-1 0-2"]
    game = position(special(), hands, opening=6, starter=2, boneyard="3-3 1-2 2-6 0-3")
    play(game, "draw", "pass", "4-6 > P2", "5-6 > P1", "draw", "pass", "skip > P2")
    assert trains(game) == [[], ["5-6"], ["4-6"], []]
    assert (markers(game), blockers(game)) == ([2], {"P2": "skip"})
    play(game, "derail 1")
    assert trains(game) == [["5-6"], ["4-6"], [], []] and ends(game) == [5, 4, 6, 6]
    assert (markers(game), blockers(game)) == ([2], {"P1": "skip"})
    assert game.seat == 2  # its train has no Skip any more
    play(game, "draw")
    assert legal(game) == {"2-6 > P2", "2-6 > M"}
    play(game, "2-6 > P2", "draw", "pass")
    assert game.seat == 2 and blockers(game) == {} and markers(game) == [0]  # seat 1 lost its turn
    assert len(game.hand(1)) == 1


@pytest.mark.parametrize(
    ("k", "after"),
    [
        (1, [["4-6"], ["3-6"], [], ["5-6"], []]),
        (2, [["3-6"], [], ["5-6"], ["4-6"], []]),
        (3, [[], ["5-6"], ["4-6"], ["3-6"], []]),
    ],
)
def test_d10_every_train_becomes_the_one_of_the_seat_k_further(k: int, after: list[list[str]]) -> None:
    hands = ["5-6 0-0", "4-6 0-1", "3-6 0-2", "2-6 derail"]
    game = position(special(derail="any"), hands, opening=6)
    play(game, "5-6 > P0", "4-6 > P1", "3-6 > P2", f"derail {k}")
    assert trains(game) == after


def test_d10_distances() -> None:
    hands = ["derail 5-6", "4-6 0-1", "3-6 0-2", "2-6 0-3"]
    assert starting(position(special(), hands, opening=6), "derail") == {"derail 1", "derail 3"}
    assert starting(position(special(derail="any"), hands, opening=6), "derail") == {"derail 1", "derail 2", "derail 3"}
    for value in ("one", "any"):
        assert starting(position(special(derail=value), hands[:2], opening=6), "derail") == {"derail 1"}


def test_d10_clockwise_whatever_the_direction() -> None:
    hands = ["reverse 0-0 0-1", "4-6 derail 0-2", "5-6 0-3 0-4"]
    game = position(special(), hands, opening=6)
    play(game, "reverse", "5-6 > P2", "derail 1")
    assert trains(game) == [[], ["5-6"], [], []] and fact(game, "direction") == -1
    assert game.seat == 0


def test_d10_the_mexican_train_stays() -> None:
    game = position(special(), ["5-6 0-0 0-1", "derail 0-2 0-3"], opening=6)
    play(game, "5-6 > M", "derail 1")
    assert trains(game) == [[], [], ["5-6"]]


def test_d10_an_empty_train_moves_too() -> None:
    game = position(special(mexican_train="after_own"), ["5-6 4-6 0-1", "derail 3-6 0-3"], opening=6)
    play(game, "5-6 > P0", "derail 1")
    # seat 0's train is an empty one now: no Mexican train for it
    assert trains(game) == [[], ["5-6"], []]
    assert legal(game) == {"4-6 > P0"}


def test_d10_derail_once_leaves_the_set_as_the_last_tile_too() -> None:
    once = special(derail_once=True)
    game = position(once, ["5-6 derail", "4-6 0-1"], opening=6)
    play(game, "5-6 > P0", "4-6 > P1", "derail 1")
    assert result(game)[:2] == ("out", 0)
    assert trains(game) == [["5-6"], ["4-6"], []]
    game.next_round()
    everything = [*game.hand(0), *game.hand(1), *boneyard(game)]
    assert len(everything) == 27 + 13 and everything.count("derail") == 1


def test_d10_derails_come_back_unless_derail_once() -> None:
    game = position(special(), ["5-6 derail", "4-6 0-1"], opening=6)
    play(game, "5-6 > P0", "4-6 > P1", "derail 1")
    game.next_round()
    everything = [*game.hand(0), *game.hand(1), *boneyard(game)]
    assert len(everything) == 27 + 14 and everything.count("derail") == 2
