"""Print where the time of self-play learning goes: `python -m tests.benchmarks.bench_training [CONFIG...]`.

A few updates of each configuration, rounds collected and learned from in one thread, in CPU seconds, with a network of
random weights. Aims: engine at most 15%, features at most 25% of all. *Network only* is what the same machine would
reach if there were nothing but the network: the forward passes of choosing, and the learning.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from mtrain_env.envs.selfplay import SelfPlayRounds
from training import collector, player
from training.checkpoint import new_run
from training.collector import Collector
from training.config import Config, load_config
from training.learning import Trainee
from training.network import CandidateNetwork
from training.value import value_update

CONFIGS = ("configs/core.yaml", "configs/pagat.yaml", "configs/dominoplay.yaml", "configs/deluxe.yaml")
UPDATES = 5
PARTS = ("engine", "features", "network", "bots", "choosing and targets", "update")
Spent = dict[str, float]


@contextmanager
def timed(spent: Spent) -> Iterator[None]:
    """Add to `spent` the CPU seconds of each part."""
    with ExitStack() as patches:
        for owner, name, part in (
            (SelfPlayRounds, "deal", "engine"),
            (SelfPlayRounds, "step", "engine"),
            (player, "write_rows", "features"),
            (torch.nn.Module, "__call__", "network"),
            (collector, "choose_each", "bots"),
        ):
            patches.enter_context(patch.object(owner, name, _timed(getattr(owner, name), spent, part)))
        yield


def _timed(function: Callable[..., Any], spent: Spent, part: str) -> Callable[..., Any]:
    """The function, its time counted; what it calls of the same part is not counted twice."""
    inside = False

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal inside
        if inside:
            return function(*arguments, **named)
        inside, began = True, time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            spent[part] += time.thread_time() - began
            inside = False

    return counted


def measure(config: Config) -> tuple[int, Spent]:
    """Return the decisions of UPDATES updates and what each part of them took."""
    trainee: Trainee = new_run(config).trainee
    network: CandidateNetwork = trainee.player()
    rounds = Collector(config, config.all_rules(), config.rounds)
    value_update(trainee, rounds.self_play(network, network, 0, 0.1), config, np.random.default_rng(0))
    spent: Spent = defaultdict(float)
    decisions = 0
    for k in range(1, UPDATES + 1):
        began = time.thread_time()
        with timed(spent):
            batch = rounds.self_play(network, network, k, 0.1)
        collected = time.thread_time()
        value_update(trainee, batch, config, np.random.default_rng(k))
        spent["collect"] += collected - began
        spent["update"] += time.thread_time() - collected
        decisions += len(batch)
    spent["choosing and targets"] = spent["collect"] - sum(spent[part] for part in PARTS[:4])
    return decisions, spent


def main(arguments: Sequence[str]) -> None:
    """Print a table."""
    torch.set_num_threads(1)
    print(f"{'':24}" + "".join(f"{part:>22}" for part in (*PARTS, "decisions/s", "network only")))
    for path in arguments or CONFIGS:
        config = load_config(path)
        decisions, spent = measure(config)
        whole = spent["collect"] + spent["update"]
        shares = "".join(f"{spent[part] / whole:>22.1%}" for part in PARTS)
        speeds = decisions / whole, decisions / (spent["network"] + spent["update"])
        print(f"{config.name:24}{shares}" + "".join(f"{speed:>22,.0f}" for speed in speeds))


if __name__ == "__main__":
    main(sys.argv[1:])
