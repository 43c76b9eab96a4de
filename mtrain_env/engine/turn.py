"""Carrying out one action, and passing the turn on (R7-R22)."""

from typing import Any

from mtrain_env._jit import int64, jit
from mtrain_env.engine.deal import (
    clear_table,
    deal_given,
    deal_round,
    next_opening,
    rotated_seat,
    take_from_boneyard,
)
from mtrain_env.engine.doubles import (
    cover_double,
    drop_laid_doubles,
    lapse_doubles,
    settle_doubles,
    wake_doubles,
)
from mtrain_env.engine.knowledge import forget_traded, log_laid, note_loss, show_void
from mtrain_env.engine.legal import faces_wanted, must_cover
from mtrain_env.engine.scoring import finish_round
from mtrain_env.engine.specials import derail, move_tile, trade, twist
from mtrain_env.engine.state import (
    ANY,
    ANY_PLAY,
    ANYWHERE,
    ANYWHERE_OPTIONAL,
    BLOCKED,
    CHAIN,
    CHAIN_TURN,
    CHOOSING,
    CHOSEN,
    DERAIL,
    DRAW,
    ENDS_TURN,
    HUNT,
    KINDS,
    LAID,
    LAPSES,
    MAX_TILES,
    MAY_ANYWHERE,
    NO_DUTY,
    NONE,
    NORMAL_TURN,
    NOT_ON_OWN_DOUBLE,
    ON_DOUBLE,
    ON_TABLE,
    OPENING_TILE_TURN,
    OPTIONAL_TILE,
    OWES_ANYWHERE,
    OWES_COVER,
    OWES_NOTHING,
    PER_OWED_TILE,
    REVERSE,
    SKIP,
    TRADE,
    TWIST,
    WENT_OUT,
    WILD,
)
from mtrain_env.tiles import TILE_HIGH, TILE_LOW


@jit
def act(s: Any, action: int, taken: int) -> None:
    """Carry out the legal id `action` of the acting seat; `taken` is the tile code a trade takes, NONE = random (D7).

    The action is not checked: see legal.is_legal. A finished round stays as it is until deal.begin_round.
    """
    num_tiles = int64(s["num_tiles"])
    draw = int64(s["at_draw"])
    if action < draw:
        relative = action // num_tiles
        tile = action - relative * num_tiles
        _lay(s, tile, absolute_train(s, relative), int64(TILE_HIGH[tile]))
    elif action == draw:
        _draw(s)
    elif action == draw + 1:
        _pass(s)
    elif action == draw + 2:
        _end_turn(s)
    elif action >= int64(s["at_out_low"]):
        _act_special(s, action, taken)
    else:
        _choose(s, action - int64(s["at_choose"]))


@jit
def absolute_train(s: Any, relative: int) -> int:
    """The train that is `relative` to the acting seat: 0 own, 1.. clockwise, num_players the Mexican train."""
    n = int64(s["num_players"])
    if relative == n:
        return n
    train = int64(s["seat"]) + relative
    return train if train < n else train - n


@jit
def _lay(s: Any, tile: int, train: int, out_on_wild: int) -> None:
    """R7, D9: lay a numbered tile; `out_on_wild` is the number to point out if the train ends in an open Wild."""
    seat = int64(s["seat"])
    a = int64(TILE_LOW[tile])
    b = int64(TILE_HIGH[tile])
    end = int64(s["train_end"][train])
    out = out_on_wild if end == ANY else a + b - end
    move_tile(s, tile, seat, NONE)
    s["tile_place"][tile] = ON_TABLE
    s["seen_count"][a] += 1
    if a != b:
        s["seen_count"][b] += 1
    s["train_inner"][train] = a + b - out
    _extend(s, tile, train, out, a == b)
    if s["exhausted_double"] == LAPSES and s["double_count"] > 0:
        lapse_doubles(s)
    _after_laying(s, a == b, seat)


