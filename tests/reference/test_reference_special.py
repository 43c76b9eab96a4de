"""Hand-worked positions for the special tiles (RULES.md section 6)."""

from __future__ import annotations

from typing import Any

import pytest

from . import ReferenceMismatch
from .positions import begin, play, states, table
from .selfplay import preset


def rules(**fields: Any) -> dict[str, Any]:
    return table("deluxe", **{"max_pip": 3, "mexican_train": "always", **fields})


def test_d4_draw() -> None:
    game = begin(rules(), "draw 0-1 1-2|0-2 skip 2-3|reverse 0-3 1-3", opening=0, boneyard="1-1 3-3")
    assert "draw > P1" in game.legal() and "draw > M" not in game.legal()
    assert "draw > P0" not in game.legal()
    play(game, "draw > P1")
    # its owner's turn has come: the tile is gone, one tile drawn, the own draw unspent
    assert game.blockers == [None, None, None] and game.aside == ["draw"]
    assert game.actor == 1 and game.hands[1] == ["0-2", "1-1", "2-3", "skip"]
    play(game, "0-2 > P1", "0-3 > P2")
    assert game.actor == 0


def test_d4_a_blocked_train_takes_no_tile_no_twist_and_no_second_blocker() -> None:
    deal = "1-2 1-3 twist draw|2-2 3-3 2-3 4-4|0-2 draw 0-3 0-4"
    game = begin(rules(max_pip=4), deal, opening=0, starter=1, boneyard="2-4 3-4")
    play(game, "draw", "pass", "0-2 > P1", "1-2 > P1", "draw", "pass")
    assert game.actor == 2 and game.markers == [False, True, False] and game.ends[1] == 1
    play(game, "draw > P1")
    # but for the blocker: 1-3 > P1, twist > P1 and draw > P1
    assert game.blockers == [None, "draw", None] and game.legal() == ["draw > P2"]


def test_d5_skip_is_no_turn_at_all() -> None:
    game = begin(rules(), "skip 0-1 1-2|0-2 1-1 2-3|0-3 1-3 3-3", opening=0)
    play(game, "skip > P1")
    assert game.actor == 2 and game.markers == [False] * 3 and len(game.hands[1]) == 3
    assert game.aside == ["skip"]
    # a duty moves on past the skipped seat
    game = begin(rules(), "skip 0-1 1-2|wild derail trade|0-3 1-3 3-3", opening=0, boneyard="draw")
    play(game, "skip > P2", "wild > P1", "draw", "pass")
    assert game.actor == 0 and game.markers == [False] * 3 and len(game.hands[2]) == 3
    assert states(game) == [("wild", "P1", "waiting")]


def test_d6_reverse() -> None:
    game = begin(rules(), "reverse 0-1 1-2|0-2 1-1 2-3|reverse 0-3 1-3", opening=0)
    play(game, "reverse")
    assert (game.actor, game.direction) == (2, -1)
    play(game, "reverse")
    assert (game.actor, game.direction) == (0, 1)
    assert game.aside == ["reverse", "reverse"]


def test_d7_trade() -> None:
    game = begin(rules(), "trade trade skip skip|0-2 1-1 2-3 wild|0-3 1-3 3-3 2-2", opening=0)
    assert [text for text in game.legal() if text.startswith("trade")] == [
        "trade P1 skip",
        "trade P1 trade",
        "trade P2 skip",
        "trade P2 trade",
    ]
    with pytest.raises(ReferenceMismatch):
        game.do("trade P1 trade")
    with pytest.raises(ReferenceMismatch):
        game.do("trade P1 trade", "trade")  # the taken tile comes from the hand before the gift
    game.do("trade P1 trade", "wild")
    assert game.hands[0] == ["skip", "skip", "wild"]
    assert game.hands[1] == ["0-2", "1-1", "2-3", "trade"]
    assert game.actor == 1 and game.aside == ["trade"]


def test_d8_turning_a_double_is_legal_and_changes_nothing() -> None:
    game = begin(rules(), "0-3 2-3 3-3 skip|0-1 1-3 0-2 twist", opening=0)
    play(game, "0-3 > P0", "0-1 > M", "2-3 > P0", "1-3 > M", "3-3 > M")
    assert game.actor == 1 and states(game) == []  # the 3-3 was exhausted
    play(game, "twist > M")
    assert game.ends == [2, 0, 3] and game.train_tiles[2] == ["0-1", "1-3", "3-3"]


def test_d8_twist_turns_the_last_tile() -> None:
    game = begin(rules(), "0-1 1-2 twist twist|0-2 2-3 3-3 0-3", opening=0, boneyard="1-1")
    play(game, "0-1 > P0", "0-2 > P1")
    assert not [text for text in game.legal() if "twist" in text]  # two tiles, without the opening double
    play(game, "1-2 > P0", "2-3 > P1")
    assert game.legal() == ["twist > P0", "twist > P1"]  # a closed train too
    play(game, "twist > P0")
    assert game.ends == [1, 3, 0] and game.train_tiles[0] == ["0-1", "1-2"]
    play(game, "0-3 > P1")
    play(game, "twist > P0")  # its last tile: out, and no effect (D12)
    assert game.round_result is not None and game.round_result["winner"] == 0
    assert game.ends[0] == 1


