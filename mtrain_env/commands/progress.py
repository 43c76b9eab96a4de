"""A bar on stderr while deals are played."""

import sys
from collections.abc import Callable


def bar(label: str, width: int = 30) -> Callable[[int, int], None] | None:
    """Return a function of deals done and all deals that draws a bar; None where stderr is no terminal."""
    return drawing(label, width) if sys.stderr.isatty() else None


def drawing(label: str, width: int = 30) -> Callable[[int, int], None]:
    """Return the function; it wipes the bar out at the end."""

    def draw(done: int, total: int) -> None:
        filled = "#" * (width * done // total)
        line = f"{label} [{filled:<{width}}] {done}/{total} deals"
        end = "\r" if done < total else "\r" + " " * len(line) + "\r"
        print(f"\r{line}", end=end, file=sys.stderr, flush=True)

    return draw
