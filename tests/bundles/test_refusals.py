"""Every damaged or hostile bundle is refused in one sentence, before anything in it runs."""

import json
import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mtrain_env.bots.bundle import LIMITS, load_bundle
from mtrain_env.cli import main
from tests.bundles.conftest import edit_policy, put, refused
from tests.bundles.hostile import DAMAGED_WEIGHTS, WRONG_POLICIES
from tests.bundles.watch import nothing_happens

# -- the folder


def test_a_missing_bundle_is_a_sentence_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("nothing", str(tmp_path / "nothing"), "../nothing", "a\0b"):
        assert main(["bundle", "check", name]) == 2
        shown = capsys.readouterr()
        assert shown.err.startswith(f"mtrain: The bundle {name!r} can") and shown.err.count("\n") == 1
        assert shown.out == ""


@pytest.mark.parametrize("name", ["policy.json", "model.onnx", "model.safetensors", "golden.json", "README.md"])
def test_a_missing_file(copy: Path, name: str) -> None:
    (copy / name).unlink()
    refused(copy, f"{name} is missing")


@pytest.mark.parametrize("name", ["model.onnx", "model.safetensors", "golden.json", "README.md"])
def test_a_file_with_another_hash(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    refused(copy, f"{name} is not the file that policy.json names")


class Bomb:
    """An object whose pickle runs a command when it is read."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch exploded",)


BOMB = pickle.dumps(Bomb())


def test_a_pickle_beside_it(copy: Path) -> None:
    (copy / "model.pkl").write_bytes(BOMB)
    refused(copy, "'model.pkl', which no bundle has")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("policy.json", "policy.json is no JSON"),
        ("model.safetensors", "model.safetensors is cut short or no safetensors file"),
        ("model.onnx", "cannot be read as an allowed ONNX file"),
        ("README.md", "README.md is no text in UTF-8"),
    ],
)
def test_a_pickle_in_the_place_of_a_file(copy: Path, name: str, part: str) -> None:
    if name == "policy.json":
        (copy / name).write_bytes(BOMB)
    else:
        put(copy, name, BOMB)
    refused(copy, part)


def test_a_pickle_in_the_place_of_the_golden_positions(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(copy, "golden.json", BOMB)
    assert main(["bundle", "check", str(copy)]) == 2
    assert "In golden.json the file is wrong" in capsys.readouterr().err
    assert not (copy / "exploded").exists() and not Path("exploded").exists()


def test_hidden_files_are_not_opened(copy: Path) -> None:
    (copy / ".cache").mkdir()
    (copy / ".cache" / "model.pkl").write_bytes(BOMB)
    opened: list[str] = []
    with nothing_happens(copy, opened):
        load_bundle(copy)
    assert sorted(Path(path).name for path in opened) == sorted(LIMITS)


def test_the_watch_sees_what_it_watches_for(copy: Path) -> None:
    """What the tests of refusals would notice: running, writing, reading elsewhere, threads that stay."""
    doings: list[Callable[[], object]] = [
        lambda: os.system("true"),
        lambda: pickle.loads(pickle.dumps(Path)),
        lambda: (copy / "written").write_text("x"),
        lambda: Path(__file__).read_text(),
        lambda: compile("1", "x", "eval"),
    ]
    for does in doings:
        with pytest.raises(AssertionError), nothing_happens(copy):
            does()
    ended = threading.Event()
    with pytest.raises(AssertionError), nothing_happens(copy):
        threading.Thread(target=ended.wait, daemon=True).start()
    ended.set()


def test_files_outside_of_the_folder(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes((copy / "golden.json").read_bytes())
    (copy / "golden.json").unlink()
    (copy / "golden.json").symlink_to("../secret")
    refused(copy, "golden.json lies outside of the bundle")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "sub/golden.json", "golden.json\0", "model.pkl"])
def test_paths_in_the_policy(copy: Path, path: str) -> None:
    edit_policy(copy, lambda policy: policy["files"].update({path: policy["files"].pop("golden.json")}))
    refused(copy, "policy.json must list")


def test_a_pipe_and_a_giant_are_not_read(copy: Path) -> None:
    with open(copy / "golden.json", "r+b") as file:
        file.truncate(1 << 34)
    refused(copy, "golden.json is no plain file of at most")
    (copy / "golden.json").unlink()
    os.mkfifo(copy / "golden.json")
    refused(copy, "golden.json is no plain file of at most")


# -- policy.json


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "policy.json is no JSON"),
        ("[" * 100_000, "policy.json is no JSON"),
        ("\x80", "policy.json is no JSON"),
        ("[]", "policy.json is of format None"),
        ('{"format": 1}', "policy.json is of format 1; this version reads 'mtrain-policy/1'"),
        ('{"format": "mtrain-policy/1"}', "In policy.json name is wrong: field required"),
    ],
)
def test_a_broken_policy(copy: Path, text: str, part: str) -> None:
    (copy / "policy.json").write_bytes(text.encode("latin1"))
    refused(copy, part)


@pytest.mark.parametrize(("change", "part"), WRONG_POLICIES)
def test_a_wrong_policy(copy: Path, change: dict[str, Any], part: str) -> None:
    edit_policy(copy, lambda policy: policy.update(change))
    refused(copy, part)


def test_fields_of_a_later_minor_version_are_ignored(copy: Path) -> None:
    edit_policy(copy, lambda policy: policy.update(mood="cheerful"))
    assert load_bundle(copy).name == copy.name


# -- model.safetensors


@pytest.mark.parametrize("kind", ["copy", "flat_copy"])
@pytest.mark.parametrize(("change", "part"), DAMAGED_WEIGHTS)
def test_damaged_weights(
    kind: str, change: Callable[[bytes], bytes], part: str, request: pytest.FixtureRequest
) -> None:
    copy: Path = request.getfixturevalue(kind)
    put(copy, "model.safetensors", change((copy / "model.safetensors").read_bytes()))
    refused(copy, part)


# -- golden.json


def change_position(**fields: object) -> Callable[[dict[str, Any]], None]:
    return lambda golden: golden["games"][1]["positions"][0].update(fields)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda golden: golden["games"].clear(), "In golden.json games is wrong"),
        (lambda golden: golden.update(format="mtrain-golden/2"), "In golden.json format is wrong"),
        (lambda golden: golden["games"].extend(10 * golden["games"]), "In golden.json games is wrong"),
        (lambda golden: golden.update(width=3), "must have 20 positions or more, with rows of"),
        (lambda golden: golden["games"].__delitem__(slice(0, 3)), "must have 20 positions or more"),
        (change_position(move=99), "lists that do not fit"),
        (change_position(score=[]), "lists that do not fit"),
        (change_position(after=0), "other actions are legal"),
        (lambda golden: golden["games"][1].update(seed=77), "Game 1 of golden.json differs with onnx"),
        (lambda golden: golden["games"][1]["actions"].__setitem__(0, "fly"), "'fly' cannot be read"),
        (lambda golden: golden["games"][1]["rules"].update(num_players=99), "Game 1 of golden.json differs"),
    ],
)
def test_wrong_golden_positions(
    copy: Path, change: Callable[[dict[str, Any]], None], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = json.loads((copy / "golden.json").read_bytes())
    change(golden)
    put(copy, "golden.json", json.dumps(golden).encode())
    assert main(["bundle", "check", str(copy)]) == 2
    error = capsys.readouterr().err
    assert part in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("what", ["score", "value", "move", "rows", "column"])
def test_a_golden_position_that_is_not_reproduced(copy: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    golden = json.loads((copy / "golden.json").read_bytes())
    position = golden["games"][2]["positions"][1]
    if what == "score":
        position["score"][0] += 1e-4
    elif what == "value":
        position["value"][0][1] += 1e-4
    elif what == "move":
        position["move"] = (position["move"] + 1) % len(position["legal"])
    elif what == "rows":
        position["rows"][0][1][0] += 0.5
    else:
        position["rows"][0][0][0] = -1
    put(copy, "golden.json", json.dumps(golden).encode())
    assert main(["bundle", "check", str(copy)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
