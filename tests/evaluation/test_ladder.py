"""`mtrain ladder` and `mtrain compare`: what they print, that they resume, and that processes change nothing."""

import json
import re
import sys
from argparse import ArgumentParser
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import make_bot
from mtrain_env.commands import compare as compare_command
from mtrain_env.commands import ladder as ladder_command
from mtrain_env.errors import BotError, ConfigError
from mtrain_env.evaluation import jobs
from mtrain_env.evaluation.comparison import Versus, as_text
from mtrain_env.evaluation.deals import Deals
from mtrain_env.evaluation.jobs import Job, chunks, run_jobs
from mtrain_env.evaluation.ladder import AT_A_TABLE, table_jobs
from mtrain_env.evaluation.matches import MatchResult, match
from mtrain_env.evaluation.named import play_matches
from mtrain_env.rules import Rules

compiled = pytest.mark.skipif(JIT_DISABLED, reason="hundreds of rounds are for compiled code")
CORE = Rules.preset("core")
SMALL = "--players 3 --set hand_size=8 --processes 1"
Output = pytest.CaptureFixture[str]


def call(command: Any, words: str) -> int:
    parser = ArgumentParser()
    command.configure(parser)
    code: int = command.run(parser.parse_args(words.split()))
    return code


def json_of(command: Any, words: str, capsys: Output) -> dict[str, Any]:
    call(command, f"{words} --json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    del report["command"]
    for ladder in report["ladders"]:
        for step in ladder["steps"]:
            del step["microseconds_per_decision"]
    return report


@compiled
def test_the_ladder_is_in_order_with_an_interval_beside_each_mean(capsys: Output) -> None:
    report = json_of(ladder_command, f"--bots easy,medium,oracle --deals 60 {SMALL}", capsys)
    (found,) = report["ladders"]
    assert report["format"] == "mtrain-ladder/1" and found["reference"] == "hard" and found["incidents"] == {}
    assert [step["bot"] for step in found["steps"]] == ["oracle", "hard", "medium", "easy"]
    assert found["rated"] == ["hard", "medium", "easy"] and found["fair_share"] == pytest.approx(1 / 3)
    for step in found["steps"]:
        for what in ("pips", "pips_difference", "won"):
            assert step[what]["low"] <= step[what]["mean"] <= step[what]["high"]
        assert (step["rating"] is None) == (step["bot"] == "oracle") == (not step["fair"])
    hard, medium, easy = (step["rating"] for step in found["steps"][1:])
    assert hard == {"mean": 0, "low": 0, "high": 0} and max(easy["high"], medium["high"]) < 0
    assert [row[k] for k, row in enumerate(found["pairs"])] == [None] * 3
    assert found["pairs"][0][2]["low"] > 0.5
    assert found["pairs"][0][2]["mean"] + found["pairs"][2][0]["mean"] == pytest.approx(1)
    assert [one["bots"] for one in found["variance"]] == [
        ["hard", "medium", "easy"],
        ["medium", "hard"],
        ["easy", "hard"],
    ]
    for one in found["variance"]:
        assert one["luck"]["mean"] + one["skill"]["mean"] + one["rest"]["mean"] == pytest.approx(1)
    assert found["steps"][3]["to_the_next"] is None
    assert found["steps"][2]["to_the_next"]["mean"] == pytest.approx(
        found["steps"][2]["pips_difference"]["mean"] - found["steps"][3]["pips_difference"]["mean"]
    )
    for step in found["steps"]:
        means = [place["mean"] for place in step["places"]]
        assert len(means) == 3 and np.mean(means) == pytest.approx(step["pips_difference"]["mean"])


@compiled
def test_the_tables_the_page_and_the_picture(capsys: Output, tmp_path: Path) -> None:
    page, picture = tmp_path / "ladder.html", tmp_path / "ladder.png"
    call(ladder_command, f"--bots easy,medium --deals 21 {SMALL} --html {page} --png {picture}")
    out = capsys.readouterr().out
    assert "core, 3 players, double-12: 21 deals " in out and "one among 2 x hard" in out and "fewer pips than" in out
    assert "starts" in out and "2 after" in out and "luck of the cards" in out and "side by side" not in out
    text = page.read_text()
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            opened.append(tag)

    Reader().feed(text)
    assert opened.count("table") == 4 and opened.count("svg") == 1 and opened.count("circle") == 3
    assert "script" not in opened and "link" not in opened and not re.search(r"https?://|src=|url\(", text)
    assert picture.read_bytes().startswith(b"\x89PNG")


@compiled
def test_a_ladder_for_each_of_several_rules_and_all_side_by_side(capsys: Output) -> None:
    call(ladder_command, "--bots medium --deals 4 --rules core,deluxe --players 2 --processes 1")
    out = capsys.readouterr().out
    rows = out[out.index("side by side") :].splitlines()
    assert [row.split("  ")[0] for row in rows[2:5]] == ["rules, players", "core, 2", "deluxe, 2"]
    words = "--bots medium --deals 2 --rules core,deluxe --players 2 --processes 1 --set hand_size=6 --seed 3"
    report = json_of(ladder_command, words, capsys)
    assert [one["rules"]["name"] for one in report["ladders"]] == ["core", "deluxe"]
    wanted = "--rules core,deluxe --players 2 --set hand_size=6 --bots medium --reference hard --deals 2 --seed 3"
    assert report["command"] == f"mtrain ladder {wanted}"
    again = json_of(ladder_command, wanted, capsys)
    assert timeless(report) == timeless(again)


@compiled
def test_an_unrated_bot_meets_the_reference_alone(capsys: Output) -> None:
    words = f"--bots easy,medium --unrated medium --deals 10 {SMALL}"
    report = json_of(ladder_command, words, capsys)
    (found,) = report["ladders"]
    assert sorted(found["rated"]) == ["easy", "hard"] and "--unrated medium" in report["command"]
    ratings = {step["bot"]: step["rating"] for step in found["steps"]}
    assert ratings["medium"] is None and ratings["easy"] is not None
    assert ["medium", "hard"] in [one["bots"] for one in found["variance"]]
    call(ladder_command, words)
    assert re.search(r"^medium .* not rated$", capsys.readouterr().out, re.MULTILINE)


@compiled
def test_processes_and_interruptions_change_nothing(capsys: Output, tmp_path: Path) -> None:
    words = f"--bots easy,expert:4 --deals 41 --players 2 --set hand_size=7 --out {tmp_path}"
    two = timeless(json_of(ladder_command, f"{words} --processes 2", capsys))
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3 * 2 + 8, "two chunks of three matches, and of mixed tables"
    files[0].unlink()
    files[1].write_text('{"outcome": {"points"')
    one = timeless(json_of(ladder_command, f"{words} --processes 1", capsys))
    assert one == two and sorted(tmp_path.iterdir()) == files


def test_finished_jobs_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deals = Deals(Rules.preset("core", num_players=2, max_pip=6, hand_size=4), 45)
    pair = [("medium", "easy")]
    (first,) = play_matches(pair, deals, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    seen: list[tuple[int, int]] = []
    more = Deals(deals.rules, 60)
    (longer,) = play_matches(pair, more, folder=tmp_path, progress=lambda done, all_: seen.append((done, all_)))
    assert seen == [(60, 60)], "only the last chunk, which became longer"
    assert np.array_equal(longer.own[:45], first.own)
    monkeypatch.setattr(jobs, "play_job", None)
    (again,) = play_matches(pair, deals, folder=tmp_path)
    assert np.array_equal(again.own, first.own) and again.microseconds == first.microseconds


def test_a_match_by_jobs_is_the_match() -> None:
    rules = Rules.preset("core", num_players=2, max_pip=6, hand_size=4)
    deals = Deals(rules, 41, seed=5, first=7)
    (by_jobs,) = play_matches([("medium", "easy")], deals)
    whole = match(make_bot("medium"), make_bot("easy"), rules, 41, 5, first=7)
    assert by_jobs.deals == whole.deals
    for field in ("own", "other", "won", "by_place"):
        assert np.array_equal(getattr(by_jobs, field), getattr(whole, field))


def test_a_job_is_known_by_all_that_decides_its_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = Deals(CORE, 20)
    keys = [
        Job(("easy", "hard"), ((0, 1, 1, 1),), deals).key,
        Job(("easy", "medium"), ((0, 1, 1, 1),), deals).key,
        Job(("easy", "hard"), ((1, 0, 1, 1),), deals).key,
        Job(("easy", "hard"), ((0, 1, 1, 1),), Deals(CORE, 20, 1)).key,
    ]
    monkeypatch.setattr(jobs, "code_hash", lambda: "other code")
    keys.append(Job(("easy", "hard"), ((0, 1, 1, 1),), deals).key)
    assert len(set(keys)) == 5


@pytest.mark.parametrize(("count", "sizes"), [(2, [2]), (20, [20]), (21, [21]), (22, [20, 2]), (41, [20, 21])])
def test_no_chunk_has_a_single_deal(count: int, sizes: list[int]) -> None:
    parts = list(chunks(Deals(CORE, count, first=3)))
    assert [part.count for part in parts] == sizes
    assert [part.first for part in parts] == [3 + sum(sizes[:k]) for k in range(len(sizes))]


@pytest.mark.parametrize(("bots", "players"), [(6, 4), (3, 4), (2, 2), (5, 2)])
def test_at_mixed_tables_all_bots_play_equally_often_in_every_seat(bots: int, players: int) -> None:
    names = [f"bot{k}" for k in range(bots)]
    made = table_jobs(names, Deals(Rules.preset("core", num_players=players), AT_A_TABLE * bots * 3))
    seats = np.zeros((players, bots), int)
    for job in made:
        assert len(job.seatings) == players
        for seating in job.seatings:
            for seat, bot in enumerate(seating):
                seats[seat, names.index(job.bots[bot])] += 1
    assert (seats == seats[0, 0]).all()


@compiled
def test_compare_answers_and_says_what_it_would_take(capsys: Output) -> None:
    call(compare_command, f"medium hard --deals 80 {SMALL}")
    out = capsys.readouterr().out
    assert out.startswith("medium is worse than hard: +")
    assert "medium  2 x hard" in out and "hard    2 x medium" in out
    call(compare_command, "hard hard --deals 4 --players 2 --processes 1")
    assert capsys.readouterr().out.startswith("Not settled: hard minus hard is +0.00 [+0.00, +0.00] pips a round.")
    found = json_of(compare_command, f"expert:2:gate=9 hard --deals 20 {SMALL}", capsys)
    assert found["format"] == "mtrain-comparison/1" and found["verdict"] in ("open", "better", "worse")
    assert {"for_what_was_seen", "difference", "for_difference"} == set(found["more_deals"])
    assert [(m["bot"], m["others"]) for m in found["matches"]] == [
        ("expert:2:gate=9", "hard"),
        ("hard", "expert:2:gate=9"),
    ]


def result(bot: str, others: str, own: Any, other: Any) -> MatchResult:
    deals = Deals(CORE, len(own))
    pips, theirs = np.array(own, float), np.array(other, float)
    return MatchResult(bot, others, deals, pips, theirs, np.full(len(own), 0.25), np.tile(pips - theirs, (4, 1)).T, 1.0)


def test_the_verdict_by_hand() -> None:
    a = result("a", "b", [10, 12, 11, 9], [14, 16, 15, 13])
    b = result("b", "a", [14, 15, 16, 15], [12, 13, 14, 13])
    both = Versus(a, b)
    assert both.pips_difference.mean == pytest.approx((-4 - 2) / 2) and both.verdict == "better"
    assert Versus(a, None).pips_difference.mean == -4 and not both.disagree
    contrary = Versus(a, result("b", "a", [1, 2, 3, 4], [2, 3, 4, 5]))
    assert contrary.disagree and "depends on the table" in as_text(contrary)
    spread = Versus(result("a", "b", [0, 10, 0, 10], [4, 4, 4, 4]), None)
    assert spread.verdict == "open" and spread.more_deals(1) == 262 - 4 and spread.more_deals(100) == 0
    assert "258 more deals would show a difference of 1 pip." in as_text(spread)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--bots easy,easy", "A bot is named twice in easy, easy."),
        ("--bots hrad", "'hrad' is no bot; did you mean 'hard'?"),
        ("--bots easy --reference oracle", "'oracle' is not fair, so nobody can be rated against it."),
        ("--bots easy --unrated hard", "--unrated must name bots of --bots other than the reference, got 'hard'."),
        ("--bots easy --processes 0", "--processes must be 1 or more, got 0."),
    ],
)
def test_what_cannot_be_a_ladder_is_refused(words: str, sentence: str) -> None:
    with pytest.raises(BotError) as error:
        call(ladder_command, words)
    assert str(error.value) == sentence


@pytest.mark.parametrize("option", ["html", "png"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder_command, "play_ladder", None)
    folder = tmp_path / "no"
    with pytest.raises(ConfigError, match=rf"^The report '{folder}/file' cannot be written: there is no folder"):
        call(ladder_command, f"--bots hard --{option} {folder / 'file'}")


def test_without_pillow_there_is_no_png_but_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_command, "play_ladder", None)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ConfigError, match=r"^A PNG needs Pillow: pip install 'mtrain-env\[render\]'\."):
        call(ladder_command, f"--bots hard --png {tmp_path / 'ladder.png'}")


def test_jobs_of_nobody() -> None:
    assert run_jobs([]) == []


@compiled
def test_a_report_that_cannot_be_written_after_all_is_an_error(tmp_path: Path) -> None:
    for option in ("html", "png"):
        with pytest.raises(ConfigError, match=r"cannot be written: Is a directory\.$"):
            call(ladder_command, f"--bots hard --deals 2 {SMALL} --{option} {tmp_path}")
