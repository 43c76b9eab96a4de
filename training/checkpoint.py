"""Saving a run so that it goes on exactly where it was, bit for bit: one file, replaced in one step, no pickle.

The file is safetensors: weights, running mean, optimiser, critic, pool, and the weights with which the next batch is
being collected; all else is JSON in its metadata. No state of a random generator needs saving: every deal, exploring
move, seating and shuffle is drawn from (seed, stream, phase, update) (collector.py), and an update plays whole rounds.
"""

import json
import os
import struct
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from mtrain_env.errors import ConfigError
from training.columns import used_columns
from training.config import Config, from_fields
from training.critic import Critic
from training.learning import Trainee
from training.network import CandidateNetwork
from training.start import network_of_bundle

FORMAT: Final = "mtrain-training/1"
FILE: Final = "checkpoint.safetensors"


@dataclass
class Progress:
    """How far a run is."""

    phase: str = "warm"
    """warm, selfplay or done."""
    update: int = 0
    """Updates done in the phase."""
    steps: int = 0
    """Updates done in all."""
    rounds: int = 0
    decisions: int = 0
    seconds: float = 0.0
    """Time spent learning, all starts together."""
    stopped_by_time: bool = False
    strength: dict[str, Any] = field(default_factory=dict)
    """Matches after the warm start (`warm`) and after self-play (`selfplay`)."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    """`step`, `rounds`, `seconds` and `matches` at each measurement, in order."""


@dataclass
class Run:
    """All that a run is, but its settings."""

    progress: Progress
    trainee: Trainee
    pool: list[CandidateNetwork] = field(default_factory=list)
    """Past selves, oldest first."""
    actor: CandidateNetwork | None = None
    """The weights with which the next batch of self-play is collected."""
    opponent: CandidateNetwork | None = None
    """The past self in that batch."""
    critic: Critic | None = None
    """Judges states while learning, if the settings want one."""


def new_run(config: Config) -> Run:
    """Return a run that has learned nothing, or what the bundle `start` has."""
    return Run(Progress(), _new_trainee(config), critic=Critic(config) if config.critic else None)


def _new_trainee(config: Config) -> Trainee:
    """Return the network with which learning begins."""
    columns = used_columns(config.all_rules(), config.ignore)
    if config.start:
        network = network_of_bundle(config.start, columns).requires_grad_(True)
        if network.hidden != config.hidden:
            raise ConfigError(f"The bundle {config.start} has hidden {list(network.hidden)}: set hidden to that.")
        if config.learner == "value":
            network.take_value_out(config.prior)
        return Trainee(network, config)
    network = CandidateNetwork(len(columns), config.hidden, columns)
    network.initialise(torch.Generator().manual_seed(config.seed))
    if config.teach_share > 0 and config.clone_cost == 0:
        torch.nn.init.zeros_(network.score.weight)  # the first lesson begins with the value's judgement
    return Trainee(network, config)


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` in the file `path`: whoever reads it, after a crash too, finds the old content or the new."""
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def save_run(folder: Path, config: Config, run: Run) -> None:
    """Write the checkpoint."""
    tensors: dict[str, Tensor] = {}
    networks: dict[str, nn.Module] = {"network": run.trainee.network, "mean": run.trainee.mean}
    networks |= {f"pool.{k}": past for k, past in enumerate(run.pool)}
    if run.actor is not None:
        networks["actor"] = run.actor
    if run.opponent is not None:
        networks["opponent"] = run.opponent
    if run.critic is not None:
        networks["critic"] = run.critic.network
        tensors |= _moments("critic_optimiser", run.critic.optimiser)
    for prefix, network in networks.items():
        tensors |= {f"{prefix}/{name}": tensor.clone() for name, tensor in network.state_dict().items()}
    tensors |= _moments("optimiser", run.trainee.optimiser)
    about = {
        "format": FORMAT,
        "config": json.dumps(config.as_dict()),
        "progress": json.dumps(asdict(run.progress)),
        "minibatches": str(run.trainee.steps),
        "pool": str(len(run.pool)),
    }
    write_atomically(folder / FILE, save(tensors, about))


def load_run(folder: Path) -> tuple[Config, Run]:
    """Return settings and state of the run in `folder`."""
    about, tensors = _read(folder)
    try:
        config = from_fields(json.loads(about["config"]))
        run = new_run(config)
        run.progress = Progress(**json.loads(about["progress"]))
        trainee = run.trainee
        trainee.steps = int(about["minibatches"])
        trainee.network.load_state_dict(_part(tensors, "network"))
        trainee.mean.load_state_dict(_part(tensors, "mean"))
        _restore(trainee.optimiser, _part(tensors, "optimiser"))
        if run.critic is not None:
            run.critic.network.load_state_dict(_part(tensors, "critic"))
            _restore(run.critic.optimiser, _part(tensors, "critic_optimiser"))
        run.pool = [_frozen(_part(tensors, f"pool.{k}")) for k in range(int(about["pool"]))]
        for name in ("actor", "opponent"):
            if part := _part(tensors, name):
                setattr(run, name, _frozen(part))
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(f"The checkpoint in {folder} does not fit this version: {_line(error)}") from error
    return config, run


def load_player(folder: str | Path) -> tuple[Config, Progress, CandidateNetwork]:
    """Return settings, progress and the network that plays, from the run in `folder`; its `score` chooses the move."""
    config, run = load_run(Path(folder))
    return config, run.progress, player_of(config, run.trainee)


def player_of(config: Config, trainee: Trainee) -> CandidateNetwork:
    """Return the network that plays now; the value learner's judges moves by the value, with `prior` by both."""
    network = trainee.player()
    if config.learner == "value":
        network.weigh_value(config.prior)
    return network


def _moments(prefix: str, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return what an optimiser keeps of each parameter, as tensors below a prefix."""
    state = optimiser.state_dict()["state"]
    return {f"{prefix}/{k}/{name}": tensor.clone() for k, kept in state.items() for name, tensor in kept.items()}


def _restore(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Undo `_moments`; the names are without the prefix."""
    state = optimiser.state_dict()
    state["state"] = {}
    for name, tensor in tensors.items():
        k, _, kind = name.partition("/")
        state["state"].setdefault(int(k), {})[kind] = tensor
    optimiser.load_state_dict(state)


def _frozen(state: dict[str, Tensor]) -> CandidateNetwork:
    """Return the network that has this state; an opponent may have other sizes than the one that learns."""
    layers = sum(name.startswith("trunk.") for name in state) // 2
    hidden = [len(state[f"trunk.{2 * i}.bias"]) for i in range(layers)]
    network = CandidateNetwork(len(state["columns"]), hidden)
    network.load_state_dict(state)
    return network.requires_grad_(False)


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors below a prefix, without it."""
    return {name[len(prefix) + 1 :]: tensor for name, tensor in tensors.items() if name.startswith(prefix + "/")}


def _read(folder: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Return metadata and tensors of the checkpoint."""
    path = folder / FILE
    try:
        with safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (OSError, SafetensorError, struct.error) as error:
        raise ConfigError(f"The checkpoint {path} cannot be read: {_line(error)}") from None
    if about.get("format") != FORMAT:
        raise ConfigError(f"{path} is no checkpoint of the format {FORMAT}.")
    return about, tensors


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
