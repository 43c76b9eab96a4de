"""docs/bots.md is true: its programs are the examples, its tables name what there is (tests/test_docs.py runs it)."""

import json
import re

import numpy as np

from mtrain_env.bot import view_of
from mtrain_env.bots.external.bot import INCIDENTS, Limits
from mtrain_env.bots.external.messages import act_message, hello_message, result_message
from mtrain_env.bots.external.program import LINE, PASSED_ON
from mtrain_env.encoding.position import Position
from mtrain_env.game import Game
from tests.external.programs import EXAMPLES, ROOT

TEXT = (ROOT / "docs" / "bots.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return found


def test_the_programs_shown_are_the_examples() -> None:
    assert blocks("python")[0] == (EXAMPLES / "heaviest.py").read_text()
    assert blocks("js") == [(EXAMPLES / "own_train.js").read_text()]


def test_the_act_shown_is_a_real_one() -> None:
    (shown,) = blocks("json")
    game = Game({"preset": "core", "num_players": 2, "max_pip": 6, "hand_size": 5}, seed=21)
    rng = np.random.default_rng(21)
    for _ in range(14):
        game.act(int(rng.choice(game.legal_ids())))
    assert game.seat is not None
    view = view_of(game.games, 0, game.seat, np.array(game.legal_ids(), np.int16))
    real = json.loads(json.dumps(act_message(view, 17, 1000, np.array([1, 2], np.uint64))))
    real["view"]["rules"] = {}
    assert json.loads(shown) == real


def test_the_tables_name_what_there_is() -> None:
    told = set(re.findall(r"`([\w.*]+)`", TEXT))
    assert set(Position.model_fields) - {"turn"} <= told
    for part in ("turn", "seats", "trains"):
        assert {f"{part}.{name}" for name in members(part)} <= told
    for part in ("doubles", "history", "trades"):
        assert set(members(part)) <= told
    assert set(INCIDENTS) <= told and set(vars(Limits())) <= told and set(PASSED_ON) <= told
    assert set(hello_message()) | set(result_message([0], [1], [1], True)) <= told | {"type"}
    assert f"{LINE:,} bytes" in TEXT


def members(name: str) -> list[str]:
    """The members of a part of a position."""
    schema = Position.model_json_schema()
    part = schema["properties"][name]
    reference = part.get("$ref") or part.get("items", part.get("allOf", [{}])[0]).get("$ref")
    return list(schema["$defs"][reference.rpartition("/")[2]]["properties"])


def test_the_usual_limits_are_those_of_the_table() -> None:
    rows = dict(re.findall(r"\| `(ms|start|memory)` \| .* \| (\d+) \|", TEXT))
    assert {name: float(value) for name, value in rows.items()} == {k: float(v) for k, v in vars(Limits()).items()}
