"""Many games at once, arrays in and arrays out: self-play of all seats, or one learner among bots in each game."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from mtrain_env.bot import Bot
from mtrain_env.envs import kernels
from mtrain_env.envs.base import (
    EnvOptionError,
    Episode,
    Illegal,
    OutOfOrder,
    Reward,
    RulesLike,
    Settings,
    Tables,
    observation_space,
    one_of,
)
from mtrain_env.envs.opponents import Opponents
from mtrain_env.envs.render import MODES, Renderer
from mtrain_env.envs.saving import fill, names_of, opponents_of, pack, unpack
from mtrain_env.errors import InvalidAction
from mtrain_env.rules import Rules

_KIND: Final = "vector"
Precision = Literal["float32", "uint8"]
Seeds = int | Sequence[int | None] | None
Infos = dict[str, Any]


@dataclass
class Buffers:
    """The arrays that a step writes; `for_games` allocates them, but they may lie anywhere (shared memory, say).

    Attributes:
        observation: float32 or uint8 [games, size], as the seat to move knows its game.
        action_mask: int8 [games, num_actions].
        seat: int8 [games], who is to move.
        rewards: float64 [games, players], what the step paid to every seat.
        terminated: bool [games], an episode ended in this step (and a new one has begun).
        final_observation: as `observation`; rows of games that ended, as the learner or else the last mover knew them.
    """

    observation: NDArray[Any]
    action_mask: NDArray[np.int8]
    seat: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    final_observation: NDArray[Any]

    @classmethod
    def for_games(cls, games: int, observation_size: int, num_actions: int, players: int, precision: Precision) -> Self:
        """Return new buffers."""
        return cls(
            observation=np.zeros((games, observation_size), precision),
            action_mask=np.zeros((games, num_actions), np.int8),
            seat=np.zeros(games, np.int8),
            rewards=np.zeros((games, players)),
            terminated=np.zeros(games, np.bool_),
            final_observation=np.zeros((games, observation_size), precision),
        )

    def check_like(self, other: "Buffers") -> None:
        """Raise EnvOptionError unless every array has the dtype, shape and layout of the other's."""
        for name, mine in self.__dict__.items():
            want = getattr(other, name)
            if mine.dtype != want.dtype or mine.shape != want.shape or not mine.flags.c_contiguous:
                raise EnvOptionError(
                    f"buffers.{name} must be a contiguous {want.dtype}{list(want.shape)}, "
                    f"got {mine.dtype}{list(mine.shape)}."
                )


