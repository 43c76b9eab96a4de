"""The engine and the slow reference rules side by side: one plays, both must agree on everything at every decision."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from mtrain_env.encoding.notation import action_text, train_text
from mtrain_env.engine.batch import copy_games
from mtrain_env.engine.state import ANY, CHOOSING, NONE, PLAYING
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from mtrain_env.tiles import MAX_TILES, tile_text
from tests.engine.rule_hits import round_begun, rule_hits
from tests.reference import ReferenceGame

TEXTS = np.array([tile_text(code) for code in range(MAX_TILES + 7)])
STATES = ("laid", "waiting", "asleep")


class Difference(AssertionError):
    """Where the engine and the reference part, with the record so far."""


def engine_facts(game: Game, s: Any) -> dict[str, Any]:
    """What is compared at a decision or at the end of a round, in the reference's words."""
    n = game.rules.num_players
    place = s["tile_place"][: game.rules.num_tiles]
    hands = []
    for seat in range(n):
        hand = TEXTS[: len(place)][place == seat].tolist()
        for kind, copies in enumerate(s["special_hand"][seat].tolist()):
            hand += [str(TEXTS[MAX_TILES + kind])] * copies
        hands.append(sorted(hand))
    draw, skip = int(s["draw_blockers"]), int(s["skip_blockers"])
    doubles = []
    for i in range(int(s["double_count"])):
        train = int(s["double_train"][i])
        doubles.append((train_text(train, n), STATES[int(s["double_state"][i])]))
    return {
        "hands": hands,
        "boneyard": TEXTS[s["deck"][int(s["deck_next"]) : int(s["deck_size"])]].tolist(),
        "markers": [bool(int(s["markers"]) >> seat & 1) for seat in range(n)],
        "ends": ["any" if end == ANY else end for end in s["train_end"][: n + 1].tolist()],
        "blockers": ["draw" if draw >> t & 1 else "skip" if skip >> t & 1 else None for t in range(n)],
        "open_doubles": doubles,
        "direction": int(s["direction"]),
        "trains": engine_trains(s, n),
        "totals": s["totals"][:n].tolist(),
    }


def engine_trains(s: Any, n: int) -> list[list[str]]:
    """The tiles of every train from the inside out."""
    trains: list[list[str]] = [[] for _ in range(n + 1)]
    count = int(s["laid_count"])
    for train, code in zip(s["laid_train"][:count].tolist(), s["laid_tile"][:count].tolist(), strict=True):
        if train != NONE:
            trains[train].append(str(TEXTS[code]))
    return trains


def reference_facts(game: ReferenceGame, n: int) -> dict[str, Any]:
    """The same from the reference."""
    return {
        "hands": [sorted(hand) for hand in game.hands],
        "boneyard": list(game.boneyard),
        "markers": [bool(on) for on in game.markers],
        "ends": list(game.ends),
        "blockers": list(game.blockers)[:n],
        "open_doubles": [(double["train"], double["state"]) for double in game.open_doubles],
        "direction": game.direction,
        "trains": [list(train) for train in game.train_tiles],
        "totals": list(game.totals),
    }


def compare_game(rules: Rules, seed: int, hits: Counter[str] | None = None, rounds: int = 99) -> int:
    """Play one game with random, varied choices; the number of decisions compared. Raises Difference."""
    chance = random.Random(f"{rules} {seed}")
    game = Game(rules, seed)
    reference = ReferenceGame(rules.as_dict())
    temper = {word: chance.choice((1, 1, 8, 40)) for word in (" > P", "stop", "trade", "derail", "wild", "twist", "-")}
    decisions = read = 0
    while True:
        for line in game.history[read:]:
            if "deal" in line:
                reference.start_round(*(line[k] for k in ("opening", "hunting_seat", "starter", "deal", "boneyard")))
                if hits is not None:
                    hits.update(round_begun(game.state))
        read = len(game.history)
        _compare(game, reference)
        if game.round_over:
            _compare_end(game, reference)
            if game.over or int(game.state["round"]) >= rounds:
                return decisions
            game.next_round()
            continue
        choice = _choose(game, chance, temper)
        before = copy_games(game.games)[0]
        text = action_text(game.layout, before, choice)
        game.act(choice)
        if before["phase"] == CHOOSING:
            reference.choose(int(before["seat"]), int(text.removeprefix("choose ")))
        else:
            line = next(line for line in game.history[read:] if "do" in line)
            reference.do(text, line.get("took"))
        if hits is not None:
            hits.update(rule_hits(before, text, game.state))
        decisions += 1


def _choose(game: Game, chance: random.Random, temper: dict[str, int]) -> int:
    """A legal id; each game has its own leaning to some kinds of action, so that rare situations come up."""
    ids = game.legal_ids()
    if len(ids) == 1:
        return ids[0]
    texts = [action_text(game.layout, game.state, action) for action in ids]
    weights = [1.0] * len(ids)
    for k, text in enumerate(texts):
        for word, weight in temper.items():
            if word in text:
                weights[k] *= weight
    return chance.choices(ids, weights)[0]


def _compare(game: Game, reference: ReferenceGame) -> None:
    if game.state["phase"] == CHOOSING:
        expected = {"actor": reference.actor, "legal": sorted(reference.legal())}
        found = {"actor": game.seat, "legal": sorted(game.legal())}
        if reference.actor is None:  # round 1: chance decides who chooses
            found["actor"] = None
    else:
        expected = reference_facts(reference, game.rules.num_players)
        if game.rules.double_duty == "none":  # nothing ever waits, and the engine keeps no list
            expected["open_doubles"] = []
        found = engine_facts(game, game.state)
        if game.state["phase"] == PLAYING:
            expected |= {"actor": reference.actor, "legal": sorted(reference.legal())}
            found |= {"actor": game.seat, "legal": sorted(game.legal())}
    if expected != found:
        _differ(game, {key: (expected[key], found[key]) for key in expected if expected[key] != found[key]})


def _compare_end(game: Game, reference: ReferenceGame) -> None:
    line = next(line for line in reversed(game.history) if "end" in line)
    expected = dict(reference.round_result or {}) | {"over": reference.phase == "over"}
    found = dict(line) | {"over": game.over}
    if game.over:
        expected["winners"] = reference.winners
        found["winners"] = game.winners
    if expected != found:
        _differ(game, {"end": (expected, found)})


def _differ(game: Game, what: dict[str, Any]) -> None:
    tail = "\n".join(str(line) for line in game.history[-25:])
    raise Difference(f"reference, engine: {what}\nrules {game.rules.as_dict()}\nlast lines:\n{tail}")
