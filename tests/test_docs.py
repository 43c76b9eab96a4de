"""What the pages show is true: every block of code on them runs, and what they name exists.

A page's blocks run in order, Python ones in one namespace, in a folder with what the page takes for granted: the
examples, small bundles and configurations that learn for a second. What does not run has its reason in NOT_RUN.
"""

import importlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from mtrain_env import cli
from tests.bundles.javascript import NODE
from tests.bundles.small import small_bundle
from tests.packaging import play
from tests.training.tiny import SETTINGS

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted(
    ["README.md", "training/README.md", *(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]
)

NOT_RUN: Final[Mapping[str, str]] = {
    r"make [\w-]+$": "minutes; that the target exists is tested below",
    r"pip install ": "`make wheel` installs what is published; that the extras exist is tested below",
    r"NUMBA_\w+=\S+ \S*pytest ": "a test within the tests; it is one of them",
    r"python -m tests\.(mutants|engine\.soak)": "minutes: `make mutants`, `make soak`",
    r"python -m tests\.(regenerate|rule_table)$": "writes into the checkout; tests compare what it would write",
    r"python -m training\.export runs/NAME": "NAME is any run; docs/training.md exports one",
    r"python -m training\.exploit": "half a minute; tests/training/test_exploit.py runs it",
    r"ray start --|python -m training\.recipes\.rllib .*--address": "test_recipe_rllib_cluster.py has a cluster",
    r"import json\nimport re\nimport sys\n": "heaviest.py: tests/external/test_docs.py compares it, the page runs it",
    r"const send = ": "own_train.js: tests/external/test_docs.py compares it, the page runs it",
    r'\{"type": "act", "id": 17': "tests/external/test_docs.py makes this very message",
    r'\{"type":"hello","protocol":1\}': "messages with parts left out; tests/external has whole ones",
}
"""What is not run, as the beginning of a block or of a command: why."""

SHORTER: Final[Mapping[str, str]] = {
    r"--deals \d+": "--deals 4",
    r"model\.learn\(10_000\)": "model.learn(1)",
    r"(python -m training\.recipes\..*)": r"\1 --steps 2 --deals 4",
    r"\bNAME\|DIR\b|\bDIR\b": "my-bot",
}
"""What is run in place of what is written, so that a page takes seconds."""


@dataclass(frozen=True)
class Block:
    """A block of code."""

    page: str
    line: int
    language: str
    code: str

    @property
    def shell(self) -> bool:
        """Whether these are commands."""
        return self.language in ("", "sh")

    @property
    def reason(self) -> str | None:
        """Why the block is not run, None if it is; of commands each may have one of its own."""
        return None if self.shell else reason(self.code)


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = (ROOT / page).read_text("utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(page, text[: one.start()].count("\n") + 2, one[1], one[2]) for one in found]


def reason(code: str) -> str | None:
    """Why something is not run, None if it is."""
    return next((why for start, why in NOT_RUN.items() if re.match(start, code)), None)


def commands(block: Block) -> Iterator[str]:
    """The command lines of a block of shell, without comments."""
    for line in block.code.splitlines():
        if words := shlex.split(line, comments=True):
            yield shlex.join(words)


def shorter(code: str) -> str:
    """The same, but less of it."""
    for written, run in SHORTER.items():
        code = re.sub(written, run, code)
    return code


class Reader:
    """Somebody who tries everything on a page, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}
        (folder / "docs").mkdir()
        shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
        (folder / "configs").mkdir()
        for name in ("core", "smoke"):
            settings = {key: list(v) if isinstance(v, tuple) else v for key, v in SETTINGS.items() if key != "name"}
            (folder / "configs" / f"{name}.yaml").write_text(yaml.safe_dump(settings), "utf-8")
        small_bundle(folder / "my-bot")

    def run(self, block: Block) -> None:
        """Run a block."""
        if block.language == "python":
            self.python(block)
        elif block.language == "js":
            shutil.copy(ROOT / "mtrain_env" / "bots" / "reader.mjs", self.folder)
            (self.folder / "block.mjs").write_text(block.code, "utf-8")
            if NODE is not None:
                subprocess.run([NODE, "block.mjs"], cwd=self.folder, check=True, capture_output=True, timeout=60)
        elif block.shell:
            for command in commands(block):
                if reason(command) is None and not self.shell(shorter(command)):
                    return
        else:
            raise AssertionError(f"nobody knows how to run {block.language!r}")

    def python(self, block: Block) -> None:
        """Run Python; a line that ends in `# SomeError: ... sentence` must raise that."""
        *lines, last = shorter(block.code).rstrip().splitlines()
        refused = re.search(r"# (\w+Error): \.\.\. (.*)$", last)
        if refused is None:
            lines.append(last)
        exec(compile("\n" * (block.line - 1) + "\n".join(lines), block.page, "exec"), self.names)
        if refused is not None:
            with pytest.raises(ValueError, match=re.escape(refused[2])) as error:
                exec(last, self.names)
            assert type(error.value).__name__ == refused[1]

    def shell(self, command: str) -> bool:
        """Run a command here, if it is ours; False if what it needs is not installed: then the rest cannot run."""
        program, *words = shlex.split(command)
        if program == "mtrain" and words[0] == "play":
            play(sys.executable, "-m", "mtrain_env", *words, cwd=self.folder, PYTHONPATH=str(ROOT))
            return True
        if program == "mtrain":
            if "external:node " not in command or NODE is not None:
                assert cli.main(words) == 0, command
            return True
        assert (program, words[0]) == ("python", "-m"), f"nobody knows how to run {command!r}"
        module, *arguments = words[1:]
        try:
            main = importlib.import_module("training.__main__" if module == "training" else module).main
        except ModuleNotFoundError:
            assert module.startswith("training.recipes."), command  # `make recipes` has its library
            return False
        assert main(arguments) == 0, command
        return True


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_every_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    for block in blocks(page):
        if block.reason is None:
            try:
                reader.run(block)
            except Exception:
                pytest.fail(f"{page}, the block at line {block.line}:\n{traceback.format_exc()}", pytrace=False)


def test_reasons_and_abbreviations_are_of_use() -> None:
    every = [block for page in PAGES for block in blocks(page)]
    code = [block.code for block in every]
    lines = [command for block in every if block.shell for command in commands(block)]
    for start in NOT_RUN:
        assert any(re.match(start, text) for text in [*code, *lines]), start
    for written in SHORTER:
        assert any(re.search(written, text) for text in code), written
    assert len(every) > 30 and sum(block.reason is None for block in every) > 25


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"`mtrain ([a-z][\w-]*)", text)) <= set(cli.COMMANDS)
    for target in re.findall(r"(?:`|^)make ([a-z][\w-]*)", text, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for extra in re.findall(r"pip install [\"'](?:\.|mtrain-env)\[([\w-]+)\]", text):
        assert extra in extras, extra
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link
