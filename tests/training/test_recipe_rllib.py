"""The recipe for RLlib: masks reach every policy, losses reach every seat, past selves follow the learner."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("ray")

import ray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core.columns import Columns

from mtrain_env.bots.networks import numpy_flat_network
from mtrain_env.bots.policy import MASKED
from mtrain_env.rules import Rules
from training.recipes import rllib

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        # RLlib registers its wrapper of an environment with Gymnasium each time that it makes one.
        "ignore:.*Overriding environment rllib-multi-agent-env-v0 already in registry:UserWarning"
    ),
]

SMALL = rllib.Settings(
    opponents=("past", "past", "easy"), steps=300, envs=4, batch=400, minibatch=100, epochs=1, hidden=(16, 8), refresh=1
)
RULES = Rules.preset("core", num_players=4)
SEATS = ("learner", "past_1", "past_2", "easy")


@pytest.fixture(scope="module")
def algorithm() -> Iterator[Algorithm]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")  # else Ray writes a token into the home directory
        ray.init("local", num_cpus=1, object_store_memory=100_000_000, include_dashboard=False, logging_level="ERROR")
        algorithm = rllib.config_of(SMALL, RULES).build_algo()
        yield algorithm
        algorithm.stop()
        ray.shutdown()


@pytest.fixture(scope="module")
def rounds(algorithm: Algorithm) -> list[Any]:
    """Whole rounds, all seats of them."""
    played = algorithm.env_runner.sample(num_episodes=40)
    return [one for one in played if one.is_done and len(one.agent_episodes) == 4]


def test_no_seat_ever_plays_an_illegal_action(rounds: list[Any]) -> None:
    checked: Counter[str] = Counter()
    for one in rounds:
        for seat in one.agent_episodes.values():
            masks = seat.get_observations(slice(0, len(seat)))["action_mask"]
            assert (masks.sum(axis=1) > 1).all()  # it was asked only where it had a choice
            assert masks[np.arange(len(seat)), seat.get_actions()].all()
            checked[seat.module_id] += len(seat)
    assert set(checked) == set(SEATS) and min(checked.values()) > 100


def test_what_a_round_pays_reaches_all_seats(rounds: list[Any]) -> None:
    assert len(rounds) > 20
    for one in rounds:
        paid = {seat.module_id: seat.get_return() for seat in one.agent_episodes.values()}
        assert set(paid) == set(SEATS)
        assert sum(paid.values()) == pytest.approx(0, abs=1e-6)  # as `relative` is: some are paid what others lose
        assert min(paid.values()) < 0 < max(paid.values())


def test_the_environment_pays_by_pips_and_begins_where_somebody_has_a_choice() -> None:
    env = rllib.Round({"rules": Rules.preset("core", num_players=2, hand_size=2)})
    rng, unseen = np.random.default_rng(1), 0
    for seed in range(50):
        seen, _ = env.reset(seed=seed)
        over, paid, moved = False, dict[str, float](), set[str]()
        while not over:
            ((agent, observation),) = seen.items()
            moved.add(agent)
            action = rng.choice(np.flatnonzero(observation["action_mask"]))
            seen, paid, ends, _, _ = env.step({agent: action})
            over = ends["__all__"]
            assert over or not any(paid.values())
        pips = env.table.tables.games[0]["pips"][:2].astype(int)
        assert list(paid.values()) == pytest.approx([(pips[1] - pips[0]) / 100, (pips[0] - pips[1]) / 100])
        unseen += len(moved) < 2
    assert unseen  # short rounds may end before a seat has had a choice


def test_masked_logits_and_easy_leave_nothing_to_illegal_actions() -> None:
    masks = torch.zeros(2000, 9, dtype=torch.int8)
    masks[:, [2, 5, 8]] = 1
    batch = {Columns.OBS: {"action_mask": masks}}
    logits = rllib.masked(torch.ones(2000, 9), batch)[Columns.ACTION_DIST_INPUTS]
    assert torch.equal(logits == MASKED, masks == 0)
    played = rllib.Easy(model_config={}).forward_exploration(batch)[Columns.ACTIONS]
    counts = np.bincount(played.numpy(), minlength=9)
    assert counts[[2, 5, 8]].sum() == 2000 and counts[[2, 5, 8]].min() > 550


def test_past_selves_follow_the_learner(algorithm: Algorithm) -> None:
    module = algorithm.env_runner.module

    def mark(policy: str) -> float:
        return float(module[policy].value.bias.detach()[0])

    for number in (1.0, 2.0, 3.0):
        with torch.no_grad():
            module["learner"].value.bias.fill_(number)
        rllib.refresh(algorithm, SMALL)
    assert [mark(policy) for policy in ("learner", "past_1", "past_2")] == [3.0, 3.0, 2.0]
    for policy in ("past_1", "past_2"):
        assert module[policy].value.bias is not module["learner"].value.bias


def test_it_learns_alone_and_the_bundle_reads_what_it_has_learned(
    algorithm: Algorithm, rounds: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    before = rllib.weights_of(algorithm)
    done = [decisions for decisions, _ in rllib.updates(algorithm, replace(SMALL, steps=1000))]
    assert done == sorted(set(done)) and done[-1] >= 1000 > done[-2]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(done) and all("learner " in line and "past_2 " in line for line in lines)
    after = rllib.weights_of(algorithm)
    assert all((before[name] != after[name]).any() for name in after)

    observations = rounds[0].agent_episodes["player_0"].get_observations(slice(0, 5))
    batch = {Columns.OBS: {name: torch.from_numpy(rows) for name, rows in observations.items()}}
    module = algorithm.get_module("learner")
    with torch.no_grad():
        score, value = module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS], module.compute_values(batch)
    ours = numpy_flat_network(after)(observations["observation"], observations["action_mask"].astype(np.float32))
    np.testing.assert_allclose(ours[0], score.numpy(), rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours[1], value.numpy(), rtol=0, atol=1e-5)


def test_a_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, sentence in (
        (["--opponents", "pest"], "There is no opponent 'pest' in self-play: it is past or easy."),
        (["--players", "2"], "2 opponents leave no seat of 2 to the learner."),
        (["--rules", "cor"], "'cor'"),
    ):
        assert rllib.main(["-o", str(tmp_path / "x"), *words]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and sentence in error
