"""Options that several subcommands share."""

from argparse import ArgumentParser, Namespace

from mtrain_env.rules import parse_setting


def add_settings(parser: ArgumentParser) -> None:
    """Add `--players N` and `--set field=value`, which change fields of the rules."""
    parser.add_argument("--players", type=int, metavar="N", help="how many play: --set num_players=N")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="change one field of the rules, as in draw_limit=until_playable; may be repeated",
    )


def settings(arguments: Namespace) -> dict[str, object]:
    """Return the fields that `--players` and `--set` change; the later of two settings holds."""
    changed = dict(map(parse_setting, arguments.settings))
    return changed if arguments.players is None else {"num_players": arguments.players, **changed}
