"""Random numbers from the record itself: xorshift128 (Marsaglia 2003) on two 64-bit words, 32 bits a draw.

Only shifts, exclusive ors and 33-bit sums are used, so plain Python and compiled code give the same stream without
overflow. The 32 bits are the sum of both words' upper halves (as in xorshift128+), which hides the linear structure.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit

_LOW32 = np.uint64(0xFFFFFFFF)
_S23, _S17, _S26, _S32 = np.uint64(23), np.uint64(17), np.uint64(26), np.uint64(32)


def seed_words(*entropy: int) -> NDArray[np.uint64]:
    """The two words of random state that belong to `entropy`: shape (2,) uint64, from numpy's SeedSequence."""
    words = np.random.SeedSequence(entropy).generate_state(2, np.uint64).astype(np.uint64)
    return words | np.uint64(1)  # never both zero


@jit
def random_bits(rng: Any) -> Any:
    """The next 32 random bits of the state `rng` (two uint64 words, changed), as uint64."""
    t = rng[0]
    u = rng[1]
    rng[0] = u
    t ^= t << _S23
    t ^= t >> _S17
    t ^= u ^ (u >> _S26)
    rng[1] = t
    return ((t >> _S32) + (u >> _S32)) & _LOW32


@jit
def random_below(rng: Any, n: int) -> int:
    """A uniform integer in 0..n-1, 1 <= n < 2**31, without bias (Lemire 2019)."""
    bound = np.uint64(n)
    product = random_bits(rng) * bound
    if (product & _LOW32) < bound:
        threshold = (np.uint64(1) << _S32) % bound
        while (product & _LOW32) < threshold:
            product = random_bits(rng) * bound
    return int64(product >> _S32)
