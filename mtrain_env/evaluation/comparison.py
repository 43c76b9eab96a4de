"""Whether one bot is better than another, and how many deals it takes to know."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from mtrain_env.evaluation.document import incident_note, pips, shares, table
from mtrain_env.evaluation.matches import MatchResult, Values
from mtrain_env.evaluation.report import deals_json, incidents_json
from mtrain_env.evaluation.statistics import Interval, bootstrap, deals_needed

FORMAT: Final = "mtrain-comparison/1"


@dataclass(frozen=True)
class Versus:
    """Two bots, each in one seat among copies of the other, on the same deals."""

    a: MatchResult
    """One a among b's."""
    b: MatchResult | None
    """One b among a's; None with two players, where it is the same match."""
    difference: float = 1.0
    """Pips that would matter."""

    @property
    def matches(self) -> list[MatchResult]:
        """One or both."""
        return [self.a] if self.b is None else [self.a, self.b]

    @cached_property
    def _by_deal(self) -> Values:
        mine = self.a.own - self.a.other
        return mine if self.b is None else (mine - (self.b.own - self.b.other)) / 2

    @cached_property
    def pips_difference(self) -> Interval:
        """Pips per round, a's minus b's, the mean of both framings: below zero, a is better."""
        return bootstrap(self._by_deal)

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `open`."""
        found = self.pips_difference
        return "better" if found.high < 0 else "worse" if found.low > 0 else "open"

    @property
    def disagree(self) -> bool:
        """The one who is better alone among the others is not so the other way round."""
        if self.b is None:
            return False
        mine, others = self.a.pips_difference, self.b.pips_difference
        return (mine.high < 0 and others.high < 0) or (mine.low > 0 and others.low > 0)

    def more_deals(self, difference: float) -> int:
        """Return how many more deals show so many pips with 80% power (0 = these are enough)."""
        spread = float(np.std(self._by_deal, ddof=1))
        return max(0, deals_needed(spread, difference) - self.a.deals.count)


def as_json(versus: Versus) -> dict[str, Any]:
    """Return everything as plain values."""
    observed = versus.pips_difference.mean
    return {
        "format": FORMAT,
        **deals_json(versus.a.deals),
        "a": versus.a.bot,
        "b": versus.a.others,
        "verdict": versus.verdict,
        "pips_difference": asdict(versus.pips_difference),
        "framings_disagree": versus.disagree,
        "matches": [
            {
                "bot": match.bot,
                "others": match.others,
                "pips_difference": asdict(match.pips_difference),
                "won": asdict(match.rounds_won),
            }
            for match in versus.matches
        ],
        "incidents": incidents_json(versus.matches),
        "more_deals": {
            "for_what_was_seen": versus.more_deals(observed) if observed else None,
            "difference": versus.difference,
            "for_difference": versus.more_deals(versus.difference),
        },
    }


def as_text(versus: Versus) -> str:
    """Return the answer, and the matches that it rests on."""
    deals, n = versus.a.deals, versus.a.deals.rules.num_players
    rows = [["one", "among", "pips a round, minus the others'", f"won (fair {1 / n:.1%})"]]
    for match in versus.matches:
        others = f"{n - 1} x {match.others}"
        rows.append([match.bot, others, pips(match.pips_difference, signed=True), shares(match.rounds_won)])
    head = f"{deals.rules.name}, {n} players: {deals.count} deals {deals.name} (seed {deals.seed}, from {deals.first})"
    note = incident_note(incidents_json(versus.matches))
    return "\n".join([_answer(versus), "", head, *table(rows), *(["", note] if note else [])])


def _answer(versus: Versus) -> str:
    """Return the verdict in a sentence or two."""
    a, b, found = versus.a.bot, versus.a.others, versus.pips_difference
    shown = pips(found, signed=True)
    if versus.verdict == "open":
        text = f"Not settled: {a} minus {b} is {shown} pips a round."
        if found.mean and (more := versus.more_deals(found.mean)):
            text += f" If that is the true difference, about {more:,} more deals show it;"
        more = versus.more_deals(versus.difference)
        enough = f"{more:,} more deals would show" if more else "these deals would mostly have shown"
        text += f" {enough} a difference of {versus.difference:g} {'pip' if versus.difference == 1 else 'pips'}."
    else:
        text = f"{a} is {versus.verdict} than {b}: {shown} pips a round."
    if versus.disagree:
        text += " But it depends on the table: among copies of the other, each is the better one, or each the worse."
    return text
