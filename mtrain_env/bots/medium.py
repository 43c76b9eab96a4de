"""Medium: the own train first, and the heaviest tile first; it plans nothing."""

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.bots.moves import heaviest


@jit
def choose_one(
    s: np.void, rng: NDArray[np.uint64], actions: NDArray[np.int16], count: int, scratch: NDArray[np.void]
) -> int:
    """Index of the action chosen in `actions[:count]`; arguments as scripted.choose_one."""
    return heaviest(s, actions, count, True)
