"""Bots that are programs of their own: JSON Lines over stdio, protocol version 1 (docs/bots.md)."""

from mtrain_env.bots.external.bot import External
from mtrain_env.bots.external.messages import FunctionBot

__all__ = ["External", "FunctionBot", "make"]


def make(text: str) -> External:
    """Return the bot that runs the command in `text`, which may begin with options: `ms=200:python3 bot.py`."""
    return External(text)
