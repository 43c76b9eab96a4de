"""The protocol: what serve-bot answers, what a function of messages may, and that our bots play as they do at home."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import BatchBot, Games, Ints, batched, make_bot, view_of
from mtrain_env.bots.external import FunctionBot
from mtrain_env.bots.external.bot import External
from mtrain_env.bots.external.messages import act_message
from mtrain_env.bots.external.serve import serve
from mtrain_env.commands.record import record
from mtrain_env.errors import BotError
from mtrain_env.evaluation.deals import Deals, play
from mtrain_env.game import Game
from mtrain_env.rules import PRESETS, Rules
from tests.encoding.worlds import actions_of
from tests.external.programs import TINY, example, external, game_against, incidents
from tests.external.test_position import decisions, minimal

compiled = pytest.mark.skipif(JIT_DISABLED, reason="whole rounds in another process are for compiled code")
Json = dict[str, Any]


def answers(bot: str, *lines: str | Json) -> list[Json]:
    """What serve-bot answers to these lines."""
    found: list[Json] = []
    serve(make_bot(bot), [(x if isinstance(x, str) else json.dumps(x)).encode() for x in lines], found.append)
    return found


def question(**changes: Any) -> Json:
    """An `act` about the first decision of a game."""
    game = Game("core", 1)
    seat = int(game.state["seat"])
    view = view_of(game.games, 0, seat, np.array(game.legal_ids(), np.int16))
    asked: Json = json.loads(json.dumps(act_message(view, 5, 1000, np.array([7, 9], np.uint64))))
    return asked | changes


def test_hello_act_and_quit() -> None:
    asked = question()
    found = answers("hard", {"type": "hello", "protocol": 1}, {"type": "news"}, asked, {"type": "quit"}, asked)
    assert found[0] == {"type": "hello", "protocol": 1, "name": "hard"}
    assert [message["type"] for message in found] == ["hello", "move"]
    game = Game("core", 1)
    view = view_of(game.games, 0, int(game.state["seat"]), np.array(game.legal_ids(), np.int16))
    (index,) = make_bot("hard").act([view], np.random.default_rng(0))
    assert (found[1]["id"], found[1]["index"]) == (5, index)


def test_the_index_is_one_of_the_message_whatever_its_order() -> None:
    asked = question()
    turned = asked | {"legal": asked["legal"][::-1]}
    first, second = answers("hard", asked, turned)
    assert asked["legal"][first["index"]] == turned["legal"][second["index"]]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("hello", "A message must be a JSON object on a line of its own."),
        ("[1]", "A message must be a JSON object on a line of its own."),
        ("[" * 9000, "A message must be a JSON object on a line of its own."),
        ({"type": "act", "id": 5}, "view is wrong: Field required."),
        (question(legal=[]), "legal is wrong: List should have at least 1 item"),
        (question(legal=[{"text": "draw"}]), "The legal moves of this position are "),
        (question(seed="7"), "String should match pattern"),
        (question(view={"format": "mtrain-position/2"}), "view.format is wrong: Input should be 'mtrain-position/1'."),
    ],
)
def test_what_serve_bot_cannot_answer_is_told_in_a_sentence(line: str | Json, sentence: str) -> None:
    (told,) = answers("easy", line)
    assert told["type"] == "error" and sentence in told["text"]
    assert told.get("id") == (5 if isinstance(line, dict) else None)


@pytest.mark.parametrize("name", ["hard", "expert:8"])
@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay"])
def test_who_knows_little_of_the_other_hands_is_answered_too(name: str, preset: str) -> None:
    rules = Rules.preset(preset, num_players=4)
    asked: list[Json] = []
    for games in decisions(rules, 7, 12):
        seat = int(games[0]["seat"])
        view = view_of(games, 0, seat, actions_of(games, 0))
        message = json.loads(json.dumps(act_message(view, len(asked), 1000, np.ones(2, np.uint64))))
        asked.append(message | {"view": minimal(message["view"])})
    found = answers(name, *asked)
    assert [message["type"] for message in found] == ["move"] * len(asked) and len(asked) > 3


def test_without_a_seed_a_question_has_one_answer() -> None:
    asked = question()
    del asked["seed"]
    first, second = answers("easy", asked, asked)
    assert first == second


class Both:
    """A bot here and the same bot in another process: they must choose the same and leave the same random state."""

    fair = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.here, self.there = batched(make_bot(name)), External(f"ms=60000:mtrain serve-bot {name}")
        self.decisions = 0

    def choose(self, games: Games, which: Ints, actions: Ints, counts: Ints, rngs: Any, out: Ints) -> None:
        """Ask both."""
        other, there = rngs.copy(), out.copy()
        self.here.choose(games, which, actions, counts, rngs, out)
        self.there.choose(games, which, actions, counts, other, there)
        assert out[which].tolist() == there[which].tolist()
        assert np.array_equal(rngs, other)
        self.decisions += len(which)

    def act(self, views: Sequence[Any], rng: np.random.Generator) -> Sequence[int]:
        """Only batches are played."""
        raise NotImplementedError


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", ["hard", "easy", "expert:4"])
def test_a_bot_served_plays_as_it_does_at_home(name: str) -> None:
    both = Both(name)
    assert isinstance(both, BatchBot)
    rules = [Rules.preset(preset) for preset in PRESETS]
    rules += [Rules.preset("deluxe-random", num_players=3), Rules.preset("dominoplay-chosen", num_rounds=2)]
    for one in rules:
        mode: Any = "game" if one.num_rounds == 2 else "round"
        deals = Deals(one, 2 if name == "expert:4" else 3, seed=5, mode=mode)
        play([both, make_bot("medium")], [[k % 2 for k in range(one.num_players)]], deals)
    assert both.there.take_incidents() == [] and both.decisions > 150
    both.there.close()


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", ["hard", "easy"])
def test_the_record_of_a_game_is_the_same_line_by_line(name: str) -> None:
    rules = Rules.preset("core", num_rounds=2)
    there, easy = External(f"ms=60000:mtrain serve-bot {name}"), make_bot("easy")
    found = record(rules, 4, [there, easy, there, easy], [name, "easy", name, "easy"])
    there.close()
    here = make_bot(name)
    assert found == record(rules, 4, [here, easy, here, easy], [name, "easy", name, "easy"])


@compiled
@pytest.mark.skipif(shutil.which("node") is None, reason="one of the examples is JavaScript")
def test_a_round_between_expert_over_stdio_hard_and_both_examples() -> None:
    names = ["external:mtrain serve-bot expert:4", "hard", example("heaviest.py"), example("own_train.js")]
    bots = [make_bot(name.replace("external:", "external:ms=60000:")) for name in names]
    lines = record(Rules.preset("core", num_rounds=1), 11, bots, names)
    assert incidents(lines) == [] and lines[-1]["winners"]
    for bot in bots:
        if isinstance(bot, External):
            assert bot.take_incidents() == []
            bot.close()


def test_a_function_of_messages_is_a_bot() -> None:
    seen: list[Json] = []

    def last(message: Json) -> int:
        seen.append(message)
        return len(message["legal"]) - 1

    lines = game_against(FunctionBot(last, "last"))
    mine = [line for line in lines if line.get("seat") == 0 and "do" in line]
    assert [line["do"] for line in mine] == [line["legal"][-1] for line in mine]
    assert seen[0]["type"] == "act" and [move["text"] for move in seen[0]["legal"]] == mine[0]["legal"]
    answers = FunctionBot(lambda message: {"type": "move", "id": message["id"], "index": 0})
    assert not incidents(game_against(answers))
    with pytest.raises(BotError, match="answered 99, but there are"):
        game_against(FunctionBot(lambda message: 99))


def test_the_python_example_plays_the_heaviest_tile() -> None:
    bot = external(example("heaviest.py"))
    for line in (lines := game_against(bot)):
        if line.get("seat") == 0 and " > " in line.get("do", ""):
            pips = [sum(map(int, text.split(" ")[0].split("-"))) for text in line["legal"]]
            assert pips[line["legal"].index(line["do"])] == max(pips)
    bot.close()
    assert incidents(lines) == []


LISTENER = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    if m["type"] == "act": print(json.dumps({"type": "move", "id": m["id"], "index": 0}), flush=True)
    if m["type"] in ("result", "quit"): open(sys.argv[1], "a").write(line)
"""


