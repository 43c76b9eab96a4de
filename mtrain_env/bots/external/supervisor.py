"""Runs one program within limits, and ends it with all that it started. A script of the standard library alone.

    python -I -S supervisor.py LIFELINE MEMORY PROGRAM [ARGUMENT...]

LIFELINE is a pipe that it inherits and nobody writes to. When it closes, because the process at its other end wants so
or is dead, however it died, the program gets GRACE seconds to end by itself; SIGTERM gives it none. MEMORY is in
megabytes, 0 = no limit. The exit code is the program's, or 128 + the signal that ended it.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable

GRACE = 0.5
PATIENCE = 5.0
"""Seconds in which killed processes must be gone."""
LIMITS = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: 256, resource.RLIMIT_FSIZE: 64 << 20}
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(lifeline: int, memory: int, command: list[str]) -> int:
    """Run the command and return its exit code."""
    wakeup, wake = os.pipe()
    for fd in (wakeup, wake):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    os.set_inheritable(lifeline, False)
    _prctl(_PR_SET_CHILD_SUBREAPER)  # whatever loses its parent becomes a child of this process
    child = os.fork()
    if child == 0:
        _run(command, memory)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)  # so that the pipes close when the program closes them
    status, end = None, float("inf")
    while status is None and time.monotonic() < end:
        running = end == float("inf")
        left = None if running else max(0.0, end - time.monotonic())
        ready, _, _ = select.select([wakeup, lifeline] if running else [wakeup], [], [], left)
        if wakeup in ready and signal.SIGTERM in os.read(wakeup, 512):
            end = 0.0
        elif running and lifeline in ready:
            end = time.monotonic() + GRACE
        status = _reap(child)
    _end(child, status is None)
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _run(command: list[str], memory: int) -> None:
    """Become the command, in a session of its own."""
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    for limit, most in {**LIMITS, **({resource.RLIMIT_AS: memory << 20} if memory else {})}.items():
        hard = resource.getrlimit(limit)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(limit, (most, most))
        except (OSError, ValueError):
            pass  # a limit that this system does not have
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _prctl(option: int, value: int = 1) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _reap(child: int) -> int | None:
    """Take note of every process that has ended; the status of `child` if it is one of them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            found = status


def _end(child: int, alive: bool) -> None:
    """Kill what is left, until nothing is."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        _kill(os.killpg, child)
        for pid in [child] * alive + _children():
            _kill(os.kill, pid)
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        alive = alive and pid != child
        if pid == 0:
            time.sleep(0.002)


def _kill(kill: Callable[[int, int], None], target: int) -> None:
    try:
        kill(target, signal.SIGKILL)
    except OSError:
        pass  # it has just ended


def _children() -> list[int]:
    """The processes whose parent is this one; none where there is no /proc."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue  # it has just ended
            if parent == os.getpid():
                found.append(int(name))
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
