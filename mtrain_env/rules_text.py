"""`describe`: a page in plain English on how to play given rules, made from their fields."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mtrain_env.rules import Rules

_SENTENCES: Final[Mapping[str, Mapping[object, str]]] = MappingProxyType(
    {
        "starter": {
            "rotate": "A random seat starts the first round, and from then on the seat clockwise after the "
            "previous starter (R5).",
            "previous_winner": "A random seat starts the first round, and from then on the winner of the "
            "previous one; after a blocked round it is the seat clockwise after the previous starter (R5).",
        },
        "opening_turn": {
            "start_train": "Whoever laid the opening double then takes a normal first turn (R6).",
            "optional_tile": "Whoever laid the opening double may at once lay one numbered tile that matches "
            "it on the own train, or stop; with nothing to lay there is no draw and no marker (R6).",
            "ends_turn": "Laying the opening double was the turn: the next seat plays (R6).",
        },
        "first_turn": {
            "single": "A seat's first turn is like any other (R12).",
            "chain": "Each seat's first turn of the round is a chain on its own train: as many tiles as it "
            "likes, at least one if possible, and doubles in it owe nothing. A seat that cannot start "
            "draws; if the drawn tile fits, it is played and the turn ends there (R12).",
        },
        "mexican_train": {
            "always": "The Mexican train is open to everybody from the start (R8).",
            "after_own": "The Mexican train is open to a seat once its own train is started (R8).",
            "after_all": "The Mexican train opens once every player's train is started (R8).",
            "never": "There is no Mexican train (R8).",
        },
        "own_train_first": {
            True: "A seat must start its own train before it plays anywhere else, other than on a double "
            "that must be satisfied (R8).",
            False: "A seat need not have started its own train to play elsewhere (R8).",
        },
        "draw_limit": {
            "per_owed_tile": "A seat that can play nothing draws one tile and plays it if it fits; it may "
            "draw once for the turn's tile and once more for each tile owed after a double (R10).",
            "per_turn": "A seat that can play nothing draws one tile and plays it if it fits; there is one "
            "draw in the whole turn, tiles owed after a double included (R10).",
            "until_playable": "A seat that can play nothing draws until a tile fits or the boneyard is empty (R10).",
        },
        "double_follow_up": {
            "anywhere": "Whoever lays a double owes one more tile, on any train where the seat may play; "
            "another double owes another tile in turn (R14).",
            "anywhere_optional": "Whoever lays a double may lay one more tile, on any train where the seat "
            "may play, or stop (R14).",
            "on_double": "Whoever lays a double must cover it at once with another tile (R14).",
            "none": "A double owes no further tile (R14).",
        },
        "double_duty": {
            "table": "A double still uncovered at the end of the turn must be satisfied: until then the only "
            "play for anyone is a tile on that double, wherever it lies. Several are satisfied in the order "
            "in which they were laid (R16, R17).",
            "none": "A double left uncovered is an ordinary end of its train (R16).",
            "unless_followed": "If the last tile laid in a turn is a double, all doubles of that turn still "
            "uncovered must be satisfied before anything else is played; if another tile followed, none "
            "must (R16).",
        },
        "exhausted_double": {
            "lapses": "A double whose number is used up, every other tile with it lying on the table, never "
            "waits (R19).",
            "waits": "A double waits even when every other tile with its number lies on the table (R19).",
        },
        "marker_on": {
            "on_pass": "A seat that still cannot play passes: its marker goes on, and its train is open to "
            "everybody (R11, R20).",
            "not_on_own_double": "A seat that still cannot play passes: its marker goes on, and its train is "
            "open to everybody. It stays off when the seat fails to cover a double that it laid in this "
            "very turn; if the double is still open when play returns to the seat, a pass then raises it "
            "(R11, R20).",
        },
        "marker_off": {
            "own_play": "The marker comes off when its owner plays on the own train (R21).",
            "any_play": "The marker comes off when its owner plays any tile anywhere (R21).",
        },
        "failed_cover_marker_off_any": {
            True: "A marker raised before a double that had to be satisfied comes off at any play (R21).",
            False: "",
        },
        "finish_first_lap": {
            True: "A seat that lays its last tile wins the round. If that happens in the first lap, the "
            "seats that had no turn yet still take their first one (R13).",
            False: "The round ends the moment a seat lays its last tile, a double included (R13).",
        },
        "derail": {
            "one": "next to it, on either side",
            "any": "any number of seats away, the same for everybody",
        },
        "derail_once": {
            True: " A Derail that was played leaves the set for the rest of the game.",
            False: "",
        },
    }
)
"""What each value of a field means, in full sentences."""

_SPECIAL_TILES: Final = """\
- **Draw**, on an opponent's train: it is blocked until its owner's next turn, who draws a tile then (D4).
- **Skip**, on an opponent's train: it is blocked until its owner's next turn, which is lost (D5).
- **Reverse**: the direction of play flips (D6).
- **Trade**: give an opponent a tile of your choice and take one of theirs unseen (D7).
- **Twist**, on any train of two tiles or more: its last tile is turned round (D8).
- **Wild**: a double of every number, and it must be covered like a double (D9)."""


def describe(rules: Rules) -> str:
    """Return a Markdown page on how to play these rules, with the ids of RULES.md."""
    sections = [
        _heading(rules),
        _section("Setting up", _setting_up(rules)),
        _section("A turn", _turn(rules)),
        _section("Doubles", _doubles(rules)),
        _section("Markers", _says(rules, "marker_on", "marker_off", "failed_cover_marker_off_any")),
        _section("The end of a round and of the game", _end(rules)),
    ]
    if rules.special_tiles:
        sections.append(_section("Special tiles", _special(rules)))
    return "\n\n".join(sections) + "\n"


def _section(title: str, text: str) -> str:
    return f"## {title}\n{text}"


def _says(rules: Rules, *fields: str) -> str:
    """Return the sentences for the values of some fields, leaving out what does not apply."""
    found = (_SENTENCES[field].get(getattr(rules, field), "") for field in fields)
    return " ".join(sentence for sentence in found if sentence)


def _heading(rules: Rules) -> str:
    title = f"# Mexican Train: the rules `{rules.name}`"
    changed = {} if rules.name == "custom" else rules.differences()
    if changed:
        title += ", with " + ", ".join(f"`{field}={value}`" for field, value in changed.items())
    special = " and fourteen special tiles" if rules.special_tiles else ""
    tiles = f"a double-{rules.max_pip} set of {rules.num_tiles} tiles{special}"
    rounds = _count(rules.rounds_in_game, "round")
    return (
        f"{title}\n\n{rules.num_players} players, {tiles}, {rules.hand_size} tiles a hand, {rounds}. "
        "The lowest total wins. The ids in brackets are the clauses of RULES.md, which decides wherever this "
        "page is short."
    )


def _setting_up(rules: Rules) -> str:
    numbers = ", ".join(map(str, rules.order_numbers[: rules.rounds_in_game]))
    order = {
        "random": "The opening double of a round is the first double, not used yet, that turns up in the "
        "deal or in the hunt (R2).",
        "chosen": "Before each deal the winner of the previous round chooses an opening double that was not "
        "used yet; in the first round, and after a blocked one, the seat that the rotation would let start "
        "chooses. In the first round that seat also starts (R2).",
    }.get(rules.opening_order, f"The opening doubles of the rounds are {numbers}, in this order (R2).")
    if rules.opening_source == "set_out":
        source = "The opening double is laid in the middle before the deal (R4)."
    else:
        source = (
            "The opening double is shuffled in with the other tiles, and whoever is dealt it lays it in the "
            "middle. If nobody holds it, the seats draw one tile each in turn, and keep it, until somebody "
            "finds it (R4)."
        )
    deal = f"Each seat is dealt {rules.hand_size} tiles (R1); the rest is the boneyard, face down."
    return f"{order} {source} {_says(rules, 'starter', 'opening_turn')}\n\n{deal}"


def _turn(rules: Rules) -> str:
    trains = "on the own train, or on the train of a player whose marker is on"
    if rules.mexican_train != "never":
        trains = "on the own train, on the Mexican train, or on the train of a player whose marker is on"
    where = f"A seat plays one tile {trains}; it must match the train's end (R7)."
    must = "A seat that can play must (R9)."
    rest = _says(rules, "mexican_train", "own_train_first", "first_turn", "draw_limit")
    return f"{where} {must} {rest}"


def _doubles(rules: Rules) -> str:
    text = _says(rules, "double_follow_up", "double_duty")
    if rules.double_duty == "none":
        return text
    if rules.first_turn == "chain":
        text += " A double left at the end of a chain sleeps until every seat has had its first turn (R17)."
    text += f" {_says(rules, 'exhausted_double')}"
    if rules.double_follow_up == "on_double" and rules.exhausted_double == "lapses":
        text += " It need not be covered either, and the turn is over (R15)."
    return text


def _end(rules: Rules) -> str:
    blank = ""
    if rules.double_blank_points:
        blank = f" A 0-0 left in hand counts {rules.double_blank_points}."
    rounds = _count(rules.rounds_in_game, "round")
    return (
        f"{_says(rules, 'finish_first_lap')} A round is blocked, and nobody wins it, once the boneyard is "
        "empty and every seat in a row has passed with its marker already on (R22).\n\n"
        f"Everybody adds the pips left in hand to the own total, the seat that went out nothing.{blank} "
        f"After {rounds} the lowest total wins, and equal totals share the win (R23, R24)."
    )


def _special(rules: Rules) -> str:
    derail = (
        f"- **Derail**: every player takes over the train of the seat {_says(rules, 'derail')}; the "
        f"markers go with the players (D10).{_says(rules, 'derail_once')}"
    )
    return (
        "There are two of each. Playing one is the whole turn, but for Wild (D3), and while a double must be "
        f"covered, a Wild is the only one that may be played (D2).\n\n{_SPECIAL_TILES}\n{derail}\n\n"
        "In hand, Draw, Twist, Skip, Trade and Reverse count 30 points, Derail 40 and Wild 50 (D11)."
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
