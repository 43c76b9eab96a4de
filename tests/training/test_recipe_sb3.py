"""The recipe for Stable-Baselines3: it trains, sees its losses, and its bundle plays as the model does."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from torch import nn

pytest.importorskip("sb3_contrib")

from mtrain_env.envs import GYMNASIUM_ID
from mtrain_env.errors import BundleError
from tests.training.recipe_checks import RULES, check_bundle, plays_as
from training.export import Origin, export_flat
from training.recipes import sb3

SMALL = sb3.Settings(players=2, steps=400, envs=2, decisions=100, hidden=(16, 8), batch=50, epochs=1)


def test_it_trains_measures_and_exports_a_bundle_that_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "sb3"
    result = sb3.run(SMALL, place, deals=2)
    *updates, last = capsys.readouterr().out.splitlines()
    assert len(updates) == 2 and all("lost " in line and "reward " in line for line in updates)
    assert last.startswith("stable-baselines3 2.") and "against easy (core, 2 players" in last
    assert result.deals.count == 2
    check_bundle(place, "stable-baselines3", steps=8)


def test_the_bundle_plays_as_the_model(tmp_path: Path) -> None:
    model = sb3.train(SMALL, RULES)
    place = export_flat(sb3.weights_of(model.policy), RULES, tmp_path / "sb3", Origin())

    def judge(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> tuple[int, float]:
        action, _ = model.predict(observation, action_masks=mask, deterministic=True)
        value: Any = model.policy.predict_values(model.policy.obs_to_tensor(observation)[0])
        return int(action), float(value.detach())

    plays_as(place, judge)


def test_wins_and_losses_reach_the_learner() -> None:
    env = sb3.RoundEnd(gymnasium.make(GYMNASIUM_ID, opponents=["easy"], rules="core", episode="round"))
    table: Any = env.unwrapped
    rng, lost, won = np.random.default_rng(1), 0, 0.0
    for seed in range(30):
        _, info = env.reset(seed=seed)
        paid, over = 0.0, False
        while not over:
            assert "won" not in info
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(table.action_masks())))
            paid += reward
        pips = table.tables.games[0]["pips"][:4].astype(int)
        others = (pips.sum() - pips[table.seat]) / 3
        assert paid == pytest.approx((others - pips[table.seat]) / 100)
        assert info["pips"] == pips[table.seat]
        assert (info["won"] > 0) == (pips[table.seat] == pips.min())
        lost, won = lost + (paid < 0), won + info["won"]
    assert lost > 5 and won > 2


def test_layers_that_a_bundle_cannot_hold_are_refused() -> None:
    model = sb3.train(SMALL, RULES)
    model.policy.mlp_extractor.value_net[1] = nn.Tanh()
    with pytest.raises(BundleError, match="A bundle holds ReLU layers, not Tanh"):
        sb3.weights_of(model.policy)


def test_a_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sb3.main(["-o", str(tmp_path / "x"), "--rules", "cor"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert sb3.main(["-o", str(tmp_path / "x"), "--opponents", "hrad"]) == 2
    assert "did you mean 'hard'" in capsys.readouterr().err
