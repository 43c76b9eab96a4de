"""Episodes as compiled kernels over a batch of games: beginning them, playing on, paying, and showing them.

An *episode* is a whole game or one round (`MODE`). Everything that an environment asks of the engine is in this one
file, because numba notices a change of a kernel's own file only.
"""

# mypy: disable-error-code="arg-type, assignment, no-any-return"
# Fields of a GAME record are Any, and np.int64 and int are one type when compiled, which mypy tells apart.

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.encoding.observations import mask_from, observe
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.state import GAME_OVER, NONE, NUMBERS, RANDOM
from mtrain_env.engine.turn import act, begin_round

Games = NDArray[np.void]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Actions = NDArray[np.int16]
Counts = NDArray[np.int32]
Seats = NDArray[np.int8]
Bytes = NDArray[np.uint8]
Masks = NDArray[np.int8]
Singles = NDArray[np.float32]

PIPS, RELATIVE, WIN = range(3)
RAISE, TERMINATE, FIRST_LEGAL = range(3)

# A literal argument would have its own copy of the function compiled: hence np.int64.
_OPEN: Final = np.int64(-1)
_FIRST: Final = np.int64(0)

BEGIN: Final = -1
"""In place of an action: begin a new episode."""
FORFEIT: Final = -2
"""In place of an illegal action: the episode ends (TERMINATE)."""
PENALTY: Final = -1.0
"""The reward of a seat that ends the episode by an illegal action."""

MODE: Final = np.dtype(
    [
        ("per_round", np.int8),  # an episode is one round, not a game
        ("reward", np.int8),  # PIPS, RELATIVE, WIN
        ("illegal", np.int8),  # RAISE, TERMINATE, FIRST_LEGAL
        ("skip_forced", np.int8),  # single legal actions are carried out unasked
        ("num_openings", np.int8),
        ("openings", np.int8, (NUMBERS,)),  # opening doubles of a round that is an episode, equally likely
    ]
)
"""How episodes are played: an array of one such record."""


@jit
def _begin(games: Games, i: int, fresh: Games, mode: NDArray[np.void], opening: int, starter: int) -> None:
    """Begin an episode of game `i` from its random state as it is; `opening` and `starter`: -1 = left to chance."""
    first_word = games[i]["rng"][0]
    second_word = games[i]["rng"][1]
    games[i] = fresh[0]
    s = games[i]
    s["rng"][0] = first_word
    s["rng"][1] = second_word
    if mode[0]["per_round"] != 0:
        if opening < 0 and s["opening_order"] != RANDOM:
            opening = np.int64(mode[0]["openings"][random_below(s["rng"], np.int64(mode[0]["num_openings"]))])
        if starter < 0:
            starter = random_below(s["rng"], np.int64(s["num_players"]))
    begin_round(s, opening, starter)


@jit
def _share_win(scores: NDArray[np.int32], seats: int, due: Floats) -> None:
    """R24: 1, shared by the seats with the lowest score."""
    lowest = np.int64(scores[0])
    for seat in range(1, seats):
        lowest = min(lowest, np.int64(scores[seat]))
    winners = 0
    for seat in range(seats):
        if scores[seat] == lowest:
            winners += 1
    for seat in range(seats):
        if scores[seat] == lowest:
            due[seat] += 1.0 / winners


@jit
def _pay(s: np.void, mode: NDArray[np.void], due: Floats) -> None:
    """R23: add what the round just finished (with WIN, the episode) is worth to each seat to `due`."""
    n = np.int64(s["num_players"])
    if mode[0]["reward"] == WIN:
        if mode[0]["per_round"] != 0:
            _share_win(s["pips"], n, due)
        elif s["phase"] == GAME_OVER:
            _share_win(s["totals"], n, due)
        return
    everybody = 0
    for seat in range(n):
        everybody += np.int64(s["pips"][seat])
    for seat in range(n):
        own = np.int64(s["pips"][seat])
        if mode[0]["reward"] == PIPS:
            due[seat] -= own / 100.0
        else:
            due[seat] += ((everybody - own) / (n - 1) - own) / 100.0


