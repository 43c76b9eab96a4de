"""OpenSpiel: its information-set Monte-Carlo tree search in one seat among easy, which plays at random.

    python -m training.recipes.openspiel

Nothing is trained and no bundle is made: it shows that an algorithm of OpenSpiel plays the game fairly
(mtrain_env/envs/openspiel.py), and how well. The interval is over rounds, not over paired deals.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.algorithms import ismcts, mcts

import mtrain_env.envs.openspiel  # noqa: F401 -- registers the game
from mtrain_env.errors import ConfigError, MtrainError
from mtrain_env.evaluation.statistics import bootstrap


def play(game: Any, rounds: int, simulations: int, seed: int) -> tuple[NDArray[np.float64], int]:  # noqa: ANN401
    """Return the pips of the searching seat, less the others' mean, of each round; and its decisions."""
    rng = np.random.default_rng(seed)
    words = [np.random.RandomState(int(w)) for w in rng.integers(0, 2**31, 2)]  # what OpenSpiel takes
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, words[0]), uct_c=1.0, max_simulations=simulations, random_state=words[1]
    )
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random))
    pips, decisions = np.zeros(rounds), 0
    for k in range(rounds):
        state, own = game.new_initial_state(), k % game.num_players()
        while not state.is_terminal():
            legal = state.legal_actions()
            searched = state.current_player() == own and len(legal) > 1
            decisions += searched
            state.apply_action(int(bot.step(state)) if searched else int(rng.choice(legal)))
        pips[k] = -100 * state.returns()[own]
    return pips, decisions


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = ArgumentParser(description="OpenSpiel's ISMCTS in one seat among easy.")
    options.add_argument("-o", "--out", help="not used: nothing is exported")
    options.add_argument("--rules", default="core", help="preset (core)")
    options.add_argument("--players", type=int, default=4, help="seats (4)")
    options.add_argument("--steps", type=int, default=30, help="simulations for a decision (30)")
    options.add_argument("--seed", type=int, default=1, help="all randomness follows from it (1)")
    options.add_argument("--deals", type=int, default=60, help="rounds, the seats in turn (60)")
    given = options.parse_args(arguments)
    try:
        if given.deals < 2 or given.steps < 2:
            raise ConfigError(f"It takes 2 or more rounds and simulations, got {given.deals} and {given.steps}.")
        game = pyspiel.load_game("python_mexican_train", {"rules": given.rules, "players": given.players})
        began = time.monotonic()
        pips, decisions = play(game, given.deals, given.steps, given.seed)
    except MtrainError as error:
        print(error, file=sys.stderr)
        return 2
    found, speed = bootstrap(pips), decisions / (time.monotonic() - began)
    print(
        f"open-spiel {version('open-spiel')}: {decisions:,} decisions, {speed:,.0f}/s; "
        f"{found.mean:+.1f} [{found.low:+.1f}, {found.high:+.1f}] pips a round against easy "
        f"({given.rules}, {given.players} players, {given.deals} rounds)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
