"""reader.mjs, run by node."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env.bots.networks import Floats

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
DRIVER = Path(__file__).with_name("run_reader.mjs")


def _node(*words: str | Path) -> str:
    done = subprocess.run([str(NODE), DRIVER, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def replay(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """For each bundle `positions` and `worst`, or the `error` with which it is refused."""
    return [json.loads(line) for line in _node("replay", *folders).splitlines()]


def judge(
    folder: Path, rows: Floats, counts: NDArray[np.int32], ids: NDArray[np.int32], scratch: Path
) -> tuple[Floats, Floats, NDArray[np.int32]]:
    """Scores of the legal ids one after the other, values, and the index of the move, for many states.

    `rows` are the candidate rows, or an observation for each state; `ids` the legal ids, counts[k] of them for state k.
    """
    scratch.mkdir(exist_ok=True)
    for name, array in (("rows.f32", rows), ("counts.i32", counts), ("ids.i32", ids)):
        (scratch / name).write_bytes(np.ascontiguousarray(array, f"<{name[-3]}4").tobytes())
    _node("judge", folder, scratch)
    score, value = (np.fromfile(scratch / f"{name}.f32", "<f4") for name in ("score", "value"))
    return score, value, np.fromfile(scratch / "move.i32", "<i4")
