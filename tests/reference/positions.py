"""Hand-made positions for the reference's own tests: real deals, with chosen tiles in chosen hands."""

from __future__ import annotations

from typing import Any

from .game import ReferenceGame
from .selfplay import preset
from .tiles import tile_from_text, tile_text, whole_set


def table(preset_name: str, **fields: Any) -> dict[str, Any]:
    """A preset whose opening double is set out and chosen, so that a test can name it."""
    changes = {
        "opening_source": "set_out",
        "opening_order": "chosen",
        "starter": "rotate",
        "opening_turn": None,
        **fields,
    }
    return preset(preset_name, **changes)


def begin(
    rules: dict[str, Any],
    deal: str,
    opening: int | None = None,
    starter: int = 0,
    hunting_seat: int | None = None,
    boneyard: str = "",
) -> ReferenceGame:
    """Round 1 with these hands ('|' between seats); `boneyard` names the tiles drawn first."""
    hands = [hand.split() for hand in deal.split("|")]
    rules = {**rules, "num_players": len(hands), "hand_size": len(hands[0])}
    game = ReferenceGame(rules)
    if rules["opening_order"] == "chosen":
        assert opening is not None
        game.choose(starter, opening)
    assert opening is not None
    rest = [tile_text(tile) for tile in whole_set(rules)]
    if rules["opening_source"] == "set_out":
        rest.remove(f"{opening}-{opening}")
    first = boneyard.split()
    for text in [*(text for hand in hands for text in hand), *first]:
        assert tile_text(tile_from_text(text)) == text
        rest.remove(text)
    game.start_round(opening, hunting_seat, starter, hands, first + rest)
    return game


def play(game: ReferenceGame, *texts: str) -> None:
    """Several actions; 'trade P1 0-1 for 2-3' says what is taken."""
    for text in texts:
        action, _, took = text.partition(" for ")
        game.do(action, took or None)


def states(game: ReferenceGame) -> list[tuple[str, str, str]]:
    """The open doubles as (tile, train, state)."""
    return [(double["tile"], double["train"], double["state"]) for double in game.open_doubles]
