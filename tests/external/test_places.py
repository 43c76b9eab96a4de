"""A program plays wherever a bot is named, and nothing of it outlives what started it."""

import contextlib
import copy
import gc
import json
import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import bot_names, make_bot
from mtrain_env.cli import main
from mtrain_env.encoding.record import loads
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.evaluation.jobs import Job
from mtrain_env.play.opponents import Opponents
from mtrain_env.replay import replay_all
from tests.external.programs import EXAMPLES, PYTHON, TINY, Marked, example, external, hostile, incidents
from tests.page.serving import serve

compiled = pytest.mark.skipif(JIT_DISABLED, reason="commands of their own are for compiled code")
SMALL = "--players 2 --set max_pip=6 --set hand_size=5 --deals 4 --json".split()
HEAVIEST = example("heaviest.py")
Output = pytest.CaptureFixture[str]


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Marked:
    return Marked(monkeypatch)


def output(capsys: Output, *words: str) -> dict[str, Any]:
    assert main(list(words)) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


# -- names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("easy, hard", ["easy", "hard"]),
        ("easy,external:python3 bot.py --level 3", ["easy", "external:python3 bot.py --level 3"]),
        ("external:bot '1,2' \"a, b\",easy", ["external:bot '1,2' \"a, b\"", "easy"]),
        ("learned:bob's,hard", ["learned:bob's", "hard"]),
        ("learned:it's,learned:bob's", ["learned:it's,learned:bob's"]),
    ],
)
def test_a_comma_in_quotes_is_part_of_a_name(text: str, names: list[str]) -> None:
    assert bot_names(text) == names


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("external:", "lacks its COMMAND"),
        ("external: ", "has no command"),
        ("external:no-such-program --x", "The program 'no-such-program' of"),
        ("external:python3 'bot.py", "cannot be read: no closing quotation"),
        ("external:speed=3:python3 bot.py", "A program has no option 'speed'; known are ms, start"),
        ("external:ms=0:python3 bot.py", "more than 0 ms"),
        ("external:start=9999:python3 bot.py", "at most an hour"),
    ],
)
def test_a_command_that_cannot_be_is_refused_in_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(BotError) as error:
        make_bot(name)
    assert sentence in str(error.value)


def test_options_stand_before_the_command() -> None:
    bot = external("external:ms=250:memory=512:start=3:python3 bot.py ms=1:2")
    assert (bot.limits.ms, bot.limits.memory, bot.limits.start) == (250, 512, 3)
    assert bot.name == "external:ms=250:memory=512:start=3:python3 bot.py ms=1:2"


# -- commands


def test_games_are_recorded(capsys: Output, marked: Marked, tmp_path: Path) -> None:
    spaced = tmp_path / "my bots, all"
    spaced.mkdir()
    (spaced / "bot.py").write_text((EXAMPLES / "heaviest.py").read_text())
    bots = f"external:{PYTHON} {shlex.quote(str(spaced / 'bot.py'))},{hostile('garbage', options='ms=5000')}"
    words = [*SMALL[:-3], "--set", "num_rounds=1", "--bots", bots, "--games", "2", "--legal"]
    assert main(["record", *words]) == 0
    lines = loads(capsys.readouterr().out)
    assert [game.over for game in replay_all(lines)] == [True, True]
    assert {line["seat"] for line in lines if line.get("event") == "incident"} == {1} and incidents(lines)
    assert marked.gone()


def test_matches_count_incidents_and_leave_nothing_running(capsys: Output, marked: Marked) -> None:
    bad = hostile("crash", options="ms=5000")
    found = output(capsys, "evaluate", "--bots", f"{HEAVIEST},{bad}", "--reference", "easy", *SMALL)
    assert [match["bot"] for match in found["matches"]] == [HEAVIEST, bad]
    assert set(found["incidents"]) == {bad}
    assert found["incidents"][bad]["crashed"] == 9 and found["incidents"][bad]["gone"] > 0
    assert marked.gone()
    assert main(["evaluate", "--bots", bad, "--reference", "easy", *SMALL[:-1]]) == 0
    assert f"the first legal action was played instead: {bad} 9 crashed, " in capsys.readouterr().out


@compiled
@pytest.mark.slow
def test_comparisons_and_ladders_run_programs_in_several_processes(capsys: Output, marked: Marked) -> None:
    bad = hostile("garbage", options="ms=5000")
    words = [*SMALL[:4], *SMALL[4:6], "--deals", "41", "--json"]
    two = output(capsys, "compare", HEAVIEST, bad, *words, "--processes", "2")
    assert set(two["incidents"]) == {bad} and marked.gone()
    one = output(capsys, "compare", HEAVIEST, bad, *words, "--processes", "1")
    assert one["pips_difference"] == two["pips_difference"] and marked.gone()
    names = f"{HEAVIEST},{bad}"
    (ladder,) = output(capsys, "ladder", "--bots", names, "--reference", "easy", *words, "--processes", "1")["ladders"]
    assert {step["bot"] for step in ladder["steps"]} == {HEAVIEST, bad, "easy"}
    assert set(ladder["incidents"]) == {bad} and marked.gone()


