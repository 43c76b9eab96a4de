"""Whole runs: they learn, resume exactly, survive being killed, and refuse what does not fit."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from PIL import Image

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.errors import ConfigError
from tests.training.tiny import SETTINGS, network_of, tiny
from training.checkpoint import FILE, load_player, load_run, new_run, player_of, save_run, write_atomically
from training.collector import CURRENT, Teacher, seat_plan
from training.config import Config
from training.export import Origin, export_network, export_run
from training.learning import Trainee
from training.metrics import METRICS, read_metrics
from training.network import CandidateNetwork
from training.selfplay import Session, main, open_run, train
from training.value import warm_update


def weights(folder: Path) -> dict[str, torch.Tensor]:
    _, run = load_run(folder)
    found = run.trainee.network.state_dict() | moments("adam", run.trainee.optimiser)
    if run.critic is not None:
        found |= {f"critic.{name}": x for name, x in run.critic.network.state_dict().items()}
        found |= moments("critic.adam", run.critic.optimiser)
    return found | {f"mean.{name}": x for name, x in run.trainee.mean.state_dict().items()}


def moments(prefix: str, optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    kept = optimiser.state_dict()["state"]
    return {f"{prefix}.{k}.{name}": x for k, state in kept.items() for name, x in state.items()}


def assert_same_weights(a: Path, b: Path) -> None:
    first, second = weights(a), weights(b)
    assert first.keys() == second.keys()
    for name in first:
        assert torch.equal(first[name], second[name]), name


def train_stopping(config: Config, folder: Path, steps: int) -> bool:
    """As train, but stopped as by Ctrl-C once `steps` updates are done in all."""
    run = open_run(config, folder)
    session = Session(config, folder, run, bar=False)
    write = session.metrics.write

    def write_and_stop(step: int, phase: str, values: dict[str, float]) -> None:
        write(step, phase, values)
        session.stop = step == steps

    session.metrics.write = write_and_stop  # type: ignore[method-assign, assignment]
    return session.learn()


CRITIC: dict[str, Any] = {"learner": "ppo", "critic": True}
TAUGHT: dict[str, Any] = {"prior": 1.0, "teach_share": 0.3, "teach_from": 1, "teach_deals": 3, "teach_margin": 1.0}


@pytest.mark.parametrize(
    "settings",
    [{}, {"learner": "ppo"}, CRITIC, TAUGHT, {"bfloat16": True}],
    ids=["value", "ppo", "critic", "taught", "bfloat16"],
)
@pytest.mark.parametrize("overlap", [True, False])
def test_resuming_gives_the_same_weights_bit_for_bit(tmp_path: Path, settings: dict[str, Any], overlap: bool) -> None:
    config = tiny(overlap=overlap, **settings)
    _, done = train(config, tmp_path / "straight", bar=False)
    assert done
    for stop in (1, 2, 4, 5):
        assert not train_stopping(config, tmp_path / "parts", stop)
    assert train(config, tmp_path / "parts", bar=False)[1]
    assert_same_weights(tmp_path / "straight", tmp_path / "parts")
    lines = read_metrics(tmp_path / "parts")
    assert [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["value_loss"] for line in lines] == [x["value_loss"] for x in read_metrics(tmp_path / "straight")]
    assert all(set(line) - {"step", "phase"} <= set(METRICS) for line in lines)


@pytest.mark.parametrize("settings", [{}, CRITIC], ids=["value", "critic"])
def test_killed_in_the_middle_a_run_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    config = tiny(updates=30, pool_every=5, **settings)
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(config.as_dict()))
    killed = tmp_path / "killed"
    command = [sys.executable, "-m", "training.selfplay", "--config", str(path), "--run-dir", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(9000):
            if process.poll() is not None or len(read_metrics(killed)) >= 8:
                break
            time.sleep(0.05)
    finally:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 0 < load_run(killed)[1].progress.steps < 32
    assert train(config, killed, bar=False)[1]
    train(config, tmp_path / "straight", bar=False)
    assert_same_weights(killed, tmp_path / "straight")


def test_a_finished_run_says_how_to_begin_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(SETTINGS | {"players": [2], "hidden": [8], "updates": 1, "warm_updates": 0}))
    arguments = ["--config", str(path), "--run-dir", str(tmp_path / "run")]
    assert main(arguments) == 0
    assert main(arguments) == 0
    assert "--restart begins anew" in capsys.readouterr().out
    assert len(read_metrics(tmp_path / "run")) == 1
    assert main([*arguments, "--set", "rate=1e-4"]) == 2
    assert "began with another rate" in capsys.readouterr().err
    assert main([*arguments, "--set", "rate=1e-4", "--restart"]) == 0
    assert main([*arguments, "--set", "rat=1"]) == 2
    assert "did you mean 'rate'?" in capsys.readouterr().err


def test_time_limit_ends_the_run(tmp_path: Path) -> None:
    run, done = train(tiny(max_seconds=1e-6), tmp_path / "run", bar=False)
    assert done and run.progress.stopped_by_time
    assert run.progress.steps < 6


def test_checkpoint_is_written_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny()
    run = new_run(config)
    save_run(tmp_path, config, run)
    before = (tmp_path / FILE).read_bytes()

    def crash(number: int) -> None:
        raise OSError("power cut")

    monkeypatch.setattr("training.checkpoint.os.fsync", crash)
    run.progress.steps = 7
    with pytest.raises(OSError, match="power cut"):
        save_run(tmp_path, config, run)
    assert (tmp_path / FILE).read_bytes() == before
    assert load_run(tmp_path)[1].progress.steps == 0


def test_damaged_checkpoints_are_refused(tmp_path: Path) -> None:
    config = tiny()
    save_run(tmp_path, config, new_run(config))
    data = (tmp_path / FILE).read_bytes()
    for broken in (b"", data[: len(data) // 2], b"x" * 100, data.replace(b"mtrain-training/1", b"mtrain-training/9")):
        write_atomically(tmp_path / FILE, broken)
        with pytest.raises(ConfigError):
            load_run(tmp_path)


def test_the_player_of_a_run_judges_by_the_value(tmp_path: Path) -> None:
    config = tiny(average=0.0)
    run = new_run(config)
    save_run(tmp_path, config, run)
    _, progress, network = load_player(tmp_path)
    rows = torch.rand(6, network.width)
    score, value = network(rows)
    torch.testing.assert_close(score, value[:, 1] - value[:, 0])
    assert progress.phase == "warm"


def test_a_run_is_measured_and_drawn_on_the_way(tmp_path: Path) -> None:
    config = tiny(watch_every=3)
    assert not train_stopping(config, tmp_path / "parts", 4)
    assert train(config, tmp_path / "parts", bar=False)[1]
    train(config, tmp_path / "straight", bar=False)
    curves = [load_player(tmp_path / name)[1].curve for name in ("parts", "straight")]
    assert [point["step"] for point in curves[0]] == [2, 5, 6]
    assert [point["step"] for point in curves[1]] == [2, 5, 6]
    pips = [[match["pips_difference"] for point in curve for match in point["matches"]] for curve in curves]
    assert pips[0] == pips[1]
    assert len(pips[0]) == 6
    with Image.open(tmp_path / "parts" / "progress.png") as picture:
        assert picture.size == (1000, 700)


def test_lessons_change_the_score_alone(tmp_path: Path) -> None:
    train(tiny(**TAUGHT), tmp_path / "taught", bar=False)
    _, _, network = load_player(tmp_path / "taught")
    _, run = load_run(tmp_path / "taught")
    assert run.trainee.network.score.weight.abs().max() > 0
    judged = run.trainee.mean.value.weight[1] - run.trainee.mean.value.weight[0]
    torch.testing.assert_close(network.score.weight[0], judged + run.trainee.mean.score.weight[0])
    lines = read_metrics(tmp_path / "taught")
    assert [("lesson_cost" in line) for line in lines] == [False] * 3 + [True] * 3  # two updates of warm start first


def bundle_of(folder: Path, **settings: Any) -> Path:
    """The bundle of a run that takes a second."""
    train(tiny(**settings), folder / "run", bar=False)
    config, _, network = load_player(folder / "run")
    return export_network(network, folder / "begun", Origin(config=config.as_dict()))


def test_a_run_goes_on_from_a_bundle(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, **TAUGHT)
    begun = load_player(tmp_path / "run")[2]
    config = tiny(**TAUGHT, start=str(bundle), warm_updates=0)
    rows = torch.rand(30, begun.width, generator=torch.Generator().manual_seed(1))
    for ours, theirs in zip(player_of(config, new_run(config).trainee)(rows), begun(rows), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)
    assert train(config, tmp_path / "on", bar=False)[1]
    with pytest.raises(ConfigError, match=r"has hidden \[16, 8\]: set hidden to that"):
        new_run(tiny(start=str(bundle), warm_updates=0, hidden=(8,)))
    with pytest.raises(ConfigError, match="reads columns that these rules"):
        new_run(tiny(start=str(bundle), warm_updates=0, ignore=("hand",)))


def test_node_cap_goes_into_the_bundle_and_may_change(tmp_path: Path) -> None:
    config = tiny(node_cap=7)
    (tmp_path / "run").mkdir()
    save_run(tmp_path / "run", config, new_run(config))
    bundle = export_run(tmp_path / "run", tmp_path / "seven")
    assert json.loads((bundle / "policy.json").read_text())["candidates"]["node_cap"] == 7
    _, done = train(tiny(start=str(bundle), warm_updates=0, node_cap=9), tmp_path / "on", bar=False)
    assert done
    assert load_bundle(export_run(tmp_path / "on", tmp_path / "nine")).policy.rows.node_cap == 9


def test_against_a_bundle_one_seat_learns_and_the_bundle_stays(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, hidden=(24, 16))
    config = tiny(against=str(bundle))
    assert not train_stopping(config, tmp_path / "best", 4)
    assert train(config, tmp_path / "best", bar=False)[1]
    _, run = load_run(tmp_path / "best")
    frozen = load_player(tmp_path / "run")[2]
    assert len(run.pool) == 1
    assert torch.equal(run.pool[0].state_dict()["trunk.0.weight"], frozen.state_dict()["trunk.0.weight"])
    assert run.progress.strength["selfplay"][0]["others"] == "learned:begun"
    plan = seat_plan(config, np.array([3, 2, 3]), 0, True)
    assert [(seats[:players] == CURRENT).sum() for seats, players in zip(plan, (3, 2, 3), strict=True)] == [1, 1, 1]


def test_warm_start_learns(tmp_path: Path) -> None:
    config = tiny(players=(4,), hidden=(64,), batch=256, clone_cost=1.0, clone_share=1.0, warm_rate=2e-3)
    network = network_of(config).requires_grad_(True)
    trainee = Trainee(network, config)
    teacher = Teacher(config, config.all_rules(), 40, network.columns.numpy())
    batch = replace(teacher.play(0))
    losses = [warm_update(trainee, batch, config, np.random.default_rng(k)) for k in range(8)]
    assert losses[-1]["clone_loss"] < 0.7 * losses[0]["clone_loss"]
    assert losses[-1]["value_loss"] < losses[0]["value_loss"]


def test_config_and_metrics_are_kept(tmp_path: Path) -> None:
    config = tiny(updates=1, warm_updates=1)
    run, _ = train(config, tmp_path, bar=False)
    assert Config(**yaml.safe_load((tmp_path / "config.yaml").read_text())) == config
    assert load_run(tmp_path)[0] == config
    assert [line["phase"] for line in map(json.loads, (tmp_path / "metrics.jsonl").read_text().splitlines())] == [
        "warm",
        "selfplay",
    ]
    assert list(tmp_path.glob("tensorboard/events.*"))
    assert set(run.progress.strength) == {"warm", "selfplay"}
    assert {one["players"] for one in run.progress.strength["warm"]} == {2, 3}
    assert isinstance(load_player(tmp_path)[2], CandidateNetwork)
