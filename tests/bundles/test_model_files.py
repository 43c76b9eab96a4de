"""model.onnx is checked operator by operator; whatever is not on the list is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mtrain_env.bots.onnx_file import check_onnx
from mtrain_env.bots.weights_file import read_weights
from mtrain_env.errors import BundleError
from tests.bundles.conftest import put, refused

Model = Any  # onnx.ModelProto, whose fields are made at run time


def node(model: Model, operator: str, inputs: list[str], **settings: Any) -> None:
    """Put an operator before the first."""
    made = helper.make_node(operator, inputs, [f"new.{len(model.graph.node)}"], **settings)
    model.graph.node.insert(0, made)


def constant(model: Model, name: str, array: np.ndarray[Any, Any]) -> None:
    model.graph.initializer.append(numpy_helper.from_array(array, name))


def loop(model: Model) -> None:
    node(model, "Loop", ["", ""], body=helper.make_graph([], "body", [], []))


def hidden_graph(model: Model) -> None:
    node(model, "Relu", ["rows"], body=helper.make_graph([], "body", [], []))


def giant(model: Model) -> None:
    shape = helper.make_tensor("shape", TensorProto.INT64, [1], [6 << 30])
    model.graph.initializer.append(shape)
    node(model, "ConstantOfShape", ["shape"])


def external(model: Model) -> None:
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../secret")


def declared_giant(model: Model) -> None:
    del model.graph.initializer[0].dims[:]
    model.graph.initializer[0].dims.extend([1 << 40, 1 << 40])


def integers(model: Model) -> None:
    constant(model, "whole", np.zeros(3, np.int64))


def not_finite(model: Model) -> None:
    constant(model, "lost", np.array([np.inf], np.float32))


def outer_product(model: Model) -> None:
    constant(model, "column", np.ones((24, 1), np.float32))
    node(model, "Add", ["rows", "column"])


def wide(model: Model) -> None:
    constant(model, "wide", np.ones((763, 1), np.float32))
    constant(model, "wider", np.ones((1, 1 << 15), np.float32))
    node(model, "MatMul", ["narrow", "wider"])
    model.graph.node.insert(0, helper.make_node("MatMul", ["rows", "wide"], ["narrow"]))


def many_products(model: Model) -> None:
    constant(model, "square", np.ones((763, 763), np.float32))
    for k in range(40):
        node(model, "MatMul", ["rows", "square"], name=str(k))


def other_domain(model: Model) -> None:
    model.graph.node[0].domain = "com.evil"


def other_opset(model: Model) -> None:
    model.opset_import[0].version = 21


def second_opset(model: Model) -> None:
    model.opset_import.add(domain="com.evil", version=1)


def functions(model: Model) -> None:
    relu = helper.make_node("Relu", ["a"], ["b"])
    model.functions.append(helper.make_function("", "Add", ["a"], ["b"], [relu], [helper.make_opsetid("", 18)]))


def redefined(model: Model) -> None:
    node(model, "Relu", ["rows"])
    model.graph.node[0].output[0] = "hidden.0"


def default_input(model: Model) -> None:
    constant(model, "rows", np.ones((1, 763), np.float32))


def no_value(model: Model) -> None:
    del model.graph.output[1]


def wrong_output(model: Model) -> None:
    model.graph.output[0].type.tensor_type.shape.dim.add(dim_value=1)


def fixed_rows(model: Model) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1


def transposed(model: Model) -> None:
    model.graph.node[0].attribute.append(helper.make_attribute("transA", 1))


def many_nodes(model: Model) -> None:
    for _ in range(70):
        node(model, "Relu", ["rows"])


def metadata(model: Model) -> None:
    model.graph.node[0].metadata_props.add(key="a", value="b")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (loop, "uses the operator 'Loop'; allowed are Add, Gemm"),
        (hidden_graph, "cannot be read as an allowed ONNX file: field 6 is not allowed"),
        (giant, "uses the operator 'ConstantOfShape'"),
        (external, "in another file; all numbers must be inside"),
        (declared_giant, "does not fit its"),
        (integers, "'whole' in model.onnx is no float32 vector or matrix"),
        (not_finite, "'lost' in model.onnx holds a number that is not finite"),
        (outer_product, "The inputs or outputs of Add in model.onnx do not fit together"),
        (wide, "is too large: at most 16384 columns"),
        (many_products, "is too large: at most 16384 columns and 16777216 multiplications"),
        (other_domain, "uses the operator 'Gemm'"),
        (other_opset, "is not of the plain operator set 18"),
        (second_opset, "is not of the plain operator set 18"),
        (functions, "field 25 is not allowed"),
        (redefined, "has two values named 'hidden.0'"),
        (default_input, "has two values named 'rows'"),
        (no_value, "inputs and outputs of model.onnx are not those"),
        (wrong_output, "does not compute 'score' in the shape"),
        (fixed_rows, "'rows' in model.onnx is not float32 with any number of rows"),
        (transposed, "The inputs or outputs of Gemm"),
        (many_nodes, "has 77 operators; at most 64 are allowed"),
        (metadata, "field 9 is not allowed"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_hostile_onnx(copy: Path, change: Callable[[Model], None], part: str) -> None:
    model = onnx.load_model_from_string((copy / "model.onnx").read_bytes())
    change(model)
    put(copy, "model.onnx", model.SerializeToString())
    refused(copy, part)


def test_a_second_graph_cannot_hide_behind_the_first(copy: Path) -> None:
    data = (copy / "model.onnx").read_bytes()
    put(copy, "model.onnx", data + data)
    refused(copy, "is given twice")


def test_damaged_model_files_never_do_more_than_refuse(bundle: Path) -> None:
    rng = np.random.default_rng(0)
    for name, check in (("model.onnx", check_onnx), ("model.safetensors", read_weights)):
        data = (bundle / name).read_bytes()
        outcomes = set()
        for k in range(400):
            damaged = bytearray(data)
            where = rng.integers(0, min(len(data), 600) if k % 2 else len(data), 3)
            for at in where:
                damaged[at] = rng.integers(256)
            if k % 5 == 0:
                del damaged[where[0] :]
            try:
                check(bytes(damaged))
                outcomes.add("accepted")
            except BundleError:
                outcomes.add("refused")
        assert outcomes == {"accepted", "refused"}
