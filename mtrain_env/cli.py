"""The command `mtrain`. A subcommand is a row in COMMANDS; its module is imported only when it is called.

The module has `configure(parser)`, which adds arguments, and `run(arguments) -> int`, the exit code. Whatever
it raises as a `MtrainError` becomes one sentence on stderr and exit code 2.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Final

from mtrain_env import __version__
from mtrain_env.errors import MtrainError

COMMANDS: Final = MappingProxyType(
    {
        "bundle": ("mtrain_env.commands.bundle", "check an exported policy"),
        "compare": ("mtrain_env.commands.compare", "say whether one bot is better than another"),
        "evaluate": ("mtrain_env.commands.evaluate", "measure bots against each other"),
        "ladder": ("mtrain_env.commands.ladder", "measure all bots against each other"),
        "play": ("mtrain_env.commands.play", "play against the opponents on a page"),
        "record": ("mtrain_env.commands.record", "play games between bots and write their records"),
        "replay": ("mtrain_env.commands.replay", "show recorded games, or check them"),
        "rules": ("mtrain_env.commands.rules", "show rules in words or as JSON"),
        "serve-bot": ("mtrain_env.commands.serve_bot", "offer a bot to another program"),
    }
)
"""Module and one line of help by subcommand."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mtrain` with the given arguments (default: the program's own) and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parser(words[0] if words else "").parse_args(words)
    module = import_module(COMMANDS[arguments.command][0])
    try:
        code: int = module.run(arguments)
        sys.stdout.flush()
    except MtrainError as error:
        print(f"mtrain: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has gone: point stdout elsewhere, so that the flush at exit is silent too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _parser(called: str) -> ArgumentParser:
    """Return the parser; only the subcommand that is called gets its arguments."""
    parser = ArgumentParser(prog="mtrain", description="Mexican Train dominoes for people and bots")
    parser.add_argument("--version", action="version", version=f"mtrain {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name == called:
            import_module(module).configure(subparser)
    return parser
