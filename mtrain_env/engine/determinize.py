"""A game as one seat knows it (`blank`), and a complete game drawn at random from that (`determinize`)."""

from typing import Any

import numpy as np

from mtrain_env._jit import int64, jit
from mtrain_env.engine.knowledge import known_by
from mtrain_env.engine.redeal import draw_world
from mtrain_env.engine.rng import random_bits
from mtrain_env.engine.state import MAX_DECK, MAX_GAINS, MAX_TRAINS, NONE, ON_TABLE, UNSEEN

_S32 = np.uint64(32)


@jit
def blank(games: Any, i: int, seat: int, out: Any, j: int) -> None:
    """R26: copy game `i` to `out[j]` without what `seat` cannot know: nothing hidden changes a byte of it.

    Hidden tiles get the place UNSEEN and are in no hand; the deck keeps only what the seat was dealt (sorted) and drew;
    the random state is a constant.
    """
    out[j] = games[i]
    s = out[j]
    s["rng"][0] = 1
    s["rng"][1] = 1
    _blank_deck(s, seat)
    for other in range(int64(s["num_players"])):
        if other != seat:
            s["hand"][other][:] = 0
            s["special_hand"][other][:] = 0
    for tile in range(int64(s["num_tiles"])):
        place = s["tile_place"][tile]
        if place != ON_TABLE and place != seat:
            s["tile_place"][tile] = UNSEEN
    if s["seat"] != seat:
        s["last_draw"] = NONE
    _blank_trades(s, seat)
    _clear_tails(s)


@jit
def _blank_deck(s: Any, seat: int) -> None:
    """Keep of the deck what `seat` got from it: its deal, sorted, and its draws."""
    size = int64(s["hand_size"])
    deck = s["deck"]
    first = int64(s["num_players"]) * size
    for k in range(MAX_DECK):
        if k < first:
            mine = seat * size <= k < (seat + 1) * size
        else:
            mine = k < s["deck_next"] and _drawn_by(s, k - first) == seat
        if not mine:
            deck[k] = NONE
    for k in range(seat * size + 1, (seat + 1) * size):
        code = deck[k]
        p = k
        while p > seat * size and deck[p - 1] > code:
            deck[p] = deck[p - 1]
            p -= 1
        deck[p] = code


@jit
def _drawn_by(s: Any, k: int) -> int:
    """The seat that drew the k-th tile of the boneyard, k from 0."""
    for g in range(int64(s["gains"])):
        if s["gain_trade"][g] == 0:
            if k == 0:
                return int64(s["gain_seat"][g])
            k -= 1
    return NONE


@jit
def _blank_trades(s: Any, seat: int) -> None:
    """D7: only the two who traded know the tiles."""
    for t in range(int64(s["trades"])):
        if not known_by(s, seat, t):
            s["trade_given"][t] = NONE
            s["trade_taken"][t] = NONE
            s["trade_given_held"][t] = 0
            s["trade_taken_held"][t] = 0


@jit
def _clear_tails(s: Any) -> None:
    """Zero what earlier rounds left behind the ends of the lists, so that equal knowledge means equal bytes."""
    for k in range(int64(s["laid_count"]), MAX_DECK):
        s["laid_tile"][k] = 0
        s["laid_train"][k] = 0
        s["laid_out"][k] = 0
        s["laid_turned"][k] = 0
        s["laid_by"][k] = 0
        s["laid_from"][k] = 0
        s["laid_gains"][k] = 0
    for g in range(int64(s["gains"]), MAX_GAINS):
        s["gain_seat"][g] = 0
        s["gain_trade"][g] = 0
    for i in range(int64(s["double_count"]), MAX_TRAINS):
        s["double_train"][i] = 0
        s["double_state"][i] = 0
    for t in range(int64(s["trades"]), 2):
        s["trade_actor"][t] = 0
        s["trade_other"][t] = 0
        s["trade_given"][t] = 0
        s["trade_taken"][t] = 0
        s["trade_given_held"][t] = 0
        s["trade_taken_held"][t] = 0


@jit
def determinize(games: Any, i: int, seat: int, out: Any, j: int, work: Any, rng: Any) -> None:
    """R26, R27: write to `out[j]` a complete, reseeded game that agrees with all that `seat` knows of game `i`.

    Hidden tiles are drawn (belief.py, redeal.py) uniformly from the deals under which the public history was
    legal, whatever they are in game `i`, which may itself be a blanked one. `work`: one belief.WORK record; `rng`: two
    uint64 words of random state, changed.
    """
    blank(games, i, seat, out, j)
    s = out[j]
    draw_world(s, seat, work[0], rng)
    s["rng"][0] = (random_bits(rng) << _S32) | random_bits(rng)
    s["rng"][1] = (random_bits(rng) << _S32) | random_bits(rng) | np.uint64(1)
