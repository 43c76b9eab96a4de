"""`Rules`: one frozen object that says which Mexican Train is played (RULES.md, section 9).

Every field holds a plain value; None stands where a field does not apply. The engine takes the index of a
value in its tuple (`OPENING_ORDERS`, ...) as the value's integer code, so the order of these tuples is fixed.
A combination that contradicts itself is refused with a sentence that names the fields.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self, get_args

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mtrain_env.errors import RulesError
from mtrain_env.presets import PRESETS, VARIATIONS, Fields, differences, fill_in
from mtrain_env.rules_checks import contradiction, players_out_of_range
from mtrain_env.tiles import NUM_SPECIAL_TILES, tile_count

__all__ = [
    "CHOICES",
    "CUSTOM",
    "DERAILS",
    "DRAW_LIMITS",
    "DUTIES",
    "EXHAUSTED",
    "FIRST_TURNS",
    "FOLLOW_UPS",
    "MARKER_OFF",
    "MARKER_ON",
    "MAX_PIPS",
    "MEXICAN_TRAINS",
    "OPENING_ORDERS",
    "OPENING_SOURCES",
    "OPENING_TURNS",
    "PRESETS",
    "STARTERS",
    "VARIATIONS",
    "Rules",
    "RulesError",
    "field_names",
    "load_rules",
    "parse_setting",
]

OpeningOrder = Literal["descending", "ascending", "even", "odd", "random", "chosen"]
OpeningSource = Literal["set_out", "hunt"]
Starter = Literal["rotate", "previous_winner"]
OpeningTurn = Literal["start_train", "optional_tile", "ends_turn"]
FirstTurn = Literal["single", "chain"]
MexicanTrain = Literal["always", "after_own", "after_all", "never"]
DrawLimit = Literal["per_owed_tile", "per_turn", "until_playable"]
FollowUp = Literal["anywhere", "anywhere_optional", "on_double", "none"]
Duty = Literal["table", "none", "unless_followed"]
Exhausted = Literal["lapses", "waits"]
MarkerOn = Literal["on_pass", "not_on_own_double"]
MarkerOff = Literal["own_play", "any_play"]
Derail = Literal["one", "any"]
MaxPip = Literal[3, 6, 9, 12, 15, 18]

OPENING_ORDERS: Final[tuple[str, ...]] = get_args(OpeningOrder)
OPENING_SOURCES: Final[tuple[str, ...]] = get_args(OpeningSource)
STARTERS: Final[tuple[str, ...]] = get_args(Starter)
OPENING_TURNS: Final[tuple[str, ...]] = get_args(OpeningTurn)
FIRST_TURNS: Final[tuple[str, ...]] = get_args(FirstTurn)
MEXICAN_TRAINS: Final[tuple[str, ...]] = get_args(MexicanTrain)
DRAW_LIMITS: Final[tuple[str, ...]] = get_args(DrawLimit)
FOLLOW_UPS: Final[tuple[str, ...]] = get_args(FollowUp)
DUTIES: Final[tuple[str, ...]] = get_args(Duty)
EXHAUSTED: Final[tuple[str, ...]] = get_args(Exhausted)
MARKER_ON: Final[tuple[str, ...]] = get_args(MarkerOn)
MARKER_OFF: Final[tuple[str, ...]] = get_args(MarkerOff)
DERAILS: Final[tuple[str, ...]] = get_args(Derail)
MAX_PIPS: Final[tuple[int, ...]] = get_args(MaxPip)

CHOICES: Final[Mapping[str, tuple[object, ...]]] = MappingProxyType(
    {
        "max_pip": MAX_PIPS,
        "opening_order": OPENING_ORDERS,
        "opening_source": OPENING_SOURCES,
        "starter": STARTERS,
        "opening_turn": OPENING_TURNS,
        "first_turn": FIRST_TURNS,
        "finish_first_lap": (False, True),
        "mexican_train": MEXICAN_TRAINS,
        "own_train_first": (False, True),
        "draw_limit": DRAW_LIMITS,
        "double_follow_up": FOLLOW_UPS,
        "double_duty": DUTIES,
        "exhausted_double": EXHAUSTED,
        "marker_on": MARKER_ON,
        "marker_off": MARKER_OFF,
        "failed_cover_marker_off_any": (False, True),
        "special_tiles": (False, True),
        "derail": DERAILS,
        "derail_once": (False, True),
    }
)
"""The values of every field that has a closed list of them; a value's index is its code in the engine."""

_NUMBERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "num_players": "a whole number from 2 to 16",
        "hand_size": "a whole number of at least 2",
        "num_rounds": "'all' or a whole number of at least 1",
        "double_blank_points": "a whole number from 0 to 10000",
    }
)
"""What a field without a closed list may be, in words."""

