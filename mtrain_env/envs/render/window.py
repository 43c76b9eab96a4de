"""A window that shows frames, by pygame-ce."""

from importlib import import_module
from typing import Any

import numpy as np

from mtrain_env.envs.render.raster import Frame, RenderError


class Window:
    """A window of the size of its first frame."""

    def __init__(self, title: str) -> None:
        try:
            pygame = import_module("pygame")
        except ImportError:
            raise RenderError("render_mode='human' needs pygame-ce: pip install pygame-ce.") from None
        self._pygame = pygame
        self._title = title
        self._screen: Any = None

    def show(self, frame: Frame) -> None:
        """Show a frame; closing the window does nothing more than hide what follows."""
        pygame = self._pygame
        if self._screen is None:
            pygame.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode((frame.shape[1], frame.shape[0]))
        pygame.event.pump()
        surface = pygame.surfarray.make_surface(np.swapaxes(frame, 0, 1))
        self._screen.blit(surface, (0, 0))
        pygame.display.flip()

    def close(self) -> None:
        """Close the window."""
        if self._screen is not None:
            self._screen = None
            self._pygame.quit()
