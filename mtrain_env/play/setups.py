"""The set-up form: what it offers, and how what it posts becomes the rules and the seats of a game."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mtrain_env.errors import MtrainError
from mtrain_env.play.opponents import Opponents
from mtrain_env.play.words import YOU, count, sentence
from mtrain_env.presets import PLAYERS, VARIATIONS
from mtrain_env.rules import Rules

SPEEDS: Mapping[str, float] = {"slow": 1.6, "normal": 0.7, "fast": 0.2, "at once": 0.0}
"""Seconds that a bot lets pass before it plays."""

ROUNDS = (1, 4, 7, 13)
GIVEN = "given"
"""The id of the rules that the command line gave."""

PRESET_TITLES = {
    "pagat": (
        "Mexican Train with opening chains",
        "The first turn of each is a whole chain of tiles; after a double one more tile, anywhere.",
    ),
    "dominoplay": (
        "Mexican Train for up to 16",
        "Double-9 to double-18 sets; a double asks for one more tile, and never waits.",
    ),
    "core": ("Cover the double", "The opening double is set out; a double must be covered at once, or everybody must."),
    "deluxe": (
        "Deluxe, with special tiles",
        "Seven tiles a hand, and fourteen special ones that block, turn and move the trains.",
    ),
}

SWITCHES: Mapping[str, str] = {
    "dominoplay-own-play": "The marker comes off only by a tile on the own train",
    "dominoplay-set-out": "The opening double is set out, and the previous winner starts",
    "dominoplay-blank-50": "The double blank counts 50",
    "dominoplay-optional-cover": "After a double one more tile may be played; an uncovered double waits",
    "dominoplay-failed-cover": "The same, and a marker from a failed cover comes off at any play",
    "dominoplay-chosen": "The previous winner chooses the opening double",
    "core-chain": "The first turn is a chain",
    "core-blank-50": "The double blank counts 50",
    "core-small-hands": "Ten tiles a hand",
    "deluxe-even": "Even opening doubles only",
    "deluxe-odd": "Odd opening doubles only",
    "deluxe-random": "The first double that turns up opens the round",
    "deluxe-derail-any": "A Derail moves the trains by any distance",
    "deluxe-derail-once": "A Derail that was played leaves the game",
    "house-until-playable": "Draw until a tile fits",
    "house-own-train-first": "Start the own train before playing elsewhere",
    "house-no-mexican-train": "No Mexican train",
    "house-finish-first-lap": "Everybody has a first turn, even if somebody goes out",
    "house-small-hands": "Twelve tiles a hand",
}
"""The written variations and house rules as switches; those about rounds are the form's number of rounds."""

_NAMES = (
    "Ada",
    "Bo",
    "Cleo",
    "Dov",
    "Eve",
    "Finn",
    "Gus",
    "Hana",
    "Ivo",
    "Juna",
    "Kai",
    "Lou",
    "Mina",
    "Nils",
    "Oda",
    "Pia",
)


class SetupError(MtrainError, ValueError):
    """A set-up that cannot be played."""


class Seat(BaseModel):
    """One seat of the form: a person with a name, or an opponent by its id."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    person: Annotated[str, Field(max_length=20)] | None = None
    bot: Annotated[str, Field(max_length=100)] | None = None


class Form(BaseModel):
    """What the form posts."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    rules: Annotated[str, Field(max_length=40)]
    switches: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=12)] = []
    rounds: Annotated[int, Field(ge=1, le=19)] | Literal["all", "given"] = "given"
    seats: Annotated[list[Seat], Field(min_length=2, max_length=16)]
    speed: Literal["slow", "normal", "fast", "at once"] = "normal"
    until: Annotated[str, Field(max_length=5)] | None = None
    seed: Annotated[int, Field(ge=0, lt=1 << 53)] | None = None


@dataclass(frozen=True)
class Setup:
    """A game to be begun."""

    rules: Rules
    names: Sequence[str]
    bots: Mapping[int, str]
    """Opponents' ids by seat."""
    speed: str
    seed: int
    until: datetime | None

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat in range(len(self.names)) if seat not in self.bots]


@dataclass(frozen=True)
class Defaults:
    """What the command line asked for: the form begins with it."""

    rules: Rules | None = None
    rules_name: str = "core"
    players: int | None = None
    rounds: int | str | None = None
    seed: int | None = None
    until: str | None = None
    opponents: Sequence[str] = field(default_factory=list)
    """Opponents' ids, for the seats after the first."""


def offer(opponents: Opponents, defaults: Defaults) -> dict[str, Any]:
    """Return everything that the set-up form shows."""
    presets = [_preset(name) for name in PLAYERS]
    if defaults.rules is not None:
        presets.insert(0, _given(defaults))
    chosen = GIVEN if defaults.rules is not None else defaults.rules_name
    return {
        "presets": presets,
        "rounds": list(ROUNDS),
        "speeds": list(SPEEDS),
        "opponents": opponents.as_json(),
        "names": list(_NAMES),
        "start": {
            "rules": chosen,
            "players": defaults.players,
            "rounds": defaults.rounds,
            "until": defaults.until,
            "opponents": list(defaults.opponents),
        },
    }


