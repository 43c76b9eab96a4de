"""Views, the two forms of bots, and bots by name."""

from collections.abc import Sequence

import numpy as np
import pytest

from mtrain_env.bot import BatchBot, OneByOne, View, batched, make_bot, view_of
from mtrain_env.errors import BotError
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from tests.bots.tables import LEVELS, chosen_index, every_rules, legal_ids, level, words

KNOWN = "easy, medium, hard, expert, oracle, expert:ROLLOUTS, oracle:hands, learned:PATH, search:PATH, external:COMMAND"


class Dice:
    """A bot of somebody else: plain Python, and random."""

    name = "dice"
    fair = True

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int]:
        """Choose anything."""
        return [int(rng.integers(len(view.legal))) for view in views]


def view_at(game: Game, seat: int) -> View:
    return view_of(game.games, 0, seat, np.array(game.legal_ids(), np.int16))


def test_a_view_has_texts_and_rules_and_no_hidden_tile() -> None:
    for rules in every_rules():
        game = Game(rules, seed=1)
        if game.seat is None or game.state["opening"] < 0:
            continue
        view = view_at(game, game.seat)
        assert list(view.texts) == game.legal()
        assert view.rules == Rules(**rules.as_dict() | {"name": "custom", "num_rounds": rules.rounds_in_game})
        others = [seat for seat in range(rules.num_players) if seat != view.seat]
        assert not view.game[0]["hand"][others].any()
        assert not view.game[0]["special_hand"][others].any()


@pytest.mark.parametrize("name", LEVELS)
def test_act_chooses_as_choose_does(name: str) -> None:
    bot = make_bot(name)
    games = [Game("core", seed=seed) for seed in range(5)]
    views = [view_at(game, int(game.state["seat"])) for game in games]
    moves = list(bot.act(views, np.random.default_rng(1)))
    assert moves == list(bot.act(views, np.random.default_rng(1)))
    assert all(0 <= move < len(view.legal) for move, view in zip(moves, views, strict=True))
    if name != "easy":
        assert moves == [chosen_index(level(name), game.games, words(game.games)) for game in games]
    assert len(bot.act([], np.random.default_rng(1))) == 0


def test_a_python_bot_plays_in_batches_from_the_state_of_its_seat() -> None:
    bot = batched(Dice())
    assert isinstance(bot, OneByOne) and isinstance(bot, BatchBot) and bot.name == "dice"
    games = np.concatenate([Game("core", seed=seed).games for seed in range(6)])
    ids = [legal_ids(games, i) for i in range(6)]
    counts = np.array([len(row) for row in ids], np.int32)
    actions = np.zeros((6, counts.max()), np.int16)
    for i, row in enumerate(ids):
        actions[i, : len(row)] = row
    together, alone = np.full(6, -1), np.full(6, -1)
    bot.choose(games, np.array([0, 2, 4]), actions, counts, words(games), together)
    for g in (4, 0, 2):
        bot.choose(games, np.array([g]), actions, counts, words(games), alone)
    assert list(together) == list(alone)
    assert together[1] == -1 and len(set(together)) > 2


def test_a_batch_bot_stays_itself() -> None:
    bot = make_bot("hard")
    assert batched(bot) is bot


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("hrad", "'hrad' is no bot; did you mean 'hard'?"),
        ("zzz", f"'zzz' is no bot; known are {KNOWN}."),
        ("hard:3", "The bot 'hard' takes nothing after a colon, got '3'."),
        ("learned", "'learned' lacks its PATH: write learned:PATH."),
        ("learned:", "'learned:' lacks its PATH: write learned:PATH."),
        ("", f"'' is no bot; known are {KNOWN}."),
    ],
)
def test_an_unknown_name_is_refused_in_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(BotError) as error:
        make_bot(name)
    assert str(error.value) == sentence
