"""Print what search gains a decision, and its cost: `python -m tests.benchmarks.bench_search [BUNDLE [DECISIONS]]`.

Decisions of the bundle in one seat among hard, `core` with 4 players. Their best four moves are played out to the end
of the round with the hands as they are, the boneyard in 24 orders, the network in the own seat and hard in the others:
that is the truth, with noise that averages out over decisions. Then search chooses, on deals drawn from what the seat
knows, uniform and likely ones, with several numbers of turns, deals and gates. Its gain is the truth of its choice
less that of the network's own, with a 95% interval over decisions.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.hard import PLAN, SCRATCH_SHAPE
from mtrain_env.bots.learned import network_of
from mtrain_env.bots.rollout import ALL_HANDS, ITS_VIEW, LIKELY, Scratch, best_choices, new_scratch
from mtrain_env.bots.scripted import HARD, choose_each
from mtrain_env.bots.search import Judge, judge_of, look_ahead
from mtrain_env.envs.selfplay import SelfPlayRounds, round_words
from mtrain_env.rules import Rules

RULES = Rules.preset("core")
SEED = 1_000_003
MOVES, TRUTH, TO_THE_END = 4, 24, 10_000
SHARE = 0.15
"""Of the decisions that are met."""
SEARCHES = ((ITS_VIEW, "uniform", 3), (LIKELY, "likely", 1), (LIKELY, "likely", 3), (LIKELY, "likely", TO_THE_END))
DEALS, GATES = (50, 200), (0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Decision:
    """A seat's choice."""

    game: NDArray[Any]  # GAME[1]
    actions: NDArray[np.int16]  # legal ids
    choices: NDArray[np.int64]  # indices of the best moves, the network's own first


def decisions(judge: Judge, count: int, rules: Rules = RULES) -> list[Decision]:
    """Play rounds until `count` decisions are drawn."""
    rng, found, row = np.random.default_rng(SEED), list[Decision](), 0
    env, plans = SelfPlayRounds(rules, 64), np.zeros(SCRATCH_SHAPE, PLAN)
    rounds, players = len(env.games), rules.num_players
    while len(found) < count:
        waiting, chosen = env.deal(SEED, 0, row), np.zeros(rounds, np.int64)
        words = np.repeat(round_words(rounds, SEED, 1, row)[:, None, :], players, axis=1)
        own, row = rng.integers(0, players, rounds), row + 1
        while len(waiting):
            mine = env.seats[waiting] == own[waiting]
            if mine.any():
                score, _ = judge(env.games, waiting[mine], env.actions, env.counts)
                ends = np.cumsum(env.counts[waiting[mine]])
                for g, its in zip(waiting[mine], np.split(score, ends[:-1]), strict=True):
                    best = np.argsort(-its, kind="stable")[:MOVES]
                    chosen[g] = best[0]
                    if rng.random() < SHARE:
                        found.append(
                            Decision(env.games[g : g + 1].copy(), env.actions[g, : env.counts[g]].copy(), best)
                        )
            choose_each(HARD, env.games, waiting[~mine], env.actions, env.counts, words, chosen, plans)
            waiting = env.step(chosen)
    return found[:count]


def tables(
    judge: Judge, asked: Sequence[Decision], deals: int, turns: int, knows: int, stream: int
) -> list[NDArray[np.float64]]:
    """Return the pips lost by deal and move of each decision."""
    scratch: Scratch = new_scratch(int(asked[0].game["num_actions"][0]))
    words = round_words(len(asked) * deals, SEED, 2, stream).reshape(len(asked), deals, 2)
    return [
        look_ahead(judge, [one.game], [one.actions], [one.choices], words[k : k + 1], scratch, turns, knows)[0]
        for k, one in enumerate(asked)
    ]


def chosen(table: NDArray[np.float64], gate: float) -> int:
    """Return the move that search would choose."""
    lost = table - table[:, :1]
    sums = np.stack([lost.sum(axis=0), (lost**2).sum(axis=0)], axis=1)[None]
    return int(best_choices(sums, len(table), gate)[0])


def main(arguments: Sequence[str]) -> None:
    """Print a table."""
    name, count = (*arguments, *("core", "300")[len(arguments) :])
    bundle = load_bundle(name)
    judge = judge_of(network_of(bundle), bundle.policy.rows.node_cap)
    asked = decisions(judge, int(count))
    truth = [table.mean(axis=0) for table in tables(judge, asked, TRUTH, TO_THE_END, ALL_HANDS, 0)]
    print(f"{len(asked)} decisions of {name}, core, 4 players")
    print(f"{'deals':>10}{'turns':>6}{'how many':>9}{'gate':>6}{'gain, pips':>22}{'other moves':>13}{'CPU ms':>8}")
    for stream, (knows, kind, turns) in enumerate(SEARCHES, 1):
        began = time.thread_time()
        found = tables(judge, asked, DEALS[-1], turns, knows, stream)
        each = (time.thread_time() - began) / len(asked) / DEALS[-1] * 1000
        looks = "all" if turns == TO_THE_END else turns
        for deals in DEALS:
            for gate in GATES:
                moves = [chosen(table[:deals], gate) for table in found]
                gain = np.array([real[0] - real[move] for real, move in zip(truth, moves, strict=True)])
                text = f"{gain.mean():+.3f} +- {1.96 * gain.std() / np.sqrt(len(gain)):.3f}"
                other = np.mean(np.array(moves) > 0)
                print(
                    f"{kind:>10}{looks:>6}{deals:>9}{gate:>6}{text:>22}{other:>13.1%}{deals * each:>8.1f}", flush=True
                )


if __name__ == "__main__":
    main(sys.argv[1:])
