"""Dealing a round: the opening double, the shuffle, the hunt and the starter (R1-R5)."""

from typing import Any

from mtrain_env._jit import int64, jit
from mtrain_env.engine.knowledge import add_gain, log_laid
from mtrain_env.engine.rng import random_below
from mtrain_env.engine.specials import move_tile
from mtrain_env.engine.state import (
    ASCENDING,
    DERAIL,
    DESCENDING,
    EVEN,
    FACES,
    HUNT,
    IN_BONEYARD,
    KINDS,
    MAX_TILES,
    NONE,
    NOT_ENDED,
    NOT_IN_SET,
    ODD,
    ON_TABLE,
    PLAYING,
    PREVIOUS_WINNER,
    TILE_ID,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW


@jit
def next_opening(s: Any) -> int:
    """R2: the opening double of round number `round` (1..), -1 where the hunt finds it (`random`)."""
    k = int64(s["round"]) - 1
    order = s["opening_order"]
    if order == DESCENDING:
        return int64(s["max_pip"]) - k
    if order == ASCENDING:
        return k
    if order == EVEN:
        return 2 * k
    if order == ODD:
        return 2 * k + 1
    return -1


@jit
def rotated_seat(s: Any) -> int:
    """R4, R5: a random seat in the first round of a game, afterwards the seat clockwise after the previous starter."""
    n = int64(s["num_players"])
    if s["starter"] < 0:
        return random_below(s["rng"], n)
    return (int64(s["starter"]) + 1) % n


@jit
def deal_round(s: Any, opening: int, first: int) -> None:
    """R1-R5: clear the table, deal, hunt; `opening` -1 = hunted (`random`), `first` as in turn.begin_round."""
    _prepare(s, opening, first)
    _shuffle(s)
    _lay_out(s)


@jit
def deal_given(s: Any, opening: int, first: int, deck: Any) -> None:
    """As deal_round with a given `deck` of tile codes: hands seat by seat, then the boneyard in draw order."""
    _prepare(s, opening, first)
    for k in range(int64(s["deck_size"])):
        s["deck"][k] = deck[k]
    _lay_out(s)


@jit
def _prepare(s: Any, opening: int, first: int) -> None:
    """R2, R4, R5: an empty table, who hunts or starts, and the deck not yet shuffled."""
    clear_table(s)
    s["opening"] = opening
    if s["opening_source"] == HUNT:
        s["hunting_seat"] = first if first >= 0 else rotated_seat(s)
        _fill_deck(s, int64(-1))
    else:
        if first < 0:
            previous = s["starter_rule"] == PREVIOUS_WINNER and s["winner"] >= 0
            first = int64(s["winner"]) if previous else rotated_seat(s)
        s["starter"] = first
        _fill_deck(s, int64(TILE_ID[opening, opening]))


@jit
def _lay_out(s: Any) -> None:
    """R1, R4: deal from the deck as it lies; hunt, or set the opening double in the middle."""
    _hand_out(s)
    if s["opening_source"] == HUNT:
        _hunt(s)
    else:
        _set_in_middle(s, int64(NONE), int64(0))


@jit
def clear_table(s: Any) -> None:
    """R1: nothing on the table, nothing in hand, all markers off, clockwise."""
    s["hand"][:] = 0
    s["special_hand"][:] = 0
    s["hand_count"][:] = 0
    s["tile_place"][:] = NOT_IN_SET
    s["markers"] = 0
    s["cover_markers"] = 0
    s["started"] = 0
    s["draw_blockers"] = 0
    s["skip_blockers"] = 0
    s["had_turn"] = 0
    s["pips"][:] = 0
    s["seen_count"][:] = 0
    s["specials_played"][:] = 0
    s["train_length"][:] = 0
    s["double_count"] = 0
    s["duty_train"] = -1
    s["direction"] = 1
    s["idle_passes"] = 0
    s["first_out"] = -1
    s["round_end"] = NOT_ENDED
    s["laid_count"] = 0
    s["gains"] = 0
    s["trades"] = 0
    s["void_at"][:] = 0
    s["opening"] = -1
    s["deck_size"] = 0
    s["deck_next"] = 0
    s["phase"] = PLAYING


@jit
def _fill_deck(s: Any, set_out: int) -> None:
    """R1: the tiles to be shuffled, by code: the set but the tile `set_out` (-1 = none), and the special tiles."""
    size = 0
    for tile in range(int64(s["num_tiles"])):
        s["tile_place"][tile] = IN_BONEYARD
        if tile != set_out:
            s["deck"][size] = tile
            size += 1
    if s["special_tiles"] != 0:
        for kind in range(KINDS):
            copies = 2 - (int64(s["derails_gone"]) if kind == DERAIL else 0)
            for _ in range(copies):
                s["deck"][size] = MAX_TILES + kind
                size += 1
    s["deck_size"] = size


@jit
def _shuffle(s: Any) -> None:
    """Fisher-Yates over the whole deck: every order is equally likely."""
    deck = s["deck"]
    for k in range(int64(s["deck_size"]) - 1, 0, -1):
        j = random_below(s["rng"], k + 1)
        code = deck[k]
        deck[k] = deck[j]
        deck[j] = code


@jit
def _hand_out(s: Any) -> None:
    """R1: `hand_size` tiles to each seat from the front of the deck; the rest is the boneyard."""
    n = int64(s["num_players"])
    size = int64(s["hand_size"])
    for seat in range(n):
        for k in range(size):
            move_tile(s, int64(s["deck"][seat * size + k]), NONE, seat)
        for face in range(FACES):
            s["may_hold"][seat, face] = size
    s["deck_next"] = n * size


@jit
def take_from_boneyard(s: Any, seat: int) -> None:
    """R4, R10, D4: `seat` gets the next tile of the boneyard, which must not be empty."""
    k = int64(s["deck_next"])
    code = int64(s["deck"][k])
    s["deck_next"] = k + 1
    s["last_draw"] = code
    move_tile(s, code, NONE, seat)
    add_gain(s, seat, int64(0))


@jit
def _is_wanted(s: Any, code: int) -> bool:
    """R2, R4: the tile is the opening double that is hunted; with `random` any double not used yet."""
    if code >= MAX_TILES or TILE_LOW[code] != TILE_HIGH[code]:
        return False
    number = int64(TILE_LOW[code])
    if s["opening"] >= 0:
        return number == int64(s["opening"])
    return (int64(s["used_doubles"]) >> number) & 1 == 0


@jit
def _hunt(s: Any) -> None:
    """R4: the holder of the opening double lays it; if nobody holds it, seats draw in turn from the hunting seat on."""
    n = int64(s["num_players"])
    size = int64(s["hand_size"])
    first = int64(s["hunting_seat"])
    for k in range(size):
        for step in range(n):
            seat = (first + step) % n
            code = int64(s["deck"][seat * size + k])
            if _is_wanted(s, code):
                _lay_opening(s, seat, code)
                return
    seat = first
    while True:
        take_from_boneyard(s, seat)
        code = int64(s["last_draw"])
        if _is_wanted(s, code):
            _lay_opening(s, seat, code)
            return
        seat = (seat + 1) % n


@jit
def _lay_opening(s: Any, seat: int, code: int) -> None:
    """R4, R5: `seat` lays the opening double `code` in the middle, without a replacement, and starts."""
    s["opening"] = TILE_LOW[code]
    move_tile(s, code, seat, NONE)
    for face in range(FACES):
        s["may_hold"][seat, face] -= 1
    s["starter"] = seat
    _set_in_middle(s, seat, int64(s["gains"]))


@jit
def _set_in_middle(s: Any, seat: int, source: int) -> None:
    """R4: the opening double lies in the middle and every train is empty; `seat` laid it, NONE = set out."""
    number = int64(s["opening"])
    tile = int64(TILE_ID[number, number])
    s["used_doubles"] = int64(s["used_doubles"]) | 1 << number
    s["tile_place"][tile] = ON_TABLE
    s["seen_count"][number] += 1
    s["train_end"][:] = number
    s["train_inner"][:] = number
    log_laid(s, tile, int64(NONE), number, seat, source)