def test_d9_wild_must_be_covered_at_once_by_anything_numbered() -> None:
    game = begin(rules(), "wild 1-2 3-3 skip|0-2 2-3 1-3 0-3", opening=0, boneyard="0-1 1-1")
    assert "wild > P0" in game.legal() and "wild > M" in game.legal() and "wild > P1" not in game.legal()
    play(game, "wild > P0")
    assert game.ends[0] == "any" and states(game) == [("wild", "P0", "laid")]
    assert game.legal() == ["1-2 > P0 out 1", "1-2 > P0 out 2", "3-3 > P0 out 3"]
    play(game, "3-3 > P0 out 3")  # a real double on it must be covered in turn
    assert states(game) == [("3-3", "P0", "laid")] and game.legal() == ["draw"]
    play(game, "draw", "pass")
    assert game.markers == [False, False] and states(game) == [("3-3", "P0", "waiting")]
    assert game.legal() == ["0-3 > P0", "1-3 > P0", "2-3 > P0"]


def test_d9_d2_an_open_wild_waits_and_specials_cannot_dodge_it() -> None:
    game = begin(rules(), "wild skip trade|0-2 wild derail|0-1 0-3 1-3", opening=0, boneyard="draw")
    play(game, "wild > M")
    assert game.legal() == ["draw"]
    play(game, "draw", "pass")
    assert game.markers == [False] * 3 and states(game) == [("wild", "M", "waiting")]
    assert game.legal() == ["0-2 > M out 0", "0-2 > M out 2", "wild > M"]  # no derail
    play(game, "wild > M")  # satisfies it, and is a Wild to be covered by the same seat
    assert game.actor == 1 and states(game) == [("wild", "M", "laid")]
    play(game, "0-2 > M out 0")
    assert game.actor == 2 and game.ends[3] == 0 and states(game) == []


def test_d10_derail_moves_trains_not_markers() -> None:
    deal = "1-1 1-2 2-2|derail 0-2 3-3|0-3 0-1 1-3"
    game = begin(rules(), deal, opening=0, starter=2, boneyard="2-3")
    play(game, "0-3 > P2", "draw", "pass", "derail 1")
    assert game.train_tiles == [[], ["0-3"], [], []] and game.markers == [True, False, False]
    # seat 2 has an empty train now, that of seat 0 is open, and the one with the 0-3 is seat 1's
    assert game.legal() == ["0-1 > M", "0-1 > P0", "0-1 > P2"]


def test_d10_derail_by_k_clockwise() -> None:
    deal = "0-1 1-2 2-2 skip|draw 0-2 1-1 3-3|derail 0-3 2-3 1-3"
    one = begin(rules(), deal, opening=0)
    play(one, "0-1 > P0", "draw > P0")
    assert one.blockers == ["draw", None, None]
    assert [text for text in one.legal() if "derail" in text] == ["derail 1", "derail 2"]
    play(one, "derail 1")  # seat s gets the train of seat s+1: seat 2 that of seat 0
    assert one.train_tiles == [[], [], ["0-1"], []] and one.blockers == [None, None, "draw"]
    assert one.actor == 0 and len(one.hands[0]) == 3  # the blocker acts on its new owner
    two = begin(rules(), deal, opening=0)
    play(two, "0-1 > P0", "draw > P0", "derail 2")
    # seat 1 has seat 0's train
    assert two.train_tiles == [[], ["0-1"], [], []] and two.blockers == [None, "draw", None]
    pair = begin(rules(), "derail 0-1|0-2 0-3", opening=0)
    assert [text for text in pair.legal() if "derail" in text] == ["derail 1"]


def test_d10_derail_once_leaves_the_set_even_as_the_last_tile() -> None:
    game = begin(rules(derail_once=True), "0-1 derail|0-2 1-3", opening=0)
    play(game, "0-1 > P0", "0-2 > P1", "derail 1")
    assert game.train_tiles == [["0-1"], ["0-2"], []]  # D12: no effect
    game.choose(0, 1)
    rest = "0-2 0-3 2-2 2-3 3-3 1-2 draw draw trade trade skip skip reverse reverse twist twist wild wild"
    hands = [["0-1", "1-3"], ["0-0", "derail"]]
    with pytest.raises(ReferenceMismatch):
        game.start_round(1, None, 1, hands, [*rest.split(), "derail"])
    game.start_round(1, None, 1, hands, rest.split())


def test_d11_d12_last_trade_and_points() -> None:
    game = begin(rules(), "0-1 trade|0-2 wild", opening=0)
    play(game, "0-1 > P0", "0-2 > P1")
    assert game.legal() == ["trade P1"]
    play(game, "trade P1")
    assert game.round_result is not None and game.round_result["pips"] == [0, 50]


def test_d12_r13_the_last_tile_has_no_effect_on_the_lap_that_is_finished() -> None:
    first_lap = preset(
        "deluxe",
        max_pip=3,
        opening_turn="start_train",
        finish_first_lap=True,
        mexican_train="always",
    )
    game = begin(first_lap, "0-0 skip|0-1 derail|0-3 2-3", opening=0, starter=0, hunting_seat=0)
    play(game, "skip > P1")
    assert game.actor == 1 and game.blockers == [None] * 3
    assert "0-1 > P1" in game.legal()
    # a Wild as the last tile lies there, but makes no duty
    game = begin(first_lap, "0-0 wild|0-1 derail|0-3 2-3", opening=0, starter=0, hunting_seat=0)
    play(game, "wild > M")
    assert states(game) == [] and game.ends[3] == "any"
    assert "derail 1" in game.legal() and "0-1 > M out 0" in game.legal()


def test_r22_d13_a_playable_special_is_played() -> None:
    game = begin(rules(), "reverse 1-1 1-2|0-2 1-3 2-3", opening=0)
    assert game.legal() == ["reverse"]  # no draw with a play at hand
