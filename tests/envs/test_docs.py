"""The examples of docs/environments.md run as they stand."""

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "environments.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in EXAMPLES:
        if "sb3_contrib" not in code:  # training has its own tests
            exec(code, names)
    assert len(EXAMPLES) == 7 and (tmp_path / "game.gif").exists() and any((tmp_path / "films").iterdir())
