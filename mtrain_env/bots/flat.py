"""The bot of a bundle with a flat network: observation and action mask in, a score for every action id out."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.bot import Games, Ints, KernelBot, View
from mtrain_env.bots.bundle import Bundle
from mtrain_env.bots.networks import Backend, FlatNetwork, Floats, numpy_flat_network, onnx_flat_network, pick
from mtrain_env.bots.policy import Flat
from mtrain_env.encoding.observation_layout import ObservationLayout
from mtrain_env.encoding.observations import mask_from, observe_float
from mtrain_env.engine.state import GAME
from mtrain_env.errors import BotError
from mtrain_env.rules import Rules

_GAMES_AT_ONCE: Final = 1024
"""Games judged together, so that memory does not grow with the batch."""

_FIELDS: Final[Any] = GAME.fields
_RULES: Final = slice(_FIELDS["num_actions"][1], _FIELDS["phase"][1])
"""The bytes of a GAME record that hold the rules."""


def flat_network_of(bundle: Bundle, backend: Backend = "onnx") -> FlatNetwork:
    """Return the flat network of a bundle, read from model.onnx or from model.safetensors."""
    return onnx_flat_network(bundle.onnx) if backend == "onnx" else numpy_flat_network(bundle.weights)


@jit
def write_observations(
    games: Games,
    which: Ints,
    actions: Ints,
    counts: Ints,
    offsets: Ints,
    reciprocals: Floats,
    scratch: NDArray[np.uint8],
    observations: Floats,
    masks: Floats,
) -> None:
    """Write what the seat to move knows in each game of `which`, and its legal ids as a mask, to one row each."""
    for k in range(which.shape[0]):
        g = which[k]
        seat = int64(games[g]["seat"])
        observe_float(games, g, seat, offsets, reciprocals, scratch, observations[k])
        mask_from(actions[g], int64(counts[g]), masks[k])


@jit
def legal_scores(score: Floats, which: Ints, actions: Ints, counts: Ints, out: Floats) -> None:
    """Write the scores of the legal ids of the games `which`, one game after the other, to `out`."""
    at = 0
    for k in range(which.shape[0]):
        g = which[k]
        for j in range(int64(counts[g])):
            out[at] = score[k, int64(actions[g, j])]
            at += 1


class FlatLearned(KernelBot):
    """The bot of a bundle with a flat network; it plays under rules with the layouts that this was made for."""

    def __init__(self, bundle: Bundle, backend: Backend = "onnx") -> None:
        self.name = f"learned:{bundle.name}"
        assert bundle.policy.flat is not None
        self.made_for: Flat = bundle.policy.flat
        self.network = flat_network_of(bundle, backend)
        self._layouts: dict[bytes, ObservationLayout] = {}

    def check_rules(self, rules: Rules) -> None:
        """BotError, in a sentence, if these rules have another observation or other actions than it was made for."""
        difference = self.made_for.difference(Flat.of(rules))
        if difference is not None:
            raise BotError(f"The bot {self.name} was made for other rules and cannot play under these: {difference}.")

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says; BotError as check_rules."""
        for first in range(0, len(which), _GAMES_AT_ONCE):
            part = which[first : first + _GAMES_AT_ONCE]
            observations, masks = self.seen(games, part, actions, counts)
            score, _ = self.network(observations, masks)
            legal = np.empty(int(counts[part].sum()), np.float32)
            legal_scores(score, part, actions, counts, legal)
            pick(legal, part, counts, out)

    def seen(self, games: Games, which: Ints, actions: Ints, counts: Ints) -> tuple[Floats, Floats]:
        """Return what the network reads in the games `which`: observations and masks, one row a game."""
        layout = self._layout_of(games, which)
        observations = np.empty((len(which), layout.size), np.float32)
        masks = np.empty((len(which), self.made_for.num_actions), np.float32)
        scratch = np.empty(layout.size, np.uint8)
        write_observations(
            games, which, actions, counts, layout.offsets, layout.reciprocals, scratch, observations, masks
        )
        return observations, masks

    def _layout_of(self, games: Games, which: Ints) -> ObservationLayout:
        """Return the observation's layout, which is one for all games `which`; BotError as check_rules."""
        rules = np.ascontiguousarray(games).view(np.uint8).reshape(len(games), -1)[which, _RULES]
        for g, row in zip(which, rules, strict=True):
            key = row.tobytes()
            if key not in self._layouts:
                found = View(games[g : g + 1], 0, which[:0]).rules
                self.check_rules(found)
                self._layouts[key] = ObservationLayout(found)
        return self._layouts[key]
