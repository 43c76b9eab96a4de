"""PPO in one file: its advantages are those of each seat's own decisions, and its bundle plays as the network."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mtrain_env.bots.flat import FlatLearned
from mtrain_env.bots.learned import make
from mtrain_env.cli import main as mtrain
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.rules import Rules
from training.recipes import cleanrl
from training.recipes.common import finish

RULES = Rules.preset("core", num_players=3)
SMALL = cleanrl.Settings(players=3, steps=600, games=8, decisions=40, hidden=(16, 8), batch=64, epochs=1)


def played() -> tuple[cleanrl.Network, cleanrl.Rollout]:
    """A network as it begins, and rounds that it played, some of them to the end."""
    env = MexicanTrainVectorEnv(4, rules=RULES, episode="round", skip_forced=True, copy=False)
    env.reset(seed=5)
    chance = torch.Generator().manual_seed(1)
    network = cleanrl.Network(env.tables.obs.size, env.tables.act.size, (16,), chance)
    return network, cleanrl.collect(env, network, 150, chance)


def test_advantages_run_along_the_decisions_of_one_seat() -> None:
    _, found = played()
    advantage, known = cleanrl.advantages(found, trace=0.9)
    learned = 0
    for game in range(4):
        for seat in range(3):
            own = [t for t in range(150) if found.seat[t, game] == seat]
            later = 0.0
            for t, following in reversed(list(zip(own, [*own[1:], 150], strict=True))):
                ends = np.flatnonzero(found.over[t:following, game])
                paid = found.paid[t : t + int(ends[0]) + 1 if len(ends) else following, game, seat].sum()
                assert known[t, game] == (len(ends) > 0 or following < 150)
                value = 0.0 if len(ends) or following == 150 else found.value[following, game]
                later = float(paid + value - found.value[t, game] + 0.9 * (0.0 if len(ends) else later))
                if not known[t, game]:
                    later = 0.0
                assert advantage[t, game] == pytest.approx(later, abs=1e-5)
                learned += 1
    assert learned == 600 and 600 - 12 <= known.sum() < 600 and found.over.sum() > 5


def test_every_seat_is_paid_what_its_round_was_worth() -> None:
    _, found = played()
    assert np.abs(found.paid[found.over]).min() > 0
    assert not found.paid[~found.over].any()
    np.testing.assert_allclose(found.paid.sum(axis=2), 0, atol=1e-6)


def test_illegal_actions_are_never_drawn_and_the_log_probabilities_are_those_of_the_legal_ones() -> None:
    network, found = played()
    legal = np.take_along_axis(found.mask, found.action[:, :, None], 2)
    assert legal.all()
    log_probs, value = network(torch.from_numpy(found.observation[7]), torch.from_numpy(found.mask[7]))
    np.testing.assert_allclose(log_probs.exp().sum(1).detach().numpy(), 1, atol=1e-5)
    mine = log_probs.gather(1, torch.from_numpy(found.action[7])[:, None])[:, 0]
    np.testing.assert_allclose(mine.detach().numpy(), found.log_prob[7], atol=1e-5)
    np.testing.assert_allclose(value.detach().numpy(), found.value[7], atol=1e-5)


def test_it_trains_measures_and_exports_a_bundle_that_plays_as_the_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "ppo"
    network, learned = cleanrl.learn(SMALL, RULES)
    assert (learned.decisions, learned.updates) == (640, 10)
    result = finish(learned, RULES, place, deals=2)
    *updates, last = capsys.readouterr().out.splitlines()
    assert len(updates) == 2 and all("values explain" in line for line in updates)
    assert last.startswith("torch ") and "against easy (core, 3 players" in last and result.deals.count == 2
    assert mtrain(["bundle", "check", str(place)]) == 0
    bot = make(place)
    assert isinstance(bot, FlatLearned)
    _, found = played()
    observation, mask = found.observation.reshape(600, -1), found.mask.reshape(600, -1)
    score, value = bot.network(observation, mask.astype(np.float32))
    with torch.no_grad():
        log_probs, its_value = network(torch.from_numpy(observation), torch.from_numpy(mask))
    np.testing.assert_array_equal(score.argmax(1), log_probs.argmax(1).numpy())
    np.testing.assert_allclose(value, its_value.numpy(), atol=1e-5)


def test_equal_seeds_learn_the_same() -> None:
    first, second = (cleanrl.learn(SMALL, RULES)[1].weights for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)
