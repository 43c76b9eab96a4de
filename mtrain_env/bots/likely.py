"""Likely deals: the hidden hands as players who plan hold them.

determinize draws from all deals under which the public history was legal, each as likely as any other. Real hands are
not like that. Who plans keeps the longest line for the own train and lays spare tiles first, so the more tiles a player
has laid, the fewer of those in hand are spare: in `core` with 4 players 3.3 on average, and 5.6 in uniform deals. A
deal here has the weight

    exp(-sum of aversion(tiles laid) * min(spare tiles, ENOUGH))  over the other seats that have no marker

times the uniform one. It is reached from a uniform deal by a walk (Metropolis et al. 1953): two hidden tiles change
places if both fit there (R27), and if the new deal is as heavy, or by chance as often as its weight is less.

Special tiles stay where the uniform deal has them. Where the first turn is a chain (R12) nothing is weighed: the line
goes with it, and what is left is spare.
"""

import math
from typing import Any, Final

import numpy as np

from mtrain_env._jit import int64, jit
from mtrain_env.engine.belief import fits, put
from mtrain_env.engine.lines import WORK_SHAPE, longest_line
from mtrain_env.engine.rng import random_below, random_bits
from mtrain_env.engine.specials import move_tile
from mtrain_env.engine.state import ANY, CHAIN, IN_BONEYARD, KINDS, MAX_DECK, MAX_GAINS, MAX_PLAYERS, MAX_TILES, NONE

AVERSION: Final = 1.2
"""What a spare tile takes off the logarithm of a hand's weight in the end."""
HALF_WAY: Final = 2.5
"""Tiles laid after which it is half of that."""
ENOUGH: Final = 6
"""Spare tiles beyond these count nothing: such a player has not come to plan."""
STEPS: Final = 100
"""Steps from a uniform deal to a likely one."""

_NODE_CAP = 50  # of a search for a longest line
_MAX_SLOTS = MAX_DECK + MAX_GAINS
_TWO32 = 4294967296.0

WALK: Final = np.dtype(
    [
        ("slots", np.int16),  # with hidden numbered tiles: those of weighed hands, then all others
        ("weighed", np.int16),  # how many the first are
        ("slot", np.int16, (_MAX_SLOTS,)),
        ("aversion", np.float64, (MAX_PLAYERS,)),  # of each seat; 0 = its hand is not weighed
        ("tiles", np.int16, (MAX_PLAYERS,)),  # numbered tiles in its hand
        ("weight", np.float64, (MAX_PLAYERS,)),  # logarithm of the weight of its hand
        ("line", np.uint8, (MAX_TILES,)),
        ("work", np.int64, WORK_SHAPE),
    ],
    align=True,
)
"""Work space of a walk."""


@jit
def make_likely(s: Any, seat: int, w: Any, walk: Any, rng: Any) -> None:
    """Make the deal `s`, just drawn by determinize for `seat` with the WORK record `w`, a likely one.

    `walk`: a WALK record; `rng`: two uint64 words of random state, changed.
    """
    _begin(s, seat, w, walk)
    if walk["weighed"] > 0:
        for _ in range(STEPS):
            _step(s, w, walk, rng)


@jit
def _begin(s: Any, seat: int, w: Any, walk: Any) -> None:
    """Weigh the hands of the new deal `s` and list the slots of `w` whose tiles may move."""
    n = int64(s["num_players"])
    for other in range(n):
        walk["aversion"][other] = 0.0
        marked = (int64(s["markers"]) >> other) & 1 != 0
        if other != seat and not marked and s["train_end"][other] != ANY and s["first_turn"] != CHAIN:
            laid = 0
            for k in range(int64(s["laid_count"])):
                laid += s["laid_by"][k] == other
            walk["aversion"][other] = AVERSION * laid / (laid + HALF_WAY)
        tiles = int64(s["hand_count"][other])
        for kind in range(KINDS):
            tiles -= int64(s["special_hand"][other, kind])
        walk["tiles"][other] = tiles
        walk["weight"][other] = _weight(s, other, walk)
    slots = 0
    for weighed in (True, False):
        for slot in range(int64(w["slots"]) if s["deck_size"] > 0 else 0):
            content = int64(w["slot_content"][slot])
            if content < w["items"] or w["content_tile"][content] >= MAX_TILES:
                continue  # a tile that has left the hand or is known to be there; special ones stay where they are
            holder = int64(w["slot_seat"][slot])
            if (holder != IN_BONEYARD and walk["aversion"][holder] > 0) == weighed:
                walk["slot"][slots] = slot
                slots += 1
        if weighed:
            walk["weighed"] = slots
    walk["slots"] = slots


@jit
def _weight(s: Any, seat: int, walk: Any) -> float:
    """The logarithm of the weight of the hand of `seat`."""
    aversion = walk["aversion"][seat]
    if aversion == 0.0:
        return 0.0
    length = longest_line(s["hand"][seat], int64(s["train_end"][seat]), _NODE_CAP, walk["work"], walk["line"])
    return -aversion * min(int64(walk["tiles"][seat]) - length, ENOUGH)


@jit
def _step(s: Any, w: Any, walk: Any, rng: Any) -> None:
    """Let two hidden tiles change places if they fit and the weights allow it."""
    a = int64(walk["slot"][random_below(rng, int64(walk["weighed"]))])
    b = int64(walk["slot"][random_below(rng, int64(walk["slots"]))])
    here, there = int64(w["slot_seat"][a]), int64(w["slot_seat"][b])
    content, other = int64(w["slot_content"][a]), int64(w["slot_content"][b])
    if here == there or not fits(s, w, content, b) or not fits(s, w, other, a):
        return
    tile, its = int64(w["content_tile"][content]), int64(w["content_tile"][other])
    _exchange(s, tile, here, its, there)
    weight, its_weight = _weight(s, here, walk), 0.0
    gain = weight - walk["weight"][here]
    if there != IN_BONEYARD:
        its_weight = _weight(s, there, walk)
        gain += its_weight - walk["weight"][there]
    if gain < 0 and math.log((int64(random_bits(rng)) + 0.5) / _TWO32) > gain:
        _exchange(s, its, here, tile, there)
        return
    put(w, content, b)
    put(w, other, a)
    walk["weight"][here] = weight
    if there != IN_BONEYARD:
        walk["weight"][there] = its_weight


@jit
def _exchange(s: Any, tile: int, seat: int, its: int, holder: int) -> None:
    """The `tile` in the hand of `seat` and the tile `its` in that of `holder`, or in the boneyard, change places."""
    other = NONE if holder == IN_BONEYARD else holder
    move_tile(s, tile, seat, other)
    move_tile(s, its, other, seat)
    if holder == IN_BONEYARD:
        s["tile_place"][tile] = IN_BONEYARD
        k = int64(s["deck_next"])
        while s["deck"][k] != its:
            k += 1
        s["deck"][k] = tile
