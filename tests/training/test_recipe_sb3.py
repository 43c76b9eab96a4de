"""The recipe for Stable-Baselines3: it trains, sees its losses, and its bundle plays as the model does."""

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from torch import nn

pytest.importorskip("sb3_contrib")

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.envs import GYMNASIUM_ID
from mtrain_env.errors import BundleError
from mtrain_env.rules import Rules
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


def test_opponents_of_the_past_change_between_rounds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: Counter[int] = Counter()
    played: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    choose, reset = sb3.FromThePast.choose, sb3.SelfPlay.reset

    def watched_choose(self: sb3.FromThePast, *arguments: Any) -> None:
        played[id(self), rounds[id(self)]].add(self.playing.name)
        choose(self, *arguments)

    def watched_reset(self: sb3.SelfPlay, **arguments: Any) -> Any:
        rounds.update(map(id, self.opponents))
        return reset(self, **arguments)

    monkeypatch.setattr(sb3.FromThePast, "choose", watched_choose)
    monkeypatch.setattr(sb3.SelfPlay, "reset", watched_reset)
    settings = replace(SMALL, players=3, opponents=("self",), renew=2, steps=1000)
    sb3.train(settings, Rules.preset("core", num_players=3))
    assert all(len(names) == 1 for names in played.values())
    assert {name for (name,) in played.values()} == {"learned:past-0", "learned:past-1", "learned:past-2"}
    for opponent in rounds:
        seen = [min(played[opponent, k]) for k in range(1, rounds[opponent] + 1) if (opponent, k) in played]
        assert len(set(seen)) > 1 and seen[0] == "learned:past-0"


def test_the_past_is_what_the_learner_was(tmp_path: Path) -> None:
    model = sb3.train(SMALL, RULES)
    past = sb3.Past(RULES, tmp_path)
    past.add(model.policy)
    before = sb3.weights_of(model.policy)["score.bias"]
    model.learn(200)
    past.add(model.policy)
    old, new = (load_bundle(tmp_path / f"past-{k}").weights["score.bias"] for k in range(2))
    np.testing.assert_array_equal(old, before)
    assert not np.array_equal(old, new)
    drawn = Counter(past.draw(np.random.default_rng(seed)).name for seed in range(200))
    assert drawn["learned:past-1"] > drawn["learned:past-0"] > 20


def test_the_command_line_is_what_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[sb3.Settings] = []

    def learn(settings: sb3.Settings, rules: Rules) -> Any:
        asked.append(settings)
        raise BundleError(f"{rules.name}: that is enough.")

    monkeypatch.setattr(sb3, "learn", learn)
    told = ["--rules", "pagat", "--players", "3", "--opponents", "hard,easy", "--steps", "77", "--seed", "5"]
    assert sb3.main(["-o", str(tmp_path / "x"), *told]) == 2
    assert asked == [sb3.Settings(rules="pagat", players=3, opponents=("hard", "easy"), steps=77, seed=5)]
