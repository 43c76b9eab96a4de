"""A way of playing that every environment can follow, and the score table that the record of a game gives."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import View
from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.game import Game
from mtrain_env.rules import Rules

SHORT = {"num_rounds": 2}
"""Rules that make games short."""


def pick(state: Any, legal: Sequence[int] | NDArray[Any]) -> int:
    """Choose by public numbers alone, so that everybody chooses the same: an index into the legal ids."""
    return (5 * int(state["deck_next"]) + 7 * int(state["laid_count"]) + int(state["seat"])) % len(legal)


class Picker:
    """`pick` as a bot."""

    name = "picker"
    fair = True

    def act(self, views: Sequence[View], rng: np.random.Generator) -> list[int]:
        """Choose for each view."""
        return [pick(view.game[0], view.legal) for view in views]


def play_record(rules: Rules, seed: int) -> Game:
    """A whole game by `pick`."""
    game = Game(rules, seed)
    while not game.over:
        if game.round_over:
            game.next_round()
        else:
            legal = game.legal_ids()
            game.act(legal[pick(game.state, legal)])
    return game


def worth(kind: str, game: Game) -> list[float]:
    """What every seat earns in a game by its record (RULES.md R23, R24)."""
    n = game.rules.num_players
    if kind == "win":
        last = game.record()[-1]
        return [1 / len(last["winners"]) if seat in last["winners"] else 0.0 for seat in range(n)]
    earned = [0.0] * n
    for line in game.record():
        if "pips" in line:
            for seat, own in enumerate(line["pips"]):
                others = [pips for other, pips in enumerate(line["pips"]) if other != seat]
                earned[seat] += (-own if kind == "pips" else sum(others) / len(others) - own) / 100
    return earned


def play_aec(env: RawMexicanTrain, seed: int | None, choose: Callable[[Any, Any], int] = pick) -> list[float]:
    """Play an episode by `choose`; return the sum over `last()` of the rewards of each seat."""
    env.reset(seed=seed)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        earned[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        mask = (observation if env.mask_in == "observation" else info)["action_mask"]
        legal = np.flatnonzero(mask)
        env.step(legal[choose(env.tables.games[0], legal)])
    return list(earned.values())


def midway(env: RawMexicanTrain, seed: int, steps: int) -> None:
    """Reset and play so many steps by `pick`."""
    env.reset(seed=seed)
    for _ in range(steps):
        legal = env.tables.actions[0, : env.tables.counts[0]]
        env.step(legal[pick(env.tables.games[0], legal)])


def short_env(preset: str = "core", **options: Any) -> RawMexicanTrain:
    """An environment of a short game."""
    return mexican_train_v0.env({"preset": preset, **SHORT}, **options)
