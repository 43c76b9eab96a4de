"""What the learners share: the optimiser and one step of it, the running mean of the weights, learning rates."""

from collections import defaultdict

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.config import Config
from training.network import CandidateNetwork, copy_of


def falling(first: float, last: float, done: int, total: int) -> float:
    """Return the setting for update `done` of `total`, falling in a straight line from `first` to `last`."""
    return first + (last - first) * min(1.0, done / max(1, total - 1))


def explained_variance(forecast: NDArray[np.float32], end: NDArray[np.float32]) -> float:
    """Return the share of the variance of `end` that `forecast` explains: 1 = all, 0 = no more than their mean."""
    return 1.0 - float((end - forecast).var(dtype=np.float64) / max(end.var(dtype=np.float64), 1e-12))


def adam(network: nn.Module, config: Config) -> torch.optim.Adam:
    """Return the optimiser of a network, with the learning rate that the run begins with."""
    return torch.optim.Adam(network.parameters(), lr=config.warm_rate, eps=1e-5, foreach=True)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def descend(network: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor, most: float) -> float:
    """Take one step down the gradient of `loss`, clipped to the norm `most`; return its norm before that."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    norm = nn.utils.clip_grad_norm_(network.parameters(), most, foreach=True)
    optimiser.step()
    return float(norm)


class Trainee:
    """A network with its optimiser (Adam) and, if wanted, the running mean of its weights.

    The mean, not the last weights, is what plays: the noise of single updates averages out (Polyak and Juditsky
    1992; Izmailov et al. 2018).
    """

    def __init__(self, network: CandidateNetwork, config: Config) -> None:
        self.network = network
        self._decay, self._norm = config.average, config.clip_norm
        self.mean = copy_of(network) if self._decay else network
        self.steps = 0
        self.optimiser = adam(network, config)

    def set_rate(self, rate: float) -> None:
        """Set the learning rate."""
        set_rate(self.optimiser, rate)

    def step(self, loss: Tensor) -> float:
        """Take one step down the gradient of `loss`; return the gradient's norm before clipping."""
        norm = descend(self.network, self.optimiser, loss, self._norm)
        self.steps += 1
        if self._decay:
            decay = min(self._decay, self.steps / (self.steps + 10))
            with torch.no_grad():
                means: list[Tensor] = list(self.mean.parameters())
                torch._foreach_lerp_(means, list(self.network.parameters()), 1 - decay)
        return norm

    def player(self) -> CandidateNetwork:
        """Return a frozen copy of the weights that play."""
        return copy_of(self.mean)


class Means:
    """Means of several numbers, each weighted the same."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = defaultdict(list)

    def add(self, **values: float) -> None:
        """Take in one number for each name."""
        for name, value in values.items():
            self._values[name].append(float(value))

    def result(self) -> dict[str, float]:
        """Return the mean for each name."""
        return {name: sum(values) / len(values) for name, values in self._values.items()}
