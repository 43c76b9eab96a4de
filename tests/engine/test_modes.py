"""One engine, several ways to run it: compiled, as plain Python, and compiled with bounds checks."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env.engine import batch
from mtrain_env.engine.state import GAME
from mtrain_env.presets import PRESETS, VARIATIONS
from mtrain_env.rules import Rules

ROOT = Path(__file__).parent.parent.parent
STEPS = 300
NAMES = [*PRESETS, *VARIATIONS]


def tables() -> dict[str, Rules]:
    """Every preset and variation, as it is and with few tiles, so that rounds and games end within STEPS."""
    small: dict[str, object] = {"name": "custom", "num_players": 3, "max_pip": 6, "hand_size": 4, "num_rounds": 2}
    whole = {name: Rules.preset(name) for name in NAMES}
    return whole | {f"small {name}": Rules.preset(name, **small) for name in NAMES}


def digest(game: Any) -> str:
    """The hash of all fields of one record; what lies in the gaps between them is nobody's business."""
    found = hashlib.sha1(usedforsecurity=False)
    for field in GAME.names or ():
        found.update(np.ascontiguousarray(game[field]).tobytes())
    return found.hexdigest()


def play(steps: int) -> dict[str, Any]:
    """Random play in one batch of all tables: the hashes of every game on the way, rounds and games that ended."""
    rules = tables()
    games: NDArray[Any] = np.concatenate([batch.new_games(table, [seed]) for seed, table in enumerate(rules.values())])
    for i in range(len(games)):
        batch.deal(games, i, -1, -1)
    actions = np.zeros((len(games), int(games["num_actions"].max())), np.int16)
    counts, chosen = np.zeros(len(games), np.int32), np.zeros(len(games), np.int16)
    rng = np.array([1, 2], np.uint64)
    hashes: dict[str, list[str]] = {name: [] for name in rules}
    rounds = ends = 0
    batch.legal_all(games, actions, counts)
    for step in range(1, steps + 1):
        before = games["round"].copy()
        batch.choose_random(rng, actions, counts, chosen)
        batch.step_all(games, chosen, actions, counts)
        rounds += int((games["round"] > before).sum())
        ends += int((games["round"] < before).sum())
        if step % 20 == 0 or step == steps:
            for name, game in zip(rules, games, strict=True):
                hashes[name].append(digest(game))
    return {"hashes": hashes, "rounds": rounds, "games": ends}


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh Python with these variables set, in the project's folder."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def run_suite(**environment: str) -> None:
    """All tests of the engine but those that run only in a soak, this one's kind."""
    done = run("pytest", "tests/engine", "-m", "not soak", "-q", "-p", "no:cacheprovider", **environment)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]


def test_plain_python_gives_the_same_bytes() -> None:
    done = run("tests.engine.test_modes", str(STEPS), NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr[-4000:]
    plain, compiled = json.loads(done.stdout), play(STEPS)
    assert compiled["rounds"] > 50, "too few rounds ended to prove much"
    assert compiled["games"] > 25
    different = {
        name: [step for step, (a, b) in enumerate(zip(hashes, plain["hashes"][name], strict=True), 1) if a != b]
        for name, hashes in compiled["hashes"].items()
    }
    assert {name: places[0] for name, places in different.items() if places} == {}, "table: first hash that differs"
    assert plain == compiled


@pytest.mark.soak
def test_the_suite_passes_with_bounds_checks(tmp_path: Path) -> None:
    run_suite(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))


@pytest.mark.soak
def test_the_suite_passes_in_plain_python() -> None:
    run_suite(NUMBA_DISABLE_JIT="1")


if __name__ == "__main__":
    print(json.dumps(play(int(sys.argv[1]))))
