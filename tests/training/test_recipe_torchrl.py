"""The recipe for TorchRL: its environment is sound, it trains, and its bundle plays as its networks do."""

import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings():
    # TorchRL 0.14 defines classes that it calls deprecated itself.
    warnings.filterwarnings("ignore", "Creating .* which inherits from WeightUpdaterBase", DeprecationWarning)
    pytest.importorskip("torchrl.collectors")

from tensordict.nn import TensorDictModule
from torchrl.envs import ActionMask, TransformedEnv
from torchrl.envs.utils import check_env_specs

from tests.training.recipe_checks import RULES, SMALL, check_recipe
from training.recipes import torchrl
from training.recipes.torchrl_games import Games


def test_it_trains_measures_and_exports_a_bundle_that_plays_as_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_recipe("torchrl", torchrl.train, tmp_path / "torchrl", capsys)


def test_its_environment_passes_the_check_of_torchrl() -> None:
    check_env_specs(TransformedEnv(Games(SMALL, RULES), ActionMask(mask_key="mask")))


def test_a_round_that_ended_is_reset_to_the_one_that_has_begun() -> None:
    env = Games(SMALL, RULES)
    env.set_seed(3)
    first = TensorDictModule(lambda mask: mask.int().argmax(-1), ["mask"], ["action"])
    data = env.rollout(60, first, break_when_any_done=False)
    done, pay = data["next", "done"].squeeze(-1), data["next", "reward"].squeeze(-1)
    assert done.sum() > 5 and (pay[~done] == 0).all() and (pay[done] != 0).any()
    assert (data["next", "observation"][:, :-1] == data["observation"][:, 1:]).all()
    assert (data["observation"][:, 1:] != data["observation"][:, :-1]).any(-1).all()


def test_a_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert torchrl.main(["-o", str(tmp_path / "x"), "--opponents", "hrad"]) == 2
    assert "did you mean 'hard'" in capsys.readouterr().err
