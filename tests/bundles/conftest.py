"""A bundle of a small network with random weights, made once."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.policy import Table
from mtrain_env.encoding.candidates import CAND_WIDTH
from mtrain_env.errors import BundleError
from training.export import Origin, export_network
from training.network import CandidateNetwork


@pytest.fixture(scope="session")
def network() -> CandidateNetwork:
    made = CandidateNetwork(CAND_WIDTH, (24, 16)).initialise(torch.Generator().manual_seed(5))
    with torch.no_grad():
        made.score.weight.mul_(100)  # it begins undecided; here it shall prefer something
    return made.requires_grad_(False)


@pytest.fixture(scope="session")
def origin() -> Origin:
    table = Table(rules="core", players=(2, 3, 4))
    return Origin(config={"rate": 0.001}, seed=5, steps=1000, commit="abc", trained=[table])


@pytest.fixture(scope="session")
def bundle(network: CandidateNetwork, origin: Origin, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_network(network, tmp_path_factory.mktemp("bundles") / "small-1", origin)


@pytest.fixture
def copy(bundle: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(bundle, tmp_path / bundle.name))


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
    """The bundle is refused with one sentence that has this part."""
    with pytest.raises(BundleError) as error:
        load_bundle(folder)
    text = str(error.value)
    assert part in text
    assert "\n" not in text and text.endswith("."), text
