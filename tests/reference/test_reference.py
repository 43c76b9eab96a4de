"""Hand-worked positions for the clauses of RULES.md that are easy to get wrong (no special tiles)."""

from __future__ import annotations

import pytest

from . import ReferenceGame, ReferenceMismatch
from .positions import begin, play, states, table
from .selfplay import preset

# ---- before the round: R2, R4, R5, R6 ------------------------------------------------------------


def test_r4_hunters_keep_what_they_draw_and_the_finder_lays_without_replacement() -> None:
    rules = preset("pagat", max_pip=3, mexican_train="never")
    game = begin(rules, "0-0 0-1|0-2 0-3", opening=3, starter=0, hunting_seat=1, boneyard="1-1 1-2 1-3 3-3")
    # seat 1 draws 1-1, seat 0 1-2, seat 1 1-3, seat 0 finds 3-3
    assert game.hands == [["0-0", "0-1", "1-2"], ["0-2", "0-3", "1-1", "1-3"]]
    assert game.boneyard == ["2-2", "2-3"]
    assert game.actor == 0


def test_r4_wrong_starter_hunting_seat_and_set_are_refused() -> None:
    rules = preset("pagat", max_pip=3, num_players=2, hand_size=2)
    deal = [["0-0", "0-1"], ["0-2", "3-3"]]
    rest = ["0-3", "1-1", "1-2", "1-3", "2-2", "2-3"]
    for opening, hunting, starter, boneyard in [
        (3, 0, 0, rest),  # seat 1 holds the double
        (2, 0, 1, rest),  # descending begins with 3
        (3, None, 1, rest),  # somebody must hunt
        (3, 0, 1, rest[:-1]),  # a tile is missing
        (3, 0, 1, [*rest[:-1], "0-0"]),  # twice the same tile
    ]:
        with pytest.raises(ReferenceMismatch):
            ReferenceGame(rules).start_round(opening, hunting, starter, deal, boneyard)
    ReferenceGame(rules).start_round(3, 0, 1, deal, rest)


def test_r2_random_order_takes_the_first_double_in_dealing_order() -> None:
    rules = preset("dominoplay", max_pip=3, opening_order="random")
    # dealing order from seat 1: 0-2 (1), 0-1 (0), 1-1 (1), 0-0 (0)
    game = begin(rules, "0-1 0-0|0-2 1-1", opening=1, starter=1, hunting_seat=1)
    assert game.actor == 0  # ends_turn: laying it was the turn
    with pytest.raises(ReferenceMismatch):
        begin(rules, "0-1 0-0|0-2 1-1", opening=0, starter=0, hunting_seat=1)


def test_r2_chosen_by_the_winner_and_not_twice() -> None:
    rules = table("core", max_pip=3, mexican_train="never")
    game = begin(rules, "0-1 1-2|1-1 3-3", opening=0)
    play(game, "0-1 > P0", "draw", "0-2 > P1", "1-2 > P0")
    assert game.round_result == {"end": "out", "winner": 0, "pips": [0, 8], "totals": [0, 8]}
    assert (game.phase, game.actor) == ("choose", 0)
    assert game.legal() == ["choose 1", "choose 2", "choose 3"]
    with pytest.raises(ReferenceMismatch):
        game.choose(1, 3)
    game.choose(0, 3)
    with pytest.raises(ReferenceMismatch):  # starter rotates: seat 1
        game.start_round(3, None, 0, [["0-0", "0-1"], ["0-2", "0-3"]], ["1-1", "1-2", "1-3", "2-2", "2-3"])
    game.start_round(3, None, 1, [["0-0", "0-1"], ["0-2", "0-3"]], ["1-1", "1-2", "1-3", "2-2", "2-3"])


