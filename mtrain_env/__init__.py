"""Mexican Train dominoes as an environment for reinforcement learning, with opponents and a page to play on.

The names below are loaded when they are first asked for, so that `import mtrain_env` stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "MtrainError": "mtrain_env.errors",
    "Rules": "mtrain_env.rules",
}
"""The module that defines each public name."""

if TYPE_CHECKING:
    from mtrain_env.errors import MtrainError as MtrainError
    from mtrain_env.rules import Rules as Rules
else:  # hidden from type checkers, to which it would make every misspelt name look right

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'mtrain_env' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
