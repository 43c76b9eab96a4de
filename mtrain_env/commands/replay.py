"""`mtrain replay`: show recorded games, or check them."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from mtrain_env.encoding.record import Line, read_record
from mtrain_env.game import Game
from mtrain_env.replay import replay_all


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="one or several records (mtrain-record/1)")
    parser.add_argument("--check", action="store_true", help="say in a line per game that everything in it is right")


def run(arguments: Namespace) -> int:
    """Replay the games, which checks them, and print them."""
    for game in replay_all(read_record(arguments.file)):
        print(_summary(game) if arguments.check else "\n".join(_story(game)))
    return 0


def _summary(game: Game) -> str:
    lines = game.history
    rounds = sum("deal" in line for line in lines)
    decisions = sum("do" in line or "choose" in line for line in lines)
    return f"seed {game.seed}: {rounds} rounds, {decisions} decisions, {_winners(game)}, ok"


def _winners(game: Game) -> str:
    seats = [f"P{seat}" for seat in game.winners]
    return ("won by " if len(seats) == 1 else "shared by ") + " and ".join(seats)


def _story(game: Game) -> Iterator[str]:
    """The game in lines to read."""
    yield f"{game.rules.name}, {game.rules.num_players} players, double-{game.rules.max_pip} set, seed {game.seed}"
    for seat, name in enumerate(game.bots):
        yield f"  P{seat} {name}"
    for line in game.history:
        if "deal" in line:
            yield from _deal(line)
        elif "choose" in line:
            yield f"  P{line['seat']} chooses the double of {line['choose']}"
        elif "do" in line:
            took = f", takes {line['took']}" if "took" in line else ""
            yield f"  P{line['seat']} {line['do']}{took}"
        elif "event" in line:
            yield f"  ({str(line['event']).replace('_', ' ')}: P{line.get('seat')})"
        elif "end" in line:
            how = "Blocked" if line["end"] == "blocked" else f"P{line['winner']} is out"
            yield f"{how}; points {_list(line['pips'])}; totals {_list(line['totals'])}"
        elif "stopped" in line:
            yield f"Stopped: {line['stopped']}"
    yield f"The game is {_winners(game)} with {min(game.totals)} points"
    yield ""


def _deal(line: Line) -> Iterator[str]:
    hunt = "" if line["hunting_seat"] is None else f", hunted from P{line['hunting_seat']} on"
    yield f"Round {line['round']}: opening double {line['opening']}-{line['opening']}{hunt}; P{line['starter']} starts"
    for seat, hand in enumerate(line["deal"]):
        yield f"  P{seat} holds {' '.join(hand)}"
    yield f"  boneyard {' '.join(line['boneyard']) or 'empty'}"


def _list(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))
