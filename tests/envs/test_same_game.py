"""One seed is one game: in every environment, batch, thread and process, whoever carries out the moves."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env.bot import BatchBot, Bot, RunningBot, make_bot
from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from tests.envs.players import SHORT, Picker, pick, play_aec, short_env

SEED = 11


def picks(env: MexicanTrainVectorEnv) -> NDArray[np.int64]:
    """The actions of `pick` in every game."""
    tables = env.tables
    legal = [tables.actions[g, : tables.counts[g]] for g in range(env.num_envs)]
    return np.array([ids[pick(tables.games[g], ids)] for g, ids in enumerate(legal)], np.int64)


def by_hand(rules: Rules) -> list[tuple[int, bytes]]:
    """The game of SEED by `pick`: who is to move and the record, at every decision."""
    game, found = Game(rules, SEED), []
    while not game.over:
        if game.round_over:
            game.next_round()
        found.append((int(game.state["seat"]), game.games.tobytes()))
        legal = game.legal_ids()
        game.act(legal[pick(game.state, legal)])
    return found


def by_aec(rules: Rules) -> Iterator[bytes]:
    env = RawMexicanTrain(rules)
    env.reset(seed=SEED)
    while not env.terminations[env.agent_selection]:
        yield env.tables.games.tobytes()
        legal = env.tables.actions[0, : env.tables.counts[0]]
        env.step(legal[pick(env.tables.games[0], legal)])


def by_parallel(rules: Rules) -> Iterator[bytes]:
    env = mexican_train_v0.parallel_env(rules)
    env.reset(seed=SEED)
    tables = env._table.tables
    while env.agents:
        yield tables.games.tobytes()
        legal = tables.actions[0, : tables.counts[0]]
        env.step({env.to_move: legal[pick(tables.games[0], legal)]})


def by_vector(rules: Rules, count: int, place: int, **options: Any) -> Iterator[bytes]:
    """The game at `place` among `count` others."""
    env = MexicanTrainVectorEnv(count, rules=rules, **options)
    env.reset(seed=SEED - place)
    over = False
    while not over:
        yield env.tables.games[place : place + 1].tobytes()
        over = bool(env.step(picks(env))[2][place])


def by_learner(rules: Rules, seat: int) -> Iterator[bytes]:
    env = MexicanTrainEnv(Picker(), rules, seat=seat)
    env.reset(seed=SEED)
    over = False
    while not over:
        yield env.tables.games.tobytes()
        legal = np.flatnonzero(env.action_masks())
        over = env.step(legal[pick(env.tables.games[0], legal)])[2]


@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay-chosen", "deluxe"])
def test_a_seed_is_one_game_in_every_environment_and_batch(preset: str) -> None:
    rules = Rules.preset(preset, **SHORT)
    decisions = by_hand(rules)
    want = [record for _, record in decisions]
    assert list(by_aec(rules)) == want
    assert list(by_parallel(rules)) == want
    for count, place in ((1, 0), (2, 1), (7, 3)):
        assert list(by_vector(rules, count, place)) == want
    for seat in range(rules.num_players):
        its = [record for mover, record in decisions if mover == seat]
        assert list(by_learner(rules, seat)) == its
        assert list(by_vector(rules, 3, 2, opponents=Picker(), seat=seat)) == its


class Chooser:
    """A bot that is asked for every move; what it would do by itself is hidden."""

    def __init__(self, name: str) -> None:
        bot = make_bot(name)
        assert isinstance(bot, RunningBot)
        self.name, self.fair, self.act, self.choose = bot.name, bot.fair, bot.act, bot.choose


@pytest.mark.parametrize("names", [["easy"], ["hard"], ["easy", "hard", "easy"]])
@pytest.mark.parametrize("preset", ["core", "deluxe", "dominoplay-chosen"])
@pytest.mark.parametrize("skip_forced", [False, True])
def test_bots_that_play_on_by_themselves_make_the_moves_that_they_choose(
    names: list[str], preset: str, skip_forced: bool
) -> None:
    choosers = {name: Chooser(name) for name in names}
    assert not any(isinstance(bot, RunningBot) or not isinstance(bot, BatchBot) for bot in choosers.values())
    mixed: list[str | Bot] = [*names[:-1], choosers[names[-1]]]
    runs = []
    for opponents in (names, [choosers[name] for name in names], mixed):
        env = MexicanTrainVectorEnv(3, opponents, Rules.preset(preset, **SHORT), skip_forced=skip_forced)
        env.reset(seed=SEED)
        runs.append([(env.step(picks(env))[1].tolist(), env.tables.games.tobytes()) for _ in range(60)])
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("opponents", [None, ["easy", "hard", "medium"]])
def test_threads_change_nothing(opponents: Any) -> None:
    def play(seed: int) -> str:
        env = MexicanTrainVectorEnv(8, opponents, "deluxe", episode="round", observation="uint8")
        env.reset(seed=seed)
        digest = hashlib.sha1(usedforsecurity=False)
        for _ in range(150):
            observation, _, _, _, infos = env.step(picks(env))
            digest.update(observation.tobytes() + infos["rewards"].tobytes())
        return digest.hexdigest()

    alone = [play(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(4))) == alone
    assert len(set(alone)) == 4


def digest() -> str:
    """The hash of games in several environments, opponents too."""
    rules = Rules.preset("deluxe", **SHORT)
    ways: list[Callable[[], Iterator[bytes]]] = [
        lambda: by_aec(rules),
        lambda: by_vector(rules, 3, 1),
        lambda: by_vector(rules, 2, 1, opponents=["easy", "hard", "medium"]),
    ]
    return hashlib.sha1(b"".join(b"".join(way()) for way in ways), usedforsecurity=False).hexdigest()


def test_another_process_changes_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "from tests.envs.test_same_game import digest; print(digest())"],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest()


@pytest.mark.parametrize("episode", ["game", "round"])
def test_episodes_that_follow_each_other_are_the_same_in_every_batch(episode: Any) -> None:
    dealt = []
    for env in (MexicanTrainVectorEnv(1, rules="core", episode=episode), MexicanTrainVectorEnv(5, episode=episode)):
        env.reset(seed=2)
        openings = []
        for _ in range(3):
            openings.append(env.tables.games[:1].tobytes())
            terminated = np.zeros(1, bool)
            while not terminated[0]:
                _, _, terminated, _, _ = env.step(picks(env))
        dealt.append(openings)
    assert dealt[0] == dealt[1] and len(set(dealt[0])) == 3
    one = RawMexicanTrain(episode=episode)
    one.reset(seed=2)
    assert one.tables.games.tobytes() == dealt[0][0]
    play_aec(one, 2)
    one.reset()
    assert one.tables.games.tobytes() == dealt[0][1]


def test_without_a_seed_every_environment_is_another_game() -> None:
    games = set()
    for _ in range(3):
        env = short_env()
        env.reset()
        games.add(env.tables.games.tobytes())
        env.reset()
        games.add(env.tables.games.tobytes())
    assert len(games) == 6
