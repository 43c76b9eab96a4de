"""Stable-Baselines3: MaskablePPO in one seat among scripted bots or its own past, from the first step to a bundle.

    python -m training.recipes.sb3 -o runs/sb3 --opponents easy --steps 300000
    python -m training.recipes.sb3 -o runs/sb3-self --opponents self

It trains, plays a match of the result against easy with an interval, and exports it: `learned:runs/sb3` plays it.
docs/recipes.md says what Stable-Baselines3 needs, and what goes wrong otherwise.
"""

import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from mtrain_env.bot import BatchBot, Games, Ints, KernelBot
from mtrain_env.bots.learned import make
from mtrain_env.envs import GYMNASIUM_ID
from mtrain_env.evaluation.matches import MatchResult
from mtrain_env.rules import Rules
from training.export import Origin, export_flat
from training.onnx_model import Weights
from training.recipes.common import Learned, finish, parser, side_by_side
from training.recipes.common import run as recipe


@dataclass(frozen=True)
class Settings:
    """All settings of a run; they are written into the bundle."""

    rules: str = "core"
    players: int = 4
    opponents: tuple[str, ...] = ("easy",)
    """Bots clockwise after the learner, or one for all of them; ("self",): policies of the learner's past."""
    renew: int = 10
    """Updates between two exports of the policy to that past."""
    steps: int = 300_000
    """Decisions of the learner."""
    seed: int = 1
    envs: int = 16
    decisions: int = 256
    """In each environment between two updates."""
    hidden: tuple[int, ...] = (128, 64)
    """Widths of the hidden layers, of the policy and of the value each."""
    batch: int = 1024
    epochs: int = 6
    rate: float = 1e-3
    entropy_cost: float = 0.003


