"""Positions on which the four levels really differ, and why: `python -m tests.bots.four_levels` prints them.

Easy plays any legal action. What the others play is written down, with the reason for the difference. `gains` says by
how many pips, over many deals that agree with what the seat knows, expert's choice beats the others'.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mtrain_env.bots import rollout
from tests.bots.tables import Table, legal_ids, words


@dataclass(frozen=True)
class Position:
    """A position, what three levels choose there, and why they differ."""

    name: str
    why: str
    table: Callable[[], Table]
    medium: str
    hard: str
    expert: str

    def choices(self) -> dict[str, str]:
        """What each level chooses."""
        return {"medium": self.medium, "hard": self.hard, "expert": self.expert}


def core(opening: int, hands: str, *moves: str, max_pip: int = 9, **fields: object) -> Callable[[], Table]:
    """A position of `core` after these moves, with a small set so that a reader can follow it."""
    return lambda: Table("core", opening, hands, max_pip=max_pip, **fields).play(*moves)


def deluxe(opening: int, hands: str) -> Callable[[], Table]:
    """The beginning of a round of `deluxe`."""
    return lambda: Table("deluxe", opening, hands)


PLANNING = (
    Position(
        "keeps its line",
        "Three tiles make the line 3-12, 3-5, 5-6. Medium starts its train with the heavier 11-12, which nothing of "
        "its hand can follow; who plans sheds the 11-12, no part of the line, on the Mexican train.",
        core(12, "3-12 11-12 3-5 5-6 | 0-0 1-1 2-2 4-4", max_pip=12),
        medium="11-12 > P0",
        hard="11-12 > M",
        expert="11-12 > M",
    ),
    Position(
        "sheds the spare tile first",
        "The 0-3 fits its own train at any time, the 9-11 only as long as the Mexican train ends in 9. Medium plays at "
        "home first.",
        core(12, "3-12 0-3 9-11 | 9-12 1-1 2-2", "3-12 > P0", "9-12 > M", max_pip=12),
        medium="0-3 > P0",
        hard="9-11 > M",
        expert="9-11 > M",
    ),
    Position(
        "goes the longer way",
        "Without a Mexican train only one of the two 12s can be laid for now. The 11-12 is heavier and leads nowhere, "
        "the 1-12 leads to 1-2 and 2-3.",
        core(12, "11-12 1-12 1-2 2-3 | 0-0 4-4 5-5 6-6", max_pip=12, mexican_train="never"),
        medium="11-12 > P0",
        hard="1-12 > P0",
        expert="1-12 > P0",
    ),
    Position(
        "plays a double with its partner",
        "Its train ends in 5: the double 5-5 and its partner 5-7 are both gone in one turn. Medium takes the heavier "
        "5-7 and keeps a double that then fits nowhere.",
        core(12, "5-12 5-5 5-7 0-12 | 1-12 2-2 3-3 4-4", "5-12 > P0", "1-12 > M", max_pip=12),
        medium="5-7 > P0",
        hard="5-5 > P0",
        expert="5-5 > P0",
    ),
    Position(
        "sheds a spare double and its cover",
        "The Mexican train ends in 9: 9-9 and 4-9 go there together, 31 pips in a turn, and the 1-2 can wait at home.",
        core(12, "1-12 1-2 9-9 4-9 | 9-12 0-0 5-5 6-6", "1-12 > P0", "9-12 > M", max_pip=12),
        medium="1-2 > P0",
        hard="9-9 > M",
        expert="9-9 > M",
    ),
    Position(
        "begins the first turn's chain where it goes on",
        "In a first turn of any number of tiles, 3-12 takes 3-3, 3-5 and 5-9 with it; the heaviest tile, 11-12, ends "
        "the chain at once.",
        core(12, "3-12 3-3 3-5 11-12 5-9 | 0-0 1-1 2-2 4-4 6-6", max_pip=12, first_turn="chain"),
        medium="11-12 > P0",
        hard="3-12 > P0",
        expert="3-12 > P0",
    ),
    Position(
        "keeps its Wild",
        "The Wild fits any number and is worth most when nothing else fits. Medium sees 50 points and lays it.",
        deluxe(0, "0-3 3-6 wild | 1-2 3-4 5-6"),
        medium="wild > P0",
        hard="0-3 > P0",
        expert="0-3 > P0",
    ),
    Position(
        "skips somebody who is about to go out",
        "Two tiles each. Skip costs the other a turn and takes 30 points out of the hand; the 0-11 fits after it too.",
        deluxe(0, "0-11 skip | 1-2 3-4"),
        medium="0-11 > P0",
        hard="skip > P1",
        expert="skip > P1",
    ),
)
"""Medium plans nothing; hard and expert agree."""

SEARCHING = (
    Position(
        "leaves numbers that a seat is known to lack, and begins its line",
        "Seat 0 has just drawn at 6 and passed: it holds no 6, and all that it may play on ends in 6. Hard covers a 6 "
        "with its heaviest tile; medium begins its train with it, and its zeros have no way in. Expert begins 0-6, "
        "0-0, 0-5 at home; the 6s of seat 0 stay, and the 6-9 fits there later.",
        core(6, "0-8 9-9 8-8 4-9 | 0-5 6-9 0-6 0-0 | 2-2 3-9 1-3 4-5", "draw", "pass"),
        medium="6-9 > P1",
        hard="6-9 > P0",
        expert="0-6 > P1",
    ),
    Position(
        "turns the last end into a number that the next seat is known to lack",
        "The other drew at 0 at the start, and has laid all that it drew since: it holds no 0. Two trains end in 0; "
        "with 0-2 on the Mexican train all three do. The heavier 0-5 would leave it a 2 and a 5.",
        core(
            0,
            "4-4 0-1 4-5 0-5 | 3-3 9-9 5-9 6-8",
            *("0-1 > M", "draw", "1-1 > M", "pass", "draw", "pass", "draw", "1-2 > M"),
        ),
        medium="0-5 > P0",
        hard="0-5 > P0",
        expert="0-2 > M",
    ),
    Position(
        "leaves a number that the next seat is known to lack",
        "Seat 0, who is next, drew at 5 and 0, and its train ends in 5. Hard and medium play their heaviest tile; "
        "expert leaves a 5 at the end of the Mexican train too, so that seat 0 has nothing to play.",
        core(
            0,
            "2-2 7-8 5-6 8-9 1-7 | 4-9 0-5 5-5 0-1 2-4 | 1-6 3-9 4-5 3-4 0-9",
            *("draw", "pass", "0-1 > P0", "1-6 > P0", "5-6 > P0", "0-5 > P1", "0-9 > P2", "draw", "0-2 > M", "2-4 > M"),
        ),
        medium="3-9 > P2",
        hard="3-9 > P2",
        expert="4-5 > M",
    ),
    Position(
        "keeps for the last turn the tile that can hardly be shut out",
        "Two tiles are left, 3-4 and 5-6. Seat 2 has passed at 5 and 6, seat 0 at 4, 5 and 6: only with a tile just "
        "drawn can they cover the two ends at which the 5-6 goes out next turn. Hard and medium lay the heavier 5-6 "
        "first, and the 4 that the last tile needs is gone if seat 2 plays there.",
        core(
            0,
            "0-4 3-3 2-8 1-1 | 0-7 3-4 1-6 5-6 | 0-5 4-8 8-9 1-3",
            *("0-4 > P0", "0-7 > P1", "0-5 > P2", "draw", "0-1 > M", "1-6 > M", "draw", "pass", "draw", "pass"),
        ),
        medium="5-6 > P2",
        hard="5-6 > P2",
        expert="3-4 > P0",
    ),
    Position(
        "does not cover a number that the next seat is known to lack",
        "Seat 0 passed at 7 and 9, all that it may play on. Hard covers the 9 on its open train with its heaviest "
        "tile; expert leaves it there and plays at home, as medium always does.",
        core(
            7,
            "7-8 8-9 0-4 3-3 3-4 | 0-5 0-7 3-6 5-6 3-9",
            *("7-8 > P0", "0-7 > P1", "8-9 > P0", "0-5 > P1", "draw", "pass"),
        ),
        medium="5-6 > P1",
        hard="3-9 > P0",
        expert="5-6 > P1",
    ),
    Position(
        "drops its heavy tile when somebody is about to go out",
        "Seat 2 has one tile left. Hard would begin a double with 8 pips, expecting a turn more; expert gets rid of 16 "
        "while it can. Medium always does.",
        core(
            5,
            "2-4 2-9 4-9 1-7 4-5 | 0-1 7-9 4-4 1-3 0-7 | 3-9 4-8 3-4 5-9 3-5",
            *("4-5 > P0", "draw", "pass", "3-5 > P1", "4-9 > P0", "1-3 > P1", "5-9 > P2", "2-9 > P0", "0-1 > P1"),
            *("3-9 > P2", "2-4 > P0", "0-0 > P1", "0-7 > P1", "3-4 > P2", "draw", "pass"),
        ),
        medium="7-9 > P1",
        hard="4-4 > P0",
        expert="7-9 > P1",
    ),
    Position(
        "closes its own train",
        "Its train is open, the others have two tiles each. Hard would begin a double on the Mexican train; expert "
        "takes its train back. Medium plays at home anyway.",
        core(
            1,
            "2-7 3-6 2-3 5-6 1-3 | 1-8 0-1 0-2 3-5 4-7 | 0-6 8-8 4-4 0-3 0-8",
            *("1-3 > P0", "1-8 > M", "8-8 > M", "0-8 > M", "3-6 > P0", "0-2 > M", "draw", "pass", "2-7 > M"),
            *("4-7 > M", "4-4 > M", "draw", "pass", "draw", "pass", "draw", "pass", "draw", "0-4 > M", "5-6 > P0"),
            "0-1 > P1",
        ),
        medium="1-2 > P2",
        hard="0-0 > M",
        expert="1-2 > P2",
    ),
)
"""Hard looks at its own hand alone; expert at what the others may hold."""

POSITIONS = PLANNING + SEARCHING


def gains(position: Position, deals: int = 2000) -> dict[str, tuple[float, float]]:
    """By level that chooses otherwise: pips (own minus the others' mean) that expert's choice saves, and their error.

    Both choices are played out by hard on the same deals, drawn from what the seat knows.
    """
    table, others = position.table(), {}
    ids, texts = legal_ids(table.games), table.texts()
    which, actions = np.zeros(1, np.int64), np.array([ids], np.int16)
    for level in ("medium", "hard"):
        choice = position.choices()[level]
        if choice != position.expert:
            pair = np.array([[texts.index(position.expert), texts.index(choice)]])
            drawn = rollout.new_words(table.games, which, words(table.games, 11), deals)
            used = np.array([2])
            total, squares = rollout.play_in_threads(
                1, rollout.ITS_VIEW, table.games, which, actions, pair, used, drawn
            )[0, 1] / (table.rules.num_players - 1) ** np.array([1, 2])
            mean = total / deals
            others[level] = (float(mean), float(np.sqrt((squares / deals - mean**2) / deals)))
    return others


def main() -> None:
    """Print all positions."""
    for position in POSITIONS:
        table = position.table()
        print(f"{position.name}\n  {position.why}")
        print(f"  easy any of {', '.join(table.texts())}")
        for level, choice in position.choices().items():
            lost = gains(position).get(level)
            print(f"  {level:6} {choice}" + (f"   {lost[0]:.1f} pips worse (+- {1.96 * lost[1]:.1f})" if lost else ""))


if __name__ == "__main__":
    main()
