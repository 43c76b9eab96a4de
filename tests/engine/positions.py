"""Hand-made positions: real deals with chosen tiles in chosen hands, and short words for what lies on the table.

    game = position(rules("core"), ["0-1 1-1", "0-2 2-2"], opening=0, boneyard="3-3")

Seat s gets hands[s]; `boneyard` names the tiles drawn first, the rest of the set follows in order. Numbers of players
and hand size follow from the hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mtrain_env.encoding.notation import train_text
from mtrain_env.engine import batch
from mtrain_env.engine.state import ANY, ASLEEP, LAID, NONE, WAITING
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from mtrain_env.tiles import MAX_TILES, NUM_KINDS, parse_tile, tile_count, tile_id, tile_text


def rules(preset: str = "core", /, **fields: object) -> Rules:
    """A preset with the double-3 set, and whatever fields a test needs."""
    small: dict[str, object] = {"name": "custom", "num_players": 2, "max_pip": 3, "hand_size": 2}
    return Rules.preset(preset, **(small | fields))


def set_out(preset: str, /, **fields: object) -> Rules:
    """As `rules`, with the opening double set out, so that the seat to start is free to choose."""
    return rules(preset, opening_source="set_out", **fields)


def special(**fields: object) -> Rules:
    """Deluxe on the double-6 set with the opening double set out and the Mexican train always open."""
    return set_out("deluxe", **({"max_pip": 6, "mexican_train": "always"} | fields))


def position(
    rules: Rules, hands: Sequence[str], *, opening: int = -1, starter: int = 0, hunting: int = 0, boneyard: str = ""
) -> Game:
    """The first round with these hands; `starter` counts if the opening double is set out, else `hunting`."""
    game = Game(rules.replace(num_players=len(hands), hand_size=len(hands[0].split())))
    # A new game deals at once. Take that round back.
    game.games = batch.new_games(game.rules, [0])
    game._lines.clear()
    game._gains.clear()
    deal(game, hands, opening=opening, starter=starter, hunting=hunting, boneyard=boneyard)
    return game


def deal(
    game: Game, hands: Sequence[str], *, opening: int = -1, starter: int = 0, hunting: int = 0, boneyard: str = ""
) -> None:
    """Begin the next round with these hands; arguments as `position`."""
    hunt = game.rules.opening_source == "hunt"
    left = Counter(range(tile_count(game.rules.max_pip)))
    if not hunt:
        left -= Counter([tile_id(opening, opening)])
    if game.rules.special_tiles:
        left += Counter({MAX_TILES + kind: 2 for kind in range(NUM_KINDS)})
    assert {len(hand.split()) for hand in hands} == {game.rules.hand_size}
    named = [parse_tile(text, game.rules.max_pip) for hand in (*hands, boneyard) for text in hand.split()]
    assert Counter(named) <= left, "a tile is named twice, or is not in the set"
    left -= Counter(named)
    game.deal_given(opening, hunting if hunt else starter, [*named, *sorted(left.elements())])


def play(game: Game, *texts: str) -> None:
    """Do several actions; `trade P1 0-1 for 2-3` says which tile is taken."""
    for text in texts:
        action, _, taken = text.partition(" for ")
        game.act(game.verify(action), parse_tile(taken) if taken else NONE)


def play_round(game: Game) -> None:
    """Play the round to its end, always by the first legal action."""
    while not game.round_over:
        game.act(game.legal_ids()[0])


def legal(game: Game) -> set[str]:
    """The legal actions, in any order."""
    texts = game.legal()
    assert len(set(texts)) == len(texts)
    return set(texts)


def starting(game: Game, word: str) -> set[str]:
    """The legal actions that start with a word."""
    return {text for text in game.legal() if text.startswith(word)}


def markers(game: Game) -> list[int]:
    """The seats whose marker is on."""
    return [seat for seat in range(game.rules.num_players) if int(game.state["markers"]) >> seat & 1]


def _doubles(game: Game, state: int) -> list[str]:
    s = game.state
    places = range(int(s["double_count"]))
    trains = [int(s["double_train"][k]) for k in places if s["double_state"][k] == state]
    return [train_text(train, game.rules.num_players) for train in trains]


def waiting(game: Game) -> list[str]:
    """The trains of the doubles that must be satisfied, in their order."""
    return _doubles(game, WAITING)


def asleep(game: Game) -> list[str]:
    """The trains of the doubles that sleep until the first lap is over, in their order."""
    return _doubles(game, ASLEEP)


def uncovered(game: Game) -> list[str]:
    """The trains of the uncovered doubles that the seat to act has laid in this turn."""
    return _doubles(game, LAID)


def ends(game: Game) -> list[int | str]:
    """The ends of all trains, the Mexican one last; an open Wild is `any`."""
    trains = [int(end) for end in game.state["train_end"][: game.rules.num_players + 1]]
    return ["any" if end == ANY else end for end in trains]


def trains(game: Game) -> list[list[str]]:
    """The tiles of all trains, the Mexican one last."""
    found: list[list[str]] = [[] for _ in range(game.rules.num_players + 1)]
    s = game.state
    for k in range(int(s["laid_count"])):
        if s["laid_train"][k] != NONE:
            found[int(s["laid_train"][k])].append(tile_text(int(s["laid_tile"][k])))
    return found


def blockers(game: Game) -> dict[str, str]:
    """Train -> kind of the blocker on it."""
    seats = range(game.rules.num_players)
    return {
        f"P{seat}": kind
        for kind in ("draw", "skip")
        for seat in seats
        if int(game.state[f"{kind}_blockers"]) >> seat & 1
    }


def boneyard(game: Game) -> list[str]:
    """The tiles of the boneyard in draw order."""
    s = game.state
    return [tile_text(int(code)) for code in s["deck"][int(s["deck_next"]) : int(s["deck_size"])]]


def fact(game: Game, field: str) -> int:
    """One number of the record."""
    return int(game.state[field])


def result(game: Game) -> tuple[str, int | None, list[int]]:
    """How the round that is over ended, who won it, and the pips of every seat."""
    line: dict[str, Any] = next(line for line in reversed(game.history) if "end" in line)
    return line["end"], line["winner"], line["pips"]
