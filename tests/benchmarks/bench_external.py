"""Bots that are programs: what a decision costs beside the program's own time.

The program is the Python example of docs/bots.md. Its own time is what the same lines take inside this process: reading
the message, choosing, writing the answer.

    python -m tests.benchmarks.bench_external

A decision may cost a millisecond over the program's own time. Two processes take turns, so a busy machine shows more.
"""

import json
import re
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from mtrain_env.bot import View, make_bot, view_of
from mtrain_env.bots.external import External
from mtrain_env.bots.external.messages import act_message
from mtrain_env.game import Game
from mtrain_env.rules import Rules

EXAMPLE: Final = Path(__file__).parents[2] / "docs" / "examples" / "heaviest.py"


def decisions(rules: Rules, games: int) -> list[View]:
    """Return the views of all decisions with a choice in some rounds of hard against itself."""
    bot, rng = make_bot("hard"), np.random.default_rng(0)
    found = []
    for seed in range(games):
        game = Game(rules, seed)
        while (seat := game.seat) is not None:
            ids = np.array(game.legal_ids(), np.int16)
            view = view_of(game.games, 0, seat, ids)
            if len(ids) > 1:
                found.append(view)
            (choice,) = bot.act([view], rng)
            game.act(int(ids[choice]))
    return found


def microseconds(work: Callable[[View], object], views: Sequence[View]) -> float:
    """Return the median time of one call over all views, the fastest of three tries for each."""
    best = []
    for view in views:
        tries = []
        for _ in range(3):
            began = time.perf_counter()
            work(view)
            tries.append(time.perf_counter() - began)
        best.append(min(tries))
    return 1e6 * statistics.median(best)


def own_work(view: View) -> Callable[[View], object]:
    """Return what the example does for one line, as a function."""
    line = json.dumps(act_message(view, 1, 1000, np.ones(2, np.uint64)), separators=(",", ":"))

    def work(_: View) -> str:
        message = json.loads(line)
        pips = [sum(map(int, re.findall(r"\d+", move["text"].split(">")[0]))) for move in message["legal"]]
        return json.dumps({"type": "move", "id": message["id"], "index": pips.index(max(pips))})

    return work


def main() -> None:
    """Print a line for each set of rules."""
    rng = np.random.default_rng(0)
    print("microseconds a decision; the program is docs/examples/heaviest.py")
    print(f"{'rules':22}{'bytes':>8}{'in all':>9}{'its own':>9}{'over it':>9}")
    command = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(EXAMPLE))}"
    bot = External(command)
    try:
        for preset, players in (("core", 4), ("pagat", 4), ("deluxe", 4), ("dominoplay", 16)):
            views = decisions(Rules.preset(preset, num_players=players), 4)
            size = statistics.mean(len(json.dumps(act_message(v, 1, 1000, np.ones(2, np.uint64)))) for v in views)
            whole = microseconds(lambda view: bot.act([View(view.game, view.seat, view.legal)], rng), views)
            own = statistics.median(microseconds(own_work(view), [view]) for view in views)
            print(f"{f'{preset}, {players} players':22}{size:8.0f}{whole:9.0f}{own:9.0f}{whole - own:9.0f}")
            assert not bot.take_incidents()
    finally:
        bot.close()


if __name__ == "__main__":
    main()
