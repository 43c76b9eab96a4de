"""Matches of bots that have names: as jobs, on several processes, and not played again where they were played."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mtrain_env.evaluation.deals import Deals
from mtrain_env.evaluation.jobs import Job, Outcome, Progress, chunks, run_jobs
from mtrain_env.evaluation.matches import MatchResult, match_result, rotations
from mtrain_env.evaluation.players import by_name


def match_jobs(bot: str, others: str, deals: Deals) -> list[Job]:
    """Return the jobs of one bot among copies of another."""
    seatings = tuple(map(tuple, rotations(deals.rules.num_players)))
    return [Job((bot, others), seatings, part) for part in chunks(deals)]


def collect(bot: str, others: str, deals: Deals, outcomes: Sequence[Outcome]) -> MatchResult:
    """Return the result of a match from the outcomes of its jobs."""
    points = np.concatenate([outcome.points for outcome in outcomes])
    decisions = sum(outcome.decisions[0] for outcome in outcomes)
    seconds = sum(outcome.seconds[0] for outcome in outcomes)
    incidents = by_name(((bot, others), outcome.incidents) for outcome in outcomes)
    return match_result((bot, others), deals, points, seconds / max(1, decisions) * 1e6, incidents)


def play_matches(
    pairs: Sequence[tuple[str, str]],
    deals: Deals,
    *,
    processes: int = 1,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> list[MatchResult]:
    """Play one of each first bot among copies of the second, all on the same deals, as matches.match by names.

    `processes`, `folder` and `progress` as run_jobs.
    """
    jobs = [match_jobs(*pair, deals) for pair in pairs]
    outcomes = iter(
        run_jobs([job for one in jobs for job in one], processes=processes, folder=folder, progress=progress)
    )
    return [collect(*pair, deals, [next(outcomes) for _ in one]) for pair, one in zip(pairs, jobs, strict=True)]
