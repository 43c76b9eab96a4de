"""Counted move trees: how many sequences of 1, 2, 3, ... actions a fixed deal of few tiles allows.

The counts lie in trees/*.json; the engine and the reference must both arrive at them. A trade takes the tile with the
lowest code, so that nothing is left to chance; a sequence ends with the round.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain_env.encoding.notation import action_text
from mtrain_env.engine import batch
from mtrain_env.engine.state import MAX_TILES, NONE
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from mtrain_env.tiles import SPECIAL_KINDS, parse_tile
from tests.engine.invariants import check_invariants
from tests.reference import ReferenceGame

TREES = Path(__file__).parent / "trees"
NAMES = sorted(path.stem for path in TREES.glob("*.json"))
# The reference is slow: it counts the levels that together have at most so many sequences.
REFERENCE_NODES = 3000

Counts = dict[str, list[int]]
"""First action -> number of sequences of each length that begin with it."""


def load(name: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads((TREES / f"{name}.json").read_text(encoding="utf-8"))
    return tree


def dealt(tree: dict[str, Any]) -> Game:
    """The game with the tree's deal."""
    game = Game(Rules.of(tree["rules"]), deal=False)
    game.deal_given(tree["opening"], tree["first"], [parse_tile(text) for text in tree["deck"]])
    return game


def count_by_engine(tree: dict[str, Any], depth: int) -> Counts:
    """Copies of GAME records, one per action."""
    game = dealt(tree)
    levels = np.repeat(game.games, depth)
    found: Counts = {}

    def walk(level: int, counts: list[int] | None) -> None:
        check_invariants(levels[level])
        for action in actions(levels, level, game.layout.size):
            of = counts
            if of is None:
                of = found[action_text(game.layout, levels[0], action)] = [0] * depth
            of[level] += 1
            if level + 1 < depth:
                levels[level + 1] = levels[level]
                batch.step(levels, level + 1, action, lowest_of_trade(game, levels[level], action))
                walk(level + 1, of)

    walk(0, None)
    return found


def actions(games: Any, i: int, size: int) -> list[int]:
    """The legal ids of game `i`; none once the round is over."""
    out = np.zeros(size, np.int16)
    return [int(action) for action in out[: batch.legal(games, i, out)]]


def lowest_of_trade(game: Game, s: Any, action: int) -> int:
    """The lowest code in the other seat's hand if the action is a trade, else NONE."""
    words = action_text(game.layout, s, action).split()
    if words[0] != "trade" or len(words) < 3:
        return NONE
    other = int(words[1].removeprefix("P"))
    numbered = [tile for tile in range(MAX_TILES) if s["tile_place"][tile] == other]
    special = [MAX_TILES + kind for kind in range(len(SPECIAL_KINDS)) if s["special_hand"][other, kind]]
    return (numbered + special)[0]


def count_by_reference(tree: dict[str, Any], depth: int) -> Counts:
    """Deep copies of the reference game, one per action, by the texts alone."""
    line = next(line for line in dealt(tree).history if "deal" in line)
    start = ReferenceGame(Rules.of(tree["rules"]).as_dict())
    start.start_round(*(line[key] for key in ("opening", "hunting_seat", "starter", "deal", "boneyard")))
    found: Counts = {}

    def walk(game: ReferenceGame, level: int, counts: list[int] | None) -> None:
        for text in game.legal():
            of = found.setdefault(text, [0] * depth) if counts is None else counts
            of[level] += 1
            if level + 1 < depth and (after := done(game, text)).phase == "play":
                walk(after, level + 1, of)

    walk(start, 0, None)
    return found


def done(game: ReferenceGame, text: str) -> ReferenceGame:
    """A copy of the game after one more action."""
    words = text.split()
    trade = words[0] == "trade" and len(words) == 3
    took = min(game.hands[int(words[1].removeprefix("P"))], key=order) if trade else None
    after = copy.deepcopy(game)
    after.do(text, took)
    return after


def order(text: str) -> tuple[int, int]:
    """Numbered tiles by their higher, then their lower number; special ones last, in the order of section 6."""
    if text in SPECIAL_KINDS:
        return 99, SPECIAL_KINDS.index(text)
    low, high = text.split("-")
    return int(high), int(low)


def totals(counts: Counts) -> list[int]:
    return [sum(column) for column in zip(*counts.values(), strict=True)]


def told(counts: Counts) -> str:
    """What to compare with another program's counts, to find the action after which they part."""
    return "\n".join(f"{text}: {column}" for text, column in sorted(counts.items()))


def shallow(counts: list[int]) -> int:
    """The length up to which the reference counts."""
    return max(1, sum(sum(counts[: depth + 1]) <= REFERENCE_NODES for depth in range(len(counts))))


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_counts_the_tree(name: str) -> None:
    tree = load(name)
    counts = count_by_engine(tree, len(tree["counts"]))
    assert totals(counts) == tree["counts"], told(counts)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_counts_the_top_of_the_tree(name: str) -> None:
    tree = load(name)
    depth = shallow(tree["counts"])
    reference, engine = count_by_reference(tree, depth), count_by_engine(tree, depth)
    assert reference == engine, f"reference:\n{told(reference)}\nengine:\n{told(engine)}"
    assert totals(reference) == tree["counts"][:depth], told(reference)


def test_there_are_trees() -> None:
    assert len(NAMES) >= 5
    assert all(load(name)["name"] == name for name in NAMES)
