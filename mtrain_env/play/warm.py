"""Compiling before anybody plays: on a machine where the engine never ran this takes about a minute, else a second."""

from collections.abc import Sequence

import numpy as np

from mtrain_env.bot import make_bot, view_of
from mtrain_env.engine.lines import WORK_SHAPE, longest_line
from mtrain_env.engine.state import ANY
from mtrain_env.game import Game
from mtrain_env.play.frames import private, table
from mtrain_env.tiles import MAX_TILES

_LEVELS = ("easy", "medium", "hard")
_MOVES = 40


def warm_up(opponents: Sequence[str]) -> None:
    """Play a few moves of the rules with most kernels, seen as a page sees them, with the scripted levels."""
    names = ["a", "b", "c"]
    work, path = np.zeros(WORK_SHAPE, np.int64), np.zeros(MAX_TILES, np.uint8)
    game = Game({"preset": "deluxe", "num_players": 3})
    bots = [make_bot(level) for level in _LEVELS if level in opponents]
    for k in range(_MOVES):
        seat = game.seat
        if seat is None:
            return
        legal = game.legal_ids()
        view = view_of(game.games, 0, seat, np.array(legal, np.int16))
        table(view.game[0], names)
        private(game.layout, view.game[0], seat, legal, names)
        longest_line(view.game[0]["hand"][seat], ANY, 100, work, path)
        chosen = bots[k % len(bots)].act([view], np.random.default_rng(k))[0] if bots else 0
        game.act(legal[int(chosen)])
