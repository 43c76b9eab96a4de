"""The whole job: `python -m training configs/smoke.yaml` learns, measures, exports, and plays a round."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mtrain_env.bot import Bot, make_bot, view_of
from mtrain_env.evaluation.matches import MatchResult
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from training.checkpoint import Run, player_of
from training.config import REPORT_SEED, Config, load_config
from training.export import export_network, measured, origin_of
from training.selfplay import describe_end, parser, status_of, train
from training.strength import sentence, strength

LADDER = ("easy", "medium", "hard")


def final_matches(config: Config, run: Run) -> list[MatchResult]:
    """Play the finished network against every level, for each player count, on deals used for nothing else."""
    network = player_of(config, run.trainee)
    results = []
    print(f"Matches on the report deals (seed {REPORT_SEED}), 95% intervals:", flush=True)
    for rules in config.all_rules():
        for level in LADDER:
            results.append(strength(network, config.node_cap, rules, level, config.match_deals, REPORT_SEED))
            print("  " + sentence(results[-1]), flush=True)
    return results


def export(config: Config, run: Run, results: Sequence[MatchResult], out: Path) -> Path:
    """Write the network as a bundle that anybody can play against."""
    origin = origin_of(config, run.progress, [measured(result) for result in results])
    return export_network(player_of(config, run.trainee), out, origin)


def show_round(bot: Bot, rules: Rules, seed: int) -> list[str]:
    """Play a round with `bot` in seat 0 among hard; return it as text, a line a choice (forced moves left out)."""
    game, others, rng = Game(rules, seed), make_bot("hard"), np.random.default_rng(seed)
    opening = int(game.state["opening"])
    lines = [f"A round with opening double {opening}-{opening}: P0 is {bot.name}, the others are {others.name}."]
    while not game.round_over:
        seat, legal = game.seat or 0, np.array(game.legal_ids(), np.int16)
        move = 0
        if len(legal) > 1:
            player = bot if seat == 0 else others
            (move,) = player.act([view_of(game.games, 0, seat, legal)], rng)
            lines.append(f"  P{seat}: {game.legal()[move]}")
        game.act(int(legal[move]))
    lines.append(f"Pips left: {', '.join(f'P{seat} {pips}' for seat, pips in enumerate(game.totals))}.")
    return lines


def run_job(config: Config, folder: Path, out: Path, *, restart: bool) -> int:
    """Learn, measure, export and play; return the exit status."""
    began = time.monotonic()
    run, done = train(config, folder, restart=restart)
    print(describe_end(run, folder, done))
    if not done:
        return 130
    results = final_matches(config, run)
    bundle = export(config, run, results, out)
    print(f"Exported to {out}: play against it as learned:{out}")
    bot = make_bot(f"learned:{bundle}")
    print("\n".join(show_round(bot, config.all_rules()[0], REPORT_SEED)))
    print(f"All in {time.monotonic() - began:.0f} s.")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = parser("Learn by self-play, play matches against the scripted bots, export, and play a round.")
    options.add_argument("config", type=Path, help="settings in YAML, such as configs/smoke.yaml")
    options.add_argument("--out", type=Path, help="folder of the bundle (the run's folder /bundle/NAME)")
    given: argparse.Namespace = options.parse_args(arguments)

    def job() -> int:
        config = load_config(given.config, given.set)
        folder = given.run_dir or Path("runs") / config.name
        out = given.out or folder / "bundle" / config.name
        return run_job(config, folder, out, restart=given.restart)

    return status_of(job)


if __name__ == "__main__":
    sys.exit(main())
