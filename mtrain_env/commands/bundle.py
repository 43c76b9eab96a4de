"""`mtrain bundle check DIR`: whether an exported policy is sound, and gives its golden moves here."""

from argparse import ArgumentParser, Namespace

from mtrain_env.bots.bundle import LIMITS, Bundle, load_bundle


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    whats = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    summary = "check every file of a bundle, and replay its golden positions with both readers"
    check = whats.add_parser("check", help=summary, description=summary)
    check.add_argument("bundle", metavar="NAME|DIR", help="a shipped bundle, or a folder")


def run(arguments: Namespace) -> int:
    """Print one line for each check that holds; the first that does not ends it with a sentence."""
    bundle = load_bundle(arguments.bundle)
    print(_summary(bundle))
    from mtrain_env.bots.golden import replay

    for backend, file in (("onnx", "model.onnx"), ("numpy", "model.safetensors")):
        count, worst = replay(bundle, backend)  # type: ignore[arg-type]
        print(f"golden      {count} positions give the same moves with {file}; largest difference {worst:.0e}")
    return 0


def _summary(bundle: Bundle) -> str:
    """Return the lines about what was checked while the bundle was read."""
    policy, onnx = bundle.policy, bundle.onnx_summary
    sizes = "-".join(map(str, (policy.candidates.width, *policy.architecture.hidden)))
    total = sum(file.size for file in policy.files.values())
    numbers = sum(tensor.size for tensor in bundle.weights.values())
    strength = policy.strength if isinstance(policy.strength, str) else f"{len(policy.strength)} measurements"
    return "\n".join(
        [
            f"policy      {policy.name}: {policy.format}, {policy.candidates.spec}, {policy.actions}, "
            f"{policy.architecture.id} {sizes}; strength: {strength}",
            f"files       {len(LIMITS)} files, {total / 1e6:.1f} MB, each as its sha256 says",
            f"onnx        {len(onnx.operators)} operators, all allowed ({', '.join(sorted(set(onnx.operators)))}), "
            f"{onnx.products} multiplications per row",
            f"safetensors {len(bundle.weights)} tensors, {numbers} numbers, all finite, of the right shapes",
        ]
    )
