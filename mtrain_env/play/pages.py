"""The files of `static` that are answered at addresses of their own."""

from functools import cache
from importlib.resources import files


@cache
def page(name: str) -> bytes:
    """Return one of the files in `static`."""
    return (files("mtrain_env.play") / "static" / name).read_bytes()
