"""`Game`: one game for people, in the texts of RULES.md section 8, with verify / can / do, views and a record."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.actions import ActionLayout
from mtrain_env.encoding.notation import action_text, parse_action, train_text
from mtrain_env.encoding.record import (
    FORMAT,
    VIEW_FORMAT,
    Gains,
    Line,
    deal_line,
    event_lines,
    gained,
    round_line,
    view_lines,
)
from mtrain_env.engine import batch, scoring
from mtrain_env.engine.determinize import blank
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.state import ANY, CHOOSING, GAME_OVER, NONE, NUMBERS, PLAYING, ROUND_OVER, UNDEALT
from mtrain_env.errors import IllegalAction
from mtrain_env.rules import Rules
from mtrain_env.tiles import MAX_TILES, tile_text


class Game:
    """One game of Mexican Train.

    `rules`: a Rules, a preset's name or a dict (Rules.of). `seed`: any whole number; one seed gives one game. `bots`:
    names for the record. The first round is dealt at once (unless `deal` is False), later ones by `next_round`.
    """

    def __init__(
        self,
        rules: Rules | str | dict[str, Any] = "core",
        seed: int = 0,
        bots: Sequence[str] = (),
        *,
        deal: bool = True,
    ) -> None:
        self.rules = Rules.of(rules)
        self.layout = ActionLayout(self.rules)
        self.seed = seed
        self.games: NDArray[Any] = batch.new_games(self.rules, [seed])
        self.bots = list(bots)
        self._lines: list[Line] = []
        self._gains: list[Gains] = []  # beside each line, the tiles that came into hands with it
        self._scratch = np.zeros(self.layout.size, np.int16)
        if deal:
            self.next_round()

    # -- what everybody sees

    @property
    def state(self) -> Any:  # noqa: ANN401 - a numpy record has no better type
        """The GAME record (engine/state.py) itself, hidden tiles and all."""
        return self.games[0]

    @property
    def seat(self) -> int | None:
        """The seat that must act, None between rounds and after the game."""
        return int(self.state["seat"]) if self.state["phase"] in (PLAYING, CHOOSING) else None

    @property
    def round_over(self) -> bool:
        """Whether a round has ended and `next_round` (or nothing, after the last) is due."""
        return bool(self.state["phase"] in (ROUND_OVER, GAME_OVER))

    @property
    def over(self) -> bool:
        """Whether the last round has been played."""
        return bool(self.state["phase"] == GAME_OVER)

    @property
    def totals(self) -> list[int]:
        """Points of all finished rounds, by seat (R23)."""
        return [int(x) for x in self.state["totals"][: self.rules.num_players]]

    @property
    def winners(self) -> list[int]:
        """The seats with the lowest total once the game is over, else none (R24)."""
        return self._lowest() if self.over else []

    def _lowest(self) -> list[int]:
        seats = int(scoring.winners(self.state))
        return [seat for seat in range(self.rules.num_players) if seats >> seat & 1]

    # -- acting: verify, can, do

    def legal(self) -> list[str]:
        """The texts of all legal actions, in order of their ids."""
        return [action_text(self.layout, self.state, action) for action in self.legal_ids()]

    def legal_ids(self) -> list[int]:
        """The ids of all legal actions, ascending."""
        count = batch.legal(self.games, 0, self._scratch)
        return [int(action) for action in self._scratch[:count]]

    def verify(self, text: str) -> int:
        """The id of the action `text`; InvalidAction if it cannot be read, IllegalAction if it is not allowed now."""
        if self.seat is None:
            due = "the game is over" if self.over else "the next round is not dealt yet"
            raise IllegalAction(f"{text!r} cannot be done: {due}.")
        action = parse_action(self.layout, self.state, text)
        if action not in self.legal_ids():
            raise IllegalAction(f"{self._reason(text, action)}; playable now: {', '.join(self.legal())}")
        return action

    def _reason(self, text: str, action: int) -> str:
        """Why the readable action `text` of the acting seat is not legal, told from what the seat itself knows."""
        s = self.state
        move = self.layout.decode(action)
        if move.block == "play" and move.tile is not None and move.train is not None:
            n = self.rules.num_players
            train = n if move.train == n else (int(s["seat"]) + move.train) % n
            end = int(s["train_end"][train])
            if int(s["tile_place"][move.tile]) != int(s["seat"]):
                return f"P{int(s['seat'])} does not hold {tile_text(move.tile)}"
            if end != ANY and end not in (int(x) for x in tile_text(move.tile).split("-")):
                return f"{tile_text(move.tile)} does not fit {train_text(train, n)} (end {end})"
            cover = int(must_cover(s))
            if cover not in (-1, train):
                return f"the double on {train_text(cover, n)} must be satisfied first"
            return f"{train_text(train, n)} is not open to P{int(s['seat'])} now"
        return f"{text.strip()!r} is not allowed to P{int(s['seat'])} now"

    def can(self, text: str) -> bool:
        """Whether `text` is a legal action now; InvalidAction if it cannot be read."""
        try:
            self.verify(text)
        except IllegalAction:
            return False
        return True

    def do(self, text: str) -> None:
        """Carry out the action `text`; errors as `verify`, which leave the game as it was."""
        self.act(self.verify(text))

    def act(self, action: int, taken: int = NONE) -> None:
        """Carry out the legal id `action`, not checked again; `taken`: tile code a trade takes, NONE = random (D7)."""
        before = batch.copy_games(self.games)[0]
        text = action_text(self.layout, before, action)
        batch.step(self.games, 0, action, taken)
        s = self.state
        if before["phase"] == CHOOSING:
            self._write({"seat": int(before["seat"]), "choose": int(text.removeprefix("choose "))})
            self._write_deal()
            return
        line: Line = {"seat": int(before["seat"]), "do": text}
        if s["trades"] > before["trades"]:
            line["took"] = tile_text(int(s["trade_taken"][int(before["trades"])]))
        self._write(line, gained(before, s))
        for event in event_lines(before, s):
            self._write(event)
        if self.round_over:
            self._write(round_line(s))
        if self.over:
            self._finish()

    def _write(self, line: Line, gains: Gains | None = None) -> None:
        self._lines.append(line)
        self._gains.append(gains or {})

    def _write_deal(self) -> None:
        """Write the line of the round just dealt, with what the hunt brought into hands."""
        line = deal_line(self.rules, self.state)
        hunted = {seat: Counter(self.hand(seat)) - Counter(dealt) for seat, dealt in enumerate(line["deal"])}
        self._write(line, {seat: list(tiles.elements()) for seat, tiles in hunted.items()})
        for event in event_lines(None, self.state):
            self._write(event)

    def next_round(self) -> None:
        """Deal the next round (or let a seat choose its opening double, R2 `chosen`)."""
        self._verify_round_due((UNDEALT, ROUND_OVER))
        batch.deal(self.games, 0, -1, -1)
        if self.state["phase"] != CHOOSING:
            self._write_deal()

    def deal_given(self, opening: int, first: int, deck: Sequence[int]) -> None:
        """Begin the next round (or the one just being chosen) with a given deck; see engine.deal.deal_given."""
        self._verify_round_due((UNDEALT, ROUND_OVER, CHOOSING))
        batch.deal_deck(self.games, 0, opening, first, np.array(deck, np.uint8))
        self._write_deal()

    def _verify_round_due(self, phases: tuple[int, ...]) -> None:
        if self.state["phase"] not in phases:
            why = "the game is over" if self.over else "this one is not"
            raise IllegalAction(f"The next round cannot be dealt: {why}.")

    def stop(self, reason: str = "time") -> None:
        """End the game between two rounds: no further round is dealt, the lowest total wins (R24)."""
        if self.state["phase"] != ROUND_OVER:
            raise IllegalAction("A game is stopped between two rounds only.")
        self._write({"stopped": reason})
        self.games[0]["phase"] = GAME_OVER
        self._finish()

    def note_incident(self, seat: int, what: str) -> None:
        """Write into the record that the coming action of `seat` is not its bot's, and why in a word."""
        self._write({"event": "incident", "seat": seat, "what": what})

    def _finish(self) -> None:
        self._write({"winners": self._lowest(), "totals": self.totals})

    # -- looking

    def hand(self, seat: int) -> list[str]:
        """The tiles in the hand of `seat`, by id, special tiles last."""
        s = self.state
        numbered = [tile_text(tile) for tile in range(self.rules.num_tiles) if int(s["tile_place"][tile]) == seat]
        held = s["special_hand"][seat].tolist()
        return numbered + [tile_text(MAX_TILES + kind) for kind, copies in enumerate(held) for _ in range(copies)]

    def view(self, seat: int) -> NDArray[Any]:
        """The game as `seat` knows it: an array of one blanked GAME record (engine/determinize.py)."""
        out = np.zeros_like(self.games)
        blank(self.games, 0, seat, out, 0)
        return out

    def clone(self) -> Self:
        """An independent copy of the game in its present position."""
        return copy.deepcopy(self)

    # -- records

    @property
    def history(self) -> tuple[Line, ...]:
        """Every line of the record so far, hidden tiles and all."""
        return tuple(self._lines)

    def record(self) -> list[Line]:
        """The whole record (mtrain-record/1); IllegalAction while the game is not over, because it shows the deals."""
        if not self.over:
            raise IllegalAction("A game's record is given once it is over; before that there is view_record(seat).")
        header: Line = {"format": FORMAT, "rules": self.rules.as_dict(), "seed": self.seed, "bots": self.bots}
        return [header, *self._lines]

    def view_record(self, seat: int) -> list[Line]:
        """The record as `seat` saw it so far (mtrain-view/1): no seed, no deal, no boneyard, no other's tiles."""
        header: Line = {"format": VIEW_FORMAT, "rules": self.rules.as_dict(), "view": seat, "bots": self.bots}
        return [header, *view_lines(self._lines, self._gains, seat)]

    def __repr__(self) -> str:
        ends = " ".join(
            f"{train_text(t, self.rules.num_players)}:{'any' if int(e) == NUMBERS else int(e)}"
            for t, e in enumerate(self.state["train_end"][: self.rules.num_players + 1])
        )
        head = f"Game {self.rules.name} round {int(self.state['round'])} seat {self.seat} totals {self.totals}"
        return f"<{head} ends {ends}>"
