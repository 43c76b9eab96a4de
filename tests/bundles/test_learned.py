"""Export and the bot: every reader gives the numbers and moves of the network that was exported."""

import pickle
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from mtrain_env.bot import Bot, View, make_bot
from mtrain_env.bots import bundle as bundles
from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.golden import dense, first_best, read_golden, rows_of
from mtrain_env.bots.learned import Learned, make, network_of
from mtrain_env.bots.networks import Backend, pick
from mtrain_env.cli import main
from mtrain_env.encoding.candidates import CAND_WIDTH, NODE_CAP
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.errors import BotError, BundleError
from mtrain_env.evaluation.matches import match
from mtrain_env.game import Game
from mtrain_env.rules import PRESETS, Rules
from training.__main__ import export as export_job
from training.checkpoint import new_run, save_run
from training.config import Config
from training.export import Origin, export_network, export_run, measured
from training.export import main as export_main
from training.network import CandidateNetwork

BACKENDS: tuple[Backend, ...] = ("onnx", "numpy")
Rows = NDArray[np.float32]


def decision(game: Game) -> View:
    assert game.seat is not None
    return View(game.view(game.seat), game.seat, np.array(game.legal_ids(), np.int16))


def decisions(preset: str, games: int) -> list[tuple[NDArray[Any], View, Rows]]:
    """Decisions with a choice from random rounds: the game there, the view, and the candidate rows."""
    found = []
    for seed in range(games):
        game, rng = Game(Rules.preset(preset, num_players=2 + seed % 3), seed), np.random.default_rng(seed)
        while not game.round_over:
            ids = game.legal_ids()
            if len(ids) > 1:
                found.append((game.games.copy(), decision(game), rows_of(game, NODE_CAP)))
            game.act(ids[rng.integers(len(ids))])
    return found