CUSTOM: Final = "custom"
"""The name of rules that claim to be no preset; only these may leave a preset's number of players."""


class Rules(BaseModel):
    """The rules of a game. Build them by `Rules.preset("core", num_players=3)` or `Rules.of(...)`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Literal["pagat", "dominoplay", "core", "deluxe", "custom"] = "custom"
    """The preset that these rules come from, or `custom`."""
    num_players: Annotated[int, Field(ge=2, le=16)]
    """Seats at the table."""
    max_pip: MaxPip
    """The highest number on a tile: 12 for the double-12 set (3 is for tests)."""
    hand_size: Annotated[int, Field(ge=2)]
    """Tiles dealt to each seat (R1)."""
    num_rounds: Annotated[int, Field(ge=1)] | Literal["all"]
    """Rounds in a game, or `all` that the order has (R3)."""
    opening_order: OpeningOrder
    """Which doubles open the rounds, in which order (R2)."""
    opening_source: OpeningSource
    """Whether the opening double is set out before the deal or hunted for after it (R4)."""
    starter: Starter | None = None
    """Who starts a round whose opening double is set out (R5); None with `hunt`."""
    opening_turn: OpeningTurn | None = None
    """What the layer of a hunted opening double does in that turn (R6); None with `set_out`."""
    first_turn: FirstTurn
    """Whether each seat's first turn is a chain on the own train (R12)."""
    finish_first_lap: bool
    """Whether seats without a turn still take their first one after somebody went out (R13)."""
    mexican_train: MexicanTrain
    """When a seat may play on the Mexican train (R8)."""
    own_train_first: bool
    """Whether a seat must start its own train before it plays elsewhere (R8)."""
    draw_limit: DrawLimit
    """How often a seat that cannot play draws in one turn (R10)."""
    double_follow_up: FollowUp
    """What a seat owes after it laid a double (R14)."""
    double_duty: Duty
    """Which uncovered doubles everybody must satisfy (R16)."""
    exhausted_double: Exhausted
    """Whether a double lapses once all other tiles with its number are on the table (R19)."""
    marker_on: MarkerOn
    """Which passes raise the marker (R20)."""
    marker_off: MarkerOff
    """Which plays take the marker off (R21)."""
    failed_cover_marker_off_any: bool
    """Whether a marker raised before a double that had to be covered comes off at any play (R21)."""
    double_blank_points: Annotated[int, Field(ge=0, le=10_000)]
    """Points for a 0-0 left in hand (R23)."""
    special_tiles: bool
    """Whether the fourteen special tiles are in the set (section 6)."""
    derail: Derail | None = None
    """How far a Derail may shift the trains (D10); None without special tiles."""
    derail_once: bool | None = None
    """Whether a Derail that was played leaves the set for the game (D10); None without special tiles."""

    def __init__(self, **values: object) -> None:
        try:
            super().__init__(**_plain(values))
        except ValidationError as error:
            raise RulesError(_sentence(error)) from None

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        sentence = contradiction(self)
        if sentence is not None:
            raise RulesError(sentence)
        return self

    @classmethod
    def preset(cls, preset: str, /, **overrides: object) -> Rules:
        """Return a preset, or a written variation of one, with some fields changed.

        Fields left open follow from the others: the set and the hand size from the number of players, starter
        or opening turn from the opening source. The preset's range of players holds unless `name="custom"`.
        """
        preset, varied = _named(str(preset))
        changed = _plain({"name": preset, **varied, **overrides})
        if changed["name"] not in (preset, CUSTOM):
            allowed = f"{preset!r} or {CUSTOM!r}"
            raise RulesError(f"name must be {allowed} with preset={preset!r}, got {changed['name']!r}.")
        sentence = players_out_of_range(changed["name"], changed.get("num_players"))
        if sentence is not None:
            raise RulesError(sentence)
        return cls(**fill_in(preset, changed))

    @classmethod
    def of(cls, rules: Rules | str | Fields, /, **overrides: object) -> Rules:
        """Return rules given as an object, by name, or as fields with the `preset` that they change."""
        if isinstance(rules, Rules):
            return rules.replace(**overrides) if overrides else rules
        if isinstance(rules, str):
            return cls.preset(rules, **overrides)
        if not isinstance(rules, Mapping):
            raise RulesError(f"Rules are a Rules object, a name or a dictionary, got {type(rules).__name__}.")
        fields = {str(field): value for field, value in rules.items()} | overrides
        preset = fields.pop("preset", None) or fields.pop("name", CUSTOM)
        if preset == CUSTOM:
            return cls(**fields)
        return cls.preset(str(preset), **fields)

    def replace(self, **overrides: object) -> Rules:
        """Return these rules with some fields changed; fields that followed from others go on following."""
        if self.name == CUSTOM:
            return Rules(**{**self.as_dict(), **overrides})
        return Rules.preset(self.name, **{**self.differences(), **overrides})

    def differences(self) -> dict[str, object]:
        """Return the fewest overrides of the preset that make these rules."""
        return differences(self.name, self.as_dict(), field_names())

    def as_dict(self) -> dict[str, object]:
        """Return every field as a plain JSON value, null where it does not apply; `Rules.of` reads it."""
        return self.model_dump()

    @property
    def order_numbers(self) -> list[int]:
        """The opening doubles that the order has, in its order; ascending for `random` and `chosen` (R2)."""
        numbers = range(self.max_pip + 1)
        match self.opening_order:
            case "descending":
                return list(reversed(numbers))
            case "even":
                return list(numbers[::2])
            case "odd":
                return list(numbers[1::2])
            case _:
                return list(numbers)

    @property
    def rounds_in_game(self) -> int:
        """Rounds in a whole game (R3)."""
        return len(self.order_numbers) if self.num_rounds == "all" else self.num_rounds

    @property
    def num_tiles(self) -> int:
        """Numbered tiles in the set."""
        return tile_count(self.max_pip)

    @property
    def num_special_tiles(self) -> int:
        """Special tiles in the set, 0 or 14."""
        return NUM_SPECIAL_TILES if self.special_tiles else 0


