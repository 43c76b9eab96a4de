"""Any of our bots as a program: it reads messages, and writes the answers (docs/bots.md)."""

import json
from collections.abc import Callable, Iterable

import numpy as np

from mtrain_env.bot import BatchBot, Bot, batched, view_of
from mtrain_env.bots.external.messages import PROTOCOL, Message, Question
from mtrain_env.errors import MtrainError
from mtrain_env.game import Game


def serve(bot: Bot, lines: Iterable[bytes], send: Callable[[Message], None]) -> None:
    """Answer every message of `lines` by `send`, until one says quit or there are no more.

    What cannot be answered is told by a message `error`; messages of unknown types are ignored.
    """
    player = batched(bot)
    _warm_up(player)
    for line in lines:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            send({"type": "error", "text": "A message must be a JSON object on a line of its own."})
            continue
        if message.get("type") == "hello":
            send({"type": "hello", "protocol": PROTOCOL, "name": bot.name})
        elif message.get("type") == "act":
            try:
                send(_answer(player, Question.read(line)))
            except MtrainError as error:
                send({"type": "error", "id": message.get("id"), "text": str(error)})
        elif message.get("type") == "quit":
            return


def _answer(bot: BatchBot, question: Question) -> Message:
    """Return the move of the bot."""
    view = question.view
    rngs = np.zeros((1, int(view.game[0]["num_players"]), 2), np.uint64)
    rngs[0, view.seat] = question.seed
    out = np.zeros(1, np.int64)
    counts = np.array([len(view.legal)], np.int32)
    bot.choose(view.game, np.arange(1), view.legal[None].astype(np.int16), counts, rngs, out)
    question.seed[:] = rngs[0, view.seat]
    return question.answer(int(out[0]))


def _warm_up(bot: BatchBot) -> None:
    """Choose once, so that nothing is left to be compiled or loaded when the clock runs."""
    game = Game("core")
    seat = int(game.state["seat"])
    view = view_of(game.games, 0, seat, np.array(game.legal_ids(), np.int16))
    _answer(bot, Question(0, view, np.ones(2, np.uint64), tuple(range(len(view.legal)))))
