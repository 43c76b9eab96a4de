"""The recipe for skrl: it trains, and its bundle plays as its networks do."""

from pathlib import Path

import pytest

pytest.importorskip("skrl")

from tests.training.recipe_checks import check_recipe
from training.recipes import skrl


def test_it_trains_measures_and_exports_a_bundle_that_plays_as_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_recipe("skrl", skrl.train, tmp_path / "skrl", capsys)


def test_a_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert skrl.main(["-o", str(tmp_path / "x"), "--opponents", "hrad"]) == 2
    assert "did you mean 'hard'" in capsys.readouterr().err