def field_names() -> tuple[str, ...]:
    """Return the names of the rules' fields in the order of section 9, without `name`."""
    return tuple(field for field in Rules.model_fields if field != "name")


def parse_setting(text: str) -> tuple[str, object]:
    """Return field and value of a setting such as `draw_limit=until_playable` or `num_players=3`."""
    field, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not field or not value:
        raise RulesError(f"{text!r} is no setting: write field=value, as in draw_limit=until_playable.")
    if field not in Rules.model_fields:
        raise RulesError(_unknown("field of the rules", field, Rules.model_fields))
    try:
        return field, yaml.safe_load(value)
    except yaml.YAMLError:
        return field, value


def load_rules(name_or_file: str | Path, overrides: Fields = MappingProxyType({})) -> Rules:
    """Return the rules with that name, or those in a YAML or JSON file, with some fields changed."""
    path = Path(name_or_file)
    if str(name_or_file) in PRESETS or str(name_or_file) in VARIATIONS:
        return Rules.preset(str(name_or_file), **overrides)
    if path.suffix not in (".yaml", ".yml", ".json") and not path.is_file():
        raise RulesError(_unknown("name of rules and no file", str(name_or_file), [*PRESETS, *VARIATIONS]))
    try:
        text = path.read_text(encoding="utf-8")
        fields = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except OSError as error:
        raise RulesError(f"The rules in {path} cannot be read: {error.strerror}.") from None
    except (ValueError, yaml.YAMLError) as error:
        raise RulesError(f"The rules in {path} cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(fields, Mapping):
        raise RulesError(f"The rules in {path} must be fields with values, got {type(fields).__name__}.")
    return Rules.of(fields, **overrides)


def _plain(values: Fields) -> dict[str, object]:
    """Return the values with numbers of numpy turned into Python's."""
    return {field: v.item() if isinstance(v, np.generic) else v for field, v in values.items()}


def _named(name: str) -> tuple[str, Fields]:
    if name in PRESETS:
        return name, {}
    if name in VARIATIONS:
        return VARIATIONS[name]
    raise RulesError(_unknown("name of rules", name, [*PRESETS, *VARIATIONS]))


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    """Return the sentence for a name that nothing has, with the nearest that something has."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
    return f"{word!r} is no {what}; {hint}"


def _sentence(error: ValidationError) -> str:
    """Return one sentence for the first mistake that pydantic found; an unknown field comes first."""
    mistakes = sorted(error.errors(), key=lambda mistake: mistake["type"] != "extra_forbidden")
    mistake = mistakes[0]
    if mistake["type"] == "value_error":
        return str(mistake["ctx"]["error"])
    field = str(mistake["loc"][0])
    if mistake["type"] == "extra_forbidden":
        return _unknown("field of the rules", field, field_names())
    if mistake["type"] == "missing":
        return f"{field} is missing: give every field, or start from a preset ({', '.join(PRESETS)})."
    return f"{field} must be {_may_be(field)}, got {mistake['input']!r}."


def _may_be(field: str) -> str:
    choices = CHOICES.get(field, ())
    if True in choices:
        return "true or false"
    return f"one of {', '.join(map(repr, choices))}" if choices else _NUMBERS[field]