def test_r6_optional_tile() -> None:
    rules = preset("deluxe", max_pip=3, special_tiles=False)
    game = begin(rules, "0-0 0-1 0-2|1-1 1-2 0-3", opening=0, starter=0, hunting_seat=0)
    assert game.legal() == ["0-1 > P0", "0-2 > P0", "stop"]
    play(game, "stop")
    assert game.actor == 1 and game.markers == [False, False]
    assert game.legal() == ["0-3 > P1"]  # after_all: no Mexican train yet
    game = begin(rules, "0-0 1-3 1-2|1-1 2-2 0-3", opening=0, starter=0, hunting_seat=0)
    assert game.legal() == ["stop"]
    game = begin(rules, "0-0 0-1|1-1 2-2", opening=0, starter=0, hunting_seat=0)
    play(game, "0-1 > P0")
    assert game.round_result is not None and game.round_result["winner"] == 0


# ---- where to play, draws and markers: R8, R10, R20, R21 -----------------------------------------


def test_r8_mexican_train_and_own_train_first() -> None:
    deal = "0-1 0-2 1-1|0-3 1-2 1-3"
    for value, before in [
        ("always", True),
        ("after_own", False),
        ("after_all", False),
        ("never", False),
    ]:
        game = begin(table("core", max_pip=3, mexican_train=value), deal, opening=0)
        assert ("0-1 > M" in game.legal()) == before
        play(game, "0-1 > P0")
        assert ("0-3 > M" in game.legal()) == before
        play(game, "0-3 > P1")
        assert ("0-2 > M" in game.legal()) == (value != "never")
    game = begin(table("core", max_pip=3, own_train_first=True), deal, opening=0)
    assert game.legal() == ["0-1 > P0", "0-2 > P0"]


def test_r7_an_empty_marked_train_may_be_started_by_others() -> None:
    game = begin(
        table("core", max_pip=3, mexican_train="never"),
        "1-1 2-2|0-1 0-2",
        opening=0,
        boneyard="3-3",
    )
    play(game, "draw", "pass")
    assert game.markers == [True, False]
    assert game.legal() == ["0-1 > P0", "0-1 > P1", "0-2 > P0", "0-2 > P1"]


def test_r10_draw_limits() -> None:
    deal = "1-2 2-3 2-4 3-4|0-1 0-2 0-3 3-3"
    for limit in ("per_turn", "per_owed_tile", "until_playable"):
        rules = table("core", max_pip=6, draw_limit=limit)
        game = begin(rules, deal, opening=5, boneyard="4-4 5-6 6-6 1-1")
        play(game, "draw")
        if limit != "until_playable":
            assert game.legal() == ["pass"]
            continue
        assert game.legal() == ["draw"]
        play(game, "draw")
        assert game.legal() == ["5-6 > M", "5-6 > P0"]


def test_r10_the_draw_of_an_owed_tile() -> None:
    for limit, then in [
        ("per_turn", "pass"),
        ("per_owed_tile", "draw"),
        ("until_playable", "draw"),
    ]:
        rules = table("core", max_pip=6, draw_limit=limit, mexican_train="never")
        game = begin(rules, "5-6 1-2 2-3|4-6 0-1 0-2", opening=6, boneyard="5-5 1-1 2-2")
        play(game, "5-6 > P0", "4-6 > P1", "draw", "5-5 > P0")
        assert game.legal() == [then]  # the turn's one draw brought the double


def test_r20_r21_marker_after_the_own_double() -> None:
    # core: laying 3-3 on the own train, no cover: the pass marks, in this very turn
    game = begin(table("core", max_pip=4), "3-3 1-1 1-2|0-1 0-2 2-3", opening=0, boneyard="0-3 4-4")
    play(game, "draw", "0-3 > P0", "0-1 > P1")
    assert game.legal() == ["3-3 > P0"]
    play(game, "3-3 > P0")
    assert game.legal() == ["draw"]
    play(game, "draw", "pass")
    assert game.markers == [True, False] and states(game) == [("3-3", "P0", "waiting")]
    assert game.actor == 1 and game.legal() == ["2-3 > P0"]
    # deluxe: not in this very turn, but when play returns
    rules = table("core", max_pip=4, marker_on="not_on_own_double", marker_off="any_play")
    boneyard = "0-3 4-4 2-4 1-4"
    game = begin(rules, "3-3 1-1 1-2|0-1 0-2 2-2", opening=0, boneyard=boneyard)
    play(game, "draw", "0-3 > P0", "0-1 > P1", "3-3 > P0", "draw", "pass")
    assert game.markers == [False, False]
    play(game, "draw", "pass")  # seat 1 cannot satisfy: R18, marker on
    assert game.markers == [False, True] and game.actor == 0
    play(game, "draw", "pass")
    assert game.markers == [True, True]


