"""Learned: the policy of a bundle that scores every legal action by its candidate row; flat.py has the other kind."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.bot import Games, Ints, KernelBot
from mtrain_env.bots.bundle import Bundle, load_bundle
from mtrain_env.bots.flat import FlatLearned
from mtrain_env.bots.networks import Backend, Floats, Network, numpy_network, onnx_network, pick
from mtrain_env.encoding.candidates import CAND_WIDTH, candidates, new_scratch

_ROWS_AT_ONCE: Final = 4096
"""Rows written before the network runs on them: 12 MB, so that memory does not grow with the batch."""


def network_of(bundle: Bundle, backend: Backend = "onnx") -> Network:
    """Return the network of a bundle, read from model.onnx or from model.safetensors."""
    return onnx_network(bundle.onnx) if backend == "onnx" else numpy_network(bundle.weights)


@jit
def write_rows(
    games: Games, which: Ints, actions: Ints, counts: Ints, node_cap: int, scratch: Any, rows: Floats
) -> None:
    """Write the candidate rows of the games `which`, one after the other, to `rows`."""
    first = 0
    for k in range(which.shape[0]):
        g = which[k]
        count = np.int64(counts[g])
        candidates(games, g, actions[g], count, node_cap, scratch, rows[first : first + count])
        first += count


class Learned(KernelBot):
    """The bot of a bundle with a network over candidate rows."""

    def __init__(self, bundle: Bundle, backend: Backend = "onnx") -> None:
        self.name = f"learned:{bundle.name}"
        self.network = network_of(bundle, backend)
        self.node_cap = bundle.policy.rows.node_cap

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        ends = np.cumsum(counts[which])
        first = 0
        while first < len(which):
            before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + _ROWS_AT_ONCE, side="right")))
            part = which[first:last]
            rows = np.empty((ends[last - 1] - before, CAND_WIDTH), np.float32)
            write_rows(games, part, actions, counts, self.node_cap, new_scratch(), rows)
            score, _ = self.network(rows)
            pick(score, part, counts, out)
            first = last


def bot_of(bundle: Bundle, backend: Backend = "onnx") -> Learned | FlatLearned:
    """Return the bot of a bundle, by the kind of its network."""
    return Learned(bundle, backend) if bundle.policy.flat is None else FlatLearned(bundle, backend)


def make(name_or_path: str | Path, backend: Backend = "onnx") -> Learned | FlatLearned:
    """Return the bot of the bundle with that name among the shipped ones, else of the one in that folder."""
    return bot_of(load_bundle(name_or_path), backend)
