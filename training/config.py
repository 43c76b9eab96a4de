"""The configuration of a training run: every field with its meaning, read from YAML, refused with a sentence."""

import dataclasses
import difflib
import hashlib
import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import yaml

from mtrain_env.encoding.candidates import NODE_CAP
from mtrain_env.errors import ConfigError
from mtrain_env.rules import Rules

Learner = Literal["value", "ppo"]

EVALUATION_SEEDS: Final = 1_000_000
"""Seeds from here on are for evaluation; training seeds lie below, so no deal is ever used for both."""
TUNING_SEED: Final = EVALUATION_SEEDS + 1
"""Deals on which a run watches itself (after the warm start, after self-play) and on which settings are chosen."""
REPORT_SEED: Final = 2 * EVALUATION_SEEDS + 1
"""Deals of the match at the end, used for nothing else."""
MOST_NODES: Final = 1_000_000
"""Largest `node_cap`: policy.json can name none above it."""


def _field(default: Any, meaning: str) -> Any:  # noqa: ANN401 -- as dataclasses.field
    """A field with a default and its meaning."""
    if isinstance(default, Mapping):
        return dataclasses.field(default_factory=lambda: dict(default), metadata={"help": meaning})
    return dataclasses.field(default=default, metadata={"help": meaning})


@dataclass(frozen=True)
class Config:
    """All settings of a run; `python -m training.selfplay --fields` prints them with their meanings."""

    name: str = _field("run", "name of the run; its folder is runs/NAME unless one is given")
    seed: int = _field(1, "all randomness follows from it; 0..999999 (larger seeds are for evaluation)")
    # -- the game
    rules: str = _field("core", "preset that is played, one round an episode")
    house_rules: Mapping[str, Any] = _field({}, "fields of the rules that differ from the preset")
    players: tuple[int, ...] = _field((4,), "player counts, mixed evenly over the rounds")
    ignore: tuple[str, ...] = _field(
        ("round", "rounds_left", "totals"),
        "slices of the candidate row that the network does not see; totals: those of single seats too",
    )
    node_cap: int = _field(NODE_CAP, "nodes after which the search for a longest line stops, in all candidate rows")
    # -- the network
    hidden: tuple[int, ...] = _field((256, 128), "widths of the hidden layers")
    threads: int = _field(1, "torch threads; 1 leaves the second core to the collector")
    overlap: bool = _field(True, "collect the next rounds while learning from the last (one update behind)")
    learner: Learner = dataclasses.field(
        default="value", metadata={"help": "value (regression on the rounds' outcome) or ppo"}
    )
    # -- instead of a warm start, or of self-play
    start: str = _field("", "bundle with whose weights learning begins, without a warm start; hidden must be as there")
    against: str = _field("", "bundle that plays all other seats, one seat learns: how far can it be exploited?")
    # -- warm start from the bot hard
    warm_updates: int = _field(40, "updates on rounds played by hard; 0 = none")
    warm_rounds: int = _field(1024, "rounds of hard for each of them")
    warm_random: float = _field(0.1, "share of uniformly random moves in them, for diversity")
    warm_rate: float = _field(1e-3, "learning rate of the warm start, falling to a tenth of it")
    warm_lambda: float = _field(0.8, "TD(lambda) of the warm start once the forecasts are worth something")
    warm_end_share: float = _field(0.4, "share of the warm start that learns from the rounds' real ends first")
    clone_cost: float = _field(0.1, "weight of the cross-entropy with hard's moves beside the value loss")
    clone_share: float = _field(0.25, "share of hard's decisions that are cloned (all legal rows are needed for it)")
    # -- self-play
    updates: int = _field(60, "updates by self-play")
    rounds: int = _field(512, "rounds played for each update")
    past_share: float = _field(0.15, "share of seats for a past self, one of the pool for each update")
    hard_share: float = _field(0.1, "share of seats for hard")
    pool_size: int = _field(8, "past selves kept; the first one is the network after the warm start")
    pool_every: int = _field(10, "updates between two past selves")
    rivals: tuple[str, ...] = _field((), "bundles that stay among the past selves from the first update to the last")
    batch: int = _field(1024, "rows (value, warm start) or decisions (ppo) in a minibatch")
    rate: float = _field(5e-4, "learning rate at the first update of self-play")
    rate_end: float = _field(5e-5, "learning rate at the last")
    clip_norm: float = _field(1.0, "largest norm of the gradient")
    average: float = _field(0.0, "decay a minibatch of the running mean of the weights; 0 = no mean")
    # -- the value learner
    bfloat16: bool = _field(False, "choose moves in self-play with layers in bfloat16: fast with AMX, slow without")
    passes: int = _field(1, "passes over the rows of an update")
    td_lambda: float = _field(0.9, "1 = the round's real end, less = the network's own later values too")
    explore: float = _field(0.06, "share of random moves at the first update")
    explore_end: float = _field(0.015, "and at the last")
    prior: float = _field(0.0, "weight of the score beside the value in choosing moves, in pips/100")
    # -- lessons from looking ahead, for the value learner's score
    teach_share: float = _field(0.0, "share of decisions that are looked into; 0 = none")
    teach_from: int = _field(0, "update of self-play with the first lessons")
    teach_deals: int = _field(2, "orders of the boneyard for a lesson")
    teach_turns: int = _field(1, "own turns that a lesson looks ahead")
    teach_moves: int = _field(4, "best moves that it compares")
    teach_margin: float = _field(0.06, "and none that is judged worse than the best by more, in pips/100")
    teach_cost: float = _field(0.3, "weight of the lessons' loss beside the value's")
    teach_spread: float = _field(
        0.02,
        "difference in pips/100 that makes a move e times as likely in a lesson; what is far behind teaches little",
    )
    # -- ppo
    epochs: int = _field(3, "passes over the decisions of an update")
    gae_lambda: float = _field(0.95, "lambda of the advantages, over a seat's own decisions")
    clip: float = _field(0.2, "largest change of a probability's ratio that is rewarded")
    value_cost: float = _field(0.5, "weight of the value loss")
    entropy_cost: float = _field(0.003, "weight of the entropy bonus")
    target_kl: float = _field(0.03, "an update stops when the policy has moved this far; 0 = never")
    critic: bool = _field(False, "while learning, states are judged by a second network that sees all hands")
    # -- watching
    watch_deals: int = _field(200, "deals of the matches against hard after the warm start, on the way and at the end")
    watch_every: int = _field(0, "updates of self-play between matches on the way; 0 = none")
    match_deals: int = _field(200, "deals of the final matches against easy, medium and hard")
    checkpoint_seconds: float = _field(20.0, "seconds between checkpoints; 0 = after every update")
    max_seconds: float = _field(0.0, "stop learning after so many seconds, all starts together; 0 = no limit")

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        for field in dataclasses.fields(self):
            value = _typed(field.name, field.type, getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        _check(self)

    def all_rules(self) -> list[Rules]:
        """Return the rules of each player count."""
        return [Rules.preset(self.rules, **{**self.house_rules, "num_players": n}) for n in self.players]

    def teaches(self, update: int) -> bool:
        """Whether the rounds of an update of self-play give lessons."""
        return self.teach_share > 0 and update >= self.teach_from

    def as_dict(self) -> dict[str, Any]:
        """Return every setting as a plain JSON value."""
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in dataclasses.asdict(self).items()
        }

    @property
    def digest(self) -> str:
        """A hash of all settings: a run goes on only with the same ones."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()[:16]


_AT_LEAST: Final = {
    "warm_updates": 0,
    "updates": 0,
    "teach_from": 0,
    "watch_every": 0,
    "watch_deals": 2,
    "match_deals": 2,
}
_SHARES: Final = (
    "warm_random",
    "clone_share",
    "past_share",
    "hard_share",
    "explore",
    "explore_end",
    "teach_share",
    "td_lambda",
    "warm_lambda",
    "warm_end_share",
    "gae_lambda",
)


def _check(config: Config) -> None:
    """Refuse values out of range, and player counts that the rules cannot have."""
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{field.name} must be a finite number, got {value}.")
        if isinstance(value, int | float) and value < 0:
            raise ConfigError(f"{field.name} must not be below 0, got {value}.")
        if isinstance(value, int) and not isinstance(value, bool) and field.name != "seed":
            least = _AT_LEAST.get(field.name, 1)
            if value < least:
                raise ConfigError(f"{field.name} must be at least {least}, got {value}.")
    for name in _SHARES:
        if getattr(config, name) > 1:
            raise ConfigError(f"{name} is a share and must be within 0..1, got {getattr(config, name)}.")
    if config.past_share + config.hard_share >= 1:
        raise ConfigError("past_share and hard_share together must leave seats to the learner: below 1.")
    if not 0 <= config.average < 1:
        raise ConfigError(f"average is a decay and must be within 0..1 without 1, got {config.average}.")
    if config.seed >= EVALUATION_SEEDS:
        raise ConfigError(f"seed must be below {EVALUATION_SEEDS}: larger ones are for evaluation.")
    if not config.players or not config.hidden or min(config.hidden) < 1:
        raise ConfigError("players and hidden need at least one number each, and no layer of width 0.")
    if config.node_cap > MOST_NODES:
        raise ConfigError(f"node_cap must be at most {MOST_NODES}, as in a bundle, got {config.node_cap}.")
    if config.start and config.warm_updates:
        raise ConfigError("With start there is no warm start: set warm_updates to 0.")
    if config.bfloat16 and config.learner == "ppo":
        raise ConfigError("bfloat16 is for the value learner: ppo needs the exact probabilities of its moves.")
    if config.critic and config.learner != "ppo":
        raise ConfigError(f"critic is for the learner ppo, which judges states; got the learner {config.learner}.")
    if config.teach_share > 0 and (config.learner == "ppo" or config.prior == 0 or config.teach_spread == 0):
        raise ConfigError("teach_share needs the value learner, and prior and teach_spread above 0.")
    config.all_rules()


def _typed(name: str, kind: Any, value: Any) -> Any:  # noqa: ANN401 -- values from YAML
    """Return the value as its field's type, or refuse it."""
    if get_origin(kind) is Literal:
        if value in get_args(kind):
            return value
        raise ConfigError(f"{name} must be one of {', '.join(get_args(kind))}, got {value!r}.")
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        values = value if isinstance(value, list | tuple) else [value]
        return tuple(_typed(name, item, one) for one in values)
    if get_origin(kind) is not None:
        if isinstance(value, Mapping):
            return dict(value)
        raise ConfigError(f"{name} must be fields with values, got {value!r}.")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is float and isinstance(value, str):  # YAML 1.1 reads 1e-3 as text
        try:
            return float(value)
        except ValueError:
            pass
    if type(value) is not kind:
        raise ConfigError(f"{name} must be {_WORDS[kind]}, got {value!r}.")
    return value