def test_r21_failed_cover_marker_comes_off_at_any_play() -> None:
    rules = table("core", max_pip=4, failed_cover_marker_off_any=True)
    game = begin(rules, "0-3 3-3 1-1 0-4|0-1 0-2 2-3 2-2", opening=0, boneyard="1-2 2-4")
    play(game, "0-3 > P0", "0-1 > P1", "3-3 > P0", "draw", "pass", "2-3 > P0")
    assert game.markers == [True, False]
    play(game, "0-4 > M")  # not on the own train
    assert game.markers == [False, False]
    # an ordinary marker stays on
    game = begin(rules, "1-3 3-3 1-1 1-4|0-1 0-2 2-3 2-2", opening=0, boneyard="1-2 0-4")
    play(game, "draw", "pass", "0-1 > M")
    assert game.markers == [True, False]
    play(game, "1-4 > M")
    assert game.markers == [True, False]


# ---- the first turn: R12, R13, R17 ---------------------------------------------------------------


def chain_rules(**fields: object) -> dict[str, object]:
    return table("pagat", **{"max_pip": 4, **fields})


def test_r12_chain_stop_and_sleeping_doubles() -> None:
    game = begin(chain_rules(), "0-1 1-1 1-2 3-3|0-2 2-2 3-4 4-4|0-3 2-3 2-4 1-4", opening=0)
    assert game.legal() == ["0-1 > P0"]  # own train only, and it must be started
    play(game, "0-1 > P0")
    assert game.legal() == ["1-1 > P0", "1-2 > P0", "stop"]
    play(game, "1-1 > P0")
    assert game.legal() == ["1-2 > P0", "stop"]  # the double owes nothing
    play(game, "stop")
    assert states(game) == [("1-1", "P0", "asleep")]
    play(game, "0-2 > P1", "2-2 > P1")
    assert game.legal() == ["stop"]  # nothing fits: stop, and no draw
    play(game, "stop")
    assert game.legal() == ["0-3 > P2"]  # the sleeping doubles bind nobody yet
    play(game, "0-3 > P2", "stop")
    assert states(game) == [("1-1", "P0", "waiting"), ("2-2", "P1", "waiting")]
    assert game.actor == 0 and game.legal() == ["1-2 > P0"]  # first the 1-1, on a closed train or not
    play(game, "1-2 > P0")
    assert game.actor == 1 and states(game) == [("2-2", "P1", "waiting")]  # that was the turn
    assert game.legal() == ["draw"]


def test_r12_a_drawn_tile_starts_no_chain() -> None:
    game = begin(chain_rules(), "1-1 1-2|3-3 3-4", opening=0, boneyard="0-1 2-2")
    play(game, "draw")
    assert game.legal() == ["0-1 > P0"]
    play(game, "0-1 > P0")
    assert game.actor == 1  # no stop, no chain, though 1-1 would fit
    play(game, "draw", "pass")
    assert game.markers == [False, True]


def test_r13_finish_first_lap() -> None:
    rules = table("core", max_pip=4, finish_first_lap=True, first_turn="chain")
    game = begin(rules, "0-1 1-1|0-2 2-3|0-3 3-4", opening=0)
    play(game, "0-1 > P0", "1-1 > P0")  # out with a double
    assert game.phase == "play" and game.actor == 1 and states(game) == []
    play(game, "0-2 > P1", "2-3 > P1")  # out too: scores nothing, is no winner, does not end the lap
    assert game.actor == 2
    play(game, "0-3 > P2", "stop")
    assert game.round_result == {"end": "out", "winner": 0, "pips": [0, 0, 7], "totals": [0, 0, 7]}
    # without the field the round is over at once
    game = begin({**rules, "finish_first_lap": False}, "0-1 1-1|0-2 2-3|0-3 3-4", opening=0)
    play(game, "0-1 > P0", "1-1 > P0")
    assert game.round_result is not None and game.round_result["pips"] == [0, 7, 10]
    # the last seat of the lap out: nobody is left to finish it
    game = begin(rules, "0-1 1-1|0-2 2-3|0-3 3-4", opening=0, starter=1)
    play(game, "0-2 > P1", "stop", "0-3 > P2", "stop", "0-1 > P0", "1-1 > P0")
    assert game.round_result is not None and game.round_result["winner"] == 0


