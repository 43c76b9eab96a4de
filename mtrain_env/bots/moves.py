"""What the scripted bots ask about an action: where it plays, and how many points leave the hand with it."""

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.state import KINDS, TRADE, WILD
from mtrain_env.tiles import SPECIAL_POINTS, TILE_PIPS

NOT_A_PLAY = -1
SPECIAL = -2


@jit
def tile_points(s: np.void, tile: int) -> int:
    """R23: points of the numbered tile in a hand."""
    return int64(TILE_PIPS[tile]) if tile > 0 else int64(s["double_blank_points"])


@jit
def played_tile(s: np.void, action: int) -> int:
    """The numbered tile that the action lays; SPECIAL if it plays a special tile, NOT_A_PLAY if none."""
    num_tiles = int64(s["num_tiles"])
    if action < int64(s["at_draw"]):
        return action % num_tiles
    if action < int64(s["at_out_low"]):
        return NOT_A_PLAY
    if action < int64(s["at_wild"]):
        return (action - int64(s["at_out_low"])) % num_tiles
    return SPECIAL


@jit
def played_train(s: np.void, action: int) -> int:
    """The train, relative to the acting seat, on which the action lays a tile or a Wild; -1 if it lays none."""
    num_tiles = int64(s["num_tiles"])
    if action < int64(s["at_draw"]):
        return action // num_tiles
    if action < int64(s["at_out_low"]):
        return -1
    if action < int64(s["at_wild"]):
        if s["finish_first_lap"] != 0:
            return (action - int64(s["at_out_low"])) // num_tiles
        n = int64(s["num_players"])
        train = must_cover(s)
        return n if train == n else (train - int64(s["seat"]) + n) % n
    if action < int64(s["at_draw_on"]):
        return action - int64(s["at_wild"])
    return -1


@jit
def special_points(s: np.void, action: int) -> int:
    """D11: points that leave the hand with a special tile: its own, and those of the tile given away in a trade."""
    if action < int64(s["at_draw_on"]):
        return int64(SPECIAL_POINTS[WILD])
    points = int64(SPECIAL_POINTS[TRADE])  # as Draw, Skip, Reverse and Twist
    if action < int64(s["at_derail"]):
        return points
    if action < int64(s["at_trade"]):
        return int64(SPECIAL_POINTS[KINDS - 1])
    if action < int64(s["at_trade_out"]):
        num_tiles = int64(s["num_tiles"])
        given = (action - int64(s["at_trade"])) % (num_tiles + KINDS)
        if given < num_tiles:
            return points + tile_points(s, given)
        return points + int64(SPECIAL_POINTS[given - num_tiles])
    return points


@jit
def points_shed(s: np.void, action: int) -> int:
    """Points that leave the hand with the action; -1 for a stop, and a number to choose counts as its points."""
    tile = played_tile(s, action)
    if tile == SPECIAL:
        return special_points(s, action)
    if tile == NOT_A_PLAY:
        return max(action - int64(s["at_choose"]), -1)
    return tile_points(s, tile)


@jit
def heaviest(s: np.void, actions: NDArray[np.int16], count: int, own_first: bool) -> int:
    """Index of the legal action that sheds most points; `own_first`: of those on the own train, if there are any."""
    best = 0
    most = -2
    for k in range(count):
        action = int64(actions[k])
        points = points_shed(s, action)
        if own_first and played_train(s, action) == 0:
            points += 1000
        if points > most:
            most = points
            best = k
    return best
