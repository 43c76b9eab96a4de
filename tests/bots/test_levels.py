"""What holds for every scripted level under every rule set: legal moves, from visible facts alone, reproducible."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import view_of
from mtrain_env.engine import batch
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.engine.rng import seed_words
from mtrain_env.engine.state import GAME_OVER, ROUND_OVER
from mtrain_env.rules import Rules
from tests.bots.tables import LEVELS, chosen_index, every_rules, legal_ids, level, words

BOTS = [level(name) for name in LEVELS]


def rules_id(rules: Rules) -> str:
    return "-".join(map(str, [rules.name, *rules.differences().values()]))


@pytest.mark.parametrize("rules", every_rules(), ids=rules_id)
def test_moves_are_legal_and_depend_only_on_what_the_seat_knows(rules: Rules) -> None:
    """One round with all levels at the table; hidden tiles blanked or dealt anew change no choice."""
    games = batch.new_games(rules, [5])
    batch.deal(games, 0, -1, -1)
    redealt, work, rng = np.zeros_like(games), np.zeros(1, WORK), seed_words(1)
    decision = 0
    while games[0]["phase"] not in (ROUND_OVER, GAME_OVER):
        ids, seat = legal_ids(games), int(games[0]["seat"])
        choices = []
        for k, bot in enumerate(BOTS):
            before = games.tobytes()
            choices.append(chosen_index(bot, games, words(games, decision)))
            assert games.tobytes() == before, "a bot changed the game"
            assert 0 <= choices[k] < len(ids)
            seen = view_of(games, 0, seat, np.array(ids, np.int16)).game
            assert chosen_index(bot, seen, words(games, decision)) == choices[k]
            if decision % 8 == k and len(ids) > 1:
                determinize(games, 0, seat, redealt, 0, work, rng)
                assert chosen_index(bot, redealt, words(games, decision)) == choices[k]
        batch.step(games, 0, ids[choices[(seat + decision // 40) % 3]], 255)
        decision += 1


def test_easy_plays_every_legal_action_equally_often() -> None:
    games = batch.new_games(Rules.preset("core"), [3])
    batch.deal(games, 0, 12, 0)
    ids = legal_ids(games)
    rngs = words(games)
    counts = np.bincount([chosen_index(BOTS[0], games, rngs) for _ in range(400 * len(ids))], minlength=len(ids))
    assert len(ids) > 2 and np.abs(counts - 400).max() < 100


def moves_digest(name: str, rounds: int = 2) -> str:
    """Hash of the moves of a level in some rounds of all presets."""
    digest, bot = hashlib.sha1(usedforsecurity=False), level(name)
    for preset in ("core", "deluxe", "pagat", "dominoplay"):
        games = batch.new_games(Rules.preset(preset, num_players=3), [1])
        rngs = words(games)
        for _ in range(rounds):
            batch.deal(games, 0, -1, -1)
            while ids := legal_ids(games):
                action = ids[chosen_index(bot, games, rngs)]
                digest.update(b"%d " % action)
                batch.step(games, 0, action, 255)
    return digest.hexdigest()


@pytest.mark.parametrize("name", LEVELS)
def test_a_seed_reproduces_its_moves(name: str) -> None:
    assert moves_digest(name) == moves_digest(name)


def test_plain_python_plays_the_same() -> None:
    other_mode = os.environ | {"NUMBA_DISABLE_JIT": "0" if JIT_DISABLED else "1"}
    command = "from tests.bots.test_levels import *; print(*(moves_digest(name, 1) for name in LEVELS))"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", command], env=other_mode, cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [moves_digest(name, 1) for name in LEVELS]
