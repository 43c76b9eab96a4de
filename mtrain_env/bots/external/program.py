"""A program at the other end of two pipes: lines to it and from it, each with a time limit, and its certain end.

`supervisor.py` stands between: it sets the limits, and ends the program with all that it started when this process
closes the pipe between them, or dies. So neither a crash nor Ctrl-C leaves anything running.
"""

import contextlib
import math
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

from mtrain_env.errors import BotError

LINE: Final = 1 << 16
"""Bytes that a program may write for one answer, other lines included."""
PASSED_ON: Final = ("PATH", "HOME", "LANG", "TMPDIR", "TZ", "XDG_CACHE_HOME", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH")
"""Variables of the environment that a program gets, with those that begin with LC_ or NUMBA_; no others."""

_SUPERVISOR: Final = Path(__file__).with_name("supervisor.py")
_KEPT: Final = 2000  # bytes of stderr
_LAST: Final = 7.0  # seconds in which the supervisor must have ended


class Failure(Exception):
    """What a program did wrong: one word for records and counts, and a few for people."""

    def __init__(self, what: str, detail: str) -> None:
        super().__init__(what, detail)
        self.what, self.detail = what, detail


class Program:
    """A running program."""

    def __init__(self, command: Sequence[str], memory: int) -> None:
        """Start the command; `memory` in megabytes, 0 = no limit."""
        if os.name != "posix":
            raise BotError("Programs as bots need Linux or macOS, because their limits do.")
        lifeline, end = os.pipe()
        supervisor = [sys.executable, "-I", "-S", str(_SUPERVISOR), str(lifeline), str(memory), *command]
        self._process = subprocess.Popen(
            supervisor,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if _passed_on(name)},
            pass_fds=(lifeline,),
            start_new_session=True,
        )
        os.close(lifeline)
        pipes = [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe]
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes)
        self._poll = select.poll()
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._buffer = bytearray()
        self._said = b""
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _end, self._process, pipes, end, self._owner)

    def exchange(self, line: bytes, until: float) -> Iterator[bytes]:
        """Send a line, and yield each line that comes until the time `until` of time.monotonic().

        Raises Failure: `late`, `flood` (more than LINE bytes came), `crashed` (it ended, or closed its streams).
        """
        unsent, received, over = line, 0, False
        try:
            while True:
                while (end := self._buffer.find(b"\n")) >= 0:
                    found = bytes(self._buffer[:end])
                    del self._buffer[: end + 1]
                    yield found
                if unsent:
                    unsent = unsent[self._write(unsent) :]
                left = until - time.monotonic()
                if left <= 0 and over:
                    raise Failure("late", "it did not answer in time")
                over = left <= 0  # what had come by then is still read, in case this process was the slow one
                received += self._receive(bool(unsent), max(0.0, left))
                if received > LINE:
                    raise Failure("flood", f"it wrote more than {LINE:,} bytes")
        finally:
            if 0 < len(unsent) < len(line):
                self.stop()  # half a line was sent: nothing more can be asked

    def _receive(self, writing: bool, seconds: float) -> int:
        """Wait until something can be read (or written), and take it in; the bytes that came on stdout."""
        if writing:
            self._poll.register(self._in, select.POLLOUT)
        try:
            ready = [fd for fd, _ in self._poll.poll(math.ceil(1000 * seconds))]
        finally:
            if writing:
                self._poll.unregister(self._in)
        if self._err in ready and not self._listen():
            self._poll.unregister(self._err)
        return self._read() if self._out in ready else 0

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0
        except OSError:
            raise Failure("crashed", "it ended, or closed its input") from None

    def _read(self) -> int:
        """Take in what the program wrote; its number of bytes."""
        data = os.read(self._out, LINE)
        if not data:
            raise Failure("crashed", "it ended, or closed its output")
        self._buffer += data
        return len(data)

    def _listen(self) -> bool:
        """Keep the end of what came on stderr; whether more can come."""
        data = os.read(self._err, LINE)
        self._said = (self._said + data)[-_KEPT:]
        return bool(data)

    def tell(self, line: bytes) -> None:
        """Send a short line that asks for nothing; a program that does not read loses it."""
        try:
            if self._write(line) not in (0, len(line)):
                self.stop()  # half a line was sent
        except Failure:
            pass  # it has ended, which the next question will notice

    @property
    def running(self) -> bool:
        """Whether it can be asked: not after `stop` and `close`, nor in a copy that a fork made."""
        return self._end.alive and self._owner == os.getpid()

    def last_words(self) -> str:
        """Return the last line that came on stderr, empty if there was none."""
        lines = self._said.decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def stop(self) -> None:
        """End the program and all that it started, now."""
        if self.running:
            self._process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired, OSError):
                self._process.wait(_LAST)
                self._listen()
        self._end()

    def close(self, farewell: bytes) -> None:
        """Send a last line, and end the program with all that it started if it does not end by itself."""
        if self.running:
            with contextlib.suppress(OSError):
                os.write(self._in, farewell)
        self._end()


def _passed_on(name: str) -> bool:
    return name in PASSED_ON or name.startswith(("LC_", "NUMBA_"))


def _end(process: "subprocess.Popen[bytes]", pipes: Sequence[IO[bytes]], lifeline: int, owner: int) -> None:
    """Close everything, and wait until the supervisor has ended what was started."""
    for pipe in pipes:
        pipe.close()
    os.close(lifeline)
    if owner != os.getpid():
        process.returncode = 0  # a copy made by a fork: the program belongs to the other process
        return
    try:
        process.wait(_LAST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
