"""Observations written and read back: one says all that its seat may know. envs/soak.py does it a million times."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.decode import OwnView, decode, public_state
from mtrain_env.encoding.observations import ObservationLayout, observe, observe_float
from mtrain_env.engine.specials import knows_traded
from mtrain_env.engine.state import CHOOSING, KINDS, NONE
from mtrain_env.rules import Rules


def bytes_of(layout: ObservationLayout, games: NDArray[Any], seat: int) -> NDArray[np.uint8]:
    """The observation of one seat as uint8, written over rubbish."""
    out = np.full(layout.size, 77, np.uint8)
    observe(games, 0, seat, layout.offsets, out)
    return out


def floats_of(layout: ObservationLayout, games: NDArray[Any], seat: int) -> NDArray[np.float32]:
    """The same as float32."""
    out = np.full(layout.size, np.nan, np.float32)
    scratch = np.full(layout.size, 77, np.uint8)
    observe_float(games, 0, seat, layout.offsets, layout.reciprocals, scratch, out)
    return out


def check_says_enough(layout: ObservationLayout, games: NDArray[Any], seat: int) -> None:
    """From the observation alone come the public state and what the seat knows beyond it; both forms say the same."""
    rules = layout.rules
    seen = bytes_of(layout, games, seat)
    assert (seen <= layout.maximum).all()
    public, own = decode(seen, rules, seat)
    assert public == public_state(games, 0)
    check_own(games[0], own, rules, seat)
    scaled = floats_of(layout, games, seat)
    assert (scaled >= 0).all() and (scaled <= 1).all()
    assert np.array_equal(np.rint(scaled * layout.maximum), seen)


def check_own(s: Any, own: OwnView, rules: Rules, seat: int) -> None:
    """What a seat knows, against the record."""
    if s["phase"] == CHOOSING:
        assert own.tiles == () and own.drawn == -1 and own.traded == ()
        return
    assert own.tiles == tuple(np.flatnonzero(s["tile_place"] == seat).tolist())
    assert own.specials == (tuple(s["special_hand"][seat].tolist()) if rules.special_tiles else ())
    acting = s["seat"] == seat and s["last_draw"] != NONE
    assert own.drawn == (int(s["last_draw"]) if acting else -1)
    numbers = rules.max_pip + 1
    for other in range(rules.num_players):
        bounds = s["may_hold"][other].tolist()
        kinds = bounds[-KINDS:] if rules.special_tiles else []
        assert own.may_hold[other] == (() if other == seat else tuple(bounds[:numbers] + kinds))
        for code in {*s["trade_given"].tolist(), *s["trade_taken"].tolist()} if other != seat else ():
            assert own.traded.count((other, code)) == knows_traded(s, seat, other, code)
    assert all(held != 0 for held in [knows_traded(s, seat, *known) for known in own.traded])
