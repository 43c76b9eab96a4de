"""The critic that sees all hands: what it is shown, that the actor is shown none of it, and that seeing helps."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.encoding.candidate_layout import CAND_LAYOUT, CAND_WIDTH
from mtrain_env.encoding.candidates import NODE_CAP
from mtrain_env.engine.state import PLAYING
from mtrain_env.rules import Rules
from tests.encoding.worlds import actions_of, all_rules, positions, redealt, rules_id
from tests.engine.positions import play, position
from tests.engine.positions import rules as small
from tests.training.tiny import network_of, tiny
from training.checkpoint import load_player, load_run, new_run
from training.collector import Collector
from training.config import Config
from training.critic import Critic, Umpire
from training.export import Origin, export_network
from training.learning import explained_variance
from training.metrics import read_metrics
from training.network import CandidateNetwork
from training.player import Player
from training.selfplay import train

FIRST = np.zeros(1, np.int64)
FEW = 2 if JIT_DISABLED else 15


def seen(umpire: Umpire, row: NDArray[np.float32], name: str, seat: int = -1) -> list[float]:
    """A slice of a position: of the `seat`-th seat in the order of play, -1 = of the table."""
    columns = umpire.of_table if seat < 0 else umpire.of_seat
    first = umpire.width - len(columns) if seat < 0 else seat * len(columns)
    where = CAND_LAYOUT[name]
    inside = (columns >= where.start) & (columns < where.stop)
    return [float(x) for x in row[first : first + len(columns)][inside]]


def test_a_position_worked_out_by_hand() -> None:
    core = small("core")
    game = position(core, ["0-1 1-1 3-3", "0-2 1-3 2-3"], opening=0, boneyard="0-3 2-2 1-2")
    play(game, "0-1 > P0", "0-2 > P1", "1-1 > P0", "draw", "pass")
    # seat 1 must cover 1-1 with 1-3; it has 1-3 2-3, its train ends in 2; seat 0 has 3-3 0-3 and its marker on
    umpire = Umpire([core.replace(num_players=4)], NODE_CAP)
    (row,) = umpire(game.games, FIRST)
    assert len(row) == umpire.width
    expected: list[tuple[str, list[float], list[float]]] = [
        ("hand_by_number", [0, 1, 1, 2], [1, 0, 0, 2]),
        ("left_by_number", [0, 0, 0, 0], [1, 0, 0, 2]),
        ("fits_own", [1], [0]),
        ("fits_mexican", [0], [1]),
        ("fits_open", [1], [0]),
    ]
    for name, own, other in expected:
        assert seen(umpire, row, name, 0) == [x / 8 for x in own]
        assert seen(umpire, row, name, 1) == [x / 8 for x in other]
    for seat, tiles, points, length, pips in ((0, 2, 9, 2, 9), (1, 2, 9, 0, 0)):
        assert seen(umpire, row, "hand_count", seat) == [tiles / 16]
        assert seen(umpire, row, "hand_points", seat) == [points / 128]
        assert seen(umpire, row, "line_length", seat) == [length / 16]
        assert seen(umpire, row, "line_pips", seat) == [pips / 128]
        assert seen(umpire, row, "left_count", seat) == [(tiles - length) / 16]
        assert seen(umpire, row, "left_points", seat) == [(points - pips) / 128]
    assert seen(umpire, row, "own_end", 0) == [0, 0, 1, 0]
    assert seen(umpire, row, "own_end", 1) == [0, 1, 0, 0]
    assert seen(umpire, row, "own_train", 0) == [1 / 16, 1, 0, 0, 0]
    assert seen(umpire, row, "own_train", 1) == [2 / 16, 1, 1, 0, 0]
    assert not row[2 * len(umpire.of_seat) : 4 * len(umpire.of_seat)].any()  # two seats that this game has not
    assert seen(umpire, row, "mexican_end") == [1, 0, 0, 0]
    assert seen(umpire, row, "duty_end") == [0, 1, 0, 0]
    assert seen(umpire, row, "duty_own_train") == [0]
    assert seen(umpire, row, "uncovered") == [0, 1 / 4, 0]
    assert seen(umpire, row, "boneyard") == pytest.approx([2 / 64, 2 / 9, 0])


@pytest.mark.parametrize("rules", all_rules(), ids=rules_id)
def test_the_umpire_sees_the_hands_and_the_actor_does_not(rules: Rules) -> None:
    """With what the seat cannot see dealt anew, the critic's row is another one; rows and scores are the same."""
    umpire, rng = Umpire([rules], NODE_CAP), np.random.default_rng(1)
    network = CandidateNetwork(CAND_WIDTH, (8,)).initialise(torch.Generator().manual_seed(1)).requires_grad_(False)
    changed = 0
    for games in positions(rules, 3, FEW):
        if games[0]["phase"] != PLAYING:
            continue
        after = redealt(games, int(games[0]["seat"]), rng)
        before = games.tobytes()
        ours, theirs = umpire(games, FIRST), umpire(after, FIRST)
        assert games.tobytes() == before
        assert np.isfinite(ours).all() and np.abs(ours).max() < 8
        changed += not np.array_equal(ours, theirs)
        actions = actions_of(games, 0)[None, :].astype(np.int16)
        counts = np.array([actions.shape[1]], np.int32)
        player = Player(network, actions.shape[1], NODE_CAP)
        for a, b in zip(player(games, FIRST, actions, counts), player(after, FIRST, actions, counts), strict=True):
            assert a.tobytes() == b.tobytes()
    assert changed > 0


