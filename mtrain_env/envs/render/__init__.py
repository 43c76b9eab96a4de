"""Showing a table: as text, as SVG, as pixels, in a window. All show the same; only the latter two need packages."""

from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from mtrain_env.envs.render.ansi import draw_text
from mtrain_env.envs.render.raster import RenderError, draw_frame, save_gif
from mtrain_env.envs.render.record import RecordGif
from mtrain_env.envs.render.scene import HEIGHT, WIDTH, draw_scene
from mtrain_env.envs.render.svg import draw_svg
from mtrain_env.envs.render.table import see_table
from mtrain_env.envs.render.window import Window
from mtrain_env.rules import Rules

__all__ = ["HEIGHT", "MODES", "WIDTH", "RecordGif", "RenderError", "Renderer", "save_gif"]

MODES: Final = ("ansi", "svg", "rgb_array", "human")


class Renderer:
    """Shows tables in one mode; `seat` is the one whose hand is shown, None for no hand."""

    def __init__(self, rules: Rules, mode: str | None, seat: int | None) -> None:
        if mode is not None and mode not in MODES:
            raise RenderError(f"render_mode must be None or one of {', '.join(map(repr, MODES))}, got {mode!r}.")
        if seat is not None and seat not in range(rules.num_players):
            raise RenderError(f"render_seat must be None or a seat from 0 to {rules.num_players - 1}, got {seat!r}.")
        self.rules, self.mode, self.seat = rules, mode, seat
        self._window: Window | None = None

    def fresh(self) -> Self:
        """The same, without the window."""
        return type(self)(self.rules, self.mode, self.seat)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}

    def render(self, games: NDArray[np.void]) -> Any:  # noqa: ANN401 -- by mode
        """Show the first game: str (ansi, svg), uint8[HEIGHT, WIDTH, 3] (rgb_array), or None (human)."""
        table = see_table(self.rules, games, self.seat)
        if self.mode == "ansi":
            return draw_text(table)
        scene = draw_scene(table)
        if self.mode == "svg":
            return draw_svg(scene)
        frame = draw_frame(scene)
        if self.mode == "rgb_array":
            return frame
        if self._window is None:
            self._window = Window("Mexican Train")
        self._window.show(frame)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
