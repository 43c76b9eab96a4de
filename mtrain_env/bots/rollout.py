"""What every searching bot is made of: deals drawn for a seat, rounds played out by hard, and which choice won.

All choices of a decision are played on the same deals, so that a choice is judged by the differences to the first
one, in which most of the luck cancels out. Sums are integers: they do not depend on the order in which deals are
played, nor on the number of threads.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.bot import Games, Ints
from mtrain_env.bots.hard import NEVER, PLAN, SCRATCH_SHAPE, choose_one, write_costs
from mtrain_env.bots.likely import WALK, make_likely
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import blank, determinize
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.rng import random_below, random_bits
from mtrain_env.engine.state import GAME, NONE
from mtrain_env.engine.turn import act

# What the seat knows, from which its deals are drawn; LIKELY is its view too, but how others play is considered.
ITS_VIEW, LIKELY, ALL_HANDS, EVERYTHING = range(4)

TAKEN: Final = NEVER + 1  # cost of a choice that is listed already
_S32 = np.uint64(32)


class Scratch(NamedTuple):
    """Work space of a search, one per thread; its content does not matter between calls."""

    seen: NDArray[Any]  # GAME[1]: what the seat knows of the game
    world: NDArray[Any]  # GAME[1]: a deal that agrees with it
    game: NDArray[Any]  # GAME[1]: the same, played out
    work: NDArray[Any]  # WORK[1], for determinize
    walk: NDArray[Any]  # WALK[1], for make_likely
    plans: NDArray[Any]  # PLAN[SCRATCH_SHAPE], for hard
    actions: NDArray[np.int16]  # [num_actions]: legal ids
    costs: NDArray[np.int64]  # [num_actions]: their costs
    rng: NDArray[np.uint64]  # [2]


def new_scratch(num_actions: int) -> Scratch:
    """Work space for one thread and games with so many action ids."""
    return Scratch(
        np.zeros(1, GAME),
        np.zeros(1, GAME),
        np.zeros(1, GAME),
        np.zeros(1, WORK),
        np.zeros(1, WALK),
        np.zeros(SCRATCH_SHAPE, PLAN),
        np.zeros(num_actions, np.int16),
        np.zeros(num_actions, np.int64),
        np.zeros(2, np.uint64),
    )


@jit
def look(knows: int, games: Games, g: int, scratch: Scratch) -> None:
    """Write to `scratch.seen` what the acting seat of game `g` knows: all that the search reads from then on."""
    if knows <= LIKELY:
        blank(games, g, int64(games[g]["seat"]), scratch.seen, 0)
    else:
        scratch.seen[0] = games[g]


@jit
def draw_world(knows: int, scratch: Scratch) -> None:
    """Write to `scratch.world` a deal that agrees with `scratch.seen`, drawn by `scratch.rng`."""
    if knows <= LIKELY:
        seat = int64(scratch.seen[0]["seat"])
        determinize(scratch.seen, 0, seat, scratch.world, 0, scratch.work, scratch.rng)
        if knows == LIKELY:
            make_likely(scratch.world[0], seat, scratch.work[0], scratch.walk[0], scratch.rng)
        return
    scratch.world[0] = scratch.seen[0]
    if knows == ALL_HANDS:
        s = scratch.world[0]
        first = int64(s["deck_next"])
        for k in range(int64(s["deck_size"]) - 1, first, -1):
            j = first + random_below(scratch.rng, k - first + 1)
            code = s["deck"][k]
            s["deck"][k] = s["deck"][j]
            s["deck"][j] = code
        s["rng"][0] = (random_bits(scratch.rng) << _S32) | random_bits(scratch.rng)
        s["rng"][1] = (random_bits(scratch.rng) << _S32) | random_bits(scratch.rng) | np.uint64(1)


@jit
def play_out(s: np.void, scratch: Scratch) -> None:
    """Play the round to its end, hard in every seat."""
    while True:
        count = legal_actions(s, scratch.actions)
        if count == 0:
            return
        k = choose_one(s, scratch.rng, scratch.actions, count, scratch.plans) if count > 1 else 0
        act(s, int64(scratch.actions[k]), NONE)


@jit
def lead_lost(s: np.void, seat: int) -> int:
    """The pips of `seat` in the finished round minus the others' mean, times the number of the others."""
    n = int64(s["num_players"])
    total = 0
    for other in range(n):
        total += int64(s["pips"][other])
    return n * int64(s["pips"][seat]) - total


@jit
def cheapest(costs: NDArray[np.int64], count: int, out: NDArray[np.int64]) -> int:
    """Write the indices of the cheapest of `costs[:count]` to `out`, cheapest first; how many they are."""
    used = min(count, out.shape[0])
    for c in range(used):
        best = 0
        for k in range(1, count):
            if costs[k] < costs[best]:
                best = k
        out[c] = best
        costs[best] = TAKEN
    return used


