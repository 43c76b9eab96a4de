"""The PettingZoo environments in which seats move one after the other (AEC)."""

from typing import Any, Final, Literal, Self, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv, AECIterable, AECIterator  # type: ignore[import-untyped]

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
    one_of,
)
from mtrain_env.envs.kernels import PENALTY
from mtrain_env.envs.render import MODES, Renderer
from mtrain_env.envs.saving import fill, pack, unpack
from mtrain_env.errors import IllegalAction, InvalidAction
from mtrain_env.rules import Rules

MaskIn = Literal["observation", "infos"]
Observation = Any
"""float32[size], or with mask_in="observation" a dict of `observation` and `action_mask`."""

_KIND: Final = "aec"
_AFTER_RESET: Final = frozenset(
    {
        *("agents", "num_agents", "agent_selection", "rewards", "_cumulative_rewards"),
        *("terminations", "truncations", "infos"),
    }
)


class RawMexicanTrain(AECEnv[str, Any, Any]):  # type: ignore[misc] # PettingZoo is untyped
    """One table for all seats; the arguments are explained in `mexican_train_v0`.

    Attributes:
        tables: the game itself, its legal actions and what is due (envs.base.Tables, one table).
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- PettingZoo's contract
        "name": "mexican_train_v0",
        "render_modes": list(MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    _cumulative_rewards: dict[str, float]

    def __init__(
        self,
        rules: RulesLike = "core",
        num_players: int | None = None,
        episode: Episode = "game",
        reward: Reward = "relative",
        illegal: Illegal = "raise",
        mask_in: MaskIn = "observation",
        skip_forced: bool = False,
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        super().__init__()
        settings = Settings.of(rules, num_players, episode, reward, illegal, skip_forced)
        one_of("mask_in", mask_in, MaskIn)
        self.tables = Tables(settings, 1)
        self.mask_in = mask_in
        self.render_mode = render_mode
        self._renderer = Renderer(settings.rules, render_mode, render_seat)
        self.possible_agents = [f"player_{seat}" for seat in range(settings.rules.num_players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._masked = mask_in == "observation"
        size = self.tables.act.size
        self.action_spaces = {agent: spaces.Discrete(size) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self._count = 0  # legal actions of the seat to move, 0 once the episode is over
        self._seat = 0
        self._ready = False  # reset has been called
        self._paid = False  # `rewards` is not all 0

    def _observation_space(self) -> spaces.Space[Any]:
        box = observation_space(self.tables.obs)
        if not self._masked:
            return box
        mask = spaces.Box(0, 1, (self.tables.act.size,), np.int8)
        return spaces.Dict({"observation": box, "action_mask": mask})

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.tables.settings.rules

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent, always the same object."""
        return self.action_spaces[agent]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- it never returns, but Any lets mypy see base classes
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset().")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # -- playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode: that of the seed, or another one. `options`: see mexican_train_v0."""
        tables = self.tables
        opening, starter = tables.settings.deal(options)
        tables.seed([seed])
        tables.begin(tables.everyone, opening, starter)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._info() for agent in self.agents}
        self._skip_agent_selection = None
        self._ready = True
        self._paid = False
        self._take_over(bool(tables.due.any()))
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:  # noqa: ANN401 -- whatever a caller sends is checked
        """Carry out an action of `agent_selection`, an id of its action space; None for an agent that is done."""
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations[agent]:
            self._dead_step(action)
            return
        tables = self.tables
        tables.chosen[0] = action_index(action, tables.act.size)
        unpaid = tables.play(tables.everyone)
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if not self._masked:
            self.infos[agent] = self._info()
        self._take_over(unpaid != 0)
        if self.render_mode == "human":
            self.render()

    def _take_over(self, unpaid: bool) -> None:
        """Read the tables: who is to move, what is paid, whether the episode is over."""
        tables = self.tables
        self._count = tables.counts.item(0)
        self._seat = tables.seats.item(0)
        if unpaid:
            self.rewards = dict(zip(self.agents, tables.due[0].tolist(), strict=True))
            tables.due[:] = 0.0
            self._accumulate_rewards()
            self._paid = True
        if self._count == 0:
            self.terminations = dict.fromkeys(self.agents, True)
            self._skip_agent_selection = None
            self.agent_selection = self.possible_agents[self._seat]
            self._deads_step_first()
            return
        self.agent_selection = agent = self.possible_agents[self._seat]
        if not self._masked:
            self.infos[agent] = self._info(self._count)

    def _info(self, count: int = 0) -> dict[str, Any]:
        """The info of an agent that has so many legal actions."""
        if self._masked:
            return {}
        mask = np.zeros(self.tables.act.size, np.int8)
        mask[self.tables.actions[0, :count]] = 1
        return {"action_mask": mask}

    def _dead_step(self, action: Any) -> None:  # noqa: ANN401
        """A step of an agent that is done, which removes it."""
        if not self.agents:
            raise OutOfOrder("The episode is over and every agent has left: call reset().")
        if action is not None:
            raise IllegalAction(f"{self.agent_selection} is done and can only step(None), got {action!r}.")
        self._was_dead_step(action)

    def forfeit(self, agent: str) -> None:
        """End the episode at once, with the penalty of an illegal action for `agent`."""
        tables = self.tables
        tables.counts[0] = 0
        tables.due[0, self._seat_of[agent]] = PENALTY
        self._take_over(unpaid=True)

    def observe(self, agent: str) -> Observation:
        """What an agent knows at this moment, whoever is to move; its mask is all 0 unless it is to move."""
        if not self._ready:
            raise OutOfOrder("Nothing can be observed before reset().")
        try:
            seat = self._seat_of[agent]
        except KeyError:
            raise InvalidAction(f"There is no agent {agent!r}: agents are {', '.join(self.possible_agents)}.") from None
        observation, mask = self.tables.observe(seat, self._count if seat == self._seat else 0)
        return {"observation": observation, "action_mask": mask} if self._masked else observation

    # -- positions

    def clone(self) -> Self:
        """An independent environment in the same position. It shares the spaces; deepcopy does not, and is slower."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.tables = self.tables.clone()
        twin._renderer = self._renderer.fresh()
        for name in _AFTER_RESET & self.__dict__.keys():
            value = getattr(self, name)
            setattr(twin, name, value if isinstance(value, str) else value.copy())
        return twin

    def to_bytes(self) -> bytes:
        """The position with everything hidden, and the arguments that made the environment; `from_bytes` reads it."""
        names = sorted((_AFTER_RESET - {"infos"}) & self.__dict__.keys())
        header = {
            **self.tables.settings.arguments(),
            "mask_in": self.mask_in,
            "render_seat": self._renderer.seat,
            "over": self._count == 0,
            "state": {name: getattr(self, name) for name in names},
        }
        return pack(_KIND, header, self.tables.games)

    @classmethod
    def from_bytes(cls, data: bytes, render_mode: str | None = None) -> Self:
        """The environment of `to_bytes`, in the same position; its random state goes on in the same way."""
        header, game = unpack(_KIND, data)
        state, over = header.pop("state"), header.pop("over")
        env = cls(**header, render_mode=render_mode)
        fill(game, env.tables.games)
        env._load(state, over)
        return env

    def _load(self, state: dict[str, Any], over: bool) -> None:
        """Take over the position that `tables.games` holds, `state` being that of `to_bytes`."""
        tables = self.tables
        tables.find_legal(over)
        if not state:
            return
        self.__dict__.update(state)
        self.infos = {agent: self._info() for agent in self.agents}
        self._skip_agent_selection = None
        self._ready = True
        self._paid = any(self.rewards.values())
        self._count, self._seat = tables.counts.item(0), tables.seats.item(0)
        if self._count:
            self.infos[self.agent_selection] = self._info(self._count)

    # -- looking

    def render(self) -> Any:  # noqa: ANN401 -- by mode
        """The table as `render_mode` says: text, SVG text or uint8[height, width, 3]; None for `human`."""
        if not self._ready:
            raise OutOfOrder("Nothing can be rendered before reset().")
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing: give the environment a render_mode.")
            return None
        return self._renderer.render(self.tables.games)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def __repr__(self) -> str:
        settings = self.tables.settings
        turn = f", {self.agent_selection} to move" if self._ready and self._count else ""
        return (
            f"<{self.metadata['name']} {settings.rules.name}, {self.tables.players} players, {settings.episode}{turn}>"
        )


class MexicanTrain(RawMexicanTrain):
    """As RawMexicanTrain, and picky about the order of calls as PettingZoo's OrderEnforcingWrapper is."""

    _moved = True  # reset or step has been called since agent_iter gave an agent

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """As RawMexicanTrain.reset."""
        super().reset(seed, options)
        self._moved = True

    def step(self, action: Any) -> None:  # noqa: ANN401
        """As RawMexicanTrain.step."""
        if not self._ready:
            raise OutOfOrder("No step can be made before reset().")
        super().step(action)
        self._moved = True

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """The agents in the order in which they must step, at most `max_iter` of them."""
        if not self._ready:
            raise OutOfOrder("agent_iter has no agents before reset().")
        return _Agents(self, max_iter)


class _Agents(AECIterable[str, Any, Any]):  # type: ignore[misc]
    """What agent_iter returns."""

    def __iter__(self) -> AECIterator[str, Any, Any]:
        return _AgentIterator(self.env, self.max_iter)


class _AgentIterator(AECIterator[str, Any, Any]):  # type: ignore[misc]
    """Gives the agent that must step, once for each step."""

    def __next__(self) -> str:
        agent = cast(str, super().__next__())
        if not self.env._moved:
            raise OutOfOrder("A loop over agent_iter must call step() or reset() for every agent.")
        self.env._moved = False
        return agent
