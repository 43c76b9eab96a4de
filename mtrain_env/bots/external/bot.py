"""A program as a bot: it is asked by messages, and whatever it does, the game goes on.

Where the program fails, the first legal action is taken: never one that was thought about. Each time counts as an
*incident*, with one of the words INCIDENTS.
"""

import json
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Games, Ints, KernelBot, View, view_of
from mtrain_env.bots.external.messages import (
    PROTOCOL,
    SEED,
    Message,
    act_message,
    hello_message,
    is_index,
    read_seed,
    result_message,
)
from mtrain_env.bots.external.program import Failure, Program
from mtrain_env.engine.rng import random_bits
from mtrain_env.errors import BotError

INCIDENTS: Final = ("late", "illegal", "garbage", "flood", "crashed", "error", "gone")
"""No answer in time; no index of a legal move; a line that is no JSON object; too much output; it ended or closed its
streams; it said that it cannot answer; given up, because it failed MOST times in a row."""
AT_ONCE: Final = ("garbage", "flood", "crashed")
"""After these the program is ended, and started again for the next move."""
EVERY: Final = 3
"""So many failures in a row of any kind end it too."""
MOST: Final = 9
_FALLBACK: Final = 0
_HOUR: Final = 3600
_OPTION: Final = re.compile(r"(\w+)=(\d+(?:\.\d+)?):(.*)", re.DOTALL)


@dataclass(frozen=True)
class Limits:
    """What a program may use; in a name as `NAME=VALUE:` before the command."""

    ms: int = 1000
    """Milliseconds for a move."""
    start: float = 60.0
    """Seconds until it has said hello."""
    memory: int = 4096
    """Megabytes of address space for each of its processes; 0 = no limit. macOS does not hold to it."""


class External(KernelBot):
    """The bot of a program; it is started for the first move."""

    def __init__(self, text: str) -> None:
        self.name = f"external:{text}"
        self.limits, command = _parsed(text)
        self._command = _found(self.name, command)
        self._text = text
        self._program: Program | None = None
        self._refusal = ""
        self._asking = threading.Lock()  # a page ends a bot while another thread asks it
        self._number = 0
        self._failures = 0
        self._incidents: list[str] = []

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles run a program of their own."""
        return External, (self._text,)

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says; BotError if the program never said hello."""
        for g in map(int, which):
            seat = int(games[g]["seat"])
            with self._asking:
                out[g] = self._choice(view_of(games, g, seat, actions[g, : counts[g]]), rngs[g, seat])

    def take_incidents(self) -> list[str]:
        """Return what went wrong since the last call, a word for each move that was not the program's."""
        taken, self._incidents = self._incidents, []
        return taken

    def result(self, seats: Sequence[int], pips: Sequence[int], totals: Sequence[int], over: bool) -> None:
        """Tell a running program the end of a round that it played in these seats, or of the game (`over`)."""
        with self._asking:
            if self._program is not None and self._program.running:
                self._program.tell(_line(result_message(seats, pips, totals, over)))

    def close(self) -> None:
        """End the program and all that it started."""
        with self._asking:
            self._failures = 0
            if self._program is not None:
                self._program.close(_line({"type": "quit"}))

    def _choice(self, view: View, rng: NDArray[np.uint64]) -> int:
        """Return the program's index, or the first one and note why; `rng` moves on."""
        try:
            answer = self._answer(view, rng)
        except Failure as failure:
            self._failures += 1
            self._incidents.append(failure.what)
            if self._program is not None and (failure.what in AT_ONCE or self._failures % EVERY == 0):
                self._program.stop()
            random_bits(rng)
            return _FALLBACK
        self._failures = 0
        seed = answer.get("seed")
        if isinstance(seed, str) and re.fullmatch(SEED, seed):
            rng[:] = read_seed(seed)  # a bot of ours: it goes on as it would have here
        else:
            random_bits(rng)
        return int(answer["index"])

    def _answer(self, view: View, seed: NDArray[np.uint64]) -> Message:
        """Return the program's `move`; Failure if there is none."""
        program = self._running()
        self._number += 1
        question = _line(act_message(view, self._number, self.limits.ms, seed))
        for line in program.exchange(question, time.monotonic() + self.limits.ms / 1000):
            answer = _object(line)
            if answer.get("id") != self._number:
                continue  # late for an earlier question
            if answer.get("type") == "error":
                raise Failure("error", str(answer.get("text")))
            if answer.get("type") == "move":
                if not is_index(answer.get("index"), len(view.legal)):
                    raise Failure("illegal", f"it answered index {answer.get('index')!r}")
                return answer
        raise AssertionError("an exchange ends by an answer or by a failure")

    def _running(self) -> Program:
        """Return the program, started if need be."""
        if self._refusal:
            raise BotError(self._refusal)
        if self._failures >= MOST:
            if self._program is not None:
                self._program.stop()
            raise Failure("gone", f"it failed {MOST} times in a row")
        if self._program is None or not self._program.running:
            self._program = self._started()
        return self._program

    def _started(self) -> Program:
        """Start the program and exchange the hellos; BotError if it never said one, not even the first time."""
        program = Program(self._command, self.limits.memory)
        try:
            self._greet(program)
        except Failure as failure:
            program.stop()
            if self._program is not None:
                self._failures += EVERY - 1
                raise Failure("crashed", f"it did not start again: {failure.detail}") from None
            words = program.last_words()
            told = f"; its last words were {words[:200]!r}" if words else ""
            self._refusal = f"The program of {self.name!r} said no hello: {failure.detail}{told}."
            raise BotError(self._refusal) from None
        except BaseException:
            program.stop()
            raise
        return program

    def _greet(self, program: Program) -> None:
        """Exchange the hellos."""
        for line in program.exchange(_line(hello_message()), time.monotonic() + self.limits.start):
            answer = _object(line)
            if answer.get("type") == "hello":
                if answer.get("protocol") != PROTOCOL:
                    raise Failure("error", f"it speaks protocol {answer.get('protocol')!r}, not {PROTOCOL}")
                return


def _parsed(text: str) -> tuple[Limits, str]:
    """Return the options at the beginning of `text`, and the command after them."""
    limits = Limits()
    while found := _OPTION.fullmatch(text):
        name, value, text = found.groups()
        if name not in ("ms", "start", "memory"):
            raise BotError(f"A program has no option {name!r}; known are ms, start (seconds) and memory (megabytes).")
        limits = replace(limits, **{name: float(value) if name == "start" else int(float(value))})
    if not (0 < limits.ms <= 1000 * _HOUR and 0 < limits.start <= _HOUR):
        raise BotError(
            "A program needs more than 0 ms for a move and more than 0 seconds to start, and at most an hour."
        )
    return limits, text


def _found(name: str, command: str) -> list[str]:
    """Return the words of the command, split as a shell does, no shell being involved; the first one is a program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BotError(f"The command of {name!r} cannot be read: {str(error).lower()}.") from None
    if not words:
        raise BotError(f"{name!r} has no command: write external:COMMAND, as in external:python3 bot.py.")
    if words[0] == "mtrain":
        return [sys.executable, "-m", "mtrain_env", *words[1:]]  # this very version, wherever it is installed
    if shutil.which(words[0]) is None:
        raise BotError(f"The program {words[0]!r} of {name!r} was not found.")
    return words


def _line(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _object(line: bytes) -> Message:
    """Return the object in a line; Failure if there is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Failure("garbage", f"it wrote {line[:40]!r}")
    return found
