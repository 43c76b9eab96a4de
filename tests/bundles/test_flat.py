"""Flat networks as bundles: what they read, that they never play what is illegal, and the rules they are made for."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from mtrain_env.bot import View, make_bot
from mtrain_env.bots import bundle as bundles
from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.flat import FlatLearned, flat_network_of
from mtrain_env.bots.golden import FlatReader, clear, dense, first_best, read_golden
from mtrain_env.bots.learned import make
from mtrain_env.bots.networks import Backend
from mtrain_env.bots.policy import MASKED, Flat
from mtrain_env.cli import main
from mtrain_env.encoding.decode import decode
from mtrain_env.encoding.observation_layout import ObservationLayout
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.errors import BotError, BundleError
from mtrain_env.evaluation.matches import match
from mtrain_env.game import Game
from mtrain_env.play.opponents import Opponents
from mtrain_env.rules import PRESETS, Rules
from tests.bundles.conftest import edit_policy, put, random_flat, refused
from tests.page.serving import serve
from training.export import Origin, export_flat

BACKENDS: tuple[Backend, ...] = ("onnx", "numpy")
RULES = Rules.preset("core", num_players=3)


def decisions(rules: Rules, games: int) -> list[tuple[Game, View]]:
    """Decisions with a choice from random rounds."""
    found = []
    for seed in range(games):
        game, rng = Game(rules, seed), np.random.default_rng(seed)
        while not game.round_over:
            ids = game.legal_ids()
            if len(ids) > 1 and game.seat is not None:
                found.append((game.clone(), View(game.view(game.seat), game.seat, np.array(ids, np.int16))))
            game.act(ids[rng.integers(len(ids))])
    return found


def by_hand(weights: dict[str, NDArray[np.float32]], observation: Any, ids: list[int]) -> tuple[Any, float]:
    """Scores of the legal ids and the value, in double precision, straight from the description of flat-mlp/1."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
    x = observation.astype(np.float64)
    for i in range(2):
        x = np.maximum(0, w[f"hidden.{i}.weight"] @ x + w[f"hidden.{i}.bias"])
    value = w["value.weight"] @ x + w["value.bias"]
    return (w["score.weight"] @ x + w["score.bias"])[ids], float(value[0])


