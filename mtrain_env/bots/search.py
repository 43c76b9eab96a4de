"""Search: the policy of a bundle that looks ahead to its own next turns.

The best few actions by the network's score are played on likely deals (likely.py), hard in every seat, up to the next
choice of the own seat in a later turn. There the network chooses, and so on for a few `turns`. At the last of them it
says how the round will end, by the value of the action that it would choose; where the round is over before, its pips
count. As expert, it leaves its first choice only for one that is clearly better (`gate`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.bot import Games, Ints
from mtrain_env.bots import rollout
from mtrain_env.bots.bundle import Bundle, load_bundle
from mtrain_env.bots.expert import MOST_DEALS, Options, options
from mtrain_env.bots.hard import choose_one
from mtrain_env.bots.learned import network_of, write_rows
from mtrain_env.bots.networks import Backend, Floats, Network, pick
from mtrain_env.bots.reasons import Searcher
from mtrain_env.bots.rollout import Scratch, draw_world, lead_lost, look
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from mtrain_env.engine.legal import legal_actions
from mtrain_env.engine.state import GAME, NONE
from mtrain_env.engine.turn import act
from mtrain_env.errors import BotError

Judge = Callable[[Games, Ints, Ints, Ints], tuple[Floats, Floats]]
"""games, which, actions, counts -> score (R,) and value (R, 2) of all legal actions of the games `which`."""


@dataclass(frozen=True)
class SearchOptions(Options):
    """How much a bundle searches."""

    turns: int = 1
    """Own turns that are looked ahead."""


# What a decision gains over the network's own choice, in pips, on 2,500 decisions of the bundle core (python -m
# tests.benchmarks.bench_search core 2500), 200 deals and a gate of 0.5: likely deals, one turn 0.43, three 0.58, to the
# end of the round 0.67; uniform deals, three turns 0.45; all +- 0.25. With 50 deals 0.3 to 0.6.
USUAL: Final = SearchOptions(rollouts=200, gate=0.5, turns=6)
CHUNK: Final = 25
"""Deals whose leaves go through the network together, and between two looks at the clock."""
HOPELESS: Final = 1.5
"""A choice is played on no more deals once it is worse than the first by so many standard errors."""
PIPS: Final = 100.0
"""Pips in a unit of the network's value."""


@jit
def play_to_next_turn(s: np.void, seat: int, actions: NDArray[np.int16], scratch: Scratch) -> int:
    """Play on, hard in every seat, to a choice of `seat` in a later turn; how many legal ids it has, 0 at the end."""
    away = False
    while True:
        count = legal_actions(s, actions)
        away = away or s["seat"] != seat
        if count == 0 or (count > 1 and away and s["seat"] == seat):
            return count
        k = choose_one(s, scratch.rng, actions, count, scratch.plans) if count > 1 else 0
        act(s, int64(actions[k]), NONE)


@jit
def deal_leaves(
    knows: int,
    actions: NDArray[np.int16],
    choices: NDArray[np.int64],
    words: NDArray[np.uint64],
    scratch: Scratch,
    leaves: Games,
    leaf_actions: NDArray[np.int16],
) -> None:
    """Write a leaf for every deal of `words` and choice of the game `scratch.seen`: the deal, and the choice's id."""
    leaf = 0
    for d in range(words.shape[0]):
        scratch.rng[0] = words[d, 0]
        scratch.rng[1] = words[d, 1]
        draw_world(knows, scratch)
        for c in range(choices.shape[0]):
            leaves[leaf] = scratch.world[0]
            leaf_actions[leaf, 0] = actions[choices[c]]
            leaf += 1


@jit
def play_leaves(
    leaves: Games,
    on: Ints,
    seats: Ints,
    chosen: Ints,
    actions: NDArray[np.int16],
    counts: NDArray[np.int32],
    lost: NDArray[np.float64],
    scratch: Scratch,
) -> None:
    """Carry out `actions[leaf, chosen[leaf]]` in each leaf of `on`, and play it to the next turn of its seat.

    A leaf then has `counts[leaf]` legal ids in `actions[leaf]`; or none, and in `lost` the own pips minus the others'.
    """
    for k in range(on.shape[0]):
        leaf = on[k]
        s = leaves[leaf]
        seat = int64(seats[leaf])
        act(s, int64(actions[leaf, chosen[leaf]]), NONE)
        counts[leaf] = play_to_next_turn(s, seat, actions[leaf], scratch)
        if counts[leaf] == 0:
            lost[leaf] = lead_lost(s, seat) / (int64(s["num_players"]) - 1)


