"""Positions as bytes: one line of JSON with the arguments of the environment, and behind it the arrays themselves.

Nothing is ever unpickled. The bytes hold everything hidden: they are for whoever runs the games, not for players.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.envs.base import EnvOptionError

STATE_FORMAT: Final = "mtrain-env-state/1"


def pack(kind: str, header: dict[str, Any], *parts: NDArray[Any] | bytes) -> bytes:
    """Return a state: the kind of environment, a JSON object and any number of contiguous arrays or bytes."""
    line = json.dumps({"format": STATE_FORMAT, "environment": kind, **header}).encode()
    return b"\n".join([line, b"".join(part if isinstance(part, bytes) else part.tobytes() for part in parts)])


def unpack(kind: str, data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the bytes behind it; EnvOptionError if they are no state of such an environment."""
    line, _, rest = bytes(data).partition(b"\n")
    try:
        header = json.loads(line)
        if header.pop("format") != STATE_FORMAT:
            raise ValueError
        made_by = header.pop("environment")
    except (ValueError, KeyError, AttributeError, TypeError):
        raise EnvOptionError(f"These bytes are no state of an environment ({STATE_FORMAT}).") from None
    if made_by != kind:
        raise EnvOptionError(f"These bytes are the state of an environment of the kind {made_by!r}, not {kind!r}.")
    return header, rest


def fill(data: bytes, *arrays: NDArray[Any]) -> None:
    """Write the bytes over the contiguous arrays, one after the other; EnvOptionError if they are not as many."""
    size = sum(array.nbytes for array in arrays)
    if len(data) != size:
        raise EnvOptionError(
            f"The state of the game has {len(data)} bytes, this version's has {size}: "
            "it was written by another version, or is damaged."
        )
    first = 0
    for array in arrays:
        array.view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8, array.nbytes, first)
        first += array.nbytes


def names_of(opponents: Sequence[object]) -> list[str | None]:
    """Return the opponents that were given by name, None for the others: what bytes can hold of them."""
    return [bot if isinstance(bot, str) else None for bot in opponents]


def opponents_of(names: Sequence[str | None], given: Any) -> Any:  # noqa: ANN401 -- whatever an environment takes
    """Return the opponents of a saved environment: those given now, else the saved names if none lacks."""
    if given is None and None in names:
        raise EnvOptionError("An opponent of the saved environment was no name: give from_bytes the opponents again.")
    return names if given is None else given
