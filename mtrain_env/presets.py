"""The four presets and the written variations as plain data, and how the fields left open are filled in.

Nothing here checks anything: `mtrain_env.rules.Rules` does. Values follow the table of RULES.md, section 9.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Fields: TypeAlias = Mapping[str, object]
"""Values by field name."""

DEFAULT_PLAYERS: Final = 4
PLAYERS: Final[Mapping[str, range]] = MappingProxyType(
    {"pagat": range(2, 9), "dominoplay": range(2, 17), "core": range(2, 5), "deluxe": range(2, 9)}
)
"""The numbers of players that each preset is for."""

_COMMON: Final[Fields] = MappingProxyType(
    {
        "num_rounds": "all",
        "opening_order": "descending",
        "opening_source": "hunt",
        "first_turn": "single",
        "finish_first_lap": False,
        "mexican_train": "always",
        "own_train_first": False,
        "double_duty": "table",
        "exhausted_double": "lapses",
        "marker_on": "on_pass",
        "failed_cover_marker_off_any": False,
        "double_blank_points": 0,
        "special_tiles": False,
    }
)
_PRESETS: Final[Mapping[str, Fields]] = MappingProxyType(
    {
        "pagat": {
            "first_turn": "chain",
            "draw_limit": "per_owed_tile",
            "double_follow_up": "anywhere",
            "marker_off": "own_play",
        },
        "dominoplay": {
            "draw_limit": "per_owed_tile",
            "double_follow_up": "anywhere",
            "double_duty": "none",
            "marker_off": "any_play",
        },
        "core": {
            "opening_source": "set_out",
            "draw_limit": "per_turn",
            "double_follow_up": "on_double",
            "marker_off": "own_play",
        },
        "deluxe": {
            "opening_order": "ascending",
            "mexican_train": "after_all",
            "draw_limit": "per_turn",
            "double_follow_up": "on_double",
            "marker_on": "not_on_own_double",
            "marker_off": "any_play",
            "special_tiles": True,
        },
    }
)
PRESETS: Final = tuple(_PRESETS)
_OPENING_TURN: Final = {"pagat": "start_train", "dominoplay": "ends_turn", "deluxe": "optional_tile"}
_STARTER: Final = {"dominoplay": "previous_winner"}
_FOLLOWING: Final = (
    "opening_source",
    "max_pip",
    "hand_size",
    "starter",
    "opening_turn",
    "derail",
    "derail_once",
)
"""The fields that follow from others unless they are given."""


VARIATIONS: Final[Mapping[str, tuple[str, Fields]]] = MappingProxyType(
    {
        "dominoplay-own-play": ("dominoplay", {"marker_off": "own_play"}),
        "dominoplay-set-out": ("dominoplay", {"opening_source": "set_out", "starter": "previous_winner"}),
        "dominoplay-blank-50": ("dominoplay", {"double_blank_points": 50}),
        "dominoplay-optional-cover": (
            "dominoplay",
            {"double_follow_up": "anywhere_optional", "double_duty": "unless_followed"},
        ),
        "dominoplay-failed-cover": (
            "dominoplay",
            {
                "double_follow_up": "anywhere_optional",
                "double_duty": "unless_followed",
                "marker_off": "own_play",
                "failed_cover_marker_off_any": True,
            },
        ),
        "dominoplay-chosen": ("dominoplay", {"opening_order": "chosen"}),
        "core-4-rounds": ("core", {"num_rounds": 4}),
        "core-7-rounds": ("core", {"num_rounds": 7}),
        "core-chain": ("core", {"first_turn": "chain"}),
        "core-blank-50": ("core", {"double_blank_points": 50}),
        "core-small-hands": ("core", {"hand_size": 10}),
        "deluxe-even": ("deluxe", {"opening_order": "even"}),
        "deluxe-odd": ("deluxe", {"opening_order": "odd"}),
        "deluxe-random": ("deluxe", {"opening_order": "random"}),
        "deluxe-derail-any": ("deluxe", {"derail": "any"}),
        "deluxe-derail-once": ("deluxe", {"derail_once": True}),
        "house-until-playable": ("core", {"draw_limit": "until_playable"}),
        "house-own-train-first": ("core", {"own_train_first": True}),
        "house-no-mexican-train": ("core", {"mexican_train": "never"}),
        "house-finish-first-lap": ("pagat", {"finish_first_lap": True}),
        "house-small-hands": ("pagat", {"hand_size": 12}),
    }
)
"""Every written variation and house rule of section 9: a preset and what differs from it."""


def hand_size(preset: str, num_players: int) -> int | None:
    """Return a preset's hand size for so many players, whatever the set; None where it gives none (R1)."""
    match preset:
        case "pagat" if 2 <= num_players <= 8:
            return 15 if num_players <= 4 else 12 if num_players <= 6 else 10
        case "dominoplay" if 2 <= num_players <= 16:
            return 14 - num_players if num_players <= 4 else 12 - (num_players - 5) % 4
        case "core":
            return 15
        case "deluxe":
            return 7
        case _:
            return None


def max_pip(preset: str, num_players: int) -> int:
    """Return the set that a preset plays with, by its highest number."""
    if preset != "dominoplay":
        return 12
    return 9 if num_players <= 4 else 12 if num_players <= 8 else 15 if num_players <= 12 else 18


def fill_in(preset: str, overrides: Fields) -> dict[str, object]:
    """Return the fields of a preset with overrides; what is still open follows from what is fixed.

    The set and the hand size follow from the number of players, starter or opening turn from the opening
    source, and the source itself from `opening_order=chosen` (R4). An explicit value always stands.
    """
    values: dict[str, object] = {"name": preset, "num_players": DEFAULT_PLAYERS}
    values |= {**_COMMON, **_PRESETS[preset]}
    if overrides.get("opening_order") == "chosen":
        values["opening_source"] = "set_out"
    values |= overrides
    set_out = values["opening_source"] == "set_out"
    special = values["special_tiles"] is True
    values.setdefault("starter", _STARTER.get(preset, "rotate") if set_out else None)
    values.setdefault("opening_turn", None if set_out else _OPENING_TURN.get(preset, "start_train"))
    values.setdefault("derail", "one" if special else None)
    values.setdefault("derail_once", False if special else None)
    players = values["num_players"]
    if isinstance(players, int):
        values.setdefault("max_pip", max_pip(preset, players))
        hand = hand_size(preset, players)
        if hand is not None:
            values.setdefault("hand_size", hand)
    return values


def differences(preset: str, fields: Fields, order: Iterable[str]) -> dict[str, object]:
    """Return the fewest overrides, in the given order, that make `fields` out of a preset.

    A field that would follow from the others all the same is left out, so that it goes on following them.
    """
    plain = fill_in(preset, {})
    found = {field: fields[field] for field in order if field in _FOLLOWING or fields[field] != plain[field]}
    for field in _FOLLOWING:
        others = {name: value for name, value in found.items() if name != field}
        if fill_in(preset, others)[field] == fields[field]:
            found = others
    return found
