"""policy.json, the description of an exported policy.

`Policy` is what the file holds; its JSON Schema is `Policy.model_json_schema()`. Fields that it does not name are
ignored, so a later version may add some; a change of meaning is a new major version, which is refused. The
architecture `mlp/1` is a chain of layers over a candidate row, weights as in the safetensors file:

    x = row; for each hidden layer i: x = max(0, hidden.i.weight @ x + hidden.i.bias)
    score = score.weight @ x + score.bias        higher is better
    value = value.weight @ x + value.bias        own pips / 100 at the round's end, mean of the others' pips / 100

The move is the first whose score is within TIES of the best, in the order of action ids.
"""

import json
import re
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mtrain_env.encoding.actions import ACT_SPEC
from mtrain_env.encoding.candidates import CAND_SPEC, CAND_WIDTH
from mtrain_env.errors import BundleError

FORMAT: Final = "mtrain-policy/1"
ARCHITECTURE: Final = "mlp/1"
TIES: Final = 1e-5
POLICY: Final = "policy.json"

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


def is_name(text: str) -> bool:
    """Whether a bundle may have this name."""
    return re.fullmatch(_NAME, text) is not None and ".." not in text


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
