"""What a report says, as sections with tables, and its three forms: text, Markdown, and one HTML file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from mtrain_env.errors import ConfigError
from mtrain_env.evaluation.picture import Panel, as_svg
from mtrain_env.evaluation.players import Incidents
from mtrain_env.evaluation.statistics import Interval

Rows = Sequence[Sequence[str]]

_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 74rem; padding: 0 1rem; color: #1d2733 }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #dde3ea; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.scroll { overflow-x: auto }
"""


@dataclass(frozen=True)
class Section:
    """A heading, a picture, a table and what is to be said about it; all but the heading may be missing."""

    heading: str
    rows: Rows = ()
    """The table, its head first."""
    note: str = ""
    panel: Panel | None = None
    """Shown in HTML only."""
    shades: Sequence[Sequence[float | None]] = ()
    """By row and column of the table without its head and first column: 0 is bad, 0.5 even, 1 good; HTML only."""


def as_text(sections: Sequence[Section]) -> str:
    """Return the sections to read in a terminal."""
    return "\n\n".join("\n".join(_lines(section, table(section.rows))) for section in sections)


def as_markdown(sections: Sequence[Section], level: int = 2) -> str:
    """Return the sections as Markdown, with headings of that level."""
    return "\n\n".join("\n".join(_lines(one, _markdown_table(one.rows), "#" * level + " ")) for one in sections) + "\n"


def _lines(section: Section, rows: Sequence[str], mark: str = "") -> list[str]:
    parts = [[mark + section.heading], rows, [section.note] if section.note else []]
    return [line for part in parts if part for line in ("", *part)][1:]


def table(rows: Rows) -> list[str]:
    """Return the rows with their columns aligned, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _markdown_table(rows: Rows) -> list[str]:
    ruled = [*rows[:1], ["---"] * len(rows[0]), *rows[1:]] if rows else []
    return [f"| {' | '.join(row)} |" for row in ruled]


def as_html(title: str, sections: Sequence[Section]) -> str:
    """Return a page that needs nothing else."""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(line for section in sections for line in _html(section))
        + "\n</html>\n"
    )


def _html(section: Section) -> list[str]:
    lines = [f"<h2>{escape(section.heading)}</h2>"]
    if section.panel:
        lines.append(as_svg([section.panel]))
    if section.rows:
        lines.append(f'<div class="scroll">\n{_html_table(section)}\n</div>')
    if section.note:
        lines.append(f"<p>{escape(section.note)}</p>")
    return lines


def _html_table(section: Section) -> str:
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in section.rows[0]) + "</tr>"]
    for k, row in enumerate(section.rows[1:]):
        shades = [None, *section.shades[k]] if section.shades else [None] * len(row)
        cells = (f"<td{_colour(shade)}>{escape(cell)}</td>" for shade, cell in zip(shades, row, strict=True))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _colour(shade: float | None) -> str:
    """Green above one half, red below."""
    if shade is None:
        return ""
    hue, strength = (140, shade - 0.5) if shade > 0.5 else (10, 0.5 - shade)
    return f' style="background:hsl({hue} 70% {96 - 60 * strength:.0f}%)"'


def write(path: Path, text: str) -> None:
    """Write a file. Raises ConfigError if that is not possible."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"The report {str(path)!r} cannot be written: {error.strerror}.") from None


# -- cells


def read(found: Mapping[str, Any]) -> Interval:
    """Return an interval from its plain values."""
    return Interval(found["mean"], found["low"], found["high"])


def pips(interval: Interval, *, signed: bool = False) -> str:
    """Return pips with their interval."""
    mean, low, high = (round(x, 2) + 0.0 for x in (interval.mean, interval.low, interval.high))
    return f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]" if signed else f"{mean:.2f} [{low:.2f}, {high:.2f}]"


def about(interval: Interval) -> str:
    """Return pips with half the width of their interval, for tables with many columns."""
    return f"{round(interval.mean, 1) + 0.0:+.1f} ±{(interval.high - interval.low) / 2:.1f}"


def shares(interval: Interval) -> str:
    """Return a share with its interval, in per cent."""
    return f"{interval.mean:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def incident_note(incidents: Mapping[str, Incidents]) -> str:
    """Return who failed, how often and what was played instead; nothing if nobody did."""
    if not incidents:
        return ""
    each = [
        f"{bot} {', '.join(f'{count:,} {what}' for what, count in sorted(its.items()))}"
        for bot, its in sorted(incidents.items())
    ]
    return f"Incidents, where the first legal action was played instead: {'; '.join(each)}."
