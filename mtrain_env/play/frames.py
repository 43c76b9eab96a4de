"""What one seat is shown, built field by field from the record that `blank` leaves of the game.

`table` is the same for everybody; `private` adds the own hand and moves. Neither ever reads the whole game. Only
`revealed` does, once a round is over.
"""

from collections.abc import Sequence
from typing import Any

from mtrain_env.encoding.actions import ActionLayout
from mtrain_env.engine.legal import mexican_open, must_cover
from mtrain_env.engine.state import ANY, ASLEEP, BLOCKED, CHOOSING, NONE, PLAYING, WAITING
from mtrain_env.game import Game
from mtrain_env.play.log import double_name
from mtrain_env.play.moves import moves
from mtrain_env.play.words import sentence
from mtrain_env.tiles import MAX_TILES, TILE_HIGH, TILE_LOW, tile_text

Record = Any  # a GAME record: numpy has no better type
Json = dict[str, Any]

WILD_CODE = MAX_TILES + 5
_PHASES = ("undealt", "choosing", "playing", "round_over", "game_over")


def table(s: Record, names: Sequence[str]) -> Json:
    """Return what everybody sees on the table of a blanked record."""
    n = len(names)
    playing = s["phase"] in (CHOOSING, PLAYING)
    return {
        "phase": _PHASES[int(s["phase"])],
        "round": int(s["round"]),
        "rounds": int(s["num_rounds"]),
        "opening": int(s["opening"]) if s["phase"] != CHOOSING else None,
        "maxPip": int(s["max_pip"]),
        "direction": int(s["direction"]),
        "turn": int(s["seat"]) if playing else None,
        "boneyard": int(s["deck_size"]) - int(s["deck_next"]),
        "trains": [_train(s, train, names) for train in _rows(s, n)],
        "players": [_player(s, seat) for seat in range(n)],
        "duty": _duty(s, names),
    }


def _rows(s: Record, n: int) -> list[int]:
    """Return the trains in the order of the rows: the Mexican train first, if there is one (R8 `never`)."""
    return [n, *range(n)] if s["mexican_train"] != 3 else list(range(n))


def _player(s: Record, seat: int) -> Json:
    return {
        "tiles": int(s["hand_count"][seat]),
        "total": int(s["totals"][seat]),
        "marker": bool(int(s["markers"]) >> seat & 1),
    }


def _train(s: Record, train: int, names: Sequence[str]) -> Json:
    end = int(s["train_end"][train])
    blocked = [kind for kind in ("draw", "skip") if int(s[f"{kind}_blockers"]) >> train & 1]
    is_mexican = train == len(names)
    return {
        "train": train,
        "name": "Mexican train" if is_mexican else names[train],
        "end": "any" if end == ANY else end,
        "open": not is_mexican and bool(int(s["markers"]) >> train & 1),
        "closed": is_mexican and not (s["phase"] == PLAYING and bool(mexican_open(s))),
        "blocker": blocked[0] if blocked else None,
        "double": _double(s, train),
        "tiles": _laid(s, train),
    }


def _double(s: Record, train: int) -> str | None:
    """Return what the uncovered double at a train's end is: `must` be covered now, `waiting`, `asleep` or `open`."""
    if s["phase"] != PLAYING:
        return None
    if must_cover(s) == train:
        return "must"
    for k in range(int(s["double_count"])):
        if s["double_train"][k] == train:
            return {WAITING: "waiting", ASLEEP: "asleep"}.get(int(s["double_state"][k]), "open")
    return None


def _laid(s: Record, train: int) -> list[Json]:
    """Return the tiles of a train from the opening double on; `in` is the number towards it."""
    tiles = []
    for k in range(1, int(s["laid_count"])):
        code = int(s["laid_tile"][k])
        if int(s["laid_train"][k]) != train:
            continue
        if code == WILD_CODE:
            tiles.append({"n": k, "in": "wild", "out": "wild", "turns": 0})
        elif code < MAX_TILES:
            out = int(s["laid_out"][k])
            inner = int(TILE_LOW[code]) + int(TILE_HIGH[code]) - out
            tiles.append({"n": k, "in": inner, "out": out, "turns": int(s["laid_turned"][k])})
    return tiles


def _duty(s: Record, names: Sequence[str]) -> str | None:
    """R16: the waiting double in words."""
    if s["phase"] != PLAYING or s["duty_train"] < 0:
        return None
    what = double_name(s, int(s["duty_train"]), names)
    return f"{sentence(what)} waits: only a tile on it may be played."


def private(layout: ActionLayout, s: Record, seat: int, legal: Sequence[int], names: Sequence[str]) -> Json:
    """Return what only `seat` may see of the record blanked for it: its hand and, if it is to move, its moves."""
    drawn = int(s["last_draw"])
    return {
        "seat": seat,
        "hand": _hand(s, seat),
        "drawn": tile_text(drawn) if drawn != NONE and s["seat"] == seat else None,
        "moves": moves(layout, s, legal, names),
    }


def _hand(s: Record, seat: int) -> list[str]:
    tiles = [tile_text(tile) for tile in range(int(s["num_tiles"])) if int(s["tile_place"][tile]) == seat]
    kinds = [
        tile_text(MAX_TILES + k) for k, copies in enumerate(s["special_hand"][seat].tolist()) for _ in range(copies)
    ]
    return tiles + kinds


def status(s: Record, seat: int | None, found: Sequence[Json], names: Sequence[str]) -> str:
    """Return in a sentence what is due, as `seat` is told it (None: somebody who sees only the table)."""
    if s["phase"] not in (CHOOSING, PLAYING):
        return "The round is over."
    actor = int(s["seat"])
    if seat != actor:
        return f"{names[actor]} {'are' if names[actor] == 'You' else 'is'} to play."
    firsts = {move["steps"][0]["value"] for move in found if move["steps"][0]["kind"] != "hand"}
    fits = any(move["steps"][0]["kind"] == "hand" for move in found)
    if s["phase"] == CHOOSING:
        return "Choose the opening double of this round."
    cover = int(must_cover(s))
    double = double_name(s, cover, names) if cover >= 0 else ""
    if "draw" in firsts:
        return f"Nothing covers {double}: draw a tile." if double else "Nothing fits: draw a tile."
    if "pass" in firsts:
        return f"Nothing covers {double}: pass." if double else "Nothing fits: pass."
    if "stop" in firsts:
        return "Play another tile, or stop." if fits else "Nothing more fits: stop."
    if double:
        return f"Cover {double}."
    return "Your turn: the tiles that fit stand up."


def revealed(game: Game, names: Sequence[str]) -> Json | None:
    """Return the round's summary with all hands, once it is over (R23)."""
    if not game.round_over:
        return None
    s = game.state
    winner = int(s["winner"])
    blocked = int(s["round_end"]) == BLOCKED
    return {
        "title": "The round is blocked" if blocked else f"{names[winner]} won the round",
        "winner": None if blocked else winner,
        "hands": [game.hand(seat) for seat in range(len(names))],
        "pips": [int(x) for x in s["pips"][: len(names)]],
        "totals": game.totals,
    }
