"""The bundle: a folder with an exported policy (DESIGN.md section 10), read only after everything in it was checked.

`Policy` is what policy.json holds; its JSON Schema is `Policy.model_json_schema()`. Fields that it does not name are
ignored, so a later version may add some; a change of meaning is a new major version, which is refused. The
architecture `mlp/1` is a chain of layers over a candidate row, weights as in the safetensors file:

    x = row; for each hidden layer i: x = max(0, hidden.i.weight @ x + hidden.i.bias)
    score = score.weight @ x + score.bias        higher is better
    value = value.weight @ x + value.bias        own pips / 100 at the round's end, mean of the others' pips / 100

The move is the first whose score is within TIES of the best, in the order of action ids.
"""

import hashlib
import json
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mtrain_env.bots.onnx_file import ROWS, OnnxSummary, check_onnx
from mtrain_env.bots.weights_file import Weights, read_weights
from mtrain_env.encoding.actions import ACT_SPEC
from mtrain_env.encoding.candidates import CAND_SPEC, CAND_WIDTH
from mtrain_env.errors import BundleError

FORMAT: Final = "mtrain-policy/1"
ARCHITECTURE: Final = "mlp/1"
TIES: Final = 1e-5
POLICY: Final = "policy.json"
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

_NAME: Final = r"[a-z0-9][a-z0-9._-]{0,63}"
Size = Annotated[int, Field(ge=1, le=1 << 14)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", allow_inf_nan=False)


class Candidates(_Part):
    """The candidate rows that the network reads."""

    spec: str
    """Number of the layout, `cand/N`."""
    width: Size
    """Columns of a row."""
    node_cap: Annotated[int, Field(ge=1, le=1_000_000)]
    """Nodes after which the search for a longest line stops."""


class Architecture(_Part):
    """What the network computes."""

    id: str
    hidden: Annotated[tuple[Size, ...], Field(min_length=1, max_length=16)]
    """Widths of the hidden layers."""


class Tensor(_Part):
    """An input or output of the network."""

    name: str
    dtype: Literal["float32"]
    shape: tuple[int | Literal["rows"], ...]


class File(_Part):
    """What a file of the bundle must be."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    size: Annotated[int, Field(ge=0)]


class Table(_Part):
    """Rules and player counts."""

    rules: str
    """Name of a preset or variation."""
    players: tuple[int, ...]
    changes: dict[str, Any] = {}
    """Fields of the rules that differ from it."""


class Interval(_Part):
    """A mean and its 95% interval."""

    mean: float
    low: float
    high: float


class Strength(_Part):
    """One measurement: one seat of the policy among copies of another bot, or the reverse, on the same deals."""

    rules: str
    players: int
    against: str
    seating: Literal["one among copies", "copies around one"]
    mode: Literal["round", "game"]
    deals: int
    """How many deals, each played in every seat."""
    deals_name: str
    """Hash that names them."""
    pips_difference: Interval
    """Pips per round, the policy's minus the others': below zero is better."""
    won: Interval
    """Share of rounds (mode round) or games (mode game) won."""
    microseconds: float | None
    """Time of the policy per decision, where it was measured."""


class Provenance(_Part):
    """Where the weights come from."""

    config: dict[str, Any]
    seed: int | None
    steps: int | None
    """Updates of the weights."""
    rounds: int | None
    """Rounds played for them."""
    commit: str | None
    """Commit of the code that exported it, if it is known; `-dirty` if files were changed since."""


class Policy(_Part):
    """policy.json."""

    format: str
    name: Annotated[str, Field(pattern=f"^{_NAME}$")]
    candidates: Candidates
    actions: str
    """Number of the action layout, `act/N`."""
    architecture: Architecture
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    files: dict[str, File]
    """The other files of the bundle."""
    trained: tuple[Table, ...]
    tested: tuple[Table, ...]
    strength: Literal["not measured"] | tuple[Strength, ...]
    provenance: Provenance
    licence: str


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


def is_name(text: str) -> bool:
    """Whether a bundle may have this name."""
    return re.fullmatch(_NAME, text) is not None and ".." not in text


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


def read_policy(data: bytes) -> Policy:
    """Return what policy.json holds; BundleError if it is of another format or for another version of the layouts."""
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        raise BundleError(f"{POLICY} is no JSON.") from None
    found = plain.get("format") if isinstance(plain, dict) else None
    if found != FORMAT:
        raise BundleError(f"{POLICY} is of format {found!r}; this version reads {FORMAT!r}.")
    try:
        policy = Policy.model_validate_json(data)
    except ValidationError as error:
        mistake = error.errors()[0]
        where = ".".join(map(str, mistake["loc"])) or "the file"
        what = mistake["msg"][0].lower() + mistake["msg"][1:]
        raise BundleError(f"In {POLICY} {where} is wrong: {what}.") from None
    expected = {
        "architecture": (policy.architecture.id, ARCHITECTURE),
        "candidate layout": (policy.candidates.spec, CAND_SPEC),
        "action layout": (policy.actions, ACT_SPEC),
        "candidate width": (policy.candidates.width, CAND_WIDTH),
    }
    for what, (given, wanted) in expected.items():
        if given != wanted:
            raise BundleError(f"Its {what} is {given!r}; this version reads {wanted!r}.")
    if not is_name(policy.name):
        raise BundleError(f"{policy.name!r} is no name for a bundle.")
    return policy


def tensors(width: int) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Return the inputs and outputs of a candidate network."""
    rows = Tensor(name="rows", dtype="float32", shape=("rows", width))
    score = Tensor(name="score", dtype="float32", shape=("rows",))
    return (rows,), (score, Tensor(name="value", dtype="float32", shape=("rows", 2)))


def weight_shapes(width: int, hidden: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the tensors of the architecture mlp/1 by name."""
    shapes: dict[str, tuple[int, ...]] = {}
    sizes = (width, *hidden)
    for i, (size, following) in enumerate(zip(sizes, hidden, strict=False)):
        shapes |= {f"hidden.{i}.weight": (following, size), f"hidden.{i}.bias": (following,)}
    shapes |= {"score.weight": (1, sizes[-1]), "score.bias": (1,)}
    return shapes | {"value.weight": (2, sizes[-1]), "value.bias": (2,)}


def _check_shapes(policy: Policy, weights: Weights, onnx: OnnxSummary) -> None:
    """Refuse models that are not what policy.json says."""
    width = policy.candidates.width
    inputs, outputs = tensors(width)
    if (policy.inputs, policy.outputs) != (inputs, outputs):
        raise BundleError(f"The inputs and outputs in {POLICY} are not those of a candidate network.")
    shapes = {name: tensor.shape for name, tensor in weights.items()}
    wanted = weight_shapes(width, policy.architecture.hidden)
    for name in sorted(set(shapes) | set(wanted)):
        if shapes.get(name) != wanted.get(name):
            found = list(shapes[name]) if name in shapes else "missing"
            should = list(wanted[name]) if name in wanted else "no tensor of that name"
            raise BundleError(f"In model.safetensors {name} is {found}; it must be {should}.")
    if (onnx.inputs, onnx.outputs) != ({"rows": (ROWS, width)}, {"score": (ROWS,), "value": (ROWS, 2)}):
        raise BundleError(f"The inputs and outputs of model.onnx are not those that {POLICY} declares.")
