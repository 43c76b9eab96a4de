"""The bundle: a folder with an exported policy (DESIGN.md section 10), read only after everything in it was checked."""

import hashlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from mtrain_env.bots.onnx_file import ROWS, OnnxSummary, check_onnx
from mtrain_env.bots.policy import POLICY, Policy, is_name, read_policy, tensors, weight_shapes
from mtrain_env.bots.weights_file import Weights, read_weights
from mtrain_env.errors import BundleError

LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        POLICY: 1 << 20,
        "model.onnx": 1 << 25,
        "model.safetensors": 1 << 25,
        "golden.json": 1 << 23,
        "README.md": 1 << 20,
    }
)
"""The files of a bundle and the most bytes that each may have."""

_ROOT: Final = Path(__file__).parents[1]
SHIPPED: Final = (_ROOT / "checkpoints", _ROOT.parent / "checkpoints")
"""Where bundles that come with the library are: in the installed package, or beside it in a checkout."""


@dataclass(frozen=True)
class Bundle:
    """A checked bundle, in memory."""

    policy: Policy
    weights: Weights
    onnx: bytes
    onnx_summary: OnnxSummary
    golden: bytes

    @property
    def name(self) -> str:
        """The name of the policy."""
        return self.policy.name


def shipped() -> dict[str, Path]:
    """Return the bundles that come with the library, by name."""
    folders = [folder for root in reversed(SHIPPED) if root.is_dir() for folder in sorted(root.iterdir())]
    return {folder.name: folder for folder in folders if is_name(folder.name) and (folder / POLICY).is_file()}


def load_bundle(name_or_path: str | Path) -> Bundle:
    """Return the bundle with that name among the shipped ones, else the one in that folder.

    BundleError says what is wrong with it.
    """
    known = shipped()
    folder = known.get(str(name_or_path), Path(name_or_path))
    try:
        if not folder.is_dir():
            names = ", ".join(known) or "none"
            raise BundleError(f"There is no such folder, and it is none of the shipped bundles ({names}).")
        return _load(folder.resolve(strict=True))
    except BundleError as error:
        raise BundleError(f"The bundle {str(name_or_path)!r} cannot be used: {error}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise BundleError(f"The bundle {str(name_or_path)!r} cannot be read: {error}.") from None


def _load(folder: Path) -> Bundle:
    strange = sorted(p.name for p in folder.iterdir() if p.name not in LIMITS and not p.name.startswith("."))
    if strange:
        raise BundleError(f"It holds {strange[0]!r}, which no bundle has; nothing was read.")
    policy = read_policy(_read(folder, POLICY))
    if set(policy.files) != set(LIMITS) - {POLICY}:
        raise BundleError(f"{POLICY} must list {', '.join(sorted(set(LIMITS) - {POLICY}))} and no other file.")
    contents = {}
    for name, file in policy.files.items():
        contents[name] = _read(folder, name)
        if len(contents[name]) != file.size or hashlib.sha256(contents[name]).hexdigest() != file.sha256:
            raise BundleError(f"{name} is not the file that {POLICY} names: its size or its sha256 differs.")
    try:
        contents["README.md"].decode()
    except UnicodeDecodeError:
        raise BundleError("README.md is no text in UTF-8.") from None
    weights = read_weights(contents["model.safetensors"])
    summary = check_onnx(contents["model.onnx"])
    _check_shapes(policy, weights, summary)
    return Bundle(policy, weights, contents["model.onnx"], summary, contents["golden.json"])


def _read(folder: Path, name: str) -> bytes:
    """Return the content of a plain file of the folder itself, not too large."""
    path = folder / name
    if not path.exists():
        raise BundleError(f"{name} is missing.")
    if path.resolve(strict=True).parent != folder:
        raise BundleError(f"{name} lies outside of the bundle.")
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > LIMITS[name]:
        raise BundleError(f"{name} is no plain file of at most {LIMITS[name]} bytes.")
    return path.read_bytes()


def _check_shapes(policy: Policy, weights: Weights, onnx: OnnxSummary) -> None:
    """Refuse models that are not what policy.json says."""
    inputs, outputs = tensors(policy.reads)
    if (policy.inputs, policy.outputs) != (inputs, outputs):
        raise BundleError(f"The inputs and outputs in {POLICY} are not those of {policy.architecture.id}.")
    shapes = {name: tensor.shape for name, tensor in weights.items()}
    wanted = weight_shapes(policy.reads, policy.architecture.hidden)
    for name in sorted(set(shapes) | set(wanted)):
        if shapes.get(name) != wanted.get(name):
            found = list(shapes[name]) if name in shapes else "missing"
            should = list(wanted[name]) if name in wanted else "no tensor of that name"
            raise BundleError(f"In model.safetensors {name} is {found}; it must be {should}.")
    declared = [{one.name: (ROWS, *one.shape[1:]) for one in side} for side in (inputs, outputs)]
    if [onnx.inputs, onnx.outputs] != declared:
        raise BundleError(f"The inputs and outputs of model.onnx are not those that {POLICY} declares.")
