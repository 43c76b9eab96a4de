"""The ladder: all bots against one reference, and against each other at mixed tables.

Each bot sits alone among copies of the reference, on the same deals: that is its *step*. Ratings and the matrix of
pairs come from tables at which the fair bots sit together, all equally often; every deal is played in all rotations.
A slow bot may be left out there (`unrated`): half of a ladder's time is spent at these tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from mtrain_env.bot import make_bot
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import Deals
from mtrain_env.evaluation.jobs import Job, Outcome, Progress, chunks, run_jobs
from mtrain_env.evaluation.matches import MatchResult
from mtrain_env.evaluation.named import collect, match_jobs
from mtrain_env.evaluation.players import Incidents, by_name
from mtrain_env.evaluation.ratings import gather, pairs_won, ratings
from mtrain_env.evaluation.statistics import Interval

REFERENCE: Final = "hard"
AT_A_TABLE: Final = 5
"""Deals that the same bots play at a mixed table; fewer mix them better, more are faster."""


@dataclass(frozen=True)
class Step:
    """One bot of the ladder."""

    bot: str
    fair: bool
    match: MatchResult
    """One of it among copies of the reference."""
    rating: Interval | None
    """Above zero is stronger than the reference; None for a bot that sat at no mixed table."""


@dataclass(frozen=True)
class Ladder:
    """All bots, the strongest (fewest pips against the reference) first."""

    deals: Deals
    reference: str
    steps: tuple[Step, ...]
    rated: tuple[str, ...]
    """The bots that sat at mixed tables, the strongest first."""
    pairs: tuple[tuple[Interval | None, ...], ...]
    """How often a bot (row) leaves fewer pips than another (column) at one table."""
    incidents: Mapping[str, Incidents]
    """By bot, those that failed in a match or at a mixed table."""


def names_of(bots: Sequence[str], reference: str) -> tuple[dict[str, bool], str]:
    """Return whether each bot is fair, the reference among them, and the name that the reference has there."""
    made = [make_bot(name) for name in bots]
    if len({bot.name for bot in made}) < len(made):
        raise BotError(f"A bot is named twice in {', '.join(bots)}.")
    known = make_bot(reference)
    if not known.fair:
        raise BotError(f"{reference!r} is not fair, so nobody can be rated against it.")
    # A bundle in a folder is found by the name that was asked for, not by its own.
    fair = dict(zip(bots, (bot.fair for bot in made), strict=True))
    for name, bot in zip(bots, made, strict=True):
        if bot.name == known.name:
            return fair, name
    return {reference: True, **fair}, reference


def table_jobs(bots: Sequence[str], deals: Deals) -> list[Job]:
    """Return the jobs of mixed tables: the next bots of an endless shuffled row for every AT_A_TABLE deals."""
    n = deals.rules.num_players
    parts = list(chunks(deals, AT_A_TABLE))
    row: list[int] = []
    shuffle = np.random.default_rng((deals.seed, len(bots)))
    while len(row) < n * len(parts):
        row += shuffle.permutation(len(bots)).tolist()
    jobs, left = [], iter(row)
    for part in parts:
        table = list(islice(left, n))
        present = sorted(set(table))
        places = [present.index(bot) for bot in table]
        seatings = tuple(tuple(places[turn:] + places[:turn]) for turn in range(n))
        jobs.append(Job(tuple(bots[bot] for bot in present), seatings, part))
    return jobs


def play_ladder(
    bots: Sequence[str],
    deals: Deals,
    reference: str = REFERENCE,
    *,
    unrated: Sequence[str] = (),
    processes: int = 1,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Ladder:
    """Play the ladder of these bots and the reference, the bots `unrated` against the reference alone."""
    fair, reference = names_of(bots, reference)
    matches = {bot: match_jobs(bot, reference, deals) for bot in fair}
    rated = [bot for bot in fair if fair[bot] and bot not in unrated]
    tables = table_jobs(rated, deals) if len(rated) > 1 else []
    jobs = [job for one in matches.values() for job in one] + tables
    outcomes = dict(zip(jobs, run_jobs(jobs, processes=processes, folder=folder, progress=progress), strict=True))
    results = {bot: collect(bot, reference, deals, [outcomes[job] for job in matches[bot]]) for bot in fair}
    order = sorted(fair, key=lambda bot: results[bot].pips_difference.mean)
    rated.sort(key=order.index)
    scores: dict[str, Interval] = {}
    pairs: list[list[Interval | None]] = []
    if tables:
        finishes = gather(len(rated), [_table(job, outcomes[job], rated) for job in tables])
        found = ratings(finishes, rated.index(reference))
        sat = {rated[k] for k in set(finishes.seated.flat)}  # where deals are few, not everybody did
        if reference in sat:
            scores = {bot: one for bot, one in zip(rated, found, strict=True) if bot in sat}
        pairs = pairs_won(finishes)
    steps = tuple(Step(bot, fair[bot], results[bot], scores.get(bot)) for bot in order)
    incidents = by_name((job.bots, outcome.incidents) for job, outcome in outcomes.items())
    return Ladder(deals, reference, steps, tuple(rated), tuple(map(tuple, pairs)), incidents)


def _table(job: Job, outcome: Outcome, rated: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return who sat where in each seating, as indices into `rated`, and the points."""
    places = np.array([rated.index(bot) for bot in job.bots])
    return places[np.array(job.seatings)], outcome.points