@pytest.mark.parametrize("preset", ["core", "deluxe"])
def test_the_order_of_the_boneyard_is_not_seen(preset: str) -> None:
    rules, rng = Rules.preset(preset), np.random.default_rng(2)
    umpire, several = Umpire([rules], NODE_CAP), 0
    for games in positions(rules, 4, FEW):
        if games[0]["phase"] != PLAYING:
            continue
        other = games.copy()
        boneyard = other[0]["deck"][int(games[0]["deck_next"]) : int(games[0]["deck_size"])]
        rng.shuffle(boneyard)
        several += len(boneyard) > 1
        other["rng"] = rng.integers(1, 1 << 60, (1, 2), np.uint64)
        assert umpire(games, FIRST).tobytes() == umpire(other, FIRST).tobytes()
    assert several > 0


def with_critic(**settings: Any) -> Config:
    return tiny(learner="ppo", critic=True, **settings)


def test_nothing_of_the_critic_is_in_the_actor_or_its_bundle(tmp_path: Path) -> None:
    """The warm start teaches the critic beside the actor, which learns the same without it, to the bit."""
    bundles = []
    for critic in (False, True):
        folder = tmp_path / str(critic)
        train(replace(with_critic(updates=0), critic=critic), folder / "run", bar=False)
        bundle = export_network(load_player(folder / "run")[2], folder / "bundle", Origin())
        bundles.append({path.name: path.read_bytes() for path in bundle.iterdir()})
    assert bundles[0] == bundles[1]
    assert load_run(tmp_path / "True" / "run")[1].critic is not None
    assert load_run(tmp_path / "False" / "run")[1].critic is None


def test_a_critic_begins_with_the_same_weights_and_the_actor_without_it_too() -> None:
    ours, theirs, without = new_run(with_critic()), new_run(with_critic()), new_run(tiny(learner="ppo"))
    assert ours.critic is not None and theirs.critic is not None
    for a, b in zip(ours.critic.network.parameters(), theirs.critic.network.parameters(), strict=True):
        assert torch.equal(a, b)
    for a, b in zip(ours.trainee.network.parameters(), without.trainee.network.parameters(), strict=True):
        assert torch.equal(a, b)


def test_advantages_are_by_the_critic() -> None:
    config = with_critic(gae_lambda=1.0)
    network, critic = network_of(config), Critic(config)
    batch = Collector(config, config.all_rules(), 12).self_play(network, network, 0, 0.0)
    assert batch.positions is not None and batch.positions.shape == (len(batch), Umpire(config.all_rules(), 1).width)
    judged, metrics = critic.judge(batch)
    with torch.no_grad():
        value = critic.network(torch.from_numpy(batch.positions)).numpy()
    end = batch.target[:, 1] - batch.target[:, 0]
    np.testing.assert_allclose(judged.advantage, end - (value[:, 1] - value[:, 0]), atol=1e-6)
    assert not np.allclose(judged.advantage, batch.advantage)
    assert metrics["critic_explained"] == pytest.approx(1 - judged.advantage.var() / end.var(), abs=1e-4)


def test_explained_variance() -> None:
    end = np.array([1, 2, 3, 4], np.float32)
    assert explained_variance(end + 7, end) == pytest.approx(1.0)
    assert explained_variance(np.zeros(4, np.float32), end) == pytest.approx(0.0)
    assert explained_variance(-end, end) == pytest.approx(-3.0)


def test_a_run_in_which_the_critic_forecasts_better_than_the_value_head(tmp_path: Path) -> None:
    """After a short warm start, of decisions of self-play that neither has learned from."""
    config = with_critic(
        players=(4,),
        hidden=(64, 32),
        batch=512,
        average=0.0,
        warm_updates=8,
        warm_rounds=300,
        warm_rate=2e-3,
        updates=3,
        rounds=200,
        checkpoint_seconds=60.0,
    )
    train(config, tmp_path, bar=False)
    lines = read_metrics(tmp_path)
    assert [line["phase"] for line in lines] == ["warm"] * 8 + ["selfplay"] * 3
    assert lines[-1]["critic_loss"] < lines[-1]["value_loss"]
    explained = {
        name: float(np.mean([line[name] for line in lines[8:]])) for name in ("critic_explained", "value_explained")
    }
    assert explained["critic_explained"] > explained["value_explained"] + 0.01
    assert explained["value_explained"] > 0.05
