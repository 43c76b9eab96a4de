"""Checking `model.onnx` without running it, and without the package onnx.

An accepted file is a short chain of matrices and element-wise functions over candidate rows. Every field of its
messages is on the list here or refused, so external data, sub-graphs, functions and sparse tensors cannot come in;
every operator is on the list; and the width of every value is worked out, so that the memory and the
multiplications per row are known before anything runs.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from mtrain_env.bots.protobuf import BYTES, FLOAT, INT, MANY, Fields, Malformed, Message
from mtrain_env.errors import BundleError

FILE: Final = "model.onnx"
OPSET: Final = 18
OPERATORS: Final = ("Add", "Gemm", "MatMul", "Mul", "Relu", "Sigmoid", "Sub", "Tanh")
MAX_NODES: Final = 64
MAX_WIDTH: Final = 1 << 14
MAX_PRODUCTS: Final = 1 << 24
ROWS: Final = -1
"""Stands in a shape for the number of rows, which is free."""
Shape = tuple[int, ...]

_FLOAT32: Final = 1
_MODEL: Final[Fields] = {
    1: ("ir_version", INT),
    2: ("producer_name", BYTES),
    3: ("producer_version", BYTES),
    4: ("domain", BYTES),
    5: ("model_version", INT),
    6: ("doc_string", BYTES),
    7: ("graph", BYTES),
    8: ("opset_import", BYTES + MANY),
    14: ("metadata_props", BYTES + MANY),
}
_OPSET: Final[Fields] = {1: ("domain", BYTES), 2: ("version", INT)}
_GRAPH: Final[Fields] = {
    1: ("node", BYTES + MANY),
    2: ("name", BYTES),
    5: ("initializer", BYTES + MANY),
    10: ("doc_string", BYTES),
    11: ("input", BYTES + MANY),
    12: ("output", BYTES + MANY),
}
_NODE: Final[Fields] = {
    1: ("input", BYTES + MANY),
    2: ("output", BYTES + MANY),
    3: ("name", BYTES),
    4: ("op_type", BYTES),
    5: ("attribute", BYTES + MANY),
    6: ("doc_string", BYTES),
    7: ("domain", BYTES),
}
_ATTRIBUTE: Final[Fields] = {1: ("name", BYTES), 2: ("f", FLOAT), 3: ("i", INT), 20: ("type", INT)}
_TENSOR: Final[Fields] = {
    1: ("dims", INT + MANY),
    2: ("data_type", INT),
    8: ("name", BYTES),
    9: ("raw_data", BYTES),
    13: ("external_data", BYTES + MANY),
    14: ("data_location", INT),
}
_VALUE: Final[Fields] = {1: ("name", BYTES), 2: ("type", BYTES)}
_TYPE: Final[Fields] = {1: ("tensor_type", BYTES)}
_TENSOR_TYPE: Final[Fields] = {1: ("elem_type", INT), 2: ("shape", BYTES)}
_SHAPE: Final[Fields] = {1: ("dim", BYTES + MANY)}
_DIM: Final[Fields] = {1: ("dim_value", INT), 2: ("dim_param", BYTES)}


@dataclass(frozen=True)
class OnnxSummary:
    """What an accepted file holds."""

    operators: tuple[str, ...]
    inputs: Mapping[str, Shape]
    outputs: Mapping[str, Shape]
    products: int
    """Multiplications per row."""


def check_onnx(data: bytes) -> OnnxSummary:
    """Return what the file holds; BundleError if it is anything but a chain of allowed operators over rows."""
    try:
        return _check(memoryview(data))
    except Malformed as error:
        raise BundleError(f"{FILE} cannot be read as an allowed ONNX file: {error}.") from None


def _check(data: memoryview) -> OnnxSummary:
    model = Message.read(data, _MODEL)
    opsets = [Message.read(part, _OPSET) for part in model.parts("opset_import")]
    if [(opset.text("domain"), opset.number("version")) for opset in opsets] != [("", OPSET)]:
        raise BundleError(f"{FILE} is not of the plain operator set {OPSET}.")
    graph = Message.read(model.part("graph"), _GRAPH)
    nodes = [Message.read(part, _NODE) for part in graph.parts("node")]
    if len(nodes) > MAX_NODES:
        raise BundleError(f"{FILE} has {len(nodes)} operators; at most {MAX_NODES} are allowed.")
    for node in nodes:
        if node.text("op_type") not in OPERATORS or node.text("domain"):
            operator = node.text("op_type")
            raise BundleError(f"{FILE} uses the operator {operator!r}; allowed are {', '.join(OPERATORS)}.")
    walk = _Walk()
    for part in graph.parts("initializer"):
        walk.define(*_constant(part))
    inputs = dict(_declared(part) for part in graph.parts("input"))
    outputs = dict(_declared(part) for part in graph.parts("output"))
    for name, shape in inputs.items():
        walk.define(name, shape)
    for node in nodes:
        walk.compute(node)
    for name, shape in outputs.items():
        if walk.shapes.get(name) != shape:
            raise BundleError(f"{FILE} does not compute {name!r} in the shape that it declares.")
    operators = tuple(node.text("op_type") for node in nodes)
    return OnnxSummary(operators, inputs, outputs, walk.products)


class _Walk:
    """The shape of every value, worked out operator by operator; a constant's has no ROWS."""

    def __init__(self) -> None:
        self.shapes: dict[str, Shape] = {}
        self.products = 0

    def define(self, name: str, shape: Shape) -> None:
        """Add a value."""
        if not name or name in self.shapes:
            raise BundleError(f"{FILE} has two values named {name!r}.")
        if max(shape) > MAX_WIDTH or self.products > MAX_PRODUCTS:
            raise BundleError(
                f"{FILE} is too large: at most {MAX_WIDTH} columns and {MAX_PRODUCTS} multiplications per row."
            )
        self.shapes[name] = shape

    def compute(self, node: Message) -> None:
        """Add the value that an operator gives."""
        operator, outputs = node.text("op_type"), node.texts("output")
        inputs = [self.shapes.get(name, ()) for name in node.texts("input")]
        settings = dict(_attribute(part) for part in node.parts("attribute"))
        if operator == "Gemm":
            shape = self._gemm(inputs, settings)
        elif settings:
            raise BundleError(f"{FILE} gives {operator} settings that it does not have.")
        elif operator == "MatMul":
            shape = self._product(*inputs) if len(inputs) == 2 else ()
        else:
            arity = 2 if operator in ("Add", "Mul", "Sub") else 1
            shape = _elementwise(inputs) if len(inputs) == arity else ()
        if not shape or len(outputs) != 1:
            raise BundleError(f"The inputs or outputs of {operator} in {FILE} do not fit together.")
        self.define(outputs[0], shape)

    def _gemm(self, inputs: list[Shape], settings: dict[str, int]) -> Shape:
        """Rows times a matrix, plus one number for each column."""
        if not 2 <= len(inputs) <= 3 or set(settings) - {"alpha", "beta", "transB"}:
            return ()
        rows, matrix = inputs[0], inputs[1][::-1] if settings.get("transB") else inputs[1]
        if len(matrix) != 2 or (len(inputs) == 3 and inputs[2] != matrix[1:]):
            return ()
        return self._product(rows, matrix)

    def _product(self, rows: Shape, matrix: Shape) -> Shape:
        """Rows times a constant matrix or vector."""
        if len(rows) != 2 or rows[0] != ROWS or ROWS in matrix or matrix[:1] != rows[1:]:
            return ()
        self.products += math.prod(matrix)
        return (ROWS, *matrix[1:])