def test_check_prints_one_line_for_each_check(flat_bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "check", str(flat_bundle)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["policy", "files", "onnx", "safetensors", "golden", "golden"]
    assert "obs/1, act/1, flat-mlp/1 369-24-16" in lines[0]
    assert "24 positions give the same moves with model.safetensors" in lines[5]


def test_the_same_network_gives_the_same_bytes(flat_bundle: Path, tmp_path: Path) -> None:
    origin = Origin(seed=5, commit="abc", trained=load_bundle(flat_bundle).policy.trained)
    again = export_flat(random_flat(RULES), RULES, tmp_path / flat_bundle.name, origin)
    for path in again.iterdir():
        assert path.read_bytes() == (flat_bundle / path.name).read_bytes(), path.name


@pytest.mark.parametrize("backend", BACKENDS)
def test_readers_compute_what_the_format_says(backend: Backend, flat_bundle: Path) -> None:
    weights, network = random_flat(RULES), flat_network_of(load_bundle(flat_bundle), backend)
    reader = FlatReader(network, 368)
    for game, view in decisions(RULES, 10)[::3]:
        ids = [int(k) for k in view.legal]
        observation = reader.rows(game)
        assert decode(observation[0], RULES, view.seat)[0].to_act == view.seat  # it is the mover's own
        masks = np.zeros((1, 368), np.float32)
        masks[0, ids] = 1
        score, value = network(observation, masks)
        wanted, its_value = by_hand(weights, observation[0], ids)
        np.testing.assert_allclose(score[0, ids], wanted, rtol=0, atol=1e-5)
        np.testing.assert_allclose(value, [its_value], rtol=0, atol=1e-5)
        assert (np.delete(score[0], ids) == MASKED).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_bot_plays_the_best_legal_action(backend: Backend, flat_bundle: Path) -> None:
    bot, weights = make(flat_bundle, backend), random_flat(RULES)
    assert isinstance(bot, FlatLearned)
    found = decisions(RULES, 6)
    moves = bot.act([view for _, view in found], np.random.default_rng(0))
    assert bot.act([], np.random.default_rng(0)).tolist() == []
    reader, chosen = FlatReader(bot.network, 368), set()
    for (game, view), move in zip(found, moves, strict=True):
        score, _ = by_hand(weights, reader.rows(game)[0], view.legal.tolist())
        assert move == first_best(score) or not clear(score.astype(np.float32))
        assert bot.act([view], np.random.default_rng(0)).tolist() == [move]
        chosen.add(int(move))
    assert len(found) > 100 and len(chosen) > 5


@pytest.mark.parametrize("preset", PRESETS)
def test_a_round_in_every_preset(preset: str, tmp_path: Path) -> None:
    rules = Rules.preset(preset, num_players=2)
    bot = make_bot(f"learned:{export_flat(random_flat(rules), rules, tmp_path / 'mine', Origin())}")
    assert (bot.name, bot.fair) == ("learned:mine", True)
    result = match(bot, make_bot("easy"), rules, deals=3, seed=1)
    assert result.pips.mean > 0


def test_hidden_tiles_do_not_change_the_choice(flat_bundle: Path) -> None:
    bot = make(flat_bundle)
    words, work = np.array([3, 5], np.uint64), np.zeros(1, WORK)
    for game, view in decisions(RULES, 3)[::5]:
        dealt = np.repeat(game.games, 4)
        for j in range(1, 4):
            determinize(game.games, 0, view.seat, dealt, j, work, words)
        counts = np.full(4, len(view.legal), np.int32)
        chosen = np.zeros(4, np.int64)
        bot.choose(dealt, np.arange(4), np.tile(view.legal, (4, 1)), counts, np.zeros((4, 16, 2), np.uint64), chosen)
        assert set(chosen.tolist()) == {int(bot.act([view], np.random.default_rng(0))[0])}


def test_a_graph_that_ignores_the_mask_still_cannot_play_what_is_illegal(flat_copy: Path) -> None:
    model: Any = onnx.load_model_from_string((flat_copy / "model.onnx").read_bytes())
    del model.graph.node[-6:]
    model.graph.node.append(helper.make_node("Add", ["logit", "one"], ["score"]))
    model.graph.node.append(helper.make_node("MatMul", ["hidden.1", "value.weight"], ["value"]))
    put(flat_copy, "model.onnx", model.SerializeToString())
    bot = make(flat_copy)
    for _, view in decisions(RULES, 2):
        assert 0 <= bot.act([view], np.random.default_rng(0))[0] < len(view.legal)


# -- the rules it was made for


@pytest.mark.parametrize(
    ("rules", "part"),
    [
        (Rules.preset("core"), "the observation has 'train_end' of 5 x 13 numbers up to 1, not 'train_end' of 4 x 13"),
        (Rules.preset("deluxe", num_players=3), "the observation has 'train_end' of 4 x 14"),
        (
            Rules.preset("dominoplay", num_players=3),
            "the observation has 'hand' of 55 numbers up to 1, not 'hand' of 91",
        ),
        (Rules.preset("core", num_players=3, draw_limit="until_playable"), "'draws' of 1 numbers up to 91, not"),
        (
            Rules.preset("core", num_players=3, num_rounds=4),
            "'round' of 1 numbers up to 4, not 'round' of 1 numbers up to 13",
        ),
        (
            Rules.preset("core", num_players=3, opening_order="chosen"),
            "the actions have 13 of 'choose', not no further block",
        ),
    ],
    ids=["players", "specials", "set", "draws", "rounds", "actions"],
)
def test_rules_with_another_layout_are_refused_in_a_sentence(rules: Rules, part: str, flat_bundle: Path) -> None:
    bot = make(flat_bundle)
    with pytest.raises(BotError) as error:
        match(bot, make_bot("easy"), rules, deals=2)
    text = str(error.value)
    assert text.startswith("The bot learned:flat-1 was made for other rules and cannot play under these: ")
    assert part in text and text.endswith(".") and "\n" not in text


def test_rules_that_change_no_layout_are_played(flat_bundle: Path) -> None:
    rules = Rules.preset("core", num_players=3, marker_off="any_play", double_blank_points=50)
    assert match(make(flat_bundle), make_bot("easy"), rules, deals=2).pips.mean > 0


def test_games_of_several_rules_in_one_call(flat_bundle: Path) -> None:
    others = Rules.preset("core", num_players=3, marker_off="any_play")
    mixed = [view for rules in (RULES, others) for _, view in decisions(rules, 1)]
    bot, rng = make(flat_bundle), np.random.default_rng(0)
    assert bot.act(mixed, rng).tolist() == [int(bot.act([view], rng)[0]) for view in mixed]
    games = np.concatenate([view.game for view in mixed])[::2]  # which leaves gaps in memory
    actions, counts = (
        np.zeros((len(games), 368), np.int16),
        np.array([len(view.legal) for view in mixed[::2]], np.int32),
    )
    for view, row in zip(mixed[::2], actions, strict=True):
        row[: len(view.legal)] = view.legal
    chosen = np.zeros(len(games), np.int64)
    bot.choose(games, np.arange(len(games)), actions, counts, np.zeros((len(games), 16, 2), np.uint64), chosen)
    assert chosen.tolist() == bot.act(mixed, rng).tolist()[::2]
    with pytest.raises(BotError, match="made for other rules"):
        bot.act([*mixed, decisions(Rules.preset("core"), 1)[0][1]], rng)


def test_commands_refuse_other_rules_in_a_sentence(flat_bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "--bots", f"learned:{flat_bundle}", "--reference", "easy", "--deals", "2"]
    assert main([*words, "--players", "3"]) == 0
    capsys.readouterr()
    assert main([*words, "--players", "2"]) == 2
    error = capsys.readouterr().err
    assert "made for other rules" in error and error.strip().count("\n") == 0


def test_a_search_needs_a_network_that_scores_moves(flat_bundle: Path) -> None:
    with pytest.raises(BundleError, match="'flat-1' is a flat network; here one that scores moves is needed"):
        make_bot(f"search:{flat_bundle}")


def test_the_page_seats_it_only_under_its_rules(flat_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "SHIPPED", (flat_bundle.parent,))
    opponents = Opponents()
    assert "learned:flat-1" in opponents.by_id and "search:flat-1" not in opponents.by_id
    seats = [{"person": "Ann"}, {"bot": "learned:flat-1"}, {"bot": "easy"}]
    with serve(opponents=opponents) as served:
        assert served.begin(seats=seats)["game"]
        status, answer = served.call("POST", "/api/games", {"rules": "core", "seats": [*seats, {"bot": "easy"}]})
    assert status == 400 and "made for other rules" in answer["error"]


# -- what is refused


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"spec": "obs/99"}, "Its observation layout is 'obs/99'; this version reads 'obs/1'"),
        ({"width": 368}, "In policy.json flat is wrong: value error, the sizes of its slices or blocks do not add up"),
        ({"num_actions": 367}, "the sizes of its slices or blocks do not add up"),
        ({"num_actions": 1 << 20}, "In policy.json flat.num_actions is wrong"),
        ({"slices": []}, "do not add up"),
        ({"slices": [{"name": "hand", "shape": [368], "maximum": 1}, {"name": "x", "shape": [1], "maximum": 1}]}, ""),
    ],
)
def test_a_wrong_description_of_the_layouts(flat_copy: Path, change: dict[str, Any], part: str) -> None:
    edit_policy(flat_copy, lambda policy: policy["flat"].update(change))
    if part:
        refused(flat_copy, part)
    else:  # it may claim other slices, and is then refused under every rules that there are
        with pytest.raises(BotError, match="made for other rules"):
            make(flat_copy).act([decisions(RULES, 1)[0][1]], np.random.default_rng(0))