@jit
def _extend(s: Any, code: int, train: int, out: int, double: bool) -> None:
    """R7, R16, R21: put the tile `code` at the end of `train`: covers a double there, may take the marker off."""
    seat = int64(s["seat"])
    if s["double_count"] > 0:
        cover_double(s, train)
    s["train_end"][train] = out
    s["train_length"][train] += 1
    s["started"] = int64(s["started"]) | 1 << train
    s["last_was_double"] = double
    if double and s["double_duty"] != NO_DUTY:
        k = int64(s["double_count"])
        s["double_train"][k] = train
        s["double_state"][k] = LAID
        s["double_count"] = k + 1
    log_laid(s, code, train, out, seat, note_loss(s, seat, code))
    forget_traded(s, seat, code, NONE)
    marker_off(s, train == seat)
    s["idle_passes"] = 0


@jit
def marker_off(s: Any, on_own_train: bool) -> None:
    """R21: a tile played by the acting seat takes its marker off, where the rules say so."""
    seat_bit = 1 << int64(s["seat"])
    if int64(s["markers"]) & seat_bit == 0:
        return
    off = on_own_train or s["marker_off"] == ANY_PLAY
    if s["failed_cover_marker_off_any"] != 0 and int64(s["cover_markers"]) & seat_bit != 0:
        off = True
    if off:
        s["markers"] = int64(s["markers"]) & ~seat_bit
        s["cover_markers"] = int64(s["cover_markers"]) & ~seat_bit


@jit
def _after_laying(s: Any, double: bool, seat: int) -> None:
    """R6, R12-R15: what follows a tile (or Wild) laid by the acting seat: more tiles, or the turn ends."""
    if s["hand_count"][seat] == 0:
        _go_out(s)
        return
    if s["turn"] == CHAIN_TURN and s["draws"] == 0:
        s["chain_laid"] += 1
        return
    follow_up = s["double_follow_up"]
    if double and s["turn"] == NORMAL_TURN:
        s["owed"] = OWES_NOTHING
        if follow_up == ANYWHERE:
            s["owed"] = OWES_ANYWHERE
        elif follow_up == ANYWHERE_OPTIONAL:
            s["owed"] = MAY_ANYWHERE
        elif follow_up == ON_DOUBLE and s["double_count"] > 0:
            if s["double_state"][int64(s["double_count"]) - 1] == LAID:  # else it lapsed at once (R15)
                s["owed"] = OWES_COVER
        if s["owed"] != OWES_NOTHING:
            if s["draw_limit"] == PER_OWED_TILE:
                s["draws"] = 0
            return
    _end_turn(s)


@jit
def _go_out(s: Any) -> None:
    """R13: the acting seat has laid its last tile; the round ends now, or with the first lap (`finish_first_lap`)."""
    seat = int64(s["seat"])
    drop_laid_doubles(s)
    if s["first_out"] < 0:
        s["first_out"] = seat
    if s["finish_first_lap"] == 0:
        finish_round(s, int64(WENT_OUT), seat)
    else:
        s["had_turn"] = int64(s["had_turn"]) | 1 << seat
        next_turn(s)


@jit
def _end_turn(s: Any) -> None:
    """R16, R17: the acting seat's turn is over; its uncovered doubles wait, sleep or are done with."""
    if s["double_count"] > 0:
        settle_doubles(s)
    s["had_turn"] = int64(s["had_turn"]) | 1 << int64(s["seat"])
    next_turn(s)


@jit
def next_turn(s: Any) -> None:
    """R13, R17, D5, D6: the next seat begins its turn; the round ends when a finished first lap has no seat left."""
    n = int64(s["num_players"])
    everyone = (1 << n) - 1
    while True:
        if int64(s["had_turn"]) == everyone:
            if s["double_count"] > 0:
                wake_doubles(s)
            if s["first_out"] >= 0:
                finish_round(s, int64(WENT_OUT), int64(s["first_out"]))
                return
        seat = (int64(s["seat"]) + int64(s["direction"]) + n) % n
        while s["first_out"] >= 0 and (int64(s["had_turn"]) >> seat) & 1 != 0:
            seat = (seat + int64(s["direction"]) + n) % n
        s["seat"] = seat
        begin_turn(s)
        if (int64(s["skip_blockers"]) >> seat) & 1 == 0:
            return
        s["skip_blockers"] = int64(s["skip_blockers"]) & ~(1 << seat)
        s["had_turn"] = int64(s["had_turn"]) | 1 << seat
        s["idle_passes"] = 0


