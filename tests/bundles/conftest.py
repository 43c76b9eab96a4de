"""The small bundle, made once, and ways to damage it."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env.bot import make_bot
from mtrain_env.bots.policy import Flat, Table, weight_shapes
from mtrain_env.errors import BundleError
from mtrain_env.rules import Rules
from tests.bundles.small import small_bundle, small_network, small_origin
from tests.bundles.watch import nothing_happens
from training.export import Origin, export_flat
from training.network import CandidateNetwork


@pytest.fixture(scope="session")
def network() -> CandidateNetwork:
    return small_network()


@pytest.fixture(scope="session")
def origin() -> Origin:
    return small_origin()


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_bundle(tmp_path_factory.mktemp("bundles") / "small-1")


@pytest.fixture(scope="session")
def flat_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A flat network with random weights for `core` with 3 players."""
    rules = Rules.preset("core", num_players=3)
    place = tmp_path_factory.mktemp("bundles") / "flat-1"
    table = Table(rules="core", players=(3,))
    return export_flat(random_flat(rules), rules, place, Origin(seed=5, commit="abc", trained=[table]))


def random_flat(rules: Rules, hidden: tuple[int, ...] = (24, 16), seed: int = 5) -> dict[str, NDArray[np.float32]]:
    """Random weights of a flat network for `rules`."""
    rng = np.random.default_rng(seed)
    shapes = weight_shapes(Flat.of(rules), hidden)
    return {name: rng.normal(0, shape[-1] ** -0.5, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def copy(bundle: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(bundle, tmp_path / bundle.name))


@pytest.fixture
def flat_copy(flat_bundle: Path, tmp_path: Path) -> Path:
    """A copy of the flat one that a test may damage."""
    return Path(shutil.copytree(flat_bundle, tmp_path / flat_bundle.name))


def edit_policy(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change policy.json."""
    policy = json.loads((folder / "policy.json").read_bytes())
    change(policy)
    (folder / "policy.json").write_text(json.dumps(policy))


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a file and its hash, so that only its content can be refused."""
    (folder / name).write_bytes(data)
    entry = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    edit_policy(folder, lambda policy: policy["files"].update({name: entry}))


def refused(folder: Path, part: str) -> None:
    """The bundle is refused as a bot, with one sentence that has this part, and nothing happens."""
    with pytest.raises(BundleError) as error, nothing_happens(folder):
        make_bot(f"learned:{folder}")
    text = str(error.value)
    assert part in text
    assert "\n" not in text and text.endswith("."), text
