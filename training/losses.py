"""Mathematics of the learners: softmax over the ragged legal rows of decisions, and losses. Pure functions.

Segments: `segment` (R,) int64 ascending says which decision a row belongs to; `decisions` is their number. There is
no mask: a row exists only for a legal action, so an illegal one has no probability by construction.
"""

import torch
from torch import Tensor


def segment_log_softmax(score: Tensor, segment: Tensor, decisions: int) -> Tensor:
    """Return the log-probabilities (R,) of softmax within each decision, from scores (R,)."""
    top = score.new_full((decisions,), -torch.inf).scatter_reduce(0, segment, score, "amax").detach()
    shifted = score - top[segment]
    total = score.new_zeros(decisions).index_add(0, segment, shifted.exp())
    return shifted - total.log()[segment]


def segment_sum(values: Tensor, segment: Tensor, decisions: int) -> Tensor:
    """Return the sums (decisions,) of values (R,)."""
    return values.new_zeros(decisions).index_add(0, segment, values)


def segment_entropy(log_prob: Tensor, segment: Tensor, decisions: int) -> Tensor:
    """Return the entropy (decisions,) in nats of the distributions with these log-probabilities (R,)."""
    return -segment_sum(log_prob.exp() * log_prob, segment, decisions)


def clone_loss(log_prob: Tensor, label: Tensor) -> Tensor:
    """Return the mean cross-entropy with the labelled rows; label -1 = no label, nothing labelled = 0."""
    labelled = label[label >= 0]
    return -log_prob[labelled].sum() / max(1, len(labelled))


def clipped_policy_loss(new: Tensor, old: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """Return PPO's loss (Schulman et al. 2017): -mean(min(r A, clip(r, 1 - clip, 1 + clip) A)), r = exp(new - old)."""
    ratio = (new - old).exp()
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


def approximate_kl(new: Tensor, old: Tensor) -> Tensor:
    """Return the estimate of KL(old || new) that is never negative: mean(r - 1 - log r)."""
    change = new - old
    return (change.exp() - 1 - change).mean()


def normalised(advantage: Tensor) -> Tensor:
    """Return the advantages with mean 0 and standard deviation 1."""
    return (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)


def value_loss(value: Tensor, target: Tensor) -> Tensor:
    """Return the mean squared error of forecasts (D, 2), pips / 100: own plus others'."""
    return (value - target).square().sum(1).mean()


def lesson_loss(score: Tensor, segment: Tensor, decisions: int, cost: Tensor, spread: float) -> tuple[Tensor, Tensor]:
    """Return the loss of lessons, and the mean cost of a move drawn by the scores (R,), both in the unit of `cost`.

    A move is drawn with chance p = softmax(score / spread). The loss is its mean cost minus `spread` times the entropy
    of p: it is least where differences of scores are those of the expected costs, so that neither noise in the costs
    nor training without end makes the scores grow.
    """
    log_chance = segment_log_softmax(score / spread, segment, decisions)
    chance = log_chance.exp()
    mean_cost = (chance * cost).sum() / decisions
    return mean_cost + spread * (chance * log_chance).sum() / decisions, mean_cost.detach()
