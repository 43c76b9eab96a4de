"""`mtrain play`: a page on this machine to play against the opponents."""

import importlib.util
import secrets
import socket
import sys
import threading
import webbrowser
from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import TYPE_CHECKING

from mtrain_env.commands.options import add_settings, settings
from mtrain_env.errors import MtrainError
from mtrain_env.rules import PRESETS, load_rules

if TYPE_CHECKING:
    from mtrain_env.play.opponents import Opponents
    from mtrain_env.play.setups import Defaults

PORT = 8400


class PlayError(MtrainError):
    """The page cannot be served."""


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument(
        "--opponents", default="", metavar="A,B", help="bots for the seats after yours, as in hard,expert"
    )
    parser.add_argument("--rules", metavar="NAME|FILE", help="a preset, a variation or a file (default: core)")
    add_settings(parser)
    parser.add_argument("--rounds", metavar="N", help="how many rounds, or all")
    parser.add_argument("--seed", type=int, metavar="N", help="deal this game (default: another one each time)")
    parser.add_argument("--until", metavar="22:00", help="begin no round after this time")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to serve on; any but the loopback asks for a token"
    )
    parser.add_argument("--port", type=int, help=f"port to serve on (default: {PORT}, or a free one; 0: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")


def run(arguments: Namespace) -> int:
    """Serve the page until it is interrupted."""
    missing = [name for name in ("starlette", "uvicorn", "websockets") if importlib.util.find_spec(name) is None]
    if missing:
        raise PlayError(f"The page needs {', '.join(missing)}: pip install 'mtrain-env[play]'.")
    import uvicorn

    from mtrain_env.bot import bot_names
    from mtrain_env.play.gate import LOOPBACK
    from mtrain_env.play.limits import Limits
    from mtrain_env.play.lobby import Lobby
    from mtrain_env.play.opponents import Opponents
    from mtrain_env.play.server import make_app
    from mtrain_env.play.setups import parse_until

    names = bot_names(arguments.opponents)
    opponents = Opponents(names)
    if arguments.until is not None:
        parse_until(arguments.until, datetime.now())
    limits = Limits()
    lobby = Lobby(opponents, _defaults(arguments, names, opponents), limits)
    away = arguments.host not in LOOPBACK
    access = secrets.token_urlsafe(16) if away else None
    app = make_app(lobby, {*LOOPBACK, arguments.host.lower()}, any_address=away, access=access)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws_max_size=limits.frame,
            limit_concurrency=512,
            timeout_graceful_shutdown=2,
        )
    )
    with _listen(arguments.host, arguments.port) as listener:
        _announce(arguments, listener.getsockname()[1], access)
        server.run(sockets=[listener])
    return 0


def _defaults(arguments: Namespace, names: list[str], opponents: "Opponents") -> "Defaults":
    """Return what the form begins with."""
    from mtrain_env.play.setups import Defaults

    changes = settings(arguments)
    players = changes.get("num_players")
    if players is None and names:
        changes["num_players"] = len(names) + 1
    rounds = arguments.rounds
    if rounds is not None:
        changes["num_rounds"] = int(rounds) if rounds.isdigit() else rounds
    name = arguments.rules or "core"
    rules = load_rules(name, changes)
    own = name not in PRESETS or bool(arguments.settings)
    return Defaults(
        rules=rules if own else None,
        rules_name=name,
        players=rules.num_players if names or players is not None or own else None,
        rounds=changes.get("num_rounds"),  # type: ignore[arg-type] # load_rules has checked it
        seed=arguments.seed,
        until=arguments.until,
        opponents=[opponents.id_of(bot) for bot in names],
    )


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens at the port asked for, else at the usual one or any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = (PORT, 0) if port is None else (port,)
    error: OSError | None = None
    for number in wanted:
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(128)  # who opens the page before the server runs waits a moment
        except OSError as problem:
            listener.close()
            error = problem
        else:
            return listener
    raise PlayError(f"The page cannot be served on {host}:{wanted[-1]}: {error.strerror if error else 'no port'}.")


def _announce(arguments: Namespace, port: int, access: str | None) -> None:
    """Print the address, and open it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(arguments.host, arguments.host)
    host = f"[{host}]" if ":" in host else host
    url = f"http://{host}:{port}/" + (f"?token={access}" if access else "")
    if access:
        print(
            f"Warning: {arguments.host} can be reached from other machines, without encryption. Only who has the "
            "token in the address is let in.",
            file=sys.stderr,
        )
    print(f"Mexican Train is at {url}\nCtrl-C ends it.", flush=True)
    if not arguments.no_browser:
        threading.Timer(0.5, webbrowser.open, [url]).start()
