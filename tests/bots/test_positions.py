"""What hard does in turns of more than one tile and where it has reasons of its own; four_levels.py has the rest."""

from mtrain_env.engine import batch
from tests.bots.tables import Table


def test_hard_lays_spare_tiles_wherever_it_can_heaviest_first() -> None:
    table = Table("core", 12, "4-12 4-5 5-6 10-12 2-12 | 0-0 1-1 2-2 3-3 4-4")
    assert table.turn("hard") == ["10-12 > M"]
    table.play("draw", "pass")
    assert table.turn("hard") == ["2-12 > P1"]


def test_hard_lays_a_double_together_with_its_cover() -> None:
    table = Table("core", 12, "5-12 5-5 5-7 0-12 | 1-12 2-2 3-3 4-4").play("5-12 > P0", "1-12 > M")
    assert table.turn("hard") == ["5-5 > P0", "5-7 > P0"]


def test_hard_sheds_a_spare_double_and_a_spare_cover() -> None:
    table = Table("core", 12, "1-12 1-2 9-9 4-9 | 9-12 0-0 5-5 6-6").play("1-12 > P0", "9-12 > M")
    assert table.turn("hard") == ["9-9 > M", "4-9 > M"]


def test_hard_does_not_break_its_line_to_lay_two_tiles_at_once() -> None:
    hands = "3-12 3-9 9-9 4-9 4-5 5-6 | 9-12 0-0 1-1 2-2 6-6 7-7"
    table = Table("core", 12, hands).play("3-12 > P0", "9-12 > M")
    assert "9-9 > M" in table.texts()
    assert table.turn("hard") == ["3-9 > P0"]
    table.play("draw", "pass")
    assert table.turn("hard") == ["9-9 > P0", "4-9 > P0"]


def test_hard_takes_its_marker_off_before_a_light_spare_tile() -> None:
    table = Table("core", 12, "3-12 3-5 0-12 | 0-0 1-1 2-2")
    assert table.choice("hard") == "0-12 > M"
    table.games[0]["markers"] = 1
    assert table.choice("hard") == "3-12 > P0"


def test_hard_lays_its_whole_line_in_a_first_turn_chain() -> None:
    table = Table("core", 12, "3-12 3-3 3-5 11-12 5-9 | 0-0 1-1 2-2 4-4 6-6", first_turn="chain")
    assert table.turn("hard") == ["3-12 > P0", "3-3 > P0", "3-5 > P0", "5-9 > P0", "stop"]


def test_hard_looks_for_any_tile_after_a_double_that_is_followed_anywhere() -> None:
    table = Table("dominoplay", 9, "6-6 4-6 2-9 | 6-9 0-0 1-1", max_pip=9).play("2-9 > P0", "6-9 > M")
    assert table.turn("hard") == ["6-6 > M", "4-6 > M"]


def test_hard_keeps_special_tiles_until_somebody_is_about_to_go_out() -> None:
    early = Table("deluxe", 0, "0-11 11-12 skip | 1-2 3-4 5-6 | 1-3 2-4 7-7")
    assert early.choice("hard") == "0-11 > P0"
    late = Table("deluxe", 0, "0-11 skip | 1-2 3-4 | 1-3 2-4")
    assert late.choice("hard") == "skip > P1"


def test_hard_keeps_a_wild_and_opens_a_train_with_it_when_nothing_else_fits() -> None:
    table = Table("deluxe", 0, "0-3 3-6 wild | 1-2 3-4 5-6")
    assert table.choice("hard") == "0-3 > P0"
    table = Table("deluxe", 0, "3-6 6-7 wild | 1-2 3-4 5-6")
    assert table.turn("hard") == ["wild > P0", "6-7 > P0 out 6"]


def test_blockers_go_to_the_opponent_with_the_fewest_tiles() -> None:
    table = Table("deluxe", 0, "draw skip 5-6 | 1-2 3-4 1-5 | 1-3 2-4 7-7 | 8-8 9-9 1-8")
    table.games[0]["hand_count"][2] = 2
    assert table.choice("hard") == "draw > P2"


def test_levels_name_the_highest_double_left() -> None:
    table = Table("dominoplay", 9, "1-9 2-9 | 3-9 4-9", max_pip=9, opening_order="chosen")
    while table.texts():
        table.play(table.choice("medium"))
    batch.deal(table.games, 0, -1, -1)
    assert table.choice("medium") == table.choice("hard") == "choose 8"
