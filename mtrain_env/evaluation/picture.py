"""Means with their intervals as a picture: a dot and a bar for each row, as SVG, or as PNG by Pillow."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final, Protocol

from mtrain_env.errors import ConfigError
from mtrain_env.evaluation.statistics import Interval

WIDTH: Final = 900
_ROW: Final = 26
_LEFT: Final = 200  # of the axis, in pixels; before it are the names
_RIGHT: Final = WIDTH - 30
_HEAD: Final = 34
_FOOT: Final = 30
_INK, _QUIET, _GRID, _FIRST, _SECOND = "#1d2733", "#5d6b7a", "#c3ccd6", "#1f6feb", "#b35900"
_TICKS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_SHARPNESS: Final = 2
"""Pixels of a PNG for one of the picture."""


@dataclass(frozen=True)
class Mark:
    """A row: a name and its interval; `apart` gives it the second colour."""

    name: str
    interval: Interval
    apart: bool = False


@dataclass(frozen=True)
class Panel:
    """A title and its rows, on an axis of their own."""

    title: str
    marks: Sequence[Mark]

    @property
    def height(self) -> int:
        """Pixels."""
        return _HEAD + _ROW * len(self.marks) + _FOOT


class _Pen(Protocol):
    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str, width: int) -> None: ...

    def dot(self, x: float, y: float, radius: int, colour: str) -> None: ...

    def text(self, x: float, y: float, text: str, size: int, colour: str, anchor: str) -> None: ...


class _Svg:
    """Draws elements of an SVG image."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str, width: int) -> None:
        place = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
        self.parts.append(f'<line {place} stroke="{colour}" stroke-width="{width}"/>')

    def dot(self, x: float, y: float, radius: int, colour: str) -> None:
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>')

    def text(self, x: float, y: float, text: str, size: int, colour: str, anchor: str) -> None:
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central"'
        self.parts.append(f'<text {place} font-size="{size}" fill="{colour}">{escape(text)}</text>')


class _Pixels:
    """Draws on an image of Pillow."""

    _ANCHORS: Final = {"start": "lm", "middle": "mm", "end": "rm"}

    def __init__(self, height: int) -> None:
        need_pillow()
        from PIL import Image, ImageDraw, ImageFont

        self.image: Any = Image.new("RGB", (WIDTH * _SHARPNESS, height * _SHARPNESS), "white")
        self._draw = ImageDraw.Draw(self.image)
        self._font = ImageFont.load_default

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str, width: int) -> None:
        ends = [_SHARPNESS * place for place in (x, y, to_x, to_y)]
        self._draw.line(ends, colour, width * _SHARPNESS)

    def dot(self, x: float, y: float, radius: int, colour: str) -> None:
        self._draw.circle((_SHARPNESS * x, _SHARPNESS * y), _SHARPNESS * radius, colour)

    def text(self, x: float, y: float, text: str, size: int, colour: str, anchor: str) -> None:
        place = (_SHARPNESS * x, _SHARPNESS * y)
        self._draw.text(place, text, colour, self._font(_SHARPNESS * size), anchor=self._ANCHORS[anchor])


def need_pillow() -> None:
    """Raise ConfigError if Pillow is not there."""
    try:
        import PIL  # noqa: F401 -- whether it is there
    except ImportError:
        raise ConfigError(
            "A PNG needs Pillow: pip install 'mtrain-env[render]'. The HTML page needs nothing and has the picture."
        ) from None


def as_svg(panels: Sequence[Panel]) -> str:
    """Return the panels, one below the other, as one SVG element."""
    pen, height = _Svg(), sum(panel.height for panel in panels)
    _draw_all(panels, pen)
    head = f'<svg viewBox="0 0 {WIDTH} {height}" width="100%" font-family="sans-serif" role="img"'
    label = escape(", ".join(panel.title for panel in panels), quote=True)
    return "\n".join([f'{head} aria-label="{label}">', *pen.parts, "</svg>"])


def save_png(panels: Sequence[Panel], path: Path) -> None:
    """Write the panels, one below the other, as a PNG file. Raises ConfigError without Pillow, OSError as usual."""
    pen = _Pixels(sum(panel.height for panel in panels))
    _draw_all(panels, pen)
    pen.image.save(path, format="PNG")


def _draw_all(panels: Sequence[Panel], pen: _Pen) -> None:
    top = 0
    for panel in panels:
        _draw(panel, pen, top)
        top += panel.height


def _draw(panel: Panel, pen: _Pen, top: int) -> None:
    """Draw a panel: the title, an axis with a line at 0, and the rows."""
    low = min(0.0, *(mark.interval.low for mark in panel.marks))
    high = max(0.0, *(mark.interval.high for mark in panel.marks))
    margin = 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_RIGHT - _LEFT)

    bottom = top + panel.height - _FOOT
    pen.text(12, top + _HEAD / 2, panel.title, 15, _INK, "start")
    step = next((size for size in _TICKS if (high - low) / size <= 12), _TICKS[-1])
    for value in range(int(low // step + 1) * step, int(high) + 1, step):
        pen.line(x(value), top + _HEAD, x(value), bottom, _INK if value == 0 else _GRID, 1)
        pen.text(x(value), bottom + 12, f"{value:+d}" if value else "0", 12, _QUIET, "middle")
    for k, mark in enumerate(panel.marks):
        y, colour, found = top + _HEAD + _ROW * (k + 0.5), _SECOND if mark.apart else _FIRST, mark.interval
        pen.text(_LEFT - 14, y, mark.name, 13, _INK, "end")
        pen.line(x(found.low), y, x(found.high), y, colour, 3)
        pen.dot(x(found.mean), y, 5, colour)