@jit
def list_choices(
    knows: int, games: Games, which: Ints, actions: Ints, counts: Ints, scratch: Scratch, choices: Ints, used: Ints
) -> None:
    """Write to `choices[k, :used[k]]` the best choices of game `which[k]` by hard, as indices into its legal ids."""
    for k in range(which.shape[0]):
        g = which[k]
        count = int64(counts[g])
        look(knows, games, g, scratch)
        write_costs(scratch.seen[0], actions[g], count, scratch.plans, scratch.costs)
        used[k] = cheapest(scratch.costs, count, choices[k])


@jit
def draw_words(rngs: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Fill `out[k, d]` with random words from the state `rngs[k]`."""
    for k in range(out.shape[0]):
        for d in range(out.shape[1]):
            out[k, d, 0] = (random_bits(rngs[k]) << _S32) | random_bits(rngs[k])
            out[k, d, 1] = (random_bits(rngs[k]) << _S32) | random_bits(rngs[k]) | np.uint64(1)


def new_words(games: Games, which: Ints, rngs: NDArray[np.uint64], deals: int) -> NDArray[np.uint64]:
    """Return the random words (games, deals, 2) of new deals for the games `which`, from their acting seats' state."""
    seats = games["seat"][which]
    words = np.zeros((len(which), deals, 2), np.uint64)
    states = rngs[which, seats]
    draw_words(states, words)
    rngs[which, seats] = states
    return words


@jit
def play_deals(
    knows: int,
    games: Games,
    which: Ints,
    actions: Ints,
    choices: Ints,
    used: Ints,
    words: NDArray[np.uint64],
    scratch: Scratch,
    sums: NDArray[np.int64],
) -> None:
    """Play every choice on the deals of `words`; add to `sums[k, c]` what it loses to the first one, and its square."""
    for k in range(which.shape[0]):
        g = which[k]
        seat = int64(games[g]["seat"])
        look(knows, games, g, scratch)
        for d in range(words.shape[1]):
            scratch.rng[0] = words[k, d, 0]
            scratch.rng[1] = words[k, d, 1]
            draw_world(knows, scratch)
            first = 0
            for c in range(used[k]):
                scratch.game[0] = scratch.world[0]
                s = scratch.game[0]
                act(s, int64(actions[g, choices[k, c]]), NONE)
                play_out(s, scratch)
                lost = lead_lost(s, seat)
                if c == 0:
                    first = lost
                sums[k, c, 0] += lost - first
                sums[k, c, 1] += (lost - first) ** 2


def play_in_threads(
    threads: int,
    knows: int,
    games: Games,
    which: Ints,
    actions: Ints,
    choices: Ints,
    used: Ints,
    words: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Return the sums of play_deals over all `words`, the deals shared out among `threads`."""
    width = int(games["num_actions"].max())

    def play(part: NDArray[np.uint64]) -> NDArray[np.int64]:
        sums = np.zeros((*choices.shape, 2), np.int64)
        play_deals(knows, games, which, actions, choices, used, part, new_scratch(width), sums)
        return sums

    parts = np.array_split(words, min(threads, words.shape[1]), axis=1)
    if len(parts) == 1:
        return play(words)
    with ThreadPoolExecutor(len(parts)) as pool:
        return np.sum(list(pool.map(play, parts)), axis=0)


class Weighed(NamedTuple):
    """What a search found of each of its games."""

    choices: NDArray[np.int64]
    """[games, candidates]: the choices that were compared, as indices into the legal ids, the favourite first."""
    used: NDArray[np.int64]
    """[games]: how many they are."""
    sums: NDArray[Any]
    """[games, candidates, 2]: over the deals, what each choice loses to the first one, and its square."""
    deals: NDArray[np.int64]
    """[games, candidates]: on how many deals each choice was compared with the first."""


def best_choices(sums: NDArray[Any], deals: int | NDArray[np.int64], gate: float) -> NDArray[np.int64]:
    """Return for each row of `sums[k, c]` (Weighed.sums) the choice that loses least, mostly the first.

    Another one must be better than the first by `gate` standard errors or more of the mean of their differences.
    """
    mean, error = mean_and_error(sums, deals)
    clear = (mean < 0) & (-mean >= gate * error)
    return np.argmin(np.where(clear, mean, 0.0), axis=1)


def mean_and_error(
    sums: NDArray[Any], deals: int | NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means of `sums[..., 0]` over so many deals, with their squares in `sums[..., 1]`, and their errors."""
    count = np.maximum(1, deals)
    mean = sums[..., 0] / count
    variance = np.maximum(sums[..., 1] / count - mean**2, 0) * count / np.maximum(1, count - 1)
    return mean, np.sqrt(variance / count)
