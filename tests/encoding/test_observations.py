"""Observations and masks: their layout, that they give nothing away, and that they say enough."""

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
from mtrain_env.encoding.decode import OwnView, PublicState, decode, public_state
from mtrain_env.encoding.observation_layout import MAX_TOTAL, NAMES
from mtrain_env.encoding.observations import ObservationLayout, mask_from, observe, observe_float, write_mask
from mtrain_env.engine.batch import new_games, step
from mtrain_env.engine.determinize import blank
from mtrain_env.engine.specials import knows_traded
from mtrain_env.engine.state import CHOOSING, GAME, KINDS, NONE, PLAYING, UNDEALT
from mtrain_env.rules import Rules
from tests.encoding.rebuild import rebuild
from tests.encoding.worlds import actions_of, all_rules, positions, redealt, rules_id

RULES = all_rules()
FEW = 3 if JIT_DISABLED else 30


def bytes_of(layout: ObservationLayout, games: NDArray[Any], seat: int) -> NDArray[np.uint8]:
    """The observation of one seat as uint8, written over rubbish."""
    out = np.full(layout.size, 77, np.uint8)
    observe(games, 0, seat, layout.offsets, out)
    return out


def floats_of(layout: ObservationLayout, games: NDArray[Any], seat: int) -> NDArray[np.float32]:
    """The same as float32."""
    out = np.full(layout.size, np.nan, np.float32)
    scratch = np.full(layout.size, 77, np.uint8)
    observe_float(games, 0, seat, layout.offsets, layout.reciprocals, scratch, out)
    return out


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
def test_observations_give_nothing_away(rules: Rules) -> None:
    """Equal byte for byte however the hidden tiles lie, and on a blanked record (R26), for every seat."""
    rng = np.random.default_rng(1)
    layout = ObservationLayout(rules)
    view = np.zeros(1, GAME)
    for games in positions(rules, 21, FEW):
        before = games.tobytes()
        for seat in range(rules.num_players):
            seen = bytes_of(layout, games, seat)
            other = redealt(games, seat, rng) if games[0]["phase"] != CHOOSING else games
            assert seen.tobytes() == bytes_of(layout, other, seat).tobytes()
            blank(games, 0, seat, view, 0)
            assert seen.tobytes() == bytes_of(layout, view, seat).tobytes()
            if games[0]["seat"] == seat:
                assert mask_of(games, np.int8).tobytes() == mask_of(other, np.int8).tobytes()
        assert games.tobytes() == before


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_observations_say_enough(rules: Rules) -> None:
    """From an observation alone, in both forms, comes the public state and what the seat knows beyond it."""
    layout = ObservationLayout(rules)
    for games in positions(rules, 22, FEW):
        for seat in range(rules.num_players):
            seen = bytes_of(layout, games, seat)
            assert (seen <= layout.maximum).all()
            public, own = decode(seen, rules, seat)
            assert public == public_state(games, 0)
            check_own(games[0], own, rules, seat)
            scaled = floats_of(layout, games, seat)
            assert (scaled >= 0).all() and (scaled <= 1).all()
            assert decode(scaled, rules, seat) == (public, own)


def check_own(s: Any, own: OwnView, rules: Rules, seat: int) -> None:
    """What a seat knows, against the record."""
    if s["phase"] == CHOOSING:
        assert own.tiles == () and own.drawn == -1 and own.traded == ()
        return
    assert own.tiles == tuple(np.flatnonzero(s["tile_place"] == seat).tolist())
    assert own.specials == (tuple(s["special_hand"][seat].tolist()) if rules.special_tiles else ())
    acting = s["seat"] == seat and s["last_draw"] != NONE
    assert own.drawn == (int(s["last_draw"]) if acting else -1)
    numbers = rules.max_pip + 1
    for other in range(rules.num_players):
        bounds = s["may_hold"][other].tolist()
        kinds = bounds[-KINDS:] if rules.special_tiles else []
        assert own.may_hold[other] == (() if other == seat else tuple(bounds[:numbers] + kinds))
        for code in {*s["trade_given"].tolist(), *s["trade_taken"].tolist()} if other != seat else ():
            assert own.traded.count((other, code)) == knows_traded(s, seat, other, code)
    assert all(held != 0 for held in [knows_traded(s, seat, *known) for known in own.traded])


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