# ---- doubles: R14, R15, R16, R19 -----------------------------------------------------------------


def test_r16_only_the_waiting_double_may_be_played_on() -> None:
    rules = table("pagat", max_pip=4, first_turn="single", mexican_train="after_own")
    game = begin(rules, "0-1 1-1 3-4 2-4|2-2 0-2 2-3 3-3", opening=0, boneyard="4-4 1-4")
    play(game, "0-1 > P0", "0-2 > P1", "1-1 > P0")
    assert game.legal() == ["draw"]
    play(game, "draw", "pass")
    assert states(game) == [("1-1", "P0", "waiting")] and game.actor == 1
    assert game.legal() == ["draw"]
    play(game, "draw")
    assert game.legal() == ["1-4 > P0"]  # only there, though 2-2 would fit at home
    play(game, "1-4 > P0")
    assert game.actor == 0 and "3-4 > P0" in game.legal()


def test_r14_two_doubles_in_one_turn_wait_in_order() -> None:
    rules = table("pagat", max_pip=4, first_turn="single")
    game = begin(rules, "0-1 1-1 2-2 3-4|0-2 2-3 3-3 4-4", opening=0, boneyard="0-4 2-4 1-2")
    play(game, "0-1 > P0", "0-2 > M", "1-1 > P0")
    assert game.legal() == ["2-2 > M"]  # anywhere: the Mexican train
    play(game, "2-2 > M", "draw", "pass")
    # what fits an open double would have been playable: both wait, the first one first
    assert game.actor == 1
    assert states(game) == [("1-1", "P0", "waiting"), ("2-2", "M", "waiting")]
    assert game.legal() == ["draw"]
    play(game, "draw", "pass")  # 2-4 does not fit the 1-1
    assert game.markers == [True, True] and game.actor == 0
    play(game, "draw", "1-2 > P0")
    assert states(game) == [("2-2", "M", "waiting")] and game.legal() == ["2-3 > M", "2-4 > M"]


def test_r15_r19_a_double_exhausted_when_laid() -> None:
    deal = "0-3 2-3 3-3 1-1|0-1 1-3 0-2 1-2"
    before = ["0-3 > P0", "0-1 > M", "2-3 > P0", "1-3 > M", "3-3 > M"]
    # on_double: it lapses and owes nothing, the turn is over
    game = begin(table("core", max_pip=3), deal, opening=0)
    play(game, *before)
    assert states(game) == [] and game.actor == 1 and game.markers == [False, False]
    # anywhere: it lapses, but the tile is owed all the same
    game = begin(table("core", max_pip=3, double_follow_up="anywhere"), deal, opening=0)
    play(game, *before)
    assert states(game) == [] and game.actor == 0 and game.legal() == ["draw"]
    play(game, "draw")
    assert game.legal() == ["2-2 > P0"]
    # waits: no such test
    game = begin(table("core", max_pip=3, exhausted_double="waits"), deal, opening=0)
    play(game, *before)
    assert states(game) == [("3-3", "M", "laid")] and game.legal() == ["draw"]
    play(game, "draw", "pass")
    assert states(game) == [("3-3", "M", "waiting")] and game.markers == [True, False]
    assert game.legal() == ["pass"]  # though 0-2 and 1-2 would have had a place


