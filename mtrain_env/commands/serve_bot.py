"""`mtrain serve-bot NAME`: one of our bots for other programs, as messages on stdin and stdout (docs/bots.md)."""

import json
import os
import sys
from argparse import ArgumentParser, Namespace

from mtrain_env.bot import close_bot, make_bot
from mtrain_env.bots.external.messages import Message
from mtrain_env.bots.external.serve import serve


def configure(parser: ArgumentParser) -> None:
    """Add this subcommand's arguments."""
    parser.add_argument("bot", metavar="NAME", help="name of a bot, as in expert:400 or learned:DIR")


def run(arguments: Namespace) -> int:
    """Answer messages until one says quit, or stdin ends."""
    bot = make_bot(arguments.bot)
    sys.stdout.flush()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints does not get among the messages

    def send(message: Message) -> None:
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        while data:
            data = data[os.write(answers, data) :]

    try:
        serve(bot, sys.stdin.buffer, send)
    finally:
        os.close(answers)
        close_bot(bot)
    return 0
