"""`mtrain evaluate`: how strong bots are against each other, or against a common reference."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from mtrain_env.bot import bot_names, make_bot
from mtrain_env.commands.matches import add_matches, add_reports, check_reports, deals_of, how, write_reports
from mtrain_env.errors import BotError
from mtrain_env.evaluation.document import as_text
from mtrain_env.evaluation.named import play_matches
from mtrain_env.evaluation.report import as_json, sections


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("--bots", required=True, metavar="A,B", help="names of bots, as in hard,learned:one")
    parser.add_argument(
        "--reference",
        metavar="BOT",
        help="play each bot among copies of this one (default: the first two bots among each other's copies)",
    )
    add_matches(parser, 500)
    parser.add_argument(
        "--difference", type=float, default=1.0, metavar="PIPS", help="say how many deals would show so many pips"
    )
    add_reports(parser)


def run(arguments: Namespace) -> int:
    """Play the matches and print their report."""
    deals = deals_of(arguments)
    if not arguments.difference > 0:
        raise BotError(f"--difference must be above 0, got {arguments.difference:g}.")
    pairs = _pairs(bot_names(arguments.bots), arguments.reference, deals.rules.num_players)
    for name in {name for pair in pairs for name in pair}:
        make_bot(name)  # a mistake is found before anything is played
    check_reports(arguments)
    results = play_matches(pairs, deals, **how(arguments, "matches"))
    report = as_json(deals, results, arguments.difference)
    write_reports(arguments, "Matches of bots", sections(report))
    print(json.dumps(report, indent=2) if arguments.json else as_text(sections(report)))
    return 0


def _pairs(bots: Sequence[str], reference: str | None, num_players: int) -> list[tuple[str, str]]:
    """Return who plays among copies of whom."""
    if reference is not None:
        return [(bot, reference) for bot in bots]
    if len(bots) != 2:
        raise BotError(f"--bots takes two names, or any number with --reference BOT, got {len(bots)}.")
    a, b = bots
    return [(a, b), (b, a)] if num_players > 2 else [(a, b)]
