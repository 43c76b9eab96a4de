"""Stable-Baselines3: MaskablePPO in one seat among scripted bots, from the first step to a bundle.

    python -m training.recipes.sb3 -o runs/sb3 --opponents easy --steps 300000

It trains, plays a match of the result against easy with an interval, and exports it: `learned:runs/sb3` plays it.
docs/recipes.md says what Stable-Baselines3 needs, and what goes wrong otherwise.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from mtrain_env.bot import make_bot
from mtrain_env.bots.policy import Table
from mtrain_env.envs import GYMNASIUM_ID
from mtrain_env.errors import BundleError, MtrainError
from mtrain_env.evaluation.matches import MatchResult, match
from mtrain_env.rules import Rules
from training.config import REPORT_SEED
from training.export import Origin, commit, export_flat, measured
from training.onnx_model import Weights
from training.strength import sentence


@dataclass(frozen=True)
class Settings:
    """All settings of a run; they are written into the bundle."""

    rules: str = "core"
    players: int = 4
    opponents: tuple[str, ...] = ("easy",)
    """Bots clockwise after the learner, or one for all of them."""
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


def train(settings: Settings, rules: Rules) -> MaskablePPO:
    """Return a trained model."""

    def table() -> Monitor[Any, Any]:
        env = gymnasium.make(
            GYMNASIUM_ID,
            opponents=settings.opponents,
            rules=rules,
            episode="round",  # the pay comes about 12 decisions after the beginning, not 160
            reward="relative",  # (mean of the others' pips - own) / 100: what the value of a bundle means
            skip_forced=True,  # nothing is learned from a single legal action
        )
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
    model.learn(settings.steps, callback=Rounds(1 / rules.num_players))
    return model


def weights_of(policy: MaskableActorCriticPolicy) -> Weights:
    """Return the weights of a stock MlpPolicy under the names of flat-mlp/1.

    It has one stack of hidden layers for the policy and one for the value, a bundle one for both. So they are laid side
    by side, with zeros between them: the numbers are the same.
    """
    if policy.activation_fn is not nn.ReLU:
        raise BundleError(
            f"A bundle holds ReLU layers, not {policy.activation_fn.__name__}: set activation_fn=nn.ReLU."
        )
    state = {name: tensor.numpy().copy() for name, tensor in policy.state_dict().items()}
    weights: Weights = {}
    for i in range(sum(".policy_net." in name for name in state) // 2):
        left, right = (f"mlp_extractor.{stack}.{2 * i}" for stack in ("policy_net", "value_net"))
        both = state[f"{left}.weight"], state[f"{right}.weight"]
        weights[f"hidden.{i}.weight"] = np.vstack(both) if i == 0 else _side_by_side(*both)
        weights[f"hidden.{i}.bias"] = np.hstack([state[f"{left}.bias"], state[f"{right}.bias"]])
    score, value = state["action_net.weight"], state["value_net.weight"]
    weights["score.weight"] = np.pad(score, ((0, 0), (0, value.shape[1])))
    weights["value.weight"] = np.pad(value, ((0, 0), (score.shape[1], 0)))
    return weights | {"score.bias": state["action_net.bias"], "value.bias": state["value_net.bias"]}


def _side_by_side(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Two layers as one that keeps them apart."""
    upper = np.pad(left, ((0, 0), (0, right.shape[1])))
    return np.vstack([upper, np.pad(right, ((0, 0), (left.shape[1], 0)))])


def run(settings: Settings, out: Path, deals: int) -> MatchResult:
    """Train, export, measure the exported policy against easy, and write that into the bundle."""
    rules = Rules.preset(settings.rules, num_players=settings.players)
    model = train(settings, rules)
    weights = weights_of(model.policy)
    origin = Origin(
        config={"recipe": "stable-baselines3", **asdict(settings)},
        seed=settings.seed,
        steps=model.num_timesteps * settings.epochs // settings.batch,
        commit=commit(),
        trained=[Table(rules=settings.rules, players=(settings.players,))],
    )
    export_flat(weights, rules, out, origin)
    result = match(make_bot(f"learned:{out}"), make_bot("easy"), rules, deals, REPORT_SEED)
    print(sentence(result))
    export_flat(weights, rules, out, replace(origin, strength=[measured(result)]))
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    usual = Settings()
    options = ArgumentParser(description="MaskablePPO of sb3-contrib in one seat among scripted bots, to a bundle.")
    options.add_argument("-o", "--out", type=Path, required=True, help="folder of the bundle, as runs/sb3")
    options.add_argument("--rules", default=usual.rules, help=f"preset ({usual.rules})")
    options.add_argument("--players", type=int, default=usual.players, help=f"seats ({usual.players})")
    options.add_argument("--opponents", default="easy", help="bots clockwise after the learner, or one for all (easy)")
    options.add_argument("--steps", type=int, default=usual.steps, help=f"decisions of the learner ({usual.steps})")
    options.add_argument("--seed", type=int, default=usual.seed, help=f"all randomness follows from it ({usual.seed})")
    options.add_argument("--deals", type=int, default=300, help="deals of the match at the end, in all seats (300)")
    given: Namespace = options.parse_args(arguments)
    torch.set_num_threads(1)  # the network is small: more threads only wait for each other
    settings = Settings(given.rules, given.players, tuple(given.opponents.split(",")), given.steps, given.seed)
    try:
        run(settings, given.out, given.deals)
    except MtrainError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Exported to {given.out}: play against it as learned:{given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
