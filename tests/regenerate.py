"""`python -m tests.regenerate` writes the golden records in tests/transcripts anew.

A change of the rules shows in their difference, to be committed together with it. Choices are made by Python's
generator from the seed, not by bots, so that a better bot changes no record.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from mtrain_env.encoding.record import dumps
from mtrain_env.game import Game
from mtrain_env.presets import PLAYERS, VARIATIONS
from mtrain_env.rules import Rules

FOLDER: Final = Path(__file__).parent / "transcripts"

PRESET_GAMES: Final[tuple[tuple[str, int, dict[str, object]], ...]] = (
    ("pagat", 1, {"num_rounds": 3}),
    ("pagat", 2, {"num_players": 8, "num_rounds": 2}),
    ("dominoplay", 1, {}),
    ("dominoplay", 2, {"num_players": 16, "num_rounds": 1}),
    ("core", 1, {"num_rounds": 3}),
    ("core", 2, {"num_players": 2, "num_rounds": 3}),
    ("deluxe", 1, {"num_rounds": 3}),
    ("deluxe", 2, {"num_players": 8, "num_rounds": 2}),
)
"""Two games of each preset: preset, seed, fields changed."""


def transcripts() -> dict[str, tuple[Rules, int]]:
    """Rules and seed of every golden record, by file name."""
    found = {}
    for preset, seed, changed in PRESET_GAMES:
        players = changed.get("num_players", 4)
        found[f"{preset}-{players}-players.jsonl"] = (Rules.preset(preset, **changed), seed)
    for name in VARIATIONS:
        written = Rules.preset(name)
        rounds = {} if name.startswith("core-4") else {"num_rounds": 2}
        found[f"{name}.jsonl"] = (written.replace(**rounds), 3)
    return found


def record_text(rules: Rules, seed: int) -> str:
    """The record of a game of random choices, every legal action of the first round included."""
    chance = random.Random(seed)
    game = Game(rules, seed, ["random"] * rules.num_players)
    while not game.over:
        if game.round_over:
            game.next_round()
            continue
        texts = game.legal()
        written = len(game.history)
        game.do(texts[int(chance.random() * len(texts))])
        if game.state["round"] == 1:
            game.history[written]["legal"] = texts
    return dumps(game.record())


def main() -> None:
    """Write everything."""
    FOLDER.mkdir(exist_ok=True)
    wanted = transcripts()
    for path in FOLDER.glob("*.jsonl"):
        if path.name not in wanted:
            path.unlink()
    for name, (rules, seed) in wanted.items():
        (FOLDER / name).write_text(record_text(rules, seed), encoding="utf-8", newline="\n")
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{len(wanted)} records of {len(PLAYERS)} presets and {len(VARIATIONS)} variations, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