def look_ahead(
    judge: Judge,
    games: Sequence[Games],
    actions: Sequence[Ints],
    choices: Sequence[NDArray[np.int64]],
    words: NDArray[np.uint64],
    scratch: Scratch,
    turns: int,
    knows: int,
) -> list[NDArray[np.float64]]:
    """Return for each decision, by deal and choice, how many pips more than the others' mean its seat will lose.

    Decision k is that of the acting seat of `games[k]` (GAME[1]): its legal ids `actions[k]`, the indices `choices[k]`
    of those to be compared, all on the same deals, drawn by `words[k]` (deals, 2) from what it `knows` (rollout.py).
    The leaves of all decisions are judged together, `turns` times.
    """
    deals = words.shape[1]
    ends = np.cumsum([0] + [deals * len(indices) for indices in choices])
    leaves: NDArray[Any] = np.zeros(ends[-1], GAME)
    leaf_actions = np.zeros((len(leaves), len(scratch.actions)), np.int16)
    counts = np.zeros(len(leaves), np.int32)
    lost = np.zeros(len(leaves))
    for k, (first, last) in enumerate(pairwise(ends)):
        look(knows, games[k], 0, scratch)
        deal_leaves(knows, actions[k], choices[k], words[k], scratch, leaves[first:last], leaf_actions[first:last])
    seats = np.repeat([int(game[0]["seat"]) for game in games], np.diff(ends))
    on, chosen = np.arange(len(leaves)), np.zeros(len(leaves), np.int64)
    for _ in range(turns):
        play_leaves(leaves, on, seats, chosen, leaf_actions, counts, lost, scratch)
        on = np.flatnonzero(counts)
        if not len(on):
            break
        score, value = judge(leaves, on, leaf_actions, counts)
        pick(score, on, counts, chosen)
    if len(on):
        own, others = value[np.cumsum(counts[on]) - counts[on] + chosen[on]].T.astype(np.float64)
        lost[on] = (own - others) * PIPS
    return [lost[first:last].reshape(deals, -1) for first, last in pairwise(ends)]


def judge_of(network: Network, node_cap: int) -> Judge:
    """Return the judge that a network of full candidate rows is."""
    scratch = new_scratch()

    def judge(games: Games, which: Ints, actions: Ints, counts: Ints) -> tuple[Floats, Floats]:
        rows = np.empty((int(counts[which].sum()), CAND_WIDTH), np.float32)
        write_rows(games, which, actions, counts, node_cap, scratch, rows)
        return network(rows)

    return judge


class Search(Searcher):
    """The bot of a bundle, with a search."""

    def __init__(self, bundle: Bundle, searched: SearchOptions, backend: Backend = "onnx") -> None:
        self.name = f"search:{bundle.name}{searched.text(USUAL)}"
        self.options, self._turns = searched, searched.turns
        self._network = network_of(bundle, backend)
        self._node_cap = bundle.policy.rows.node_cap

    def weigh(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64]
    ) -> rollout.Weighed:
        """Return the best few choices of each game and how they did, as Searcher says."""
        scratch = rollout.new_scratch(int(games["num_actions"].max()))
        judge = judge_of(self._network, self._node_cap)
        shape = (len(which), self.options.candidates)
        found = rollout.Weighed(
            np.zeros(shape, np.int64), np.zeros(len(which), np.int64), np.zeros((*shape, 2)), np.zeros(shape, np.int64)
        )
        wanted = MOST_DEALS if self.options.ms else self.options.rollouts
        for k, g in enumerate(map(int, which)):
            end = time.perf_counter() + self.options.ms / 1000
            score, _ = judge(games, np.array([g]), actions, counts)
            choices = self._choices(score)
            found.choices[k, : len(choices)], found.used[k], deals = choices, len(choices), 0
            open_ones = np.arange(len(choices))
            while deals == 0 or (
                len(open_ones) > 1 and deals < wanted and (not self.options.ms or time.perf_counter() < end)
            ):
                words = rollout.new_words(games, np.array([g]), rngs, min(CHUNK, wanted - deals))
                asked = [games[g : g + 1]], [actions[g]], [choices[open_ones]]
                lost = look_ahead(judge, *asked, words, scratch, self._turns, rollout.LIKELY)[0]
                lost -= lost[:, :1].copy()
                found.sums[k, open_ones] += np.stack([lost.sum(axis=0), (lost**2).sum(axis=0)], axis=1)
                deals += len(lost)
                found.deals[k, open_ones] = deals
                mean, error = rollout.mean_and_error(found.sums[k, open_ones], deals)
                open_ones = open_ones[(mean < HOPELESS * error) | (open_ones == 0)]
        return found

    def units(self, others: int) -> int:
        """Return how many units of the sums of `weigh` a pip is."""
        return 1

    def _choices(self, score: Floats) -> NDArray[np.int64]:
        """Return the best choices by their scores, the favourite (learned.pick) first."""
        favourite = np.zeros(1, np.int64)
        pick(score, np.zeros(1, np.int64), np.array([len(score)]), favourite)
        order = np.argsort(-score, kind="stable")
        return np.append(favourite, order[order != favourite[0]])[: self.options.candidates]


def make(text: str, backend: Backend = "onnx") -> Search:
    """Return the bot for `NAME` or `NAME:OPTIONS`: a bundle as learned.make, options as expert.options."""
    bundle, _, rest = text.partition(":")
    searched = options(f"search:{bundle}", rest, USUAL)
    if searched.threads != 1:
        raise BotError(f"The bot 'search:{bundle}' searches in one thread.")
    if searched.turns < 1:
        raise BotError(f"The bot 'search:{bundle}' looks 1 or more turns ahead, not {searched.turns}.")
    return Search(load_bundle(bundle), searched, backend)
