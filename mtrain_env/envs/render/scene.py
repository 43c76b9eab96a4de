"""A table as drawing primitives in a frame of constant, even size; SVG, images and the window draw the same ones."""

from dataclasses import dataclass
from typing import Final

from mtrain_env.engine.state import ANY
from mtrain_env.envs.render.table import Ends, SeatView, TableView, TrainView, end_text

WIDTH: Final = 1280
HEIGHT: Final = 720
BACKGROUND: Final = "#1f4d3a"

_HEAD, _FOOT, _MARGIN, _LABEL, _END, _GAP = 56, 96, 16, 210, 64, 4
_INK, _PAPER, _QUIET, _GLOW, _OPEN, _FAINT = "#1b1b1b", "#f6f1e3", "#a9c7b8", "#e4572e", "#f2b134", "#2a5e49"
_COLOURS: Final = (
    *("#555555", "#2d6cdf", "#1d8a4e", "#c0392b", "#8e44ad", "#d35400", "#0e7c86", "#a0522d", "#b8860b", "#c2185b"),
    *("#00695c", "#5d4037", "#283593", "#558b2f", "#6a1b9a", "#ad1457", "#37474f", "#827717", "#4e342e"),
)
"""A colour for each number of pips."""


@dataclass(frozen=True)
class Box:
    """A filled rectangle with an outline; all numbers are pixels."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    outline: str = ""
    thickness: int = 1


@dataclass(frozen=True)
class Text:
    """A line of text; (x, y) is its middle, or the middle of its left edge."""

    x: float
    y: float
    size: float
    text: str
    colour: str
    centred: bool = True


Primitive = Box | Text


def draw_scene(table: TableView) -> list[Primitive]:
    """The primitives of a table, to be drawn in order on BACKGROUND, WIDTH x HEIGHT."""
    turned = ", counter-clockwise" if table.reversed else ""
    opening = f"{table.opening}-{table.opening}" if table.opening >= 0 else "not known yet"
    title = f"{table.title}    opening double {opening}    boneyard {table.boneyard}{turned}"
    scene: list[Primitive] = [Text(_MARGIN, _HEAD / 2, 22, title, _PAPER, centred=False)]
    rows = [(None, table.trains[-1]), *zip(table.seats, table.trains, strict=False)]
    pitch = min(72.0, (HEIGHT - _HEAD - _FOOT) / len(rows))
    for k, (seat, train) in enumerate(rows):
        scene += _row(seat, train, _HEAD + k * pitch, pitch)
    scene.append(Text(_MARGIN, HEIGHT - _FOOT + 18, 20, table.news, _PAPER, centred=False))
    if table.hand_of:
        scene += _hand(table)
    return scene


def _row(seat: SeatView | None, train: TrainView, top: float, pitch: float) -> list[Primitive]:
    """One train with its label before and its end behind the tiles; the newest tiles stay in view."""
    middle, height = top + pitch / 2, pitch - 8
    name = "Mexican" if seat is None else f"{seat.name}  {seat.tiles} tiles, {seat.total}"
    colour = _OPEN if seat is not None and seat.to_move else _PAPER
    scene: list[Primitive] = [Box(0, top, WIDTH, pitch - 2, _FAINT)]
    if train.marked:
        scene.append(Box(_LABEL - 14, top + 4, 8, height, _OPEN))
    scene.append(Text(_MARGIN, middle, min(20, height / 1.8), name, colour, centred=False))
    room = WIDTH - _LABEL - _END - _MARGIN - 40
    shown = len(train.tiles)
    while sum(_length(tile, height) for tile in train.tiles[len(train.tiles) - shown :]) > room:
        shown -= 1
    hidden = len(train.tiles) - shown
    x = float(_LABEL)
    if hidden:
        scene.append(Text(x + 18, middle, min(18, height / 2), f"+{hidden}", _QUIET))
        x += 40
    for k, tile in enumerate(train.tiles[hidden:], hidden):
        last = k + 1 == len(train.tiles)
        scene += _tile(tile, x, top + 4, height, glowing=last and train.waiting)
        x += _length(tile, height)
    end = end_text(train.end) + (f" {train.blocker}" if train.blocker else "")
    scene.append(Text(WIDTH - _END, middle, min(22, height / 1.6), end, _GLOW if train.waiting else _PAPER))
    return scene


def _half(height: float) -> float:
    """The length of one half of a tile that lies along its train."""
    return min(height, 40) * 0.75


def _length(tile: Ends, height: float) -> float:
    return (1 if tile[0] == tile[1] else 2) * _half(height) + _GAP


def _tile(tile: Ends, x: float, y: float, height: float, *, glowing: bool = False) -> list[Primitive]:
    """A tile along its train; a double lies crossways."""
    half, double = _half(height), tile[0] == tile[1]
    deep = min(height, 40)
    y += (height - deep) / 2
    outline, thickness = (_GLOW, 3) if glowing else (_INK, 1)
    width = half if double else 2 * half
    scene: list[Primitive] = [Box(x, y, width, deep, _PAPER, outline, thickness)]
    if tile[1] == ANY:
        return [*scene, Text(x + half / 2, y + deep / 2, half / 2, "any", _GLOW)]
    for k, number in enumerate(tile):
        place = (0.5, 0.28 + 0.46 * k) if double else ((0.25, 0.75)[k], 0.5)
        size = deep * (0.42 if double else 0.5)
        scene.append(Text(x + place[0] * width, y + place[1] * deep, size, str(number), _COLOURS[number]))
    return scene


def _hand(table: TableView) -> list[Primitive]:
    """The hand of one seat in a line at the foot."""
    top, width = HEIGHT - 56, WIDTH - 2 * _MARGIN - 60
    pitch = min(58.0, width / max(1, len(table.hand)))
    scene: list[Primitive] = [Text(_MARGIN, top + 20, 20, table.hand_of, _PAPER, centred=False)]
    for k, text in enumerate(table.hand):
        x = _MARGIN + 60 + k * pitch
        scene.append(Box(x, top, pitch - 4, 40, _PAPER, _INK))
        scene.append(Text(x + (pitch - 4) / 2, top + 20, min(18, pitch / 3), text, _INK))
    return scene
