"""Matches: fair to equal bots, right about unequal ones, and the same however they are played."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import BatchBot, View, make_bot
from mtrain_env.bots.scripted import Scripted
from mtrain_env.engine import batch
from mtrain_env.engine.state import CHOOSING, new_record
from mtrain_env.errors import BotError, ConfigError
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.evaluation.matches import match, paired_difference
from mtrain_env.rules import Rules
from tests.bots.tables import legal_ids

many_rounds = pytest.mark.skipif(JIT_DISABLED, reason="thousands of rounds are for compiled code")
CORE = Rules.preset("core")
EASY, MEDIUM, HARD = map(make_bot, ("easy", "medium", "hard"))


class OtherDice(Scripted):
    """Easy with dice of its own."""

    def choose(self, games: Any, which: Any, actions: Any, counts: Any, rngs: Any, out: Any) -> None:
        """Choose with other random state."""
        other = rngs ^ np.uint64(0x9E3779B97F4A7C15)
        super().choose(games, which, actions, counts, other, out)
        rngs[:] = other ^ np.uint64(0x9E3779B97F4A7C15)


class LastLegal:
    """A plain bot; it notes how many views it was shown, and what they held."""

    name = "last"
    fair = True

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int]:
        """Choose the last legal action of each view."""
        self.views += views
        return [len(view.legal) - 1 for view in views]


@pytest.mark.parametrize("name", ["easy", "medium", "hard"])
def test_a_bot_against_itself_makes_no_difference(name: str) -> None:
    """Equal bots play the same game in every seat, so not even chance remains."""
    result = match(make_bot(name), make_bot(name), CORE, 50)
    assert 0 in result.pips_difference
    assert np.allclose(result.own, result.other) and np.allclose(result.won, 0.25)


@many_rounds
def test_equally_strong_bots_differ_by_chance_alone() -> None:
    result = match(OtherDice("easy"), EASY, CORE, 400, seed=3)
    assert result.own.std() > 0 and not np.allclose(result.own, result.other)
    assert 0 in result.pips_difference
    assert result.fair_share in result.rounds_won


@many_rounds
def test_the_levels_are_in_order() -> None:
    easy, medium = match(EASY, HARD, CORE, 200, seed=4), match(MEDIUM, HARD, CORE, 200, seed=4)
    assert medium.pips_difference.low > 0
    assert medium.pips_difference.high < easy.pips_difference.low
    assert easy.rounds_won.high < 0.25 and medium.rounds_won.high < 0.25
    assert paired_difference(medium, easy).high < 0
    assert match(HARD, MEDIUM, CORE, 200, seed=4).pips_difference.high < 0
    assert match(MEDIUM, EASY, CORE, 200, seed=4).pips_difference.high < 0


@many_rounds
@pytest.mark.parametrize("preset", ["pagat", "dominoplay", "deluxe"])
def test_hard_is_the_strongest_everywhere(preset: str) -> None:
    for players in (2, 5):
        rules = Rules.preset(preset, num_players=players)
        assert match(MEDIUM, HARD, rules, 200).pips_difference.low > 0
        assert match(EASY, HARD, rules, 200).pips_difference.low > 0


@pytest.mark.parametrize("preset", ["core", "pagat", "deluxe-random", "dominoplay-chosen"])
@pytest.mark.parametrize("mode", ["round", "game"])
def test_the_outcome_does_not_depend_on_how_many_games_are_played_at_once(preset: str, mode: Any) -> None:
    rules = Rules.preset(preset, num_players=3, num_rounds=2)
    bots = [EASY, HARD, LastLegal()]
    seatings = [[0, 1, 2], [2, 2, 0], [1, 0, 0], [0, 0, 0]]
    deals = Deals(rules, 5, seed=2, mode=mode)
    together = play(bots, seatings, deals).points
    for games_at_once in (1, 9):
        assert np.array_equal(play(bots, seatings, deals, games_at_once=games_at_once).points, together)
    later = Deals(rules, 2, seed=2, mode=mode, first=3)
    assert np.array_equal(play(bots, seatings, later).points, together[3:])


def test_a_match_is_what_a_plain_loop_plays() -> None:
    """One deal by hand: draws and passes are done, everything else is asked for."""
    deals = Deals(CORE, 2, seed=9)
    assert isinstance(HARD, BatchBot) and isinstance(MEDIUM, BatchBot)
    seating = [0, 1, 1, 0]
    expected = []
    for k in range(2):
        games = new_record(CORE)
        deals.begin(games, 0, deals.words(k))
        rngs = deals.words(k)[None, 1:5].copy()
        while ids := legal_ids(games):
            out = np.zeros(1, np.int64)
            bot = [HARD, MEDIUM][seating[games[0]["seat"]]]
            bot.choose(games, np.arange(1), np.array([ids], np.int16), np.array([len(ids)], np.int32), rngs, out)
            batch.step(games, 0, ids[out[0]], 255)
        expected.append(games[0]["pips"][:4].tolist())
    assert play([HARD, MEDIUM], [seating], deals).points[:, 0].tolist() == expected


@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay", "deluxe"])
def test_a_deal_depends_on_its_number_alone(preset: str) -> None:
    rules = Rules.preset(preset)
    deals, later = Deals(rules, 40, seed=1), Deals(rules, 20, seed=1, first=20)
    dealt = np.repeat(new_record(rules), 40)
    for k in range(40):
        deals.begin(dealt, k, deals.words(k))
    again = np.repeat(new_record(rules), 20)
    for k in reversed(range(20)):
        later.begin(again, k, later.words(k))
    assert again.tobytes() == dealt[20:].tobytes()
    assert len({game.tobytes() for game in dealt}) == 40
    assert len(set(dealt["opening"])) > 6 and set(dealt["starter"]) == {0, 1, 2, 3}


def test_later_rounds_of_a_game_are_dealt_alike_whoever_played_the_first() -> None:
    """In `deluxe`, where trades draw from the game's random state."""
    rules = Rules.preset("deluxe", num_rounds=2)
    bot = LastLegal()
    play([bot, EASY], [[0, 0, 0, 0], [0, 1, 1, 1]], Deals(rules, 2, mode="game"))
    second = [view.game[0] for view in bot.views if view.seat == 0 and view.game[0]["round"] == 2]
    assert len({s["deck"][: rules.hand_size].tobytes() for s in second}) == 2


