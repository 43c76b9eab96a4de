"""The recipe for BenchMARL: it trains, and its bundle plays as its networks do."""

import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings():
    # TorchRL 0.11, which BenchMARL needs, defines classes that it calls deprecated itself.
    warnings.filterwarnings("ignore", "Creating .* which inherits from WeightUpdaterBase", DeprecationWarning)
    pytest.importorskip("benchmarl")

import torch
from tensordict.nn import TensorDictModule

from tests.training.recipe_checks import RULES, SMALL, check_recipe
from training.recipes import benchmarl

itself = pytest.mark.filterwarnings(
    "ignore:SyncDataCollector has been deprecated:DeprecationWarning",  # BenchMARL 1.5 uses it
    "ignore:size_average and reduce args will be deprecated:UserWarning",  # TorchRL 0.11 passes them
)


@itself
def test_it_trains_measures_and_exports_a_bundle_that_plays_as_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_recipe("benchmarl", benchmarl.train, tmp_path / "benchmarl", capsys)


@itself
def test_the_networks_are_those_of_the_experiment() -> None:
    experiment = benchmarl.trained(SMALL, RULES)
    policy, value = benchmarl.networks_of(experiment, SMALL.hidden)
    loss, data = experiment.losses["learner"], experiment.test_env.reset()
    observation = data["learner", "observation"]
    with torch.no_grad(), loss.critic_network_params.to_module(loss.critic_network):
        torch.testing.assert_close(experiment.policy(data)["learner", "logits"], policy(observation))
        torch.testing.assert_close(loss.critic_network(data)["learner", "state_value"], value(observation))


def test_what_belongs_to_the_seat_is_in_its_group() -> None:
    env = benchmarl.GroupedGames(SMALL, RULES)
    first = TensorDictModule(lambda mask: mask.int().argmax(-1), [("learner", "action_mask")], [("learner", "action")])
    data = env.rollout(60, first, break_when_any_done=False)
    pay, done = data["next", "learner", "reward"][..., 0], data["next", "done"]
    assert data["learner", "observation"].shape == (4, 60, 1, env.width)
    assert done.sum() > 5 and (pay[~done] == 0).all() and (pay[done] != 0).any()


def test_a_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmarl.main(["-o", str(tmp_path / "x"), "--opponents", "hrad"]) == 2
    assert "did you mean 'hard'" in capsys.readouterr().err