def test_a_program_that_was_changed_is_played_again(tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    keys = set()
    for text in ("1", "2"):
        program.write_text(text)
        keys.add(Job((f"external:python3 {program}", "easy"), ((0, 1),), Deals(TINY, 2)).key)
    assert len(keys) == 2


# -- environments and pages


def test_environments_take_programs_as_opponents(marked: Marked) -> None:
    rules = TINY.replace(num_players=3)
    env = MexicanTrainEnv([HEAVIEST, "easy"], rules=rules)
    twin = MexicanTrainEnv([external(HEAVIEST), make_bot("easy")], rules=rules)
    for one in (env, twin):
        one.reset(seed=3)
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), twin):
        rewards = [play_first(one) for one in (copy.deepcopy(env), copied)]
        assert rewards[0] == rewards[1]
    vector = MexicanTrainVectorEnv(3, rules=rules, opponents=HEAVIEST)
    _, infos = vector.reset(seed=1)
    for _ in range(20):
        _, _, _, _, infos = vector.step(np.argmax(infos["action_mask"], axis=1))
    assert marked.running()
    env.close()
    vector.close()
    del twin, copied, one
    gc.collect()
    assert marked.gone()


def play_first(env: MexicanTrainEnv) -> list[float]:
    """The rewards of an episode in which the learner always takes the first legal action."""
    rewards, over = [], False
    while not over:
        _, reward, over, _, _ = env.step(int(np.argmax(env.action_masks())))
        rewards.append(reward)
    return rewards


def test_pages_take_programs_as_opponents(marked: Marked) -> None:
    bad = hostile("garbage", options="ms=5000")
    opponents = Opponents([HEAVIEST, bad])
    good, other = opponents.id_of(HEAVIEST), opponents.id_of(bad)
    assert good == "external:heaviest.py" and str(EXAMPLES) not in json.dumps(opponents.as_json())
    with serve(opponents=opponents) as served:
        game = served.begin(rules="core", rounds=1, seats=[{"person": ""}, {"bot": good}, {"bot": other}])
        with served.page(game) as page:
            assert page.finish_round()["end"]
        session = served.lobby.games[game["game"]]
        assert {line["seat"] for _, line in session.incidents} == {2}
        assert {line["what"] for _, line in session.incidents} <= {"garbage", "gone"}
        assert marked.running()
        del session
    gc.collect()
    assert marked.gone()


# -- interruptions

INTERRUPTIBLE = """
import signal, sys
from mtrain_env.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""
"""`mtrain`, which answers to Ctrl-C even where the tests run in the background, with the signal ignored."""


@contextlib.contextmanager
def running(marked: Marked, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A command in a group of its own, as a shell starts it, with a program that is thinking."""
    command = [sys.executable, "-c", INTERRUPTIBLE, *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, process_group=0) as process:
        try:
            until = time.monotonic() + 300
            while len(marked.running()) < 4:  # the command, the supervisor, the program, its orphan
                assert process.poll() is None and time.monotonic() < until
                time.sleep(0.05)
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("command", ["evaluate", "record"])
def test_nothing_is_left_when_a_command_is_interrupted(command: str, number: int, marked: Marked) -> None:
    bots = f"{hostile('orphans at once')},easy"
    with running(marked, command, "--bots", bots, *SMALL[: 6 if command == "record" else 8]) as process:
        os.killpg(process.pid, number)
        assert process.wait(20) == (130 if number == signal.SIGINT else -number)
        assert marked.gone()


@compiled
@pytest.mark.slow
def test_nothing_is_left_when_a_command_with_processes_is_interrupted(marked: Marked) -> None:
    with running(
        marked, "compare", hostile("orphans at once"), "easy", *SMALL, "--deals", "60", "--processes", "2"
    ) as process:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
        assert marked.gone()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_copy_of_this_process_does_not_disturb_the_program(marked: Marked) -> None:
    bot, easy = external(HEAVIEST), make_bot("easy")
    deals = Deals(TINY, 2)
    before = play([bot, easy], [[0, 1]], deals).points
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = int(not np.array_equal(play([bot, easy], [[0, 1]], deals).points, before))
            bot.close()
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(play([bot, easy], [[0, 1]], deals).points, before)
    assert bot.take_incidents() == []
    bot.close()
    assert marked.gone()
