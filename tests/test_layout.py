"""The house rules that no linter knows: what imports load, how long things get, where chance comes from."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import mtrain_env

ROOT = Path(__file__).parent.parent
MAX_FILE_LINES = 450
MAX_FUNCTION_LINES = 70

HEAVY = {
    "gymnasium",
    "numba",
    "numpy",
    "onnxruntime",
    "pettingzoo",
    "pydantic",
    "starlette",
    "torch",
    "uvicorn",
}
GLOBAL_GENERATORS = re.compile(
    r"\bnp\.random\.(?!Generator|default_rng|SeedSequence|PCG64|RandomState\()\w+|(?<!np\.)\brandom\.(?!Random\b)\w+\("
)
MACHINE_PATHS = re.compile(r"(?<![\w.$}/~])/(?:work|home|root|opt|tmp|mnt|Users)/\w")


def sources() -> list[Path]:
    """Every Python file of the library and of the recipes."""
    return sorted(path for folder in ("mtrain_env", "training") for path in (ROOT / folder).rglob("*.py"))


def texts() -> list[Path]:
    """Every text file of the project that people write."""
    kinds = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".js", ".html", ".css"}
    skipped = {".venv", ".git", "runs", "build", "dist", "node_modules"}
    found = [path for path in ROOT.rglob("*") if path.suffix in kinds or path.parent == ROOT / ".ci"]
    found.append(ROOT / "Makefile")
    return [
        path
        for path in found
        if path.is_file()
        and not skipped & set(path.relative_to(ROOT).parts)
        and not any(part.endswith("_cache") for part in path.relative_to(ROOT).parts)
    ]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a fresh Python has after a statement."""
    program = f"{statement}; import sys; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_library_is_light() -> None:
    assert not loaded_by("import mtrain_env") & HEAVY
    assert not loaded_by("import mtrain_env.cli") & HEAVY


def test_the_rules_need_no_engine() -> None:
    assert not loaded_by("from mtrain_env import Rules") & (HEAVY - {"numpy", "pydantic"})


def test_public_names_are_loaded_when_asked_for() -> None:
    assert mtrain_env.Rules.preset("core").name == "core"
    assert {"Rules", "MtrainError", "__version__"} <= set(dir(mtrain_env))
    with pytest.raises(AttributeError, match="module 'mtrain_env' has no attribute 'Rule'"):
        _ = mtrain_env.Rule  # type: ignore[attr-defined]


def test_the_version_is_said_once_and_the_same() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == mtrain_env.__version__


def test_files_and_functions_stay_short() -> None:
    long = []
    for path in sources():
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_FILE_LINES:
            long.append(f"{path.relative_to(ROOT)} has {lines} lines")
        for function in functions(path):
            lines = (function.end_lineno or 0) - function.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                long.append(f"{path.relative_to(ROOT)}: {function.name} has {lines} lines")
    assert long == []


def test_chance_comes_from_a_seed_and_never_from_a_global_generator() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if GLOBAL_GENERATORS.search(line) and "noqa: NPY002 -- " not in line  # a reason: a library draws from it
    ]
    assert found == []


def test_no_path_of_somebodys_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in texts()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if MACHINE_PATHS.search(line)
    ]
    assert found == []
