"""Tables for the tests of bots: dealt positions, playing by text, and the choice of a bot."""

from typing import Any

import numpy as np

from mtrain_env.bot import BatchBot, Games, make_bot
from mtrain_env.encoding.actions import ActionLayout
from mtrain_env.encoding.notation import action_text
from mtrain_env.engine import batch
from mtrain_env.engine.state import MAX_TILES
from mtrain_env.presets import PLAYERS, PRESETS, VARIATIONS
from mtrain_env.rules import Rules
from mtrain_env.tiles import parse_tile

LEVELS = ("easy", "medium", "hard")


def every_rules() -> list[Rules]:
    """Every preset with few, four and many players, and every written variation."""
    players = {preset: sorted({2, 3, 4, PLAYERS[preset].stop - 1}) for preset in PRESETS}
    presets = [Rules.preset(preset, num_players=n) for preset in PRESETS for n in players[preset]]
    return presets + [Rules.preset(variation) for variation in VARIATIONS]


def level(name: str) -> BatchBot:
    bot = make_bot(name)
    assert isinstance(bot, BatchBot)
    return bot


def words(games: Games, seed: int = 1) -> Any:
    """Random state for each game and seat."""
    shape = (len(games), int(games["num_players"].max()), 2)
    return np.random.default_rng(seed).integers(1, 1 << 64, shape, np.uint64)


def legal_ids(games: Games, i: int = 0) -> list[int]:
    out = np.zeros(int(games[i]["num_actions"]), np.int16)
    return [int(action) for action in out[: batch.legal(games, i, out)]]


def chosen_index(bot: BatchBot, games: Games, rngs: Any) -> int:
    """The index that the bot chooses in the first of `games`; `rngs` as in choose."""
    ids = legal_ids(games)
    actions = np.array([ids], np.int16)
    out = np.full(1, -1, np.int64)
    bot.choose(games, np.arange(1), actions, np.array([len(ids)], np.int32), rngs, out)
    return int(out[0])


class Table:
    """A position of `rules` with these hands ('|' between seats); seat 0 starts, the opening double is set out."""

    def __init__(self, preset: str, opening: int, hands: str, **fields: object) -> None:
        held = [hand.split() for hand in hands.split("|")]
        fields = {"num_players": len(held), "hand_size": len(held[0]), "opening_source": "set_out"} | fields
        self.rules = Rules.preset(preset, **fields)
        self.layout = ActionLayout(self.rules)
        self.games: Games = batch.new_games(self.rules, [0])
        deck = [parse_tile(text) for hand in held for text in hand]
        rest = [*range(self.rules.num_tiles)]
        if self.rules.special_tiles:
            rest += [MAX_TILES + kind for kind in range(7) for _ in range(2)]
        for code in [parse_tile(f"{opening}-{opening}"), *deck]:
            rest.remove(code)
        batch.deal_deck(self.games, 0, opening, 0, np.array(deck + rest, np.uint8))

    def texts(self) -> list[str]:
        """The legal actions."""
        return [action_text(self.layout, self.games[0], action) for action in legal_ids(self.games)]

    def play(self, *texts: str) -> "Table":
        """Play these actions, whoever's turn it is."""
        for text in texts:
            batch.step(self.games, 0, legal_ids(self.games)[self.texts().index(text)], 255)
        return self

    def choice(self, name: str) -> str:
        """The text of what the bot with that name would do."""
        return self.texts()[chosen_index(level(name), self.games, words(self.games))]

    def turn(self, name: str) -> list[str]:
        """What the bot with that name does until another seat is to act."""
        seat, done = int(self.games[0]["seat"]), []
        while int(self.games[0]["seat"]) == seat and legal_ids(self.games):
            done.append(self.choice(name))
            self.play(done[-1])
        return done
