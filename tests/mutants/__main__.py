"""Plant each fault in a copy of the package, run the tests named after its rule there, and say whether they notice.

`python -m tests.mutants` tries all, `python -m tests.mutants R12 D9` those of some rules. Exit status 1: a fault was
missed, or cannot be planted any more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.mutants.faults import FAULTS, Fault

ROOT: Final = Path(__file__).parent.parent.parent
TESTS: Final = "tests/engine/test_rules_*.py"
COPIED: Final = ("pyproject.toml", "tests/__init__.py", "tests/engine/__init__.py", "tests/engine/positions.py")
LIMIT_S: Final = 300
CAUGHT, MISSED, NO_TEST = 1, 0, 5
"""What pytest's exit status says about a fault."""


def copy_of_project(folder: Path) -> None:
    """Copy what the tests of the rules need, and no compiled file."""
    shutil.copytree(ROOT / "mtrain_env", folder / "mtrain_env", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests" / "engine").mkdir(parents=True)
    for path in [*(ROOT / name for name in COPIED), *ROOT.glob(TESTS)]:
        shutil.copy(path, folder / path.relative_to(ROOT))


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, on the copy's package, without compiling anything."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S)


def run_tests(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of the rules in the copy, up to the first that fails."""
    return run(folder, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "tests/engine", *arguments)


def applies(fault: Fault) -> bool:
    """Whether the text that the fault changes stands in its file, once."""
    return (ROOT / "mtrain_env" / fault.file).read_text("utf-8").count(fault.old) == 1


def try_fault(fault: Fault) -> str:
    """Return `caught`, or what is wrong."""
    if not applies(fault):
        return f"DOES NOT APPLY: its text does not occur once in {fault.file}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_of_project(folder)
        path = folder / "mtrain_env" / fault.file
        path.write_text(path.read_text("utf-8").replace(fault.old, fault.new), "utf-8")
        try:
            done = run_tests(folder, "-k", f"_{fault.rule.lower()}_")
        except subprocess.TimeoutExpired:
            return f"caught (no end after {LIMIT_S} s)"
    if done.returncode == CAUGHT:
        return "caught"
    if done.returncode == MISSED:
        return "MISSED"
    return "NO TEST is named after it" if done.returncode == NO_TEST else f"BROKEN: {done.stdout[-2000:]}{done.stderr}"


def check_copy() -> str | None:
    """Return what is wrong with a copy without a fault: it must be the one that is imported, and pass."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_of_project(folder)
        found = run(folder, "-c", "import mtrain_env; print(mtrain_env.__file__)").stdout.strip()
        if not Path(found).resolve().is_relative_to(folder.resolve()):
            return f"The tests would run on {found} and not on the copy."
        done = run_tests(folder)
        return None if done.returncode == 0 else f"The tests fail without a fault:\n{done.stdout[-4000:]}"


def main() -> int:
    """Try the faults; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rules", nargs="*", help="ids such as R12 (all if none is given)")
    parser.add_argument("--jobs", type=int, default=2, help="faults tried at a time (2)")
    options = parser.parse_args()
    wanted = [fault for fault in FAULTS if not options.rules or fault.rule in options.rules]
    if wrong := check_copy():
        print(wrong)
        return 1
    caught = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for fault, outcome in zip(wanted, pool.map(try_fault, wanted), strict=True):
            caught += outcome.startswith("caught")
            print(f"{fault.rule:4} {outcome}: {fault.wrong}", flush=True)
    print(f"{caught} of {len(wanted)} faults caught, {len({fault.rule for fault in wanted})} rules")
    return 0 if caught == len(wanted) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
