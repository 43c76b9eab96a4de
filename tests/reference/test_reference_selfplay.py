"""Random self-play of the reference: invariants at every decision, and records that replay."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

from . import ReferenceMismatch, replay
from .selfplay import PRESETS, play_game, preset

GAMES = int(os.environ.get("REFERENCE_GAMES", "40"))
"""How many random rule sets to try; thousands were tried when this was written."""


def random_rules(chance: random.Random) -> dict[str, Any]:
    """Any combination of fields that section 9 lets stand, on small sets mostly."""
    name = chance.choice(list(PRESETS))
    special = chance.random() < 0.4
    follow = chance.choice(["anywhere", "anywhere_optional", "on_double", "none"])
    follow = "on_double" if special else follow
    duty = chance.choice(["table", "none", "unless_followed"])
    duty = "table" if follow == "on_double" else duty
    source = chance.choice(["hunt", "set_out"])
    first_turn = "single" if special else chance.choice(["single", "chain"])
    manners = ["start_train"] if first_turn == "chain" else ["start_train", "optional_tile", "ends_turn"]
    orders = ["descending", "ascending", "even", "odd", "random" if source == "hunt" else "chosen"]
    off = chance.choice(["own_play", "any_play"])
    pips, players = chance.choice([3, 3, 6, 6, 9, 12]), chance.randint(2, 5)
    tiles = (pips + 1) * (pips + 2) // 2 + (12 if special else 0) - 1
    players = min(players, tiles // 2)
    return preset(
        name,
        num_players=players,
        max_pip=pips,
        hand_size=min(tiles // players, chance.randint(2, 12)),
        num_rounds=chance.choice(["all", 1, 2]),
        opening_order=chance.choice(orders),
        opening_source=source,
        starter=chance.choice(["rotate", "previous_winner"]) if source == "set_out" else None,
        opening_turn=chance.choice(manners) if source == "hunt" else None,
        first_turn=first_turn,
        finish_first_lap=chance.random() < 0.5,
        mexican_train=chance.choice(["always", "after_own", "after_all", "never"]),
        own_train_first=chance.random() < 0.3,
        draw_limit=chance.choice(["per_owed_tile", "per_turn", "until_playable"]),
        double_follow_up=follow,
        double_duty=duty,
        exhausted_double=chance.choice(["lapses", "waits"]),
        marker_on=chance.choice(["on_pass", "not_on_own_double"]) if follow == "on_double" else "on_pass",
        marker_off=off,
        failed_cover_marker_off_any=off == "own_play" and chance.random() < 0.5,
        double_blank_points=chance.choice([0, 50]),
        special_tiles=special,
        derail=chance.choice(["one", "any"]) if special else None,
        derail_once=chance.random() < 0.5 if special else None,
    )


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_play_whole_games_that_replay(name: str) -> None:
    record: list[dict[str, Any]] = []
    game, _ = play_game(preset(name), 1, record, check=True)
    again = replay(json.dumps(line) for line in record)
    assert (again.totals, again.winners) == (game.totals, game.winners)


def test_random_rules_end_and_conserve_the_tiles() -> None:
    for seed in range(GAMES):
        rules = random_rules(random.Random(seed))
        record: list[dict[str, Any]] = []
        play_game(rules, seed, record, check=True, max_decisions=100_000)
        replay(record)


def test_tampered_records_are_refused_with_the_line() -> None:
    record: list[dict[str, Any]] = []
    play_game(preset("core", num_rounds=1), 3, record, check=True)

    def refused(index: int, **changes: Any) -> None:
        lines = [dict(line) for line in record]
        lines[index].update(changes)
        with pytest.raises(ReferenceMismatch, match=f"line {index % len(lines) + 1}:"):
            replay(lines)

    refused(0, format="mtrain-record/2")
    refused(1, starter=(record[1]["starter"] + 1) % 4, hunting_seat=1)
    refused(1, opening=3)
    refused(2, do="0-13 > P0")
    refused(2, seat=(record[2]["seat"] + 1) % 4)
    refused(2, legal=record[2]["legal"] + ["pass"])
    refused(-2, pips=[0, 0, 0, 0])
    refused(-2, winner=None)
    refused(-1, winners=[0, 1, 2, 3])
    with pytest.raises(ReferenceMismatch):
        replay(record[:-1])
    replay([*record[:4], {"event": "last_tile", "seat": 1}, *record[4:]])


def test_a_game_stopped_by_the_clock_replays() -> None:
    record: list[dict[str, Any]] = []
    play_game(preset("core", num_rounds=2), 5, record)
    first_end = next(index for index, line in enumerate(record) if "end" in line)
    totals = record[first_end]["totals"]
    best = [seat for seat in range(4) if totals[seat] == min(totals)]
    last = [{"stopped": "time"}, {"winners": best, "totals": totals}]
    assert replay(record[: first_end + 1] + last).winners == best
