"""The engine's doors for callers in Python: kernels over an array of GAME records and an index, or the whole array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.engine.legal import is_legal, legal_actions
from mtrain_env.engine.rng import random_below, seed_words
from mtrain_env.engine.state import GAME_OVER, NONE, ROUND_OVER, UNDEALT, new_record
from mtrain_env.engine.turn import act, begin_given_round, begin_round
from mtrain_env.rules import Rules


def new_games(rules: Rules, seeds: list[int]) -> NDArray[Any]:
    """One undealt game per seed, as an array of GAME records; equal seeds give equal games in a batch of any size."""
    games = np.repeat(new_record(rules), len(seeds))
    for i, seed in enumerate(seeds):
        games[i]["rng"] = seed_words(seed)
    return games


def copy_games(games: NDArray[Any]) -> NDArray[Any]:
    """A copy of an array of GAME records, byte for byte; numpy's own copies field by field, fifty times slower."""
    return np.frombuffer(bytearray(games.tobytes()), games.dtype)


@jit
def deal(games: Any, i: int, opening: int, first: int) -> None:
    """Begin the next round of game `i`; arguments as turn.begin_round."""
    begin_round(games[i], opening, first)


@jit
def deal_deck(games: Any, i: int, opening: int, first: int, deck: Any) -> None:
    """Begin the next round of game `i` with a given deck; arguments as turn.begin_given_round."""
    begin_given_round(games[i], opening, first, deck)


@jit
def legal(games: Any, i: int, out: Any) -> int:
    """Write the legal action ids of game `i` to `out`, ascending; their number."""
    return legal_actions(games[i], out)


@jit
def legal_now(games: Any, i: int, action: int, scratch: Any) -> bool:
    """Whether the id `action` is legal in game `i`."""
    return is_legal(games[i], action, scratch)


@jit
def step(games: Any, i: int, action: int, taken: int) -> None:
    """Carry out the legal id `action` in game `i`; `taken` as turn.act."""
    act(games[i], action, taken)


@jit
def advance(s: Any, action: int) -> None:
    """Carry out a legal action and go on to the next decision of the game: the next round begins by itself."""
    act(s, action, NONE)
    if s["phase"] == ROUND_OVER:
        begin_round(s, int64(-1), int64(-1))


@jit
def restart(s: Any) -> None:
    """A new game with the same rules, from the random state as it is."""
    s["totals"][:] = 0
    s["round"] = 0
    s["used_doubles"] = 0
    s["derails_gone"] = 0
    s["starter"] = -1
    s["winner"] = -1
    s["phase"] = UNDEALT
    begin_round(s, int64(-1), int64(-1))


@jit
def legal_all(games: Any, actions: Any, counts: Any) -> None:
    """The legal ids of every game: `actions[i, :counts[i]]`, int16 (games, width) and int32 (games,)."""
    for i in range(games.shape[0]):
        counts[i] = legal_actions(games[i], actions[i])


@jit
def step_all(games: Any, chosen: Any, actions: Any, counts: Any) -> None:
    """Carry out `chosen[i]` in every game, then write the next legal ids as legal_all; finished games start anew."""
    for i in range(games.shape[0]):
        s = games[i]
        advance(s, int64(chosen[i]))
        if s["phase"] == GAME_OVER:
            restart(s)
        counts[i] = legal_actions(s, actions[i])


@jit
def choose_random(rng: Any, actions: Any, counts: Any, chosen: Any) -> None:
    """`chosen[i]` = a uniformly random legal id of game `i`; `rng`: two uint64 words of random state, changed."""
    for i in range(counts.shape[0]):
        chosen[i] = actions[i, random_below(rng, int64(counts[i]))]
