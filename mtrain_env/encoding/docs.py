"""Writes docs/observations.md, the tables of what learners see: `python -m mtrain_env.encoding.docs [FILE]`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mtrain_env.encoding.candidate_layout import CAND_LAYOUT, CAND_SPEC, CAND_WIDTH, COLUMNS
from mtrain_env.encoding.observation_layout import OBS_SPEC, ObservationLayout
from mtrain_env.rules import PRESETS, Rules

PATH: Final = "docs/observations.md"

_INTRODUCTION: Final = f"""\
# What a learner sees

This page is generated: `python -m mtrain_env.encoding.docs {PATH}`. A change of meaning is a new spec number.

## The observation, `{OBS_SPEC}`

One vector for one seat, with everything that the seat may know (R26, R27 of `RULES.md`) and nothing else. Its layout
depends on the rules: `ObservationLayout(rules)` says where each named slice lies, `layout.hand` or `layout["hand"]` is
a Python slice, `layout.part(observation, "train_end")` the slice in its own shape. Everything is relative to the
observing seat: seat 0 is itself, then clockwise; trains likewise, with the Mexican train last. Any seat can be observed
at any time; before a round is dealt, also while its opening double is being chosen, the table and the hands are empty.

Every entry is a whole number from 0 to its declared maximum, as uint8 (`observe`), or divided by it, as float32
in [0, 1] (`observe_float`). `decode(observation, rules, seat)` gives back the public state and what the seat knows.
Actions are masked apart from it: `write_mask` sets 1 at each legal id of the seat to act.

Entries under the presets, with their default number of players: {{sizes}}.
"""

_CANDIDATES: Final = f"""\
## The candidate view, `{CAND_SPEC}`

For networks that score moves: `candidates` writes one row of {CAND_WIDTH} float32 for each legal action, the position
after the action as the acting seat would see it. The width is the same for every set, number of players and preset, so
that one network can play everything. Numbers are padded to 19 (0 to 18) and tiles to 190. The other seats are
summarised: *next* and *previous* in the direction of play after the action, *worst* is the seat with the fewest tiles
(of equals the first in the order of play), *others* are all of them. What an action brings to the hand unseen, a tile
drawn or taken in a trade, counts as a tile but shows nothing. The longest line is searched with a cap on its nodes.
`CAND_LAYOUT["line_length"]` is the slice of a row that has that name.
"""


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def _observation_table(layout: ObservationLayout) -> list[str]:
    """The slices of one layout that are not empty."""
    rows = []
    for part in layout.slices:
        if part.size:
            shape = " x ".join(str(length) for length in part.shape)
            rows.append((f"`{part.name}`", layout[part.name].start, shape, part.maximum, part.meaning))
    return _table(("slice", "from", "shape", "maximum", "meaning"), rows)


def text() -> str:
    """The whole page."""
    layouts = {name: ObservationLayout(Rules.preset(name)) for name in PRESETS}
    sizes = ", ".join(f"{name} {layout.size}" for name, layout in layouts.items())
    lines = [_INTRODUCTION.format(sizes=sizes)]
    for name in ("core", "deluxe"):
        players = layouts[name].rules.num_players
        lines += [f"### `{name}` with {players} players: {layouts[name].size} entries", ""]
        lines += [*_observation_table(layouts[name]), ""]
    lines += [_CANDIDATES]
    rows = [(f"`{col.name}`", CAND_LAYOUT[col.name].start, col.size, col.meaning) for col in COLUMNS]
    lines += _table(("slice", "from", "size", "meaning"), rows)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page to the given file, by default where it belongs."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else PATH)
    path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
