"""Networks from bundles: to go on learning from one, and to learn against one."""

import numpy as np
import torch
from numpy.typing import NDArray

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.errors import ConfigError
from training.network import CandidateNetwork


def network_of_bundle(name_or_path: str, columns: NDArray[np.int64] | None = None) -> CandidateNetwork:
    """Return the network of a bundle, as it plays; with `columns` on these alone.

    Raises ConfigError if it reads other columns of the candidate row, BundleError if there is no bundle that scores
    moves.
    """
    bundle = load_bundle(name_or_path)
    width = bundle.policy.rows.width
    kept = np.arange(width) if columns is None else columns
    weights = {name: torch.from_numpy(array.copy()) for name, array in bundle.weights.items()}
    first = weights["hidden.0.weight"]
    left_out = np.setdiff1d(np.arange(width), kept)
    if first[:, left_out].any():
        raise ConfigError(f"The bundle {bundle.name} reads columns that these rules, or `ignore`, leave out.")
    weights["hidden.0.weight"] = first[:, kept]
    network = CandidateNetwork(len(kept), bundle.policy.architecture.hidden, kept)
    names = {f"hidden.{i}": f"trunk.{2 * i}" for i in range(len(network.hidden))}
    state = {}
    for name, tensor in weights.items():
        layer, _, kind = name.rpartition(".")
        state[f"{names.get(layer, layer)}.{kind}"] = tensor
    network.load_state_dict(state | {"columns": network.columns})
    return network.requires_grad_(False)