def listener(path: Path) -> External:
    """A program that writes down how things ended."""
    return External(shlex.join([sys.executable, "-S", "-c", LISTENER, str(path)]))


def heard(bot: External, path: Path) -> list[Json]:
    bot.close()
    *messages, last = [json.loads(line) for line in path.read_text().splitlines()]
    assert last == {"type": "quit"} and {message["type"] for message in messages} == {"result"}
    return messages


def test_the_end_of_each_round_of_a_recorded_game_is_told(tmp_path: Path) -> None:
    bot = listener(tmp_path / "heard")
    lines = record(TINY.replace(num_rounds=2), 1, [bot, make_bot("easy")], ["program", "easy"])
    first, second = heard(bot, tmp_path / "heard")
    ends = [line for line in lines if "end" in line]
    assert [(m["pips"], m["totals"]) for m in (first, second)] == [(end["pips"], end["totals"]) for end in ends]
    assert (first["seats"], first["over"], first["winners"]) == ([0], False, [])
    assert (second["over"], second["winners"]) == (True, lines[-1]["winners"])


@pytest.mark.parametrize("mode", ["round", "game"])
def test_the_end_of_each_deal_of_a_match_is_told(mode: Any, tmp_path: Path) -> None:
    bot = listener(tmp_path / "heard")
    points = play([bot, make_bot("easy")], [[1, 0]], Deals(TINY.replace(num_rounds=2), 2, mode=mode)).points
    messages = heard(bot, tmp_path / "heard")
    assert [m["totals"] for m in messages] == points[:, 0].tolist()
    assert {(m["over"], *m["seats"]) for m in messages} == {(mode == "game", 1)}


def test_serve_bot_keeps_its_messages_apart_from_other_output() -> None:
    lines = json.dumps({"type": "hello", "protocol": 1}) + "\n" + json.dumps({"type": "quit"}) + "\n"
    command = [sys.executable, "-m", "mtrain_env", "serve-bot", "easy"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"type": "hello", "protocol": 1, "name": "easy"}