_WORDS: Final[Mapping[type, str]] = types.MappingProxyType(
    {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
)


def from_fields(fields: Mapping[str, Any]) -> Config:
    """Return the configuration with these settings, the others by default; unknown names are refused."""
    known = [field.name for field in dataclasses.fields(Config)]
    for key in fields:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
            raise ConfigError(f"{key!r} is no setting of training; {hint}")
    return Config(**fields)


def load_config(path: str | Path, settings: Sequence[str] = ()) -> Config:
    """Return the configuration in a YAML file, changed by `settings` such as `rate=1e-4`."""
    path = Path(path)
    try:
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"The configuration {path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"The configuration {path} is no YAML: {' '.join(str(error).split())}.") from None
    fields = {} if fields is None else fields
    if not isinstance(fields, Mapping):
        raise ConfigError(f"The configuration {path} must be settings with values, not {type(fields).__name__}.")
    changed = dict(fields) | {"name": fields.get("name", path.stem)}
    for text in settings:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise ConfigError(f"{text!r} is no setting: write key=value, as in rate=1e-4.")
        try:
            changed[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ConfigError(f"The value in {text!r} is no YAML.") from None
    return from_fields(changed)


def describe() -> str:
    """Return all settings with defaults and meanings, one a line."""
    return "\n".join(
        f"{field.name:20} {getattr(Config(), field.name)!s:20} {field.metadata['help']}"
        for field in dataclasses.fields(Config)
    )
