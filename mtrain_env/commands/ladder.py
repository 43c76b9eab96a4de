"""`mtrain ladder`: all bots against one reference and against each other, as a table and a picture."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from mtrain_env.bots.bundle import shipped
from mtrain_env.commands.matches import add_matches, deals_of
from mtrain_env.commands.progress import bar
from mtrain_env.errors import ConfigError
from mtrain_env.evaluation.ladder import REFERENCE, play_ladder
from mtrain_env.evaluation.ladder_report import as_html, as_json, as_text

SCRIPTED: Final = ("easy", "medium", "hard", "expert:20", "expert", "oracle:hands", "oracle")


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument(
        "--bots", metavar="A,B,..", help=f"names of bots (default: {','.join(SCRIPTED)} and the shipped bundles)"
    )
    parser.add_argument("--reference", default=REFERENCE, metavar="BOT", help="whose copies all meet (default: hard)")
    add_matches(parser, 200)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with the picture and the tables")


def run(arguments: Namespace) -> int:
    """Play the ladder and print it."""
    deals = deals_of(arguments)
    bots = arguments.bots.split(",") if arguments.bots else [*SCRIPTED, *(f"learned:{name}" for name in shipped())]
    ladder = play_ladder(
        bots,
        deals,
        arguments.reference,
        processes=arguments.processes,
        folder=arguments.out,
        progress=bar("ladder"),
    )
    if arguments.html:
        try:
            arguments.html.write_text(as_html(ladder), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"The page {str(arguments.html)!r} cannot be written: {error.strerror}.") from None
    print(json.dumps(as_json(ladder), indent=2) if arguments.json else as_text(ladder))
    return 0
