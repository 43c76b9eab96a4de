"""Many deals as small jobs: on several processes, and kept in a folder, so that a run that was stopped goes on.

What a job is does not depend on how many processes there are, so neither does a result.
"""

import functools
import hashlib
import json
import os
import shlex
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Bot, close_bot, make_bot
from mtrain_env.bots.bundle import shipped
from mtrain_env.bots.policy import POLICY
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.evaluation.players import Incidents
from mtrain_env.rules import Rules

FORMAT: Final = "mtrain-job/1"
CHUNK: Final = 20
"""Deals in a job."""
Progress = Callable[[int, int], None]
"""Called with the number of deals played, and of all deals."""
_PLAYED_BY: Final = ("engine", "encoding", "bots")

_bots: Final[dict[str, Bot]] = {}


@dataclass(frozen=True)
class Job:
    """Some deals, each played in some seatings by bots that have names."""

    bots: tuple[str, ...]
    seatings: tuple[tuple[int, ...], ...]
    deals: Deals

    @property
    def key(self) -> str:
        """A hash of all on which the outcome depends: the bots and the code that plays, the seatings and the deals."""
        bots = [[name, _files_hash(name)] for name in self.bots]
        what = [FORMAT, code_hash(), bots, self.seatings, self.deals.name]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:24]

    def plain(self) -> dict[str, Any]:
        """Return the job as plain values, for another process or a file."""
        deals = self.deals
        return {
            "bots": list(self.bots),
            "seatings": [list(seating) for seating in self.seatings],
            "rules": deals.rules.as_dict(),
            "deals": {"count": deals.count, "seed": deals.seed, "mode": deals.mode, "first": deals.first},
        }


@dataclass(frozen=True)
class Outcome:
    """What a job gave."""

    points: NDArray[np.int64]
    """By deal, seating and seat."""
    decisions: tuple[int, ...]
    """Of each bot, as many as were timed."""
    seconds: tuple[float, ...]
    """What they took."""
    incidents: tuple[Incidents, ...]
    """Of each bot."""


def chunks(deals: Deals, size: int = CHUNK) -> Iterator[Deals]:
    """Cut the deals into pieces of that size; the last is shorter, or longer by the single deal that would be left."""
    first, last = deals.first, deals.first + deals.count
    while first < last:
        count = size if last - first > size + 1 else last - first
        yield Deals(deals.rules, count, deals.seed, deals.mode, first)
        first += count


def run_jobs(
    jobs: Sequence[Job], *, processes: int = 1, folder: Path | None = None, progress: Progress | None = None
) -> list[Outcome]:
    """Return the outcome of every job; those that lie in `folder` are not played again, the others are put there."""
    keys = [job.key for job in jobs]
    found: dict[str, Outcome] = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        found = {key: outcome for key in keys if (outcome := _read(folder / f"{key}.json")) is not None}
    missing = {key: job for key, job in zip(keys, jobs, strict=True) if key not in found}
    total = sum(job.deals.count for job in jobs)
    left = sum(job.deals.count for job in missing.values())
    for key, plain in _played(missing, processes):
        if folder is not None:
            _write(folder / f"{key}.json", missing[key], plain)
        found[key] = _outcome(plain)
        left -= missing[key].deals.count
        if progress is not None:
            progress(total - left, total)
    return [found[key] for key in keys]


def _played(jobs: dict[str, Job], processes: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Play the jobs, and give each when it is done."""
    if min(processes, len(jobs)) <= 1:
        try:
            for key, job in jobs.items():
                yield key, play_job(job.plain())
        finally:
            for bot in _bots.values():
                close_bot(bot)
        return
    with ProcessPoolExecutor(
        min(processes, len(jobs)),
        mp_context=get_context("spawn"),
        initializer=signal.signal,  # Ctrl-C goes to all: it ends these at once, not after the job that each has next
        initargs=(signal.SIGINT, signal.SIG_DFL),
    ) as pool:
        keys = {pool.submit(play_job, job.plain()): key for key, job in jobs.items()}
        try:
            for done in as_completed(keys):
                yield keys[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def play_job(plain: dict[str, Any]) -> dict[str, Any]:
    """Play a job; both it and the outcome are plain values."""
    deals = Deals(rules=Rules.of(plain["rules"]), **plain["deals"])
    bots = [_maker(name) for name in plain["bots"]]
    played = play(bots, plain["seatings"], deals)
    return {
        "points": played.points.tolist(),
        "decisions": [clock.decisions for clock in played.clocks],
        "seconds": [clock.seconds for clock in played.clocks],
        "incidents": list(played.incidents),
    }


def _maker(name: str) -> Bot:
    """Return the bot of this process with that name."""
    if name not in _bots:
        _bots[name] = make_bot(name)
    return _bots[name]


def _outcome(plain: dict[str, Any]) -> Outcome:
    points = np.array(plain["points"], np.int64)
    return Outcome(points, tuple(plain["decisions"]), tuple(plain["seconds"]), tuple(plain["incidents"]))


def _read(path: Path) -> Outcome | None:
    """Return the outcome in a file; None if there is none, or it is damaged (it is then played again)."""
    try:
        return _outcome(json.loads(path.read_bytes())["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, job: Job, outcome: dict[str, Any]) -> None:
    """Write a file at once or not at all, whenever the run is stopped."""
    text = json.dumps({"format": FORMAT, "job": job.plain(), "outcome": outcome})
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


@functools.cache
def code_hash() -> str:
    """Return a hash of all code that plays: an outcome of other code is no outcome of this one."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for path in sorted(path for part in _PLAYED_BY for path in (package / part).rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _files_hash(name: str) -> str:
    """Return a hash of the bundle, or of the files of a command, that a bot's name has; empty if it has none."""
    word, _, argument = name.partition(":")
    if word == "external":
        files = [path for path in map(Path, shlex.split(argument)) if path.is_file()]
        return hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)).hexdigest()
    if word not in ("learned", "search"):
        return ""
    bundle = argument.partition(":")[0] if word == "search" else argument
    try:
        return hashlib.sha256((shipped().get(bundle, Path(bundle)) / POLICY).read_bytes()).hexdigest()
    except OSError:
        return ""
