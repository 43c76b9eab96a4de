"""A program that misbehaves in the way that its first argument names; most do so when they are asked for a move."""

import json
import os
import signal
import sys
import time

WHAT = sys.argv[1]
READ, SAY = os.fdopen(0, "rb", 0), os.fdopen(os.dup(1), "wb", 0)
asked = 0


def say(**message: object) -> None:
    SAY.write(json.dumps(message).encode() + b"\n")


def flood(fd: int, data: bytes) -> None:
    while True:
        os.write(fd, data)


def orphan(stay: bool) -> None:
    """Start a process in a session of its own that nothing but a kill ends."""
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        if stay or os.fork() == 0:
            time.sleep(600)
        os._exit(0)


def act(message: dict[str, object]) -> None:
    number = message["id"]
    index: object = 0
    if WHAT == "sleep":
        time.sleep(600)
    elif WHAT == "slow":
        time.sleep(0.4)
    elif WHAT == "garbage":
        SAY.write(b"I think, therefore\n")
    elif WHAT == "binary":
        SAY.write(bytes(range(256)) * 4 + b"\n")
    elif WHAT == "list":
        SAY.write(b"[1, 2]\n")
    elif WHAT == "deep":
        SAY.write(b"[" * 20_000 + b"\n")
    elif WHAT == "digits":
        SAY.write(b'{"type":"move","id":' + b"9" * 20_000 + b"}\n")
    elif WHAT == "crash":
        os._exit(3)
    elif WHAT == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif WHAT == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif WHAT == "flood":
        flood(1, b"x" * 4096)
    elif WHAT == "flood of lines":
        flood(1, b'{"type":"thinking"}\n' * 100)
    elif WHAT == "flood of errors":
        flood(2, b"x" * 4096)
    elif WHAT == "memory":
        hog = bytearray(8 << 30)
        hog[::4096] = b"x" * len(hog[::4096])
    elif WHAT == "disk":
        with open(os.devnull if len(sys.argv) < 3 else sys.argv[2], "wb") as file:
            flood(file.fileno(), b"x" * (1 << 20))
    elif WHAT == "deaf":
        os.close(0)
        time.sleep(600)
    elif WHAT == "mute":
        os.close(1)
        SAY.close()
        time.sleep(600)
    elif WHAT == "orphans":
        orphan(True)
        orphan(False)
    elif WHAT == "refuses":
        say(type="error", id=number, text="no")
        return
    elif WHAT.startswith("index "):
        index = json.loads(WHAT.removeprefix("index "))
    elif WHAT == "no index":
        say(type="move", id=number)
        return
    elif WHAT == "old answers":
        say(type="move", id=1 - asked, index=0)
        time.sleep(600)
    say(type="move", id=number, index=index)


if WHAT == "orphans at once":
    orphan(True)
    time.sleep(600)
if WHAT == "no program":
    sys.exit("there is no such thing")
if WHAT == "never again":
    try:
        open(sys.argv[2], "x").close()
    except FileExistsError:
        sys.exit("once is enough")
if WHAT == "no hello":
    time.sleep(600)
if WHAT == "stubborn":
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
while WHAT == "stubborn" or not READ.closed:
    line = READ.readline()
    if not line:
        if WHAT != "stubborn":
            break
        time.sleep(600)
        continue
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=2 if WHAT == "protocol" else 1, name=WHAT)
    elif message["type"] == "act":
        asked += 1
        if WHAT in ("once", "never again") and asked > 1:
            os._exit(0)
        act(message)
    elif message["type"] == "quit" and WHAT not in ("stubborn", "ignores quit"):
        break
