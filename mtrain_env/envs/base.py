"""The tables that every environment plays at: games, whose turn it is, what is legal, what is to be paid.

One table or a thousand are the same thing, so a seed gives the same game in every environment.
"""

import difflib
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mtrain_env.encoding.actions import ActionLayout
from mtrain_env.encoding.notation import action_text
from mtrain_env.encoding.observation_layout import ObservationLayout
from mtrain_env.engine.batch import legal_all
from mtrain_env.engine.rng import seed_words
from mtrain_env.engine.state import new_record
from mtrain_env.envs import kernels
from mtrain_env.envs.kernels import BEGIN, MODE, Ints, Masks, Singles
from mtrain_env.errors import IllegalAction, InvalidAction, MtrainError
from mtrain_env.rules import Rules

Episode = Literal["game", "round"]
Reward = Literal["pips", "relative", "win"]
Illegal = Literal["raise", "terminate", "first_legal"]
RulesLike = Rules | str | Mapping[str, Any]

_OPEN: Final = -1


class OutOfOrder(MtrainError, RuntimeError):
    """A call at a time at which it has no meaning: a step before `reset` or after the end."""


class EnvOptionError(MtrainError, ValueError):
    """An option of an environment, or of its `reset`, that cannot be."""


def one_of(name: str, value: object, choices: Any) -> int:  # noqa: ANN401 -- a Literal
    """Return the index of `value` among the values of a Literal; EnvOptionError if it is none of them."""
    known = get_args(choices)
    if value not in known:
        raise EnvOptionError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}.")
    return int(known.index(value))


@dataclass(frozen=True)
class Settings:
    """What is played for what: the options that all environments share."""

    rules: Rules
    episode: Episode = "game"
    reward: Reward = "relative"
    illegal: Illegal = "raise"
    skip_forced: bool = False

    @classmethod
    def of(
        cls,
        rules: RulesLike,
        num_players: int | None,
        episode: Episode,
        reward: Reward,
        illegal: Illegal,
        skip_forced: bool,
    ) -> Self:
        """Return checked settings from the arguments of an environment."""
        one_of("episode", episode, Episode)
        one_of("reward", reward, Reward)
        one_of("illegal", illegal, Illegal)
        chosen = {} if num_players is None else {"num_players": num_players}
        return cls(Rules.of(rules, **chosen), episode, reward, illegal, bool(skip_forced))

    def arguments(self) -> dict[str, Any]:
        """The same as plain data, by the names that the environments give them."""
        plain = {name: getattr(self, name) for name in ("episode", "reward", "illegal", "skip_forced")}
        return {"rules": self.rules.as_dict(), **plain}

    @property
    def openings(self) -> list[int]:
        """The opening doubles that a round may have which is an episode, equally likely."""
        numbers = self.rules.order_numbers
        in_order = self.rules.opening_order not in ("random", "chosen")
        return numbers[: self.rules.rounds_in_game] if in_order else numbers

    def mode(self) -> NDArray[np.void]:
        """The settings for the kernels: an array of one MODE record."""
        mode = np.zeros(1, MODE)
        mode["per_round"] = self.episode == "round"
        mode["reward"] = get_args(Reward).index(self.reward)
        mode["illegal"] = get_args(Illegal).index(self.illegal)
        mode["skip_forced"] = self.skip_forced
        mode["num_openings"] = len(self.openings)
        mode["openings"][0, : len(self.openings)] = self.openings
        return mode

    def deal(self, options: Mapping[str, Any] | None) -> tuple[int, int]:
        """Return opening double and starter (or hunting seat) from the options of a reset, -1 = left to chance."""
        given = dict(options or {})
        found = []
        for name, allowed in (("opening", self.openings), ("starter", list(range(self.rules.num_players)))):
            value = given.pop(name, None)
            if value is None:
                found.append(_OPEN)
                continue
            if self.episode != "round":
                raise EnvOptionError(f"The option {name!r} of reset needs episode='round', got episode='game'.")
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value not in allowed:
                known = ", ".join(map(str, allowed))
                raise EnvOptionError(f"The option {name!r} of reset must be one of {known}, got {value!r}.")
            found.append(int(value))
        for name in given:
            near = difflib.get_close_matches(str(name), ("opening", "starter"), n=1, cutoff=0.75)
            if near:
                raise EnvOptionError(f"reset has no option {name!r}: did you mean {near[0]!r}?")
        return found[0], found[1]


def action_index(action: object, size: int) -> int:
    """Return an action as a Python integer; InvalidAction, in a sentence, if it is no id of 0..size-1."""
    if isinstance(action, bool | np.bool_):
        raise InvalidAction(f"An action is a whole number, got the truth value {action!r}.")
    try:
        index = operator.index(action)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidAction(f"An action is a whole number from 0 to {size - 1}, got {action!r}.") from None
    if not 0 <= index < size:
        raise InvalidAction(f"{index} is no action: ids run from 0 to {size - 1} under these rules.")
    return index


