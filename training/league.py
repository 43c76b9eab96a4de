"""A league: a learner and those who learn to beat it, in turn: `python -m training.league --config configs/core.yaml`.

In each generation the learner goes on from the generation before; its opponents are its past selves, hard, and every
exploiter so far (the setting `rivals`). Then an exploiter (exploit.py) learns to beat the new learner alone, and joins
the rivals. At the end all of them meet each other: a matrix shows whether a later one beats all earlier ones, or only
the last (Vinyals et al. 2019).

Every stage is a run of its own in the league's folder, so that a league that was stopped goes on.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mtrain_env.bot import make_bot
from mtrain_env.errors import ConfigError
from mtrain_env.evaluation.matches import match
from mtrain_env.evaluation.statistics import Interval
from training.checkpoint import player_of
from training.config import REPORT_SEED, Config, load_config
from training.exploit import exploiting
from training.export import export_network, origin_of
from training.selfplay import parser, status_of, train


def stage(config: Config, folder: Path, *, restart: bool) -> Path | None:
    """Learn until the run is done and export it; return the bundle, or None if somebody stopped it."""
    bundle = folder / "bundles" / config.name
    run, done = train(config, folder / config.name, restart=restart)
    if not done:
        return None
    if restart or not bundle.exists():
        export_network(player_of(config, run.trainee), bundle, origin_of(config, run.progress, ()))
    return bundle


def play_league(config: Config, folder: Path, generations: int, *, restart: bool = False) -> list[Path] | None:
    """Return the bundles of the learners and the exploiters, oldest first, or None if somebody stopped it."""
    members: list[Path] = []
    rivals: tuple[str, ...] = config.rivals
    for k in range(1, generations + 1):
        learner = replace(config, name=f"learner-{k}", rivals=rivals)
        if members:
            learner = replace(learner, start=str(members[-2]), warm_updates=0, teach_from=0)
        print(f"Generation {k} of {generations}: the learner.", flush=True)
        best = stage(learner, folder, restart=restart)
        if best is None:
            return None
        print(f"Generation {k} of {generations}: its exploiter.", flush=True)
        exploiter = replace(exploiting(config, str(best), str(best)), name=f"exploiter-{k}", rivals=())
        found = stage(exploiter, folder, restart=restart)
        if found is None:
            return None
        members += [best, found]
        rivals = (*rivals, str(found))
    return members


def matrix(members: Sequence[Path], config: Config, deals: int) -> list[list[Interval | None]]:
    """Return for each member (row) the pips a round of one of it among copies of each other (column), below 0 wins."""
    rules = config.all_rules()[-1]
    bots = [make_bot(f"learned:{path}") for path in members]
    return [
        [None if one is other else match(one, other, rules, deals, REPORT_SEED).pips_difference for other in bots]
        for one in bots
    ]


def table(members: Sequence[Path], cells: Sequence[Sequence[Interval | None]]) -> list[str]:
    """Return the matrix as lines of text."""
    names = [path.name for path in members]
    lines = [" " * 13 + "".join(f"{name:>22}" for name in names)]
    for name, row in zip(names, cells, strict=True):
        texts = ["" if cell is None else f"{cell.mean:+.2f} [{cell.low:+.2f}, {cell.high:+.2f}]" for cell in row]
        lines.append(f"{name:13}" + "".join(f"{text:>22}" for text in texts))
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options: ArgumentParser = parser("Let a learner and its exploiters learn in turn.")
    options.add_argument("--config", type=Path, default=Path("configs/core.yaml"), help="settings of each learner")
    options.add_argument("--generations", type=int, default=3, help="learners, each with an exploiter (3)")
    given = options.parse_args(arguments)

    def job() -> int:
        config = load_config(given.config, given.set)
        if given.generations < 1:
            raise ConfigError(f"A league needs 1 or more generations, got {given.generations}.")
        folder = given.run_dir or Path("runs") / f"{config.name}-league"
        members = play_league(config, folder, given.generations, restart=given.restart)
        if members is None:
            print("Stopped; the same command goes on.")
            return 130
        players = config.all_rules()[-1].num_players
        print(f"One of the row among copies of the column, {players} players, pips a round (below 0 is better), 95%:")
        print("\n".join(table(members, matrix(members, config, config.match_deals))))
        return 0

    return status_of(job)


if __name__ == "__main__":
    sys.exit(main())
