"""Watching what is done with a hostile bundle: nothing may run, be written, be loaded or stay behind."""

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_RUNS = (
    "compile",
    "ctypes.",
    "exec",
    "import",
    "marshal.",
    "os.exec",
    "os.fork",
    "os.link",
    "os.mkdir",
    "os.posix_spawn",
    "os.putenv",
    "os.remove",
    "os.rename",
    "os.spawn",
    "os.symlink",
    "os.system",
    "pickle.",
    "pty.",
    "shutil.",
    "socket.",
    "subprocess.",
    "urllib.",
)
"""Beginnings of the names of Python's audit events for whatever runs code, writes, or talks."""

_SECONDS, _MEGABYTES = 3.0, 100
_noted: list[str] | None = None
_opened: list[str] = []
_folder = Path()


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _noted is None:
        return
    if event.startswith(_RUNS):
        _noted.append(f"{event} {arguments[:1]}")
    elif event == "open" and isinstance(arguments[0], str):
        path, mode = Path(arguments[0]), str(arguments[1] or "r")
        if set(mode) & set("wax+") or not path.resolve().is_relative_to(_folder):
            _noted.append(f"open {path} {mode}")
        _opened.append(str(path))


sys.addaudithook(_hook)  # cannot be taken off again: outside of `nothing_happens` it does nothing


def _alive() -> set[str]:
    """Threads and children of this process; nothing where the system does not list them."""
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return set()
    children: list[str] = []
    for task in tasks.iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended meanwhile
            children += (task / "children").read_text().split()
    return set(os.listdir(tasks)) | set(children)


@contextmanager
def nothing_happens(folder: Path, opened: list[str] | None = None) -> Iterator[None]:
    """What is done inside may read plain files of `folder`, noted in `opened`, soon end, and nothing else."""
    global _noted, _opened, _folder
    alive, began = _alive(), time.process_time()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    noted: list[str] = []
    _noted, _opened, _folder = noted, [] if opened is None else opened, folder.resolve()
    try:
        yield
    finally:
        _noted = None
    assert noted == []
    assert _alive() <= alive
    assert time.process_time() - began < _SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < _MEGABYTES << 10
