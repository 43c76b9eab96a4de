"""What holds in every GAME record of a round dealt, whatever the rules: each tile in one place, every count right."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mtrain_env.engine.state import (
    ANY,
    CHOOSING,
    DERAIL,
    GAME_OVER,
    IN_BONEYARD,
    KINDS,
    LAID,
    MAX_PLAYERS,
    MAX_TILES,
    NOT_IN_SET,
    NUMBERS,
    ON_TABLE,
    PLAYING,
    ROUND_OVER,
    UNDEALT,
    WAITING,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW, tile_text


def check_invariants(s: Any) -> None:
    """AssertionError if the record contradicts itself."""
    if s["phase"] in (UNDEALT, CHOOSING):
        return
    _check_places(s)
    _check_hands(s)
    _check_specials(s)
    _check_seen(s)
    _check_seat(s)
    _check_doubles(s)


def boneyard_codes(s: Any) -> list[int]:
    """The codes of the tiles not drawn yet."""
    codes: list[int] = s["deck"][int(s["deck_next"]) : int(s["deck_size"])].tolist()
    return codes


def _laid(s: Any) -> list[int]:
    codes: list[int] = s["laid_tile"][: int(s["laid_count"])].tolist()
    return codes


def _check_places(s: Any) -> None:
    """Every numbered tile of the set lies in one hand, in the boneyard or on the table, and the lists agree."""
    n, count = int(s["num_players"]), int(s["num_tiles"])
    places = s["tile_place"].tolist()
    assert all(place < n or place in (IN_BONEYARD, ON_TABLE) for place in places[:count]), "a tile is nowhere"
    assert set(places[count:]) <= {NOT_IN_SET}, "a tile that the set does not have"
    in_boneyard = sorted(code for code in boneyard_codes(s) if code < MAX_TILES)
    assert in_boneyard == [tile for tile in range(count) if places[tile] == IN_BONEYARD], "boneyard and tile_place"
    on_table = sorted(code for code in _laid(s) if code < MAX_TILES)
    assert on_table == [tile for tile in range(count) if places[tile] == ON_TABLE], "tiles laid and tile_place"


def _check_hands(s: Any) -> None:
    """The bit rows of a hand are symmetric and say the same as tile_place; hand_count counts special tiles too."""
    assert not (s["hand"] >> NUMBERS).any(), "a bit past the last number"
    held = (s["hand"][:, :, None] >> np.arange(NUMBERS, dtype=np.uint32)) & 1 == 1  # [seat, p, q]
    assert (held == held.transpose(0, 2, 1)).all(), "a tile is held in one direction only"
    expected = np.zeros_like(held)
    tiles = np.flatnonzero(s["tile_place"] < MAX_PLAYERS)
    expected[s["tile_place"][tiles], TILE_LOW[tiles], TILE_HIGH[tiles]] = True
    assert (held == (expected | expected.transpose(0, 2, 1))).all(), "hand and tile_place"
    counts = expected.sum((1, 2)) + s["special_hand"].sum(1, dtype=int)
    assert counts.tolist() == s["hand_count"].tolist(), "hand_count"


def _check_specials(s: Any) -> None:
    """Two of each special kind (less the Derails that left the set), in hands, in the boneyard or played."""
    if not s["special_tiles"]:
        assert not s["special_hand"].any() and not s["specials_played"].any()
        return
    left = Counter(boneyard_codes(s))
    laid = Counter(_laid(s))
    for kind in range(KINDS):
        code, played = MAX_TILES + kind, int(s["specials_played"][kind])
        assert laid[code] == played, f"{tile_text(code)}: played and laid"
        there = int(s["special_hand"][:, kind].sum(dtype=int)) + left[code] + played
        expected = 2
        if kind == DERAIL and s["derail_once"]:
            expected -= int(s["derails_gone"]) - played  # those of earlier rounds
        assert there == expected, f"{there} of {tile_text(code)}, not {expected}"


def _check_seen(s: Any) -> None:
    """seen_count counts the face-up tiles that show a number."""
    tiles = np.flatnonzero(s["tile_place"] == ON_TABLE)
    low, high = TILE_LOW[tiles], TILE_HIGH[tiles]
    shown = np.bincount(low, minlength=NUMBERS) + np.bincount(high[high != low], minlength=NUMBERS)
    assert shown.tolist() == s["seen_count"].tolist(), "seen_count"


def _check_seat(s: Any) -> None:
    """Exactly one seat has to act while a round is played: it holds a tile, and has its turn still before it."""
    if s["phase"] != PLAYING:
        assert s["phase"] in (ROUND_OVER, GAME_OVER)
        assert (s["phase"] == GAME_OVER) == (s["round"] == s["num_rounds"])
        return
    seat = int(s["seat"])
    assert 0 <= seat < int(s["num_players"])
    assert s["hand_count"][seat] > 0, "a seat without a tile has to act"
    assert not int(s["skip_blockers"]) >> seat & 1, "a seat acts although it is skipped"
    assert not int(s["draw_blockers"]) >> seat & 1, "a seat acts with a Draw on its train"
    assert not int(s["skip_blockers"]) & int(s["draw_blockers"]), "two blockers on one train"
    if s["first_out"] >= 0:
        assert s["finish_first_lap"]
        assert not int(s["had_turn"]) >> seat & 1, "a second turn after somebody went out"
    else:
        assert all(s["hand_count"][: int(s["num_players"])] > 0), "an empty hand and the round goes on"


def _check_doubles(s: Any) -> None:
    """The list of uncovered doubles names trains that end in a double; the duty is its first waiting one (R17)."""
    count = int(s["double_count"])
    trains = [int(train) for train in s["double_train"][:count]]
    states = [int(state) for state in s["double_state"][:count]]
    assert len(set(trains)) == count, "two uncovered doubles on one train"
    for train in trains:
        assert 0 <= train <= int(s["num_players"])
        assert s["train_length"][train] > 0
        end = int(s["train_end"][train])
        assert end in (ANY, int(s["train_inner"][train])), f"train {train} does not end in a double"
    waiting = [train for train, state in zip(trains, states, strict=True) if state == WAITING]
    assert int(s["duty_train"]) == (waiting[0] if waiting else -1), "duty_train"
    laid = [k for k, state in enumerate(states) if state == LAID]
    assert laid == list(range(count - len(laid), count)), "a double of this turn before an older one"
