"""Monte-Carlo and TD(lambda) learning of afterstates: forecast the round's end after each move, play the best.

The network forecasts the own pips at the round's end and the others' mean, from the position after the move. The
score of a move is (others' mean - own). Targets are the round's real end, or mixed with the network's own later
forecasts (kernels.lambda_targets; Sutton 1988, Tesauro 1995). One row a decision is learned from, the one played,
which makes this the cheaper learner: about a fifth of the rows of PPO.
"""

from typing import Final

import numpy as np
import torch
from torch import Tensor

from training.batch import Batch
from training.config import Config
from training.kernels import lambda_targets
from training.learning import Means, Trainee
from training.lookahead import Lessons
from training.losses import clone_loss, lesson_loss, segment_log_softmax, value_loss
from training.network import OTHERS, OWN, CandidateNetwork

_ROWS: Final = 4096  # forwarded at once


def forecast_targets(network: CandidateNetwork, batch: Batch, lam: float) -> Batch:
    """Return the batch with TD(lambda) targets from the network's forecasts: far less noise than the real ends have.

    The forecasts are of the moves played, random ones too: the warm start learns what becomes of such rounds.
    """
    with torch.inference_mode():
        played = torch.from_numpy(batch.rows[batch.start + batch.played])
        forecast = torch.cat([network(rows)[1] for rows in torch.split(played, _ROWS)]).numpy()
    target = np.empty_like(forecast)
    never = np.zeros(len(batch), bool)
    lambda_targets(batch.game, batch.seat, forecast, forecast, never, batch.outcome.copy(), lam, target)
    return batch.with_target(target)


def warm_update(trainee: Trainee, batch: Batch, config: Config, shuffle: np.random.Generator) -> dict[str, float]:
    """One pass over rounds of hard: its moves are cloned by the score, the rounds' ends forecast by the value."""
    means = Means()
    for piece in batch.pieces(config.batch, shuffle):
        score, value = trainee.network(piece.rows)
        log_prob = segment_log_softmax(score, piece.segment, len(piece))
        clone = clone_loss(log_prob, piece.label)
        error = value_loss(value[piece.played], piece.target)
        norm = trainee.step(error + config.clone_cost * clone)
        means.add(clone_loss=float(clone.detach()), value_loss=float(error.detach()), gradient_norm=norm)
    return means.result()


def value_update(trainee: Trainee, batch: Batch, config: Config, shuffle: np.random.Generator) -> dict[str, float]:
    """Regress the forecasts after the moves played on their targets, `passes` times over all of them.

    Lessons from looking ahead, shared out among the minibatches, teach the score: a correction of the value's own
    judgement, which is what moves are chosen by (network.weigh_value).
    """
    means = Means()
    for _ in range(config.passes):
        pieces = list(batch.pieces(config.batch, shuffle))
        for k, piece in enumerate(pieces):
            _, value = trainee.network(piece.rows)
            error = value_loss(value[piece.played], piece.target)
            loss = error
            if batch.lessons is not None:
                first, last = (len(batch.lessons) * j // len(pieces) for j in (k, k + 1))
                if last > first:
                    lesson, cost = _lesson(trainee.network, batch.lessons, first, last, config)
                    loss = error + config.teach_cost * lesson
                    means.add(lesson_cost=100 * float(cost), lessons=len(batch.lessons))
            norm = trainee.step(loss)
            means.add(value_loss=float(error.detach()), gradient_norm=norm)
    return means.result()


def _lesson(
    network: CandidateNetwork, lessons: Lessons, first: int, last: int, config: Config
) -> tuple[Tensor, Tensor]:
    """Return loss and mean cost over the favourite, pips / 100, of the score in these decisions."""
    rows, segment, cost = lessons.part(first, last)
    score, value = network(rows)
    judgement = (value[:, OTHERS] - value[:, OWN]).detach()
    return lesson_loss(judgement + config.prior * score, segment, last - first, cost, config.teach_spread)
