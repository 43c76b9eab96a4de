"""Results of matches as a table to read and as JSON; no mean without its interval."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mtrain_env.evaluation.deals import Deals
from mtrain_env.evaluation.matches import MatchResult, paired_difference
from mtrain_env.evaluation.statistics import Interval

FORMAT: Final = "mtrain-evaluation/1"


@dataclass(frozen=True)
class Comparison:
    """Two bots against the same others on the same deals."""

    a: str
    b: str
    others: str
    pips_difference: Interval
    """Pips per round, a's (minus the others') minus b's: below zero, a is better."""


def compare(results: Sequence[MatchResult]) -> list[Comparison]:
    """Return the paired differences between all bots that met the same others on the same deals."""
    return [
        Comparison(a.bot, b.bot, a.others, paired_difference(a, b))
        for i, a in enumerate(results)
        for b in results[i + 1 :]
        if (a.deals, a.others) == (b.deals, b.others)
    ]


def as_json(deals: Deals, results: Sequence[MatchResult], difference: float) -> dict[str, Any]:
    """Return everything as plain values; `difference` is the number of pips that the needed deals are for."""
    return {
        "format": FORMAT,
        "rules": deals.rules.as_dict(),
        "deals": {
            "name": deals.name,
            "mode": deals.mode,
            "seed": deals.seed,
            "first": deals.first,
            "count": deals.count,
        },
        "matches": [
            {
                "bot": result.bot,
                "others": result.others,
                "pips": asdict(result.pips),
                "pips_difference": asdict(result.pips_difference),
                "won": asdict(result.rounds_won),
                "fair_share": result.fair_share,
                "deals_needed": {"difference": difference, "deals": result.deals_for(difference)},
                "microseconds_per_decision": round(result.microseconds, 2),
            }
            for result in results
        ],
        "comparisons": [asdict(comparison) for comparison in compare(results)],
    }


def as_text(deals: Deals, results: Sequence[MatchResult], difference: float) -> str:
    """Return a table with a line a match; arguments as as_json."""
    rules, n = deals.rules, deals.rules.num_players
    what = "round" if deals.mode == "round" else "game"
    head = ["one", "among", "pips a round", "minus the others'", f"{what}s won (fair {1 / n:.1%})"]
    head += ["us a decision", f"deals for {difference:g}"]
    rows = [head]
    for result in results:
        needed = result.deals_for(difference)
        rows.append(
            [
                result.bot,
                f"{n - 1} x {result.others}",
                pips(result.pips),
                pips(result.pips_difference, signed=True),
                shares(result.rounds_won),
                f"{result.microseconds:.1f}",
                f"{needed:,}",
            ]
        )
    lines = [
        f"{rules.name}, {n} players, double-{rules.max_pip}: {deals.count} deals {deals.name} (seed {deals.seed}, "
        f"from {deals.first}), one {what} a deal and seat of the one; means with 95% intervals over the deals",
        "",
        *table(rows),
    ]
    compared = compare(results)
    if compared:
        rows = [["against the same", "pips, the first's minus the second's"]]
        rows += [[f"{c.others}: {c.a}, {c.b}", pips(c.pips_difference, signed=True)] for c in compared]
        lines += ["", *table(rows)]
    return "\n".join(lines)


def pips(interval: Interval, *, signed: bool = False) -> str:
    """Return pips with their interval."""
    mean, low, high = (round(x, 2) + 0.0 for x in (interval.mean, interval.low, interval.high))
    return f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]" if signed else f"{mean:.2f} [{low:.2f}, {high:.2f}]"


def shares(interval: Interval) -> str:
    """Return a share with its interval, in per cent."""
    return f"{interval.mean:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows with their columns aligned, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
