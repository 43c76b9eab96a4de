"""The league: learners meet every exploiter so far, a stopped one goes on, and the matrix is complete."""

import re
from pathlib import Path

import pytest
import yaml

from mtrain_env.bots.bundle import load_bundle
from tests.training.tiny import SETTINGS, network_of, tiny
from training.checkpoint import load_run, new_run
from training.config import Config, load_config
from training.export import Origin, export_network
from training.league import main, play_league
from training.selfplay import Session


def settings_in(folder: Path) -> Path:
    path = folder / "tiny.yaml"
    settings = SETTINGS | {"players": [2], "hidden": [8], "prior": 1.0, "updates": 2, "rounds": 4}
    path.write_text(yaml.safe_dump(settings))
    return path


def config_of(folder: Path, stage: str) -> Config:
    return load_run(folder / stage)[0]


def test_every_learner_meets_all_exploiters_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["--config", str(settings_in(tmp_path)), "--generations", "2", "--run-dir", "league"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    bundles = [f"league/bundles/{name}" for name in ("learner-1", "exploiter-1", "learner-2", "exploiter-2")]
    assert all(load_bundle(bundle).name in bundle for bundle in bundles)
    second = config_of(Path("league"), "learner-2")
    assert (second.start, second.rivals, second.warm_updates) == (bundles[0], (bundles[1],), 0)
    hunter = config_of(Path("league"), "exploiter-2")
    assert (hunter.start, hunter.against, hunter.rivals) == (bundles[2], bundles[2], ())
    assert [len(re.findall(r"\[[+-]", line)) for line in lines[-4:]] == [3, 3, 3, 3]
    assert main(arguments) == 0  # all stages are done: only the matrix is played again
    assert capsys.readouterr().out.splitlines()[-4:] == lines[-4:]
    assert main([*arguments[:-3], "0"]) == 2


def test_a_stopped_league_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = load_config(settings_in(tmp_path))
    whole = play_league(config, Path("whole"), 1)
    real = Session.learn

    def stopped(session: Session) -> bool:
        session.stop = session.config.name.startswith("exploiter")
        return real(session)

    monkeypatch.setattr(Session, "learn", stopped)
    assert play_league(config, Path("parts"), 1) is None
    monkeypatch.setattr(Session, "learn", real)
    parts = play_league(config, Path("parts"), 1)
    assert whole is not None and parts is not None
    first, second = (load_bundle(members[1]).weights for members in (whole, parts))
    assert all((first[name] == second[name]).all() for name in first)


def test_rivals_stay_among_the_opponents(tmp_path: Path) -> None:
    bundle = export_network(network_of(tiny(hidden=(4,))), tmp_path / "rival", Origin())
    config = tiny(rivals=(str(bundle),))
    run = new_run(config)
    run.pool = [run.trainee.player()]
    session = Session(config, tmp_path, run, bar=False)
    with session.metrics:
        drawn = {session._draw_past(k).hidden for k in range(20)}
    assert drawn == {(16, 8), (4,)}