@jit
def _clear_turn(s: Any) -> None:
    """A turn in which nothing has happened yet."""
    s["turn"] = NORMAL_TURN
    s["owed"] = OWES_NOTHING
    s["draws"] = 0
    s["chain_laid"] = 0
    s["last_was_double"] = 0
    s["last_draw"] = NONE


@jit
def begin_turn(s: Any) -> None:
    """R12, D4: the acting seat begins its turn with nothing drawn, laid or owed; a Draw on its train acts now."""
    seat = int64(s["seat"])
    _clear_turn(s)
    if s["first_turn"] == CHAIN and (int64(s["had_turn"]) >> seat) & 1 == 0:
        s["turn"] = CHAIN_TURN
    if (int64(s["draw_blockers"]) >> seat) & 1 != 0:
        s["draw_blockers"] = int64(s["draw_blockers"]) & ~(1 << seat)
        s["idle_passes"] = 0
        if s["deck_next"] < s["deck_size"]:
            take_from_boneyard(s, seat)


@jit
def _draw(s: Any) -> None:
    """R10, R27: draw one tile, having shown that nothing fits."""
    seat = int64(s["seat"])
    show_void(s, seat, faces_wanted(s))
    take_from_boneyard(s, seat)
    s["draws"] += 1
    s["idle_passes"] = 0


@jit
def _pass(s: Any) -> None:
    """R11, R18, R20, R22, R27: pass; the marker goes on, the turn ends, and the round with the n-th idle pass."""
    seat = int64(s["seat"])
    bit = 1 << seat
    show_void(s, seat, faces_wanted(s))
    if int64(s["markers"]) & bit != 0:
        s["idle_passes"] += 1
    else:
        s["idle_passes"] = 0
        if not (s["marker_on"] == NOT_ON_OWN_DOUBLE and s["owed"] == OWES_COVER):
            s["markers"] = int64(s["markers"]) | bit
            if must_cover(s) >= 0:
                s["cover_markers"] = int64(s["cover_markers"]) | bit
    if int64(s["idle_passes"]) >= int64(s["num_players"]) and s["deck_next"] == s["deck_size"]:
        finish_round(s, int64(BLOCKED), int64(-1))
    else:
        _end_turn(s)


@jit
def begin_round(s: Any, opening: int, first: int) -> None:
    """R2-R5: begin the next round: deal and hunt, or let a seat choose the opening double first (`chosen`).

    `opening`: number of the opening double, -1 = as the order says. `first`: the starter (set out) or the hunting seat
    (hunt), -1 = as the rules say. The phase must be UNDEALT or ROUND_OVER.
    """
    s["round"] += 1
    if s["opening_order"] == CHOSEN and opening < 0:
        clear_table(s)
        s["phase"] = CHOOSING
        s["seat"] = s["winner"] if s["winner"] >= 0 else rotated_seat(s)
        _clear_turn(s)
        return
    deal_round(s, opening if opening >= 0 else next_opening(s), first)
    start_play(s)


@jit
def begin_given_round(s: Any, opening: int, first: int, deck: Any) -> None:
    """R1-R5: begin the next round, or the one just being chosen, with a given deck (deal.deal_given)."""
    if s["phase"] != CHOOSING:
        s["round"] += 1
    deal_given(s, opening, first, deck)
    start_play(s)


