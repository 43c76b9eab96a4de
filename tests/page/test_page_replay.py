"""Stepping through records: every position, several games in one file, and what a bot would play and why."""

import math
from pathlib import Path

import numpy as np
import pytest

from mtrain_env.bot import make_bot, view_of
from mtrain_env.encoding.record import loads
from mtrain_env.errors import MtrainError, RecordError
from mtrain_env.play.replay import Replay, advice
from mtrain_env.replay import follow, replay
from tests.regenerate import FOLDER, transcripts


def golden(name: str) -> Replay:
    return Replay(loads((FOLDER / f"{name}.jsonl").read_text("utf-8")))


@pytest.mark.parametrize("name", sorted(transcripts()))
def test_every_position_of_a_record_is_the_one_that_was_played(name: str) -> None:
    lines = loads((FOLDER / name).read_text("utf-8"))
    shown = Replay(lines)
    played = [game.games.tobytes() for line, game in follow(lines) if {"deal", "do", "choose"} & line.keys()]
    assert [shown.at(step).games.tobytes() for step in range(shown.steps)] == played
    assert len(shown.summary()["rounds"]) == sum("deal" in line for line in lines)
    for round_, step in enumerate(shown.summary()["rounds"], 1):
        assert shown.position(step)["round"] == round_
    end = shown.position(shown.steps - 1)
    assert end["summary"]["totals"] == replay(lines).totals
    assert end["played"] is None


def test_what_came_next_is_what_was_played() -> None:
    shown = golden("dominoplay-chosen")
    first = shown.position(0)
    assert first["phase"] == "choosing"
    assert "chose the opening double" in first["played"]
    for step in range(0, shown.steps - 1, 7):
        assert shown.position(step)["played"] in (None, shown.position(step + 1)["told"][0])


def test_a_trade_takes_the_tile_of_the_record() -> None:
    lines = loads((FOLDER / "deluxe-4-players.jsonl").read_text("utf-8"))
    steps = [line for line in lines if {"deal", "do", "choose"} & line.keys()]
    shown = Replay(lines)
    trades = [step for step, line in enumerate(steps) if "took" in line]
    assert trades
    for step in trades:
        line, position = steps[step], shown.position(step)
        assert "traded a tile" in position["told"][0]
        assert line["took"] in position["hands"][line["seat"]]


def test_any_game_of_a_file_can_be_looked_at() -> None:
    names = ("core-chain", "deluxe-4-players")
    lines = [line for name in names for line in loads((FOLDER / f"{name}.jsonl").read_text("utf-8"))]
    for k, name in enumerate(names):
        shown, alone = Replay(lines, k), golden(name)
        assert (shown.games, shown.steps, shown.rules) == (2, alone.steps, alone.rules)
        assert shown.position(5) == alone.position(5)
    for k in (2, -1):
        with pytest.raises(RecordError, match="holds 2 games"):
            Replay(lines, k)


@pytest.mark.parametrize("name", ["expert:8", "search:BUNDLE:6", "learned:BUNDLE", "hard"])
def test_the_reasons_are_those_of_the_choice(name: str, bundle: Path) -> None:
    """Wherever there is a choice in a few rounds: the advice is what the bot plays, and its numbers are sound."""
    bot = make_bot(name.replace("BUNDLE", str(bundle)))
    compared = 0
    for record in ("core-2-players", "deluxe-4-players", "dominoplay-chosen"):
        shown = golden(record)
        for step in range(0, shown.steps, 23):
            game = shown.at(step)
            if game.seat is None:
                assert advice(shown, step, bot) is None
                continue
            found = advice(shown, step, bot)
            assert found is not None
            labels = [move["label"] for move in shown.position(step)["moves"]]
            view = view_of(game.games, 0, game.seat, np.array(game.legal_ids(), np.int16))
            (chosen,) = bot.act([view], np.random.default_rng([step, 1]))
            assert found["choice"] == labels[int(chosen)]
            if name == "hard":
                assert found["why"] is None
                continue
            rows = found["why"]["rows"]
            compared += len(rows) > 1
            assert {row["move"] for row in rows} <= set(labels)
            assert found["choice"] in [row["move"] for row in rows]
            assert all(math.isfinite(row["pips"]) for row in rows)
            if "learned" in name:
                chances = [row["chance"] for row in rows]
                assert chances == sorted(chances, reverse=True)
                assert len(labels) > len(rows) or sum(chances) == pytest.approx(1)
            else:
                pips = [row["pips"] for row in rows]
                assert pips == sorted(pips) and 0.0 in pips  # the first choice is compared with itself
                assert all(row["error"] >= 0 for row in rows)
    assert name == "hard" or compared > 10


def test_a_flat_network_gives_its_probabilities_where_it_can_play(tmp_path: Path) -> None:
    from tests.bundles.conftest import random_flat  # torch takes seconds to import
    from training.export import Origin, export_flat

    shown = golden("core-2-players")
    bot = make_bot(f"learned:{export_flat(random_flat(shown.rules), shown.rules, tmp_path / 'flat', Origin())}")
    for step in range(0, shown.steps, 29):
        game, found = shown.at(step), advice(shown, step, bot)
        if game.seat is None:
            continue
        assert found is not None
        chances = [row["chance"] for row in found["why"]["rows"]]
        assert chances == sorted(chances, reverse=True) and sum(chances) <= 1.0001
        assert found["choice"] == found["why"]["rows"][0]["move"] or chances[0] - chances[1] < 1e-4
        assert all(row["pips"] is None for row in found["why"]["rows"])
    with pytest.raises(MtrainError, match="made for other rules"):
        advice(golden("deluxe-4-players"), 3, bot)