class RoundEnd(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds to the info of a round's last step how it ended for the learner."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:  # noqa: ANN401 -- as Gymnasium
        """As the environment, with `won` (a shared win counts its part) and `pips` in the info of the last step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            env: Any = self.unwrapped
            pips = env.tables.games[0]["pips"][: env.rules.num_players]
            best = pips == pips.min()
            info |= {"won": float(best[env.seat] / best.sum()), "pips": int(pips[env.seat])}
        return observation, reward, terminated, truncated, info


class Rounds(BaseCallback):
    """Counts the rounds between two updates: won, lost (paid less than 0), pips; prints a line for each update."""

    def __init__(self, fair: float) -> None:
        super().__init__()
        self.fair = fair
        self.ended: list[dict[str, float]] = []

    def _on_step(self) -> bool:
        self.ended += [info["episode"] for info in self.locals["infos"] if "episode" in info]
        return True

    def _on_rollout_end(self) -> None:
        won, pips, paid = (np.array([one[key] for one in self.ended]) for key in ("won", "pips", "r"))
        self.ended.clear()
        print(
            f"{self.num_timesteps:>8} decisions, {len(won)} rounds: won {won.mean():.1%} (fair {self.fair:.0%}), "
            f"lost {(paid < 0).mean():.1%}, {pips.mean():.1f} pips, reward {paid.mean():+.3f}",
            flush=True,
        )


class Past:
    """The learner's past: its policies as they were exported on the way, read back as bots."""

    def __init__(self, rules: Rules, folder: Path) -> None:
        self.rules, self.folder = rules, folder
        self.bots: list[BatchBot] = []

    def add(self, policy: MaskableActorCriticPolicy) -> None:
        """Export the policy as it is now as the bundle `past-0`, `past-1`, ..."""
        name = f"past-{len(self.bots)}"
        self.bots.append(make(export_flat(weights_of(policy), self.rules, self.folder / name, Origin())))

    def draw(self, chance: np.random.Generator) -> BatchBot:
        """Return the newest of them half of the time, else any."""
        return self.bots[-1 if chance.random() < 0.5 else chance.integers(len(self.bots))]


class FromThePast(KernelBot):
    """An opponent that plays as one of the learner's past policies, until it is given another one."""

    name = "past"

    def __init__(self) -> None:
        self.playing: BatchBot

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        self.playing.choose(games, which, actions, counts, rngs, out)


class SelfPlay(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Gives every opponent another past policy before each round, and never in the middle of one."""

    def __init__(self, env: gymnasium.Env[Any, Any], opponents: Sequence[FromThePast], past: Past) -> None:
        super().__init__(env)
        self.opponents, self.past = opponents, past
        self.chance = np.random.default_rng()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment."""
        if seed is not None:
            self.chance = np.random.default_rng(seed)
        for opponent in self.opponents:
            opponent.playing = self.past.draw(self.chance)
        return self.env.reset(seed=seed, options=options)


class Renewal(BaseCallback):
    """Adds the learner's policy to its past after every `every` updates."""

    def __init__(self, past: Past, every: int) -> None:
        super().__init__()
        self.past, self.every, self.updates = past, every, 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        assert isinstance(self.model, MaskablePPO)
        if self.updates and self.updates % self.every == 0:
            self.past.add(self.model.policy)
        self.updates += 1


def train(settings: Settings, rules: Rules) -> MaskablePPO:
    """Return a trained model."""
    with tempfile.TemporaryDirectory() as folder:
        return _train(settings, rules, Past(rules, Path(folder)) if settings.opponents == ("self",) else None)


def _train(settings: Settings, rules: Rules, past: Past | None) -> MaskablePPO:
    def table() -> Monitor[Any, Any]:
        selves = [FromThePast() for _ in range(rules.num_players - 1)]
        env = gymnasium.make(
            GYMNASIUM_ID,
            opponents=settings.opponents if past is None else selves,
            rules=rules,
            episode="round",  # the pay comes about 12 decisions after the beginning, not 160
            reward="relative",  # (mean of the others' pips - own) / 100: what the value of a bundle means
            skip_forced=True,  # nothing is learned from a single legal action
        )
        if past is not None:
            env = SelfPlay(env, selves, past)
        return Monitor(RoundEnd(env), info_keywords=("won", "pips"))

    model = MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([table] * settings.envs),  # seeds, from `seed` on, are given to them by the model
        n_steps=settings.decisions,
        batch_size=settings.batch,
        n_epochs=settings.epochs,
        learning_rate=settings.rate,
        ent_coef=settings.entropy_cost,
        gamma=1.0,  # the only pay comes at the end of a round
        policy_kwargs={"net_arch": list(settings.hidden), "activation_fn": nn.ReLU},  # ReLU: what a bundle can hold
        seed=settings.seed,
        device="cpu",
    )
    callbacks: list[BaseCallback] = [Rounds(1 / rules.num_players)]
    if past is not None:
        past.add(model.policy)  # the untrained one: the first rounds need opponents
        callbacks.append(Renewal(past, settings.renew))
    model.learn(settings.steps, callback=callbacks)
    return model


def weights_of(policy: MaskableActorCriticPolicy) -> Weights:
    """Return the weights of a stock MlpPolicy under the names of flat-mlp/1."""
    stacks = policy.mlp_extractor
    return side_by_side(
        nn.Sequential(stacks.policy_net, policy.action_net), nn.Sequential(stacks.value_net, policy.value_net)
    )


def run(settings: Settings, out: Path, deals: int) -> MatchResult:
    """Train, export and measure."""
    rules = Rules.preset(settings.rules, num_players=settings.players)
    return finish(learn(settings, rules), rules, out, deals)


def learn(settings: Settings, rules: Rules) -> Learned:
    """Train, and return the policy as a bundle holds it."""
    began = time.monotonic()
    model = train(settings, rules)
    return Learned(
        library="stable-baselines3",
        weights=weights_of(model.policy),
        settings=asdict(settings),
        decisions=model.num_timesteps,
        updates=model.num_timesteps * settings.epochs // settings.batch,
        seconds=time.monotonic() - began,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = parser("MaskablePPO of sb3-contrib in one seat among bots, to a bundle.", steps=Settings.steps)
    about = "bots clockwise after the learner, or one for all; self: its own past (easy)"
    options.add_argument("--opponents", default="easy", help=about)

    def learn_as(given: Namespace, rules: Rules) -> Learned:
        opponents = tuple(given.opponents.split(","))
        settings = Settings(
            rules=given.rules, players=given.players, opponents=opponents, steps=given.steps, seed=given.seed
        )
        return learn(settings, rules)

    return recipe(options, learn_as, arguments)


if __name__ == "__main__":
    sys.exit(main())
