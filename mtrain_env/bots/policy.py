"""policy.json, the description of an exported policy.

`Policy` is what the file holds; its JSON Schema is `mtrain bundle schema`. Fields that it does not name are
ignored, so a later version may add some; a change of meaning is a new major version, which is refused. There are two
architectures, weights as in the safetensors file. `mlp/1` reads one candidate row a legal action, under any rules:

    x = row; for each hidden layer i: x = max(0, hidden.i.weight @ x + hidden.i.bias)
    score = score.weight @ x + score.bias        one number: higher is better
    value = value.weight @ x + value.bias        own pips / 100 at the round's end, mean of the others' pips / 100

`flat-mlp/1` reads the observation of the seat to move and the action mask (1 legal, 0 not), both as float32, under
rules that have the layouts which it was made for:

    x = observation; hidden layers as above
    score = score.weight @ x + score.bias        one number an action id; MASKED where the mask is 0
    value = value.weight @ x + value.bias        one number: (mean of the others' pips - own pips) / 100 at the end

The move is the first legal one whose score is within TIES of the best, in the order of action ids.
"""

import json
import math
import re
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mtrain_env.encoding.actions import ACT_SPEC, ActionLayout
from mtrain_env.encoding.candidates import CAND_SPEC, CAND_WIDTH
from mtrain_env.encoding.observation_layout import OBS_SPEC, ObservationLayout
from mtrain_env.errors import BundleError
from mtrain_env.rules import Rules

FORMAT: Final = "mtrain-policy/1"
MLP: Final = "mlp/1"
FLAT_MLP: Final = "flat-mlp/1"
TIES: Final = 1e-5
MASKED: Final = -1e9
"""Score that a flat network gives to an illegal action."""
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


class ObservationSlice(_Part):
    """A named part of the observation; the parts lie one after the other."""

    name: str
    shape: tuple[int, ...]
    maximum: int
    """Entries are whole numbers up to it, divided by it."""


class ActionBlock(_Part):
    """The ids of one kind of action; the blocks lie one after the other."""

    name: str
    size: int


class Flat(_Part):
    """The observation and the actions that a flat network was made for: it plays under rules that have just these."""

    spec: str
    """Number of the layout, `obs/N`."""
    width: Size
    """Entries of an observation."""
    slices: tuple[ObservationSlice, ...]
    """Its parts that are not empty."""
    num_actions: Size
    blocks: tuple[ActionBlock, ...]

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        entries = sum(math.prod(part.shape) for part in self.slices)
        ids = sum(block.size for block in self.blocks)
        if (entries, ids) != (self.width, self.num_actions):
            raise ValueError("the sizes of its slices or blocks do not add up")
        return self

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """Return the layouts under `rules`."""
        layout, actions = ObservationLayout(rules), ActionLayout(rules)
        return cls(
            spec=OBS_SPEC,
            width=layout.size,
            slices=tuple(
                ObservationSlice(name=part.name, shape=part.shape, maximum=part.maximum)
                for part in layout.slices
                if part.size
            ),
            num_actions=actions.size,
            blocks=tuple(ActionBlock(name=name, size=size) for name, (_, size) in actions.blocks.items()),
        )

    def difference(self, other: "Flat") -> str | None:
        """Return in words the first difference of `other` from these layouts, None if there is none."""
        for mine, its in zip_longest(self.slices, other.slices):
            if mine != its:
                return f"the observation has {_slice_text(its)}, not {_slice_text(mine)}"
        for ours, theirs in zip_longest(self.blocks, other.blocks):
            if ours != theirs:
                return f"the actions have {_block_text(theirs)}, not {_block_text(ours)}"
        return None


def _slice_text(part: ObservationSlice | None) -> str:
    if part is None:
        return "no further part"
    return f"{part.name!r} of {' x '.join(map(str, part.shape))} numbers up to {part.maximum}"


def _block_text(block: ActionBlock | None) -> str:
    return "no further block" if block is None else f"{block.size} of {block.name!r}"


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
    """policy.json. It has `candidates` or `flat`, whichever its architecture reads."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["candidates"]}, {"required": ["flat"]}]})

    format: str
    name: Annotated[str, Field(pattern=f"^{_NAME}$")]
    candidates: Candidates | None = None
    flat: Flat | None = None
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

    @property
    def reads(self) -> Candidates | Flat:
        """What the network reads."""
        return cast("Candidates | Flat", self.candidates or self.flat)

    @property
    def sizes(self) -> str:
        """Widths of the input and of the hidden layers, as `763-256-128`."""
        return "-".join(map(str, (self.reads.width, *self.architecture.hidden)))

    @property
    def rows(self) -> Candidates:
        """The candidate rows that the network reads; BundleError if it is a flat network."""
        if self.candidates is None:
            raise BundleError(f"The policy {self.name!r} is a flat network; here one that scores moves is needed.")
        return self.candidates


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
    _check_layouts(policy)
    if not is_name(policy.name):
        raise BundleError(f"{policy.name!r} is no name for a bundle.")
    return policy


def _check_layouts(policy: Policy) -> None:
    """Refuse another architecture, and layouts of another version."""
    kind, candidates, flat = policy.architecture.id, policy.candidates, policy.flat
    expected: dict[str, tuple[object, tuple[object, ...]]] = {
        "architecture": (kind, (MLP, FLAT_MLP)),
        "action layout": (policy.actions, (ACT_SPEC,)),
    }
    if candidates is not None:
        expected["candidate layout"] = (candidates.spec, (CAND_SPEC,))
        expected["candidate width"] = (candidates.width, (CAND_WIDTH,))
    if flat is not None:
        expected["observation layout"] = (flat.spec, (OBS_SPEC,))
    for what, (given, wanted) in expected.items():
        if given not in wanted:
            raise BundleError(f"Its {what} is {given!r}; this version reads {' and '.join(map(repr, wanted))}.")
    if (candidates is not None, flat is not None) != (kind == MLP, kind == FLAT_MLP):
        raise BundleError(f"{POLICY} must have 'candidates' with {MLP} or 'flat' with {FLAT_MLP}, and not both.")


def tensors(reads: Candidates | Flat) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Return the inputs and outputs of a network that reads these."""
    if isinstance(reads, Candidates):
        return (_tensor("rows", reads.width),), (_tensor("score"), _tensor("value", 2))
    inputs = _tensor("observation", reads.width), _tensor("mask", reads.num_actions)
    return inputs, (_tensor("score", reads.num_actions), _tensor("value"))


def _tensor(name: str, *columns: int) -> Tensor:
    return Tensor(name=name, dtype="float32", shape=("rows", *columns))


def weight_shapes(reads: Candidates | Flat, hidden: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the tensors of the network that reads these, by name."""
    scores, values = (1, 2) if isinstance(reads, Candidates) else (reads.num_actions, 1)
    shapes: dict[str, tuple[int, ...]] = {}
    sizes = (reads.width, *hidden)
    for i, (size, following) in enumerate(zip(sizes, hidden, strict=False)):
        shapes |= {f"hidden.{i}.weight": (following, size), f"hidden.{i}.bias": (following,)}
    shapes |= {"score.weight": (scores, sizes[-1]), "score.bias": (scores,)}
    return shapes | {"value.weight": (values, sizes[-1]), "value.bias": (values,)}
