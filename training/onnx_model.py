"""The file model.onnx of a bundle, written operator by operator."""

from typing import Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from mtrain_env.bots.networks import depth_of
from mtrain_env.bots.onnx_file import OPSET
from mtrain_env.bots.policy import ARCHITECTURE, FORMAT, tensors
from mtrain_env.encoding.actions import ACT_SPEC
from mtrain_env.encoding.candidates import CAND_SPEC

Weights = dict[str, NDArray[np.float32]]

_IR_VERSION: Final = 8  # of ONNX, the first with operator set 18
METADATA: Final = {"policy": f"{FORMAT} {CAND_SPEC} {ACT_SPEC} {ARCHITECTURE}"}
"""In both model files. One entry: safetensors writes several in an order that changes from run to run."""


def onnx_model(weights: Weights) -> bytes:
    """Return the ONNX file of a network."""
    nodes = []
    x = "rows"
    for i in range(depth_of(weights)):
        layer = [x, f"hidden.{i}.weight", f"hidden.{i}.bias"]
        nodes += [
            helper.make_node("Gemm", layer, [f"linear.{i}"], transB=1),
            helper.make_node("Relu", [f"linear.{i}"], [f"hidden.{i}"]),
        ]
        x = f"hidden.{i}"
    nodes += [
        helper.make_node("MatMul", [x, "score.weight"], ["score.product"]),
        helper.make_node("Add", ["score.product", "score.bias"], ["score"]),
        helper.make_node("Gemm", [x, "value.weight", "value.bias"], ["value"], transB=1),
    ]
    constants = weights | {"score.weight": weights["score.weight"][0]}
    inputs, outputs = tensors(weights["hidden.0.weight"].shape[1])
    values = [
        helper.make_tensor_value_info(tensor.name, TensorProto.FLOAT, list(tensor.shape))
        for tensor in (*inputs, *outputs)
    ]
    graph = helper.make_graph(
        nodes,
        "policy",
        values[: len(inputs)],
        values[len(inputs) :],
        [numpy_helper.from_array(tensor, name) for name, tensor in constants.items()],
    )
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="mtrain_env")
    helper.set_model_props(model, METADATA)
    onnx.checker.check_model(model, full_check=True)
    data: bytes = model.SerializeToString(deterministic=True)
    return data
