"""docs/rules_table.md: each rule of RULES.md, the functions that cite it and the tests named after it.

`python -m tests.rule_table` writes it anew. A function cites a rule in the first line of its docstring; a test is named
after its rules: `test_r12_...`, `test_r15_r19_...`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
TABLE: Final = ROOT / "docs" / "rules_table.md"

DECIDING: Final = ("engine/*.py", "game.py", "encoding/record.py", "rules.py")
"""Where the rules are decided, in the package."""
DERIVED: Final = ("belief.py", "lines.py", "redeal.py")
"""Modules of the engine that decide nothing: they guess hidden tiles and search lines by the rules."""
TESTS: Final = "tests/engine/test_rules_*.py"

_CITED = re.compile(r"\b([RD])(\d+)(?:-\1(\d+))?\b")
_IN_NAME = re.compile(r"test((?:_[rd]\d+)+)_")
_CLAUSE = re.compile(r"- \*\*([RD]\d+)\*\* (.*)")


@cache
def clauses() -> dict[str, str]:
    """Return the ids of RULES.md in its order, each with the beginning of its text."""
    lines = (ROOT / "RULES.md").read_text("utf-8").splitlines()
    found = {}
    for line in lines:
        if match := _CLAUSE.match(line):
            words = re.sub(r"[`*|]", "", match[2])
            start = re.split(r"(?<=\w)[.:;](?: |$)| \(", words)[0]
            found[match[1]] = start if len(start) <= 80 else start[:77].rsplit(" ", 1)[0] + " …"
    return found


def cited(text: str) -> set[str]:
    """Return the ids that a text cites, `R2-R4` as three."""
    return {
        f"{letter}{number}"
        for letter, first, last in _CITED.findall(text)
        for number in range(int(first), int(last or first) + 1)
    }


@cache
def functions() -> dict[str, list[str]]:
    """Return id -> the functions that cite it, as `engine.turn:act`."""
    found: dict[str, list[str]] = {rule: [] for rule in clauses()}
    package = ROOT / "mtrain_env"
    paths = [path for pattern in DECIDING for path in sorted(package.glob(pattern)) if path.name not in DERIVED]
    for path in paths:
        module = ".".join(path.relative_to(package).with_suffix("").parts)
        for function in _functions_in(path):
            line = (ast.get_docstring(function) or "").partition("\n")[0]
            for rule in cited(line):
                found[rule].append(f"{module}:{function.name}")
    return found


@cache
def tests() -> dict[str, list[str]]:
    """Return id -> the tests named after it."""
    found: dict[str, list[str]] = {rule: [] for rule in clauses()}
    for path in sorted(ROOT.glob(TESTS)):
        for function in _functions_in(path):
            if match := _IN_NAME.match(function.name):
                for rule in match[1].upper().split("_")[1:]:
                    found[rule].append(function.name)
    return found


def _functions_in(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


def outside_engine() -> list[str]:
    """Return the rules that no function of the engine cites: they are decided above or before it."""
    return [rule for rule, names in functions().items() if not any(name.startswith("engine.") for name in names)]


def table() -> str:
    """Return the text of docs/rules_table.md."""
    lines = [
        "# Rules, functions and tests",
        "",
        "Written by `python -m tests.rule_table`; do not edit. Functions cite the rule in the first line of their",
        "docstring, tests (in `tests/engine`) are named after it.",
        "",
        "| rule | begins | decided in | proved by |",
        "|---|---|---|---|",
    ]
    by_function, by_test = functions(), tests()
    for rule, start in clauses().items():
        cells = (sorted(by_function[rule]), sorted(by_test[rule]))
        code, proof = ("<br>".join(f"`{name}`" for name in names) for names in cells)
        lines.append(f"| {rule} | {start} | {code} | {proof} |")
    lines += ["", f"Decided outside the engine: {', '.join(outside_engine()) or 'none'}.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(table(), "utf-8")
    print(f"{TABLE.relative_to(ROOT)}: {len(clauses())} rules")
