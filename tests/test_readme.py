"""What the README shows is true: its code runs, and the commands that it names exist."""

import re
from pathlib import Path

import pytest

from mtrain_env.cli import COMMANDS
from mtrain_env.errors import RulesError

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")
LOOP, RULES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_first_loop_plays_a_game() -> None:
    names: dict[str, object] = {}
    exec(LOOP, names)
    assert names["over"] is True
    assert not names["env"].agents  # type: ignore[attr-defined]


def test_the_rules_are_built_or_refused_as_shown() -> None:
    *lines, last = RULES.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    code, _, sentence = last.partition("# RulesError: ... ")
    with pytest.raises(RulesError, match=re.escape(sentence)):
        exec(code, names)


def test_the_commands_and_files_named_exist() -> None:
    assert set(re.findall(r"`mtrain ([\w-]+)", TEXT)) <= set(COMMANDS)
    targets = set(re.findall(r"`make ([\w-]+)", TEXT))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert targets and all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / link).exists(), link
