"""What lies on the table: trains, and doubles that nobody has covered. Part of the reference."""

from __future__ import annotations

from dataclasses import dataclass, field

from .tiles import Tile, tile_text

Number = int | str
"""A number, or ANY at an open Wild (D9)."""

ANY = "any"


@dataclass
class Placed:
    """One tile of a train: `inner` is the half that faces the opening double, `outer` the other."""

    tile: Tile
    inner: Number
    outer: Number


@dataclass(eq=False)
class Train:
    """A train (section 1). Blockers (D4, D5) lie on it and stay with it when it moves (D10)."""

    start: int
    placed: list[Placed] = field(default_factory=list)
    blocker: str | None = None
    twists: int = 0

    @property
    def end(self) -> Number:
        """The number that the next tile must match; the opening double's while empty (section 1)."""
        return self.placed[-1].outer if self.placed else self.start

    @property
    def empty(self) -> bool:
        """Section 1: no numbered tile and no Wild (blockers and Twists are no tiles of a train)."""
        return not self.placed

    def can_be_twisted(self) -> bool:
        """D8: at least two tiles, the last one numbered, no blocker."""
        return len(self.placed) >= 2 and not isinstance(self.placed[-1].tile, str) and self.blocker is None

    def twist(self) -> None:
        """D8: turn the last tile; the end becomes its inner number."""
        last = self.placed[-1]
        last.inner, last.outer = last.outer, last.inner
        self.twists += 1

    def texts(self) -> list[str]:
        """The tiles in the order in which they were laid."""
        return [tile_text(placed.tile) for placed in self.placed]


@dataclass(eq=False)
class OpenDouble:
    """An uncovered double, real or Wild, that owes something now or may have to wait (R14-R19).

    `state`: "laid" (in the turn that goes on), "asleep" (R17, until the first turns are over)
    or "waiting" (R16: it must be satisfied). One that lapsed (R19), or that R16 lets go, is
    taken off the list of open doubles.
    """

    number: Number
    train: Train
    state: str = "laid"
