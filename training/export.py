"""Turning a network into a bundle (mtrain_env/bots/bundle.py): `python -m training.export RUN -o checkpoints/NAME`.

The same network gives the same bytes. A bundle is written beside its place, checked, its golden positions are
replayed with both readers, and only then it takes its place, so that no half-written bundle is ever seen.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors.numpy

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.golden import replay, write_golden
from mtrain_env.bots.networks import numpy_network
from mtrain_env.bots.policy import (
    ARCHITECTURE,
    FORMAT,
    POLICY,
    Architecture,
    Candidates,
    File,
    Interval,
    Policy,
    Provenance,
    Strength,
    Table,
    is_name,
    tensors,
)
from mtrain_env.bots.scripted import LEVELS
from mtrain_env.encoding.actions import ACT_SPEC
from mtrain_env.encoding.candidates import CAND_SPEC, CAND_WIDTH, NODE_CAP
from mtrain_env.errors import BundleError, MtrainError
from mtrain_env.evaluation import statistics
from mtrain_env.evaluation.matches import MatchResult
from mtrain_env.evaluation.statistics import bootstrap
from training.card import card
from training.checkpoint import load_player
from training.config import REPORT_SEED
from training.network import CandidateNetwork
from training.onnx_model import METADATA, Weights, onnx_model
from training.strength import strength as play_match

Seating = Literal["one among copies", "copies around one"]


@dataclass(frozen=True)
class Origin:
    """What policy.json says about where a network comes from and where it may be used."""

    config: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    steps: int | None = None
    rounds: int | None = None
    commit: str | None = None
    trained: Sequence[Table] = ()
    strength: Sequence[Strength] = ()
    """No measurement: the bundle says `not measured`."""


def measured(result: MatchResult, seating: Seating = "one among copies") -> Strength:
    """Return a match as a line of a bundle's strength; with `copies around one` the policy is the match's `others`."""
    rules, alone = result.deals.rules, seating == "one among copies"
    difference = result.own - result.other
    pips = bootstrap(difference if alone else -difference)
    won = bootstrap(result.won if alone else (1 - result.won) / (rules.num_players - 1))
    return Strength(
        rules=rules.name,
        players=rules.num_players,
        against=result.others if alone else result.bot,
        seating=seating,
        mode=result.deals.mode,
        deals=result.deals.count,
        deals_name=result.deals.name,
        pips_difference=_interval(pips),
        won=_interval(won),
        microseconds=round(result.microseconds, 1) if alone else None,
    )


def _interval(interval: statistics.Interval) -> Interval:
    return Interval(mean=round(interval.mean, 4), low=round(interval.low, 4), high=round(interval.high, 4))


def weights_of(network: CandidateNetwork) -> Weights:
    """Return the weights of a network under the names of the architecture mlp/1, for full candidate rows."""
    state = network.widened().state_dict()
    names = {f"trunk.{2 * i}": f"hidden.{i}" for i in range(len(network.hidden))}
    names |= {"score": "score", "value": "value"}
    if not all(tensor.isfinite().all() for tensor in state.values()):
        raise BundleError("The network has a weight that is not finite; it was not exported.")
    return {
        f"{ours}.{kind}": np.ascontiguousarray(state[f"{theirs}.{kind}"].numpy(), np.float32)
        for theirs, ours in names.items()
        for kind in ("weight", "bias")
    }


def export_run(run_dir: str | Path, out_dir: str | Path, strength: Sequence[Strength] = ()) -> Path:
    """Write the network that plays in the training run `run_dir` as the bundle `out_dir`."""
    config, progress, network = load_player(run_dir)
    changes = {**config.house_rules}
    origin = Origin(
        config=config.as_dict(),
        seed=config.seed,
        steps=progress.steps,
        rounds=progress.rounds,
        commit=_commit(),
        trained=[Table(rules=config.rules, players=config.players, changes=changes)],
        strength=strength,
    )
    return export_network(network, out_dir, origin)


def measure(run_dir: str | Path, deals: int) -> list[Strength]:
    """Play the network of a run against the scripted bots, on deals that are used for nothing else."""
    config, _, network = load_player(run_dir)
    return [
        measured(play_match(network, rules, others, deals, REPORT_SEED))
        for rules in config.all_rules()
        for others in LEVELS
    ]


def _commit() -> str | None:
    """Return the commit of this code, if git knows it."""
    words = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def export_network(network: CandidateNetwork, out_dir: str | Path, origin: Origin) -> Path:
    """Write a network as the bundle `out_dir`, whose last part is its name; BundleError if something else is there."""
    out = Path(out_dir).resolve()
    if not is_name(out.name):
        raise BundleError(f"{out.name!r} is no name for a bundle: use a-z, 0-9, dots, dashes and underscores.")
    if out.exists() and not _replaceable(out):
        raise BundleError(f"{out_dir} exists and is no bundle; it was left as it is.")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as parent:
        made = Path(parent) / out.name
        made.mkdir()
        _write_files(made, network, origin)
        bundle = load_bundle(made)
        replay(bundle, "onnx")
        replay(bundle, "numpy")
        if out.exists():
            out.rename(Path(parent) / "replaced")
        made.rename(out)
    return out


def _replaceable(out: Path) -> bool:
    """Whether there is a bundle, of any version, or an empty folder."""
    if not out.is_dir() or not any(out.iterdir()):
        return out.is_dir()
    try:
        return str(json.loads((out / POLICY).read_bytes())["format"]).startswith("mtrain-policy/")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _write_files(folder: Path, network: CandidateNetwork, origin: Origin) -> None:
    weights = weights_of(network)
    policy = _policy(folder.name, network, origin)
    contents = {
        "model.onnx": onnx_model(weights),
        "model.safetensors": safetensors.numpy.save(weights, METADATA),
        "golden.json": write_golden(numpy_network(weights), NODE_CAP).encode(),
        "README.md": card(policy).encode(),
    }
    files = {name: File(sha256=hashlib.sha256(data).hexdigest(), size=len(data)) for name, data in contents.items()}
    contents[POLICY] = (policy.model_copy(update={"files": files}).model_dump_json(indent=2) + "\n").encode()
    for name, data in contents.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o644)


def _policy(name: str, network: CandidateNetwork, origin: Origin) -> Policy:
    """Return policy.json but for the files."""
    inputs, outputs = tensors(CAND_WIDTH)
    tested = {(line.rules, line.players) for line in origin.strength}
    return Policy(
        format=FORMAT,
        name=name,
        candidates=Candidates(spec=CAND_SPEC, width=CAND_WIDTH, node_cap=NODE_CAP),
        actions=ACT_SPEC,
        architecture=Architecture(id=ARCHITECTURE, hidden=network.hidden),
        inputs=inputs,
        outputs=outputs,
        files={},
        trained=tuple(origin.trained),
        tested=tuple(Table(rules=rules, players=(players,)) for rules, players in sorted(tested)),
        strength=tuple(origin.strength) or "not measured",
        provenance=Provenance(
            config=dict(origin.config),
            seed=origin.seed,
            steps=origin.steps,
            rounds=origin.rounds,
            commit=origin.commit,
        ),
        licence="MIT",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = ArgumentParser(description="Turn the network of a training run into a bundle that any program can play.")
    options.add_argument("run", type=Path, help="folder of the run, as runs/NAME")
    options.add_argument("-o", "--out", type=Path, required=True, help="folder of the bundle, as checkpoints/NAME")
    options.add_argument("--deals", type=int, default=0, help="measure its strength on so many deals; 0 = do not")
    given = options.parse_args(arguments)
    try:
        export_run(given.run, given.out, measure(given.run, given.deals) if given.deals else ())
    except MtrainError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Exported to {given.out}: mtrain bundle check {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
