"""The legal actions of a seat as paths of choices: the page walks along them and so needs no rules.

A move is `{"id", "text", "label", "steps"}`. Each step is a choice that the person makes: `hand` (a tile of the hand),
`button` (draw, pass, stop), `train` (a row of the table), `seat` (an opponent), `number` (a labelled value). Moves with
equal first steps share them; a step that leaves no choice is made by the page itself.
"""

from collections.abc import Sequence
from typing import Any

from mtrain_env.encoding.actions import ActionLayout, Move
from mtrain_env.encoding.notation import action_text
from mtrain_env.engine.legal import must_cover
from mtrain_env.engine.state import ANY
from mtrain_env.play.words import SPECIAL_NAMES, count, sentence, tile_name, train_name
from mtrain_env.tiles import TILE_HIGH, TILE_LOW, tile_text

Step = dict[str, Any]

_BUTTONS = {"draw": "Draw a tile", "pass": "Pass", "stop": "Stop"}
_SPECIALS = {"wild": "wild", "draw_on": "draw", "skip_on": "skip", "reverse": "reverse", "twist": "twist"}


def moves(layout: ActionLayout, s: Any, legal: Sequence[int], names: Sequence[str]) -> list[dict[str, Any]]:  # noqa: ANN401 - a GAME record
    """Return the legal actions of the acting seat of the (blanked) record `s`."""
    found = []
    for action in legal:
        steps = _steps(layout, s, layout.decode(action), names)
        label = ", ".join(step["label"] for step in steps)
        found.append({"id": action, "text": action_text(layout, s, action), "label": label, "steps": steps})
    return found


def _steps(layout: ActionLayout, s: Any, move: Move, names: Sequence[str]) -> list[Step]:  # noqa: ANN401
    """Return the choices that make up one move."""
    if move.block in _BUTTONS:
        return [{"kind": "button", "value": move.block, "label": _BUTTONS[move.block]}]
    if move.block == "choose":
        return [{"kind": "number", "value": move.number, "label": f"Double {move.number}"}]
    if move.block == "derail":
        assert move.number is not None
        return [_hand("derail"), {"kind": "number", "value": move.number, "label": _derail(move.number, layout)}]
    train = _train(s, move, len(names))
    if move.block in ("trade", "trade_out"):
        steps = [_hand("trade"), {"kind": "seat", "value": train, "label": f"Trade with {names[train]}"}]
        if move.tile is not None:
            given = tile_text(move.tile)
            steps.append({"kind": "hand", "value": given, "label": f"Give {tile_name(given)}"})
        return steps
    if move.block == "reverse":
        return [_hand("reverse")]
    tile = tile_text(move.tile) if move.tile is not None else _SPECIALS[move.block]
    steps = [_hand(tile), {"kind": "train", "value": train, "label": _on(train, s, names)}]
    if move.tile is not None and int(s["train_end"][train]) == ANY:
        half = int((TILE_LOW if move.block == "out_low" else TILE_HIGH)[move.tile])
        steps.append({"kind": "number", "value": half, "label": f"{half} points out"})
    return steps


def _hand(tile: str) -> Step:
    return {"kind": "hand", "value": tile, "label": SPECIAL_NAMES.get(tile, tile)}


def _train(s: Any, move: Move, players: int) -> int:  # noqa: ANN401
    """Return the absolute train (or seat) of a move; without one it is that of the open Wild."""
    if move.train is None:
        return max(int(must_cover(s)), 0)
    return players if move.train == players else (int(s["seat"]) + move.train) % players


def _on(train: int, s: Any, names: Sequence[str]) -> str:  # noqa: ANN401
    end = int(s["train_end"][train])
    return f"{sentence(train_name(train, names))} ({'any number' if end == ANY else end})"


def _derail(k: int, layout: ActionLayout) -> str:
    """Everybody takes over the train of the seat k further clockwise, so the trains move the other way."""
    back = layout.rules.num_players - k
    if k <= back:
        return f"Take over the train {count(k, 'seat')} further clockwise"
    return f"Take over the train {count(back, 'seat')} further counter-clockwise"
