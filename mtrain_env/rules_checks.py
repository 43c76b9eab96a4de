"""What rules may not say: every "needs", "only with" and "goes with" of RULES.md, each with its sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mtrain_env.presets import PLAYERS
from mtrain_env.tiles import COPIES_PER_KIND

if TYPE_CHECKING:
    from mtrain_env.rules import Rules

_NEEDS: Final = (
    ("D1", "special_tiles", True, "double_follow_up", "on_double"),
    ("D1", "special_tiles", True, "double_duty", "table"),
    ("R2", "opening_order", "random", "opening_source", "hunt"),
    ("R2", "opening_order", "chosen", "opening_source", "set_out"),
    ("R16", "double_follow_up", "on_double", "double_duty", "table"),
    ("R20", "marker_on", "not_on_own_double", "double_follow_up", "on_double"),
    ("R21", "failed_cover_marker_off_any", True, "marker_off", "own_play"),
    ("R12", "first_turn", "chain", "special_tiles", False),
)
"""(rule, field, value, other field, the value that it needs there)."""

_APPLIES: Final = (
    ("R5", "starter", "opening_source", "set_out"),
    ("R6", "opening_turn", "opening_source", "hunt"),
    ("D10", "derail", "special_tiles", True),
    ("D10", "derail_once", "special_tiles", True),
)
"""(rule, field that is None unless, other field, has this value)."""


def contradiction(rules: Rules) -> str | None:
    """Return the sentence for the first thing that these rules cannot mean, or None."""
    return (
        players_out_of_range(rules.name, rules.num_players)
        or _unmet_need(rules)
        or _field_out_of_place(rules)
        or _too_many_rounds(rules)
        or _impossible_deal(rules)
    )


def players_out_of_range(preset: object, num_players: object) -> str | None:
    """Return the sentence for a number of players that the named preset is not for (section 9)."""
    if not isinstance(preset, str) or preset not in PLAYERS or type(num_players) is not int:
        return None
    allowed = PLAYERS[preset]
    if num_players in allowed:
        return None
    span = f"{allowed.start} to {allowed.stop - 1}"
    lift = "; name='custom' lifts that" if 2 <= num_players <= 16 else ""
    return f"num_players={num_players} is not for the preset '{preset}', which takes {span} players{lift}."


def _unmet_need(rules: Rules) -> str | None:
    for rule, field, value, other, needed in _NEEDS:
        got = getattr(rules, other)
        if getattr(rules, field) == value and got != needed:
            return f"{field}={value!r} needs {other}={needed!r}, got {got!r} ({rule})."
    if rules.first_turn == "chain" and rules.opening_turn not in (None, "start_train"):
        return (
            "first_turn='chain' with opening_source='hunt' needs opening_turn='start_train', "
            f"got {rules.opening_turn!r} (R12)."
        )
    return None


def _field_out_of_place(rules: Rules) -> str | None:
    for rule, field, other, value in _APPLIES:
        given, got = getattr(rules, field), getattr(rules, other)
        if got == value and given is None:
            return f"{other}={value!r} needs a value for {field}, got None ({rule})."
        if got != value and given is not None:
            return f"{field}={given!r} goes only with {other}={value!r}, got {got!r} ({rule})."
    return None


def _too_many_rounds(rules: Rules) -> str | None:
    doubles = len(rules.order_numbers)
    if rules.rounds_in_game <= doubles:
        return None
    return (
        f"num_rounds={rules.num_rounds} is more than the {doubles} opening doubles that "
        f"opening_order={rules.opening_order!r} has with max_pip={rules.max_pip} (R3)."
    )


def _impossible_deal(rules: Rules) -> str | None:
    wanted = rules.num_players * rules.hand_size
    deal = f"num_players={rules.num_players} times hand_size={rules.hand_size}"
    if rules.opening_source == "set_out":
        wanted += 1
        deal += " and one set out (opening_source='set_out')"
    there = rules.num_tiles
    tiles = f"the double-{rules.max_pip} set (max_pip={rules.max_pip}) has {there}"
    if rules.special_tiles:
        there += rules.num_special_tiles
        tiles += f" + {rules.num_special_tiles} special ones (special_tiles=True)"
    if rules.derail_once:
        there -= COPIES_PER_KIND
        tiles += f" - {COPIES_PER_KIND} that can leave the game (derail_once=True)"
    if wanted <= there:
        return None
    total = f" = {there}" if rules.special_tiles else ""
    return f"{deal} need {wanted} tiles, but {tiles}{total} (R1)."
