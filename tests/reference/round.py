"""One round, from the first decision to the count: R7 to R23 and D1 to D13. Part of the reference."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from .legal import Action, actions
from .table import ANY, OpenDouble, Placed, Train
from .tiles import ReferenceMismatch, Rules, Tile, is_double, points, tile_text


@dataclass
class Turn:
    """What must be remembered within one turn.

    `kind`: "normal", "chain" (R12's first turn) or "opening_tile" (R6 `optional_tile`).
    `duty`: the double that must be satisfied (R16) or covered (R14 `on_double`).
    `right`: an `anywhere_optional` follow-up is open (R14), so *stop* is legal.
    `draw_spent`: R10 allows no further draw for what is to be played now.
    """

    seat: int
    kind: str
    duty: OpenDouble | None = None
    right: bool = False
    draw_spent: bool = False
    drew: bool = False
    laid_any: bool = False
    last_laid_was_double: bool = False


class Round:
    """The state of one round and what each action does to it."""

    def __init__(
        self,
        rules: Rules,
        opening: int,
        hands: list[list[Tile]],
        boneyard: list[Tile],
        starter: int,
    ) -> None:
        """The opening double lies on the table already (R4); `hands` and `boneyard` lack it."""
        self.rules = rules
        self.seats: int = rules["num_players"]
        self.opening = opening
        self.hands = hands
        self.boneyard: deque[Tile] = deque(boneyard)
        self.trains = [Train(opening) for _ in range(self.seats)]
        self.mexican = Train(opening)
        self.markers = [False] * self.seats
        self.marker_from_cover = [False] * self.seats
        self.open_doubles: list[OpenDouble] = []
        self.face_up = [0] * (rules["max_pip"] + 1)
        self.face_up[opening] += 1
        self.direction = 1
        self.aside: list[Tile] = []
        self.derails_gone = 0
        self.had_first_turn = [False] * self.seats
        self.idle_passes = 0
        self.finishing_first_lap = False
        self.winner: int | None = None
        self.end: str | None = None
        self.turn = Turn(starter, "normal")
        self._begin_round(starter)

    def _begin_round(self, starter: int) -> None:
        """R5 and R6: who takes the first decision, and of which kind."""
        manner = self.rules["opening_turn"] if self.rules["opening_source"] == "hunt" else None
        if manner == "ends_turn":
            self.had_first_turn[starter] = True
            self._next_turn()
        elif manner == "optional_tile":
            self.turn = Turn(starter, "opening_tile")
        else:
            self._begin_turn(starter)

    # ---- the course of turns ------------------------------------------------------------

    def _begin_turn(self, seat: int) -> None:
        """R12's chain for a first turn; R16 and R17: the first waiting double is the duty."""
        chain = self.rules["first_turn"] == "chain" and not self.had_first_turn[seat]
        self.turn = Turn(seat, "chain" if chain else "normal")
        for double in self.open_doubles:
            if double.state == "waiting":
                self.turn.duty = double
                break

    def _next_turn(self) -> None:
        """The next seat in the direction of play (D6), blockers (D4, D5), the last lap (R13)."""
        seat = self.turn.seat
        while True:
            if self.finishing_first_lap and all(self.had_first_turn):
                self.end = "out"
                return
            seat = (seat + self.direction) % self.seats
            if self.finishing_first_lap and self.had_first_turn[seat]:
                continue
            train = self.trains[seat]
            blocker, train.blocker = train.blocker, None
            if blocker is not None:
                self.aside.append(blocker)
                self.idle_passes = 0
            if blocker == "skip":
                self.had_first_turn[seat] = True
                continue
            if blocker == "draw" and self.boneyard:
                self.hands[seat].append(self.boneyard.popleft())
            self._begin_turn(seat)
            return

    def _end_turn(self) -> None:
        """R16 and R17: what becomes of the doubles of the turn; then the next seat."""
        self.had_first_turn[self.turn.seat] = True
        duty = self.rules["double_duty"]
        wait = duty == "table" or (duty == "unless_followed" and self.turn.last_laid_was_double)
        if not wait:
            self._let_go_of_this_turns_doubles()
        for double in self.open_doubles:
            if double.state == "laid":
                double.state = "asleep" if self.turn.kind == "chain" else "waiting"
        if all(self.had_first_turn):
            for double in self.open_doubles:
                double.state = "waiting"
        self._next_turn()

    def _let_go_of_this_turns_doubles(self) -> None:
        """R13 and R16: the doubles laid in this turn make no duty."""
        self.open_doubles = [double for double in self.open_doubles if double.state != "laid"]

    def _went_out(self) -> None:
        """R13: the round ends at once, or with `finish_first_lap` after the first lap."""
        seat = self.turn.seat
        self.had_first_turn[seat] = True
        self._let_go_of_this_turns_doubles()
        if self.winner is None:
            self.winner = seat
        if self.rules["finish_first_lap"] and not all(self.had_first_turn):
            self.finishing_first_lap = True
        if self.finishing_first_lap:
            self._next_turn()
        else:
            self.end = "out"

    # ---- actions --------------------------------------------------------------------------

    def actions(self) -> dict[str, Action]:
        """Every legal action by its text (section 8)."""
        return actions(self)

    def do(self, action: Action, took: Tile | None) -> None:
        """Carry out one action that actions() gave."""
        name = action[0]
        if name == "lay":
            self._lay(action[1], self.train(action[2]), action[3])
        elif name == "wild":
            self._lay("wild", self.train(action[1]), ANY)
        elif name == "draw":
            self._draw()
        elif name == "pass":
            self._pass()
        elif name == "stop":
            self._end_turn()
        else:
            self._play_special(action, took)

    def train(self, index: int) -> Train:
        """The train of a seat, or the Mexican train for index n."""
        return self.mexican if index == self.seats else self.trains[index]

    def _draw(self) -> None:
        """R10. A draw starts R22's count again."""
        self.hands[self.turn.seat].append(self.boneyard.popleft())
        self.idle_passes = 0
        self.turn.drew = True
        if self.rules["draw_limit"] != "until_playable":
            self.turn.draw_spent = True

    def _pass(self) -> None:
        """R11, R20 (when the marker goes on), R21 (why it went on) and R22 (blocked)."""
        seat, duty = self.turn.seat, self.turn.duty
        was_on = self.markers[seat]
        own_double = duty is not None and duty.state == "laid"
        excused = self.rules["marker_on"] == "not_on_own_double" and own_double
        if not was_on and not excused:
            self.markers[seat] = True
            self.marker_from_cover[seat] = duty is not None
        self.idle_passes = self.idle_passes + 1 if was_on else 0
        if not self.boneyard and self.idle_passes >= self.seats:
            self._blocked()
        else:
            self._end_turn()

    def _blocked(self) -> None:
        """R22, with the assertion that section 10 asks for."""
        if self.rules["exhausted_double"] == "lapses":
            assert all(double.number == ANY for double in self.open_doubles)
        self.end = "blocked"

    def _marker_off(self, on_own_train: bool) -> None:
        """R21 (D1: any play of a special tile counts under `any_play`)."""
        seat = self.turn.seat
        any_play = self.rules["marker_off"] == "any_play"
        forgiven = self.rules["failed_cover_marker_off_any"] and self.marker_from_cover[seat]
        if any_play or on_own_train or forgiven:
            self.markers[seat] = False
            self.marker_from_cover[seat] = False

    def _lay(self, tile: Tile, train: Train, outer: Any) -> None:
        """Lay a numbered tile or a Wild at the end of a train."""
        turn = self.turn
        hand = self.hands[turn.seat]
        hand.remove(tile)
        self.idle_passes = 0
        if isinstance(tile, str):
            train.placed.append(Placed(tile, train.end, ANY))
        else:
            train.placed.append(Placed(tile, tile[0] + tile[1] - outer, outer))
            for number in {tile[0], tile[1]}:
                self.face_up[number] += 1
        self.open_doubles = [double for double in self.open_doubles if double.train is not train]
        self._marker_off(train is self.trains[turn.seat])
        turn.laid_any = True
        turn.last_laid_was_double = tile == "wild" or is_double(tile)
        if turn.last_laid_was_double:
            self.open_doubles.append(OpenDouble(outer, train))
        self._lapse()
        if not hand:
            self._went_out()
        else:
            self._after_laying(train)

    def _lapse(self) -> None:
        """R19: every uncovered double all of whose tiles are face up lapses; a Wild never does."""
        if self.rules["exhausted_double"] != "lapses":
            return
        in_the_set = self.rules["max_pip"] + 1
        self.open_doubles = [
            double
            for double in self.open_doubles
            if isinstance(double.number, str) or self.face_up[double.number] < in_the_set
        ]

    def _after_laying(self, train: Train) -> None:
        """R6, R12, R14, R15: does the turn go on, and with what?"""
        turn = self.turn
        if turn.kind == "opening_tile":
            self._end_turn()
            return
        if turn.kind == "chain":
            if turn.drew:
                self._end_turn()
            return
        follow_up = self.rules["double_follow_up"]
        if not turn.last_laid_was_double or follow_up == "none":
            self._end_turn()
            return
        turn.duty = None
        if follow_up == "on_double":
            open_now = [double for double in self.open_doubles if double.train is train]
            if not open_now:
                self._end_turn()
                return
            turn.duty = open_now[0]
        turn.right = follow_up == "anywhere_optional"
        if self.rules["draw_limit"] == "per_owed_tile":
            turn.draw_spent = False

    # ---- special tiles ----------------------------------------------------------------------

    def _play_special(self, action: Action, took: Tile | None) -> None:
        """D1, D3, D12: a special tile is the whole turn; as the last tile it has no effect."""
        kind = action[0].removesuffix("_on")
        hand = self.hands[self.turn.seat]
        hand.remove(kind)
        self.idle_passes = 0
        self._marker_off(False)
        if kind == "derail":
            self.derails_gone += 1
        if not hand:
            self.aside.append(kind)
            self._went_out()
            return
        if kind in ("draw", "skip"):
            self.trains[action[1]].blocker = kind
        else:
            self.aside.append(kind)
            self._effect(kind, action, took)
        self._end_turn()

    def _effect(self, kind: str, action: Action, took: Tile | None) -> None:
        """D6, D7, D8, D10."""
        if kind == "reverse":
            self.direction = -self.direction
        elif kind == "twist":
            self.train(action[1]).twist()
        elif kind == "derail":
            distance = action[1]
            old = self.trains
            self.trains = [old[(seat + distance) % self.seats] for seat in range(self.seats)]
        else:
            assert kind == "trade" and took is not None
            own, other = self.hands[self.turn.seat], self.hands[action[1]]
            other.remove(took)
            own.remove(action[2])
            own.append(took)
            other.append(action[2])

    def check_took(self, action: Action, took: Tile | None) -> None:
        """D7: exactly a Trade that is not the last tile takes a tile, one of the opponent's."""
        takes = action[0] == "trade" and action[2] is not None
        if not takes and took is not None:
            raise ReferenceMismatch("a tile is taken, but nothing is traded")
        if takes and took is None:
            raise ReferenceMismatch("the tile taken in the trade is not given")
        if takes and took not in self.hands[action[1]]:
            raise ReferenceMismatch(f"seat {action[1]} does not hold {tile_text(took or '')}")

    # ---- the count -----------------------------------------------------------------------------

    def pips(self) -> list[int]:
        """R23, D11: what every seat adds to its total (a seat that is out holds nothing)."""
        blank = self.rules["double_blank_points"]
        return [sum(points(tile, blank) for tile in hand) for hand in self.hands]
