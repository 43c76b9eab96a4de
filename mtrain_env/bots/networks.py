"""The network of a bundle as a function of numpy arrays: by onnxruntime from model.onnx, or by numpy alone."""

import importlib
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bots.weights_file import Weights
from mtrain_env.errors import BotError, BundleError

Backend = Literal["onnx", "numpy"]
Floats = NDArray[np.float32]
Network = Callable[[Floats], tuple[Floats, Floats]]
"""Candidate rows (rows, width) -> score (rows,) and value (rows, 2)."""


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
