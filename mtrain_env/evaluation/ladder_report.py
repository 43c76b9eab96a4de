"""The ladder as text, as JSON, and as one HTML file with its picture, that needs nothing else."""

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from typing import Any, Final

from mtrain_env.evaluation.ladder import Ladder, Step
from mtrain_env.evaluation.report import pips, shares, table
from mtrain_env.evaluation.statistics import Interval

FORMAT: Final = "mtrain-ladder/1"

_ROW: Final = 26  # pixels of the picture
_LEFT: Final = 190
_WIDTH: Final = 720
_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 74rem; padding: 0 1rem; color: #1d2733 }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #dde3ea; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
small { color: #5d6b7a } .scroll { overflow-x: auto }
"""


def as_json(ladder: Ladder) -> dict[str, Any]:
    """Return everything as plain values."""
    deals = ladder.deals
    return {
        "format": FORMAT,
        "rules": deals.rules.as_dict(),
        "deals": {
            "name": deals.name,
            "mode": deals.mode,
            "seed": deals.seed,
            "first": deals.first,
            "count": deals.count,
        },
        "reference": ladder.reference,
        "steps": [
            {
                "bot": step.bot,
                "fair": step.fair,
                "pips": asdict(step.match.pips),
                "pips_difference": asdict(step.match.pips_difference),
                "won": asdict(step.match.rounds_won),
                "rating": asdict(step.rating) if step.rating else None,
                "microseconds_per_decision": round(step.match.microseconds, 2),
            }
            for step in ladder.steps
        ],
        "fair_share": 1 / deals.rules.num_players,
        "rated": list(ladder.rated),
        "pairs": [[asdict(cell) if cell else None for cell in row] for row in ladder.pairs],
    }


def title(ladder: Ladder) -> str:
    """Return a line about what was played."""
    deals, n = ladder.deals, ladder.deals.rules.num_players
    return (
        f"{deals.rules.name}, {n} players, double-{deals.rules.max_pip}: {deals.count} deals {deals.name} "
        f"(seed {deals.seed}, from {deals.first}), one {deals.mode} a deal and rotation; "
        "means with 95% intervals over the deals"
    )


def step_rows(ladder: Ladder) -> list[list[str]]:
    """Return the table of the bots, its head first."""
    n = ladder.deals.rules.num_players
    head = [f"one among {n - 1} x {ladder.reference}", "pips a round, minus the others'"]
    head += [f"{ladder.deals.mode}s won (fair {1 / n:.1%})", "us a decision", "rating"]
    return [head, *(_step_row(step) for step in ladder.steps)]


def _step_row(step: Step) -> list[str]:
    match = step.match
    rating = _rating(step.rating) if step.rating else ("not rated" if step.fair else "not fair")
    return [
        step.bot,
        pips(match.pips_difference, signed=True),
        shares(match.rounds_won),
        f"{match.microseconds:,.1f}",
        rating,
    ]


def pair_rows(ladder: Ladder) -> list[list[str]]:
    """Return the matrix of pairs, its head first."""
    rows = [["fewer pips than", *ladder.rated]]
    for bot, cells in zip(ladder.rated, ladder.pairs, strict=True):
        rows.append([bot, *(shares(cell) if cell else "-" for cell in cells)])
    return rows


def as_text(ladder: Ladder) -> str:
    """Return the tables to read in a terminal."""
    lines = [title(ladder), "", *table(step_rows(ladder))]
    if ladder.pairs:
        lines += ["", "at mixed tables, how often the row's bot leaves fewer pips than the column's", ""]
        lines += table(pair_rows(ladder))
    return "\n".join(lines)


def as_html(ladder: Ladder) -> str:
    """Return a page with the picture and the tables."""
    parts = [
        "<h1>Ladder of bots</h1>",
        f"<p>{escape(title(ladder))}.</p>",
        f"<h2>Pips a round, minus the others', among {escape(ladder.reference)}</h2>",
        _picture(ladder),
        f'<div class="scroll">{_html_table(step_rows(ladder))}</div>',
        "<p><small>A rating (Plackett-Luce, from mixed tables) of +100 finishes before the reference in 64% of "
        "cases. Bots that see hidden tiles are not rated.</small></p>",
    ]
    if ladder.pairs:
        parts += [
            "<h2>How often the row's bot leaves fewer pips than the column's at one table</h2>",
            f'<div class="scroll">{_html_table(pair_rows(ladder), _colours(ladder))}</div>',
        ]
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Ladder of bots</title>\n<style>{_STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
    )


def _html_table(rows: Sequence[Sequence[str]], colours: Sequence[Sequence[str]] = ()) -> str:
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in rows[0]) + "</tr>"]
    for r, row in enumerate(rows[1:]):
        styles = ["", *(f' style="background:{colour}"' for colour in colours[r])] if colours else [""] * len(row)
        cells = (f"<td{style}>{escape(cell)}</td>" for style, cell in zip(styles, row, strict=True))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _colours(ladder: Ladder) -> list[list[str]]:
    """Green where the row's bot wins, red where it loses."""
    return [[_colour(cell) for cell in row] for row in ladder.pairs]


def _colour(cell: Interval | None) -> str:
    if cell is None:
        return "none"
    hue, strength = (140, cell.mean - 0.5) if cell.mean > 0.5 else (10, 0.5 - cell.mean)
    return f"hsl({hue} 70% {96 - 60 * strength:.0f}%)"


def _picture(ladder: Ladder) -> str:
    """Return the differences in pips as an SVG: a dot and its interval for each bot."""
    found = [step.match.pips_difference for step in ladder.steps]
    low, high = min(0.0, *(one.low for one in found)), max(0.0, *(one.high for one in found))
    margin = 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin

    def x(value: float) -> float:
        return round(_LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT), 1)

    height = _ROW * (len(found) + 1)
    lines = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="100%" role="img" aria-label="Pips against the reference">',
        f'<line x1="{x(0)}" y1="0" x2="{x(0)}" y2="{height - _ROW}" stroke="#9aa7b5" stroke-dasharray="4 3"/>',
    ]
    for k, (step, one) in enumerate(zip(ladder.steps, found, strict=True)):
        y, colour = _ROW * k + _ROW // 2, "#1f6feb" if step.fair else "#b35900"
        shown = pips(one, signed=True)
        lines += [
            f'<text x="{_LEFT - 12}" y="{y + 5}" text-anchor="end" font-size="13">{escape(step.bot)}</text>',
            f'<line x1="{x(one.low)}" y1="{y}" x2="{x(one.high)}" y2="{y}" stroke="{colour}" stroke-width="3"/>',
            f'<circle cx="{x(one.mean)}" cy="{y}" r="5" fill="{colour}"><title>{shown}</title></circle>',
        ]
    step_size = next(size for size in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / size <= 12)
    for tick in range(int(low // step_size) + 1, int(high // step_size) + 1):
        value = tick * step_size
        place = f'x="{x(value)}" y="{height - 8}" text-anchor="middle" font-size="12" fill="#5d6b7a"'
        lines.append(f"<text {place}>{value:+d}</text>")
    return "\n".join([*lines, "</svg>"])


def _rating(interval: Interval) -> str:
    mean, low, high = (round(value) + 0 for value in (interval.mean, interval.low, interval.high))
    return f"{mean:+d} [{low:+d}, {high:+d}]"
