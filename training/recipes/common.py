"""What all recipes share: their options, the export of what they learned, and the match that measures it."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mtrain_env.bot import make_bot
from mtrain_env.bots.policy import Table
from mtrain_env.errors import BundleError, MtrainError
from mtrain_env.evaluation.matches import MatchResult, match
from mtrain_env.rules import Rules
from training.config import REPORT_SEED
from training.export import Origin, commit, export_flat, measured
from training.onnx_model import Weights


@dataclass(frozen=True)
class Learned:
    """What a recipe ends with."""

    library: str
    """Name of the library's distribution, such as stable-baselines3."""
    weights: Weights
    """A flat network under the names of flat-mlp/1, float32 (docs/bundles.md)."""
    settings: Mapping[str, Any]
    """All settings of the run, with `seed`; they are written into the bundle."""
    decisions: int
    """That were learned from."""
    updates: int
    """Steps of the optimiser."""
    seconds: float
    """Spent on learning, collecting included, set-up and compilation not."""


def finish(learned: Learned, rules: Rules, out: Path, deals: int) -> MatchResult:
    """Export what was learned, measure the exported policy against easy, write that into the bundle, print a line."""
    origin = Origin(
        config={"recipe": learned.library, **learned.settings},
        seed=learned.settings["seed"],
        steps=learned.updates,
        commit=commit(),
        trained=[Table(rules=rules.name, players=(rules.num_players,))],
    )
    export_flat(learned.weights, rules, out, origin)
    result = match(make_bot(f"learned:{out}"), make_bot("easy"), rules, deals, REPORT_SEED)
    export_flat(learned.weights, rules, out, replace(origin, strength=[measured(result)]))
    print(line(learned, result), flush=True)
    return result


def line(learned: Learned, result: MatchResult) -> str:
    """Return library, version, speed and strength in one line."""
    pips, rules = result.pips_difference, result.deals.rules
    return (
        f"{learned.library} {version(learned.library)}: {learned.decisions:,} decisions, "
        f"{learned.decisions / learned.seconds:,.0f}/s; "
        f"{pips.mean:+.1f} [{pips.low:+.1f}, {pips.high:+.1f}] pips a round against easy "
        f"({rules.name}, {rules.num_players} players, {result.deals.count} deals in all seats)"
    )


def side_by_side(policy: nn.Module, value: nn.Module) -> Weights:
    """Return two stacks of linear layers with ReLU between them, of one depth, under the names of flat-mlp/1.

    A bundle has one stack of hidden layers for the policy and the value. So the two are laid side by side, with zeros
    between them: the numbers are the same. BundleError if there are other layers, which a bundle cannot hold.
    """
    pairs = list(zip(_linear(policy), _linear(value), strict=True))
    names = [f"hidden.{i}" for i in range(len(pairs) - 1)]
    weights: Weights = {}
    for name, (left, right) in zip(names, pairs, strict=False):
        both = left["weight"], right["weight"]
        weights[f"{name}.weight"] = np.vstack(both) if name == "hidden.0" else _apart(*both)
        weights[f"{name}.bias"] = np.hstack([left["bias"], right["bias"]])
    score, its_value = (head["weight"] for head in pairs[-1])
    weights["score.weight"] = np.pad(score, ((0, 0), (0, its_value.shape[1])))
    weights["value.weight"] = np.pad(its_value, ((0, 0), (score.shape[1], 0)))
    return weights | {"score.bias": pairs[-1][0]["bias"], "value.bias": pairs[-1][1]["bias"]}


def _linear(stack: nn.Module) -> list[Weights]:
    """Return weight and bias of each layer, as copies."""
    layers = [layer for layer in stack.modules() if not any(layer.children())]
    others = {type(layer).__name__ for layer in layers if not isinstance(layer, nn.Linear | nn.ReLU)}
    if others:
        raise BundleError(f"A bundle holds ReLU layers, not {', '.join(sorted(others))}: build the network of them.")
    return [
        {name: tensor.numpy().copy() for name, tensor in layer.state_dict().items()}
        for layer in layers
        if isinstance(layer, nn.Linear)
    ]


def _apart(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Two layers as one that keeps them apart."""
    upper = np.pad(left, ((0, 0), (0, right.shape[1])))
    return np.vstack([upper, np.pad(right, ((0, 0), (left.shape[1], 0)))])


def parser(about: str, *, rules: str = "core", players: int = 4, steps: int) -> ArgumentParser:
    """Return the options that all recipes have."""
    options = ArgumentParser(description=about)
    options.add_argument("-o", "--out", type=Path, required=True, help="folder of the bundle, as runs/NAME")
    options.add_argument("--rules", default=rules, help=f"preset ({rules})")
    options.add_argument("--players", type=int, default=players, help=f"seats ({players})")
    options.add_argument("--steps", type=int, default=steps, help=f"decisions to learn from ({steps:,})")
    options.add_argument("--seed", type=int, default=1, help="all randomness follows from it (1)")
    options.add_argument("--deals", type=int, default=300, help="deals of the match at the end, in all seats (300)")
    return options


def run(options: ArgumentParser, train: Callable[[Namespace, Rules], Learned], arguments: Sequence[str] | None) -> int:
    """Run a recipe from the command line: train, export, measure; returns the exit status."""
    given = options.parse_args(arguments)
    torch.set_num_threads(1)  # the networks are small: more threads only wait for each other
    try:
        rules = Rules.preset(given.rules, num_players=given.players)
        finish(train(given, rules), rules, given.out, given.deals)
    except MtrainError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Exported to {given.out}: play against it as learned:{given.out}")
    return 0
