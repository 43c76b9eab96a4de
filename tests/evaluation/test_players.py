"""A bot that fails is overruled by the first legal action, counted, and named in every report."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mtrain_env import bot as bots
from mtrain_env.bot import View, make_bot
from mtrain_env.bots.scripted import Scripted
from mtrain_env.commands import compare, evaluate, ladder
from mtrain_env.evaluation import jobs
from mtrain_env.evaluation.comparison import Versus, as_text
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.evaluation.matches import match
from mtrain_env.evaluation.named import play_matches
from mtrain_env.evaluation.players import by_name
from mtrain_env.rules import Rules
from tests.evaluation.test_ladder import call, json_of

RULES = Rules.preset("core", num_players=2, max_pip=6, hand_size=4)
WORDS = "--players 2 --set max_pip=6 --set hand_size=4 --deals 4 --processes 1"


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
        self.went_wrong: list[str] = []

    def act(self, views: Sequence[View], rng: np.random.Generator) -> Sequence[int]:
        """Choose, and count every choice."""
        self.went_wrong.append("late")
        return super().act(views, rng)

    def take_incidents(self) -> list[str]:
        """What went wrong since the last call."""
        taken, self.went_wrong = self.went_wrong, []
        return taken

    def result(self, seats: Sequence[int], pips: Sequence[int], totals: Sequence[int], over: bool) -> None:
        """Nothing to learn from."""

    def close(self) -> None:
        """Nothing to end."""


def crashing() -> Crashing:
    return Crashing()


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """`crashing` is the name of a bot."""
    monkeypatch.setattr(bots, "BOTS", {**bots.BOTS, "crashing": "tests.evaluation.test_players:crashing"})
    monkeypatch.setattr(jobs, "_bots", {})


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
    assert "crashing" in as_text(Versus(result, None))


def test_incidents_of_many_matches_are_added_up() -> None:
    many = [(("a", "b"), ({"late": 1}, {})), (("b", "a"), ({"illegal": 2}, {"late": 3, "crashed": 1}))]
    assert by_name(many) == {"a": {"late": 4, "crashed": 1}, "b": {"illegal": 2}}


@pytest.mark.usefixtures("named")
def test_every_report_tells(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    (result,) = play_matches([("crashing", "easy")], Deals(RULES, 4), folder=tmp_path)
    (resumed,) = play_matches([("crashing", "easy")], Deals(RULES, 4), folder=tmp_path)
    count = result.incidents["crashing"]["crashed"]
    assert count > 4 and resumed.incidents == result.incidents
    sentence = f"Incidents, where the first legal action was played instead: crashing {count} crashed."
    for command, words in ((compare, "crashing easy"), (evaluate, "--bots crashing,easy")):
        call(command, f"{words} {WORDS}")
        assert sentence in capsys.readouterr().out
        assert json_of(command, f"{words} {WORDS}", capsys)["incidents"] == {"crashing": {"crashed": count}}
    call(ladder, f"--bots crashing --reference easy {WORDS}")
    assert "crashing " in capsys.readouterr().out.split("Incidents, where")[1]
