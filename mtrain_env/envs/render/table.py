"""What is to be seen of a table, as plain data: everything public, and one seat's hand if that is asked for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.notation import train_text
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.scoring import winners
from mtrain_env.engine.state import ANY, BLOCKED, CHOOSING, GAME_OVER, KINDS, MAX_TILES, PLAYING
from mtrain_env.rules import Rules
from mtrain_env.tiles import SPECIAL_KINDS, TILE_HIGH, TILE_LOW, tile_text

Ends = tuple[int, int]
"""The numbers of a laid tile, the one that points out last; ANY for a Wild."""


@dataclass(frozen=True)
class TrainView:
    """One train: its tiles from the middle outwards, and how it stands."""

    name: str
    tiles: tuple[Ends, ...]
    end: int
    marked: bool = False
    waiting: bool = False
    """Its double must be covered now."""
    blocker: str = ""


@dataclass(frozen=True)
class SeatView:
    """One seat: what everybody knows of it."""

    name: str
    tiles: int
    total: int
    to_move: bool


@dataclass(frozen=True)
class TableView:
    """A table. `trains` are in the order of the seats, the Mexican train last; `hand` is empty unless asked for."""

    title: str
    opening: int
    boneyard: int
    reversed: bool
    trains: tuple[TrainView, ...]
    seats: tuple[SeatView, ...]
    news: str
    hand_of: str = ""
    hand: tuple[str, ...] = ()


def end_text(end: int) -> str:
    """The end of a train as text."""
    return "any" if end == ANY else str(end)


def see_table(rules: Rules, games: NDArray[np.void], seat: int | None) -> TableView:
    """The table of the first game, with the hand of `seat`."""
    s = games[0]
    n = rules.num_players
    playing = bool(s["phase"] == PLAYING)
    to_move = int(s["seat"]) if playing or s["phase"] == CHOOSING else -1
    cover = int(must_cover(s)) if playing else -1
    laid: list[list[Ends]] = [[] for _ in range(n + 1)]
    for k in range(1, int(s["laid_count"])):
        train = int(s["laid_train"][k])
        if train <= n:
            laid[train].append(_ends(int(s["laid_tile"][k]), int(s["laid_out"][k])))
    return TableView(
        title=f"{rules.name}: round {int(s['round'])} of {rules.rounds_in_game}",
        opening=int(s["opening"]),
        boneyard=int(s["deck_size"]) - int(s["deck_next"]),
        reversed=bool(s["direction"] < 0),
        trains=tuple(_train(s, n, train, tuple(laid[train]), train == cover) for train in range(n + 1)),
        seats=tuple(SeatView(f"P{k}", int(s["hand_count"][k]), int(s["totals"][k]), k == to_move) for k in range(n)),
        news=_news(s, n, to_move, cover),
        hand_of="" if seat is None else f"P{seat}",
        hand=() if seat is None else _hand(s, rules, seat),
    )


def _ends(code: int, out: int) -> Ends:
    if code >= MAX_TILES:
        return ANY, ANY
    return int(TILE_LOW[code]) + int(TILE_HIGH[code]) - out, out


def _train(s: np.void, n: int, train: int, tiles: tuple[Ends, ...], waiting: bool) -> TrainView:
    blockers = [
        kind for kind, bits in (("draw", s["draw_blockers"]), ("skip", s["skip_blockers"])) if int(bits) >> train & 1
    ]
    return TrainView(
        name=train_text(train, n),
        tiles=tiles,
        end=int(s["train_end"][train]),
        marked=train < n and bool(int(s["markers"]) >> train & 1),
        waiting=waiting,
        blocker=" ".join(blockers),
    )


def _hand(s: np.void, rules: Rules, seat: int) -> tuple[str, ...]:
    numbered = [tile_text(tile) for tile in range(rules.num_tiles) if int(s["tile_place"][tile]) == seat]
    special = [SPECIAL_KINDS[kind] for kind in range(KINDS) for _ in range(int(s["special_hand"][seat][kind]))]
    return (*numbered, *special)


def _news(s: np.void, n: int, to_move: int, cover: int) -> str:
    """One line: what happens now."""
    if to_move >= 0:
        if s["phase"] == CHOOSING:
            return f"P{to_move} chooses the opening double"
        must = f", must cover the double on {train_text(cover, n)}" if cover >= 0 else ""
        return f"P{to_move} to move{must}"
    end = "blocked" if s["round_end"] == BLOCKED else f"P{int(s['winner'])} is out"
    pips = ", ".join(f"P{seat} {int(s['pips'][seat])}" for seat in range(n))
    if s["phase"] != GAME_OVER:
        return f"round over, {end}; pips: {pips}"
    best = [f"P{seat}" for seat in range(n) if int(winners(s)) >> seat & 1]
    return f"game over, {end}; pips: {pips}; won by {' and '.join(best)}"
