"""The page of the ladder is made from what `mtrain ladder --json` prints."""

from pathlib import Path

import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.commands import ladder
from mtrain_env.evaluation.ladder_docs import MARK, main
from tests.evaluation.test_ladder import call

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(JIT_DISABLED, reason="hundreds of rounds are for compiled code")
def test_the_part_below_the_mark_is_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for k, rules in enumerate(("core,deluxe", "pagat")):
        call(ladder, f"--rules {rules} --players 2 --bots medium --deals 4 --seed {k} --processes 1 --json")
        files.append(tmp_path / f"{k}.json")
        files[k].write_text(capsys.readouterr().out)
    page = tmp_path / "page.md"
    page.write_text(f"# Mine\n\nSaid by hand.\n\n{MARK}\n\nold\n")
    for _ in range(2):
        assert main([str(page), *map(str, files)]) == 0
    text = page.read_text()
    assert text.startswith(f"# Mine\n\nSaid by hand.\n\n{MARK}\n\n## All rules side by side") and "old" not in text
    assert text.count(MARK) == 1 and text.endswith("\n") and not text.endswith("\n\n")
    for heading in ("## core, deluxe with 2 players", "## pagat with 2 players", "### Luck and skill"):
        assert f"\n{heading}\n\n" in text
    command = "mtrain ladder --rules core,deluxe --players 2 --bots medium --reference hard --deals 4 --seed 0"
    assert f"\n`{command}`\n" in text
    for rules in ("core", "deluxe", "pagat"):
        assert f"\n| {rules}, 2 | +0.0 ±0.0 |" in text
    assert all(line.count("|") == 7 for line in text.splitlines() if line.startswith("| medium | +") and "%" in line)


def test_other_files_are_refused_and_the_page_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, other = tmp_path / "page.md", tmp_path / "other.json"
    page.write_text("mine")
    for content, sentence in (("{", "cannot be read"), ("[]", "must hold what `mtrain ladder --json` prints")):
        other.write_text(content)
        assert main([str(page), str(other)]) == 2
        assert sentence in capsys.readouterr().err
    assert main([str(page)]) == 2 and "usage: " in capsys.readouterr().err
    assert page.read_text() == "mine"


def test_the_page_in_the_docs_has_the_mark() -> None:
    assert (ROOT / "docs" / "ladder.md").read_text("utf-8").count(MARK) == 1