class MexicanTrainVectorEnv(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """`num_envs` games. Without opponents each step acts for the seat to move of each game (self-play).

    `step(actions)` takes one id per game and returns observations, rewards, terminations, truncations, infos:
    `infos["action_mask"]` and `infos["seat"]` go with the observations, `infos["rewards"]` [games, players] is what
    every seat was paid; the plain rewards are those of the seat that acted (of the learner, if there are opponents,
    with all that it is paid until its next decision). A game that ends begins anew in the same step
    (AutoresetMode.SAME_STEP): `terminated`, and in such steps `infos["final_obs"]` with `infos["_final_obs"]`.
    Game i of `reset(seed=s)` is the game of the seed s + i in every other environment.

    Args:
        num_envs: games.
        opponents: None for self-play, or bots as in MexicanTrainEnv.
        observation: "float32" (entries in [0, 1]) or "uint8" (whole numbers up to each entry's maximum; faster).
        copy: return fresh arrays. With False the next step overwrites them.
        buffers: arrays to write into, with copy=False; see Buffers.
        seat: the learner's seat, None draws it for every episode.
        rules, num_players, episode, reward, illegal, skip_forced, render_mode, render_seat: as mexican_train_v0.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- Gymnasium's contract
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [mode for mode in MODES if mode != "human"],
        "render_fps": 2,
    }

    def __init__(
        self,
        num_envs: int = 1,
        opponents: Sequence[str | Bot] | str | Bot | None = None,
        rules: RulesLike = "core",
        num_players: int | None = None,
        episode: Episode = "game",
        reward: Reward = "relative",
        illegal: Illegal = "raise",
        skip_forced: bool = False,
        observation: Precision = "float32",
        copy: bool = True,
        buffers: Buffers | None = None,
        seat: int | None = None,
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        settings = Settings.of(rules, num_players, episode, reward, illegal, skip_forced)
        precision = get_args(Precision)[one_of("observation", observation, Precision)]
        if num_envs < 1:
            raise EnvOptionError(f"num_envs must be at least 1, got {num_envs}.")
        if render_mode == "human":
            raise EnvOptionError("Many games have no window: render_mode must be ansi, svg or rgb_array.")
        if buffers is not None and copy:
            raise EnvOptionError("Buffers of your own need copy=False.")
        self.num_envs = num_envs
        self.tables = tables = Tables(settings, num_envs)
        own = Buffers.for_games(num_envs, tables.obs.size, tables.act.size, tables.players, precision)
        self.buffers = own if buffers is None else buffers
        self.buffers.check_like(own)
        self._copy = copy
        self._opponents = None if opponents is None else Opponents(opponents, tables, seat)
        self.render_mode = render_mode
        self._renderer = Renderer(settings.rules, render_mode, render_seat)
        dtype = np.float32 if precision == "float32" else np.uint8
        self.single_observation_space = observation_space(tables.obs, dtype)
        self.single_action_space = spaces.Discrete(tables.act.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._truncated = np.zeros(num_envs, np.bool_)
        self._rows = np.arange(num_envs)
        self._ready = False

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.tables.settings.rules

    @property
    def _observations(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Where the kernels write: bytes, and floats (without rows if observations are bytes)."""
        return self._in(self.buffers.observation)

    def _in(self, out: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        size = out.shape[1]
        if out.dtype == np.uint8:
            return out, np.zeros((0, size), np.float32)
        return np.zeros((1, size), np.uint8), out

    def reset(self, *, seed: Seeds = None, options: Infos | None = None) -> tuple[NDArray[Any], Infos]:
        """Begin an episode in every game, with one seed for each: s, s + 1, .. or those of a sequence."""
        tables = self.tables
        opening, starter = tables.settings.deal(options)
        seeds = self._seeds(seed)
        tables.seed(seeds)
        if self._opponents is None:
            tables.begin(tables.everyone, opening, starter)
            while len(over := tables.everyone[tables.counts == 0]):
                tables.begin(over, opening, starter)
        else:
            self._opponents.seed(seeds)
            self._opponents.begin(tables.everyone, opening, starter)
        self._show()
        self.buffers.terminated[:] = False
        self.buffers.rewards[:] = 0.0
        self._ready = True
        return self._given(self.buffers.observation), self._infos()

    def _seeds(self, seed: Seeds) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise EnvOptionError(f"Seeds must be one for each of the {self.num_envs} games, got {len(seeds)}.")
        return seeds

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Act once in every game; see the class."""
        if not self._ready:
            raise OutOfOrder("No step can be made before reset().")
        self._take(actions)
        if self._opponents is None:
            movers = self.tables.seats.copy()
            self._step_all()
        else:
            movers = self._opponents.learner.astype(np.int8)
            self._step_learners(self._opponents)
        out = self.buffers
        rewards = out.rewards[self._rows, movers]
        truncated = self._truncated.copy() if self._copy else self._truncated
        return self._given(out.observation), rewards, self._given(out.terminated), truncated, self._infos()

    def _take(self, actions: NDArray[Any]) -> None:
        """Take over the caller's actions; InvalidAction, in a sentence, if they are no ids."""
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise InvalidAction(
                f"actions must be integers of shape ({self.num_envs},), got {given.dtype} of shape {given.shape}."
            )
        size = self.tables.act.size
        if given.min() < 0 or given.max() >= size:
            wrong = int(np.flatnonzero((given < 0) | (given >= size))[0])
            raise InvalidAction(f"actions[{wrong}] is {given[wrong]}: ids run from 0 to {size - 1} under these rules.")
        self.tables.chosen[:] = given

    def _step_all(self) -> None:
        tables, out = self.tables, self.buffers
        rows, floats = self._observations
        final_rows, final_floats = self._in(out.final_observation)
        done = kernels.step_all(
            tables.games,
            tables.everyone,
            tables.chosen,
            tables.fresh,
            tables.mode,
            tables.actions,
            tables.counts,
            tables.seats,
            tables.due,
            tables.obs.offsets,
            tables.obs.reciprocals,
            rows,
            floats,
            out.action_mask,
            out.rewards,
            out.terminated,
            final_rows,
            final_floats,
        )
        if done < 0:
            raise tables.refusal(-1 - done)
        out.seat[:] = tables.seats

    def _step_learners(self, opponents: Opponents) -> None:
        tables, out = self.tables, self.buffers
        tables.play(tables.everyone)
        opponents.play_on(tables.everyone)
        out.rewards[:] = tables.due
        tables.due[:] = 0.0
        np.equal(tables.counts, 0, out=out.terminated)
        over = tables.everyone[out.terminated]
        if len(over):
            self._show_to(opponents.learner, over, out.final_observation)
            opponents.begin(over, -1, -1)
        self._show()

    def _show(self) -> None:
        """Write the observation, mask and seat of every game."""
        seats = self.tables.seats if self._opponents is None else self._opponents.learner
        self._show_to(seats, self.tables.everyone, self.buffers.observation)
        self.buffers.seat[:] = self.tables.seats

    def _show_to(self, seats: NDArray[np.integer[Any]], which: NDArray[np.int64], out: NDArray[Any]) -> None:
        tables = self.tables
        rows, floats = self._in(out)
        kernels.show(
            tables.games,
            which,
            seats.astype(np.int8),
            tables.obs.offsets,
            tables.obs.reciprocals,
            rows,
            floats,
            tables.actions,
            tables.counts,
            self.buffers.action_mask,
        )

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array

    def _infos(self) -> Infos:
        out = self.buffers
        infos: Infos = {name: self._given(getattr(out, name)) for name in ("action_mask", "seat", "rewards")}
        if out.terminated.any():
            infos["final_obs"] = self._given(out.final_observation)
            infos["_final_obs"] = out.terminated.copy()
        return infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of every game, bool[games, num_actions]."""
        return self.buffers.action_mask.astype(np.bool_)

    # -- positions

    def clone(self) -> Self:
        """An independent environment in the same position, with buffers of its own."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.tables = self.tables.clone()
        twin.buffers = deepcopy(self.buffers)
        if self._opponents is not None:
            twin._opponents = self._opponents.clone(twin.tables)
        twin._truncated = self._truncated.copy()
        twin._np_random = deepcopy(self._np_random)
        twin._renderer = self._renderer.fresh()
        return twin

    @property
    def _position(self) -> tuple[NDArray[Any], ...]:
        """The arrays that are the position: what the next steps depend on."""
        theirs = self._opponents.position if self._opponents is not None else ()
        return self.tables.games, self.tables.due, *theirs

    def to_bytes(self) -> bytes:
        """The positions with everything hidden, and the arguments that made the environment; `from_bytes` reads it."""
        opponents = self._opponents
        header = {
            **self.tables.settings.arguments(),
            "num_envs": self.num_envs,
            "opponents": None if opponents is None else names_of(opponents.given),
            "observation": self.buffers.observation.dtype.name,
            "copy": self._copy,
            "seat": None if opponents is None else opponents.fixed,
            "render_seat": self._renderer.seat,
            "ready": self._ready,
        }
        return pack(_KIND, header, *self._position)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        opponents: Sequence[str | Bot] | str | Bot | None = None,
        buffers: Buffers | None = None,
        render_mode: str | None = None,
    ) -> Self:
        """The environment of `to_bytes`, in the same positions; its random states go on in the same way.

        Bytes hold opponents by name only: those that were no names must be given again. Of the last step they hold
        nothing but what is to be seen now, which is in `buffers`.
        """
        header, position = unpack(_KIND, data)
        ready, names = header.pop("ready"), header.pop("opponents")
        bots = None if names is None else opponents_of(names, opponents)
        env = cls(**header, opponents=bots, buffers=buffers, render_mode=render_mode)
        fill(position, *env._position)
        if env._opponents is not None:
            env._opponents.sit_down(env.tables.everyone)
        if ready:
            env.tables.find_legal(over=False)
            env._show()
            env._ready = True
        return env

    def render(self) -> tuple[Any, ...] | None:
        """One picture for each game, as render_mode says."""
        if self.render_mode is None:
            return None
        games = self.tables.games
        return tuple(self._renderer.render(games[i : i + 1]) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ANN401 -- Gymnasium's contract
        """End opponents that are programs."""
        if self._opponents is not None:
            self._opponents.close()


__all__ = ["Buffers", "MexicanTrainVectorEnv"]
