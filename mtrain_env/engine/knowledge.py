"""What everybody can infer about hidden hands (R26, R27): void numbers, and the tiles gained since.

Gains (draws, hunts, trades) are numbered 1, 2, .. over all seats; a tile from the deal counts as gain 0. When a seat
shows that it lacks a face (a number, or a special kind), `void_at[seat, face]` becomes the gains made so far plus one:
a tile that came as gain g can show the face only if g >= void_at. So a tile laid later that shows the face came as gain
`laid_from` = the largest void_at of its faces, or later. `may_hold` is the resulting bound, kept up to date.
"""

from typing import Any

from mtrain_env._jit import int64, jit, trailing_zeros
from mtrain_env.engine.state import FACES, MAX_TILES, NONE, NUMBERS
from mtrain_env.tiles import TILE_HIGH, TILE_LOW


@jit
def add_gain(s: Any, seat: int, trade: int) -> None:
    """R27: `seat` got a tile that may show anything; `trade` is 0 for a draw, 1 + t for trade t."""
    gains = int64(s["gains"])
    s["gain_seat"][gains] = seat
    s["gain_trade"][gains] = trade
    s["gains"] = gains + 1
    may_hold = s["may_hold"][seat]
    for face in range(FACES):
        may_hold[face] += 1


@jit
def show_void(s: Any, seat: int, faces: int) -> None:
    """R27: `seat` drew or passed and so holds no tile with any of `faces` (bits: numbers, then special kinds)."""
    now = int64(s["gains"]) + 1
    while faces != 0:
        face = trailing_zeros(faces)
        faces &= faces - 1
        s["void_at"][seat, face] = now
        s["may_hold"][seat, face] = 0


@jit
def note_loss(s: Any, seat: int, code: int) -> int:
    """R27: all see that `seat` lost the tile `code` (hand_count already lowered); the gain it came from, at least.

    A face whose last proof of absence is older than the tile's arrival cannot lose a tile that it did not count.
    """
    void_at = s["void_at"][seat]
    if code < MAX_TILES:
        source = max(int64(void_at[TILE_LOW[code]]), int64(void_at[TILE_HIGH[code]]))
    else:
        source = int64(void_at[NUMBERS + code - MAX_TILES])
    may_hold = s["may_hold"][seat]
    held = int64(s["hand_count"][seat])
    for face in range(FACES):
        bound = int64(may_hold[face])
        if bound > 0 and source >= int64(void_at[face]):
            bound -= 1
        may_hold[face] = min(bound, held)
    return source


@jit
def note_hidden_loss(s: Any, seat: int) -> None:
    """R27: `seat` gave an unseen tile away (D7, hand_count already lowered): bounds fall only to the hand's size."""
    may_hold = s["may_hold"][seat]
    held = int64(s["hand_count"][seat])
    for face in range(FACES):
        may_hold[face] = min(int64(may_hold[face]), held)


@jit
def log_laid(s: Any, code: int, train: int, out: int, seat: int, source: int) -> None:
    """R26: append a tile to the public list of tiles laid or used; `seat` is NONE for a double that was set out."""
    k = int64(s["laid_count"])
    s["laid_tile"][k] = code
    s["laid_train"][k] = train
    s["laid_out"][k] = out
    s["laid_turned"][k] = 0
    s["laid_by"][k] = seat
    s["laid_from"][k] = source
    s["laid_gains"][k] = s["gains"]
    s["laid_count"] = k + 1


@jit
def known_by(s: Any, seat: int, t: int) -> bool:
    """D7: `seat` is one of the two who know the tiles of trade `t`."""
    return bool(s["trade_actor"][t] == seat or s["trade_other"][t] == seat)


@jit
def forget_traded(s: Any, seat: int, code: int, other: int) -> None:
    """D7: `seat` laid (`other` = NONE) or traded away `code`: traded tiles that may be that one are not surely held.

    What a partner knows about `seat`'s hand ends when `seat` lays that tile or trades with somebody else, unseen.
    """
    for t in range(int64(s["trades"])):
        actor = int64(s["trade_actor"][t])
        partner = int64(s["trade_other"][t])
        if partner == seat and (s["trade_given"][t] == code or (other != NONE and other != actor)):
            s["trade_given_held"][t] = 0
        if actor == seat and (s["trade_taken"][t] == code or (other != NONE and other != partner)):
            s["trade_taken_held"][t] = 0
