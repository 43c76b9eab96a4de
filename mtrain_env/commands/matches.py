"""Options and inputs that the commands share which play many deals by name."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtrain_env.commands.options import add_settings, settings
from mtrain_env.commands.progress import bar
from mtrain_env.errors import BotError, ConfigError
from mtrain_env.evaluation.deals import Deals, Mode
from mtrain_env.evaluation.document import Section, as_html, write
from mtrain_env.evaluation.picture import need_pillow, save_png
from mtrain_env.rules import load_rules


def add_matches(parser: ArgumentParser, deals: int, rules: str = "a preset, a variation or a file") -> None:
    """Add the rules (`rules` says what may be named), the deals, how they are played and `--json`."""
    parser.add_argument("--rules", default="core", metavar="NAME|FILE", help=rules)
    add_settings(parser)
    parser.add_argument(
        "--deals", type=int, default=deals, metavar="N", help=f"how many, each in every rotation (default {deals})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which row of deals")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first deal in the row")
    parser.add_argument("--games", action="store_true", help="a deal is a whole game, not one round")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="the result is the same for any number"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="keep what was played there, and do not play again what lies there"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")


def add_reports(parser: ArgumentParser) -> None:
    """Add the files that a report can be written to."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with the picture and the tables")
    parser.add_argument("--png", type=Path, metavar="FILE", help="write the picture (needs Pillow)")


def deals_of(arguments: Namespace, rules: str | None = None) -> Deals:
    """Return the deals that the arguments name, with other rules if they are given."""
    if arguments.processes < 1:
        raise BotError(f"--processes must be 1 or more, got {arguments.processes}.")
    mode: Mode = "game" if arguments.games else "round"
    loaded = load_rules(rules or arguments.rules, settings(arguments))
    return Deals(loaded, arguments.deals, arguments.seed, mode, arguments.first)


def how(arguments: Namespace, label: str) -> dict[str, Any]:
    """Return how to play: the arguments of jobs.run_jobs."""
    return {"processes": arguments.processes, "folder": arguments.out, "progress": bar(label)}


def check_reports(arguments: Namespace) -> None:
    """Refuse files of add_reports that cannot be written, before hours are spent on what they would tell."""
    for path in (arguments.html, arguments.png):
        if path is not None and not path.parent.is_dir():
            raise ConfigError(f"The report {str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    if arguments.png:
        need_pillow()


def write_reports(arguments: Namespace, title: str, sections: Sequence[Section]) -> None:
    """Write the files of add_reports that were asked for."""
    if arguments.html:
        write(arguments.html, as_html(title, sections))
    if arguments.png:
        try:
            save_png([section.panel for section in sections if section.panel], arguments.png)
        except OSError as error:
            raise ConfigError(f"The picture {str(arguments.png)!r} cannot be written: {error.strerror}.") from None
