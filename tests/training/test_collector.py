"""Rounds for learning: whole, fair, the same for the same seed; rows, targets and probabilities are what they say."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from mtrain_env.encoding.candidates import CAND_LAYOUT, CAND_WIDTH, NODE_CAP, candidates, new_scratch
from mtrain_env.engine.state import PLAYING
from mtrain_env.envs.selfplay import SelfPlayRounds
from mtrain_env.rules import Rules
from tests.training.tiny import network_of, tiny
from training.batch import Batch
from training.collector import CURRENT, HARD, PAST, Collector, Teacher, outcomes, seat_plan
from training.columns import used_columns
from training.losses import segment_log_softmax
from training.player import Player
from training.value import forecast_targets


def collect(rounds: int = 12, **settings: object) -> tuple[Collector, Batch]:
    config = tiny(rounds=rounds, **settings)
    collector = Collector(config, config.all_rules(), rounds)
    network = network_of(config)
    return collector, collector.self_play(network, network, 3, 0.2)


def same(a: Batch, b: Batch) -> bool:
    names = ("rows", "start", "count", "played", "label", "target", "log_prob", "advantage", "pips")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


@pytest.mark.parametrize("rules", ["core", "pagat", "deluxe"])
def test_rounds_ask_only_where_there_is_a_choice_and_end(rules: str) -> None:
    env = SelfPlayRounds(Rules.preset(rules), 20)
    waiting, rng = env.deal(1), np.random.default_rng(1)
    assert len({int(x) for x in env.games["opening"]}) > 3
    while len(waiting):
        assert (env.counts[waiting] >= 2).all()
        assert (env.games["phase"][waiting] == PLAYING).all()
        assert np.array_equal(env.seats[waiting], env.games["seat"][waiting])
        waiting = env.step(rng.integers(0, np.maximum(env.counts, 1)))
    assert (env.games["round_end"] > 0).all()
    assert np.array_equal(env.pips, env.games["totals"])


def test_a_round_does_not_depend_on_how_many_are_played() -> None:
    many, few = SelfPlayRounds(Rules.preset("core"), 9), SelfPlayRounds(Rules.preset("core"), 4)
    many.deal(1, 2)
    few.deal(1, 2)
    assert all(np.array_equal(many.games[name][:4], few.games[name]) for name in few.games.dtype.names or ())
    many.deal(1, 3)
    assert not np.array_equal(many.games["deck"][:4], few.games["deck"])


@pytest.mark.parametrize("learner", ["value", "ppo"])
def test_same_seed_same_batch(learner: str) -> None:
    assert same(collect(learner=learner)[1], collect(learner=learner)[1])
    assert not same(collect(learner=learner)[1], collect(learner=learner, seed=6)[1])


def test_targets_are_the_engines_pips() -> None:
    collector, batch = collect(learner="ppo", players=(4,), hard_share=0.0)
    pips = collector.env.pips[:, :4]
    ends = {(own, (sum(row) - own) / 3) for row in pips.tolist() for own in row}
    assert {(round(100 * a), round(100 * b, 3)) for a, b in batch.target.tolist()} <= {
        (a, round(b, 3)) for a, b in ends
    }
    assert batch.pips[0] == pytest.approx(pips[_mine(collector)].mean(), rel=1e-5)


def _mine(collector: Collector) -> np.ndarray:
    plan = seat_plan(collector.config, collector.env.players, 3, True)
    return np.asarray(plan == CURRENT)


def test_outcomes_of_mixed_player_counts() -> None:
    pips = np.array([[10, 0, 50, 0], [7, 3, 0, 0]], np.int32)
    ends = outcomes(pips, np.array([3, 2]))
    np.testing.assert_allclose(ends[0, :3], [[0.10, 0.25], [0.0, 0.30], [0.50, 0.05]])
    np.testing.assert_allclose(ends[1, :2], [[0.07, 0.03], [0.03, 0.07]])


def test_seat_plan_has_the_shares_and_always_a_learner() -> None:
    config = tiny(past_share=0.3, hard_share=0.2)
    plan = seat_plan(config, np.full(4000, 4), 0, True)
    shares = [float((plan == who).mean()) for who in (CURRENT, PAST, HARD)]
    assert shares == pytest.approx([0.625, 0.225, 0.15], abs=0.02)  # a quarter of all seats is given to the learner
    assert (plan == CURRENT).any(1).all()
    assert not (seat_plan(config, np.full(100, 4), 0, False) == PAST).any()


def test_ppo_rows_and_probabilities() -> None:
    _, batch = collect(learner="ppo")
    network = network_of(tiny())
    assert (batch.count >= 2).all() and (batch.played < batch.count).all()
    assert batch.start[-1] + batch.count[-1] == len(batch.rows)
    piece = batch.part(np.arange(len(batch)))
    score, _ = network(piece.rows)
    log_prob = segment_log_softmax(score, piece.segment, len(piece))[piece.played]
    torch.testing.assert_close(log_prob, piece.log_prob, rtol=1e-4, atol=1e-5)


def test_pieces_are_ragged_selections() -> None:
    _, batch = collect(learner="ppo")
    indices = np.array([7, 2, 11])
    piece = batch.part(indices)
    for k, d in enumerate(indices):
        rows = batch.rows[batch.start[d] : batch.start[d] + batch.count[d]]
        assert np.array_equal(piece.rows[piece.segment == k].numpy(), rows)
        assert np.array_equal(piece.rows[piece.played[k]].numpy(), rows[batch.played[d]])
    sizes = [len(part) for part in batch.pieces(50, np.random.default_rng(1))]
    assert len(batch) - 25 < sum(sizes) <= len(batch)


@pytest.mark.parametrize("node_cap", [NODE_CAP, 1])
def test_player_rows_are_the_candidate_rows(node_cap: int) -> None:
    config = tiny(players=(4,))
    env, network = SelfPlayRounds(config.all_rules(), 5), network_of(config)
    waiting = env.deal(2)
    rows, score, value = Player(network, env.actions.shape[1], node_cap)(env.games, waiting, env.actions, env.counts)
    wide = np.zeros((env.actions.shape[1], CAND_WIDTH), np.float32)
    columns = used_columns(config.all_rules(), config.ignore)
    first = 0
    for g in waiting:
        count = int(env.counts[g])
        candidates(env.games, int(g), env.actions[g], count, node_cap, new_scratch(), wide)
        assert np.array_equal(rows[first : first + count], wide[:count, columns])
        with torch.no_grad():
            full_score, full_value = network.widened()(torch.from_numpy(wide[:count]))
        np.testing.assert_allclose(full_score, score[first : first + count], atol=1e-5)
        np.testing.assert_allclose(full_value, value[first : first + count], atol=1e-5)
        first += count
    assert first == len(rows)


def test_node_cap_reaches_the_rows() -> None:
    """Moves that do not hang on the network give the same rounds: only what is said of lines differs."""
    about_lines = np.zeros(CAND_WIDTH, bool)
    about_lines[CAND_LAYOUT["line_length"].start : CAND_LAYOUT["left_by_number"].stop] = True
    about_lines[CAND_LAYOUT["left_fits"]] = True

    def differing(one: Batch, other: Batch) -> list[int]:
        assert np.array_equal(one.game, other.game) and np.array_equal(one.played, other.played)
        return list(columns[(one.rows != other.rows).any(0)])

    config = tiny(node_cap=1, past_share=0.0, hard_share=0.0, learner="ppo", critic=True)
    columns, rules = used_columns(config.all_rules(), config.ignore), config.all_rules()
    exact = replace(config, node_cap=NODE_CAP)
    warm, exact_warm = (Teacher(one, rules, 6, columns).play(0) for one in (config, exact))
    found = differing(warm, exact_warm)
    assert found and about_lines[found].all()
    assert warm.positions is not None and exact_warm.positions is not None
    assert not np.array_equal(warm.positions, exact_warm.positions)

    config, exact = (replace(one, learner="value", critic=False) for one in (config, exact))
    network = network_of(config)
    played, exact_played = (Collector(one, rules, 6).self_play(network, None, 0, 1.0) for one in (config, exact))
    found = differing(played, exact_played)
    assert found and about_lines[found].all()


@pytest.mark.parametrize("rules", ["core", "pagat", "deluxe", "dominoplay"])
def test_columns_left_out_are_zero_or_ignored(rules: str) -> None:
    config = tiny(rules=rules, players=(4,), ignore=())
    used = np.zeros(CAND_WIDTH, bool)
    used[used_columns(config.all_rules(), ())] = True
    env, rng = SelfPlayRounds(config.all_rules(), 30), np.random.default_rng(1)
    wide = np.zeros((env.actions.shape[1], CAND_WIDTH), np.float32)
    scratch, waiting = new_scratch(), env.deal(4)
    while len(waiting):
        for g in waiting:
            candidates(env.games, int(g), env.actions[g], int(env.counts[g]), NODE_CAP, scratch, wide)
            assert not wide[: env.counts[g], ~used].any()
        waiting = env.step(rng.integers(0, np.maximum(env.counts, 1)))


def test_teacher_labels_hards_moves() -> None:
    config = tiny(clone_share=0.5, warm_random=0.3)
    teacher = Teacher(config, config.all_rules(), 12, used_columns(config.all_rules(), config.ignore))
    batch = teacher.play(0)
    whole = batch.label >= 0
    assert 0.4 < whole.mean() < 0.6
    assert (batch.count[~whole] == 1).all() and (batch.count[whole] >= 2).all()
    different = (batch.played[whole] != batch.label[whole]).mean()
    assert 0.1 < different < 0.3  # 0.3 of the moves are random, some of them what hard plays
    assert same(batch, teacher.play(0))


def test_forecast_targets_of_the_warm_start() -> None:
    config = tiny()
    network = network_of(config)
    batch = Teacher(config, config.all_rules(), 12, network.columns.numpy()).play(1)
    real = forecast_targets(network, batch, 1.0).target
    np.testing.assert_allclose(real, batch.outcome[batch.game, batch.seat], atol=1e-6)
    mixed = forecast_targets(network, batch, 0.0).target
    _, value = network(torch.from_numpy(batch.rows[batch.start + batch.played]))
    d = 5
    later = next(
        k for k in range(d + 1, len(batch)) if (batch.game[k], batch.seat[k]) == (batch.game[d], batch.seat[d])
    )
    np.testing.assert_allclose(mixed[d], value[later], atol=1e-6)
