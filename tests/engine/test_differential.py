"""A small share of the soak in the normal suite: engine and reference agree on every decision (see soak.py)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from mtrain_env.presets import PLAYERS, VARIATIONS
from mtrain_env.rules import Rules
from tests.engine.differential import compare_game
from tests.engine.random_rules import random_rules
from tests.engine.soak import compare_chunk


@pytest.mark.parametrize("preset", PLAYERS)
def test_presets_agree_with_the_reference(preset: str) -> None:
    for count in PLAYERS[preset]:
        assert compare_game(Rules.preset(preset, num_players=count, num_rounds=2), seed=count) > 10


@pytest.mark.parametrize("variation", VARIATIONS)
def test_variations_agree_with_the_reference(variation: str) -> None:
    assert compare_game(Rules.preset(variation), seed=1, rounds=2) > 10


@pytest.mark.parametrize("seed", range(8))
def test_random_rules_agree_with_the_reference(seed: int) -> None:
    chance = random.Random(seed)
    assert sum(compare_game(random_rules(chance), seed, rounds=2) for _ in range(20)) > 100


def test_hits_are_counted() -> None:
    hits: Counter[str] = Counter()
    compare_game(Rules.preset("deluxe", num_rounds=3), 5, hits)
    assert hits["R9"] > hits["R10"] > 0
    assert hits["D9"] > 0


@pytest.mark.soak
@pytest.mark.parametrize("preset", PLAYERS)
def test_a_chunk_of_the_soak(preset: str) -> None:
    _, decisions, differences, _ = compare_chunk((preset, 0))
    assert decisions > 0
    assert not differences
