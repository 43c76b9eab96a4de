"""Lessons from looking ahead: costs that are fair, repeatable, and right where they can be worked out."""

import numpy as np

from mtrain_env.bots.rollout import ALL_HANDS, new_scratch
from mtrain_env.bots.search import look_ahead
from mtrain_env.encoding.candidates import NODE_CAP
from mtrain_env.envs.selfplay import SelfPlayRounds, round_words
from mtrain_env.rules import Rules
from tests.encoding.worlds import redealt
from tests.training.tiny import network_of, tiny
from training.collector import Collector
from training.lookahead import Lessons, Questions
from training.player import Player

MOST = 300


def asked(env: SelfPlayRounds, player: Player, which: np.ndarray, *, hidden: int | None = None) -> Questions:
    """Questions about the games `which`; with `hidden` their hidden tiles are dealt anew by that seed."""
    questions = Questions()
    for g in which:
        games = env.games[g : g + 1]
        if hidden is not None:
            games = redealt(games, int(games["seat"][0]), np.random.default_rng(hidden))
        rows, score, _ = player(env.games, np.array([g]), env.actions, env.counts)
        questions.ask(games, env.actions[g, : env.counts[g]], score, rows, 4, 100.0)
    return questions


def played(rules: Rules, count: int, steps: int) -> SelfPlayRounds:
    """Rounds after some random moves."""
    env, rng = SelfPlayRounds(rules, count), np.random.default_rng(1)
    env.deal(3)
    for _ in range(steps):
        env.step(rng.integers(0, np.maximum(env.counts, 1)))
    return env


def test_costs_are_those_of_the_hands_as_they_are() -> None:
    for preset in ("core", "deluxe"):
        env = played(Rules.preset(preset), 40, 12)
        player = Player(network_of(tiny(rules=preset, players=(4,))), env.actions.shape[1], NODE_CAP)
        which = env.waiting[:24]
        words = round_words(24 * 5, 1).reshape(24, 5, 2)
        questions = asked(env, player, which)
        first = questions.answered(player, words)
        assert len(first) == len(first.count) > 10
        starts = np.cumsum(first.count) - first.count
        assert not first.cost[starts].any()
        game, ids, choices = questions.games[3], questions.actions[3], questions.choices[3]
        scratch = new_scratch(player.most_legal)
        table = look_ahead(player.judge, [game], [ids], [choices], words[3:4], scratch, 1, ALL_HANDS)[0]
        mean = (table - table[:, :1]).mean(axis=0) / 100
        assert np.abs(mean).max() > 0.01
        np.testing.assert_allclose(first.cost[starts[3] : starts[4]], mean, atol=1e-6)
        other = asked(env, player, which, hidden=7).answered(player, words)
        assert np.array_equal(first.rows, other.rows), "what the pupil reads must not tell the hands"
        assert not np.array_equal(first.cost, other.cost)


def test_a_lesson_does_not_depend_on_its_neighbours() -> None:
    env = played(Rules.preset("core"), 30, 8)
    player = Player(network_of(tiny(players=(4,))), env.actions.shape[1], NODE_CAP)
    words = round_words(20 * 3, 1).reshape(20, 3, 2)
    which = env.waiting[:20]
    together = asked(env, player, which).answered(player, words)
    alone = asked(env, player, which[17:18]).answered(player, words[17:18])
    rows = slice(int(together.count[:17].sum()), int(together.count[:18].sum()))
    np.testing.assert_allclose(together.cost[rows], alone.cost, atol=1e-6)


def test_parts_of_lessons() -> None:
    lessons = Lessons(
        rows=np.arange(12, dtype=np.float32).reshape(6, 2),
        count=np.array([2, 3, 1]),
        cost=np.array([0, 1, 0, 2, 3, 0], np.float32),
    )
    rows, segment, cost = lessons.part(1, 3)
    assert rows.numpy().tolist() == [[4, 5], [6, 7], [8, 9], [10, 11]]
    assert segment.numpy().tolist() == [0, 0, 0, 1]
    assert cost.numpy().tolist() == [0, 2, 3, 0]
    assert [len(x) for x in lessons.part(0, 0)] == [0, 0, 0]


def test_a_share_of_the_decisions_is_looked_into() -> None:
    config = tiny(prior=1.0, teach_share=0.5, teach_from=2, teach_deals=2, teach_margin=10.0, players=(4,))
    collector, network = Collector(config, config.all_rules(), 12), network_of(config)
    assert collector.self_play(network, network, 1, 0.1).lessons is None
    batch = collector.self_play(network, network, 2, 0.1)
    assert batch.lessons is not None
    assert 0.3 < len(batch.lessons) / len(batch) < 0.7
    again = collector.self_play(network, network, 2, 0.1).lessons
    assert again is not None
    assert np.array_equal(again.cost, batch.lessons.cost)


def test_a_lesson_may_look_more_turns_ahead() -> None:
    env = played(Rules.preset("core"), 20, 8)
    player = Player(network_of(tiny(players=(4,))), env.actions.shape[1], NODE_CAP)
    words = round_words(10 * 3, 1).reshape(10, 3, 2)
    one, *more = (asked(env, player, env.waiting[:10]).answered(player, words, turns) for turns in (1, 2, 1000))
    assert all(len(lessons) == len(one) and (lessons.cost != one.cost).any() for lessons in more)
    pips = 3 * 3 * 100 * more[-1].cost.astype(float)  # three deals of three others: real ends are whole numbers
    np.testing.assert_allclose(pips, np.round(pips), atol=1e-3)
