"""Ladders as JSON, and that as sections to read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from mtrain_env.evaluation.document import Rows, Section, about, incident_note, pips, read, shares
from mtrain_env.evaluation.ladder import Ladder, Step
from mtrain_env.evaluation.matches import paired_difference
from mtrain_env.evaluation.picture import Mark, Panel
from mtrain_env.evaluation.report import deals_json, match_json, seats_section, title, variance_json, variance_section
from mtrain_env.evaluation.statistics import Interval

FORMAT: Final = "mtrain-ladder/1"
_BEFORE: Final = 1 / (1 + 10 ** (-100 / 400))
"""How often a bot with 100 points more finishes before the other."""


def as_json(ladders: Sequence[Ladder], command: str) -> dict[str, Any]:
    """Return everything as plain values; `command` is what plays the same again."""
    return {"format": FORMAT, "command": command, "ladders": [_ladder_json(ladder) for ladder in ladders]}


def _ladder_json(ladder: Ladder) -> dict[str, Any]:
    fair = [step.match for step in ladder.steps if step.fair]
    reference = next(match for match in fair if match.bot == ladder.reference)
    splits = [[match, reference] for match in fair if match is not reference]
    return {
        **deals_json(ladder.deals),
        "reference": ladder.reference,
        "steps": [_step_json(*pair) for pair in zip(ladder.steps, [*ladder.steps[1:], None], strict=True)],
        "rated": list(ladder.rated),
        "pairs": [[asdict(cell) if cell else None for cell in row] for row in ladder.pairs],
        "variance": [variance_json(bots) for bots in ([fair, *splits] if len(fair) > 2 else splits)],
        "incidents": ladder.incidents,
    }


def _step_json(step: Step, below: Step | None) -> dict[str, Any]:
    return match_json(step.match) | {
        "fair": step.fair,
        "to_the_next": asdict(paired_difference(step.match, below.match)) if below else None,
        "rating": asdict(step.rating) if step.rating else None,
    }


def sections(report: Mapping[str, Any]) -> list[Section]:
    """Return what the report of one or more ladders says: each of them, and all side by side."""
    ladders = report["ladders"]
    parts = [section for one in ladders for section in ladder_sections(one)]
    return [*parts, overview(ladders)] if len(ladders) > 1 else parts


def overview(ladders: Sequence[Mapping[str, Any]]) -> Section:
    """Return the table of all bots under all rules."""
    bots = list(dict.fromkeys(step["bot"] for one in ladders for step in one["steps"]))
    rows = [["rules, players", *bots]]
    for one in ladders:
        found = {step["bot"]: about(read(step["pips_difference"])) for step in one["steps"]}
        name = f"{one['rules']['name']}, {one['rules']['num_players']}"
        rows.append([name, *(found.get(bot, "-") for bot in bots)])
    references = ", ".join(dict.fromkeys(one["reference"] for one in ladders))
    heading = f"All rules side by side: pips a round, minus the others', one among {references}"
    return Section(heading, rows, "± is half of the 95% interval.")


def ladder_sections(ladder: Mapping[str, Any]) -> list[Section]:
    """Return what one ladder says: the steps, the seats, the variance, the pairs."""
    steps = ladder["steps"]
    marks = [Mark(step["bot"], read(step["pips_difference"]), apart=not step["fair"]) for step in steps]
    panel = Panel(f"{_short(ladder)}: pips a round, minus the others', among {ladder['reference']}", marks)
    rating = (
        f"A rating (Plackett-Luce, from mixed tables) of +100 finishes before the reference in {_BEFORE:.0%} of cases."
    )
    incidents = incident_note(ladder["incidents"])
    parts = [
        Section(title(ladder), _step_rows(ladder), f"{rating} {incidents}".strip(), panel),
        seats_section([step["bot"] for step in steps], steps),
    ]
    if ladder["variance"]:
        parts.append(variance_section(ladder["variance"]))
    if ladder["pairs"]:
        heading = "Mixed tables: how often the row's bot leaves fewer pips than the column's"
        shades = [[cell["mean"] if cell else None for cell in row] for row in ladder["pairs"]]
        parts.append(Section(heading, _pair_rows(ladder), shades=shades))
    return parts


def _short(ladder: Mapping[str, Any]) -> str:
    return f"{ladder['rules']['name']}, {ladder['rules']['num_players']} players"


def _step_rows(ladder: Mapping[str, Any]) -> Rows:
    mode, others = ladder["deals"]["mode"], ladder["rules"]["num_players"] - 1
    head = [f"one among {others} x {ladder['reference']}", "pips a round, minus the others'"]
    head += ["minus the next row's", f"{mode}s won (fair {ladder['fair_share']:.1%})", "us a decision", "rating"]
    return [head, *(_step_row(step) for step in ladder["steps"])]


def _step_row(step: Mapping[str, Any]) -> list[str]:
    unrated = "not rated" if step["fair"] else "not fair"
    return [
        step["bot"],
        pips(read(step["pips_difference"]), signed=True),
        pips(read(step["to_the_next"]), signed=True) if step["to_the_next"] else "",
        shares(read(step["won"])),
        f"{step['microseconds_per_decision']:,.1f}",
        _rating(read(step["rating"])) if step["rating"] else unrated,
    ]


def _pair_rows(ladder: Mapping[str, Any]) -> Rows:
    rows = [["fewer pips than", *ladder["rated"]]]
    for bot, cells in zip(ladder["rated"], ladder["pairs"], strict=True):
        rows.append([bot, *(shares(read(cell)) if cell else "-" for cell in cells)])
    return rows


def _rating(interval: Interval) -> str:
    mean, low, high = (round(value) + 0 for value in (interval.mean, interval.low, interval.high))
    return f"{mean:+d} [{low:+d}, {high:+d}]"