def test_check_prints_one_line_for_each_check(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "check", str(bundle)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["policy", "files", "onnx", "safetensors", "golden", "golden"]
    assert "24 positions give the same moves with model.onnx" in lines[4]


def test_the_same_network_gives_the_same_bytes(
    bundle: Path, network: CandidateNetwork, origin: Origin, tmp_path: Path
) -> None:
    again = export_network(network, tmp_path / bundle.name, origin)
    assert sorted(p.name for p in again.iterdir()) == sorted(p.name for p in bundle.iterdir())
    for path in again.iterdir():
        assert path.read_bytes() == (bundle / path.name).read_bytes(), path.name
        assert path.stat().st_mode & 0o777 == 0o644
    assert [p.name for p in tmp_path.iterdir()] == [bundle.name]


@pytest.mark.parametrize("preset", PRESETS)
def test_readers_agree_with_torch(preset: str, bundle: Path, network: CandidateNetwork) -> None:
    loaded = load_bundle(bundle)
    readers = [network_of(loaded, backend) for backend in BACKENDS]
    parts = [rows for _, _, rows in decisions(preset, 40)]
    assert len(parts) > 500
    rows = np.concatenate(parts)
    score, value = (tensor.numpy() for tensor in network(torch.from_numpy(rows)))
    for reader in readers:
        of_all = reader(rows)
        np.testing.assert_allclose(of_all[0], score, rtol=0, atol=1e-5)
        np.testing.assert_allclose(of_all[1], value, rtol=0, atol=1e-5)
    first = 0
    for part in parts:
        wanted = first_best(score[first : first + len(part)])
        assert [first_best(reader(part)[0]) for reader in readers] == [wanted, wanted]
        first += len(part)


@pytest.mark.parametrize("backend", BACKENDS)
def test_golden_positions_agree_with_torch(backend: Backend, bundle: Path, network: CandidateNetwork) -> None:
    loaded = load_bundle(bundle)
    reader = network_of(loaded, backend)
    for position in (p for game in read_golden(loaded.golden, loaded.policy).games for p in game.positions):
        rows = dense(position, CAND_WIDTH)
        score, value = (tensor.numpy() for tensor in network(torch.from_numpy(rows)))
        for found in (score, reader(rows)[0], np.array(position.score)):
            np.testing.assert_allclose(found, score, rtol=0, atol=1e-5)
            assert first_best(found) == position.move
        np.testing.assert_allclose(reader(rows)[1], value, rtol=0, atol=1e-5)


def test_many_views_at_once_give_the_moves_of_one_at_a_time(bundle: Path) -> None:
    bot = make(bundle)
    views = [view for _, view, _ in decisions("pagat", 3)]
    rng = np.random.default_rng(0)
    assert len(views) > 100
    together = bot.act(views, rng)
    assert [int(bot.act([view], rng)[0]) for view in views] == together.tolist()
    assert len(bot.act([], rng)) == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_round_in_every_preset(preset: str, bundle: Path) -> None:
    bot: Bot = make_bot(f"learned:{bundle}")
    assert (bot.name, bot.fair) == ("learned:small-1", True)
    game, rng = Game(preset, 3), np.random.default_rng(0)
    while not game.round_over:
        view = decision(game)
        (move,) = bot.act([view], rng)
        game.act(int(view.legal[move]))
    assert sum(game.totals) > 0
    result = match(bot, make_bot("easy"), Rules.preset(preset), deals=3, seed=1)
    assert result.pips.mean > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_tiles_do_not_change_the_choice(preset: str, bundle: Path) -> None:
    bot = make(bundle)
    rng, words = np.random.default_rng(0), np.array([3, 5], np.uint64)
    work = np.zeros(1, WORK)
    for game, view, _ in decisions(preset, 3)[::5]:
        dealt = np.repeat(game, 4)
        for j in range(1, 4):
            determinize(game, 0, view.seat, dealt, j, work, words)
        counts = np.full(4, len(view.legal), np.int32)
        chosen = np.zeros(4, np.int64)
        which = np.arange(4)
        bot.choose(dealt, which, np.tile(view.legal, (4, 1)), counts, np.zeros((4, 16, 2), np.uint64), chosen)
        assert set(chosen.tolist()) == {int(bot.act([view], rng)[0])}


def test_environments_with_a_learned_opponent_are_copied_and_pickled(bundle: Path) -> None:
    env = MexicanTrainEnv([f"learned:{bundle}", "easy", "hard"])
    env.reset(seed=2)
    twins = [pickle.loads(pickle.dumps(env)), deepcopy(env), env.from_bytes(env.to_bytes())]
    for one in (env, *twins):
        for _ in range(5):
            one.step(int(one.action_masks().argmax()))
    assert len({one.to_bytes() for one in (env, *twins)}) == 1


def test_ties_go_to_the_lowest_id() -> None:
    score = np.array([0, 1 - 4e-6, 1, 1, 5, 5 - 3e-5, 5], np.float32)
    out = np.full(3, -1, np.int64)
    pick(score, np.array([0, 2]), np.array([4, 99, 3], np.int32), out)
    assert out.tolist() == [1, -1, 0]


def test_a_network_of_some_columns_is_widened(tmp_path: Path) -> None:
    columns = np.arange(0, CAND_WIDTH, 3)
    narrow = CandidateNetwork(len(columns), (8,), columns).initialise(torch.Generator().manual_seed(1))
    made = load_bundle(export_network(narrow.requires_grad_(False), tmp_path / "narrow", Origin()))
    rows = np.random.default_rng(0).random((50, CAND_WIDTH), np.float32)
    score, _ = narrow(torch.from_numpy(rows[:, columns]))
    for backend in BACKENDS:
        np.testing.assert_allclose(network_of(made, backend)(rows)[0], score.numpy(), rtol=0, atol=1e-5)


def test_shipped_bundles_are_found_by_name(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "SHIPPED", (bundle.parent,))
    assert make_bot("learned:small-1").name == "learned:small-1"
    with pytest.raises(BundleError, match="none of the shipped bundles \\(small-1\\)"):
        make_bot("learned:small-2")


def test_without_onnxruntime_the_extra_is_named(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(BotError, match="pip install 'mtrain-env\\[onnx\\]'"):
        make(bundle)
    assert network_of(load_bundle(bundle), "numpy")(np.zeros((2, CAND_WIDTH), np.float32))[0].shape == (2,)


def test_the_bot_needs_neither_torch_nor_onnx(bundle: Path) -> None:
    code = (
        "import sys; from mtrain_env.bots.learned import make; make(sys.argv[1]);"
        "print({'torch', 'onnx', 'safetensors'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(bundle)], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_export_replaces_a_bundle_but_nothing_else(
    network: CandidateNetwork, origin: Origin, tmp_path: Path
) -> None:
    place = tmp_path / "mine"
    place.mkdir()
    export_network(network, place, Origin())  # an empty folder is taken
    export_network(network, place, origin)
    assert load_bundle(place).policy.provenance.commit == "abc"
    other = tmp_path / "notes"
    other.mkdir()
    (other / "diary.txt").write_text("dear diary")
    with pytest.raises(BundleError, match="exists and is no bundle"):
        export_network(network, other, origin)
    with pytest.raises(BundleError, match="is no name for a bundle"):
        export_network(network, tmp_path / "My Bot", origin)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "notes"]
    assert [p.name for p in other.iterdir()] == ["diary.txt"]


def test_a_failed_export_leaves_the_old_bundle(network: CandidateNetwork, origin: Origin, tmp_path: Path) -> None:
    place = export_network(network, tmp_path / "mine", origin)
    before = (place / "policy.json").read_bytes()
    broken = CandidateNetwork(CAND_WIDTH, (8,))
    with torch.no_grad():
        broken.score.bias.fill_(torch.nan)
    with pytest.raises(BundleError, match="not finite"):
        export_network(broken.requires_grad_(False), place, origin)
    assert (place / "policy.json").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


def test_a_run_is_exported_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = Config(rules="pagat", players=(2, 3), house_rules={"double_blank_points": 50}, hidden=(8,), seed=4)
    (tmp_path / "run").mkdir()
    save_run(tmp_path / "run", config, new_run(config))
    place = tmp_path / "shown"
    assert export_main([str(tmp_path / "run"), "-o", str(place), "--deals", "4"]) == 0
    assert main(["bundle", "check", str(place)]) == 0
    policy = load_bundle(place).policy
    (table,) = policy.trained
    assert (table.rules, table.players, table.changes) == ("pagat", (2, 3), {"double_blank_points": 50})
    assert (policy.provenance.seed, policy.provenance.config) == (4, config.as_dict())
    assert [(line.players, line.against) for line in policy.strength if not isinstance(line, str)] == [
        (players, bot) for players in (2, 3) for bot in ("easy", "medium", "hard")
    ]
    assert export_main([str(tmp_path / "nothing"), "-o", str(place)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_whole_job_and_the_command_say_the_same_of_a_run(tmp_path: Path) -> None:
    config = Config(rules="pagat", players=(2, 3), house_rules={"double_blank_points": 50}, hidden=(8,), seed=4)
    (tmp_path / "run").mkdir()
    run = new_run(config)
    run.progress.rounds, run.progress.steps = 700, 9
    save_run(tmp_path / "run", config, run)
    by_job = load_bundle(export_job(config, run, [], tmp_path / "job")).policy
    by_command = load_bundle(export_run(tmp_path / "run", tmp_path / "command")).policy
    assert (by_job.trained, by_job.provenance) == (by_command.trained, by_command.provenance)
    assert (by_job.provenance.rounds, by_job.provenance.steps) == (700, 9)


def test_measured_strength_is_told_with_intervals(bundle: Path, network: CandidateNetwork, tmp_path: Path) -> None:
    bot, easy = Learned(load_bundle(bundle)), make_bot("easy")
    rules = Rules.preset("core", num_players=3)
    lines = [
        measured(match(bot, easy, rules, deals=4, seed=9)),
        measured(match(easy, bot, rules, deals=4, seed=9), "copies around one"),
    ]
    made = load_bundle(export_network(network, tmp_path / "told", Origin(strength=lines)))
    assert made.policy.strength == tuple(lines)
    assert [line.against for line in lines] == ["easy", "easy"]
    assert all(line.pips_difference.low <= line.pips_difference.mean <= line.pips_difference.high for line in lines)
    assert [table.players for table in made.policy.tested] == [(3,)]
    text = (tmp_path / "told" / "README.md").read_text()
    assert f"({lines[0].pips_difference.low:+.2f} to" in text
    assert "Not measured" in (bundle / "README.md").read_text()
    assert "How it learned" not in text


def test_the_card_shows_how_strong_it_was_on_the_way(network: CandidateNetwork, tmp_path: Path) -> None:
    match_ = {"players": 3, "others": "hard", "deals": 500, "pips_difference": [1.5, 0.25, 2.75]}
    curve = [{"step": 20 * k, "rounds": 10_240 * k, "seconds": 90.0 * k, "matches": [match_]} for k in (0, 2)]
    place = export_network(network, tmp_path / "told", Origin(curve=curve))
    assert "| 40 | 20,480 | 3 | +1.50 (+0.25 to +2.75) |" in (place / "README.md").read_text().splitlines()
