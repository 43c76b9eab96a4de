"""`mtrain evaluate`: its table, its JSON and its refusals."""

import json
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from mtrain_env.commands import evaluate as command
from mtrain_env.commands.progress import bar, drawing
from mtrain_env.errors import BotError
from mtrain_env.evaluation.report import FORMAT


def evaluate(words: str) -> int:
    parser = ArgumentParser()
    command.configure(parser)
    return command.run(parser.parse_args(words.split()))


def test_the_table_shows_both_framings_with_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate("--bots hard,medium --deals 20 --players 3 --set hand_size=10") == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].startswith("core, 3 players, double-12: 20 deals ")
    assert lines[2].split("  ")[0] == "one"
    assert lines[3].startswith("hard") and "2 x medium" in lines[3]
    assert lines[4].startswith("medium") and "2 x hard" in lines[4]
    assert all(line.count("[") == 3 for line in lines[3:5])
    assert shown.err == ""


def test_two_players_need_one_framing(capsys: pytest.CaptureFixture[str]) -> None:
    evaluate("--bots hard,medium --deals 4 --players 2 --json")
    found = json.loads(capsys.readouterr().out)
    assert [(one["bot"], one["others"]) for one in found["matches"]] == [("hard", "medium")]
    assert found["variance"] == [] and found["comparisons"] == [] and found["incidents"] == {}


def test_json_has_a_pair_of_bots_compared_on_the_same_deals(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--bots easy,medium --reference hard --rules dominoplay --deals 30 --seed 3 --json"
    evaluate(words)
    first = json.loads(capsys.readouterr().out)
    evaluate(words)
    again = json.loads(capsys.readouterr().out)
    assert first["format"] == FORMAT
    assert first["rules"]["name"] == "dominoplay"
    assert first["deals"] | {"name": ""} == {"name": "", "mode": "round", "seed": 3, "first": 0, "count": 30}
    assert [(m["bot"], m["others"]) for m in first["matches"]] == [("easy", "hard"), ("medium", "hard")]
    for m in first["matches"]:
        for what in ("pips", "pips_difference", "won"):
            assert m[what]["low"] <= m[what]["mean"] <= m[what]["high"]
        assert m["deals_needed"]["difference"] == 1
    (compared,) = first["comparisons"]
    assert (compared["a"], compared["b"], compared["others"]) == ("easy", "medium", "hard")
    assert compared["pips_difference"]["low"] > 0
    for result in (first, again):
        for m in result["matches"]:
            del m["microseconds_per_decision"]
    assert first == again


def test_a_table_against_a_reference_compares_its_bots(capsys: pytest.CaptureFixture[str]) -> None:
    evaluate("--bots easy,medium --reference hard --deals 10 --games --rules core-4-rounds")
    out = capsys.readouterr().out
    assert "games won (fair 25.0%)" in out
    assert re.search(r"^hard +easy +medium +\+", out, re.MULTILINE)
    assert re.search(r"^easy among hard +[+-]", out, re.MULTILINE) and "3 after" in out
    assert re.search(r"^easy, medium +\d", out, re.MULTILINE) and "luck of the cards" in out


def test_files_and_resumed_runs_and_processes_change_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = f"--bots easy,medium --reference easy --deals 41 --players 2 --set hand_size=7 --out {tmp_path / 'jobs'}"
    evaluate(f"{words} --processes 2 --html {tmp_path / 'page.html'} --png {tmp_path / 'picture.png'}")
    files = sorted((tmp_path / "jobs").iterdir())
    assert len(files) == 4
    files[0].unlink()
    text = capsys.readouterr().out
    evaluate(f"{words} --processes 1")
    times = re.compile(r" [\d,.]+ +(?=[\d,]+$)", re.MULTILINE)
    assert times.sub("", capsys.readouterr().out) == times.sub("", text)
    assert "medium among easy" in (tmp_path / "page.html").read_text()
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--bots hard", "--bots takes two names, or any number with --reference BOT, got 1."),
        ("--bots hard,hrad", "'hrad' is no bot; did you mean 'hard'?"),
        ("--bots hard,easy --difference 0", "--difference must be above 0, got 0."),
    ],
)
def test_what_cannot_be_evaluated_is_refused(words: str, sentence: str) -> None:
    with pytest.raises(BotError) as error:
        evaluate(words)
    assert str(error.value) == sentence


def test_the_bar_is_wiped_out_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert bar("hard") is None, "stderr is no terminal here"
    draw = drawing("hard", width=10)
    draw(5, 10)
    assert "hard [#####     ] 5/10 deals" in capsys.readouterr().err
    draw(10, 10)
    assert capsys.readouterr().err.endswith(" \r")
