"""Doubles: what follows one, which must be satisfied and in which order, which lapse (R14-R19). Worked by hand."""

import numpy as np
import pytest

from mtrain_env.game import Game
from tests.engine.positions import (
    asleep,
    ends,
    legal,
    markers,
    play,
    position,
    result,
    rules,
    set_out,
    uncovered,
    waiting,
)


def two_doubles(**fields: object) -> Game:
    """Double-6, P0 ends in 5, M in 4; seat 0 is to move with 5-5, 4-4 and 1-2, seat 1 with 0-5, 0-6 and 3-3."""
    hands = ["5-6 5-5 4-4 1-2", "4-6 0-5 0-6 3-3"]
    single = set_out("pagat", **({"first_turn": "single", "max_pip": 6} | fields))
    game = position(single, hands, opening=6, boneyard="1-3 2-3 4-5 0-4")
    play(game, "5-6 > P0", "4-6 > M")
    assert legal(game) == {"5-5 > P0", "4-4 > M"}
    return game


def exhausted_when_laid(**fields: object) -> Game:
    """Double-3, seat 0 is to move: its 1-1 fits the Mexican train only, and every other 1 is on the table."""
    game = position(rules(**fields), ["0-1 1-2 1-1 2-2", "0-3 1-3 0-2 2-3"], opening=0, boneyard="3-3")
    play(game, "0-1 > P0", "0-3 > M", "1-2 > P0", "1-3 > M")
    assert legal(game) == {"1-1 > M", "2-2 > P0"}
    return game


CHAIN = ["5-6", "0-5", "0-1", "1-5", "2-5", "2-3", "3-5", "5-5"]
"""A line from the 6 with all 5s but the 4-5."""
OTHERS = "0-2 0-3 1-1 1-2 1-3 2-2"


def last_five(starter: int = 0, **fields: object) -> Game:
    """Double-6, first turns as chains: seat 0 holds the 4-6, 4-4 and the last 5, seat 1 the line above and the 0-0."""
    chain = set_out("pagat", max_pip=6, **fields)
    hands = [f"4-6 4-4 4-5 {OTHERS}", f"{' '.join(CHAIN)} 0-0"]
    return position(chain, hands, opening=6, starter=starter, boneyard="3-3 0-4 3-6")


# ---- what the seat owes: R14, R15 ----------------------------------------------------------------


def test_r14_anywhere() -> None:
    game = two_doubles()
    play(game, "5-5 > P0")
    assert game.seat == 0 and legal(game) == {"4-4 > M"}  # wherever it may play
    play(game, "4-4 > M")
    assert game.seat == 0 and legal(game) == {"draw"}  # another double owes another tile
    play(game, "draw")
    assert legal(game) == {"pass"}
    play(game, "pass")
    assert (game.seat, markers(game), waiting(game)) == (1, [0], ["P0", "M"])


def test_r14_anywhere_each_owed_tile_has_its_own_draw() -> None:
    single = set_out("pagat", first_turn="single", max_pip=6)
    game = position(single, ["5-6 1-1 1-2", "4-6 0-1 0-2"], opening=6, boneyard="4-4 4-5")
    play(game, "5-6 > P0", "4-6 > M", "draw", "4-4 > M")
    assert game.seat == 0 and legal(game) == {"draw"}
    play(game, "draw")
    assert legal(game) == {"4-5 > M", "4-5 > P0"}


def test_r14_anywhere_trains_are_worked_out_again_after_each_tile() -> None:
    hands = ["5-6 5-5 4-4 4-5", "4-6 0-5 0-6 3-3"]
    game = position(set_out("pagat", first_turn="single", max_pip=6), hands, opening=6)
    play(game, "5-6 > P0", "4-6 > M", "5-5 > P0")
    assert legal(game) == {"4-4 > M", "4-5 > M", "4-5 > P0"}
    play(game, "4-5 > M")  # followed elsewhere: the turn is over, the 5-5 waits on a train that is closed to seat 1
    assert (game.seat, waiting(game), ends(game)) == (1, ["P0"], [5, 6, 5])
    assert legal(game) == {"0-5 > P0"}


