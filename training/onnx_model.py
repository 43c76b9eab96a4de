"""The file model.onnx of a bundle, written operator by operator."""

from typing import Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from mtrain_env.bots.networks import depth_of
from mtrain_env.bots.onnx_file import OPSET
from mtrain_env.bots.policy import MASKED, Policy

Weights = dict[str, NDArray[np.float32]]

_IR_VERSION: Final = 8  # of ONNX, the first with operator set 18


def metadata(policy: Policy) -> dict[str, str]:
    """Return what both model files say about themselves.

    It is one entry, because safetensors writes several in an order that changes from run to run.
    """
    return {"policy": f"{policy.format} {policy.reads.spec} {policy.actions} {policy.architecture.id}"}


def onnx_model(weights: Weights, policy: Policy) -> bytes:
    """Return the ONNX file of the network that `policy` describes."""
    nodes = []
    x = policy.inputs[0].name
    for i in range(depth_of(weights)):
        nodes += [_gemm(x, f"hidden.{i}", f"linear.{i}"), helper.make_node("Relu", [f"linear.{i}"], [f"hidden.{i}"])]
        x = f"hidden.{i}"
    if policy.flat is None:
        nodes += [*_one_number(x, "score"), _gemm(x, "value", "value")]
        constants = weights | {"score.weight": weights["score.weight"][0]}
    else:
        nodes += [_gemm(x, "score", "logit"), *_masked("logit", "mask", "score"), *_one_number(x, "value")]
        constants = weights | {"value.weight": weights["value.weight"][0]}
        constants |= {"one": np.ones(1, np.float32), "masked": np.full(1, -MASKED, np.float32)}
    inputs, outputs = (
        [helper.make_tensor_value_info(one.name, TensorProto.FLOAT, list(one.shape)) for one in side]
        for side in (policy.inputs, policy.outputs)
    )
    tensors = [numpy_helper.from_array(tensor, name) for name, tensor in constants.items()]
    graph = helper.make_graph(nodes, "policy", inputs, outputs, tensors)
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="mtrain_env")
    helper.set_model_props(model, metadata(policy))
    onnx.checker.check_model(model, full_check=True)
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def _gemm(x: str, layer: str, out: str) -> onnx.NodeProto:
    """A layer: weight @ x + bias."""
    return helper.make_node("Gemm", [x, f"{layer}.weight", f"{layer}.bias"], [out], transB=1)


def _one_number(x: str, layer: str) -> list[onnx.NodeProto]:
    """A layer with one output, as a vector."""
    return [
        helper.make_node("MatMul", [x, f"{layer}.weight"], [f"{layer}.product"]),
        helper.make_node("Add", [f"{layer}.product", f"{layer}.bias"], [layer]),
    ]


def _masked(x: str, mask: str, out: str) -> list[onnx.NodeProto]:
    """The numbers `x` where the mask is 1, and exactly MASKED where it is 0: x * mask + (mask - 1) * -MASKED."""
    return [
        helper.make_node("Mul", [x, mask], ["legal"]),
        helper.make_node("Sub", [mask, "one"], ["missing"]),
        helper.make_node("Mul", ["missing", "masked"], ["penalty"]),
        helper.make_node("Add", ["legal", "penalty"], [out]),
    ]
