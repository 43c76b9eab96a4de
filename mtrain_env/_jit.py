"""The only door to numba: one `jit` decorator, and two bit counts that numba lacks.

Compiled kernels are cached on disk in a folder whose name is a hash of every source file that they can call into:
numba does not notice that a callee in *another* file has changed and would run stale code.
With `NUMBA_DISABLE_JIT=1` everything runs as plain Python and gives the same bytes.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
_JITTED = ("engine", "encoding", "bots")
"""Packages with kernels, each calling only those before it."""


def _sources_hash(packages: tuple[str, ...]) -> str:
    """Hash of all sources that kernels of these packages can contain: the name of a cache folder."""
    digest = hashlib.sha1(numba.__version__.encode(), usedforsecurity=False)
    files = [_PACKAGE / "_jit.py", _PACKAGE / "tiles.py"]
    for package in packages:
        files += sorted((_PACKAGE / package).glob("*.py"))
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """The folder that holds one subfolder of compiled kernels per version of the sources."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mtrain_env"


@functools.cache
def _cache_folder(package: str) -> str:
    """The folder for kernels of `mtrain_env.<package>`: renamed when a kernel that they may call has changed."""
    known = _JITTED[: _JITTED.index(package) + 1] if package in _JITTED else _JITTED
    return str(_cache_root() / _sources_hash(known))


JIT_DISABLED: bool = bool(numba.config.DISABLE_JIT)


if TYPE_CHECKING:

    def int64(x: Any) -> int: ...

else:
    int64 = np.int64
"""What kernels read small integer fields with: wide enough for sums and shifts, and an `int` to the type checker."""


def jit(function: F) -> F:
    """Compile `function` in numba's nopython mode, lazily, cached on disk, without the interpreter lock.

    Kernels allocate nothing, so numba's reference counting is off (`_nrt`): each view of an array, such as a record of
    `games`, would pay two atomic counts, 12-25 ns. A literal argument such as -1 compiles a kernel once more: give
    int64(-1) to the larger ones.
    """
    numba.config.CACHE_DIR = _cache_folder(function.__module__.removeprefix("mtrain_env.").partition(".")[0])
    compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function)
    return compiled


if JIT_DISABLED:

    def trailing_zeros(x: int) -> int:
        """Index of the lowest set bit of `x`, 0 < x < 2**62."""
        return (int(x) & -int(x)).bit_length() - 1

    def popcount(x: int) -> int:
        """Number of set bits of `x`, 0 <= x < 2**62."""
        return int(x).bit_count()

else:

    def _bit_intrinsic(name: str) -> Any:
        """An int64 -> int64 function that is one machine instruction."""

        def typing(typingctx: Any, x: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                wide = context.cast(builder, args[0], signature.args[0], types.int64)
                if name == "cttz":
                    return builder.cttz(wide, context.get_constant(types.boolean, True))
                return builder.ctpop(wide)

            if isinstance(x, types.Integer):
                return types.int64(x), codegen
            return None

        typing.__name__ = name
        return intrinsic(typing)

    trailing_zeros = _bit_intrinsic("cttz")
    popcount = _bit_intrinsic("ctpop")