def test_r19_is_tested_after_every_tile_for_every_waiting_double() -> None:
    rules = chain_rules()
    deal = "0-1 1-1 1-2 3-3|0-2 2-2 4-4 3-4|0-3 2-3 2-4 1-4"
    game = begin(rules, deal, opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "stop", "0-2 > P1", "2-2 > P1", "stop", "0-3 > P2")
    play(game, "2-3 > P2", "stop", "1-2 > P0")
    # 2-4 is still hidden: the 2-2 waits, though only seat 2 can cover it
    assert states(game) == [("2-2", "P1", "waiting")]
    play(game, "draw", "pass", "2-4 > P1")
    assert states(game) == []
    # with 2-4 on the table too, the 1-2 that covers the 1-1 is the last 2: the 2-2 lapses
    game = begin(rules, deal, opening=0)
    play(game, "0-1 > P0", "1-1 > P0", "stop", "0-2 > P1", "2-2 > P1", "stop", "0-3 > P2")
    play(game, "2-3 > P2", "2-4 > P2", "stop", "1-2 > P0")
    assert states(game) == [] and game.actor == 1


def test_r19_a_sleeping_double_lapses_too() -> None:
    deal = "0-1 1-1 1-2 3-3|0-2 2-2 4-4 3-4|0-3 2-3 2-4 1-4"
    game = begin(chain_rules(), deal, opening=0)
    play(game, "0-1 > P0", "1-2 > P0", "stop", "0-2 > P1", "2-2 > P1", "stop", "0-3 > P2", "2-3 > P2")
    assert states(game) == [("2-2", "P1", "asleep")]
    play(game, "2-4 > P2")
    assert states(game) == []


def test_r16_unless_followed() -> None:
    rules = table("dominoplay", max_pip=4, double_follow_up="anywhere_optional", double_duty="unless_followed")
    deal = "0-1 1-1 0-3 4-4|0-2 2-4 2-3 3-3"
    game = begin(rules, deal, opening=0, boneyard="1-2 1-3")
    play(game, "0-1 > P0", "0-2 > P1", "1-1 > P0")
    assert game.legal() == ["0-3 > M", "stop"]  # a right, not a debt
    play(game, "stop")
    assert states(game) == [("1-1", "P0", "waiting")] and game.markers == [False, False]
    game = begin(rules, deal, opening=0)
    play(game, "0-1 > P0", "0-2 > P1", "1-1 > P0", "0-3 > M")
    assert states(game) == [] and game.actor == 1  # followed, elsewhere: nothing waits
    assert game.legal() == ["2-3 > M", "2-3 > P1", "2-4 > P1", "3-3 > M"]
    game = begin(rules, "0-1 1-1 0-2 4-4|0-3 2-4 2-3 3-3", opening=0)
    play(game, "0-1 > P0", "0-3 > P1", "1-1 > P0", "stop")
    assert game.legal() == ["draw"]  # a waiting double is no right but a duty


# ---- the end: R22, R24 ---------------------------------------------------------------------------


def test_r22_only_passes_with_the_marker_on_before_them_count() -> None:
    rules = table("core", max_pip=3, mexican_train="never")
    game = begin(rules, "0-1 1-3 3-3 1-1|0-2 2-3 0-3 2-2", opening=0, boneyard="1-2")
    play(game, "0-1 > P0", "0-2 > P1", "1-3 > P0", "2-3 > P1", "3-3 > P0")
    play(game, "draw", "pass")  # marker goes on: does not count
    assert game.legal() == ["0-3 > P0"]
    play(game, "0-3 > P0")
    assert game.ends == [0, 3, 0] and game.boneyard == [] and states(game) == []
    play(game, "pass")  # counts: 1
    play(game, "pass")  # raises a marker: 0
    assert game.phase == "play"
    play(game, "pass")  # 1
    assert game.phase == "play"
    play(game, "pass")  # 2: blocked
    assert game.round_result == {"end": "blocked", "winner": None, "pips": [5, 4], "totals": [5, 4]}
    assert (game.phase, game.actor) == ("choose", 1)  # after a blocked round as `rotate`


def test_r24_ties_share_and_the_clock_stops_between_rounds() -> None:
    game = ReferenceGame(table("core"))
    game.stop()
    assert game.winners == [0, 1, 2, 3] and game.phase == "over"