def test_r14_anywhere_reaches_marked_trains() -> None:
    hands = ["5-5 1-6 3-6 1-1", "5-6 4-4 0-1 0-3", "0-0 0-2 2-2 3-3"]
    single = set_out("pagat", first_turn="single", max_pip=6)
    game = position(single, hands, opening=6, starter=2, boneyard="0-4 2-3")
    play(game, "draw", "pass", "1-6 > M", "5-6 > P1", "draw", "pass")
    assert (game.seat, markers(game)) == (0, [2])
    assert legal(game) == {"3-6 > P0", "1-1 > M", "3-6 > P2"}
    play(game, "1-1 > M")
    assert legal(game) == {"3-6 > P0", "3-6 > P2"}


def test_r14_anywhere_optional() -> None:
    game = two_doubles(double_follow_up="anywhere_optional")
    play(game, "5-5 > P0")
    assert legal(game) == {"4-4 > M", "stop"}
    play(game, "4-4 > M")
    assert legal(game) == {"stop"}  # nothing fits: no draw
    play(game, "stop")
    assert (game.seat, markers(game), waiting(game)) == (1, [], ["P0", "M"])


def test_r14_on_double() -> None:
    game = two_doubles(double_follow_up="on_double")
    play(game, "5-5 > P0")
    assert legal(game) == {"draw"}  # the 4-4 may not be laid elsewhere
    hands = ["5-6 5-5 4-4 2-5", "4-6 0-5 0-6 3-3"]
    game = position(rules(max_pip=6), hands, opening=6)
    play(game, "5-6 > P0", "4-6 > M", "5-5 > P0")
    assert legal(game) == {"2-5 > P0"}
    play(game, "2-5 > P0")
    assert (game.seat, waiting(game), ends(game)) == (1, [], [2, 6, 4])


def test_r14_none() -> None:
    game = two_doubles(double_follow_up="none")
    play(game, "5-5 > P0")
    assert (game.seat, markers(game), waiting(game)) == (1, [], ["P0"])


def test_r14_a_drawn_double_owes_too() -> None:
    game = position(rules(), ["0-1 2-2 2-3", "0-2 3-3 0-3"], opening=0, boneyard="1-1")
    play(game, "0-1 > P0", "0-2 > P1", "draw", "1-1 > P0")
    assert game.seat == 0 and uncovered(game) == ["P0"]


def test_r15_an_exhausted_double_owes_nothing_on_double() -> None:
    game = exhausted_when_laid()
    play(game, "1-1 > M")
    assert (game.seat, markers(game), waiting(game)) == (1, [], [])
    assert len(game.hand(0)) == 1


def test_r15_the_tile_is_owed_all_the_same_anywhere() -> None:
    game = exhausted_when_laid(double_follow_up="anywhere")
    play(game, "1-1 > M")
    assert (game.seat, uncovered(game)) == (0, [])
    assert legal(game) == {"2-2 > P0"}


def test_r15_a_double_that_is_exhausted_but_never_lapses_is_owed_a_cover() -> None:
    game = exhausted_when_laid(exhausted_double="waits")
    play(game, "1-1 > M")
    assert (game.seat, uncovered(game), legal(game)) == (0, ["M"], {"draw"})


# ---- the duty: R16, R17, R18 ---------------------------------------------------------------------


def test_r16_only_the_waiting_double_may_be_played_on() -> None:
    game = two_doubles(double_follow_up="on_double")
    play(game, "5-5 > P0", "draw", "pass")
    assert waiting(game) == ["P0"]
    assert legal(game) == {"0-5 > P0"}  # though 0-6 would start seat 1's own train


def test_r16_on_a_closed_train_too() -> None:
    game = two_doubles(double_follow_up="anywhere_optional", double_duty="table")
    play(game, "5-5 > P0", "stop")
    assert markers(game) == []
    assert legal(game) == {"0-5 > P0"}


def test_r16_no_duty() -> None:
    game = two_doubles(double_duty="none")
    play(game, "5-5 > P0", "4-4 > M", "draw", "pass")
    # an ordinary end: P0 is open because of the pass, the own train can be started
    assert legal(game) == {"0-5 > P0", "0-6 > P1"}


