"""The Gymnasium environment for one learner among bots."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Final, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mtrain_env.bot import Bot
from mtrain_env.envs.base import (
    Episode,
    Illegal,
    OutOfOrder,
    Reward,
    RulesLike,
    Settings,
    Tables,
    action_index,
    observation_space,
)
from mtrain_env.envs.kernels import Singles
from mtrain_env.envs.opponents import Opponents
from mtrain_env.envs.render import MODES, Renderer
from mtrain_env.envs.saving import fill, names_of, opponents_of, pack, unpack
from mtrain_env.rules import Rules

_KIND: Final = "single"
Info = dict[str, Any]


class MexicanTrainEnv(gymnasium.Env[Singles, np.int64]):
    """One learner among bots; `gymnasium.make("mtrain_env/MexicanTrain-v0", opponents=["hard"])`.

    Observation and actions are those of `mexican_train_v0`; the observation is a plain float32 vector. `action_masks()`
    is what sb3_contrib's MaskablePPO asks for, `info["action_mask"]` the same as int8. The reward of a step is all that
    the learner is paid until its next decision, the end of the episode included.

    Args:
        opponents: names of bots (`mtrain_env.bot.make_bot`) or bots, clockwise after the learner; one serves for all.
        seat: the learner's seat, None draws it for every episode.
        rules, num_players, episode, reward, illegal, skip_forced, render_mode, render_seat: as mexican_train_v0.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}  # noqa: RUF012 -- Gymnasium's contract

    def __init__(
        self,
        opponents: Sequence[str | Bot] | str | Bot = ("hard",),
        rules: RulesLike = "core",
        num_players: int | None = None,
        episode: Episode = "game",
        reward: Reward = "relative",
        illegal: Illegal = "raise",
        skip_forced: bool = False,
        seat: int | None = None,
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        settings = Settings.of(rules, num_players, episode, reward, illegal, skip_forced)
        self.tables = Tables(settings, 1)
        self._opponents = Opponents(opponents, self.tables, seat)
        self._renderer = Renderer(settings.rules, render_mode, render_seat)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.tables.obs)
        self.action_space = spaces.Discrete(self.tables.act.size)

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.tables.settings.rules

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._opponents.learner[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Singles, Info]:
        """Begin an episode and play on to the learner's first decision; `options` as mexican_train_v0."""
        opening, starter = self.tables.settings.deal(options)
        super().reset(seed=seed)
        self.tables.seed([seed])
        self._opponents.seed([seed])
        self._opponents.begin(self.tables.everyone, opening, starter)
        return self._seen()

    def step(self, action: Any) -> tuple[Singles, float, bool, bool, Info]:  # noqa: ANN401 -- it is checked
        """Carry out the learner's action and play on to its next decision, or the end."""
        tables = self.tables
        if not tables.counts[0]:
            raise OutOfOrder("No step can be made before reset() or after the end of the episode.")
        tables.chosen[0] = action_index(action, tables.act.size)
        tables.play(tables.everyone)
        self._opponents.play_on(tables.everyone)
        reward = float(tables.due[0, self.seat])
        tables.due[:] = 0.0
        over = not tables.counts[0]
        observation, info = self._seen()
        return observation, reward, over, False, info

    def _seen(self) -> tuple[Singles, Info]:
        """The learner's observation, and its mask as info; show the table if it is to be seen."""
        observation, mask = self.tables.observe(self.seat, self.tables.counts.item(0))
        if self.render_mode == "human":
            self.render()
        return observation, {"action_mask": mask}

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool[num_actions]; none once the episode is over."""
        mask = np.zeros(self.tables.act.size, np.bool_)
        mask[self.tables.actions[0, : self.tables.counts[0]]] = True
        return mask

    # -- positions

    def clone(self) -> Self:
        """An independent environment in the same position. It shares the spaces and the bots, who remember nothing."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.tables = self.tables.clone()
        twin._opponents = self._opponents.clone(twin.tables)
        twin._np_random = deepcopy(self._np_random)
        twin._renderer = self._renderer.fresh()
        return twin

    def to_bytes(self) -> bytes:
        """The position with everything hidden, and the arguments that made the environment; `from_bytes` reads it."""
        tables, opponents = self.tables, self._opponents
        header = {
            **tables.settings.arguments(),
            "opponents": names_of(opponents.given),
            "seat": opponents.fixed,
            "render_seat": self._renderer.seat,
            "over": not tables.counts[0],
        }
        return pack(_KIND, header, tables.games, tables.due, *opponents.position)

    @classmethod
    def from_bytes(
        cls, data: bytes, opponents: Sequence[str | Bot] | str | Bot | None = None, render_mode: str | None = None
    ) -> Self:
        """The environment of `to_bytes`, in the same position; its random state goes on in the same way.

        Bytes hold opponents by name only: those that were no names must be given again.
        """
        header, position = unpack(_KIND, data)
        over, names = header.pop("over"), header.pop("opponents")
        env = cls(opponents_of(names, opponents), **header, render_mode=render_mode)
        tables = env.tables
        fill(position, tables.games, tables.due, *env._opponents.position)
        tables.find_legal(over)
        env._opponents.sit_down(tables.everyone)
        return env

    # -- looking

    def render(self) -> Any:  # noqa: ANN401 -- by mode
        """As mexican_train_v0's."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing: give the environment a render_mode.")
            return None
        return self._renderer.render(self.tables.games)

    def close(self) -> None:
        """Close the window, if there is one, and end opponents that are programs."""
        self._renderer.close()
        self._opponents.close()
