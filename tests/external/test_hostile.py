"""Programs that misbehave: the game goes on, the record says what happened, and nothing is left running."""

import time
from pathlib import Path

import numpy as np
import pytest

from mtrain_env.bot import make_bot
from mtrain_env.bots.external.bot import INCIDENTS, MOST
from mtrain_env.encoding.record import Line, dumps, loads
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.replay import replay
from tests.external.programs import TINY, Marked, external, game_against, hostile, incidents, overruled

ALWAYS = {
    "sleep": "late",
    "slow": "late",
    "stop": "late",
    "flood of errors": "late",
    "old answers": "late",
    "garbage": "garbage",
    "binary": "garbage",
    "list": "garbage",
    "deep": "garbage",
    "digits": "garbage",
    "crash": "crashed",
    "segfault": "crashed",
    "deaf": "late",
    "mute": "crashed",
    "memory": "crashed",
    "flood": "flood",
    "flood of lines": "flood",
    "refuses": "error",
    "no index": "illegal",
    "index 9999": "illegal",
    "index -1": "illegal",
    'index "0"': "illegal",
    "index 0.0": "illegal",
    "index true": "illegal",
}
"""Programs that never give a move, and what is said of them."""


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Marked:
    return Marked(monkeypatch)


def without_legal(line: Line) -> Line:
    return {key: value for key, value in line.items() if key != "legal"}


@pytest.mark.parametrize("what", ALWAYS)
def test_the_game_goes_on_and_the_record_says_what_happened(what: str, marked: Marked) -> None:
    bot = external(hostile(what, options="ms=150" if ALWAYS[what] == "late" else "ms=5000"))
    lines = game_against(bot)
    bot.close()
    said = incidents(lines)
    decisions = [line for line in lines if line.get("seat") == 0 and "do" in line]
    assert len(said) == len(decisions) > 5
    if what == "deaf":  # some read the last message before they shut their ears, some after
        assert set(said) <= {"late", "crashed", "gone"}
    else:
        assert set(said[:MOST]) == {ALWAYS[what]} and set(said[MOST:]) <= {"gone"}
    assert set(said) <= set(INCIDENTS)
    assert [line["do"] for line in overruled(lines)] == [line["legal"][0] for line in decisions]
    assert replay(loads(dumps(lines))).history == tuple(without_legal(line) for line in lines[1:])
    assert marked.gone()


@pytest.mark.parametrize("what", ["stubborn", "ignores quit", "orphans", "well-behaved"])
def test_nothing_is_left_of_programs_that_do_not_want_to_end(what: str, marked: Marked) -> None:
    bot = external(hostile(what, options="ms=2000"))
    assert incidents(game_against(bot)) == []
    assert marked.running()
    began = time.monotonic()
    bot.close()
    assert time.monotonic() - began < 5
    assert marked.gone()
    assert incidents(game_against(bot)) == [], "a bot that was ended is started again when it is asked again"
    del bot
    assert marked.gone(), "a bot that nobody knows any more is ended"


def test_a_program_that_ends_after_each_move_is_started_again(marked: Marked) -> None:
    bot = external(hostile("once", options="ms=2000"))
    lines = game_against(bot)
    moves = sum("do" in line and line["seat"] == 0 for line in lines)
    assert incidents(lines) == ["crashed"] * (moves // 2)
    bot.close()
    assert marked.gone()


def test_a_program_that_does_not_start_again_is_soon_given_up(marked: Marked, tmp_path: Path) -> None:
    bot = external(hostile("never again", str(tmp_path / "was here"), options="ms=2000"))
    said = incidents(game_against(bot))
    assert said[:4] == ["crashed"] * 4 and set(said[4:]) == {"gone"}
    bot.close()
    assert marked.gone()


def test_a_file_does_not_grow_without_end(marked: Marked, tmp_path: Path) -> None:
    bot = external(hostile("disk", str(tmp_path / "file"), options="ms=5000"))
    assert set(incidents(game_against(bot))) <= {"crashed", "gone"}
    assert (tmp_path / "file").stat().st_size <= 64 << 20
    bot.close()
    assert marked.gone()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("no hello", "did not answer in time"),
        ("orphans at once", "did not answer in time"),
        ("no program", "it ended, or closed its output; its last words were 'there is no such thing'"),
        ("protocol", "it speaks protocol 2, not 1"),
    ],
)
def test_who_never_says_hello_is_refused_in_a_sentence(what: str, sentence: str, marked: Marked) -> None:
    bot = external(hostile(what, options="start=0.7" if "answer" in sentence else "start=60"))
    for _ in range(2):  # it is not tried again
        with pytest.raises(BotError) as error:
            game_against(bot)
        assert "said no hello" in str(error.value) and sentence in str(error.value)
    assert marked.gone()


def test_the_memory_asked_for_is_a_limit() -> None:
    bot = external(hostile("well-behaved", options="memory=1"))
    with pytest.raises(BotError, match="said no hello"):
        game_against(bot)


def test_evaluation_counts_what_went_wrong(marked: Marked) -> None:
    bot, easy = external(hostile("garbage", options="ms=5000")), make_bot("easy")
    played = play([bot, easy], [[0, 1], [1, 0]], Deals(TINY, 3))
    bot.close()
    assert played.incidents[1] == {} and played.incidents[0]["garbage"] == MOST
    assert set(played.incidents[0]) == {"garbage", "gone"}
    first = play([FirstLegal(), easy], [[0, 1], [1, 0]], Deals(TINY, 3))
    assert np.array_equal(played.points, first.points)
    assert marked.gone()


class FirstLegal:
    """What is played in a program's place."""

    name = "first legal"
    fair = True

    def act(self, views: object, rng: np.random.Generator) -> list[int]:
        """Choose the first legal action."""
        return [0 for _ in views]  # type: ignore[attr-defined]