def _preset(name: str) -> dict[str, Any]:
    title, about = PRESET_TITLES[name]
    return {
        "id": name,
        "title": title,
        "about": about,
        "sizes": {n: _size(Rules.preset(name, num_players=n)) for n in PLAYERS[name]},
        "players": Rules.preset(name).num_players,
        "switches": [
            {"id": switch, "label": label}
            for switch, label in SWITCHES.items()
            if switch.split("-")[0] in (name, "house") and not _pointless(name, switch)
        ],
    }


def _given(defaults: Defaults) -> dict[str, Any]:
    rules = defaults.rules
    assert rules is not None
    return {
        "id": GIVEN,
        "title": f"As asked for: {defaults.rules_name}",
        "about": "The rules that the command line gave.",
        "sizes": {rules.num_players: _size(rules)},
        "players": rules.num_players,
        "switches": [],
    }


def _size(rules: Rules) -> dict[str, Any]:
    return {
        "text": f"double-{rules.max_pip} set, {rules.hand_size} tiles a hand",
        "all": len(rules.order_numbers),
        "given": rules.rounds_in_game,
    }


def _pointless(preset: str, switch: str) -> bool:
    """Whether a house rule says what the preset does anyway, or cannot go with it."""
    changes = VARIATIONS[switch][1]
    plain = Rules.preset(preset)
    if all(getattr(plain, name) == value for name, value in changes.items()):
        return True
    if switch == "house-small-hands":
        return plain.hand_size <= 12 or preset == "core"
    return False


def read_form(data: object) -> Form:
    """Return the form that was posted; SetupError if it is none."""
    try:
        return Form.model_validate(data)
    except ValidationError as error:
        mistake = error.errors()[0]
        where = ".".join(map(str, mistake["loc"])) or "the form"
        raise SetupError(f"{where}: {mistake['msg']}.") from None


def build(form: Form, opponents: Opponents, defaults: Defaults, now: datetime) -> Setup:
    """Return the game that the form asks for; SetupError or RulesError with a sentence if there is none."""
    rules = rules_of(form, defaults)
    bots = {seat: one.bot for seat, one in enumerate(form.seats) if one.bot is not None}
    for seat, name in bots.items():
        if form.seats[seat].person is not None:
            raise SetupError(f"Seat {seat + 1} is both a person and an opponent.")
        if name not in opponents.by_id:
            raise SetupError(f"{name!r} is none of the opponents here.")
    if len(bots) == len(form.seats):
        raise SetupError("At least one seat must be a person.")
    seed = form.seed if form.seed is not None else defaults.seed
    if seed is None:
        seed = secrets.randbits(48)
    until = parse_until(form.until, now) if form.until else None
    return Setup(rules, _names(form, bots), bots, form.speed, seed, until)


def rules_of(form: Form, defaults: Defaults) -> Rules:
    """Return the rules that the form chooses."""
    changes: dict[str, object] = {}
    for switch in form.switches:
        if switch not in SWITCHES:
            raise SetupError(f"{switch!r} is no variation.")
        for name, value in VARIATIONS[switch][1].items():
            if changes.get(name, value) != value:
                raise SetupError(f"Two of the chosen variations contradict each other (both change {name}).")
            changes[name] = value
    if form.rounds != "given":
        changes["num_rounds"] = form.rounds
    players = len(form.seats)
    if form.rules == GIVEN and defaults.rules is not None:
        return Rules.of(defaults.rules, num_players=players, **changes)
    if form.rules not in PLAYERS:
        raise SetupError(f"{form.rules!r} is none of the rules here.")
    return Rules.preset(form.rules, num_players=players, **changes)


def _names(form: Form, bots: Mapping[int, str]) -> list[str]:
    """Return the names at the table: people's as given, the opponents' from the list, none twice."""
    alone = len(form.seats) - len(bots) == 1
    given = {seat: _clean(one.person or "") for seat, one in enumerate(form.seats) if seat not in bots}
    names: list[str] = []
    free = iter([name for name in _NAMES if name not in given.values()])
    for seat in range(len(form.seats)):
        if seat in bots:
            name = next(free)
        else:
            name = given[seat] or (YOU if alone else f"Player {seat + 1}")
        if name == YOU and not alone:
            name = f"Player {seat + 1}"
        while name in names:
            name += "'"
        names.append(name)
    return names


def _clean(name: str) -> str:
    """Return a name without control characters and needless spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def parse_until(text: str, now: datetime) -> datetime:
    """Return the next time that the clock shows `22:00`; SetupError if the text is no time."""
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text)
    if found is None:
        raise SetupError(f"{text!r} is no time of the day: write it as in 22:00.")
    moment = now.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
    return moment if moment > now else moment + timedelta(days=1)


def title_of(rules: Rules) -> str:
    """Return one line about the rules of a game."""
    title = PRESET_TITLES.get(rules.name, ("Own rules", ""))[0]
    return sentence(f"{title}: {count(rules.num_players, 'player')}, double-{rules.max_pip} set")
