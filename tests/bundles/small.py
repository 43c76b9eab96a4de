"""A bundle of a small network with random weights."""

from pathlib import Path

import torch

from mtrain_env.bots.policy import Table
from mtrain_env.encoding.candidates import CAND_WIDTH
from training.export import Origin, export_network
from training.network import CandidateNetwork


def small_network() -> CandidateNetwork:
    """Return a network that prefers something: a new one is undecided."""
    made = CandidateNetwork(CAND_WIDTH, (24, 16)).initialise(torch.Generator().manual_seed(5))
    with torch.no_grad():
        made.score.weight.mul_(100)
    return made.requires_grad_(False)


def small_origin() -> Origin:
    """Return where it is said to come from."""
    table = Table(rules="core", players=(2, 3, 4))
    return Origin(config={"rate": 0.001}, seed=5, steps=1000, commit="abc", trained=[table])


def small_bundle(folder: Path) -> Path:
    """Write the bundle to a new folder and return it."""
    return export_network(small_network(), folder, small_origin())
