"""The recipe for Tianshou: it trains, its games follow one another, and its bundle plays as its networks do."""

from pathlib import Path

import pytest

pytest.importorskip("tianshou")

import numpy as np

from tests.training.recipe_checks import RULES, SMALL, check_recipe
from training.recipes import tianshou


def test_it_trains_measures_and_exports_a_bundle_that_plays_as_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_recipe("tianshou", tianshou.train, tmp_path / "tianshou", capsys)


def test_a_round_that_ended_is_reset_to_the_one_that_has_begun() -> None:
    env = tianshou.Games(SMALL, RULES)
    rows, _ = env.reset(seed=3)
    ended = 0
    for _ in range(60):
        before = rows
        rows, reward, terminated, _, _ = env.step(rows[:, env.games.size :].argmax(axis=1))
        over = np.flatnonzero(terminated)
        begun, _ = env.reset(over)
        assert (begun == rows[over]).all() and (reward[~terminated] == 0).all()
        assert (before != rows).any(axis=1).all()
        ended += len(over)
    assert ended > 5


def test_a_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tianshou.main(["-o", str(tmp_path / "x"), "--opponents", "hrad"]) == 2
    assert "did you mean 'hard'" in capsys.readouterr().err
