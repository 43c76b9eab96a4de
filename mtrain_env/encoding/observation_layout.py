"""The observation vector `obs`: its named slices, for given rules. observations.py fills it, decode.py reads it.

Seats are relative to the observing one: 0 is itself, then clockwise. So are trains, with the Mexican train last.
An entry is a whole number from 0 to its declared maximum (at most 255), as uint8, or divided by that maximum, as
float32 in [0, 1]. Numbers that need more than a byte take two entries, high and low.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtrain_env.engine.state import KINDS
from mtrain_env.rules import Rules

OBS_SPEC: Final = "obs/1"

MAX_TOTAL: Final = 256 * 256 - 1
"""Larger totals are shown as this one."""

NAMES: Final = (
    "hand",
    "face_up",
    "train_end",
    "train_started",
    "train_length",
    "double_order",
    "double_state",
    "hand_count",
    "marker",
    "cover_marker",
    "had_turn",
    "first_out",
    "may_hold",
    "phase",
    "to_act",
    "turn",
    "owed",
    "chain_laid",
    "draws",
    "last_was_double",
    "idle_passes",
    "boneyard",
    "round",
    "rounds_left",
    "total_high",
    "total_low",
    "total_behind",
    "opening",
    "used_doubles",
    "starter",
    "winner",
    "drawn",
    "hand_specials",
    "specials_played",
    "derails_gone",
    "reversed",
    "train_inner",
    "draw_blocker",
    "skip_blocker",
    "traded_holder",
    "traded_tile",
)
"""All slices in order; some are empty under some rules."""
(
    HAND,
    FACE_UP,
    TRAIN_END,
    TRAIN_STARTED,
    TRAIN_LENGTH,
    DOUBLE_ORDER,
    DOUBLE_STATE,
    HAND_COUNT,
    MARKER,
    COVER_MARKER,
    HAD_TURN,
    FIRST_OUT,
    MAY_HOLD,
    PHASE,
    TO_ACT,
    TURN,
    OWED,
    CHAIN_LAID,
    DRAWS,
    LAST_WAS_DOUBLE,
    IDLE_PASSES,
    BONEYARD,
    ROUND,
    ROUNDS_LEFT,
    TOTAL_HIGH,
    TOTAL_LOW,
    TOTAL_BEHIND,
    OPENING,
    USED_DOUBLES,
    STARTER,
    WINNER,
    DRAWN,
    HAND_SPECIALS,
    SPECIALS_PLAYED,
    DERAILS_GONE,
    REVERSED,
    TRAIN_INNER,
    DRAW_BLOCKER,
    SKIP_BLOCKER,
    TRADED_HOLDER,
    TRADED_TILE,
) = range(len(NAMES))


class Slice(NamedTuple):
    """A named part of the observation."""

    name: str
    shape: tuple[int, ...]
    maximum: int
    meaning: str

    @property
    def size(self) -> int:
        """How many entries it has."""
        size = 1
        for length in self.shape:
            size *= length
        return size


def _slices(rules: Rules) -> tuple[Slice, ...]:
    """Every slice under `rules`, in the order of NAMES."""
    n = rules.num_players
    tiles, numbers = rules.num_tiles, rules.max_pip + 1
    kinds = KINDS if rules.special_tiles else 0
    special = 1 if rules.special_tiles else 0
    faces = numbers + kinds
    everything = tiles + rules.num_special_tiles
    draws = everything if rules.draw_limit == "until_playable" else 1
    wild = ", or any (an open Wild)" if special else ""
    face = "number, then special kind" if special else "number"
    found = (
        Slice("hand", (tiles,), 1, "numbered tiles in the own hand"),
        Slice("face_up", (tiles,), 1, "numbered tiles on the table"),
        Slice("train_end", (n + 1, numbers + special), 1, f"end of each train: one-hot by number{wild}"),
        Slice("train_started", (n + 1,), 1, "the train is not empty"),
        Slice("train_length", (n + 1,), tiles + 2 * special, "tiles of the train"),
        Slice("double_order", (n + 1,), n + 1, "uncovered double at its end: 1 = laid first, 2, ..; 0 = none"),
        Slice("double_state", (n + 1, 3), 1, "that double: laid in this turn, waiting (R16), asleep (R17)"),
        Slice("hand_count", (n,), everything, "tiles in each hand"),
        Slice("marker", (n,), 1, "marker on"),
        Slice(
            "cover_marker",
            (n if rules.failed_cover_marker_off_any else 0,),
            1,
            "the marker was raised in a pass before a double (R21)",
        ),
        Slice("had_turn", (n,), 1, "had the first turn of the round"),
        Slice("first_out", (n if rules.finish_first_lap else 0,), 1, "went out first in the first lap (R13)"),
        Slice(
            "may_hold", (n - 1, faces), everything, f"R27: tiles of each other seat that may show the {face}, at most"
        ),
        Slice("phase", (5,), 1, "undealt, choosing (R2), playing, round over, game over"),
        Slice("to_act", (n,), 1, "the seat to act; the last one to act once the round is over"),
        Slice("turn", (3,), 1, "normal, first-turn chain (R12), optional tile after the opening double (R6)"),
        Slice("owed", (4,), 1, "R14: nothing, a tile anywhere, may add a tile, must cover the double just laid"),
        Slice("chain_laid", (1,), tiles, "tiles laid in this chain (R12)"),
        Slice("draws", (1,), draws, "draws spent for the tile to be played (R10)"),
        Slice("last_was_double", (1,), 1, "the last tile laid in this turn was a double or a Wild"),
        Slice("idle_passes", (1,), n, "passes in a row that changed nothing (R22)"),
        Slice("boneyard", (1,), everything, "tiles in the boneyard"),
        Slice("round", (1,), rules.rounds_in_game, "rounds begun"),
        Slice("rounds_left", (1,), rules.rounds_in_game, "rounds to come"),
        Slice("total_high", (n,), 255, f"total // 256, of at most {MAX_TOTAL}"),
        Slice("total_low", (n,), 255, "total % 256"),
        Slice("total_behind", (n,), 255, "total - lowest total, at most 255"),
        Slice("opening", (numbers,), 1, "the opening double, once it is known"),
        Slice("used_doubles", (numbers,), 1, "opening doubles used in this game"),
        Slice("starter", (n,), 1, "who started the round (or the last one)"),
        Slice("winner", (n,), 1, "winner of the last finished round, if it had one"),
        Slice("drawn", (faces,), 1, f"the tile that the own seat drew last in its present turn, by {face}"),
    )
    found += _special_slices(rules, faces, face)
    assert tuple(part.name for part in found) == NAMES
    return found


def _special_slices(rules: Rules, faces: int, face: str) -> tuple[Slice, ...]:
    """The slices that are empty without special tiles; `faces`, `face`: number and text of what a tile can show."""
    n = rules.num_players
    special = 1 if rules.special_tiles else 0
    kinds = KINDS * special
    return (
        Slice("hand_specials", (kinds,), 2, "copies of each special kind in the own hand"),
        Slice("specials_played", (kinds,), 2, "copies of each special kind played in this round"),
        Slice("derails_gone", (special,), 2, "Derails that have left the set (D10)"),
        Slice("reversed", (special,), 1, "play goes counter-clockwise (D6)"),
        Slice("train_inner", (special * (n + 1),), rules.max_pip, "inner number of a numbered last tile (D8)"),
        Slice("draw_blocker", (special * n,), 1, "train blocked by a Draw (D4)"),
        Slice("skip_blocker", (special * n,), 1, "train blocked by a Skip (D5)"),
        Slice("traded_holder", (2 * special, n), 1, "D7: seat that surely holds a tile the own seat traded with it"),
        Slice("traded_tile", (2 * special, faces), 1, f"D7: that tile, by {face}"),
    )


class ObservationLayout:
    """Where everything lies in an observation under given rules: `layout["hand"]` or `layout.hand` is a slice.

    Attributes:
        rules: the rules.
        slices: every `Slice`, in order.
        size: entries of an observation.
        maximum: uint8[size], the declared maximum of each entry.
        reciprocals: float32[size], 1 / maximum.
        offsets: int64[len(NAMES)], the first entry of each slice, for the kernels.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.slices: tuple[Slice, ...] = _slices(rules)
        sizes = [part.size for part in self.slices]
        self.size: int = sum(sizes)
        starts = np.cumsum([0, *sizes])
        self.offsets: NDArray[np.int64] = starts[:-1].astype(np.int64)
        self.maximum: NDArray[np.uint8] = np.repeat([part.maximum for part in self.slices], sizes).astype(np.uint8)
        self.reciprocals: NDArray[np.float32] = np.float32(1) / self.maximum.astype(np.float32)
        self._places = {
            part.name: slice(int(first), int(first) + part.size)
            for part, first in zip(self.slices, starts, strict=False)
        }
        for table in (self.offsets, self.maximum, self.reciprocals):
            table.flags.writeable = False

    def __getitem__(self, name: str) -> slice:
        return self._places[name]

    def __getattr__(self, name: str) -> slice:
        if name.startswith("_") or name not in NAMES:
            raise AttributeError(f"an observation has no slice {name!r}")
        return self._places[name]

    def part(self, observation: NDArray[np.generic], name: str) -> NDArray[np.generic]:
        """The named slice of `observation` (shape (.., size)) in its own shape, a view where numpy can give one."""
        shape = self.slices[NAMES.index(name)].shape
        return observation[..., self._places[name]].reshape(*observation.shape[:-1], *shape)
