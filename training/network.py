"""The candidate network: one row a legal action in, a score and a forecast of the round's end out."""

import copy
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mtrain_env.encoding.candidate_layout import CAND_WIDTH

OWN, OTHERS = 0, 1
"""Outputs of the value head: own pips / 100 at the round's end, and the mean of the others'."""

_BLOCK = 128  # rows: bfloat16 kernels are compiled for each number of rows, which costs more than some spare rows


def hidden_layers(width: int, hidden: Sequence[int]) -> nn.Sequential:
    """Return Linear and ReLU layers from `width` inputs on."""
    layers: list[nn.Module] = []
    for size, following in pairwise([width, *hidden]):
        layers += [nn.Linear(size, following), nn.ReLU()]
    return nn.Sequential(*layers)


def draw_weights(module: nn.Module, gain: float, generator: torch.Generator) -> None:
    """Draw the weights of the linear layers in `module` anew: orthogonal, biases 0."""
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.orthogonal_(layer.weight, gain, generator=generator)
            nn.init.zeros_(layer.bias)


def draw_value(head: nn.Linear, generator: torch.Generator) -> None:
    """Draw the weights of a value head anew: small ones, and about the 30 pips that are left at a round's end."""
    draw_weights(head, 0.1, generator)
    nn.init.constant_(head.bias, 0.3)


class CandidateNetwork(nn.Module):
    """A plain network over candidate rows: Linear and ReLU layers, then one linear head for score and one for value.

    The score of a row is the logit of its action among the legal ones (higher is better). Both heads are linear in
    the last hidden layer, so a score that weighs in the value is a change of the score head's weights alone.
    `columns` are the columns of a full candidate row that this network reads, in the order of its inputs.
    """

    columns: Tensor

    def __init__(self, width: int, hidden: Sequence[int], columns: NDArray[np.int64] | None = None) -> None:
        super().__init__()
        self.width, self.hidden = width, tuple(hidden)
        self.trunk = hidden_layers(width, hidden)
        self.score = nn.Linear(hidden[-1], 1)
        self.value = nn.Linear(hidden[-1], 2)
        kept = torch.arange(width) if columns is None else torch.from_numpy(columns.astype(np.int64))
        self.register_buffer("columns", kept)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> "CandidateNetwork":
        """Draw all weights anew from `generator`: orthogonal, small in the score head, so that it begins undecided."""
        draw_weights(self.trunk, 2**0.5, generator)
        draw_weights(self.score, 0.01, generator)
        draw_value(self.value, generator)
        return self

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Rows float32 (rows, width) -> score (rows,) and value (rows, 2), pips / 100: own, mean of the others."""
        hidden = self.trunk(rows)
        return self.score(hidden).squeeze(1), self.value(hidden)

    def in_bfloat16(self) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
        """Return `forward` with the hidden layers in bfloat16: forecasts differ by 0.02 pips on average.

        2.3 times the rows a second where the processor has AMX (900,000 against 390,000 with 453-256-128 on one core);
        slow where it has not.
        """
        trunk = copy.deepcopy(self.trunk).bfloat16()

        def forward(rows: Tensor) -> tuple[Tensor, Tensor]:
            padded = rows.new_zeros(-(-len(rows) // _BLOCK) * _BLOCK, self.width, dtype=torch.bfloat16)
            padded[: len(rows)] = rows
            hidden = trunk(padded)[: len(rows)].float()
            return self.score(hidden).squeeze(1), self.value(hidden)

        return forward

    @torch.no_grad()
    def weigh_value(self, prior: float) -> None:
        """Make the score `prior` times itself plus (others' mean - own), the value's judgement of the move.

        With `prior` 0 the score is the value's judgement alone, in pips / 100.
        """
        judgement = self.value.weight[OTHERS] - self.value.weight[OWN]
        self.score.weight.mul_(prior).add_(judgement)
        self.score.bias.mul_(prior).add_(self.value.bias[OTHERS] - self.value.bias[OWN])

    @torch.no_grad()
    def take_value_out(self, prior: float) -> None:
        """Undo weigh_value, but for rounding; with `prior` 0 nothing is left of the score."""
        judgement = self.value.weight[OTHERS] - self.value.weight[OWN]
        scale = 1 / prior if prior else 0.0
        self.score.weight.sub_(judgement).mul_(scale)
        self.score.bias.sub_(self.value.bias[OTHERS] - self.value.bias[OWN]).mul_(scale)

    @torch.no_grad()
    def widened(self, width: int = CAND_WIDTH) -> "CandidateNetwork":
        """Return the same function of full candidate rows: zero weights for the columns that this network ignores."""
        wide = CandidateNetwork(width, self.hidden)
        state = self.state_dict()
        first = torch.zeros(self.hidden[0], width)
        first[:, self.columns] = state["trunk.0.weight"]
        wide.load_state_dict(state | {"trunk.0.weight": first, "columns": wide.columns})
        return wide


def copy_of(network: CandidateNetwork) -> CandidateNetwork:
    """Return a copy that no longer changes with `network`."""
    copy = CandidateNetwork(network.width, network.hidden, network.columns.numpy().copy())
    copy.load_state_dict(network.state_dict())
    return copy.requires_grad_(False)
