"""Easy: any legal action, all equally likely."""

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import jit
from mtrain_env.engine.rng import random_below


@jit
def choose_one(
    s: np.void, rng: NDArray[np.uint64], actions: NDArray[np.int16], count: int, scratch: NDArray[np.void]
) -> int:
    """Index of the action chosen in `actions[:count]`; arguments as scripted.choose_one."""
    return random_below(rng, count)
