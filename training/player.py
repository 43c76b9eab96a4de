"""A network that scores the legal moves of many games at once."""

import numpy as np
import torch

from mtrain_env.bot import Games, Ints
from mtrain_env.bots.networks import Floats
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from training.kernels import write_rows
from training.network import CandidateNetwork


class Player:
    """A network with its work space; one per thread. `most_legal`: columns of `actions` in every call.

    `node_cap`: of the searches for the longest lines in the rows.
    """

    def __init__(self, network: CandidateNetwork, most_legal: int, node_cap: int, *, bfloat16: bool = False) -> None:
        self.network, self.most_legal, self._node_cap = network, most_legal, node_cap
        self._forward = network.in_bfloat16() if bfloat16 else network
        self._columns = network.columns.numpy().astype(np.uint32)
        self._scratch = new_scratch()
        self._wide = np.zeros((most_legal, CAND_WIDTH), np.float32)

    def __call__(
        self,
        games: Games,
        which: Ints,
        actions: Ints,
        counts: Ints,
    ) -> tuple[Floats, Floats, Floats]:
        """Return rows (R, width), scores (R,) and values (R, 2) of all legal actions of the games `which`."""
        rows = np.empty((int(counts[which].sum()), self.network.width), np.float32)
        every = np.full(len(which), -1)
        write_rows(games, which, actions, counts, every, self._columns, self._node_cap, self._scratch, self._wide, rows)
        with torch.inference_mode():
            score, value = self._forward(torch.from_numpy(rows))
        return rows, score.numpy(), value.numpy()

    def judge(self, games: Games, which: Ints, actions: Ints, counts: Ints) -> tuple[Floats, Floats]:
        """Return scores and values alone, as search.Judge."""
        return self(games, which, actions, counts)[1:]
