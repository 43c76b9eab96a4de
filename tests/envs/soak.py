"""What seats see, at length: `python -m tests.envs.soak [--triples N] [--states N] [--processes N]`.

Two proofs over every preset with every number of players, every variation and some rules that no preset has:
that nothing hidden shows (leaks.py: triples of state, seat and world), and that nothing is missing (a decoder rebuilds
the public state and the own hand from the observation alone). Prints what was compared and what was wrong.
"""

import argparse
import multiprocessing
import sys
import time
from collections import Counter

import numpy as np

from mtrain_env.encoding.observation_layout import ObservationLayout
from mtrain_env.presets import PLAYERS
from mtrain_env.rules import Rules
from tests.encoding.reading import check_says_enough
from tests.encoding.worlds import all_rules, positions
from tests.envs.leaks import watch

TEXTS, PICTURES = 97, 997  # every so many triples; primes, so that every kind of world has its turn


def soak_rules() -> list[Rules]:
    """The rules of the small tests, every number of players of every preset, and large tables that no preset has."""
    rules = all_rules()
    rules += [Rules.preset(preset, num_players=n) for preset, players in PLAYERS.items() for n in players]
    rules += [Rules.preset("core", name="custom", num_players=n, max_pip=18) for n in (5, 6, 7, 8, 12)]
    rules += [Rules.preset("deluxe", name="custom", num_players=n, max_pip=15) for n in (12, 16)]
    return list({str(one.as_dict()): one for one in rules}.values())


def decode_many(rules: Rules, seed: int, states: int) -> tuple[int, list[str]]:
    """Read back the observation of one seat in so many states; how many, and the first that were not what they were."""
    layout, chance, wrong = ObservationLayout(rules), np.random.default_rng(seed), list[str]()
    read = 0
    for games in positions(rules, seed, states):
        seat = int(chance.integers(rules.num_players))
        read += 1
        try:
            check_says_enough(layout, games, seat)
        except AssertionError as difference:
            wrong.append(f"{rules}, seat {seat}: {difference}")
    return read, wrong


def prove(job: tuple[int, Rules, int, int]) -> tuple[Rules, Counter[str], Counter[str], list[str]]:
    """A share of both proofs: rules, counts, leaks by door, states that could not be rebuilt."""
    seed, rules, triples, states = job
    found = watch(rules, seed, triples, texts=TEXTS, pictures=PICTURES)
    read, wrong = decode_many(rules, seed + 1, states)
    found.counts["decoded"] = read - len(wrong)
    found.counts["read"] = read
    return rules, found.counts, found.leaks, wrong


def main(arguments: list[str] | None = None) -> int:
    """The command line; 1 if anything was wrong, or too little was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    rules = soak_rules()
    shares = [-(-number // len(rules)) for number in (given.triples, given.states)]
    jobs = [(1000 + 2 * k, one, *shares) for k, one in enumerate(rules)]
    counts: dict[str, Counter[str]] = {}
    leaks: Counter[str] = Counter()
    wrong: list[str] = []
    began = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for k, (one, counted, leaked, lacking) in enumerate(pool.imap_unordered(prove, jobs), 1):
            counts.setdefault(f"{one.name}, {one.num_players} players", Counter()).update(counted)
            leaks += leaked
            wrong += lacking
            if k % 10 == 0:
                print(f"{k}/{len(jobs)} rules, {time.monotonic() - began:.0f} s, {leaks.total()} leaks", flush=True)
    return report(counts, leaks, wrong)


def report(counts: dict[str, Counter[str]], leaks: Counter[str], wrong: list[str]) -> int:
    """Print the table; 1 if anything was wrong."""
    columns = ("states", "triples", "changed", "texts", "pictures", "read", "decoded")
    print(f"{'':<26}" + "".join(f"{name:>10}" for name in columns))
    everything = sum(counts.values(), Counter[str]())
    for name, row in [*sorted(counts.items()), ("all", everything)]:
        print(f"{name:<26}" + "".join(f"{row[column]:>10,}" for column in columns))
    print(f"leaks: {leaks.total()}", *(f"{door}: {number}" for door, number in leaks.items()), sep="\n  ")
    share = everything["decoded"] / everything["read"]
    print(f"rebuilt from the observation alone: {share:.4%} of {everything['read']:,} states")
    print("\n".join(wrong[:3]))
    return 1 if leaks or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
