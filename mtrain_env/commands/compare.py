"""`mtrain compare A B`: whether A is better than B, and how many more deals it takes to know."""

import json
from argparse import ArgumentParser, Namespace

from mtrain_env.bot import make_bot
from mtrain_env.commands.matches import add_matches, deals_of, how
from mtrain_env.errors import BotError
from mtrain_env.evaluation.comparison import Versus, as_json, as_text
from mtrain_env.evaluation.named import play_matches


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("a", metavar="A", help="name of a bot")
    parser.add_argument("b", metavar="B", help="name of another")
    add_matches(parser, 500)
    parser.add_argument(
        "--difference", type=float, default=1.0, metavar="PIPS", help="say how many deals would show so many pips"
    )


def run(arguments: Namespace) -> int:
    """Play one of each among copies of the other, and print the answer."""
    deals = deals_of(arguments)
    if not arguments.difference > 0:
        raise BotError(f"--difference must be above 0, got {arguments.difference:g}.")
    a, b = arguments.a, arguments.b
    for name in (a, b):
        make_bot(name)  # a mistake is found before anything is played
    pairs = [(a, b), (b, a)] if deals.rules.num_players > 2 else [(a, b)]
    results = play_matches(pairs, deals, **how(arguments, f"{a} and {b}"))
    versus = Versus(results[0], results[1] if len(results) > 1 else None, arguments.difference)
    print(json.dumps(as_json(versus), indent=2) if arguments.json else as_text(versus))
    return 0
