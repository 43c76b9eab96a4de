"""`mtrain record`: play games between bots and write them down."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mtrain_env.bot import Bot, bot_names, close_bot, incidents_of, make_bot, tell_result, view_of
from mtrain_env.commands.options import add_settings, settings
from mtrain_env.encoding.record import Line, dumps
from mtrain_env.errors import BotError, RecordError
from mtrain_env.game import Game
from mtrain_env.rules import Rules, load_rules


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("--rules", default="core", metavar="NAME|FILE", help="a preset, a variation or a file")
    add_settings(parser)
    parser.add_argument("--bots", default="easy", metavar="A,B,..", help="a bot for each seat, or one for all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game; the next ones count up")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games, one after the other")
    parser.add_argument("--legal", action="store_true", help="write every decision's legal actions too")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="where to, - for the screen")


def run(arguments: Namespace) -> int:
    """Play the games and write their records."""
    rules = load_rules(arguments.rules, settings(arguments))
    names = bot_names(arguments.bots)
    if len(names) == 1:
        names *= rules.num_players
    if len(names) != rules.num_players:
        given = f"--bots names {len(names)} bots for {rules.num_players} players"
        raise BotError(f"{given}: give one for all, or one for each seat.")
    if arguments.games < 1 or arguments.seed < 0:
        raise RecordError("--games must be at least 1 and --seed at least 0.")
    made = {name: make_bot(name) for name in names}
    games = range(arguments.seed, arguments.seed + arguments.games)
    texts = (dumps(record(rules, seed, [made[name] for name in names], names, arguments.legal)) for seed in games)
    try:
        _write(texts, arguments.output)
    finally:
        for bot in made.values():
            close_bot(bot)
    return 0


def _write(texts: Iterator[str], output: str) -> None:
    if output == "-":
        for text in texts:
            sys.stdout.write(text)
        return
    try:
        with Path(output).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(texts)
    except OSError as error:
        raise RecordError(f"The record cannot be written to {output}: {error.strerror}.") from None


def record(rules: Rules, seed: int, bots: Sequence[Bot], names: Sequence[str], legal: bool = False) -> list[Line]:
    """Play one game between bots, one per seat, and return its record; `legal` as the option."""
    game = Game(rules, seed, names)
    rngs = [np.random.default_rng((seed, seat)) for seat in range(rules.num_players)]
    while not game.over:
        seat = game.seat
        if seat is None:
            game.next_round()
            continue
        ids = np.array(game.legal_ids())
        texts = game.legal() if legal else []
        (choice,) = bots[seat].act([view_of(game.games, 0, seat, ids)], rngs[seat])
        for what in incidents_of(bots[seat]):
            game.note_incident(seat, what)
        written = len(game.history)
        game.act(int(ids[choice]))
        if legal:
            game.history[written]["legal"] = texts
        if game.round_over:
            pips = game.state["pips"][: rules.num_players]
            tell_result(bots, pips.tolist(), game.totals, over=game.over)
    return game.record()
