"""A run that takes a second: few rounds, a small network."""

from typing import Any

import torch

from training.columns import used_columns
from training.config import Config
from training.network import CandidateNetwork

SETTINGS: dict[str, Any] = {
    "name": "tiny",
    "seed": 5,
    "players": (3, 2),
    "hidden": (16, 8),
    "warm_updates": 2,
    "warm_rounds": 12,
    "updates": 4,
    "rounds": 12,
    "past_share": 0.2,
    "hard_share": 0.2,
    "pool_size": 2,
    "pool_every": 1,
    "batch": 128,
    "average": 0.9,
    "epochs": 2,
    "watch_deals": 2,
    "match_deals": 2,
    "checkpoint_seconds": 0.0,
}


def tiny(**settings: Any) -> Config:
    return Config(**(SETTINGS | settings))


def network_of(config: Config) -> CandidateNetwork:
    columns = used_columns(config.all_rules(), config.ignore)
    network = CandidateNetwork(len(columns), config.hidden, columns)
    return network.initialise(torch.Generator().manual_seed(3)).requires_grad_(False)
