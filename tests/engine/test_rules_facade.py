"""`Game` for people: sentences of its errors, verify / can / do, clones, and records that show no hidden tile."""

import re

import pytest

from mtrain_env.errors import IllegalAction, InvalidAction, MtrainError
from mtrain_env.game import Game
from tests.engine.positions import legal, play, play_round, position, rules, special


def table() -> Game:
    """Opening 0-0, seat 0 to move with 0-1, 1-1 and 2-3; seat 1 holds 0-2, 2-2 and 1-3."""
    return position(rules(), ["0-1 1-1 2-3", "0-2 2-2 1-3"], opening=0, boneyard="3-3")


UNREADABLE = [
    ("jump", "'jump' cannot be read as an action: write for example '5-12 > P0'"),
    ("", "'' cannot be read as an action"),
    ("0-1", "'0-1' cannot be read as an action"),
    ("0-1 > P7", "'0-1 > P7' names seat 7: seats are P0 to P1."),
    ("7-9 > P0", "There is no tile 7-9 in the double-3 set."),
    ("x > P0", "'x' is no tile: write two numbers as in '3-12'."),
    ("wilds > P0", "'wilds' is no tile"),
    ("trade P1 9-9", "There is no tile 9-9 in the double-3 set."),
    ("0-1 > P0 out 0", "'0-1 > P0 out 0' cannot be: the end there is 0, so 1 points out."),
]

NOT_ALLOWED = [
    ("1-2 > P0", "P0 does not hold 1-2"),
    ("0-2 > P0", "P0 does not hold 0-2"),
    ("1-1 > P0", "1-1 does not fit P0 (end 0)"),
    ("2-3 > M", "2-3 does not fit M (end 0)"),
    ("0-1 > P1", "P1 is not open to P0 now"),
    ("draw", "'draw' is not allowed to P0 now"),
    ("pass", "'pass' is not allowed to P0 now"),
    ("stop", "'stop' is not allowed to P0 now"),
]


@pytest.mark.parametrize(("text", "sentence"), UNREADABLE)
def test_what_cannot_be_read_is_invalid(text: str, sentence: str) -> None:
    game = table()
    for method in (game.verify, game.can, game.do):
        with pytest.raises(InvalidAction, match=re.escape(sentence)):
            method(text)


@pytest.mark.parametrize("text", ["wild > P0", "skip > P1", "reverse", "trade P1", "derail 1", "choose 2"])
def test_actions_that_these_rules_do_not_have_are_invalid(text: str) -> None:
    with pytest.raises(InvalidAction):
        table().verify(text)


@pytest.mark.parametrize(("text", "sentence"), NOT_ALLOWED)
def test_what_may_not_be_done_now_is_illegal(text: str, sentence: str) -> None:
    game = table()
    assert not game.can(text)
    for method in (game.verify, game.do):
        with pytest.raises(IllegalAction) as caught:
            method(text)
        assert str(caught.value) == f"{sentence}; playable now: 0-1 > P0, 0-1 > M"


def test_an_error_leaves_the_game_as_it_was() -> None:
    game = table()
    before, lines = game.games.tobytes(), game.history
    for text in ("jump", "1-1 > P0", "draw"):
        with pytest.raises(MtrainError):
            game.do(text)
    assert game.games.tobytes() == before and game.history == lines


def test_an_open_wild_asks_which_half_points_out() -> None:
    game = position(special(), ["wild 1-2 0-0", "4-6 5-6 0-1"], opening=6)
    play(game, "wild > P0")
    with pytest.raises(InvalidAction, match="must say which half points out on the open Wild: 'out 1' or 'out 2'"):
        game.verify("1-2 > P0")
    with pytest.raises(InvalidAction, match="'out 1' or 'out 2'"):
        game.verify("1-2 > P0 out 3")
    assert game.can("1-2 > P0 out 1") and game.can("1-2 > P0 out 2")


def test_verify_can_and_do_agree() -> None:
    game = table()
    assert [game.verify(text) for text in game.legal()] == game.legal_ids()
    assert game.can("0-1 > P0")
    game.do("0-1 > P0")
    assert game.seat == 1 and game.history[-1] == {"seat": 0, "do": "0-1 > P0"}


@pytest.mark.parametrize("text", ["0-1 > P0", "1-0 > P0", " 0-1>P0 ", "0-1 > p0", "0-1 > P0 out 1"])
def test_texts_may_be_written_loosely(text: str) -> None:
    game = table()
    assert game.verify(text) == game.verify("0-1 > P0")
    assert table().can("0-1 > m")


