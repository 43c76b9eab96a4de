"""Print what a learned bot's move costs, and the sizes of bundles: `python -m tests.benchmarks.bench_bundles [DIR...]`.

One decision at a time (batch 1) in `core` with 4 players, games played at random, with each reader in one thread, in
CPU microseconds: the network alone, and the whole move, which begins by writing what the network reads. Aims: 300 us
with onnxruntime, 1,500 us with numpy, 3 MB. Without arguments: every shipped bundle, and one of each kind with random
weights in the size of configs/smoke.yaml.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from mtrain_env.bots.bundle import LIMITS, Bundle, load_bundle, shipped
from mtrain_env.bots.flat import FlatLearned
from mtrain_env.bots.learned import bot_of, write_rows
from mtrain_env.bots.networks import Backend
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from mtrain_env.engine.batch import copy_games
from mtrain_env.rules import Rules
from tests.bundles.conftest import random_flat
from tests.bundles.states import States, random_states
from training.export import Origin, export_flat, export_network
from training.network import CandidateNetwork

CORE = Rules.preset("core")
HIDDEN = (256, 128)
TRIES = 5


def made(folder: Path) -> list[Path]:
    """A bundle of each kind, with random weights."""
    network = CandidateNetwork(CAND_WIDTH, HIDDEN).initialise(torch.Generator().manual_seed(1)).requires_grad_(False)
    return [
        export_network(network, folder / "candidates", Origin()),
        export_flat(random_flat(CORE, HIDDEN), CORE, folder / "flat", Origin()),
    ]


def microseconds(work: Callable[[int], object], count: int) -> float:
    """CPU time of work(k), the mean over k < count, the best of TRIES."""
    work(0)
    best = float("inf")
    for _ in range(TRIES):
        began = time.process_time()
        for k in range(count):
            work(k)
        best = min(best, (time.process_time() - began) / count * 1e6)
    return best


def costs(bundle: Bundle, backend: Backend, states: States) -> tuple[float, float]:
    """Microseconds of the network alone, and of a whole move."""
    bot, count = bot_of(bundle, backend), len(states.counts)
    games, actions, counts = states.games, states.actions, states.counts
    out, rngs = np.zeros(count, np.int64), np.zeros((count, 16, 2), np.uint64)
    which = np.arange(count)[:, None]
    whole = microseconds(lambda k: bot.choose(games, which[k], actions, counts, rngs, out), count)
    if isinstance(bot, FlatLearned):
        observations, masks = bot.seen(games, which[:, 0], actions, counts)
        return microseconds(lambda k: bot.network(observations[k : k + 1], masks[k : k + 1]), count), whole
    rows = np.empty((int(counts.sum()), CAND_WIDTH), np.float32)
    write_rows(games, which[:, 0], actions, counts, bot.node_cap, new_scratch(), rows)
    ends = np.cumsum(counts)
    parts = [rows[end - its : end] for end, its in zip(ends, counts, strict=True)]
    return microseconds(lambda k: bot.network(parts[k]), count), whole


def show(folder: Path, states: States) -> None:
    """Print the lines of a bundle."""
    bundle = load_bundle(folder)
    size = sum((folder / name).stat().st_size for name in LIMITS) / 1e6
    print(f"{bundle.name}: {bundle.policy.architecture.id} {bundle.policy.sizes}, {size:.2f} MB")
    backends: tuple[Backend, ...] = ("onnx", "numpy")
    for backend in backends:
        network, whole = costs(bundle, backend, states)
        print(f"  {backend:<5} the network {network:>6.0f} us, a whole move {whole:>6.0f} us")


def main(folders: Sequence[str]) -> None:
    """Print the table."""
    many = next(random_states(CORE, 1))
    states = States(copy_games(many.games[::5]), many.actions[::5].copy(), many.counts[::5].copy())
    print(f"{len(states.counts)} decisions, {states.counts.mean():.1f} legal actions on average, CPU time at batch 1")
    with tempfile.TemporaryDirectory() as place:
        for folder in [Path(one) for one in folders] or [*shipped().values(), *made(Path(place))]:
            show(folder, states)


if __name__ == "__main__":
    main(sys.argv[1:])