@jit
def _settle(s: np.void, mode: NDArray[np.void], actions: Actions, due: Floats) -> int:
    """Go on to the next decision: pay a finished round, begin the next one, carry out what is forced if so asked.

    Write the legal ids of the decision to `actions`; return their number, 0 at the end of the episode.
    """
    while True:
        count = legal_actions(s, actions)
        if count == 0:
            _pay(s, mode, due)
            if s["phase"] == GAME_OVER or mode[0]["per_round"] != 0:
                return 0
            begin_round(s, _OPEN, _OPEN)
        elif count == 1 and mode[0]["skip_forced"] != 0:
            act(s, np.int64(actions[0]), NONE)
        else:
            return count


@jit
def _is_among(actions: Actions, count: int, action: int) -> bool:
    """Whether `action` is one of the ids actions[:count], which ascend."""
    for k in range(count):
        if actions[k] >= action:
            return actions[k] == action
    return False


@jit
def _check(which: Ints, chosen: Ints, mode: NDArray[np.void], actions: Actions, counts: Counts) -> int:
    """Put what the mode says in place of choices that are not legal; with RAISE return the first such game, else -1."""
    for k in range(which.shape[0]):
        g = which[k]
        if chosen[g] != BEGIN and not _is_among(actions[g], np.int64(counts[g]), chosen[g]):
            if mode[0]["illegal"] == RAISE:
                return g
            chosen[g] = FORFEIT if mode[0]["illegal"] == TERMINATE else np.int64(actions[g, 0])
    return -1


@jit
def play(
    which: Ints,
    games: Games,
    chosen: Ints,
    fresh: Games,
    mode: NDArray[np.void],
    openings: Ints,
    starters: Ints,
    actions: Actions,
    counts: Counts,
    seats: Seats,
    due: Floats,
) -> int:
    """Carry out chosen[g] in every game g of `which`, or begin a new episode there (BEGIN), and go on to a decision.

    openings[g] and starters[g], -1 = open, hold for a new episode. Written: actions[g, :counts[g]], the legal ids (none
    once the episode is over), seats[g], who is to move, and due[g], to which payments are added by seat. Illegal
    choices are replaced in `chosen`, unless the mode is RAISE: then no game is changed, and the return value is -1 - g
    for the first game g whose choice is refused. Else it is the number of entries of due[g] that are not 0.
    """
    refused = _check(which, chosen, mode, actions, counts)
    if refused >= 0:
        return -1 - refused
    unpaid = 0
    for k in range(which.shape[0]):
        g = which[k]
        s = games[g]
        if chosen[g] == FORFEIT:
            due[g, np.int64(s["seat"])] += PENALTY
            counts[g] = 0
        else:
            if chosen[g] == BEGIN:
                _begin(games, g, fresh, mode, openings[g], starters[g])
            else:
                act(s, chosen[g], NONE)
            counts[g] = _settle(s, mode, actions[g], due[g])
            seats[g] = s["seat"]
        for seat in range(due.shape[1]):
            if due[g, seat] != 0.0:
                unpaid += 1
    return unpaid


@jit
def settle(
    which: Ints, games: Games, mode: NDArray[np.void], actions: Actions, counts: Counts, seats: Seats, due: Floats
) -> None:
    """Go on to a decision in every game g of `which`, in which actions were carried out elsewhere; as in `play`."""
    for k in range(which.shape[0]):
        g = which[k]
        counts[g] = _settle(games[g], mode, actions[g], due[g])
        seats[g] = games[g]["seat"]


@jit
def _show(games: Games, g: int, seat: int, offsets: Ints, reciprocals: Singles, rows: Bytes, floats: Singles) -> None:
    """Write what `seat` knows of game `g`: as bytes to rows[g], or as float32 to floats[g] if that has rows."""
    if floats.shape[0] == 0:
        observe(games, g, seat, offsets, rows[g])
        return
    row = rows[0]
    out = floats[g]
    observe(games, g, seat, offsets, row)
    for k in range(out.shape[0]):
        out[k] = row[k] * reciprocals[k]


