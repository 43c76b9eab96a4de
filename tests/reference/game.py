"""The reference: a second, slow and plain implementation of shared/RULES.md, an oracle for tests.

It was written from RULES.md alone and shares no code with the engine. It plays out what is put
into it (deals, draws in order, the tile taken in a trade) and makes no random choice itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .legal import Action, train_index, train_name
from .round import Round
from .setup import (
    carry_out_hunt,
    check_deal,
    check_fields,
    hunted_double,
    opening_numbers,
    rounds_to_play,
)
from .table import ANY
from .tiles import ReferenceMismatch, Rules, tile_from_text, tile_text


class ReferenceGame:
    """One game by one resolved rules dict (the fields of RULES.md section 9)."""

    def __init__(self, rules: Rules) -> None:
        check_fields(rules)
        self.rules = dict(rules)
        self.seats: int = rules["num_players"]
        self.rounds = rounds_to_play(rules)
        self.totals = [0] * self.seats
        self.round_number = 0
        self.round_result: dict[str, Any] | None = None
        self.winners: list[int] | None = None
        self.used_openings: list[int] = []
        self.derails_gone = 0
        self.round: Round | None = None
        self._previous_starter: int | None = None
        self._chosen: int | None = None
        self._chooser: int | None = None
        self._actions: dict[str, Action] | None = None

    # ---- whose turn, and what is legal ---------------------------------------------------------

    @property
    def phase(self) -> str:
        """Either "choose" (R2), "between" (waits for start_round), "play" or "over"."""
        if self.winners is not None:
            return "over"
        if self.round is not None and self.round.end is None:
            return "play"
        if self.rules["opening_order"] == "chosen" and self._chosen is None:
            return "choose"
        return "between"

    @property
    def actor(self) -> int | None:
        """The seat to decide; None when nobody is, and in round 1's choice (chance says who, R2)."""
        if self.phase == "play":
            return self._round().turn.seat
        if self.phase == "choose":
            return self._choosing_seat()
        return None

    def legal(self) -> list[str]:
        """The text of every legal action, sorted (section 8)."""
        phase = self.phase
        if phase == "choose":
            left = [k for k in opening_numbers(self.rules) if k not in self.used_openings]
            return sorted(f"choose {k}" for k in left)
        if phase == "play":
            return sorted(self._legal_actions())
        return []

    def do(self, text: str, took: str | None = None) -> None:
        """Carry out one action of the actor; `took` is the tile taken in a trade (D7)."""
        if self.phase != "play":
            raise ReferenceMismatch(f"{text!r}, but no round is being played")
        this = self._round()
        action = self._legal_actions().get(text)
        if action is None:
            raise ReferenceMismatch(f"{text!r} is not legal for seat {self.actor}: {self.legal()}")
        taken = None if took is None else tile_from_text(took)
        this.check_took(action, taken)
        self._actions = None
        this.do(action, taken)
        if this.end is not None:
            self._finish_round()

    def _legal_actions(self) -> dict[str, Action]:
        if self._actions is None:
            self._actions = self._round().actions()
        return self._actions

    def _round(self) -> Round:
        if self.round is None:
            raise ReferenceMismatch("no round has been started yet")
        return self.round

    # ---- before a round --------------------------------------------------------------------------

    def _rotated(self) -> int | None:
        """R5 `rotate`: None in round 1 (random), then the seat clockwise after the previous starter."""
        if self._previous_starter is None:
            return None
        return (self._previous_starter + 1) % self.seats

    def _winner_or_rotated(self) -> int | None:
        """R2 `chosen`, R5 `previous_winner`: the previous winner; else as `rotate`."""
        if self.round is not None and self.round.winner is not None:
            return self.round.winner
        return self._rotated()

    def _choosing_seat(self) -> int | None:
        return self._winner_or_rotated()

    def choose(self, seat: int, number: int) -> None:
        """R2 `chosen`: `seat` names the next opening double."""
        if self.phase != "choose":
            raise ReferenceMismatch("there is no opening double to choose now")
        expected = self._choosing_seat()
        if not (isinstance(seat, int) and 0 <= seat < self.seats) or expected not in (None, seat):
            raise ReferenceMismatch(f"seat {seat} chooses, but seat {expected} should")
        if number not in opening_numbers(self.rules) or number in self.used_openings:
            raise ReferenceMismatch(f"double {number} cannot be chosen")
        self._chosen, self._chooser = number, seat

    def start_round(
        self,
        opening: int,
        hunting_seat: int | None,
        starter: int,
        deal: Sequence[Sequence[str]],
        boneyard: Sequence[str],
    ) -> None:
        """R1 to R6 with the data of a record's round line, all of it checked."""
        if self.phase != "between":
            raise ReferenceMismatch(f"a round cannot start in phase {self.phase!r}")
        hands = [[tile_from_text(text) for text in hand] for hand in deal]
        stock = [tile_from_text(text) for text in boneyard]
        if opening not in range(self.rules["max_pip"] + 1):
            raise ReferenceMismatch(f"{opening!r} is no opening double of this set")
        check_deal(self.rules, opening, hands, stock, self.derails_gone)
        fixed = self._number_by_order()
        if self.rules["opening_source"] == "hunt":
            self._check_seat("hunting seat", hunting_seat, self._rotated())
            assert hunting_seat is not None
            number, layer, draws = hunted_double(self.rules, fixed, self.used_openings, hunting_seat, hands, stock)
            self._check_opening(opening, number)
            self._check_seat("starter", starter, layer)
            carry_out_hunt(number, hunting_seat, draws, layer, hands, stock)
        else:
            if hunting_seat is not None:
                raise ReferenceMismatch("the opening double is set out, nobody hunts")
            assert fixed is not None
            self._check_opening(opening, fixed)
            self._check_seat("starter", starter, self._starter_when_set_out())
        self.round_number += 1
        self.round_result = None
        self.used_openings.append(opening)
        self._chosen = None
        self._previous_starter = starter
        self._actions = None
        self.round = Round(self.rules, opening, hands, stock, starter)

    def _number_by_order(self) -> int | None:
        """R2: the opening number of the next round, None when the hunt finds it (`random`)."""
        order = self.rules["opening_order"]
        if order == "random":
            return None
        if order == "chosen":
            return self._chosen
        return opening_numbers(self.rules)[self.round_number]

    def _starter_when_set_out(self) -> int | None:
        """R5; R2 `chosen`: in round 1 the seat that chose also starts. None: chance."""
        if self.round is None:
            return self._chooser
        if self.rules["starter"] == "previous_winner":
            return self._winner_or_rotated()
        return self._rotated()

    def _check_opening(self, given: int, expected: int) -> None:
        if given != expected:
            raise ReferenceMismatch(f"the opening double is {given}, the rules demand {expected}")

    def _check_seat(self, what: str, given: int | None, expected: int | None) -> None:
        if given not in range(self.seats):
            raise ReferenceMismatch(f"the {what} is {given!r}, which is no seat")
        if expected is not None and given != expected:
            raise ReferenceMismatch(f"the {what} is {given}, the rules demand {expected}")

    # ---- after a round ----------------------------------------------------------------------------

    def _finish_round(self) -> None:
        """R13, R22, R23, R24."""
        this = self._round()
        pips = this.pips()
        self.totals = [total + more for total, more in zip(self.totals, pips, strict=True)]
        self.round_result = {
            "end": this.end,
            "winner": this.winner,
            "pips": pips,
            "totals": list(self.totals),
        }
        if self.rules["derail_once"]:
            self.derails_gone += this.derails_gone
        if self.round_number == self.rounds:
            self._decide()

    def stop(self) -> None:
        """The play program stops at a clock time: no further round is started (section 9)."""
        if self.phase not in ("between", "choose"):
            raise ReferenceMismatch("the game can be stopped only between rounds")
        self._decide()

    def _decide(self) -> None:
        """R24: the lowest total wins, equal ones share the win."""
        lowest = min(self.totals)
        self.winners = [seat for seat, total in enumerate(self.totals) if total == lowest]

    # ---- what can be seen -------------------------------------------------------------------------

    @property
    def hands(self) -> list[list[str]]:
        """Per seat the texts of the tiles held, sorted."""
        if self.round is None:
            return [[] for _ in range(self.seats)]
        return [sorted(tile_text(tile) for tile in hand) for hand in self.round.hands]

    @property
    def boneyard(self) -> list[str]:
        """The undealt tiles in draw order."""
        return [tile_text(tile) for tile in self._round().boneyard]

    @property
    def opening(self) -> int:
        """The number of the opening double of this round."""
        return self._round().opening

    @property
    def markers(self) -> list[bool]:
        """Per seat: is its marker on (its train open to all)?"""
        return list(self._round().markers)

    @property
    def ends(self) -> list[int | str]:
        """Per train (index n: the Mexican train) its end, "any" for an open Wild."""
        return [self._round().train(index).end for index in range(self.seats + 1)]

    @property
    def train_tiles(self) -> list[list[str]]:
        """Per train (index n: the Mexican train) its numbered tiles and Wilds in the order laid."""
        return [self._round().train(index).texts() for index in range(self.seats + 1)]

    @property
    def blockers(self) -> list[str | None]:
        """Per seat the blocker on its train: None, "draw" or "skip" (D4, D5)."""
        return [train.blocker for train in self._round().trains]

    @property
    def aside(self) -> list[str]:
        """Special tiles played that lie on no train as its tile or blocker (hub, Twists, out of play)."""
        return [tile_text(tile) for tile in self._round().aside]

    @property
    def open_doubles(self) -> list[dict[str, Any]]:
        """The uncovered doubles that may still owe something, in the order laid (R14-R19)."""
        this = self._round()
        return [
            {
                "tile": "wild" if double.number == ANY else f"{double.number}-{double.number}",
                "train": train_name(this, train_index(this, double.train)),
                "state": double.state,
            }
            for double in this.open_doubles
        ]

    @property
    def direction(self) -> int:
        """1 clockwise, -1 after an odd number of Reverses (D6)."""
        return self._round().direction


def replay(lines: Iterable[str | dict[str, Any]]) -> ReferenceGame:
    """Replay a whole record (see replay.py)."""
    from .replay import replay as replay_record

    return replay_record(lines)
