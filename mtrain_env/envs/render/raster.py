"""A scene as pixels, by Pillow, and a row of frames as an animated GIF."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.envs.render.scene import BACKGROUND, HEIGHT, WIDTH, Box, Primitive
from mtrain_env.errors import MtrainError

Frame = NDArray[np.uint8]
"""uint8[HEIGHT, WIDTH, 3], red, green and blue."""


class RenderError(MtrainError, RuntimeError):
    """A picture that cannot be drawn."""


def _pillow() -> Any:  # noqa: ANN401 -- the package is optional
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise RenderError("Pictures need Pillow: pip install pillow. Text (ansi) and SVG need nothing.") from None
    return Image, ImageDraw, ImageFont


@cache
def _font(size: int) -> Any:  # noqa: ANN401
    return _pillow()[2].load_default(size)


def draw_frame(scene: Iterable[Primitive]) -> Frame:
    """The image as an array of pixels."""
    image_module, draw_module, _ = _pillow()
    image = image_module.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = draw_module.Draw(image)
    for part in scene:
        if isinstance(part, Box):
            corners = (part.x, part.y, part.x + part.width, part.y + part.height)
            draw.rectangle(corners, fill=part.fill, outline=part.outline or None, width=part.thickness)
        else:
            anchor = "mm" if part.centred else "lm"
            draw.text((part.x, part.y), part.text, fill=part.colour, font=_font(round(part.size)), anchor=anchor)
    return np.array(image)


def save_gif(frames: Iterable[Frame], path: str | Path, fps: float = 2.0) -> None:
    """Write frames of one size, such as `render()` gives with rgb_array, as an animated GIF."""
    image_module = _pillow()[0]
    images = [image_module.fromarray(frame) for frame in frames]
    if not images:
        raise RenderError("A GIF needs at least one frame, got none.")
    images[0].save(path, save_all=True, append_images=images[1:], duration=round(1000 / fps), loop=0)
