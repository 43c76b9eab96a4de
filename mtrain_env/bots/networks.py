"""The network of a bundle as a function of arrays, by onnxruntime or by numpy alone, and the move by its scores."""

import importlib
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.bot import Ints
from mtrain_env.bots.policy import MASKED, TIES
from mtrain_env.bots.weights_file import Weights
from mtrain_env.errors import BotError, BundleError

Backend = Literal["onnx", "numpy"]
Floats = NDArray[np.float32]
Network = Callable[[Floats], tuple[Floats, Floats]]
"""Candidate rows (rows, width) -> score (rows,) and value (rows, 2)."""
FlatNetwork = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Observations (rows, width) and masks (rows, actions) -> score (rows, actions) and value (rows,)."""


def depth_of(weights: Weights) -> int:
    """Return how many hidden layers there are."""
    return sum(name.startswith("hidden.") for name in weights) // 2


def _hidden_layers(weights: Weights) -> Callable[[Floats], Floats]:
    """Return the function from rows to the last hidden layer."""
    layers = [(weights[f"hidden.{i}.weight"].T, weights[f"hidden.{i}.bias"]) for i in range(depth_of(weights))]

    def hidden(x: Floats) -> Floats:
        for matrix, bias in layers:
            x = x @ matrix
            x += bias
            np.maximum(x, 0, out=x)
        return x

    return hidden


def numpy_network(weights: Weights) -> Network:
    """Return the network of the architecture mlp/1 with these weights, in plain numpy."""
    hidden = _hidden_layers(weights)

    def network(rows: Floats) -> tuple[Floats, Floats]:
        x = hidden(rows)
        score = x @ weights["score.weight"][0] + weights["score.bias"]
        return score, x @ weights["value.weight"].T + weights["value.bias"]

    return network


def onnx_network(model: bytes) -> Network:
    """Return the network of a checked ONNX file, run by onnxruntime in one thread."""
    session = _session(model)

    def network(rows: Floats) -> tuple[Floats, Floats]:
        score, value = session.run(["score", "value"], {"rows": rows})
        return score, value

    return network


def numpy_flat_network(weights: Weights) -> FlatNetwork:
    """Return the network of the architecture flat-mlp/1 with these weights, in plain numpy."""
    hidden = _hidden_layers(weights)

    def network(observations: Floats, masks: Floats) -> tuple[Floats, Floats]:
        x = hidden(observations)
        score = x @ weights["score.weight"].T + weights["score.bias"]
        score[masks == 0] = MASKED
        return score, x @ weights["value.weight"][0] + weights["value.bias"]

    return network


def onnx_flat_network(model: bytes) -> FlatNetwork:
    """Return the flat network of a checked ONNX file, run by onnxruntime in one thread."""
    session = _session(model)

    def network(observations: Floats, masks: Floats) -> tuple[Floats, Floats]:
        score, value = session.run(["score", "value"], {"observation": observations, "mask": masks})
        return score, value

    return network


def _session(model: bytes) -> Any:
    """Return onnxruntime's session of a checked ONNX file, for one thread."""
    try:
        runtime: Any = importlib.import_module("onnxruntime")
    except ImportError:
        raise BotError("A learned bot needs onnxruntime: pip install 'mtrain-env[onnx]'.") from None
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only
    try:
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common base but this
        raise BundleError(f"onnxruntime cannot read model.onnx: {' '.join(str(error).split())}") from None


@jit
def pick(score: Floats, which: Ints, counts: Ints, out: Ints) -> None:
    """Write to `out[g]` the index of the first score within TIES of the best, for each game g of `which`."""
    first = 0
    for k in range(which.shape[0]):
        g = which[k]
        count = np.int64(counts[g])
        best = score[first]
        for j in range(1, count):
            best = max(best, score[first + j])
        out[g] = 0
        for j in range(count):
            if score[first + j] >= best - TIES:
                out[g] = j
                break
        first += count