@jit
def show_one(
    seat: int,
    count: int,
    out: Singles,
    mask: Masks,
    games: Games,
    actions: Actions,
    offsets: Ints,
    reciprocals: Singles,
    row: Bytes,
) -> None:
    """Write what `seat` knows of game 0 to `out`, and actions[0, :count] as a mask to `mask`; `row` is scratch."""
    observe(games, _FIRST, seat, offsets, row)
    for k in range(out.shape[0]):
        out[k] = row[k] * reciprocals[k]
    mask_from(actions[0], count, mask)


@jit
def show(
    games: Games,
    which: Ints,
    seats: Seats,
    offsets: Ints,
    reciprocals: Singles,
    rows: Bytes,
    floats: Singles,
    actions: Actions,
    counts: Counts,
    masks: Masks,
) -> None:
    """Write what seats[g] knows of each game g of `which`, as _show does, and actions[g, :counts[g]] to masks[g]."""
    for k in range(which.shape[0]):
        g = which[k]
        _show(games, g, np.int64(seats[g]), offsets, reciprocals, rows, floats)
        mask_from(actions[g], np.int64(counts[g]), masks[g])


@jit
def _begin_anew(games: Games, i: int, fresh: Games, mode: NDArray[np.void], actions: Actions, due: Floats) -> int:
    """Begin episodes of game `i` until one has a decision; the number of its legal ids, written to `actions`."""
    count = 0
    while count == 0:
        due[:] = 0.0
        _begin(games, i, fresh, mode, _OPEN, _OPEN)
        count = _settle(games[i], mode, actions, due)
    return count


@jit
def step_all(
    games: Games,
    everyone: Ints,
    chosen: Ints,
    fresh: Games,
    mode: NDArray[np.void],
    actions: Actions,
    counts: Counts,
    seats: Seats,
    due: Floats,
    offsets: Ints,
    reciprocals: Singles,
    rows: Bytes,
    floats: Singles,
    masks: Masks,
    rewards: Floats,
    terminated: NDArray[np.bool_],
    final_rows: Bytes,
    final_floats: Singles,
) -> int:
    """One step of self-play in every game: act, pay, begin a new episode where one is over, observe and mask.

    rewards[g] is what every seat is paid; where terminated[g], the final observation of the seat that moved last is
    written to `final_rows` or `final_floats`. `everyone` is 0..games-1. All else is as in `play` and `show`.
    """
    n = games.shape[0]
    as_bytes = floats.shape[0] == 0
    skip_forced = mode[0]["skip_forced"] != 0
    refused = _check(everyone, chosen, mode, actions, counts)
    if refused >= 0:
        return -1 - refused
    for g in range(n):
        s = games[g]
        count = 0
        if chosen[g] == FORFEIT:
            due[g, np.int64(s["seat"])] += PENALTY
        else:
            act(s, chosen[g], NONE)
            count = legal_actions(s, actions[g])
            if count == 0 or (count == 1 and skip_forced):  # to settle in every case is 10 % slower
                count = _settle(s, mode, actions[g], due[g])
        for seat in range(rewards.shape[1]):
            rewards[g, seat] = due[g, seat]
            due[g, seat] = 0.0
        terminated[g] = count == 0
        if count == 0:
            _show(games, g, np.int64(seats[g]), offsets, reciprocals, final_rows, final_floats)
            count = _begin_anew(games, g, fresh, mode, actions[g], due[g])
        counts[g] = count
        seats[g] = s["seat"]
        row = rows[g if as_bytes else 0]
        observe(games, g, np.int64(s["seat"]), offsets, row)
        if not as_bytes:
            for k in range(row.shape[0]):
                floats[g, k] = row[k] * reciprocals[k]
        mask_from(actions[g], count, masks[g])
    return 0
