"""Reading an observation back: what is public about a game, and what its seat alone knows.

`PublicState` lists the public facts that decide the legal moves (with the hand of the seat to act), the scores and
the next public state. That it comes out of an observation alone as it comes out of the record, is the proof that an
observation is complete. Before a round is dealt, also while its opening double is being chosen, the table is empty.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.observation_layout import MAX_TOTAL, ObservationLayout
from mtrain_env.engine.state import ANY, CHOOSING, KINDS, MAX_TILES, NUMBERS, ON_TABLE, UNDEALT
from mtrain_env.rules import Rules
from mtrain_env.tiles import tile_id


@dataclass(frozen=True)
class PublicState:
    """What everybody knows (R26). Seats and trains are absolute, the Mexican train is the last train; -1 = none.

    Enumerations are the codes of mtrain_env.engine.state. What only other rules need is empty: `cover_markers`,
    `first_out`, and from `train_inner` on what only special tiles need.
    """

    phase: int
    round: int
    rounds_left: int
    to_act: int
    """The seat to act; the last one to act once the round is over."""
    totals: tuple[int, ...]
    """Points of the rounds played, per seat; at most MAX_TOTAL."""
    opening: int
    used_doubles: tuple[int, ...]
    """Opening doubles used in this game, ascending."""
    starter: int
    winner: int
    """Winner of the last finished round."""
    derails_gone: int
    face_up: tuple[int, ...]
    """Numbered tiles on the table, ascending ids."""
    train_end: tuple[int, ...]
    """The number that the next tile must match, ANY on an open Wild."""
    train_started: tuple[int, ...]
    train_length: tuple[int, ...]
    doubles: tuple[tuple[int, int], ...]
    """Uncovered doubles in the order laid: train, and LAID, WAITING or ASLEEP."""
    hand_count: tuple[int, ...]
    markers: tuple[int, ...]
    cover_markers: tuple[int, ...]
    """Markers raised in a pass before a double (R21)."""
    had_turn: tuple[int, ...]
    first_out: int
    turn: int
    owed: int
    chain_laid: int
    draws: int
    last_was_double: int
    idle_passes: int
    boneyard: int
    train_inner: tuple[int, ...]
    """Inner number of a numbered last tile (D8)."""
    draw_blockers: tuple[int, ...]
    skip_blockers: tuple[int, ...]
    specials_played: tuple[int, ...]
    reversed: int


@dataclass(frozen=True)
class OwnView:
    """What a seat knows beyond the public state: its hand, and its conclusions about other hands."""

    tiles: tuple[int, ...]
    """Numbered tiles in hand, ascending ids."""
    specials: tuple[int, ...]
    """Copies of each special kind in hand; empty without special tiles."""
    drawn: int
    """Tile code drawn last in its present turn, -1 = none."""
    traded: tuple[tuple[int, int], ...]
    """D7: (seat, tile code) of tiles that surely lie where they went in a trade with this seat, in order."""
    may_hold: tuple[tuple[int, ...], ...]
    """R27: by seat, for each number and then each special kind, the tiles that may show it at most; () for itself."""


def decode(observation: NDArray[Any], rules: Rules, seat: int) -> tuple[PublicState, OwnView]:
    """Read the observation (uint8 or float32, shape (size,)) of the absolute `seat` under `rules`."""
    reader = _Reader(ObservationLayout(rules), observation, seat)
    return reader.public(), reader.own()


class _Reader:
    """One observation as whole numbers, and where its seat sits."""

    def __init__(self, layout: ObservationLayout, observation: NDArray[Any], seat: int) -> None:
        values = observation.astype(np.int64)
        if np.issubdtype(observation.dtype, np.floating):
            values = np.rint(observation * layout.maximum.astype(np.float64)).astype(np.int64)
        self.parts = {part.name: layout.part(values, part.name) for part in layout.slices}
        self.n = layout.rules.num_players
        self.any_end = layout.rules.max_pip + 1
        self.special = layout.rules.special_tiles
        self.seat = seat

    def number(self, name: str) -> int:
        """A slice of one entry; 0 if it is empty."""
        return int(self.parts[name].sum())

    def choice(self, name: str) -> int:
        """The index that a one-hot slice names, -1 = none."""
        return int(self.parts[name].argmax()) if self.parts[name].any() else -1

    def absolute(self, place: int) -> int:
        """The seat or train at a relative place; -1 stays."""
        return place if place in (-1, self.n) else (place + self.seat) % self.n

    def by_seat(self, name: str) -> tuple[int, ...]:
        """A slice with an entry per seat (or train), in absolute order; () if it is empty."""
        values = self.parts[name].tolist()
        seats = values[: self.n]
        return tuple(seats[self.n - self.seat :] + seats[: self.n - self.seat] + values[self.n :])

    def tile(self, faces: NDArray[Any]) -> int:
        """The code of the tile with these faces, -1 = none."""
        shown = np.flatnonzero(faces).tolist()
        if not shown:
            return -1
        if shown[0] >= self.any_end:
            return MAX_TILES + shown[0] - self.any_end
        return tile_id(shown[0], shown[-1])

    def doubles(self) -> tuple[tuple[int, int], ...]:
        """The uncovered doubles in order."""
        order = self.parts["double_order"].tolist()
        states = self.parts["double_state"].argmax(axis=1).tolist()
        found = sorted((k, place) for place, k in enumerate(order) if k > 0)
        return tuple((self.absolute(place), states[place]) for _, place in found)

    def train_ends(self) -> tuple[int, ...]:
        """The end of each train, absolute; all 0 while there is no table."""
        ends = self.parts["train_end"].argmax(axis=1)
        self.parts["ends"] = np.where(ends == self.any_end, ANY, ends)
        return self.by_seat("ends")

    def public(self) -> PublicState:
        """The public state."""
        totals = zip(self.by_seat("total_high"), self.by_seat("total_low"), strict=True)
        return PublicState(
            phase=self.choice("phase"),
            round=self.number("round"),
            rounds_left=self.number("rounds_left"),
            to_act=self.absolute(self.choice("to_act")),
            totals=tuple(256 * high + low for high, low in totals),
            opening=self.choice("opening"),
            used_doubles=tuple(np.flatnonzero(self.parts["used_doubles"]).tolist()),
            starter=self.absolute(self.choice("starter")),
            winner=self.absolute(self.choice("winner")),
            derails_gone=self.number("derails_gone"),
            face_up=tuple(np.flatnonzero(self.parts["face_up"]).tolist()),
            train_end=self.train_ends(),
            train_started=self.by_seat("train_started"),
            train_length=self.by_seat("train_length"),
            doubles=self.doubles(),
            hand_count=self.by_seat("hand_count"),
            markers=self.by_seat("marker"),
            cover_markers=self.by_seat("cover_marker"),
            had_turn=self.by_seat("had_turn"),
            first_out=self.absolute(self.choice("first_out")),
            turn=max(self.choice("turn"), 0),
            owed=max(self.choice("owed"), 0),
            chain_laid=self.number("chain_laid"),
            draws=self.number("draws"),
            last_was_double=self.number("last_was_double"),
            idle_passes=self.number("idle_passes"),
            boneyard=self.number("boneyard"),
            train_inner=self.by_seat("train_inner"),
            draw_blockers=self.by_seat("draw_blocker"),
            skip_blockers=self.by_seat("skip_blocker"),
            specials_played=tuple(self.parts["specials_played"].tolist()),
            reversed=self.number("reversed"),
        )

    def own(self) -> OwnView:
        """What the seat knows beyond it."""
        holders = [self.absolute(int(row.argmax())) for row in self.parts["traded_holder"]]
        codes = [self.tile(row) for row in self.parts["traded_tile"]]
        others = [tuple(row) for row in self.parts["may_hold"].tolist()]
        others.insert(0, ())
        return OwnView(
            tiles=tuple(np.flatnonzero(self.parts["hand"]).tolist()),
            specials=tuple(self.parts["hand_specials"].tolist()),
            drawn=self.tile(self.parts["drawn"]),
            traded=tuple((holder, code) for holder, code in zip(holders, codes, strict=True) if code >= 0),
            may_hold=tuple(others[(other - self.seat) % self.n] for other in range(self.n)),
        )


def _bits(value: Any, count: int) -> tuple[int, ...]:
    """The lowest `count` bits of a set as 0 or 1 each."""
    return tuple(int(value) >> k & 1 for k in range(count))


def public_state(games: NDArray[Any], i: int) -> PublicState:
    """The public state of game `i`, straight from its record."""
    s = games[i]
    n = int(s["num_players"])
    table = s["phase"] not in (UNDEALT, CHOOSING)
    special = bool(s["special_tiles"])
    lap = bool(s["finish_first_lap"])
    cover = bool(s["failed_cover_marker_off_any"])
    count = int(s["double_count"]) if table else 0

    def numbers(field: str, length: int, there: bool = True) -> tuple[int, ...]:
        return tuple(s[field][:length].tolist() if table else [0] * length) if there else ()

    def bits(field: str, length: int, there: bool = True) -> tuple[int, ...]:
        return _bits(s[field] if table else 0, length) if there else ()

    def number(field: str) -> int:
        return int(s[field]) if table else 0

    return PublicState(
        phase=int(s["phase"]),
        round=int(s["round"]),
        rounds_left=int(s["num_rounds"]) - int(s["round"]),
        to_act=int(s["seat"]),
        totals=tuple(min(total, MAX_TOTAL) for total in s["totals"][:n].tolist()),
        opening=int(s["opening"]),
        used_doubles=tuple(k for k in range(NUMBERS) if int(s["used_doubles"]) >> k & 1),
        starter=int(s["starter"]),
        winner=int(s["winner"]),
        derails_gone=int(s["derails_gone"]),
        face_up=tuple(np.flatnonzero(s["tile_place"] == ON_TABLE).tolist()) if table else (),
        train_end=numbers("train_end", n + 1),
        train_started=bits("started", n + 1),
        train_length=numbers("train_length", n + 1),
        doubles=tuple((int(s["double_train"][k]), int(s["double_state"][k])) for k in range(count)),
        hand_count=numbers("hand_count", n),
        markers=bits("markers", n),
        cover_markers=bits("cover_markers", n, cover),
        had_turn=bits("had_turn", n),
        first_out=int(s["first_out"]) if lap and table else -1,
        turn=number("turn"),
        owed=number("owed"),
        chain_laid=number("chain_laid"),
        draws=number("draws"),
        last_was_double=number("last_was_double"),
        idle_passes=number("idle_passes"),
        boneyard=number("deck_size") - number("deck_next"),
        train_inner=numbers("train_inner", n + 1, special),
        draw_blockers=bits("draw_blockers", n, special),
        skip_blockers=bits("skip_blockers", n, special),
        specials_played=numbers("specials_played", KINDS, special),
        reversed=int(number("direction") < 0) if special else 0,
    )