def test_r16_a_double_that_was_covered_in_its_turn_does_not_wait() -> None:
    hands = ["5-6 5-5 2-5 1-2", "4-6 0-5 0-6 3-3"]
    game = position(set_out("pagat", first_turn="single", max_pip=6), hands, opening=6)
    play(game, "5-6 > P0", "4-6 > M", "5-5 > P0", "2-5 > P0")
    assert (game.seat, waiting(game)) == (1, [])


@pytest.mark.parametrize("follow_up", ["anywhere", "anywhere_optional"])
def test_r16_unless_followed(follow_up: str) -> None:
    hands = ["5-6 5-5 4-4 2-4 1-1", "4-6 0-5 0-6 3-3 0-1"]
    unless = set_out("dominoplay", max_pip=6, double_follow_up=follow_up, double_duty="unless_followed")
    game = position(unless, hands, opening=6)
    play(game, "5-6 > P0", "4-6 > M", "5-5 > P0")
    followed = game.clone()
    play(followed, "2-4 > M")  # wherever it went
    assert (followed.seat, waiting(followed)) == (1, [])
    assert "0-6 > P1" in legal(followed)
    play(game, "4-4 > M", "2-4 > M")
    assert (game.seat, waiting(game)) == (1, [])  # two doubles, followed too


def test_r16_unless_followed_all_doubles_of_the_turn_wait() -> None:
    game = two_doubles(double_follow_up="anywhere_optional", double_duty="unless_followed")
    play(game, "5-5 > P0", "4-4 > M", "stop")
    assert waiting(game) == ["P0", "M"]


def test_r17_two_doubles_of_one_turn_in_the_order_laid() -> None:
    game = two_doubles()
    play(game, "4-4 > M", "5-5 > P0", "draw", "pass")
    assert waiting(game) == ["M", "P0"]
    assert legal(game) == {"draw"}  # the 0-5 must wait until the 4-4 is covered
    play(game, "draw", "pass")
    play(game, "draw", "4-5 > M")
    assert (game.seat, waiting(game)) == (1, ["P0"])  # covering one was the turn
    assert legal(game) == {"0-5 > P0"}


def test_r17_doubles_of_different_seats_keep_their_order_over_a_lap() -> None:
    hands = ["5-6 5-5 1-1 1-2", "4-6 4-4 1-3 3-3"]
    boneyard = "2-2 0-0 0-1 3-4 0-5"
    game = position(set_out("pagat", max_pip=6), hands, opening=6, starter=1, boneyard=boneyard)
    play(game, "4-6 > P1", "4-4 > P1", "stop")
    assert asleep(game) == ["P1"]
    assert legal(game) == {"5-6 > P0"}  # a sleeping double binds nobody
    play(game, "5-6 > P0", "5-5 > P0", "stop")
    assert waiting(game) == ["P1", "P0"]
    play(game, "draw", "pass", "draw", "pass", "draw", "pass")
    assert waiting(game) == ["P1", "P0"] and game.seat == 0
    play(game, "draw")
    assert legal(game) == {"3-4 > P1"}  # not on its own 5-5
    play(game, "3-4 > P1")
    assert waiting(game) == ["P0"] and game.seat == 1
    play(game, "draw")
    assert legal(game) == {"0-5 > P0"}


def test_r17_a_double_sleeps_until_every_seat_has_had_its_first_turn() -> None:
    hands = ["0-1 1-1 1-2", "0-2 2-2 3-3", "0-3 2-3 1-3"]
    game = position(set_out("pagat"), hands, opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "stop")
    assert (asleep(game), waiting(game)) == (["P0"], [])
    play(game, "0-2 > P1", "2-2 > P1", "stop")
    assert asleep(game) == ["P0", "P1"]
    assert legal(game) == {"0-3 > P2"}
    play(game, "0-3 > P2", "stop")
    assert (asleep(game), waiting(game)) == ([], ["P0", "P1"])
    assert legal(game) == {"1-2 > P0"}


def test_r17_a_double_inside_a_chain_is_covered() -> None:
    game = position(set_out("pagat"), ["0-1 1-1 1-2", "0-2 2-2 3-3"], opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "1-2 > P0")
    assert game.round_over  # and out with it
    game = position(set_out("pagat"), ["0-1 1-1 1-2 3-3", "0-2 2-2 2-3 1-3"], opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "1-2 > P0", "stop")
    assert asleep(game) == []


