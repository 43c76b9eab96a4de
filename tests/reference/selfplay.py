"""Random games of the reference with itself, written down as records, for the reference's own tests.

The dealing is this file's own (any fair shuffle will do): it has nothing to do with the engine's.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from .game import ReferenceGame
from .setup import hunted_double, opening_numbers
from .tiles import Rules, Tile, tile_from_text, tile_text, whole_set

COMMON: Rules = {
    "num_rounds": "all",
    "opening_order": "descending",
    "starter": None,
    "first_turn": "single",
    "finish_first_lap": False,
    "own_train_first": False,
    "exhausted_double": "lapses",
    "marker_on": "on_pass",
    "failed_cover_marker_off_any": False,
    "double_blank_points": 0,
    "special_tiles": False,
    "derail": None,
    "derail_once": None,
}

PRESETS: dict[str, Rules] = {
    "pagat": {
        **COMMON,
        "num_players": 4,
        "max_pip": 12,
        "hand_size": 15,
        "opening_source": "hunt",
        "opening_turn": "start_train",
        "first_turn": "chain",
        "mexican_train": "always",
        "draw_limit": "per_owed_tile",
        "double_follow_up": "anywhere",
        "double_duty": "table",
        "marker_off": "own_play",
    },
    "dominoplay": {
        **COMMON,
        "num_players": 4,
        "max_pip": 9,
        "hand_size": 10,
        "opening_source": "hunt",
        "opening_turn": "ends_turn",
        "mexican_train": "always",
        "draw_limit": "per_owed_tile",
        "double_follow_up": "anywhere",
        "double_duty": "none",
        "marker_off": "any_play",
    },
    "core": {
        **COMMON,
        "num_players": 4,
        "max_pip": 12,
        "hand_size": 15,
        "opening_source": "set_out",
        "starter": "rotate",
        "opening_turn": None,
        "mexican_train": "always",
        "draw_limit": "per_turn",
        "double_follow_up": "on_double",
        "double_duty": "table",
        "marker_off": "own_play",
    },
    "deluxe": {
        **COMMON,
        "num_players": 4,
        "max_pip": 12,
        "hand_size": 7,
        "opening_order": "ascending",
        "opening_source": "hunt",
        "opening_turn": "optional_tile",
        "mexican_train": "after_all",
        "draw_limit": "per_turn",
        "double_follow_up": "on_double",
        "double_duty": "table",
        "marker_on": "not_on_own_double",
        "marker_off": "any_play",
        "special_tiles": True,
        "derail": "one",
        "derail_once": False,
    },
}


def preset(preset_name: str, **fields: Any) -> Rules:
    """A preset with some fields changed."""
    rules = {"name": preset_name, **PRESETS[preset_name]}
    unknown = [field for field in fields if field not in rules]
    assert not unknown, unknown
    return {**rules, **fields}


def deal_round(game: ReferenceGame, chance: random.Random) -> dict[str, Any]:
    """A random round line (as in a record) for a game in phase "between"."""
    rules, seats = game.rules, game.seats
    fixed: int | None = None
    if rules["opening_order"] == "chosen":
        fixed = game._chosen
    elif rules["opening_order"] != "random":
        fixed = opening_numbers(rules)[game.round_number]
    tiles = whole_set(rules, game.derails_gone)
    if rules["opening_source"] == "set_out":
        assert fixed is not None
        tiles.remove((fixed, fixed))
    chance.shuffle(tiles)
    size = rules["hand_size"]
    hands = [tiles[seat * size : (seat + 1) * size] for seat in range(seats)]
    boneyard = tiles[seats * size :]
    hunting_seat: int | None = None
    if rules["opening_source"] == "hunt":
        hunting_seat = game._rotated()
        if hunting_seat is None:
            hunting_seat = chance.randrange(seats)
        opening, starter, _ = hunted_double(rules, fixed, game.used_openings, hunting_seat, hands, boneyard)
    else:
        assert fixed is not None
        expected = game._starter_when_set_out()
        opening, starter = fixed, chance.randrange(seats) if expected is None else expected
    return {
        "round": game.round_number + 1,
        "opening": opening,
        "hunting_seat": hunting_seat,
        "starter": starter,
        "deal": [[tile_text(tile) for tile in hand] for hand in hands],
        "boneyard": [tile_text(tile) for tile in boneyard],
    }


def step(
    game: ReferenceGame,
    chance: random.Random,
    record: list[dict[str, Any]] | None,
    with_legal: bool,
) -> None:
    """Whatever comes next in a random game: a choice, a deal or an action."""
    line: dict[str, Any]
    if game.phase == "choose":
        seat = chance.randrange(game.seats) if game.actor is None else game.actor
        options = game.legal()
        number = int(chance.choice(options).removeprefix("choose "))
        game.choose(seat, number)
        line = {"seat": seat, "choose": number}
    elif game.phase == "between":
        line = deal_round(game, chance)
        game.start_round(line["opening"], line["hunting_seat"], line["starter"], line["deal"], line["boneyard"])
        options = []
    else:
        options = game.legal()
        text = chance.choice(options)
        line = {"seat": game.actor, "do": text}
        words = text.split()
        if words[0] == "trade" and len(words) == 3:
            line["took"] = chance.choice(game.hands[int(words[1][1:])])
        game.do(text, line.get("took"))
    if record is None:
        return
    if with_legal and options:
        line["legal"] = options
    record.append(line)
    if game.phase in ("between", "choose", "over") and "do" in line:
        assert game.round_result is not None
        record.append(dict(game.round_result))


def play_game(
    rules: Rules,
    seed: int,
    record: list[dict[str, Any]] | None = None,
    check: bool = False,
    max_decisions: int = 2_000_000,
) -> tuple[ReferenceGame, int]:
    """One whole random game and its number of decisions; `check` tests the invariants at each."""
    chance = random.Random(seed)
    game = ReferenceGame(rules)
    if record is not None:
        record.append({"format": "mtrain-record/1", "rules": rules, "seed": seed, "bots": []})
    decisions = 0
    while game.phase != "over":
        step(game, chance, record, with_legal=check)
        decisions += 1
        assert decisions < max_decisions, "the game does not end"
        if check and game.round is not None:
            check_invariants(game)
    if record is not None:
        record.append({"winners": game.winners, "totals": game.totals})
    return game, decisions


def check_invariants(game: ReferenceGame) -> None:
    """Tiles are conserved, somebody can act, and what is shown fits together."""
    this = game._round()
    on_table: Counter[Tile] = Counter([(this.opening, this.opening)])
    for texts in [*game.hands, *game.train_tiles, game.boneyard, game.aside]:
        on_table.update(tile_from_text(text) for text in texts)
    on_table.update(kind for kind in game.blockers if kind is not None)
    gone = game.derails_gone
    if this.end is not None and game.rules["derail_once"]:
        gone -= this.derails_gone
    assert on_table == Counter(whole_set(game.rules, gone))
    for train in [*this.trains, this.mexican]:
        end: object = train.start
        for placed in train.placed[:-1]:
            assert not isinstance(placed.tile, str) or placed.outer == "any"
            end = placed.outer
        if train.placed and end != "any" and not train.twists and train.placed[-1].tile != "wild":
            assert train.placed[-1].inner == end
    if game.phase == "play":
        assert game.actor is not None and this.hands[game.actor]
        assert game.legal() and len(set(game.legal())) == len(game.legal())
        states = [double["state"] for double in game.open_doubles]
        assert "asleep" not in states or not all(this.had_first_turn)
    elif game.phase in ("between", "choose", "over"):
        assert game.round_result is not None or game.round_number == 0
