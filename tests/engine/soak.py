"""The engine against the reference on millions of random decisions: `python -m tests.engine.soak [--decisions N]`.

For each preset its decisions are spread over all player counts, all its variations, small hands and random fields.
Prints the decisions compared, the differences, and how often each rule was put to work.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

from mtrain_env.presets import PLAYERS, VARIATIONS
from mtrain_env.rules import Rules
from tests.engine.differential import compare_game
from tests.engine.random_rules import random_rules
from tests.engine.rule_hits import ALL_IDS

CHUNK = 25_000


def some_rules(preset: str, chance: random.Random) -> Iterator[Rules]:
    """Without end: the preset with every player count, its variations, and random rules that share its character."""
    players = PLAYERS[preset]
    while True:
        for count in players:
            yield Rules.preset(preset, num_players=count, num_rounds=3)
        for name, (of, changed) in VARIATIONS.items():
            if of == preset:
                some = {} if "hand_size" in changed else {"num_players": chance.choice(players)}
                yield Rules.preset(name, **some)
        character = Rules.preset(preset).as_dict()
        kept = {key: character[key] for key in ("double_follow_up", "double_duty", "first_turn", "special_tiles")}
        for _ in range(len(players)):
            yield random_rules(chance, **(kept if preset == "deluxe" or chance.random() < 0.6 else {}))


def compare_chunk(job: tuple[str, int]) -> tuple[str, int, list[str], Counter[str]]:
    """About CHUNK decisions of a preset: preset, decisions, differences, hits by rule."""
    preset, number = job
    chance = random.Random(f"soak {preset} {number}")
    rules = some_rules(preset, chance)
    hits: Counter[str] = Counter()
    differences: list[str] = []
    done = 0
    while done < CHUNK:
        try:
            done += compare_game(next(rules), chance.randrange(1 << 40), hits)
        except AssertionError as difference:
            differences.append(str(difference))
            done += 1
    return preset, done, differences, hits


def main() -> int:
    """The command line; 1 if a difference was found or a rule was hardly met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=1_000_000, help="for each preset")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    jobs = [(preset, k) for k in range(-(-given.decisions // CHUNK)) for preset in PLAYERS]
    decisions: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    differences: list[str] = []
    began = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for k, (preset, done, found, hit) in enumerate(pool.imap_unordered(compare_chunk, jobs), 1):
            decisions[preset] += done
            differences += found
            hits += hit
            if found or k % 8 == 0:
                seconds = time.monotonic() - began
                print(
                    f"{k}/{len(jobs)} chunks, {decisions.total()} decisions, {seconds:.0f} s, "
                    f"{len(differences)} differences",
                    flush=True,
                )
    print("\n\n".join(differences[:3]))
    print("decisions:", dict(decisions), f"differences: {len(differences)}")
    print("hits:", ", ".join(f"{tag} {count}" for tag, count in sorted(hits.items(), key=_order)))
    rare = [rule for rule in ALL_IDS if hits[rule] < 100]
    print("rules under 100 hits:", ", ".join(rare) or "none")
    return 1 if differences or rare else 0


def _order(item: tuple[str, int]) -> tuple[str, int, str]:
    first = item[0].split()[0]
    return first[0], int(first[1:]), item[0]


if __name__ == "__main__":
    sys.exit(main())