@jit
def _choose(s: Any, number: int) -> None:
    """R2 `chosen`: the acting seat names the opening double; it also starts round 1."""
    deal_round(s, number, int64(s["seat"]) if s["round"] == 1 else -1)
    start_play(s)


@jit
def start_play(s: Any) -> None:
    """R5, R6: the starter's turn begins, as `opening_turn` says if it laid the opening double."""
    s["seat"] = s["starter"]
    begin_turn(s)
    if s["opening_source"] == HUNT:
        if s["opening_turn"] == ENDS_TURN:
            _end_turn(s)
        elif s["opening_turn"] == OPTIONAL_TILE:
            s["turn"] = OPENING_TILE_TURN


@jit
def _act_special(s: Any, action: int, taken: int) -> None:
    """Section 6: carry out an action of the blocks that only special tiles need."""
    num_tiles = int64(s["num_tiles"])
    if action < int64(s["at_wild"]):
        k = action - int64(s["at_out_low"])
        tile = k % num_tiles
        train = must_cover(s) if s["finish_first_lap"] == 0 else absolute_train(s, k // num_tiles)
        _lay(s, tile, train, int64(TILE_LOW[tile]))
    elif action < int64(s["at_draw_on"]):
        _lay_wild(s, absolute_train(s, action - int64(s["at_wild"])))
    elif action < int64(s["at_skip_on"]):
        k = action - int64(s["at_draw_on"]) + 1
        if _use_special(s, int64(DRAW)):
            s["draw_blockers"] = int64(s["draw_blockers"]) | 1 << absolute_train(s, k)
            _end_turn(s)
    elif action < int64(s["at_reverse"]):
        k = action - int64(s["at_skip_on"]) + 1
        if _use_special(s, int64(SKIP)):
            s["skip_blockers"] = int64(s["skip_blockers"]) | 1 << absolute_train(s, k)
            _end_turn(s)
    elif action < int64(s["at_twist"]):
        if _use_special(s, int64(REVERSE)):
            s["direction"] = -int64(s["direction"])
            _end_turn(s)
    elif action < int64(s["at_derail"]):
        if _use_special(s, int64(TWIST)):
            twist(s, absolute_train(s, action - int64(s["at_twist"])))
            _end_turn(s)
    elif action < int64(s["at_trade"]):
        if _use_special(s, int64(DERAIL)):
            derail(s, action - int64(s["at_derail"]) + 1)
            _end_turn(s)
    elif action < int64(s["at_trade_out"]):
        k = action - int64(s["at_trade"])
        other = k // (num_tiles + KINDS)
        given = k - other * (num_tiles + KINDS)
        if given >= num_tiles:
            given += MAX_TILES - num_tiles
        if _use_special(s, int64(TRADE)):
            trade(s, absolute_train(s, other + 1), given, taken)
            _end_turn(s)
    else:
        _use_special(s, int64(TRADE))


@jit
def _use_special(s: Any, kind: int) -> bool:
    """D3, D12, R21: play the special tile from the hand; False if it was the last tile (the seat is out, no effect)."""
    seat = int64(s["seat"])
    move_tile(s, MAX_TILES + kind, seat, NONE)
    s["specials_played"][kind] += 1
    log_laid(s, MAX_TILES + kind, int64(NONE), int64(0), seat, note_loss(s, seat, MAX_TILES + kind))
    forget_traded(s, seat, MAX_TILES + kind, NONE)
    marker_off(s, False)
    s["idle_passes"] = 0
    if kind == DERAIL and s["derail_once"] != 0:
        s["derails_gone"] += 1
    if s["hand_count"][seat] == 0:
        _go_out(s)
        return False
    return True


@jit
def _lay_wild(s: Any, train: int) -> None:
    """D9: lay a Wild, a double of every number that must be covered at once."""
    seat = int64(s["seat"])
    move_tile(s, MAX_TILES + WILD, seat, NONE)
    s["specials_played"][WILD] += 1
    _extend(s, MAX_TILES + WILD, train, int64(ANY), True)
    _after_laying(s, True, seat)
