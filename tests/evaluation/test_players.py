"""A bot that fails is overruled by the first legal action, counted, and named in every report."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mtrain_env.bot import View, make_bot
from mtrain_env.bots.scripted import Scripted
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.evaluation.matches import match
from mtrain_env.evaluation.players import by_name
from mtrain_env.rules import Rules

RULES = Rules.preset("core", num_players=2, max_pip=6, hand_size=4)


class First:
    """The first legal action."""

    name = "first"
    fair = True

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int]:
        """Choose for each view."""
        return [0 for _ in views]


class Crashing(First):
    """Never answers."""

    name = "crashing"

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int]:
        """Fail."""
        raise RuntimeError("no idea")


class Answering(First):
    """Gives whatever answer it is made with."""

    name = "answering"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Any:
        """Answer, whatever is asked."""
        return self.answer


class IllegalKernel(Scripted):
    """A bot of many games at once that chooses what is not there."""

    def choose(self, games: Any, which: Any, actions: Any, counts: Any, rngs: Any, out: Any) -> None:
        """Choose one more than there are."""
        out[which] = counts[which]


class Program(First):
    """Contains its failures itself, as a bot in another process."""

    name = "program"

    def __init__(self) -> None:
        self.incidents: Counter[str] = Counter()

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int]:
        """Choose, and count every choice."""
        self.incidents["late"] += 1
        return super().act(views, rng)


@pytest.mark.parametrize(
    ("bot", "what"),
    [
        (Crashing(), "crashed"),
        (Answering([99]), "illegal"),
        (Answering([-1]), "illegal"),
        (Answering([]), "crashed"),
        (Answering(None), "crashed"),
        (Answering(["draw"]), "crashed"),
        (IllegalKernel("hard"), "illegal"),
        (Program(), "late"),
    ],
)
def test_a_failing_bot_plays_the_first_legal_action_and_every_time_counts(bot: Any, what: str) -> None:
    deals = Deals(RULES, 6)
    expected = play([First(), make_bot("easy")], [[0, 1], [1, 0]], deals)
    found = play([bot, make_bot("easy")], [[0, 1], [1, 0]], deals)
    assert np.array_equal(found.points, expected.points)
    assert found.incidents == ({what: found.incidents[0][what]}, {})
    decisions = found.clocks[0].decisions
    assert found.incidents[0][what] > decisions > 0, "the clock leaves the first call out"
    again = play([bot, make_bot("easy")], [[0, 1], [1, 0]], deals)
    assert again.incidents == found.incidents, "a match counts its own only"


def test_a_match_names_who_failed() -> None:
    assert match(First(), make_bot("easy"), RULES, 4).incidents == {}
    result = match(make_bot("easy"), Crashing(), RULES, 4)
    assert list(result.incidents) == ["crashing"] and result.incidents["crashing"]["crashed"] > 4


def test_incidents_of_many_matches_are_added_up() -> None:
    many = [(("a", "b"), ({"late": 1}, {})), (("b", "a"), ({"illegal": 2}, {"late": 3, "crashed": 1}))]
    assert by_name(many) == {"a": {"late": 4, "crashed": 1}, "b": {"illegal": 2}}
