import json
import subprocess
import sys
from pathlib import Path

import pytest

from mtrain_env import __version__
from mtrain_env.cli import main
from mtrain_env.rules import PRESETS, VARIATIONS, Rules
from mtrain_env.rules_text import describe

Output = pytest.CaptureFixture[str]


def test_the_rules_are_listed(capsys: Output) -> None:
    assert main(["rules"]) == 0
    listing = capsys.readouterr().out
    for name in (*PRESETS, *VARIATIONS):
        assert f"  {name} " in listing


def test_rules_in_words(capsys: Output) -> None:
    assert main(["rules", "deluxe"]) == 0
    assert capsys.readouterr().out == describe(Rules.preset("deluxe"))


def test_rules_as_json_are_every_field_and_can_be_used_as_a_file(capsys: Output, tmp_path: Path) -> None:
    assert main(["rules", "dominoplay", "--players", "9", "--set", "marker_off=own_play", "--json"]) == 0
    text = capsys.readouterr().out
    rules = Rules.preset("dominoplay", num_players=9, marker_off="own_play")
    assert json.loads(text) == rules.as_dict()
    (tmp_path / "mine.json").write_text(text, encoding="utf-8")
    assert main(["rules", str(tmp_path / "mine.json"), "--json"]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rules", "cor"], "mtrain: 'cor' is no name of rules and no file; did you mean 'core'?\n"),
        (["rules", "core", "--set", "a"], "mtrain: 'a' is no setting: write field=value"),
        (["rules", "core", "--set", "max_pip=9"], "mtrain: num_players=4 times hand_size=15 and one set out"),
        (["rules", "core", "--players", "9"], "mtrain: num_players=9 is not for the preset 'core'"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(words: list[str], sentence: str, capsys: Output) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(sentence)
    assert shown.err.count("\n") == 1
    assert shown.out == ""


@pytest.mark.parametrize("words", [[], ["rule"], ["rules", "core", "--colour"], ["rules", "--players", "two"]])
def test_a_wrong_command_line_shows_the_usage(words: list[str], capsys: Output) -> None:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: mtrain")


def test_the_module_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "mtrain_env", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"mtrain {__version__}\n"


def test_a_reader_that_goes_away_is_no_error() -> None:
    program = [sys.executable, "-m", "mtrain_env", "rules", "deluxe"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1
