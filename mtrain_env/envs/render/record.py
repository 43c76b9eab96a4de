"""Recording episodes of a Gymnasium environment as animated GIFs, as gymnasium.wrappers.RecordVideo does as videos."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium

from mtrain_env.envs.render.raster import Frame, RenderError, save_gif


class RecordGif(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Writes a GIF of each episode that `trigger` chooses by its number, from 0: `folder`/episode-N.gif.

    The environment needs render_mode="rgb_array"; RenderError otherwise. A frame is taken after the reset and after
    each step. An episode that a reset or `close` cuts off is written as far as it went. moviepy is not needed.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        folder: str | Path,
        trigger: Callable[[int], bool] = lambda episode: True,
        fps: float = 2.0,
    ) -> None:
        super().__init__(env)
        if env.render_mode != "rgb_array":
            raise RenderError(f"RecordGif needs render_mode='rgb_array', got {env.render_mode!r}.")
        self._folder, self._trigger, self._fps = Path(folder), trigger, fps
        self._folder.mkdir(parents=True, exist_ok=True)
        self._episode = -1
        self._frames: list[Frame] = []

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 -- as the environment takes
        """Reset the environment; a new episode begins."""
        self._write()
        result = self.env.reset(**options)
        self._episode += 1
        self._take()
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:  # noqa: ANN401 -- as it takes
        """Take a step; the last one of an episode writes the film."""
        result = self.env.step(action)
        self._take()
        if result[2] or result[3]:
            self._write()
        return result

    def close(self) -> None:
        """Write what there is and close the environment."""
        self._write()
        super().close()

    def _take(self) -> None:
        if self._trigger(self._episode):
            frame: Any = self.env.render()
            self._frames.append(frame)

    def _write(self) -> None:
        if self._frames:
            save_gif(self._frames, self._folder / f"episode-{self._episode}.gif", self._fps)
            self._frames = []
