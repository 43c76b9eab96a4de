"""A GAME record made of nothing but what was decoded from an observation, the unseen tiles dealt somehow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.decode import OwnView, PublicState
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.state import (
    CHOOSING,
    DERAIL,
    IN_BONEYARD,
    KINDS,
    NOT_IN_SET,
    ON_TABLE,
    UNDEALT,
    WAITING,
    new_record,
)
from mtrain_env.rules import Rules
from mtrain_env.tiles import MAX_TILES, TILE_HIGH, TILE_LOW


def _as_bits(flags: tuple[int, ...]) -> int:
    return sum(flag << k for k, flag in enumerate(flags))


def _set_game(s: Any, public: PublicState) -> None:
    """The fields that are one number, and the sets of seats or trains."""
    s["rng"] = (1, 1)
    s["seat"] = public.to_act
    s["used_doubles"] = sum(1 << number for number in public.used_doubles)
    s["direction"] = -1 if public.reversed else 1
    s["started"] = _as_bits(public.train_started)
    s["markers"] = _as_bits(public.markers)
    s["cover_markers"] = _as_bits(public.cover_markers)
    s["had_turn"] = _as_bits(public.had_turn)
    s["draw_blockers"] = _as_bits(public.draw_blockers)
    s["skip_blockers"] = _as_bits(public.skip_blockers)
    for name in ("phase", "round", "opening", "starter", "winner", "derails_gone", "first_out", "turn", "owed"):
        s[name] = getattr(public, name)
    for name in ("chain_laid", "draws", "last_was_double", "idle_passes"):
        s[name] = getattr(public, name)
    for name in ("totals", "train_end", "train_length", "train_inner", "hand_count", "specials_played"):
        values = getattr(public, name)
        s[name][: len(values)] = values


def _set_doubles(s: Any, public: PublicState) -> None:
    """The uncovered doubles, and which of them must be satisfied (R17)."""
    s["double_count"] = len(public.doubles)
    for k, (train, state) in enumerate(public.doubles):
        s["double_train"][k], s["double_state"][k] = train, state
    waiting = [train for train, state in public.doubles if state == WAITING]
    s["duty_train"] = waiting[0] if waiting else -1


def _give(s: Any, code: int, seat: int) -> None:
    if code >= MAX_TILES:
        s["special_hand"][seat, code - MAX_TILES] += 1
        return
    low, high = int(TILE_LOW[code]), int(TILE_HIGH[code])
    s["hand"][seat, low] |= np.uint32(1 << high)
    s["hand"][seat, high] |= np.uint32(1 << low)
    s["tile_place"][code] = seat


def _set_tiles(s: Any, public: PublicState, own: OwnView, rules: Rules, seat: int, rng: np.random.Generator) -> None:
    """Where every tile is: the table and the own hand as decoded, the others at random."""
    s["tile_place"][:] = NOT_IN_SET
    s["tile_place"][: rules.num_tiles] = IN_BONEYARD
    for tile in public.face_up:
        s["tile_place"][tile] = ON_TABLE
        for number in {int(TILE_LOW[tile]), int(TILE_HIGH[tile])}:
            s["seen_count"][number] += 1
    for tile in own.tiles:
        _give(s, tile, seat)
    s["special_hand"][seat, : len(own.specials)] = own.specials
    hidden = np.flatnonzero(s["tile_place"] == IN_BONEYARD).tolist()
    for kind in range(KINDS if rules.special_tiles else 0):
        copies = 2 - own.specials[kind] - public.specials_played[kind]
        if kind == DERAIL and rules.derail_once:
            copies = 2 - own.specials[kind] - public.derails_gone
        hidden += [MAX_TILES + kind] * copies
    hidden = rng.permutation(hidden).tolist()
    for other in range(rules.num_players):
        if other != seat:
            for _ in range(public.hand_count[other]):
                _give(s, hidden.pop(), other)
    assert len(hidden) == public.boneyard
    s["deck_size"] = 204
    s["deck_next"] = 204 - len(hidden)
    s["deck"][int(s["deck_next"]) :] = hidden


def rebuild(public: PublicState, own: OwnView, rules: Rules, seat: int, rng: np.random.Generator) -> NDArray[Any]:
    """An array of one game in the decoded public state, with the hand of `seat`."""
    games = new_record(rules)
    s = games[0]
    _set_game(s, public)
    if public.phase in (UNDEALT, CHOOSING):
        return games
    _set_doubles(s, public)
    _set_tiles(s, public, own, rules, seat, rng)
    for train, length in enumerate(public.train_length):
        if length:  # a Twist looks for the last tile of a train in the list of tiles laid (D8)
            s["laid_train"][int(s["laid_count"])] = train
            s["laid_count"] += 1
    assert must_cover(s) >= -1
    return games
