"""`mtrain rules`: which rules there are, and what given rules say."""

import json
from argparse import ArgumentParser, Namespace

from mtrain_env.commands.options import add_settings, settings
from mtrain_env.presets import PLAYERS, VARIATIONS
from mtrain_env.rules import load_rules
from mtrain_env.rules_text import describe


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("rules", nargs="?", metavar="NAME|FILE", help="a preset, a variation or a file")
    add_settings(parser)
    parser.add_argument("--json", action="store_true", help="print every field as JSON, not a page to read")


def run(arguments: Namespace) -> int:
    """Print the page or the fields of the rules asked for; without a name, the list of names."""
    if arguments.rules is None:
        print(_listing(), end="")
        return 0
    rules = load_rules(arguments.rules, settings(arguments))
    print(json.dumps(rules.as_dict(), indent=2) if arguments.json else describe(rules).rstrip())
    return 0


def _listing() -> str:
    width = max(map(len, VARIATIONS)) + 2
    lines = ["Presets:"]
    for name, players in PLAYERS.items():
        lines += [f"  {name:<{width}}{players.start} to {players.stop - 1} players"]
    lines += ["Variations:"]
    for name, (preset, changed) in VARIATIONS.items():
        what = ", ".join(f"{field}={value}" for field, value in changed.items())
        lines += [f"  {name:<{width}}{preset} with {what}"]
    return "\n".join(lines) + "\n"
