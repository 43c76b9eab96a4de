"""Bots from outside: what a bot is (`Bot`), what it sees (`View`), and how it is made from a name (`make_bot`).

A bot sees only its own seat's view of a game. Bots that are kernels also choose for many games in one call
(`BatchBot`): `batched` gives any bot that form, so callers need only this one. Some carry out their moves, too
(`RunningBot`).
"""

import difflib
import functools
import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.actions import ActionLayout
from mtrain_env.encoding.notation import action_text
from mtrain_env.encoding.position import history_of
from mtrain_env.engine.determinize import blank
from mtrain_env.engine.rng import random_bits
from mtrain_env.errors import BotError
from mtrain_env.rules import CHOICES, STARTERS, Rules

Games = NDArray[np.void]
"""An array of GAME records."""
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class View:
    """What one seat may know at its decision, as plain data."""

    game: Games
    """One GAME record, with everything blanked that the seat cannot know."""
    seat: int
    legal: Ints
    """The legal action ids, ascending."""

    @cached_property
    def rules(self) -> Rules:
        """The rules of the game, named `custom`."""
        return _rules_of(tuple(int(self.game[0][field]) for field in _RULE_FIELDS))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The legal actions as text (RULES.md, section 8)."""
        layout = _layout(self.rules)
        return tuple(action_text(layout, self.game[0], int(action)) for action in self.legal)

    @cached_property
    def history(self) -> tuple[dict[str, Any], ...]:
        """What everybody saw of the round so far, and what the seat drew: events as in docs/bots.md."""
        return tuple(history_of(self.game[0], self.seat))


@runtime_checkable
class Bot(Protocol):
    """Anything that plays. It remembers nothing: equal views and equal states of `rng` give equal moves."""

    name: str
    fair: bool
    """It uses nothing but the view; an unfair bot is barred from ratings."""

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int] | Ints:
        """Return, for each view, the index of the chosen action in its `legal`."""
        ...


@runtime_checkable
class BatchBot(Bot, Protocol):
    """A bot that also chooses for many games at once, straight from their records."""

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Write to `out[g]`, for each game g of `which`, an index into its legal ids `actions[g, :counts[g]]`.

        `rngs` (games, seats, 2) is random state by game and seat, changed where the bot draws from it. So a
        move depends on its game and seat alone, not on the batch. `which` and `out` are int64, `actions`
        int16, `counts` int32.
        """
        ...


@runtime_checkable
class RunningBot(BatchBot, Protocol):
    """A BatchBot that also carries out what it chooses: all moves until another seat's turn are one call."""

    def play_on(
        self,
        games: Games,
        which: Ints,
        actions: Ints,
        counts: Ints,
        rngs: NDArray[np.uint64],
        seats: NDArray[np.uint32],
    ) -> None:
        """Act in each game g of `which` for as long as the seat to act is one of `seats[g]`, bits by seat.

        A single legal action is carried out; otherwise the move is that of `choose`, whose arguments these are. Changes
        `games`, and leaves in `actions[g, :counts[g]]` the legal ids of the seat that is to act now, none at the end of
        a round.
        """
        ...


@runtime_checkable
class Outsider(Bot, Protocol):
    """A bot that is no code of this process: it can fail in ways that must not end a game, and has to be ended."""

    def take_incidents(self) -> list[str]:
        """Return, for each move since the last call that was not the bot's own, what went wrong."""
        ...

    def result(self, seats: Sequence[int], pips: Sequence[int], totals: Sequence[int], over: bool) -> None:
        """Hear the end of a round played in these seats: pips and totals of all seats, and if the game is over."""
        ...

    def close(self) -> None:
        """End what runs for the bot; it is started again when it is asked again."""
        ...


def incidents_of(bot: Bot) -> list[str]:
    """Return what went wrong with a bot since the last call, a word a move; nothing can go wrong with most bots."""
    return bot.take_incidents() if isinstance(bot, Outsider) else []


def tell_result(seated: Sequence[Bot | None], pips: Sequence[int], totals: Sequence[int], *, over: bool) -> None:
    """Tell the bots, by seat (None = a person), how a round ended, or the game (`over`)."""
    for bot in {id(bot): bot for bot in seated}.values():
        if isinstance(bot, Outsider):
            seats = [seat for seat, other in enumerate(seated) if other is bot]
            bot.result(seats, [int(x) for x in pips], [int(x) for x in totals], over)


def close_bot(bot: Bot) -> None:
    """End what runs for a bot, if anything does."""
    if isinstance(bot, Outsider):
        bot.close()


