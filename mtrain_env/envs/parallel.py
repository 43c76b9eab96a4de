"""The PettingZoo environment in which every seat sends an action at once, all but one of them `wait`."""

from typing import Any, Final, Self

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import ParallelEnv  # type: ignore[import-untyped]

from mtrain_env.envs.aec import MaskIn, RawMexicanTrain
from mtrain_env.envs.base import Episode, Illegal, OutOfOrder, Reward, RulesLike, action_index
from mtrain_env.envs.saving import pack, unpack
from mtrain_env.errors import IllegalAction, InvalidAction
from mtrain_env.rules import Rules

_KIND: Final = "parallel"


class ParallelMexicanTrain(ParallelEnv[str, Any, Any]):  # type: ignore[misc] # PettingZoo is untyped
    """As the AEC environment, with one action per agent and step; the arguments are those of `mexican_train_v0`.

    Seats that are not to move have one legal action, `wait`; an agent that is left out of `actions` waits.
    """

    metadata: dict[str, Any] = RawMexicanTrain.metadata | {"is_parallelizable": True}

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
        options = (episode, reward, illegal, mask_in, skip_forced, render_mode, render_seat)
        self.render_mode = render_mode
        self._sit_at(RawMexicanTrain(rules, num_players, *options))
        self.agents: list[str] = []
        self._due = dict.fromkeys(self.possible_agents, 0.0)  # paid before the first step

    def _sit_at(self, table: RawMexicanTrain) -> None:
        self._table = table
        self.possible_agents = table.possible_agents
        self.action_spaces = table.action_spaces
        self.observation_spaces = table.observation_spaces

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self._table.rules

    @property
    def to_move(self) -> str:
        """The agent whose action counts in the next step."""
        return str(self._table.agent_selection)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode; return observations and infos by agent."""
        self._table.reset(seed, options)
        self.agents = [] if self._over else list(self.possible_agents)
        self._due = dict(self._table.rewards)
        return self._seen()

    @property
    def _over(self) -> bool:
        return any(self._table.terminations.values())

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Carry out the action of the agent that is to move; return everything by agent."""
        if not self.agents:
            raise OutOfOrder("No step can be made before reset() or after the end of the episode.")
        table, mover = self._table, self.to_move
        unknown = actions.keys() - set(self.agents)
        if unknown:
            raise InvalidAction(f"There is no agent {min(unknown)!r}: agents are {', '.join(self.agents)}.")
        if mover not in actions:
            raise InvalidAction(f"{mover} is to move: its action is missing.")
        wrong = self._not_waiting(actions, mover)
        if wrong:
            table.forfeit(wrong)
        else:
            table.step(actions[mover])
        rewards = {agent: table.rewards[agent] + self._due[agent] for agent in self.agents}
        self._due = dict.fromkeys(self.possible_agents, 0.0)
        observations, infos = self._seen()
        over = self._over
        if over:
            self.agents = []
        ended = dict.fromkeys(self.possible_agents, over)
        return observations, rewards, ended, dict.fromkeys(self.possible_agents, False), infos

    def _not_waiting(self, actions: dict[str, Any], mover: str) -> str:
        """The first idle agent that ends the episode because it does not wait, if illegal="terminate"; else ''."""
        illegal, act = self._table.tables.settings.illegal, self._table.tables.act
        action_index(actions[mover], act.size)
        for agent, action in actions.items():
            if agent == mover or action_index(action, act.size) == act.wait or illegal == "first_legal":
                continue
            if illegal == "raise":
                raise IllegalAction(f"{agent} is not to move and may only wait ({act.wait}), got {action!r}.")
            return agent
        return ""

    def _seen(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Observations and infos of all agents; who is not to move may wait."""
        table = self._table
        observations, infos = {}, {}
        for agent in self.possible_agents:
            observation = table.observe(agent)
            info = dict(table.infos[agent])
            if agent != table.agent_selection or self._over:
                mask: np.ndarray[Any, Any] = (observation if table.mask_in == "observation" else info)["action_mask"]
                mask[table.tables.act.wait] = 1
            observations[agent], infos[agent] = observation, info
        return observations, infos

    # -- positions

    def clone(self) -> Self:
        """An independent environment in the same position, as the AEC environment's."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._table = self._table.clone()
        twin.agents, twin._due = list(self.agents), dict(self._due)
        return twin

    def to_bytes(self) -> bytes:
        """The position with everything hidden, and the arguments that made the environment; `from_bytes` reads it."""
        return pack(_KIND, {"agents": self.agents, "due": self._due}, self._table.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, render_mode: str | None = None) -> Self:
        """The environment of `to_bytes`, in the same position; its random state goes on in the same way."""
        header, table = unpack(_KIND, data)
        inner = RawMexicanTrain.from_bytes(table, render_mode)
        env = cls(inner.rules, render_mode=render_mode)
        env._sit_at(inner)
        env.agents, env._due = header["agents"], header["due"]
        return env

    def render(self) -> Any:  # noqa: ANN401 -- by mode
        """As the AEC environment's."""
        return self._table.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._table.close()

    def __str__(self) -> str:
        return str(self.metadata["name"])
