"""Options and inputs that the commands share which play many deals by name."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mtrain_env.commands.options import add_settings, settings
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import Deals, Mode
from mtrain_env.rules import load_rules


def add_matches(parser: ArgumentParser, deals: int) -> None:
    """Add the rules, the deals, how they are played and `--json`."""
    parser.add_argument("--rules", default="core", metavar="NAME|FILE", help="a preset, a variation or a file")
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


def deals_of(arguments: Namespace) -> Deals:
    """Return the deals that the arguments name."""
    if arguments.processes < 1:
        raise BotError(f"--processes must be 1 or more, got {arguments.processes}.")
    mode: Mode = "game" if arguments.games else "round"
    rules = load_rules(arguments.rules, settings(arguments))
    return Deals(rules, arguments.deals, arguments.seed, mode, arguments.first)
