"""A scene as the text of an SVG image."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from mtrain_env.envs.render.scene import BACKGROUND, HEIGHT, WIDTH, Box, Primitive


def draw_svg(scene: Iterable[Primitive]) -> str:
    """The image as one SVG element."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{BACKGROUND}"/>',
        *map(_element, scene),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _element(part: Primitive) -> str:
    if isinstance(part, Box):
        outline = f' stroke="{part.outline}" stroke-width="{part.thickness}"' if part.outline else ""
        size = f'width="{part.width:.1f}" height="{part.height:.1f}"'
        return f'<rect x="{part.x:.1f}" y="{part.y:.1f}" {size} fill="{part.fill}"{outline}/>'
    anchor = ' text-anchor="middle"' if part.centred else ""
    place = f'x="{part.x:.1f}" y="{part.y:.1f}" font-size="{part.size:.1f}"'
    return f'<text {place} dominant-baseline="central" fill="{part.colour}"{anchor}>{escape(part.text)}</text>'
