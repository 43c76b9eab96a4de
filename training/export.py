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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors.numpy

from mtrain_env.bots.bundle import load_bundle
from mtrain_env.bots.golden import replay, write_flat_golden, write_golden
from mtrain_env.bots.networks import depth_of, numpy_flat_network, numpy_network
from mtrain_env.bots.policy import (
    FLAT_MLP,
    FORMAT,
    MLP,
    POLICY,
    Architecture,
    Candidates,
    File,
    Flat,
    Interval,
    Policy,
    Provenance,
    Strength,
    Table,
    is_name,
    tensors,
    weight_shapes,
)
from mtrain_env.bots.scripted import LEVELS
from mtrain_env.encoding.actions import ACT_SPEC
from mtrain_env.encoding.candidates import CAND_SPEC, CAND_WIDTH, NODE_CAP
from mtrain_env.errors import BundleError, MtrainError
from mtrain_env.evaluation import statistics
from mtrain_env.evaluation.matches import MatchResult
from mtrain_env.evaluation.statistics import bootstrap
from mtrain_env.rules import Rules
from training.card import card
from training.checkpoint import Progress, load_player
from training.config import REPORT_SEED, Config
from training.network import CandidateNetwork
from training.onnx_model import Weights, metadata, onnx_model
from training.strength import strength as play_match

Seating = Literal["one among copies", "copies around one"]


@dataclass(frozen=True)
class Origin:
    """What policy.json says about where a network comes from, what rows it plays with, and where it may be used."""

    config: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    steps: int | None = None
    rounds: int | None = None
    commit: str | None = None
    node_cap: int = NODE_CAP
    """Of the searches for the longest lines in its candidate rows."""
    trained: Sequence[Table] = ()
    strength: Sequence[Strength] = ()
    """No measurement: the bundle says `not measured`."""
    curve: Sequence[Mapping[str, Any]] = ()
    """How strong the network was on the way (checkpoint.Progress), for the model card."""


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
    return {
        f"{ours}.{kind}": np.ascontiguousarray(state[f"{theirs}.{kind}"].numpy(), np.float32)
        for theirs, ours in names.items()
        for kind in ("weight", "bias")
    }


def origin_of(config: Config, progress: Progress, strength: Sequence[Strength] = ()) -> Origin:
    """Return what a bundle says about the run that it comes from."""
    return Origin(
        config=config.as_dict(),
        seed=config.seed,
        steps=progress.steps,
        rounds=progress.rounds,
        commit=commit(),
        node_cap=config.node_cap,
        trained=[Table(rules=config.rules, players=config.players, changes={**config.house_rules})],
        strength=strength,
        curve=progress.curve,
    )


def export_run(run_dir: str | Path, out_dir: str | Path, strength: Sequence[Strength] = ()) -> Path:
    """Write the network that plays in the training run `run_dir` as the bundle `out_dir`."""
    config, progress, network = load_player(run_dir)
    return export_network(network, out_dir, origin_of(config, progress, strength))


def measure(run_dir: str | Path, deals: int) -> list[Strength]:
    """Play the network of a run against the scripted bots, on deals that are used for nothing else."""
    config, _, network = load_player(run_dir)
    return [
        measured(play_match(network, config.node_cap, rules, others, deals, REPORT_SEED))
        for rules in config.all_rules()
        for others in LEVELS
    ]


def commit() -> str | None:
    """Return the commit of this code, `-dirty` if files were changed since; None if git does not know it."""
    words = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def export_network(network: CandidateNetwork, out_dir: str | Path, origin: Origin) -> Path:
    """Write a network as the bundle `out_dir`, whose last part is its name; BundleError if something else is there."""
    cap = origin.node_cap
    reads = Candidates(spec=CAND_SPEC, width=CAND_WIDTH, node_cap=cap)
    return _export(weights_of(network), reads, out_dir, origin, lambda w: write_golden(numpy_network(w), cap))


