"""The faults: in `file` of the package, the text `old`, which occurs once, becomes `new`.

Each breaks one rule in a way that a programmer might have got it wrong, and no other on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Fault:
    """One rule broken: what a careless reader might take it to say, and the change that makes the engine say so."""

    rule: str
    wrong: str
    file: str
    old: str
    new: str


FAULTS: Final[tuple[Fault, ...]] = (
    Fault(
        "R1",
        "markers stay on into the next round",
        "engine/deal.py",
        """    s["markers"] = 0\n""",
        "",
    ),
    Fault(
        "R2",
        "a double that opened an earlier round opens another",
        "engine/deal.py",
        """    return (int64(s["used_doubles"]) >> number) & 1 == 0""",
        """    return True""",
    ),
    Fault(
        "R3",
        "one round too many",
        "engine/scoring.py",
        """s["round"] >= s["num_rounds"]""",
        """s["round"] > s["num_rounds"]""",
    ),
    Fault(
        "R4",
        "the hunt begins at seat 0",
        "engine/deal.py",
        """    seat = first\n    while True:""",
        """    seat = 0\n    while True:""",
    ),
    Fault(
        "R4",
        "one tile more is drawn after the opening double was found",
        "engine/deal.py",
        """            _lay_opening(s, seat, code)\n            return\n        seat = (seat + 1) % n""",
        """            _lay_opening(s, seat, code)\n            take_from_boneyard(s, seat)\n            return
        seat = (seat + 1) % n""",
    ),
    Fault(
        "R5",
        "the previous winner never starts",
        "engine/deal.py",
        """s["starter_rule"] == PREVIOUS_WINNER and""",
        """s["starter_rule"] != PREVIOUS_WINNER and""",
    ),
    Fault(
        "R6",
        "the layer must play its optional tile",
        "engine/legal.py",
        """s["owed"] == MAY_ANYWHERE or s["turn"] == OPENING_TILE_TURN""",
        """s["owed"] == MAY_ANYWHERE""",
    ),
    Fault(
        "R7",
        "an empty marked train may not be started by others",
        "engine/legal.py",
        """    trains = own | int64(s["markers"])\n""",
        """    trains = own | (int64(s["markers"]) & int64(s["started"]))\n""",
    ),
    Fault(
        "R8",
        "after_all asks for any train",
        "engine/legal.py",
        """int64(s["started"]) & everyone == everyone""",
        """int64(s["started"]) & everyone != 0""",
    ),
    Fault(
        "R9",
        "drawing is allowed though a tile fits",
        "engine/legal.py",
        """        return 1\n    return count\n""",
        """        return 1\n    if can_draw(s):\n        out[count] = draw\n        count += 1\n    return count\n""",
    ),
    Fault(
        "R10",
        "owed tiles have a draw of their own under the other limits",
        "engine/turn.py",
        """if s["draw_limit"] == PER_OWED_TILE:""",
        """if s["draw_limit"] != PER_OWED_TILE:""",
    ),
    Fault(
        "R11",
        "a pass raises no marker",
        "engine/turn.py",
        """            s["markers"] = int64(s["markers"]) | bit\n""",
        "",
    ),
    Fault(
        "R12",
        "a drawn tile starts a chain",
        "engine/turn.py",
        """if s["turn"] == CHAIN_TURN and s["draws"] == 0:""",
        """if s["turn"] == CHAIN_TURN:""",
    ),
    Fault(
        "R13",
        "the last seat out wins",
        "engine/turn.py",
        """    if s["first_out"] < 0:\n        s["first_out"] = seat""",
        """    s["first_out"] = seat""",
    ),
    Fault(
        "R13",
        "a double laid as the last tile makes a duty",
        "engine/turn.py",
        """    drop_laid_doubles(s)\n    if s["first_out"] < 0:""",
        """    if s["first_out"] < 0:""",
    ),
    Fault(
        "R14",
        "anywhere_optional is a debt",
        "engine/turn.py",
        """s["owed"] = MAY_ANYWHERE""",
        """s["owed"] = OWES_ANYWHERE""",
    ),
    Fault(
        "R15",
        "an exhausted double owes a tile on it",
        "engine/turn.py",
        """follow_up == ON_DOUBLE and s["double_count"] > 0:""",
        """follow_up == ON_DOUBLE:""",
    ),
    Fault(
        "R16",
        "a double waits though another tile followed it",
        "engine/doubles.py",
        """ == UNLESS_FOLLOWED and s["last_was_double"] == 0:""",
        """ == UNLESS_FOLLOWED and s["last_was_double"] == 2:""",
    ),
    Fault(
        "R17",
        "the double laid last comes first",
        "engine/doubles.py",
        """            s["duty_train"] = s["double_train"][i]\n            return""",
        """            s["duty_train"] = s["double_train"][i]""",
    ),
    Fault(
        "R17",
        "a double at the end of a first-turn chain binds the next seat",
        "engine/doubles.py",
        """ASLEEP if chain else WAITING""",
        """WAITING""",
    ),
    Fault(
        "R18",
        "one failed attempt ends the duty",
        "engine/turn.py",
        """    else:\n        _end_turn(s)\n\n\n@jit\ndef begin_round""",
        """    else:\n        if s["duty_train"] >= 0:\n            cover_double(s, int64(s["duty_train"]))
        _end_turn(s)\n\n\n@jit\ndef begin_round""",
    ),
    Fault(
        "R19",
        "the last tile of a number need not be on the table",
        "engine/doubles.py",
        """== int64(s["max_pip"]) + 1:""",
        """>= int64(s["max_pip"]):""",
    ),
    Fault(
        "R19",
        "exhaustion is looked at only in the turn in which the double is laid",
        "engine/doubles.py",
        """if number != ANY and""",
        """if s["double_state"][i] == LAID and number != ANY and""",
    ),
    Fault(
        "R20",
        "not_on_own_double spares everybody's pass before a double",
        "engine/turn.py",
        """s["marker_on"] == NOT_ON_OWN_DOUBLE and s["owed"] == OWES_COVER""",
        """s["marker_on"] == NOT_ON_OWN_DOUBLE and must_cover(s) >= 0""",
    ),
    Fault(
        "R21",
        "with failed_cover_marker_off_any every marker comes off at any play",
        "engine/turn.py",
        """s["failed_cover_marker_off_any"] != 0 and int64(s["cover_markers"]) & seat_bit != 0""",
        """s["failed_cover_marker_off_any"] != 0""",
    ),
    Fault(
        "R22",
        "a pass that opens a train counts",
        "engine/turn.py",
        """    else:\n        s["idle_passes"] = 0\n""",
        """    else:\n        s["idle_passes"] += 1\n""",
    ),
    Fault(
        "R22",
        "a draw does not start the count again",
        "engine/turn.py",
        """    s["draws"] += 1\n    s["idle_passes"] = 0\n""",
        """    s["draws"] += 1\n""",
    ),
    Fault(
        "R23",
        "the 0-0 is worth nothing whatever the field says",
        "engine/scoring.py",
        """if tile > 0 else""",
        """if tile >= 0 else""",
    ),
    Fault(
        "R24",
        "a tie goes to the lower seat",
        "engine/scoring.py",
        """if s["totals"][seat] == lowest:""",
        """if s["totals"][seat] == lowest and seats == 0:""",
    ),
    Fault(
        "R25",
        "a last tile is announced with every action",
        "encoding/record.py",
        """ and (before is None or before["hand_count"][seat] != 1)""",
        "",
    ),
    Fault(
        "R26",
        "everybody sees the tile just drawn",
        "engine/determinize.py",
        """    if s["seat"] != seat:\n        s["last_draw"] = NONE\n""",
        "",
    ),
    Fault(
        "R27",
        "who draws may still hold the number",
        "engine/knowledge.py",
        """        s["may_hold"][seat, face] = 0\n""",
        "",
    ),
    Fault(
        "D1",
        "a special is a play only beside a numbered tile",
        "engine/legal.py",
        """    if s["special_tiles"] != 0 and s["turn"] == NORMAL_TURN:\n        count =""",
        """    if s["special_tiles"] != 0 and s["turn"] == NORMAL_TURN and count > 0:\n        count =""",
    ),
    Fault(
        "D2",
        "a special tile dodges a waiting double",
        "engine/legal.py",
        """ and s["owed"] == OWES_NOTHING and s["duty_train"] < 0""",
        """ and s["owed"] == OWES_NOTHING""",
    ),
    Fault(
        "D3",
        "a Reverse leaves the turn with its seat",
        "engine/turn.py",
        """            s["direction"] = -int64(s["direction"])\n            _end_turn(s)""",
        """            s["direction"] = -int64(s["direction"])""",
    ),
    Fault(
        "D4",
        "the Draw spends the seat's own draw",
        "engine/turn.py",
        """        if s["deck_next"] < s["deck_size"]:\n            take_from_boneyard(s, seat)""",
        """        if s["deck_next"] < s["deck_size"]:\n            take_from_boneyard(s, seat)
            s["draws"] += 1""",
    ),
    Fault(
        "D4",
        "a blocked train may be played on",
        "engine/legal.py",
        """~(int64(s["draw_blockers"]) | int64(s["skip_blockers"]))""",
        """~int64(s["skip_blockers"])""",
    ),
    Fault(
        "D5",
        "a skipped seat gets its marker",
        "engine/turn.py",
        """        s["skip_blockers"] = int64(s["skip_blockers"]) & ~(1 << seat)\n""",
        """        s["skip_blockers"] = int64(s["skip_blockers"]) & ~(1 << seat)
        s["markers"] = int64(s["markers"]) | 1 << seat\n""",
    ),
    Fault(
        "D6",
        "a second Reverse changes nothing",
        "engine/turn.py",
        """s["direction"] = -int64(s["direction"])""",
        """s["direction"] = -1""",
    ),
    Fault(
        "D7",
        "the Trade that is played can be given away",
        "engine/specials.py",
        """if copies > (1 if kind == TRADE else 0):""",
        """if copies > 0:""",
    ),
    Fault(
        "D8",
        "one tile is enough to twist",
        "engine/specials.py",
        """s["train_length"][train] < 2""",
        """s["train_length"][train] < 1""",
    ),
    Fault(
        "D9",
        "the higher half always points out",
        "engine/turn.py",
        """_lay(s, tile, train, int64(TILE_LOW[tile]))""",
        """_lay(s, tile, train, int64(TILE_HIGH[tile]))""",
    ),
    Fault(
        "D10",
        "a Skip stays with its seat",
        "engine/specials.py",
        """    s["skip_blockers"] = _rotate_bits(int64(s["skip_blockers"]), k, n)\n""",
        "",
    ),
    Fault(
        "D11",
        "Wild and Derail have each other's points",
        "tiles.py",
        """[30, 30, 30, 30, 30, 50, 40]""",
        """[30, 30, 30, 30, 30, 40, 50]""",
    ),
    Fault(
        "D12",
        "a special tile acts though it was the last tile",
        "engine/turn.py",
        """    if s["hand_count"][seat] == 0:\n        _go_out(s)\n        return False""",
        """    if s["hand_count"][seat] == 0:\n        _go_out(s)\n        return True""",
    ),
    Fault(
        "D13",
        "with an empty boneyard special tiles count no more",
        "engine/legal.py",
        """    if may_play_specials(s):\n        count = special_actions""",
        """    if may_play_specials(s) and s["deck_next"] < s["deck_size"]:\n        count = special_actions""",
    ),
)