def test_between_rounds_and_after_the_game_nothing_can_be_done() -> None:
    game = Game(rules(num_rounds=2), seed=1)
    with pytest.raises(IllegalAction, match="The next round cannot be dealt: this one is not"):
        game.next_round()
    with pytest.raises(IllegalAction, match="stopped between two rounds only"):
        game.stop()
    play_round(game)
    with pytest.raises(IllegalAction, match="'draw' cannot be done: the next round is not dealt yet"):
        game.do("draw")
    assert game.legal() == [] and game.seat is None and not game.over
    game.next_round()
    play_round(game)
    with pytest.raises(IllegalAction, match="'draw' cannot be done: the game is over"):
        game.do("draw")
    with pytest.raises(IllegalAction, match="The next round cannot be dealt: the game is over"):
        game.next_round()


def test_a_clone_is_independent_and_goes_the_same_way() -> None:
    game = Game(rules(max_pip=6, num_players=3, hand_size=5), seed=9)
    twin = game.clone()
    play_round(game)
    game.next_round()
    assert not twin.round_over and len(twin.history) == 1
    play_round(twin)
    twin.next_round()
    assert twin.games.tobytes() == game.games.tobytes() and twin.history == game.history


def tiles_in(lines: object) -> set[str]:
    """Every numbered tile and special kind that the text of some lines mentions."""
    return set(re.findall(r"\b\d+-\d+\b|\b(?:trade|skip|reverse|twist|wild|derail)\b", repr(lines)))


def test_a_view_record_shows_no_hidden_tile() -> None:
    game = position(rules(max_pip=6), ["0-0 0-1 5-6", "1-1 1-2 4-6"], opening=6, starter=1, boneyard="2-2 2-3 3-3")
    play(game, "4-6 > P1", "5-6 > P0", "draw", "pass", "draw", "pass")
    header, *lines = game.view_record(0)
    assert header["format"] == "mtrain-view/1" and header["view"] == 0 and "seed" not in header
    assert tiles_in(lines) == {"0-0", "0-1", "5-6", "4-6", "2-3"}
    assert tiles_in(game.view_record(1)[1:]) == {"1-1", "1-2", "4-6", "5-6", "2-2"}
    assert not any({"deal", "boneyard"} & set(line) for line in lines)
    assert lines[0]["hand"] == ["0-0", "0-1", "5-6"]
    assert {"seat": 0, "do": "draw", "got": ["2-3"]} in lines
    assert {"seat": 1, "do": "draw"} in lines


def test_a_view_record_shows_what_the_hunt_brought_to_its_own_seat_only() -> None:
    hands = ["0-0 0-1", "0-2 1-2"]
    game = position(rules("dominoplay"), hands, opening=3, hunting=1, boneyard="1-1 2-2 1-3 3-3")
    assert tiles_in(game.view_record(0)[1:]) == {"0-0", "0-1", "2-2"}
    assert tiles_in(game.view_record(1)[1:]) == {"0-2", "1-2", "1-1", "1-3"}


def test_a_view_record_shows_a_trade_to_the_two_who_made_it() -> None:
    game = position(special(), ["trade 1-1 5-6", "4-6 wild 0-2", "3-6 0-3 0-4"], opening=6)
    play(game, "trade P1 1-1 for wild")
    line = {"seat": 0, "do": "trade P1 1-1", "took": "wild"}
    assert game.view_record(0)[2] == line | {"got": ["wild"]}
    assert game.view_record(1)[2] == line | {"got": ["1-1"]}
    assert game.view_record(2)[2] == {"seat": 0, "do": "trade P1"}


def test_the_record_is_refused_before_the_end() -> None:
    game = Game(rules(num_rounds=1), seed=5, bots=["easy", "human"])
    with pytest.raises(IllegalAction, match="given once it is over"):
        game.record()
    play_round(game)
    header, deal, *_, end, last = game.record()
    assert header == {"format": "mtrain-record/1", "rules": game.rules.as_dict(), "seed": 5, "bots": ["easy", "human"]}
    assert deal["round"] == 1 and len(deal["deal"]) == 2
    assert end["end"] in ("out", "blocked") and last == {"winners": game.winners, "totals": game.totals}


def test_the_printed_form_tells_the_position() -> None:
    game = table()
    assert repr(game) == "<Game custom round 1 seat 0 totals [0, 0] ends P0:0 P1:0 M:0>"
    assert legal(game) == {"0-1 > P0", "0-1 > M"}