def export_flat(weights: Weights, rules: Rules, out_dir: str | Path, origin: Origin) -> Path:
    """Write a flat network, made for `rules`, as the bundle `out_dir`; as export_network.

    `weights` are those of the architecture flat-mlp/1 (mtrain_env/bots/policy.py) by name, float32.
    """
    reads = Flat.of(rules)
    return _export(weights, reads, out_dir, origin, lambda w: write_flat_golden(numpy_flat_network(w), reads, rules))


def _export(
    weights: Weights,
    reads: Candidates | Flat,
    out_dir: str | Path,
    origin: Origin,
    golden: Callable[[Weights], str],
) -> Path:
    """Write the bundle beside its place, check it, replay its golden positions, and move it there."""
    out = Path(out_dir).resolve()
    if not is_name(out.name):
        raise BundleError(f"{out.name!r} is no name for a bundle: use a-z, 0-9, dots, dashes and underscores.")
    if out.exists() and not _replaceable(out):
        raise BundleError(f"{out_dir} exists and is no bundle; it was left as it is.")
    policy = _policy(out.name, reads, _hidden(weights, reads), origin)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as parent:
        made = Path(parent) / out.name
        made.mkdir()
        _write_files(made, policy, weights, golden(weights), origin)
        bundle = load_bundle(made)
        replay(bundle, "onnx")
        replay(bundle, "numpy")
        if out.exists():
            out.rename(Path(parent) / "replaced")
        made.rename(out)
    return out


def _hidden(weights: Weights, reads: Candidates | Flat) -> tuple[int, ...]:
    """Return the widths of the hidden layers; BundleError if the weights are not those of such a network."""
    if not all(np.isfinite(tensor).all() for tensor in weights.values()):
        raise BundleError("The network has a weight that is not finite; it was not exported.")
    hidden = tuple(weights[f"hidden.{i}.bias"].size for i in range(depth_of(weights)))
    wanted = weight_shapes(reads, hidden)
    for name in sorted(set(wanted) | set(weights)):
        found = weights[name].shape if name in weights else None
        if found != wanted.get(name):
            raise BundleError(f"The weights {name!r} are {found}, not {wanted.get(name)}; nothing was exported.")
    return hidden


def _replaceable(out: Path) -> bool:
    """Whether there is a bundle, of any version, or an empty folder."""
    if not out.is_dir() or not any(out.iterdir()):
        return out.is_dir()
    try:
        return str(json.loads((out / POLICY).read_bytes())["format"]).startswith("mtrain-policy/")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _write_files(folder: Path, policy: Policy, weights: Weights, golden: str, origin: Origin) -> None:
    contents = {
        "model.onnx": onnx_model(weights, policy),
        "model.safetensors": safetensors.numpy.save(weights, metadata(policy)),
        "golden.json": golden.encode(),
        "README.md": card(policy, origin.curve).encode(),
    }
    files = {name: File(sha256=hashlib.sha256(data).hexdigest(), size=len(data)) for name, data in contents.items()}
    absent = {"flat" if policy.flat is None else "candidates"}
    described = policy.model_copy(update={"files": files}).model_dump_json(indent=2, exclude=absent)
    contents[POLICY] = (described + "\n").encode()
    for name, data in contents.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o644)


def _policy(name: str, reads: Candidates | Flat, hidden: tuple[int, ...], origin: Origin) -> Policy:
    """Return policy.json but for the files."""
    inputs, outputs = tensors(reads)
    tested = {(line.rules, line.players) for line in origin.strength}
    return Policy(
        format=FORMAT,
        name=name,
        candidates=reads if isinstance(reads, Candidates) else None,
        flat=reads if isinstance(reads, Flat) else None,
        actions=ACT_SPEC,
        architecture=Architecture(id=MLP if isinstance(reads, Candidates) else FLAT_MLP, hidden=hidden),
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
