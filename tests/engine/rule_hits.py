"""Which rules a decision exercised, read off the records before and after it: what soak.py counts."""

from __future__ import annotations

from typing import Any

from mtrain_env.encoding.notation import train_text
from mtrain_env.engine import state as st

ALL_IDS = tuple(f"R{k}" for k in range(1, 28)) + tuple(f"D{k}" for k in range(1, 14))


def rule_hits(before: Any, text: str, after: Any) -> set[str]:
    """The ids of RULES.md that the action `text` of `before` put to work, with finer tags after some of them."""
    hits = {"R7", "R26"}
    words = text.split()
    seat, n = int(before["seat"]), int(before["num_players"])
    if before["phase"] == st.CHOOSING:
        return {"R2", "R2 chosen"} | round_begun(after)
    if words[0][0].isdigit() or words[0] == "wild":
        hits |= _laid(before, words, after, seat, n)
    elif text == "draw":
        hits |= {"R10", "R27"} | _owing(before, "R18")
    elif text == "pass":
        hits |= _passed(before, after, seat)
    elif text == "stop":
        hits |= {"R12 stop"} if before["turn"] == st.CHAIN_TURN else {"R14 stop"} if before["owed"] else {"R6 stop"}
    else:
        hits |= _special(words, before, seat)
    hits |= _turn_passed(before, after)
    if after["round_end"] != st.NOT_ENDED:
        hits |= _ended(after)
    if before["hand_count"][seat] != 1 and after["hand_count"][seat] == 1:
        hits.add("R25")
    return hits


def round_begun(s: Any) -> set[str]:
    """What dealing a round put to work."""
    order = ("descending", "ascending", "even", "odd", "random", "chosen")[int(s["opening_order"])]
    hits = {"R1", "R2", f"R2 {order}", "R3", "R4", "R5"}
    if s["opening_source"] == st.HUNT:
        hits |= {"R6", "R6 " + ("start_train", "optional_tile", "ends_turn")[int(s["opening_turn"])]}
        hits |= {"R4 hunt draws"} if s["gains"] > 0 else set()
    return hits


def _owing(before: Any, tag: str) -> set[str]:
    return {tag} if before["duty_train"] >= 0 and before["owed"] == st.OWES_NOTHING else set()


def _laid(before: Any, words: list[str], after: Any, seat: int, n: int) -> set[str]:
    """A numbered tile or a Wild was laid."""
    hits = {"R9"} | _owing(before, "R16")
    low, _, high = words[0].partition("-")
    if words[2] == "M":
        hits |= {"R8", "R8 " + ("always", "after_own", "after_all", "never")[int(before["mexican_train"])]}
    if words[0] == "wild":
        hits |= {"D9", "R14"}
    elif low == high:
        hits |= {
            "R14",
            "R14 " + ("anywhere", "anywhere_optional", "on_double", "none")[int(before["double_follow_up"])],
        }
        hits |= {"D9 double on Wild"} if "out" in words else set()
    if "out" in words or (before["special_tiles"] != 0 and before["owed"] == st.OWES_COVER):
        hits.add("D2")
    if before["turn"] == st.CHAIN_TURN:
        hits |= {"R12"}
    if before["turn"] == st.OPENING_TILE_TURN:
        hits |= {"R6 tile"}
    if before["double_count"] > 1 and before["duty_train"] >= 0:
        hits.add("R17")
    if _lapsed(before, words, after, n):
        hits |= {"R19", "R15"} if low == high else {"R19", "R19 waiting"}
    if int(before["markers"]) >> seat & 1 and not int(after["markers"]) >> seat & 1:
        hits |= {"R21"} | ({"R21 failed cover"} if int(before["cover_markers"]) >> seat & 1 else set())
    return hits


def _lapsed(before: Any, words: list[str], after: Any, n: int) -> bool:
    """Whether an uncovered double lapsed with this tile: more left the list than were covered."""
    if (
        after["round_end"] != st.NOT_ENDED
        or before["exhausted_double"] != st.LAPSES
        or before["double_duty"] == st.NO_DUTY
    ):
        return False
    low, _, high = words[0].partition("-")
    trains = {train_text(int(t), n) for t in before["double_train"][: int(before["double_count"])]}
    expected = len(trains - {words[2]}) + (low == high or words[0] == "wild")
    return int(after["double_count"]) < expected and before["double_duty"] == st.TABLE_DUTY


def _passed(before: Any, after: Any, seat: int) -> set[str]:
    hits = {"R11", "R27"} | _owing(before, "R18")
    was, now = int(before["markers"]) >> seat & 1, int(after["markers"]) >> seat & 1
    if not was and now:
        hits.add("R20")
    if not was and not now:
        hits |= {"R20", "R20 excused"}
    if was:
        hits.add("R22 idle pass")
    if before["special_tiles"] != 0 and was:
        hits.add("D13")
    return hits


def _special(words: list[str], before: Any, seat: int) -> set[str]:
    ids = {"draw": "D4", "skip": "D5", "reverse": "D6", "trade": "D7", "twist": "D8", "derail": "D10"}
    hits = {"D1", "D3", ids[words[0]]}
    if before["hand_count"][seat] == 1:
        hits.add("D12")
    return hits


def _turn_passed(before: Any, after: Any) -> set[str]:
    """What the change of turn put to work: sleeping doubles that woke, blockers that acted."""
    hits = set()
    states = after["double_state"][: int(after["double_count"])].tolist()
    asleep = before["double_state"][: int(before["double_count"])].tolist().count(st.ASLEEP)
    if st.ASLEEP in states:
        hits |= {"R17", "R17 asleep"}
    if asleep and st.ASLEEP not in states:
        hits |= {"R17", "R17 woke"}
    if states.count(st.WAITING) > 1:
        hits |= {"R17", "R17 two wait"}
    if int(before["skip_blockers"]).bit_count() > int(after["skip_blockers"]).bit_count():
        hits.add("D5 acted")
    if int(before["draw_blockers"]).bit_count() > int(after["draw_blockers"]).bit_count():
        hits.add("D4 acted")
    if after["first_out"] >= 0 and after["round_end"] == st.NOT_ENDED:
        hits |= {"R13", "R13 finish_first_lap"}
    return hits


def _ended(after: Any) -> set[str]:
    hits = {"R23"} | ({"R22"} if after["round_end"] == st.BLOCKED else {"R13"})
    if after["phase"] == st.GAME_OVER:
        hits.add("R24")
    if after["special_tiles"] != 0 and after["special_hand"].sum() > 0:
        hits.add("D11")
    return hits