def _elementwise(inputs: list[Shape]) -> Shape:
    """A function of a value, or of it and one of the same shape, of one row or of one number."""
    shape = inputs[0]
    fits = all(other and other in (shape, shape[1:], (1,)) for other in inputs)
    return shape if shape[:1] == (ROWS,) and fits else ()


def _constant(data: memoryview) -> tuple[str, Shape]:
    """Name and shape of a constant, whose numbers must be in the file."""
    tensor = Message.read(data, _TENSOR)
    name, shape, raw = tensor.text("name"), tensor.numbers("dims"), tensor.part("raw_data")
    if "external_data" in tensor or tensor.number("data_location"):
        raise BundleError(f"{FILE} keeps {name!r} in another file; all numbers must be inside.")
    if tensor.number("data_type") != _FLOAT32 or not 1 <= len(shape) <= 2:
        raise BundleError(f"The constant {name!r} in {FILE} is no float32 vector or matrix.")
    if math.prod(shape) * 4 != len(raw) or not raw:
        raise BundleError(f"The shape {list(shape)} of {name!r} in {FILE} does not fit its {len(raw)} bytes.")
    if not np.isfinite(np.frombuffer(raw, "<f4")).all():
        raise BundleError(f"The constant {name!r} in {FILE} holds a number that is not finite.")
    return name, shape


def _declared(data: memoryview) -> tuple[str, Shape]:
    """Name and shape of an input or output: float32, any number of rows."""
    value = Message.read(data, _VALUE)
    tensor = Message.read(Message.read(value.part("type"), _TYPE).part("tensor_type"), _TENSOR_TYPE)
    dims = [Message.read(part, _DIM) for part in Message.read(tensor.part("shape"), _SHAPE).parts("dim")]
    if tensor.number("elem_type") != _FLOAT32 or not dims or "dim_value" in dims[0]:
        raise BundleError(f"{value.text('name')!r} in {FILE} is not float32 with any number of rows.")
    return value.text("name"), (ROWS, *(dim.number("dim_value") for dim in dims[1:]))


def _attribute(data: memoryview) -> tuple[str, int]:
    """Name and value of a setting; the value of a float does not matter here."""
    attribute = Message.read(data, _ATTRIBUTE)
    return attribute.text("name"), attribute.number("i")
