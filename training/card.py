"""The model card: the README.md of a bundle, written from its policy.json."""

from mtrain_env.bots.policy import Policy, Table


def card(policy: Policy) -> str:
    """Return the model card."""
    trained = "; ".join(_table(table) for table in policy.trained) or "not said"
    origin = policy.provenance
    sizes = "-".join(map(str, (policy.candidates.width, *policy.architecture.hidden)))
    return f"""---
license: {policy.licence.lower()}
library_name: mtrain-env
tags: [mexican-train, dominoes, reinforcement-learning, onnx]
---
# {policy.name}

A player of Mexican Train dominoes, learned by self-play. It scores every legal move; the highest score is played
(scores within 1e-5 of the best count as equal: then the lowest action id).

| | |
|---|---|
| trained on | {trained} |
| network | {policy.architecture.id}, {sizes}, {policy.candidates.spec}, {policy.actions} |
| seed, updates, rounds | {origin.seed}, {origin.steps}, {origin.rounds} |
| commit | {origin.commit or "not known"} |
| licence | {policy.licence} |

## Strength

{_strength(policy)}

## Use

```
pip install "mtrain-env[onnx]"
mtrain bundle check {policy.name}
mtrain evaluate --bots learned:{policy.name} --rules core --players 4 --deals 500
```

`model.onnx` takes float32 candidate rows [rows, {policy.candidates.width}], any number of them.
It gives `score` [rows] and `value` [rows, 2]: own pips / 100 at the round's end, and the mean of the others'.
`model.safetensors` has the same weights. A reader in any language must reproduce `golden.json`. `policy.json` says
everything else.
"""


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
