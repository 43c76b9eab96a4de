"""onnxruntime, numpy and JavaScript give the same numbers and moves: on golden positions, and on random states.

Every preset, both kinds of network. The soak covers every shipped bundle and some trained on the spot, on 10,000
states a preset, and prints what it compared; the usual tests take networks with random weights and a small share.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mtrain_env.bots.bundle import load_bundle, shipped
from mtrain_env.rules import PRESETS, Rules
from tests.bundles import javascript
from tests.bundles.conftest import random_flat
from tests.bundles.states import compare
from training.config import load_config
from training.export import Origin, export_flat, export_run
from training.selfplay import train

MANY = 10_000
FEW = 150
SMOKE = Path(__file__).parents[2] / "configs" / "smoke.yaml"
SHORT = ("warm_updates=4", "updates=2", "rounds=128", "watch_deals=2")
"""The shortest run of the small configuration that learns something."""


def default(preset: str) -> Rules:
    return Rules.preset(preset)


def tables(preset: str) -> list[Rules]:
    """Few, four and many players."""
    most = {"core": 4, "deluxe": 8, "pagat": 8, "dominoplay": 16}[preset]
    return [Rules.preset(preset, num_players=n) for n in sorted({2, 4, most})]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A candidate network trained on the spot."""
    folder = tmp_path_factory.mktemp("trained")
    train(load_config(SMOKE, SHORT), folder / "run", bar=False)
    return export_run(folder / "run", folder / "trained")


# -- golden positions


@javascript.needs_node
def test_javascript_reproduces_every_golden_position(bundle: Path, flat_bundle: Path) -> None:
    folders = [bundle, flat_bundle, *shipped().values()]
    for answer in javascript.replay(folders):
        assert answer["positions"] >= 20 and answer["worst"] <= 1e-5


# -- random states


@javascript.needs_node
@pytest.mark.parametrize("preset", PRESETS)
def test_readers_agree_on_random_states(preset: str, bundle: Path, tmp_path: Path) -> None:
    for k, rules in enumerate(tables(preset)):
        assert compare(bundle, rules, FEW, k, tmp_path).states == FEW


@javascript.needs_node
@pytest.mark.parametrize("preset", PRESETS)
def test_readers_of_flat_networks_agree_on_random_states(preset: str, tmp_path: Path) -> None:
    rules = default(preset)
    made = export_flat(random_flat(rules), rules, tmp_path / "flat", Origin())
    assert compare(made, rules, FEW, 1, tmp_path / "states").states == FEW


@pytest.mark.soak
@javascript.needs_node
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", [*shipped(), "trained on the spot"])
def test_readers_agree_on_10000_states(
    name: str, preset: str, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shipped().get(name) or request.getfixturevalue("trained")
    policy = load_bundle(folder).policy
    if policy.flat is not None and preset != policy.trained[0].rules:
        pytest.skip(f"{name} was made for {policy.trained[0].rules}")
    if policy.flat is None:
        every = tables(preset)
    else:
        (table,) = policy.trained
        every = [Rules.preset(table.rules, num_players=n, **table.changes) for n in table.players]
    _soak(folder, every, preset, tmp_path, capsys)


@pytest.mark.soak
@javascript.needs_node
@pytest.mark.parametrize("preset", PRESETS)
def test_readers_of_flat_networks_agree_on_10000_states(
    preset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sb3 = pytest.importorskip("training.recipes.sb3")
    rules = default(preset)
    settings = sb3.Settings(preset, rules.num_players, steps=4000, envs=4)
    model = sb3.train(settings, rules)
    folder = export_flat(sb3.weights_of(model.policy), rules, tmp_path / "flat", Origin())
    _soak(folder, [rules], preset, tmp_path / "states", capsys)


def _soak(folder: Path, every: Sequence[Rules], preset: str, scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shares = [MANY // len(every) + (k < MANY % len(every)) for k in range(len(every))]
    found = [compare(folder, rules, share, 7, scratch) for rules, share in zip(every, shares, strict=True)]
    assert sum(one.states for one in found) == MANY
    with capsys.disabled():
        for rules, one in zip(every, found, strict=True):
            print(f"\n{folder.name}, {preset} with {rules.num_players}: {one}", end="")
