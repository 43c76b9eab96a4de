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


def first(model: Model) -> str:
    """The input with the rows."""
    return str(model.graph.input[0].name)


def width(model: Model) -> int:
    return int(model.graph.input[0].type.tensor_type.shape.dim[1].dim_value)


def constant(model: Model, name: str, array: np.ndarray[Any, Any]) -> None:
    model.graph.initializer.append(numpy_helper.from_array(array, name))


def loop(model: Model) -> None:
    node(model, "Loop", ["", ""], body=helper.make_graph([], "body", [], []))


def hidden_graph(model: Model) -> None:
    node(model, "Relu", [first(model)], body=helper.make_graph([], "body", [], []))


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
    node(model, "Add", [first(model), "column"])


def wide(model: Model) -> None:
    constant(model, "wide", np.ones((width(model), 1), np.float32))
    constant(model, "wider", np.ones((1, 1 << 15), np.float32))
    node(model, "MatMul", ["narrow", "wider"])
    model.graph.node.insert(0, helper.make_node("MatMul", [first(model), "wide"], ["narrow"]))


def many_products(model: Model) -> None:
    constant(model, "broad", np.ones((width(model), 4096), np.float32))
    for k in range(15):
        node(model, "MatMul", [first(model), "broad"], name=str(k))


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
    node(model, "Relu", [first(model)])
    model.graph.node[0].output[0] = "hidden.0"


def default_input(model: Model) -> None:
    constant(model, first(model), np.ones((1, width(model)), np.float32))


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
        node(model, "Relu", [first(model)])


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
        (default_input, "has two values named"),
        (no_value, "inputs and outputs of model.onnx are not those"),
        (wrong_output, "does not compute 'score' in the shape"),
        (fixed_rows, "in model.onnx is not float32 with any number of rows"),
        (transposed, "The inputs or outputs of Gemm"),
        (many_nodes, "operators; at most 64 are allowed"),
        (metadata, "field 9 is not allowed"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("kind", ["copy", "flat_copy"])
def test_hostile_onnx(kind: str, change: Callable[[Model], None], part: str, request: pytest.FixtureRequest) -> None:
    copy: Path = request.getfixturevalue(kind)
    model = onnx.load_model_from_string((copy / "model.onnx").read_bytes())
    change(model)
    put(copy, "model.onnx", model.SerializeToString())
    refused(copy, part)


def masked_by(operator: str) -> Callable[[Model], None]:
    """Mask with an operator that is not on the list."""

    def change(model: Model) -> None:
        next(one for one in model.graph.node if one.output[0] == "legal").op_type = operator

    return change


def mask_of_truth_values(model: Model) -> None:
    model.graph.input[1].type.tensor_type.elem_type = TensorProto.BOOL


def short_mask(model: Model) -> None:
    model.graph.input[1].type.tensor_type.shape.dim[1].dim_value = 7


def no_mask(model: Model) -> None:
    del model.graph.input[1]


def mask_times_mask(model: Model) -> None:
    node(model, "MatMul", ["mask", "mask"])


def third_input(model: Model) -> None:
    model.graph.input.append(helper.make_tensor_value_info("more", TensorProto.FLOAT, ["rows", 3]))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (masked_by("Where"), "uses the operator 'Where'"),
        (masked_by("Cast"), "uses the operator 'Cast'"),
        (mask_of_truth_values, "'mask' in model.onnx is not float32"),
        (short_mask, "The inputs or outputs of Mul in model.onnx do not fit together"),
        (no_mask, "The inputs or outputs of Mul in model.onnx do not fit together"),
        (mask_times_mask, "The inputs or outputs of MatMul in model.onnx do not fit together"),
        (third_input, "inputs and outputs of model.onnx are not those that policy.json declares"),
    ],
)
def test_hostile_masks(flat_copy: Path, change: Callable[[Model], None], part: str) -> None:
    model = onnx.load_model_from_string((flat_copy / "model.onnx").read_bytes())
    change(model)
    put(flat_copy, "model.onnx", model.SerializeToString())
    refused(flat_copy, part)


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
