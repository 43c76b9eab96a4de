"""PPO in one file, in the style of CleanRL: every seat of many games is played and learned by one network.

    python -m training.recipes.cleanrl -o runs/ppo

It needs torch alone; nothing of CleanRL is installed. It reads from top to bottom: what is set, what learns, what is
collected, how good that was, the update, the run. docs/recipes.md says what to watch in a loop of your own.
"""

import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.rules import Rules
from training.losses import clipped_policy_loss, normalised
from training.recipes.common import Learned, parser
from training.recipes.common import run as recipe

Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    """All settings of a run; they are written into the bundle."""

    rules: str = "core"
    players: int = 4
    steps: int = 1_000_000
    """Decisions of all seats."""
    seed: int = 1
    games: int = 128
    decisions: int = 64
    """In each game between two updates."""
    hidden: tuple[int, ...] = (128, 64)
    batch: int = 1024
    epochs: int = 4
    rate: float = 1e-3
    """Of learning; it falls to 0."""
    trace: float = 0.95
    """Lambda of GAE; nothing is discounted, because the only pay comes at the end of a round."""
    clip: float = 0.2
    entropy_cost: float = 0.003
    value_cost: float = 0.5
    max_norm: float = 0.5


class Network(nn.Module):
    """Scores of all actions and the value of a position; its parts are named as in a bundle (flat-mlp/1)."""

    def __init__(self, observation: int, actions: int, hidden: Sequence[int], chance: torch.Generator) -> None:
        super().__init__()
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise((observation, *hidden)))
        self.score = nn.Linear(hidden[-1], actions)
        self.value = nn.Linear(hidden[-1], 1)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                gain = 0.01 if layer is self.score else 1.0 if layer is self.value else 2**0.5
                nn.init.orthogonal_(layer.weight, gain, generator=chance)
                nn.init.zeros_(layer.bias)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities [n, actions], -1e9 or so where `mask` is False, and values [n]."""
        x = observation
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return torch.log_softmax(self.score(x).where(mask, -1e9), 1), self.value(x)[:, 0]


@dataclass
class Rollout:
    """Some decisions of all games: arrays [decisions, games, ...]."""

    observation: Singles
    mask: NDArray[np.bool_]
    seat: NDArray[np.int64]
    action: NDArray[np.int64]
    log_prob: Singles
    value: Singles
    paid: Singles
    """To every seat, in the step that the action made."""
    over: NDArray[np.bool_]
    """The round ended with that step."""


@torch.no_grad()
def collect(env: MexicanTrainVectorEnv, network: Network, decisions: int, chance: torch.Generator) -> Rollout:
    """Play on in every game, all seats by the network."""
    rows: list[tuple[Any, ...]] = []
    for _ in range(decisions):
        out = env.buffers
        seen = out.observation.copy(), out.action_mask.astype(bool), out.seat.astype(np.int64)
        log_probs, value = network(torch.from_numpy(seen[0]), torch.from_numpy(seen[1]))
        action = torch.multinomial(log_probs.exp(), 1, generator=chance)
        log_prob = log_probs.gather(1, action)[:, 0].numpy()
        env.step(action[:, 0].numpy())
        rows.append((*seen, action[:, 0].numpy(), log_prob, value.numpy(), out.rewards.copy(), out.terminated.copy()))
    return Rollout(*map(np.stack, zip(*rows, strict=True)))


def advantages(found: Rollout, trace: float) -> tuple[Singles, NDArray[np.bool_]]:
    """Return GAE of every decision along the decisions of its own seat, and whether it can be learned from.

    Between two decisions a seat is paid for what the others do, too. The last decision of a seat in a round that goes
    on has no next one yet: it only lends its value to the one before.
    """
    decisions, games, players = found.paid.shape
    every = np.arange(games)
    advantage = np.zeros((decisions, games), np.float32)
    known = np.zeros((decisions, games), np.bool_)
    paid, next_value, next_advantage = (np.zeros((games, players), np.float32) for _ in range(3))
    has_next = np.zeros((games, players), np.bool_)  # or the round has ended
    for t in reversed(range(decisions)):
        for later in (paid, next_value, next_advantage):
            later[found.over[t]] = 0
        has_next[found.over[t]] = True
        paid += found.paid[t]
        own = every, found.seat[t]
        known[t] = has_next[own]
        change = paid[own] + next_value[own] - found.value[t]
        advantage[t] = np.where(known[t], change + trace * next_advantage[own], 0)
        paid[own], next_value[own], next_advantage[own], has_next[own] = 0, found.value[t], advantage[t], True
    return advantage, known


def update(
    network: Network, adam: torch.optim.Optimizer, found: Rollout, settings: Settings, order: np.random.Generator
) -> tuple[int, float]:
    """Learn from what was collected by PPO; return the steps made, and how much of the outcome the values explain."""
    advantage, known = advantages(found, settings.trace)
    parts = found.observation, found.mask, found.action, found.log_prob, advantage, advantage + found.value
    observation, mask, action, log_prob, gain, goal = (torch.from_numpy(part[known]) for part in parts)
    steps = 0
    for _ in range(settings.epochs):
        for rows in torch.split(torch.from_numpy(order.permutation(len(action))), settings.batch):
            log_probs, value = network(observation[rows], mask[rows])
            new = log_probs.gather(1, action[rows, None])[:, 0]
            entropy = -(log_probs.exp() * log_probs).sum(1).mean()
            loss = clipped_policy_loss(new, log_prob[rows], normalised(gain[rows]), settings.clip)
            loss = (
                loss + settings.value_cost * nn.functional.mse_loss(value, goal[rows]) - settings.entropy_cost * entropy
            )
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), settings.max_norm)
            adam.step()
            steps += 1
    return steps, 1 - float(gain.var() / goal.var())


def learn(settings: Settings, rules: Rules) -> tuple[Network, Learned]:
    """Train; return the network, and the same as a bundle holds it."""
    chance, order = torch.Generator().manual_seed(settings.seed), np.random.default_rng(settings.seed)
    env = MexicanTrainVectorEnv(settings.games, rules=rules, episode="round", skip_forced=True, copy=False)
    env.reset(seed=settings.seed)
    network = Network(env.tables.obs.size, env.tables.act.size, settings.hidden, chance)
    adam = torch.optim.Adam(network.parameters(), settings.rate, eps=1e-5)
    steps, began = 0, time.monotonic()
    updates = -(-settings.steps // (settings.games * settings.decisions))
    for k in range(updates):
        adam.param_groups[0]["lr"] = settings.rate * (1 - k / updates)
        found = collect(env, network, settings.decisions, chance)
        made, explained = update(network, adam, found, settings, order)
        steps += made
        decisions = (k + 1) * settings.games * settings.decisions
        print(f"{decisions:>9} decisions, {found.over.sum()} rounds, values explain {explained:.0%}", flush=True)
    weights = {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}
    return network, Learned("torch", weights, asdict(settings), decisions, steps, time.monotonic() - began)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = parser("PPO by one network in all seats, in one file, to a bundle.", steps=Settings.steps)

    def learn_as(given: Namespace, rules: Rules) -> Learned:
        return learn(Settings(given.rules, given.players, given.steps, given.seed), rules)[1]

    return recipe(options, learn_as, arguments)


if __name__ == "__main__":
    sys.exit(main())
