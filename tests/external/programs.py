"""Programs for the tests, and what runs of them."""

import itertools
import os
import shlex
import sys
import time
import uuid
from pathlib import Path
from typing import Final

import pytest

from mtrain_env.bot import Bot, bot_names, make_bot
from mtrain_env.bots.external import External
from mtrain_env.commands.record import record
from mtrain_env.encoding.record import Line
from mtrain_env.rules import Rules

ROOT: Final = Path(__file__).parents[2]
EXAMPLES: Final = ROOT / "docs" / "examples"
PYTHON: Final = f"{shlex.quote(sys.executable)} -S"
TINY: Final = Rules.preset("core", num_players=2, max_pip=6, hand_size=5, num_rounds=1)
MARK: Final = "LC_MTRAIN_TEST"
"""A variable that programs and all that they start inherit, so that they can be found."""


def example(name: str) -> str:
    """The name of the bot of an example of docs/bots.md."""
    interpreter = "node" if name.endswith(".js") else PYTHON
    return f"external:{interpreter} {shlex.quote(str(EXAMPLES / name))}"


def hostile(what: str, *arguments: str, options: str = "ms=150") -> str:
    """The name of a bot that misbehaves (hostile.py)."""
    words = [str(Path(__file__).with_name("hostile.py")), what, *arguments]
    return f"external:{options}:{PYTHON} {shlex.join(words)}"


def external(name: str) -> External:
    """The bot with that name."""
    (whole,) = bot_names(name)
    bot = make_bot(whole)
    assert isinstance(bot, External)
    return bot


class Marked:
    """Everything that is started while this is in force can be found."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mark = uuid.uuid4().hex
        monkeypatch.setenv(MARK, self.mark)

    def running(self) -> list[int]:
        """The processes that are still there; zombies are not, nor Python's own helper of multiprocessing."""
        if not Path("/proc/self/environ").exists():
            pytest.skip("processes are looked for in /proc")
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid():
                try:
                    environment, command = ((process / name).read_bytes() for name in ("environ", "cmdline"))
                except OSError:
                    continue
                if wanted in environment.split(b"\0") and b"resource_tracker" not in command:
                    found.append(int(process.name))
        return found

    def gone(self, seconds: float = 10.0) -> bool:
        """Whether nothing is left after so many seconds at most."""
        until = time.monotonic() + seconds
        while self.running():
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True


def game_against(bot: Bot, rules: Rules = TINY, seed: int = 1) -> list[Line]:
    """The record of a game of the bot in seat 0 against easy ones."""
    others: list[Bot] = [make_bot("easy")] * (rules.num_players - 1)
    return record(rules, seed, [bot, *others], [bot.name, *("easy" for _ in others)], legal=True)


def incidents(lines: list[Line]) -> list[str]:
    """What went wrong in a game."""
    return [line["what"] for line in lines if line.get("event") == "incident"]


def overruled(lines: list[Line]) -> list[Line]:
    """The decisions of a record that were not the bot's."""
    return [line for before, line in itertools.pairwise(lines) if before.get("event") == "incident"]
