"""Compiling before anybody plays: on a machine where the engine never ran this takes about a minute, else a second."""

from collections.abc import Iterator

import numpy as np

from mtrain_env.bot import Bot, KernelBot, View, make_bot, view_of
from mtrain_env.engine.lines import WORK_SHAPE, longest_line
from mtrain_env.engine.state import ANY
from mtrain_env.game import Game
from mtrain_env.play.frames import private, table
from mtrain_env.rules import Rules
from mtrain_env.tiles import MAX_TILES

_LEVELS = ("easy", "medium", "hard")
_MOVES = 40


def warm_up() -> None:
    """Play a few moves of the rules with most kernels, seen as a page sees them, with the scripted levels."""
    names = ["a", "b", "c"]
    work, path = np.zeros(WORK_SHAPE, np.int64), np.zeros(MAX_TILES, np.uint8)
    bots = [make_bot(level) for level in _LEVELS]
    for k, (game, view) in enumerate(_decisions(Rules.preset("deluxe", num_players=3))):
        table(view.game[0], names)
        private(game.layout, view.game[0], view.seat, view.legal.tolist(), names)
        longest_line(view.game[0]["hand"][view.seat], ANY, 100, work, path)
        (chosen,) = bots[k % len(bots)].act([view], np.random.default_rng(k))
        game.act(int(view.legal[int(chosen)]))


def warm_bot(bot: Bot, rules: Rules) -> None:
    """Have one of our own bots choose once under these rules, so that its first move in a game is not late."""
    if not isinstance(bot, KernelBot):
        return
    for game, view in _decisions(rules):
        if len(view.legal) > 1:
            bot.act([view], np.random.default_rng(0))
            return
        game.act(int(view.legal[0]))


def _decisions(rules: Rules) -> Iterator[tuple[Game, View]]:
    """Yield the first decisions of a game, which whoever asks for them makes."""
    game = Game(rules)
    for _ in range(_MOVES):
        seat = game.seat
        if seat is None:
            return
        yield game, view_of(game.games, 0, seat, np.array(game.legal_ids(), np.int16))
