"""`mtrain evaluate`: how strong bots are against each other, or against a common reference."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from mtrain_env.bot import Bot, make_bot
from mtrain_env.commands.options import add_settings, settings
from mtrain_env.commands.progress import bar
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import Deals, Mode
from mtrain_env.evaluation.matches import MatchResult, match
from mtrain_env.evaluation.report import as_json, as_text
from mtrain_env.rules import load_rules


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("--bots", required=True, metavar="A,B", help="names of bots, as in hard,learned:one")
    parser.add_argument(
        "--reference",
        metavar="BOT",
        help="play each bot among copies of this one (default: the first two bots among each other's copies)",
    )
    parser.add_argument("--rules", default="core", metavar="NAME|FILE", help="a preset, a variation or a file")
    add_settings(parser)
    parser.add_argument("--deals", type=int, default=500, metavar="N", help="how many deals, each in every seat")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which row of deals")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first deal in the row")
    parser.add_argument("--games", action="store_true", help="a deal is a whole game, not one round")
    parser.add_argument(
        "--difference", type=float, default=1.0, metavar="PIPS", help="say how many deals would show so many pips"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")


def run(arguments: Namespace) -> int:
    """Play the matches and print their report."""
    mode: Mode = "game" if arguments.games else "round"
    rules = load_rules(arguments.rules, settings(arguments))
    deals = Deals(rules, arguments.deals, arguments.seed, mode, arguments.first)
    if not arguments.difference > 0:
        raise BotError(f"--difference must be above 0, got {arguments.difference:g}.")
    pairs = _pairs([make_bot(name) for name in arguments.bots.split(",")], arguments.reference, rules.num_players)
    results = []
    for k, (bot, others) in enumerate(pairs):
        label = f"{k + 1}/{len(pairs)} {bot.name} among {others.name}"
        results.append(_match(bot, others, deals, label))
    if arguments.json:
        print(json.dumps(as_json(deals, results, arguments.difference), indent=2))
    else:
        print(as_text(deals, results, arguments.difference))
    return 0


def _pairs(bots: Sequence[Bot], reference: str | None, num_players: int) -> list[tuple[Bot, Bot]]:
    """Return who plays among copies of whom."""
    if reference is not None:
        others = make_bot(reference)
        return [(bot, others) for bot in bots]
    if len(bots) != 2:
        raise BotError(f"--bots takes two names, or any number with --reference BOT, got {len(bots)}.")
    a, b = bots
    return [(a, b), (b, a)] if num_players > 2 else [(a, b)]


def _match(bot: Bot, others: Bot, deals: Deals, label: str) -> MatchResult:
    return match(
        bot,
        others,
        deals.rules,
        deals.count,
        deals.seed,
        deals.mode,
        first=deals.first,
        progress=bar(label),
    )