def test_r18_the_duty_moves_on() -> None:
    hands = ["5-6 5-5 1-1", "4-6 0-0 0-1", "3-6 0-5 2-2"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="1-2 1-3")
    play(game, "5-6 > P0", "4-6 > P1", "3-6 > P2", "5-5 > P0", "draw", "pass")
    assert game.seat == 1 and legal(game) == {"draw"}
    play(game, "draw")
    assert legal(game) == {"pass"}
    play(game, "pass")
    assert markers(game) == [0, 1] and waiting(game) == ["P0"]
    assert legal(game) == {"0-5 > P0"}
    play(game, "0-5 > P0")
    assert waiting(game) == [] and game.seat == 0


def test_r18_a_drawn_tile_that_fits_is_played() -> None:
    hands = ["5-6 5-5 1-1", "4-6 0-0 0-1"]
    game = position(rules(max_pip=6), hands, opening=6, boneyard="1-2 3-5")
    play(game, "5-6 > P0", "4-6 > P1", "5-5 > P0", "draw", "pass", "draw")
    assert legal(game) == {"3-5 > P0"}


# ---- exhausted doubles: R19 ----------------------------------------------------------------------


def test_r19_a_waiting_double_lapses_when_the_last_of_its_number_covers_another_double() -> None:
    game = last_five()
    play(game, "4-6 > P0", "4-4 > P0", "stop", *(f"{tile} > P1" for tile in CHAIN), "stop")
    # the last 5 is in a hand, and hands do not count: the 5-5 waits
    assert waiting(game) == ["P0", "P1"]
    assert legal(game) == {"4-5 > P0"}
    play(game, "4-5 > P0")
    assert waiting(game) == [] and game.seat == 1
    assert ends(game) == [5, 5, 6] and legal(game) == {"draw"}  # no duty: the 6 of the Mexican train may be played on
    play(game, "draw")
    assert legal(game) == {"pass"}


def test_r19_a_sleeping_double_lapses_too() -> None:
    game = last_five(starter=1)
    play(game, *(f"{tile} > P1" for tile in CHAIN), "stop")
    assert asleep(game) == ["P1"]
    play(game, "4-6 > P0", "4-5 > P0")
    assert asleep(game) == []
    play(game, "stop")
    assert waiting(game) == []


def test_r19_a_double_of_this_very_turn_lapses() -> None:
    hands = [f"{' '.join(CHAIN)} 4-6 4-5 0-0", "0-6 0-2 0-3 0-4 1-1 1-2 1-3 1-4 2-2 2-4 3-3"]
    game = position(set_out("pagat", max_pip=6), hands, opening=6)
    play(game, *(f"{tile} > P0" for tile in CHAIN[:-1]), "stop", "0-6 > P1", "stop", "4-6 > M", "0-2 > P1")
    play(game, "5-5 > P0")
    assert uncovered(game) == ["P0"]
    play(game, "4-5 > M")  # the last 5, on another train
    assert (game.seat, waiting(game)) == (1, [])


def test_r19_waits() -> None:
    game = last_five(exhausted_double="waits")
    play(game, "4-6 > P0", "4-4 > P0", "stop", *(f"{tile} > P1" for tile in CHAIN), "stop", "4-5 > P0")
    assert waiting(game) == ["P1"]
    play(game, "draw", "pass", "draw", "pass", "draw")
    assert legal(game) == {"pass"}  # not the 3-6 just drawn, nothing but a 5, and there is none


def test_r19_covered_tiles_and_the_opening_double_count() -> None:
    # the 1s: 0-1 covered in P0, 1-2 and 1-3 inside trains, 1-1 itself; none of them at an end
    game = exhausted_when_laid()
    assert ends(game) == [2, 0, 1]
    play(game, "1-1 > M")
    assert waiting(game) == uncovered(game) == []


def test_r19_no_round_is_blocked_by_a_waiting_numbered_double() -> None:
    chance = np.random.default_rng(7)
    blocked = 0
    for seed in range(60):
        small = rules("pagat", num_players=3, num_rounds=1, draw_limit="per_turn", hand_size=3)
        game = Game(small, seed)
        while not game.round_over:
            game.act(int(chance.choice(game.legal_ids())))
        if result(game)[0] == "blocked":
            blocked += 1
            assert waiting(game) == []
    assert blocked
