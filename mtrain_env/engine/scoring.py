"""The end of a round and of the game: pips, totals, winners (R22-R24)."""

from typing import Any

from mtrain_env._jit import int64, jit
from mtrain_env.engine.state import GAME_OVER, KINDS, ROUND_OVER, WENT_OUT
from mtrain_env.tiles import SPECIAL_POINTS, TILE_PIPS


@jit
def hand_points(s: Any, seat: int) -> int:
    """R23, D11: points of the tiles in the hand of `seat`."""
    points = 0
    for tile in range(int64(s["num_tiles"])):
        if s["tile_place"][tile] == seat:
            points += int64(TILE_PIPS[tile]) if tile > 0 else int64(s["double_blank_points"])
    for kind in range(KINDS):
        points += int64(s["special_hand"][seat, kind]) * int64(SPECIAL_POINTS[kind])
    return points


@jit
def finish_round(s: Any, end: int, winner: int) -> None:
    """R22, R23: end the round (`end` = WENT_OUT or BLOCKED, `winner` -1 if blocked), add the points to the totals."""
    s["round_end"] = end
    s["winner"] = winner if end == WENT_OUT else -1
    for seat in range(int64(s["num_players"])):
        points = hand_points(s, seat)
        s["pips"][seat] = points
        s["totals"][seat] += points
    s["phase"] = GAME_OVER if s["round"] >= s["num_rounds"] else ROUND_OVER


@jit
def winners(s: Any) -> int:
    """R24: the seats with the lowest total, as bits; meaningful once the game is over."""
    n = int64(s["num_players"])
    lowest = int64(s["totals"][0])
    for seat in range(1, n):
        lowest = min(lowest, int64(s["totals"][seat]))
    seats = 0
    for seat in range(n):
        if s["totals"][seat] == lowest:
            seats |= 1 << seat
    return seats
