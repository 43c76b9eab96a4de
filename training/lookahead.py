"""Search as a teacher: what a decision's best few moves lose to its favourite, by looking ahead to own later turns.

The moves are played with the hands as they are, the boneyard shuffled anew for each deal, hard in every seat, up to
the next choice of the own seat in a later turn; there the network chooses, and so on, until it forecasts the round's
end (mtrain_env/bots/search.py). The teacher may see the hands: the pupil reads its own rows alone, and over many
lessons it learns the mean over the hands that players really hold, which sampled deals only guess at. The costs of a
decision's moves are differences to its favourite on the same deals, so that most of the luck cancels out. They are
noisy but unbiased, and the loss (losses.lesson_loss) is linear in them: over many lessons the noise averages out.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtrain_env.bots import rollout
from mtrain_env.bots.search import PIPS, look_ahead
from training.player import Player

_TOGETHER: Final = 16
"""Decisions whose leaves are judged together: with 20 deals and 4 moves 6 MB of games."""


@dataclass
class Questions:
    """Decisions to look into, taken in while rounds are played; their lists have an entry each."""

    games: list[NDArray[Any]] = field(default_factory=list)  # GAME[1]
    actions: list[NDArray[np.int16]] = field(default_factory=list)  # (legal actions,) ids
    choices: list[NDArray[np.int64]] = field(default_factory=list)  # the moves to compare, the favourite first
    rows: list[NDArray[np.float32]] = field(default_factory=list)  # (choices, width) their candidate rows

    def __len__(self) -> int:
        return len(self.games)

    def ask(
        self,
        game: NDArray[Any],
        actions: NDArray[np.int16],
        score: NDArray[np.float32],
        rows: NDArray[np.float32],
        most: int,
        margin: float,
    ) -> None:
        """Take in a decision: its `most` best moves within `margin` of the best score, if they are two or more."""
        order = np.argsort(-score, kind="stable")[:most]
        choices = order[score[order] >= score[order[0]] - margin]
        if len(choices) > 1:
            self.games.append(game.copy())
            self.actions.append(actions.copy())
            self.choices.append(choices)
            self.rows.append(rows[choices])

    def answered(self, player: Player, words: NDArray[np.uint64], turns: int = 1) -> "Lessons":
        """Return the decisions with the costs of their moves; decision k has the deals of `words[k]` (deals, 2)."""
        scratch = rollout.new_scratch(player.most_legal)
        costs = [np.empty(0, np.float32)]
        for first in range(0, len(self), _TOGETHER):
            its = slice(first, first + _TOGETHER)
            asked = self.games[its], self.actions[its], self.choices[its], words[its]
            lost = look_ahead(player.judge, *asked, scratch, turns, rollout.ALL_HANDS)
            costs += [((table - table[:, :1]).mean(axis=0) / PIPS).astype(np.float32) for table in lost]
        return Lessons(
            rows=np.concatenate([np.empty((0, player.network.width), np.float32), *self.rows]),
            count=np.array([len(choices) for choices in self.choices], np.int64),
            cost=np.concatenate(costs),
        )


@dataclass(frozen=True)
class Lessons:
    """L decisions with what their best moves cost, R rows in all."""

    rows: NDArray[np.float32]  # (R, width)
    count: NDArray[np.int64]  # (L,) rows of each decision
    cost: NDArray[np.float32]  # (R,) pips / 100 lost to the favourite, which is each decision's first row

    def __len__(self) -> int:
        return len(self.count)

    def part(self, first: int, last: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return rows, segment (the decision of each row, from 0) and cost of the decisions first .. last - 1."""
        ends = np.cumsum(np.append(0, self.count))
        its = slice(ends[first], ends[last])
        segment = np.repeat(np.arange(last - first), self.count[first:last])
        return torch.from_numpy(self.rows[its]), torch.from_numpy(segment), torch.from_numpy(self.cost[its])
