"""The messages between a table and a bot, protocol version 1, as plain values; docs/bots.md describes each member.

The same objects serve a program at the end of a pipe, one that asks `mtrain serve-bot`, and a Python function
(`FunctionBot`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mtrain_env.bot import Ints, View
from mtrain_env.encoding.position import Position, write_position
from mtrain_env.encoding.position_reader import read_position
from mtrain_env.engine.batch import legal
from mtrain_env.engine.rng import seed_words
from mtrain_env.errors import BotError, PositionError

PROTOCOL: Final = 1
GAME: Final = "mexican-train"
SEED: Final = r"^[0-9a-f]{32}$"
Message = dict[str, Any]
Words = NDArray[np.uint64]


def hello_message() -> Message:
    """The first message to a program."""
    return {"type": "hello", "protocol": PROTOCOL, "game": GAME}


def act_message(view: View, number: int, ms: int, seed: Words) -> Message:
    """The message that asks for a move; `number` is given back with it, `seed` is two words of random state."""
    moves = [{"id": action, "text": text} for action, text in zip(view.legal.tolist(), view.texts, strict=True)]
    return {
        "type": "act",
        "id": number,
        "ms": ms,
        "seed": seed_text(seed),
        "view": write_position(view.game[0], view.seat, view.rules),
        "legal": moves,
    }


def result_message(seats: Sequence[int], pips: Sequence[int], totals: Sequence[int], over: bool) -> Message:
    """The message about a finished round, or the finished game; `seats` are those that the program played."""
    winners = [seat for seat, total in enumerate(totals) if total == min(totals)] if over else []
    ended = {"seats": list(seats), "pips": list(pips), "totals": list(totals), "over": over, "winners": winners}
    return {"type": "result", **ended}


def seed_text(seed: Words) -> str:
    """Two words of random state as 32 hexadecimal digits."""
    return f"{int(seed[0]):016x}{int(seed[1]):016x}"


def read_seed(text: str) -> Words:
    """The two words of such a text, which SEED must match."""
    return np.array([int(text[:16], 16), int(text[16:], 16)], np.uint64)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class LegalMove(_Part):
    """One legal move of an `act`."""

    text: Annotated[str, Field(max_length=40)]


class Act(_Part):
    """An `act` as another program may send it to `mtrain serve-bot`."""

    type: Literal["act"]
    id: int
    seed: Annotated[str, Field(pattern=SEED)] | None = None
    view: Position
    legal: Annotated[list[LegalMove], Field(min_length=1)]


@dataclass(frozen=True)
class Question:
    """An `act` that was read: what to ask a bot, and how to tell the answer."""

    number: int
    view: View
    seed: Words
    order: tuple[int, ...]
    """Where each of the view's legal actions stands among those of the message."""

    @classmethod
    def read(cls, line: bytes | str) -> Self:
        """Read an `act` in JSON; PositionError with a sentence if it is none."""
        try:
            message = Act.model_validate_json(line)
        except ValidationError as error:
            mistake = error.errors()[0]
            where = ".".join(map(str, mistake["loc"])) or "the message"
            raise PositionError(f"{where} is wrong: {mistake['msg']}.") from None
        games = read_position(message.view)
        ids = np.zeros(int(games[0]["num_actions"]), np.int16)
        view = View(games, message.view.seat, ids[: legal(games, 0, ids)])
        given = [move.text for move in message.legal]
        if sorted(given) != sorted(view.texts):
            raise PositionError(
                f"The legal moves of this position are {', '.join(view.texts)}, not {', '.join(given)}."
            )
        seed = seed_words(abs(message.id)) if message.seed is None else read_seed(message.seed)
        return cls(message.id, view, seed, tuple(map(given.index, view.texts)))

    def answer(self, index: int) -> Message:
        """The message that names the action `view.legal[index]`; `seed` is the state that the bot left behind."""
        return {"type": "move", "id": self.number, "index": self.order[index], "seed": seed_text(self.seed)}


class FunctionBot:
    """A Python function of an `act` message as a bot; it gives the index of a legal move, or a `move` message."""

    fair = True

    def __init__(self, function: Callable[[Message], int | Message], name: str = "function", ms: int = 1000) -> None:
        self.name = name
        self._function = function
        self._ms = ms

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Ints:
        """Choose for each view, as Bot says; BotError if the function names no legal move."""
        return np.array([self._one(view, rng) for view in views], np.int64)

    def _one(self, view: View, rng: np.random.Generator) -> int:
        answer = self._function(act_message(view, 1, self._ms, rng.integers(1, 1 << 64, 2, np.uint64)))
        index = answer.get("index") if isinstance(answer, dict) else answer
        if not is_index(index, len(view.legal)):
            raise BotError(f"The bot {self.name!r} answered {answer!r}, but there are {len(view.legal)} legal moves.")
        return int(index)


def is_index(value: object, count: int) -> bool:
    """Whether a value is an index of one of `count` moves."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < count