def test_results_of_a_match_by_hand() -> None:
    result = match(MEDIUM, EASY, Rules.preset("core", num_players=3), 30)
    points = play([MEDIUM, EASY], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], result.deals).points
    for k in range(30):
        rows = [list(row) for row in points[k]]
        own = [row[seat] for seat, row in enumerate(rows)]
        won = [(row[seat] == min(row)) / row.count(min(row)) for seat, row in enumerate(rows)]
        assert result.own[k] == pytest.approx(np.mean(own))
        assert result.other[k] == pytest.approx((points[k].sum() - sum(own)) / 6)
        assert result.won[k] == pytest.approx(np.mean(won))
    assert result.microseconds > 0
    assert result.deals_for(0.5) > 3 * result.deals_for(1)


@many_rounds
def test_pips_of_games_are_per_round_and_games_are_won() -> None:
    rules = Rules.preset("core-4-rounds")
    result = match(HARD, MEDIUM, rules, 40, mode="game")
    by_round = match(HARD, MEDIUM, rules, 100)
    assert result.pips.mean == pytest.approx(by_round.pips.mean, abs=6)
    assert result.rounds_won.low > by_round.rounds_won.high > 0.25


def test_a_plain_bot_is_asked_only_where_it_has_a_choice_and_sees_no_hidden_tile() -> None:
    bot = LastLegal()
    match(bot, HARD, CORE, 3)
    assert bot.views
    for view in bot.views:
        assert len(view.legal) > 1
        assert not np.delete(view.game[0]["hand"], view.seat, axis=0).any()


def test_deals_are_named_by_all_that_makes_them() -> None:
    names = {
        Deals(CORE, 10).name,
        Deals(CORE, 11).name,
        Deals(CORE, 10, seed=1).name,
        Deals(CORE, 10, first=1).name,
        Deals(CORE, 10, mode="game").name,
        Deals(Rules.preset("core", num_players=3), 10).name,
    }
    assert len(names) == 6
    assert Deals(Rules.preset("core"), 10).name == Deals(CORE, 10).name


def test_what_cannot_be_played_or_compared_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^At least 2 deals are needed, as one alone has no interval; got 1\.$"):
        match(EASY, HARD, CORE, 1)
    with pytest.raises(ConfigError, match=r"^The seed must not be negative, got -1\.$"):
        match(EASY, HARD, CORE, 2, seed=-1)
    with pytest.raises(BotError, match="same deals"):
        paired_difference(match(EASY, HARD, CORE, 2), match(EASY, HARD, CORE, 2, seed=1))


@many_rounds
@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay", "deluxe", "dominoplay-chosen"])
def test_results_by_seat_are_counted_from_the_one_that_starts(preset: str) -> None:
    rules = Rules.preset(preset, num_players=3)
    result = match(MEDIUM, HARD, rules, 20, seed=6)
    points = play([MEDIUM, HARD], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], result.deals).points
    starters = result.deals.starters()
    assert set(starters) == {0, 1, 2}
    for k, starter in enumerate(starters):
        for after in range(3):
            seat = (starter + after) % 3
            own, others = points[k, seat, seat], np.delete(points[k, seat], seat)
            assert result.by_place[k, after] == pytest.approx(own - others.mean())
    assert [place.mean for place in result.places] == pytest.approx(result.by_place.mean(axis=0))


@pytest.mark.parametrize("mode", ["round", "game"])
@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay-chosen"])
def test_who_starts_a_deal_is_known_before_it_is_played(preset: str, mode: Any) -> None:
    """Also where that seat names the opening double first."""
    deals = Deals(Rules.preset(preset), 12, seed=4, mode=mode)
    for k, starter in enumerate(deals.starters()):
        games = new_record(deals.rules)
        deals.begin(games, 0, deals.words(k))
        if games[0]["phase"] == CHOOSING:
            batch.step(games, 0, legal_ids(games)[0], 255)
        assert games[0]["starter"] == starter
