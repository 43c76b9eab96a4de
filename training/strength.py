"""How strong a network is while it learns: paired matches (evaluation/matches.py) with 95% intervals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Games, Ints, KernelBot, make_bot
from mtrain_env.evaluation.matches import MatchResult, match
from mtrain_env.evaluation.statistics import Interval
from mtrain_env.rules import Rules
from training.kernels import choose_greedy
from training.network import CandidateNetwork
from training.player import Player


class NetworkBot(KernelBot):
    """A network in memory as a bot: plays the move with the highest score; `node_cap` as Player."""

    def __init__(self, network: CandidateNetwork, node_cap: int, name: str = "learned") -> None:
        self.name, self._network, self._node_cap = name, network, node_cap
        self._player: Player | None = None

    def choose(
        self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: NDArray[np.uint64], out: Ints
    ) -> None:
        """Choose for many games, as BatchBot says."""
        if self._player is None:
            self._player = Player(self._network, actions.shape[1], self._node_cap)
        places, numbers = np.asarray(which, np.int64), np.asarray(counts, np.int32)
        _, score, _ = self._player(games, places, np.asarray(actions, np.int16), numbers)
        moves = np.empty(len(games), np.int64)
        choose_greedy(score, places, numbers, rngs[:, 0], 0.0, moves, np.empty(len(which), np.int64))
        out[which] = moves[which]


def strength(
    network: CandidateNetwork, node_cap: int, rules: Rules, others: str, deals: int, seed: int, first: int = 0
) -> MatchResult:
    """Play one seat of the network against copies of the bot `others`, on the deals of `seed` from `first` on."""
    return match(NetworkBot(network, node_cap), make_bot(others), rules, deals, seed, first=first)


def sentence(result: MatchResult) -> str:
    """Return a line about a match."""
    return (
        f"{result.deals.rules.num_players} players, one among {result.others}: {_interval(result.pips_difference)} "
        f"pips a round (below 0 is better), rounds won {_percent(result.rounds_won)} (fair "
        f"{result.fair_share:.0%}), {result.deals.count} deals in all seats, {result.microseconds:.0f} us a decision"
    )


def as_dict(result: MatchResult) -> dict[str, Any]:
    """Return a match as plain JSON values."""
    pips, won = result.pips_difference, result.rounds_won
    return {
        "rules": result.deals.rules.name,
        "players": result.deals.rules.num_players,
        "others": result.others,
        "deals": result.deals.count,
        "deals_name": result.deals.name,
        "pips_difference": [pips.mean, pips.low, pips.high],
        "rounds_won": [won.mean, won.low, won.high],
        "microseconds": result.microseconds,
    }


def _interval(value: Interval) -> str:
    return f"{value.mean:+.2f} [{value.low:+.2f}, {value.high:+.2f}]"


def _percent(value: Interval) -> str:
    return f"{value.mean:.1%} [{value.low:.1%}, {value.high:.1%}]"
