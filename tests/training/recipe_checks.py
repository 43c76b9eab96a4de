"""What is checked of every recipe."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from mtrain_env.bot import View, make_bot
from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.flat import FlatLearned
from mtrain_env.bots.golden import clear, reader_of
from mtrain_env.bots.learned import make
from mtrain_env.cli import main as mtrain
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from training.__main__ import show_round
from training.recipes.common import finish
from training.recipes.one_seat import Settings, Train, learn

SMALL = Settings(players=2, steps=400, envs=4, decisions=50, hidden=(16, 8), batch=50, epochs=1)
RULES = Rules.preset("core", num_players=2)

Judge = Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[int, float]]
"""The action and the value of a model, from one observation and one mask."""


def check_recipe(library: str, train: Train, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It trains, measures, and exports a bundle that plays as its networks do."""
    networks: list[nn.Module] = []

    def kept(settings: Settings, rules: Rules) -> tuple[nn.Module, nn.Module, int]:
        policy, value, decisions = train(settings, rules)
        networks.extend([policy, value])
        return policy, value, decisions

    finish(learn(library, kept, SMALL, RULES), RULES, place, deals=2)
    lines = [line for line in capsys.readouterr().out.splitlines() if "decisions" in line]
    assert [line.split()[0] for line in lines[:-1]] == ["200", "400"]
    assert all("lost " in line and "reward " in line for line in lines[:-1])
    assert lines[-1].startswith(f"{library} ") and "400 decisions" in lines[-1]
    check_bundle(place, library, steps=8)
    policy, value = networks

    def judge(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> tuple[int, float]:
        rows = torch.from_numpy(np.hstack([observation, mask], dtype=np.float32)[None])
        with torch.no_grad():
            if isinstance(policy, nn.Sequential):  # the library masks
                rows = rows[:, : len(observation)]
            scores = policy(rows)[0].masked_fill(~torch.from_numpy(mask), -torch.inf)
            return int(scores.argmax()), float(value(rows)[0, 0])

    plays_as(place, judge)


def check_bundle(place: Path, library: str, steps: int) -> None:
    """The bundle in `place` says where it comes from and how strong it is, and plays."""
    assert mtrain(["bundle", "check", str(place)]) == 0
    policy = load_bundle(place).policy
    assert policy.provenance.config["recipe"] == library
    assert (policy.provenance.seed, policy.provenance.steps) == (1, steps)
    assert not isinstance(policy.strength, str)
    assert [(line.against, line.players, line.deals) for line in policy.strength] == [("easy", 2, 2)]
    assert show_round(make_bot(f"learned:{place}"), RULES, 3)[-1].startswith("Pips left: ")


def plays_as(place: Path, judge: Judge) -> None:
    """The bundle in `place` plays a game as `judge` does, and values it the same."""
    bot = make(place)
    assert isinstance(bot, FlatLearned)
    reader, rng = reader_of(bot), np.random.default_rng(0)
    game, compared = Game(RULES, 5), 0
    while not game.over:
        if game.seat is None:
            game.next_round()
            continue
        ids = game.legal_ids()
        move = 0
        if len(ids) > 1:
            observation, mask = reader.rows(game), np.isin(np.arange(bot.made_for.num_actions), ids)
            (move,) = bot.act([View(game.view(game.seat), game.seat, np.array(ids, np.int16))], rng)
            score, value = reader.judge(observation, ids)
            action, its_value = judge(observation[0], mask)
            if clear(score):
                assert ids[int(move)] == action
                compared += 1
            assert float(value.item()) == pytest.approx(its_value, abs=1e-5)
        game.act(ids[int(move)])
    assert compared > 100
