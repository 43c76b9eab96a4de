"""Masked PPO over the legal rows of each decision (Schulman et al. 2017).

The policy is the softmax of the scores of a decision's rows; illegal actions have no row. The critic is the value
head: its mean over the policy's moves is the state's value, its entry for the move played is regressed on the
round's end. Advantages are GAE along a seat's own decisions (Schulman et al. 2016), worked out when collecting. With
the setting `critic` they come from a network that sees all hands instead (critic.py).
"""

import numpy as np

from training.batch import Batch
from training.config import Config
from training.learning import Means, Trainee, explained_variance
from training.losses import (
    approximate_kl,
    clipped_policy_loss,
    normalised,
    segment_entropy,
    segment_log_softmax,
    value_loss,
)
from training.network import OTHERS, OWN


def ppo_update(trainee: Trainee, batch: Batch, config: Config, shuffle: np.random.Generator) -> dict[str, float]:
    """Learn from the decisions of a batch, `epochs` times over all of them, or until the policy has moved enough."""
    assert batch.state is not None
    explained = explained_variance(batch.state, batch.target[:, OTHERS] - batch.target[:, OWN])
    means = Means()
    far = False
    epochs = 0
    while epochs < config.epochs and not far:
        epochs += 1
        for piece in batch.pieces(config.batch, shuffle):
            score, value = trainee.network(piece.rows)
            log_prob = segment_log_softmax(score, piece.segment, len(piece))
            new = log_prob[piece.played]
            policy = clipped_policy_loss(new, piece.log_prob, normalised(piece.advantage), config.clip)
            entropy = segment_entropy(log_prob, piece.segment, len(piece)).mean()
            error = value_loss(value[piece.played], piece.target)
            kl = float(approximate_kl(new.detach(), piece.log_prob))
            if config.target_kl and kl > 1.5 * config.target_kl:
                far = True
                break
            norm = trainee.step(policy + config.value_cost * error - config.entropy_cost * entropy)
            clipped = ((new - piece.log_prob).exp() - 1).abs() > config.clip
            means.add(
                policy_loss=float(policy.detach()),
                value_loss=float(error.detach()),
                entropy=float(entropy.detach()),
                kl=kl,
                clipped=float(clipped.float().mean()),
                gradient_norm=norm,
            )
    return means.result() | {"epochs": float(epochs), "value_explained": explained}
