"""A critic that sees more than the actor: while learning, it judges positions with all hands open.

It forecasts what the value head forecasts, from the whole position as an umpire sees it at a decision, but for the
order of the boneyard. So its forecasts miss the round's end by less, and the advantages that PPO learns from are less
noisy (Pinto et al. 2018, asymmetric actor-critic). The actor never sees any of it, and no bundle holds it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mtrain_env.encoding.candidate_layout import CAND_LAYOUT, CAND_WIDTH
from mtrain_env.encoding.candidates import new_scratch
from mtrain_env.rules import Rules
from training.batch import Batch
from training.columns import used_columns
from training.config import Config
from training.kernels import gae, write_positions
from training.learning import Means, adam, descend, explained_variance, set_rate
from training.losses import value_loss
from training.network import OTHERS, OWN, draw_value, draw_weights, hidden_layers

OF_SEAT: Final = (
    "hand_by_number",
    "hand_specials",
    "hand_count",
    "hand_points",
    "line_length",
    "line_pips",
    "left_count",
    "left_points",
    "left_by_number",
    "left_fits",
    "own_end",
    "own_train",
    "fits_own",
    "fits_mexican",
    "fits_open",
)
"""Slices of the candidate row that a position has of each seat, the acting one first."""
OF_TABLE: Final = (
    "mexican_end",
    "duty_end",
    "duty_own_train",
    "uncovered",
    "last_lap",
    "owed",
    "turn",
    "draws",
    "idle_passes",
    "boneyard",
)
"""Slices that it has once."""


class Umpire:
    """Writes positions with all hands open; one per thread. Their width is that of the run's most players.

    `node_cap`: of the searches for the longest lines.
    """

    def __init__(self, rules: Sequence[Rules], node_cap: int) -> None:
        used = used_columns(rules, ())
        self.of_seat, self.of_table = (np.intersect1d(_columns(names), used) for names in (OF_SEAT, OF_TABLE))
        """The columns of a candidate row that a position has of each seat in turn, and then of the table."""
        self.width = max(one.num_players for one in rules) * len(self.of_seat) + len(self.of_table)
        self._node_cap = node_cap
        self._scratch, self._wide = new_scratch(), np.zeros(CAND_WIDTH, np.float32)

    def __call__(self, games: NDArray[np.void], which: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the positions of the games `which`, (len(which), width), each from its acting seat."""
        positions = np.empty((len(which), self.width), np.float32)
        write_positions(games, which, self.of_seat, self.of_table, self._node_cap, self._scratch, self._wide, positions)
        return positions


def _columns(names: Sequence[str]) -> NDArray[np.int64]:
    return np.concatenate([np.arange(CAND_WIDTH)[CAND_LAYOUT[name]] for name in names])


class Critic:
    """The network over positions, with its optimiser. Its layers are as wide as the actor's."""

    def __init__(self, config: Config) -> None:
        width = Umpire(config.all_rules(), config.node_cap).width
        generator = torch.Generator().manual_seed(config.seed)
        head = nn.Linear(config.hidden[-1], 2)
        self.network = nn.Sequential(hidden_layers(width, config.hidden), head)
        draw_weights(self.network, 2**0.5, generator)
        draw_value(head, generator)
        self.optimiser = adam(self.network, config)
        self._config = config

    def judge(self, batch: Batch) -> tuple[Batch, dict[str, float]]:
        """Return the batch with advantages by the critic, and how much of the rounds' ends it forecasts.

        Call it before learning from the batch: then the critic has not seen these rounds either.
        """
        with torch.inference_mode():
            value = self.network(torch.from_numpy(_positions(batch))).numpy()
        state = np.ascontiguousarray(value[:, OTHERS] - value[:, OWN])
        relative = np.ascontiguousarray(batch.outcome[:, :, OTHERS] - batch.outcome[:, :, OWN])
        advantage = np.empty(len(batch), np.float32)
        scratch = np.empty_like(batch.outcome)
        gae(batch.game, batch.seat, state, relative, self._config.gae_lambda, advantage, scratch)
        explained = explained_variance(state, relative[batch.game, batch.seat])
        return replace(batch, advantage=advantage), {"critic_explained": explained}

    def learn(self, batch: Batch, epochs: int, rate: float, shuffle: np.random.Generator) -> dict[str, float]:
        """Regress the forecasts on the rounds' ends, `epochs` times over all decisions."""
        set_rate(self.optimiser, rate)
        positions = torch.from_numpy(_positions(batch))
        ends = torch.from_numpy(batch.outcome[batch.game, batch.seat])
        means = Means()
        for _ in range(epochs):
            for indices in torch.split(torch.from_numpy(shuffle.permutation(len(batch))), self._config.batch):
                loss = value_loss(self.network(positions[indices]), ends[indices])
                descend(self.network, self.optimiser, loss, self._config.clip_norm)
                means.add(critic_loss=float(loss.detach()))
        return means.result()


def _positions(batch: Batch) -> NDArray[np.float32]:
    """Return the positions that the batch was collected with."""
    assert batch.positions is not None, "the batch was collected without a critic"
    return batch.positions