class KernelBot(ABC):
    """Base of bots that are kernels: `act` by `choose`."""

    name: str
    fair: bool = True

    @abstractmethod
    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Ints:
        """Choose for each view, as Bot says."""
        if not views:
            return np.zeros(0, np.int64)
        games = np.concatenate([view.game for view in views])
        counts = np.array([len(view.legal) for view in views], np.int32)
        actions = np.zeros((len(views), counts.max()), np.int16)
        for view, row in zip(views, actions, strict=True):
            row[: len(view.legal)] = view.legal
        seats = int(games["num_players"].max())
        rngs = rng.integers(1, 1 << 64, (len(views), seats, 2), np.uint64)
        out = np.zeros(len(views), np.int64)
        self.choose(games, np.arange(len(views)), actions, counts, rngs, out)
        return out


class OneByOne:
    """Any bot as a BatchBot: one call of `act` for each decision, each with its own random generator."""

    def __init__(self, bot: Bot) -> None:
        self.name, self.fair, self.act = bot.name, bot.fair, bot.act

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        for g in map(int, which):
            seat = int(games[g]["seat"])
            view = view_of(games, g, seat, actions[g, : counts[g]])
            words = [int(random_bits(rngs[g, seat])) for _ in range(4)]
            (out[g],) = self.act([view], np.random.default_rng(words))


def batched(bot: Bot) -> BatchBot:
    """Return the bot itself if it chooses for many games at once, else the bot in that form."""
    return bot if isinstance(bot, BatchBot) else OneByOne(bot)


_CODES: Final = {field: values for field, values in CHOICES.items() if field not in ("max_pip", "starter")}
_RULE_FIELDS: Final = (
    *_CODES,
    "starter_rule",
    "num_players",
    "max_pip",
    "hand_size",
    "num_rounds",
    "double_blank_points",
)


@functools.lru_cache(maxsize=64)
def _rules_of(numbers: tuple[int, ...]) -> Rules:
    """Return the rules with these _RULE_FIELDS of a record; a code is the index of the value in CHOICES."""
    fields: dict[str, object] = dict(zip(_RULE_FIELDS, numbers, strict=True))
    fields |= {field: values[number] for (field, values), number in zip(_CODES.items(), numbers, strict=False)}
    fields["starter"] = STARTERS[numbers[len(_CODES)]]
    del fields["starter_rule"]
    fields["opening_turn" if fields["opening_source"] == "set_out" else "starter"] = None
    if not fields["special_tiles"]:
        fields |= {"derail": None, "derail_once": None}
    return Rules(**fields)


@functools.lru_cache(maxsize=64)
def _layout(rules: Rules) -> ActionLayout:
    return ActionLayout(rules)


def view_of(games: Games, i: int, seat: int, legal: Ints) -> View:
    """Return what `seat` may know of game `i`, with its legal ids."""
    game = np.zeros(1, games.dtype)
    blank(games, i, seat, game, 0)
    return View(game, seat, legal.copy())


BOTS: Final = MappingProxyType(
    {
        "easy": "mtrain_env.bots.scripted:easy",
        "medium": "mtrain_env.bots.scripted:medium",
        "hard": "mtrain_env.bots.scripted:hard",
        "expert": "mtrain_env.bots.expert:make",
        "oracle": "mtrain_env.bots.oracle:make",
    }
)
"""Functions that make a bot, by its name; their modules are imported when a bot is made."""

FAMILIES: Final = MappingProxyType(
    {
        "expert": ("mtrain_env.bots.expert:make", "ROLLOUTS"),
        "oracle": ("mtrain_env.bots.oracle:make", "hands"),
        "learned": ("mtrain_env.bots.learned:make", "PATH"),
        "search": ("mtrain_env.bots.search:make", "PATH"),
        "external": ("mtrain_env.bots.external:make", "COMMAND"),
    }
)
"""Functions of one text that make a bot, by the word before the colon, and what the text is."""


_NAMES: Final = re.compile(r"""(?:[^,'"]|'[^']*'|"[^"]*"|['"])+""")


def bot_names(text: str) -> list[str]:
    """Return the names in a list such as `hard,external:python3 bot.py 'a,b'`: a comma in quotes is part of a name."""
    return [name.strip() for name in _NAMES.findall(text) if name.strip()]


def make_bot(name: str) -> Bot:
    """Return the bot with that name, such as `hard`, `expert:400` or `learned:checkpoints/one`."""
    word, colon, argument = name.partition(":")
    if name in BOTS:
        return cast(Bot, _load(BOTS[name])())
    if word in FAMILIES:
        target, what = FAMILIES[word]
        if not argument:
            raise BotError(f"{name!r} lacks its {what}: write {word}:{what}.")
        return cast(Bot, _load(target)(argument))
    if word in BOTS and colon:
        raise BotError(f"The bot {word!r} takes nothing after a colon, got {argument!r}.")
    known = [*BOTS, *(f"{family}:{what}" for family, (_, what) in FAMILIES.items())]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
    raise BotError(f"{name!r} is no bot; {hint}")


def _load(target: str) -> Any:  # noqa: ANN401 -- whatever the module defines
    module, _, function = target.partition(":")
    return getattr(importlib.import_module(module), function)
