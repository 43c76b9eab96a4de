"""`mtrain bundle`: check whether an exported policy is sound, or print the JSON Schemas of the format."""

import json
from argparse import ArgumentParser, Namespace

from mtrain_env.bots.bundle import LIMITS, Bundle, load_bundle
from mtrain_env.bots.policy import Policy


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    whats = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    summary = "check every file of a bundle, and replay its golden positions with both readers"
    check = whats.add_parser("check", help=summary, description=summary)
    check.add_argument("bundle", metavar="NAME|DIR", help="a shipped bundle, or a folder")
    summary = "print the JSON Schema of policy.json or of golden.json"
    schema = whats.add_parser("schema", help=summary, description=summary)
    schema.add_argument("file", nargs="?", choices=("policy.json", "golden.json"), default="policy.json")


def run(arguments: Namespace) -> int:
    """Carry out the subcommand."""
    if arguments.what == "schema":
        return _print_schema(arguments.file)
    return _check(load_bundle(arguments.bundle))


def _print_schema(file: str) -> int:
    from mtrain_env.bots.golden import Golden

    schema = (Policy if file == "policy.json" else Golden).model_json_schema()
    print(json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2))
    return 0


def _check(bundle: Bundle) -> int:
    """Print one line for each check that holds; the first that does not ends it with a sentence."""
    print(_summary(bundle))
    from mtrain_env.bots.golden import replay

    for backend, file in (("onnx", "model.onnx"), ("numpy", "model.safetensors")):
        count, worst = replay(bundle, backend)  # type: ignore[arg-type]
        print(f"golden      {count} positions give the same moves with {file}; largest difference {worst:.0e}")
    return 0


def _summary(bundle: Bundle) -> str:
    """Return the lines about what was checked while the bundle was read."""
    policy, onnx = bundle.policy, bundle.onnx_summary
    total = sum(file.size for file in policy.files.values())
    numbers = sum(tensor.size for tensor in bundle.weights.values())
    strength = policy.strength if isinstance(policy.strength, str) else f"{len(policy.strength)} measurements"
    return "\n".join(
        [
            f"policy      {policy.name}: {policy.format}, {policy.reads.spec}, {policy.actions}, "
            f"{policy.architecture.id} {policy.sizes}; strength: {strength}",
            f"files       {len(LIMITS)} files, {total / 1e6:.1f} MB, each as its sha256 says",
            f"onnx        {len(onnx.operators)} operators, all allowed ({', '.join(sorted(set(onnx.operators)))}), "
            f"{onnx.products} multiplications per row",
            f"safetensors {len(bundle.weights)} tensors, {numbers} numbers, all finite, of the right shapes",
        ]
    )
