"""Results of matches as JSON, and that as sections to read; no mean without its interval."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from mtrain_env.evaluation.deals import Deals
from mtrain_env.evaluation.document import Rows, Section, about, incident_note, pips, read, shares
from mtrain_env.evaluation.matches import MatchResult, paired_difference
from mtrain_env.evaluation.picture import Mark, Panel
from mtrain_env.evaluation.players import Incidents, by_name
from mtrain_env.evaluation.variance import split

FORMAT: Final = "mtrain-evaluation/1"


def as_json(deals: Deals, results: Sequence[MatchResult], difference: float) -> dict[str, Any]:
    """Return everything as plain values; `difference` is the number of pips that the needed deals are for."""
    against: dict[str, list[MatchResult]] = defaultdict(list)
    for result in results:
        against[result.others].append(result)
    return {
        "format": FORMAT,
        **deals_json(deals),
        "matches": [
            match_json(result) | {"deals_needed": {"difference": difference, "deals": result.deals_for(difference)}}
            for result in results
        ],
        "comparisons": [
            {"a": a.bot, "b": b.bot, "others": others, "pips_difference": asdict(paired_difference(a, b))}
            for others, same in against.items()
            for k, a in enumerate(same)
            for b in same[k + 1 :]
        ],
        "variance": [variance_json(same) | {"others": others} for others, same in against.items() if len(same) > 1],
        "incidents": incidents_json(results),
    }


def deals_json(deals: Deals) -> dict[str, Any]:
    """Return rules and deals as plain values."""
    fields = ("name", "mode", "seed", "first", "count")
    return {
        "rules": deals.rules.as_dict(),
        "deals": {field: getattr(deals, field) for field in fields},
        "fair_share": 1 / deals.rules.num_players,
    }


def match_json(result: MatchResult) -> dict[str, Any]:
    """Return a match as plain values."""
    return {
        "bot": result.bot,
        "others": result.others,
        "pips": asdict(result.pips),
        "pips_difference": asdict(result.pips_difference),
        "won": asdict(result.rounds_won),
        "places": [asdict(place) for place in result.places],
        "microseconds_per_decision": round(result.microseconds, 2),
    }


def variance_json(results: Sequence[MatchResult]) -> dict[str, Any]:
    """Return the split of the variance of these bots' results among the same others (variance.split)."""
    return {"bots": [result.bot for result in results], **asdict(split([result.by_place for result in results]))}


def incidents_json(results: Sequence[MatchResult]) -> dict[str, Incidents]:
    """Return the incidents in all matches, by bot."""
    return by_name((list(one.incidents), list(one.incidents.values())) for one in results)


def title(report: Mapping[str, Any]) -> str:
    """Return a line about what was played."""
    rules, deals = report["rules"], report["deals"]
    return (
        f"{rules['name']}, {rules['num_players']} players, double-{rules['max_pip']}: {deals['count']} deals "
        f"{deals['name']} (seed {deals['seed']}, from {deals['first']}), one {deals['mode']} a deal and seat of the "
        "one; means with 95% intervals over the deals"
    )


def sections(report: Mapping[str, Any]) -> list[Section]:
    """Return what an evaluation says: the matches, the bots compared, the seats, the variance."""
    matches = report["matches"]
    names = [f"{one['bot']} among {one['others']}" for one in matches]
    marks = [Mark(name, read(one["pips_difference"])) for name, one in zip(names, matches, strict=True)]
    panel = Panel("Pips a round, minus the others'", marks)
    parts = [Section(title(report), _match_rows(report), incident_note(report["incidents"]), panel)]
    if report["comparisons"]:
        rows = [["among the same others", "one", "another", "pips, the one's minus the other's"]]
        rows += [
            [one["others"], one["a"], one["b"], pips(read(one["pips_difference"]), signed=True)]
            for one in report["comparisons"]
        ]
        parts.append(Section("Two bots among the same others", rows))
    parts.append(seats_section(names, matches))
    if report["variance"]:
        parts.append(variance_section(report["variance"]))
    return parts


def _match_rows(report: Mapping[str, Any]) -> Rows:
    others, difference = report["rules"]["num_players"] - 1, report["matches"][0]["deals_needed"]["difference"]
    won = f"{report['deals']['mode']}s won (fair {report['fair_share']:.1%})"
    rows = [["one", "among", "pips a round", "minus the others'", won, "us a decision", f"deals for {difference:g}"]]
    for one in report["matches"]:
        own, paired, rounds = (read(one[what]) for what in ("pips", "pips_difference", "won"))
        cells = [one["bot"], f"{others} x {one['others']}", pips(own), pips(paired, signed=True), shares(rounds)]
        rows.append([*cells, f"{one['microseconds_per_decision']:,.1f}", f"{one['deals_needed']['deals']:,}"])
    return rows


def seats_section(names: Sequence[str], matches: Sequence[Mapping[str, Any]]) -> Section:
    """Return the table of the seats."""
    count = len(matches[0]["places"])
    head = ["pips a round, minus the others'", "starts", *(f"{k} after" for k in range(1, count))]
    rows = [[name, *(about(read(place)) for place in one["places"])] for name, one in zip(names, matches, strict=True)]
    note = "The seat that starts lays or names the opening double, or sits first; ± is half of the 95% interval."
    return Section("By seat, counted from the one that starts", [head, *rows], note)


def variance_section(splits: Sequence[Mapping[str, Any]]) -> Section:
    """Return the table of luck and skill."""
    rows = [["bots", "standard deviation", "luck of the cards", "skill", "rest"]]
    for one in splits:
        cells = (shares(read(one[part])) for part in ("luck", "skill", "rest"))
        rows.append([", ".join(one["bots"]), f"{one['deviation']:.1f}", *cells])
    note = (
        "Of a result in one deal (pips, minus the others'), if the bots named sit in the same seat of the same deal "
        "equally often: luck is what they have in common there, skill how far their means lie apart, the rest how each "
        "fares with the cards, its dice included."
    )
    return Section("Luck and skill", rows, note)
