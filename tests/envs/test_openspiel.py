"""The OpenSpiel game: its own checks, the same game as ours, what a seat may know, and algorithms that run on it."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python.algorithms import external_sampling_mccfr, ismcts, mcts

from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.base import OutOfOrder
from mtrain_env.envs.openspiel import CHANCE, MexicanTrainState
from mtrain_env.errors import RulesError
from tests.encoding.worlds import redealt

GAMES = ("", "(rules=pagat)", "(rules=pagat,players=2)", "(rules=dominoplay,players=3)", "(players=3,hand_size=5)")
TINY = "(players=2,max_pip=3,hand_size=3)"


def load(parameters: str) -> Any:
    return pyspiel.load_game(f"python_mexican_train{parameters}")


def positions(parameters: str, seed: int, rounds: int, share: float) -> Iterator[MexicanTrainState]:
    """Some positions of random rounds in which a seat is to move, or the round is over."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        state = load(parameters).new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
            if (state.is_terminal() or state.current_player() >= 0) and rng.random() < share:
                yield state


def known(state: MexicanTrainState, player: int) -> list[Any]:
    """All that OpenSpiel shows to a player."""
    return [
        state.information_state_string(player),
        np.array(state.information_state_tensor(player), np.float32).tobytes(),
        state.observation_string(player),
        np.array(state.observation_tensor(player), np.float32).tobytes(),
        state.legal_actions(player),
    ]


@pytest.mark.parametrize("parameters", [*GAMES, TINY])
def test_it_passes_the_checks_of_openspiel(parameters: str) -> None:
    pyspiel.random_sim_test(load(parameters), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("parameters", GAMES)
def test_it_is_the_game_of_our_environments(parameters: str) -> None:
    game = load(parameters)
    env = mexican_train_v0.raw_env(game.rules, episode="round")
    rng, decided = np.random.default_rng(1), 0
    for seed in range(10):
        env.reset(seed=seed)
        deal = env.tables.games[0].copy()
        state = game.new_initial_state()
        first = deal["hunting_seat"] if deal["hunting_seat"] >= 0 else deal["starter"]
        which = state.round.tables.settings.openings.index(int(deal["opening"]))
        state.apply_action_with_legality_check(which * game.num_players() + int(first))
        tiles = iter(deal["deck"].tolist())
        for agent in env.agent_iter():
            while state.current_player() == CHANCE:
                state.apply_action_with_legality_check(next(tiles))
            _, _, over, _, _ = env.last()
            if over:
                assert state.is_terminal()
                break
            assert f"player_{state.current_player()}" == agent
            legal = state.legal_actions()
            assert legal == np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
            assert [state.action_to_string(k) for k in legal] == [env.tables.text(0, k) for k in legal]
            action = int(rng.choice(legal))
            env.step(action)
            state.apply_action_with_legality_check(action)
        assert state.returns() == [env._cumulative_rewards[agent] for agent in env.possible_agents]
        decided += any(state.returns())
    assert decided > 5


@pytest.mark.parametrize("parameters", GAMES)
def test_another_deal_of_what_is_hidden_changes_nothing_that_a_seat_sees(parameters: str) -> None:
    rng, changed = np.random.default_rng(2), 0
    for state in positions(parameters, 3, rounds=2, share=0.15):
        for player in range(state.num_players()):
            other = state.clone()
            table = other.round
            table.tables.games[:] = redealt(table.tables.games, player, rng)
            table.tables.find_legal(over=False)
            mine = {*table.dealt_to(player), *(tile for _, tile in table.hunt())}
            for move in table.moves:
                if move[2] >= 0 and move[0] != player:
                    move[2] = int(rng.integers(table.rules.num_tiles))
            table.tiles = [k if k in mine else int(rng.integers(table.rules.num_tiles)) for k in table.tiles]
            assert known(other, player)[:4] == known(state, player)[:4]
            changed += str(other) != str(state)
    assert changed > 20


@pytest.mark.parametrize("parameters", GAMES)
def test_a_resampled_state_is_one_that_the_seat_cannot_tell_apart(parameters: str) -> None:
    rng, changed = np.random.default_rng(4), 0
    game = load(parameters)
    for state in positions(parameters, 5, rounds=2, share=0.15):
        for player in range(0 if state.is_terminal() else state.num_players()):
            other = state.resample_from_infostate(player, rng.random)
            assert known(other, player) == known(state, player)
            again = game.new_initial_state()
            for action in other.history():
                again.apply_action_with_legality_check(action)
            assert str(again) == str(other)
            assert again.round.game["tile_place"].tobytes() == other.round.game["tile_place"].tobytes()
            changed += again.round.game["tile_place"].tobytes() != state.round.game["tile_place"].tobytes()
    assert changed > 20


def test_what_is_resampled_depends_on_what_the_seat_knows_alone() -> None:
    rng = np.random.default_rng(6)
    for state in positions("", 7, rounds=1, share=0.2):
        if state.is_terminal():
            continue
        player = state.current_player()
        other = state.resample_from_infostate(player, rng.random)
        first, second = (
            str(one.resample_from_infostate(player, np.random.default_rng(8).random)) for one in (state, other)
        )
        assert first == second


def test_copies_are_independent_and_states_can_be_saved() -> None:
    for state in positions("(rules=pagat)", 9, rounds=1, share=0.2):
        game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
        assert str(game) == str(state.get_game())
        twins, before = [again, state.clone(), copy.deepcopy(state)], str(state)
        for twin in twins:
            assert [known(twin, player) for player in range(4)] == [known(state, player) for player in range(4)]
            assert (twin.history(), twin.returns()) == (state.history(), state.returns())
            if not twin.is_terminal():
                twin.apply_action(twin.legal_actions()[0])
                assert str(twin) != before == str(state)


def test_ismcts_plays_a_round() -> None:
    game = load("(players=2,max_pip=6,hand_size=5)")
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=1.0, max_simulations=10, random_state=np.random.RandomState(2))
    rng = np.random.default_rng(3)
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random))
    state, searched = game.new_initial_state(), 0
    while not state.is_terminal():
        legal = state.legal_actions()
        searched += state.current_player() >= 0 and len(legal) > 1
        action = int(rng.choice(legal)) if state.is_chance_node() else int(bot.step(state))
        state.apply_action_with_legality_check(action)
    assert searched > 2 and sum(state.returns()) == pytest.approx(0)


def test_ismcts_uses_the_resampling_of_the_state_itself() -> None:
    game = load(TINY)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=1.0, max_simulations=10)
    state = next(s for s in positions(TINY, 1, 50, 1.0) if len(s.legal_actions()) > 1)
    assert int(bot.step(state)) in state.legal_actions()


def test_mcts_and_mccfr_accept_it() -> None:
    game = load(TINY)
    state = next(s for s in positions(TINY, 1, 50, 1.0) if len(s.legal_actions()) > 1)
    searcher = mcts.MCTSBot(game, 1.0, 10, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)))
    assert searcher.step(state) in state.legal_actions()
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    solver.iteration()
    assert solver._infostates


def test_rules_that_it_does_not_have_are_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="has no special tiles: rules must not be 'deluxe'"):
        load("(rules=deluxe)")
    with pytest.raises(RulesError, match="did you mean 'core'"):
        load("(rules=cor)")
    for state in (load("").new_initial_state(), next(s for s in positions(TINY, 1, 50, 1.0) if s.is_terminal())):
        with pytest.raises(OutOfOrder, match="only while the round is played"):
            state.resample_from_infostate(0, lambda: 0.5)
