"""`mtrain ladder`: all bots against one reference and against each other, as tables and a picture."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from typing import Final

from mtrain_env.bot import bot_names
from mtrain_env.bots.bundle import shipped
from mtrain_env.commands.matches import add_matches, add_reports, check_reports, deals_of, how, write_reports
from mtrain_env.errors import BotError
from mtrain_env.evaluation.document import as_text
from mtrain_env.evaluation.ladder import REFERENCE, names_of, play_ladder
from mtrain_env.evaluation.ladder_report import as_json, sections

SCRIPTED: Final = ("easy", "medium", "hard", "expert:20", "expert:100", "expert:400", "oracle:hands", "oracle")


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument(
        "--bots", metavar="A,B,..", help=f"names of bots (default: {','.join(SCRIPTED)} and the shipped bundles)"
    )
    parser.add_argument("--reference", default=REFERENCE, metavar="BOT", help="whose copies all meet (default: hard)")
    parser.add_argument(
        "--unrated", default="", metavar="A,B", help="of these, slow ones that meet the reference alone: no rating"
    )
    add_matches(parser, 200, "presets, variations or files, separated by commas: a ladder for each")
    add_reports(parser)


def run(arguments: Namespace) -> int:
    """Play the ladders and print them."""
    names = arguments.rules.split(",")
    all_deals = [deals_of(arguments, name) for name in names]
    bots = bot_names(arguments.bots) if arguments.bots else [*SCRIPTED, *(f"learned:{name}" for name in shipped())]
    unrated = bot_names(arguments.unrated) if arguments.unrated else []
    _, reference = names_of(bots, arguments.reference)  # a mistake is found before anything is played
    for bot in unrated:
        if bot not in bots or bot == reference:
            raise BotError(f"--unrated must name bots of --bots other than the reference, got {bot!r}.")
    check_reports(arguments)
    ladders = [
        play_ladder(bots, deals, reference, unrated=unrated, **how(arguments, f"ladder of {name}"))
        for name, deals in zip(names, all_deals, strict=True)
    ]
    report = as_json(ladders, _command(arguments, bots))
    write_reports(arguments, "Ladder of bots", sections(report))
    print(json.dumps(report, indent=2) if arguments.json else as_text(sections(report)))
    return 0


def _command(arguments: Namespace, bots: list[str]) -> str:
    """Return the command that plays the same ladders."""
    words = ["mtrain", "ladder", "--rules", arguments.rules]
    words += ["--players", str(arguments.players)] if arguments.players is not None else []
    words += [word for setting in arguments.settings for word in ("--set", setting)]
    words += ["--bots", ",".join(bots), "--reference", arguments.reference, "--deals", str(arguments.deals)]
    words += ["--unrated", arguments.unrated] if arguments.unrated else []
    words += ["--seed", str(arguments.seed)] + (["--first", str(arguments.first)] if arguments.first else [])
    return shlex.join([*words, "--games"] if arguments.games else words)
