"""Ways to damage a bundle, for the readers in Python and in JavaScript."""

import json
import struct
from collections.abc import Callable
from typing import Any, Final

import numpy as np

WRONG_POLICIES: Final[list[tuple[dict[str, Any], str]]] = [
    ({"format": "mtrain-policy/2"}, "is of format 'mtrain-policy/2'; this version reads 'mtrain-policy/1'"),
    ({"name": "../evil"}, "In policy.json name is wrong"),
    ({"name": "a..b"}, "'a..b' is no name for a bundle"),
    ({"actions": "act/99"}, "Its action layout is 'act/99'"),
    ({"architecture": {"id": "mlp/2", "hidden": [24, 16]}}, "Its architecture is 'mlp/2'"),
    ({"architecture": {"id": "mlp/1", "hidden": [24, 17]}}, "hidden.1.bias is [16]; it must be [17]"),
    ({"architecture": {"id": "mlp/1", "hidden": [24]}}, "it must be no tensor of that name"),
    ({"architecture": {"id": "mlp/1", "hidden": ["24"]}}, "In policy.json architecture.hidden.0 is wrong"),
    ({"candidates": {"spec": "cand/99", "width": 763, "node_cap": 300}}, "Its candidate layout is 'cand/99'"),
    ({"candidates": {"spec": "cand/1", "width": 12, "node_cap": 300}}, "Its candidate width is 12"),
    ({"inputs": []}, "inputs and outputs in policy.json"),
    ({"files": {}}, "policy.json must list"),
]
"""Fields of policy.json of the candidate bundle, and part of the sentence that refuses them."""


def header_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def with_header(header: object, numbers: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def change_entry(name: str, **fields: object) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        header, numbers = header_of(data)
        header[name] |= fields
        return with_header(header, numbers)

    return change


DAMAGED_WEIGHTS: Final[list[tuple[Callable[[bytes], bytes], str]]] = [
    (lambda data: b"", "is cut short or no safetensors file"),
    (lambda data: data[:6], "is cut short or no safetensors file"),
    (lambda data: data[:100], "is cut short or no safetensors file"),
    (lambda data: data[:-4], "is cut short"),
    (lambda data: data + b"\0\0\0\0", "overlap or leave bytes over"),
    (lambda data: struct.pack("<Q", 1 << 62) + data[8:], "is cut short or no safetensors file"),
    (lambda data: struct.pack("<Q", 9) + b"{" * 9, "is no JSON"),
    (lambda data: with_header([], b""), "is no table of tensors"),
    (lambda data: with_header({"score.bias": 1}, b""), "does not describe the tensor 'score.bias'"),
    (lambda data: with_header({}, b""), "hidden.0.bias is missing; it must be [24]"),
    (change_entry("score.bias", dtype="F64"), "is of type 'F64'"),
    (change_entry("score.bias", shape=[2]), "The shape of 'score.bias'"),
    (change_entry("score.bias", shape=[True]), "The shape of 'score.bias'"),
    (change_entry("score.bias", shape=[-1, -1]), "The shape of 'score.bias'"),
    (change_entry("score.bias", shape=[1 << 40], data_offsets=[0, 1 << 42]), "is cut short"),
    (change_entry("hidden.1.bias", data_offsets=[0, 64]), "overlap or leave bytes over"),
    (lambda data: data[:-4] + struct.pack("<f", np.nan), "holds a number that is not finite"),
]
"""Changes of model.safetensors, and part of the sentence that refuses them."""
