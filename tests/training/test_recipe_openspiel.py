"""The recipe for OpenSpiel: its search plays whole rounds, the same ones from the same seed, and says how well."""

import pytest

pytest.importorskip("pyspiel")

from training.recipes.openspiel import main


def test_it_plays_and_tells(capsys: pytest.CaptureFixture[str]) -> None:
    lines = []
    for _ in range(2):
        assert main(["--deals", "2", "--players", "2", "--steps", "2"]) == 0
        lines.append(capsys.readouterr().out)
        assert lines[-1].startswith("open-spiel 2.") and "against easy (core, 2 players, 2 rounds)" in lines[-1]
    assert lines[0].partition(";")[2] == lines[1].partition(";")[2]


def test_a_mistake_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--deals", "1"], ["--steps", "1"], ["--rules", "cor"]):
        assert main(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1