class Tables:
    """`count` tables at which the same rules are played.

    Attributes:
        games: GAME[count].
        actions: int16[count, num_actions]; actions[g, :counts[g]] are the legal ids, none once an episode is over.
        counts: int32[count].
        seats: int8[count], the seat to move, or the last one that moved.
        due: float64[count, players], what is to be paid and has not been handed out yet.
        chosen: int64[count], the choices to be carried out by `play`.
    """

    def __init__(self, settings: Settings, count: int) -> None:
        self.settings = settings
        self.count = count
        self.players = settings.rules.num_players
        self.act = ActionLayout(settings.rules)
        self.obs = ObservationLayout(settings.rules)
        self.fresh = new_record(settings.rules)
        self.mode = settings.mode()
        self.games = np.repeat(self.fresh, count)
        self.actions = np.zeros((count, self.act.size), np.int16)
        self.counts = np.zeros(count, np.int32)
        self.seats = np.zeros(count, np.int8)
        self.due = np.zeros((count, self.players))
        self.chosen = np.zeros(count, np.int64)
        self.everyone = np.arange(count)
        self._openings = np.full(count, _OPEN)
        self._starters = np.full(count, _OPEN)
        self._row = np.zeros(self.obs.size, np.uint8)
        self._bind()

    def _bind(self) -> None:
        """Keep the arguments of the kernels together: to look each up costs a tenth of a step."""
        self._playing = (
            *(self.games, self.chosen, self.fresh, self.mode, self._openings, self._starters),
            *(self.actions, self.counts, self.seats, self.due),
        )
        self._showing = (self.games, self.actions, self.obs.offsets, self.obs.reciprocals, self._row)

    def find_legal(self, over: bool) -> None:
        """Find the legal actions and the seats to move after `games` was written; `over`: the episodes have ended."""
        legal_all(self.games, self.actions, self.counts)
        if over:
            self.counts[:] = 0
        self.seats[:] = self.games["seat"]

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Set the random state of every table by its seed; None keeps it, or takes fresh entropy the first time."""
        for g, seed in enumerate(seeds):
            if seed is not None:
                self.games[g]["rng"] = seed_words(checked_seed(seed))
            elif not self.games[g]["rng"].any():
                self.games[g]["rng"] = seed_words(fresh_entropy())

    def begin(self, which: Ints, opening: int = _OPEN, starter: int = _OPEN) -> None:
        """Begin new episodes at the tables `which`, with nothing due."""
        self._openings[which] = opening
        self._starters[which] = starter
        self.chosen[which] = BEGIN
        self.due[which] = 0.0
        self.play(which)
        self._openings[which] = _OPEN
        self._starters[which] = _OPEN

    def play(self, which: Ints) -> int:
        """Carry out `chosen` at the tables `which`; return how many entries of their `due` are not 0.

        An illegal choice is treated as the settings say; IllegalAction leaves every table as it was.
        """
        done = kernels.play(which, *self._playing)
        if done < 0:
            raise self.refusal(-1 - done)
        return done

    def settle(self, which: Ints) -> None:
        """Go on to a decision, as `play`, at tables where actions were carried out on `games` themselves."""
        kernels.settle(which, self.games, self.mode, self.actions, self.counts, self.seats, self.due)

    def observe(self, seat: int, count: int) -> tuple[Singles, Masks]:
        """Return what `seat` knows of the only table, float32[obs.size], and a mask of its first `count` legal ids."""
        observation = np.empty(self.obs.size, np.float32)
        mask = np.empty(self.act.size, np.int8)
        kernels.show_one(seat, count, observation, mask, *self._showing)
        return observation, mask

    def refusal(self, g: int) -> IllegalAction:
        """The error for the choice of table `g`: what was refused, and what is legal there."""
        action = int(self.chosen[g])
        legal = [f"{self.text(g, k)} ({k})" for k in map(int, self.actions[g, : self.counts[g]])]
        where = f" in game {g}" if self.count > 1 else ""
        if not legal:
            return IllegalAction(f"Nothing can be done{where}: the episode is over, call reset().")
        return IllegalAction(
            f"player_{self.seats[g]} may not do {self.text(g, action)} ({action}) now{where};"
            f" allowed: {', '.join(legal)}."
        )

    def text(self, g: int, action: int) -> str:
        """The text of an action of the seat to move at table `g`."""
        return action_text(self.act, self.games[g], action)

    def clone(self) -> Self:
        """Independent tables in the same position; what never changes is shared."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.games = copy_games(self.games)
        for name in ("actions", "counts", "seats", "due", "chosen", "_openings", "_starters", "_row"):
            setattr(twin, name, getattr(self, name).copy())
        twin._bind()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()


def copy_games(games: NDArray[np.void]) -> NDArray[np.void]:
    """Return a copy, made as bytes: numpy copies records field by field, 50 times slower."""
    return np.frombuffer(bytearray(games.tobytes()), games.dtype)


def checked_seed(seed: object) -> int:
    """Return a seed as a Python integer; EnvOptionError if it is no whole number of at least 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise EnvOptionError(f"A seed is a whole number of at least 0, got {seed!r}.")
    return int(seed)


def fresh_entropy() -> int:
    """Return a seed that nobody chose."""
    entropy = np.random.SeedSequence().entropy
    assert isinstance(entropy, int)
    return entropy


def observation_space(
    layout: ObservationLayout, dtype: type[np.float32] | type[np.uint8] = np.float32
) -> "spaces.Box[Any]":  # quoted: generic from Gymnasium 1.3 on
    """The space of one observation: [0, 1] as float32, or each entry up to its maximum as uint8."""
    if dtype is np.uint8:
        return spaces.Box(np.zeros_like(layout.maximum), layout.maximum.copy(), dtype=np.uint8)
    return spaces.Box(0.0, 1.0, (layout.size,), np.float32)
