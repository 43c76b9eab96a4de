"""What learners read: decisions with their candidate rows, ragged (flat rows, and where each decision's begin)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.lookahead import Lessons

NO_LABEL: Final = -1


@dataclass(frozen=True)
class Batch:
    """D decisions with R rows. Decision d has the rows start[d] .. start[d] + count[d] - 1.

    Learners that look at the played move alone are given one row a decision, all others one row a legal action.
    """

    rows: NDArray[np.float32]  # (R, width)
    start: NDArray[np.int64]  # (D,)
    count: NDArray[np.int64]  # (D,)
    played: NDArray[np.int64]  # (D,) the move played, counted from start
    label: NDArray[np.int64]  # (D,) the move to be imitated, counted from start; NO_LABEL = none
    target: NDArray[np.float32]  # (D, 2) pips / 100 at the round's end: own, mean of the others
    log_prob: NDArray[np.float32]  # (D,) of the move played, when it was played
    advantage: NDArray[np.float32]  # (D,) of the move played
    game: NDArray[np.int64]  # (D,) and (D,): round and seat of each decision, decisions in the order of play
    seat: NDArray[np.int64]
    outcome: NDArray[np.float32]  # (rounds, seats, 2) as target
    rounds: int
    """Rounds that the decisions come from."""
    pips: NDArray[np.float32]  # (2,) mean own pips of the recorded seats, and of their opponents
    explored: float = 0.0
    """Share of decisions that were random moves."""
    seconds: float = 0.0
    """Time that collecting took."""
    lessons: Lessons | None = None
    state: NDArray[np.float32] | None = None
    """(D,) what the value head made of the state before the move, others' mean - own; ppo alone."""
    positions: NDArray[np.float32] | None = None
    """(D, width) with all hands, for the critic (critic.py); never for the actor."""

    def __len__(self) -> int:
        return len(self.start)

    def part(self, indices: NDArray[np.int64]) -> "Piece":
        """Return the decisions `indices` as tensors."""
        count = self.count[indices]
        ends = np.cumsum(count)
        first = ends - count
        segment = np.repeat(np.arange(len(indices)), count)
        flat = np.arange(ends[-1]) - first[segment] + self.start[indices][segment]
        return Piece(
            rows=torch.from_numpy(self.rows[flat]),
            segment=torch.from_numpy(segment),
            played=torch.from_numpy(first + self.played[indices]),
            label=torch.from_numpy(np.where(self.label[indices] < 0, -1, first + self.label[indices])),
            target=torch.from_numpy(self.target[indices]),
            log_prob=torch.from_numpy(self.log_prob[indices]),
            advantage=torch.from_numpy(self.advantage[indices]),
        )

    def pieces(self, size: int, shuffle: np.random.Generator) -> Iterator["Piece"]:
        """Return all decisions once, in random order, `size` at a time; a rest below half of it is left out."""
        order = shuffle.permutation(len(self))
        for first in range(0, len(order), size):
            indices = order[first : first + size]
            if first == 0 or len(indices) >= size / 2:
                yield self.part(indices)

    def with_target(self, target: NDArray[np.float32]) -> "Batch":
        """Return the same decisions with these targets."""
        return replace(self, target=target)


@dataclass(frozen=True)
class Piece:
    """A minibatch of D decisions with R rows, as tensors."""

    rows: Tensor  # float32 (R, width)
    segment: Tensor  # int64 (R,) the decision that the row belongs to, ascending
    played: Tensor  # int64 (D,) row of the move played
    label: Tensor  # int64 (D,) row of the move to be imitated, -1 = none
    target: Tensor  # float32 (D, 2)
    log_prob: Tensor  # float32 (D,)
    advantage: Tensor  # float32 (D,)

    def __len__(self) -> int:
        return len(self.played)
