"""Observations and masks: their layout, and that they say enough."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.encoding.decode import PublicState, decode, public_state
from mtrain_env.encoding.observation_layout import MAX_TOTAL, NAMES
from mtrain_env.encoding.observations import ObservationLayout, mask_from, write_mask
from mtrain_env.engine.batch import new_games, step
from mtrain_env.engine.state import NONE, PLAYING, UNDEALT
from mtrain_env.rules import Rules
from tests.encoding.reading import bytes_of, check_says_enough, floats_of
from tests.encoding.rebuild import rebuild
from tests.encoding.worlds import actions_of, all_rules, positions, rules_id

RULES = all_rules()
FEW = 3 if JIT_DISABLED else 30


def mask_of(games: NDArray[Any], dtype: type) -> NDArray[Any]:
    """The mask of the acting seat, written over rubbish."""
    size = int(games[0]["num_actions"])
    out: NDArray[Any] = np.full(size, 77, dtype)
    write_mask(games, 0, out, np.zeros(size + 1, np.int64))
    return out


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_layout_is_consistent(rules: Rules) -> None:
    layout = ObservationLayout(rules)
    assert tuple(part.name for part in layout.slices) == NAMES
    stop = 0
    for k, part in enumerate(layout.slices):
        place = layout[part.name]
        assert place == getattr(layout, part.name) and place.start == stop == layout.offsets[k]
        assert place.stop - place.start == part.size == np.prod(part.shape)
        assert 1 <= part.maximum <= 255 and (layout.maximum[place] == part.maximum).all()
        stop = place.stop
    assert layout.size == stop == len(layout.maximum)


def test_core_with_four_players_is_small() -> None:
    layout = ObservationLayout(Rules.preset("core"))
    assert layout.size == 410
    assert layout.hand == slice(0, 91)
    with pytest.raises(AttributeError, match="no slice 'hands'"):
        _ = layout.hands


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_observations_say_enough(rules: Rules) -> None:
    """From an observation alone, in both forms, comes the public state and what the seat knows beyond it."""
    layout = ObservationLayout(rules)
    for games in positions(rules, 22, FEW):
        for seat in range(rules.num_players):
            check_says_enough(layout, games, seat)
            read = decode(bytes_of(layout, games, seat), rules, seat)
            assert decode(floats_of(layout, games, seat), rules, seat) == read


def without_scores(public: PublicState) -> PublicState:
    """What does not depend on the hidden hands once a round is over."""
    return replace(public, totals=())


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_a_game_rebuilt_from_an_observation_goes_on_like_the_true_one(rules: Rules) -> None:
    """The public state decides the legal moves (with the own hand) and the next public state."""
    rng = np.random.default_rng(5)
    layout = ObservationLayout(rules)
    for games in positions(rules, 23, FEW):
        seat = int(games[0]["seat"])
        public, own = decode(bytes_of(layout, games, seat), rules, seat)
        rebuilt = rebuild(public, own, rules, seat, rng)
        actions = actions_of(games, 0)
        assert np.array_equal(actions_of(rebuilt, 0), actions)
        if games[0]["phase"] != PLAYING:
            continue
        for action in rng.permutation(actions)[:10].tolist():
            after, after_too = games.copy(), rebuilt.copy()
            step(after, 0, action, NONE)
            step(after_too, 0, action, NONE)
            assert without_scores(public_state(after_too, 0)) == without_scores(public_state(after, 0))


def test_undealt_games_and_totals_beyond_two_bytes() -> None:
    rules = Rules.preset("core")
    layout = ObservationLayout(rules)
    games = new_games(rules, [1])
    assert decode(bytes_of(layout, games, 2), rules, 2)[0] == public_state(games, 0)
    assert public_state(games, 0).phase == UNDEALT
    games[0]["totals"][:4] = (0, 255, 256, 10**6)
    for seat in range(4):
        public, _ = decode(floats_of(layout, games, seat), rules, seat)
        assert public.totals == (0, 255, 256, MAX_TOTAL) == public_state(games, 0).totals


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_masks_show_the_legal_actions(dtype: type) -> None:
    for rules in RULES[:4]:
        for games in positions(rules, 24, FEW):
            actions = actions_of(games, 0)
            mask = mask_of(games, dtype)
            assert np.array_equal(np.flatnonzero(mask), actions) and set(mask.tolist()) <= {0, 1}
            from_ids: NDArray[Any] = np.full(len(mask), 9, dtype)
            mask_from(actions, len(actions), from_ids)
            assert np.array_equal(from_ids, mask)


def observations_digest() -> str:
    """Hash of the observations of some positions of every rule set."""
    digest = hashlib.sha1(usedforsecurity=False)
    for k, rules in enumerate(RULES):
        layout = ObservationLayout(rules)
        for games in positions(rules, 200 + k, 3):
            for seat in range(rules.num_players):
                digest.update(bytes_of(layout, games, seat).tobytes())
                digest.update(floats_of(layout, games, seat).tobytes())
            digest.update(mask_of(games, np.int8).tobytes())
    return digest.hexdigest()


def test_plain_python_gives_the_same_observations() -> None:
    other_mode = os.environ | {"NUMBA_DISABLE_JIT": "0" if JIT_DISABLED else "1"}
    command = "from tests.encoding.test_observations import observations_digest; print(observations_digest())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", command],
        env=other_mode,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == observations_digest()
