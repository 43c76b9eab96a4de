"""Our vector of games as an environment of TorchRL, for every version of it from 0.11 on."""

from typing import Any

import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from mtrain_env.rules import Rules
from training.recipes.one_seat import Settings, games


class Games(EnvBase):
    """The learner's games as one batched environment: `observation`, `mask` and `action`, a row for each game.

    Attributes:
        width: numbers of an observation.
        moves: ids of actions.
    """

    def __init__(self, settings: Settings, rules: Rules) -> None:
        self.games = games(settings, rules)
        (count, width), moves = self.games.buffers.observation.shape, self.games.buffers.action_mask.shape[1]
        super().__init__(batch_size=[count])
        self.width, self.moves = width, moves
        self.observation_spec = Composite(
            observation=Unbounded((count, width)), mask=Binary(shape=(count, moves), dtype=torch.bool), shape=(count,)
        )
        self.action_spec = Categorical(moves, shape=(count,))
        self.reward_spec = Unbounded((count, 1))
        self.next_seed: int | None = settings.seed
        self.seen = TensorDict(batch_size=[count])

    def _set_seed(self, seed: int | None) -> None:
        self.next_seed = seed

    def _see(self, observation: Any, infos: dict[str, Any]) -> TensorDict:  # noqa: ANN401 -- as the games
        mask = torch.from_numpy(infos["action_mask"]).bool()
        self.seen = TensorDict(observation=torch.from_numpy(observation), mask=mask, batch_size=self.batch_size)
        return self.seen.clone(False)

    def _reset(self, tensordict: TensorDictBase | None, **kwargs: Any) -> TensorDictBase:  # noqa: ANN401 -- as TorchRL
        if tensordict is not None and "_reset" in tensordict:
            return self.seen.clone(False)  # rounds that ended have begun anew in the step before
        return self._see(*self.games.reset(seed=self.next_seed))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        observation, reward, over, _, infos = self.games.step(tensordict["action"].numpy())
        after = self._see(observation, infos)
        done = torch.from_numpy(over)[:, None]
        return after.update({"reward": torch.from_numpy(reward).float()[:, None], "terminated": done, "done": done})
