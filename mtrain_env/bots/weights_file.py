"""Reading `model.safetensors` with numpy alone: a length, a JSON header, and the numbers. Nothing in it can run."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.errors import BundleError

FILE: Final = "model.safetensors"
MAX_HEADER: Final = 100_000

Weights = Mapping[str, NDArray[np.float32]]


def read_weights(data: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a safetensors file; BundleError if it is not exactly what its header says."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(MAX_HEADER, len(data) - 8):
        raise BundleError(f"{FILE} is cut short or no safetensors file.")
    try:
        header = json.loads(data[8 : 8 + size])
    except (ValueError, RecursionError):
        raise BundleError(f"The header of {FILE} is no JSON.") from None
    if not isinstance(header, dict):
        raise BundleError(f"The header of {FILE} is no table of tensors.")
    header.pop("__metadata__", None)
    numbers = memoryview(data)[8 + size :]
    tensors: dict[str, NDArray[np.float32]] = {}
    spans = []
    for name, entry in header.items():
        shape, first, last = _entry(name, entry)
        if last > len(numbers):
            raise BundleError(f"{FILE} is cut short: {name!r} ends at byte {last} of {len(numbers)}.")
        tensors[name] = np.frombuffer(numbers[first:last], "<f4").reshape(shape)
        spans.append((first, last))
    spans.sort()
    ends = [0, *(last for _, last in spans)]
    if [first for first, _ in spans] != ends[:-1] or ends[-1] != len(numbers):
        raise BundleError(f"The tensors of {FILE} overlap or leave bytes over.")
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise BundleError(f"The tensor {name!r} in {FILE} holds a number that is not finite.")
    return tensors


def _entry(name: str, entry: Any) -> tuple[tuple[int, ...], int, int]:
    """Shape, first and last byte that the header gives for a tensor."""
    try:
        dtype, shape, (first, last) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise BundleError(f"The header of {FILE} does not describe the tensor {name!r}.") from None
    if dtype != "F32":
        raise BundleError(f"The tensor {name!r} in {FILE} is of type {dtype!r}; only F32 is read.")
    if not all(type(n) is int and n >= 0 for n in (*shape, first, last)) or last - first != 4 * math.prod(shape):
        raise BundleError(f"The shape of {name!r} in {FILE} does not fit its bytes.")
    return shape, first, last
