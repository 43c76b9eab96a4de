"""reader.mjs refuses what the readers in Python refuse, and ships with the package."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bundles import javascript
from tests.bundles.conftest import edit_policy, put
from tests.bundles.hostile import DAMAGED_WEIGHTS, WRONG_POLICIES

UNREAD = {"name", "inputs"}
"""Fields of policy.json for which it has no use."""

pytestmark = javascript.needs_node


def all_refused(good: Path, place: Path, changes: list[Callable[[Path], object]]) -> list[str]:
    """Apply each change to a copy of a good bundle; return the sentences that refuse them."""
    copies = [Path(shutil.copytree(good, place / str(k))) for k in range(len(changes))]
    for folder, change in zip(copies, changes, strict=True):
        change(folder)
    *answers, untouched = javascript.replay([*copies, good])
    assert "error" not in untouched
    for answer in answers:
        sentence = answer["error"]
        assert sentence.startswith("The bundle cannot be used: ") and sentence.endswith("."), sentence
        assert "\n" not in sentence
    return [answer["error"] for answer in answers]


def policy_with(fields: dict[str, Any]) -> Callable[[Path], object]:
    return lambda folder: edit_policy(folder, lambda policy: policy.update(fields))


def file_with(name: str, data: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(data)


def weights_with(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: put(folder, "model.safetensors", change((folder / "model.safetensors").read_bytes()))


def test_wrong_policies(bundle: Path, tmp_path: Path) -> None:
    fields: list[dict[str, Any]] = [change for change, _ in WRONG_POLICIES if not UNREAD & set(change)]
    fields += [{"architecture": None}, {"architecture": {"id": "mlp/1"}}, {"candidates": None}]
    changes = [policy_with(one) for one in fields]
    changes += [file_with("policy.json", text) for text in (b"{", b"\x80", b"[]", b"null")]
    sentences = all_refused(bundle, tmp_path, changes)
    assert len(sentences) == len(fields) + 4
    assert any("is of format mtrain-policy/2; this reader reads mtrain-policy/1" in one for one in sentences)


@pytest.mark.parametrize("kind", ["bundle", "flat_bundle"])
def test_damaged_weights(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    good: Path = request.getfixturevalue(kind)
    data = (good / "model.safetensors").read_bytes()
    changes = [weights_with(change) for change, _ in DAMAGED_WEIGHTS]
    changes.append(file_with("model.safetensors", data[:-1] + bytes([data[-1] ^ 1])))
    sentences = all_refused(good, tmp_path, changes)
    assert "not finite" in sentences[-2] and "is not the file that policy.json names" in sentences[-1]


@pytest.mark.parametrize("kind", ["bundle", "flat_bundle"])
def test_golden_positions_that_are_not_reproduced(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    good: Path = request.getfixturevalue(kind)

    def change(what: str) -> Callable[[Path], object]:
        golden = json.loads((good / "golden.json").read_bytes())
        position = golden["games"][2]["positions"][1]
        if what == "move":
            position["move"] = (position["move"] + 1) % len(position["legal"])
        elif what == "short":
            position["score"].append(0.0)
        else:
            numbers = position[what][0] if what == "value" else position[what]
            numbers[0] += 1e-4
        return lambda folder: (folder / "golden.json").write_text(json.dumps(golden))

    sentences = all_refused(good, tmp_path, [change(what) for what in ("score", "value", "move", "short")])
    assert all("golden position 7 differs" in sentence for sentence in sentences)


def test_it_asks_for_the_other_kind_by_name(bundle: Path, flat_bundle: Path, tmp_path: Path) -> None:
    mixed = [shutil.copytree(one, tmp_path / one.name) for one in (bundle, flat_bundle)]
    for folder, other in zip(mixed, (flat_bundle, bundle), strict=True):
        shutil.copy(other / "golden.json", folder)
    assert all("error" in answer for answer in javascript.replay(mixed))


def test_it_imports_nothing(bundle: Path) -> None:
    text = (javascript.DRIVER.parents[2] / "mtrain_env" / "bots" / "reader.mjs").read_text(encoding="utf-8")
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    assert "import" not in code and "require" not in code and "eval" not in code and "fetch" not in code
