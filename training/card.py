"""The model card: the README.md of a bundle, written from its policy.json."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mtrain_env.bots.policy import FLAT_MLP, MLP, Policy, Table

_ABOUT: Final = {
    MLP: "learned by self-play. It scores every legal move; the highest score is played",
    FLAT_MLP: "learned from what a seat sees. It scores every action; the highest legal score is played",
}


def card(policy: Policy, curve: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the model card; `curve` is that of the run, as checkpoint.Progress has it."""
    trained = "; ".join(_table(table) for table in policy.trained) or "not said"
    origin = policy.provenance
    table = policy.trained[0] if policy.trained else Table(rules="core", players=(4,))
    changes = "".join(f" --set {field}={value}" for field, value in table.changes.items())
    start = origin.config.get("start")
    began = f", beginning with the bundle `{start}`" if start else ""
    return f"""---
license: {policy.licence.lower()}
library_name: mtrain-env
tags: [mexican-train, dominoes, reinforcement-learning, onnx]
---
# {policy.name}

A player of Mexican Train dominoes, {_ABOUT[policy.architecture.id]}
(scores within 1e-5 of the best count as equal: then the lowest action id).

| | |
|---|---|
| trained on | {trained} |
| network | {policy.architecture.id}, {policy.sizes}, {policy.reads.spec}, {policy.actions} |
| seed, updates, rounds | {origin.seed}, {origin.steps}, {origin.rounds}{began} |
| commit | {origin.commit or "not known"} |
| licence | {policy.licence} |

## Strength

{_strength(policy)}
{_curve(curve)}
## Use

```
pip install "mtrain-env[onnx]"
mtrain bundle check {policy.name}
mtrain evaluate --bots learned:{policy.name} --rules {table.rules}{changes} --players {table.players[0]} --deals 500
```

{_numbers(policy)}
`model.safetensors` has the same weights. A reader in any language must reproduce `golden.json`. `policy.json` says
everything else.
"""


def _curve(curve: Sequence[Mapping[str, Any]]) -> str:
    """Return how strong the network was on the way, as a section; nothing if that was not measured."""
    if not curve:
        return ""
    first = curve[0]["matches"]
    lines = [
        "",
        "## How it learned",
        "",
        f"Pips per round of one among {first[0]['others']}, minus the others', on {first[0]['deals']} tuning deals in "
        "all seats, with 95% intervals. Minutes are those of learning alone.",
        "",
        "| update | rounds | minutes | " + " | ".join(f"{match['players']} players" for match in first) + " |",
        "|---|---|---|" + "---|" * len(first),
    ]
    for point in curve:
        pips = (match["pips_difference"] for match in point["matches"])
        cells = " | ".join(f"{mean:+.2f} ({low:+.2f} to {high:+.2f})" for mean, low, high in pips)
        lines.append(f"| {point['step']} | {point['rounds']:,} | {point['seconds'] / 60:.0f} | {cells} |")
    return "\n".join(lines) + "\n"


def _numbers(policy: Policy) -> str:
    """Return what goes into the network and what comes out."""
    if policy.flat is None:
        return f"""\
`model.onnx` takes float32 candidate rows [rows, {policy.reads.width}], any number of them.
It gives `score` [rows] and `value` [rows, 2]: own pips / 100 at the round's end, and the mean of the others'."""
    return f"""\
`model.onnx` takes float32 `observation` [rows, {policy.flat.width}] and `mask` [rows, {policy.flat.num_actions}], 1 \
where an action is legal, else 0.
It gives `score` [rows, {policy.flat.num_actions}], -1e9 where an action is not legal, and `value` [rows]: the mean of \
the others' pips less the own ones at the end, / 100.
It plays under rules with these layouts only; `policy.json` lists them."""


def _table(table: Table) -> str:
    changes = "".join(f", {key}={value}" for key, value in table.changes.items())
    return f"{table.rules}{changes} with {', '.join(map(str, table.players))} players"


def _strength(policy: Policy) -> str:
    """Return the measured strength as a table, or that there is none."""
    if isinstance(policy.strength, str):
        return "Not measured."
    lines = [
        "Pips per round and share won are the policy's, with 95% intervals over deals; below zero is better.",
        "",
        "| rules | players | against | seating | pips minus the others' | won | deals |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in policy.strength:
        pips, won = line.pips_difference, line.won
        lines.append(
            f"| {line.rules} | {line.players} | {line.against} | {line.seating} "
            f"| {pips.mean:+.2f} ({pips.low:+.2f} to {pips.high:+.2f}) "
            f"| {won.mean:.1%} of {line.mode}s ({won.low:.1%} to {won.high:.1%}) | {line.deals} |"
        )
    return "\n".join(lines)