def test_an_architecture_reads_one_thing(flat_copy: Path, bundle: Path) -> None:
    candidates = json.loads((bundle / "policy.json").read_bytes())["candidates"]
    flat = json.loads((flat_copy / "policy.json").read_bytes())["flat"]
    for both in ({"flat": flat, "candidates": candidates}, {"flat": None, "candidates": candidates}, {"flat": None}):
        edit_policy(flat_copy, partial(dict.update, **both))
        refused(flat_copy, "must have 'candidates' with mlp/1 or 'flat' with flat-mlp/1, and not both")


def test_golden_positions_of_the_other_kind_are_refused(flat_copy: Path, bundle: Path) -> None:
    put(flat_copy, "golden.json", (bundle / "golden.json").read_bytes())
    loaded = load_bundle(flat_copy)
    with pytest.raises(BundleError, match="must have 20 positions or more, with rows of 369 columns"):
        read_golden(loaded.golden, loaded.policy)


@pytest.mark.parametrize("what", ["score", "value", "move", "rows", "ids"])
def test_a_golden_position_that_is_not_reproduced(
    flat_copy: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = json.loads((flat_copy / "golden.json").read_bytes())
    position = golden["games"][2]["positions"][1]
    if what == "score":
        position["score"][0] += 1e-4
    elif what == "value":
        position["value"][0][0] += 1e-4
    elif what == "move":
        position["move"] = (position["move"] + 1) % len(position["legal"])
    elif what == "rows":
        position["rows"][0][1][0] += 0.5
    else:
        position["ids"][0] = 368
    put(flat_copy, "golden.json", json.dumps(golden).encode())
    assert main(["bundle", "check", str(flat_copy)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_golden_positions_hold_the_observation_once(flat_bundle: Path) -> None:
    loaded = load_bundle(flat_bundle)
    golden = read_golden(loaded.golden, loaded.policy)
    assert (golden.width, golden.num_actions) == (369, 368)
    layout = ObservationLayout(RULES)
    for game in golden.games:
        assert Rules.of(game.rules) == RULES
        for position in game.positions:
            row = dense(position, golden.width)
            assert row.shape == (1, layout.size) and 0 <= row.min() and row.max() <= 1
            assert layout.part(row, "to_act")[0, 0] == 1


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda weights: weights.update({"score.bias": np.zeros(3, np.float32)}), "'score.bias' are (3,), not (368,)"),
        (lambda weights: weights.pop("value.bias"), "'value.bias' are None, not (1,)"),
        (lambda weights: weights["value.bias"].fill(np.nan), "not finite"),
    ],
)
def test_weights_that_do_not_fit_are_not_exported(tmp_path: Path, change: Any, part: str) -> None:
    weights = random_flat(RULES)
    change(weights)
    with pytest.raises(BundleError) as error:
        export_flat(weights, RULES, tmp_path / "mine", Origin())
    assert part in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_the_onnx_file_has_only_allowed_operators_and_two_inputs(flat_bundle: Path) -> None:
    loaded = load_bundle(flat_bundle)
    assert set(loaded.onnx_summary.operators) == {"Gemm", "Relu", "MatMul", "Add", "Mul", "Sub"}
    model: Any = onnx.load_model_from_string(loaded.onnx)
    assert {one.name: one.type.tensor_type.elem_type for one in model.graph.input} == {
        "observation": TensorProto.FLOAT,
        "mask": TensorProto.FLOAT,
    }
    assert Flat.of(RULES) == loaded.policy.flat


def test_the_schema_is_printed_and_knows_both_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    for file in ("policy.json", "golden.json"):
        assert main(["bundle", "schema", file]) == 0
        schema = json.loads(capsys.readouterr().out)
        assert schema["$schema"].startswith("https://json-schema.org/")
        if file == "policy.json":
            assert {"candidates", "flat", "files", "provenance"} <= set(schema["properties"])
            assert schema["oneOf"] == [{"required": ["candidates"]}, {"required": ["flat"]}]
            assert not {"candidates", "flat"} & set(schema["required"])
