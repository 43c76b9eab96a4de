"""The help of the page: how to play the chosen rules, the levels, tips, questions, and how long a game takes.

Texts go to the page as blocks `[tag, [[style, text], ...]]`, which it writes as text: no HTML is ever made of them.
"""

import re
from collections.abc import Mapping
from typing import Any

from mtrain_env.play.opponents import Opponents
from mtrain_env.rules import Rules
from mtrain_env.rules_text import describe

Block = list[Any]

_INLINE = re.compile(r"\*\*(?P<strong>[^*]+)\*\*|`(?P<code>[^`]+)`")
_CLAUSES = re.compile(r" \((?:[RD]\d+(?:, )?)+\)")

_TIPS = (
    "Keep the longest line of your hand for your own train, and play the tiles that are not in it elsewhere. "
    "The button “Longest line” shows it.",
    "Get rid of heavy tiles early: everything left in your hand counts against you.",
    "Open your train only when you must; others will use it.",
    "A double is best played when you hold a tile that covers it.",
    "Watch the numbers of tiles in the others' hands: somebody with one tile is about to go out.",
    "What a player could not match when drawing or passing is a number that player does not hold.",
)


TURNS: Mapping[str, Mapping[int, int]] = {
    "pagat": {2: 75, 4: 65, 8: 62},
    "dominoplay": {2: 49, 4: 51, 8: 80, 16: 157},
    "core": {2: 99, 4: 89},
    "deluxe": {2: 100, 4: 89, 8: 82},
}
"""Turns of a first round by preset and number of players: the mean of 60 rounds among medium."""


def help_page(rules: Rules, opponents: Opponents) -> dict[str, Any]:
    """Return the blocks of the help for these rules."""
    return {
        "blocks": [
            *_rules(rules),
            *_controls(rules),
            *_levels(opponents),
            *_tips(),
            *_questions(rules),
            *_length(rules),
        ]
    }


def blocks(markdown: str) -> list[Block]:
    """Return the headings, paragraphs and list items of a simple Markdown text, without the ids of the clauses."""
    found: list[Block] = []
    for part in _CLAUSES.sub("", markdown).split("\n"):
        line = part.strip()
        if not line:
            continue
        tag = "p"
        for mark, name in (("## ", "h3"), ("# ", "h2"), ("- ", "li")):
            if line.startswith(mark):
                tag, line = name, line.removeprefix(mark)
                break
        found.append([tag, _spans(line)])
    return found


def _spans(line: str) -> list[list[str]]:
    spans, start = [], 0
    for match in _INLINE.finditer(line):
        spans.append(["", line[start : match.start()]])
        kind = match.lastgroup or ""
        spans.append([kind, match[kind]])
        start = match.end()
    return [span for span in [*spans, ["", line[start:]]] if span[1]]


def _rules(rules: Rules) -> list[Block]:
    text = describe(rules).replace(
        " The ids in brackets are the clauses of RULES.md, which decides wherever this page is short.", ""
    )
    return blocks(text)


def _controls(rules: Rules) -> list[Block]:
    lines = [
        "## On this page",
        "Tiles that fit stand up with a yellow glow. Tap one: it is played at once if there is one place for it, else "
        "choose the train. A train with a dashed edge and a locomotive is open to everybody. A double that waits is "
        "red.",
        "- Keys: the arrows and Tab move, Enter plays, D draws, P passes, S stops, L shows the longest line, Esc "
        "cancels, and figures choose among the places offered.",
    ]
    if rules.special_tiles:
        lines.append("- A special tile asks for its target: a train, a player, or a number of seats.")
    return blocks("\n".join(lines))


def _levels(opponents: Opponents) -> list[Block]:
    known = opponents.by_id.values()
    found = [["li", [["strong", one.title], ["", f": {one.about} Strength: {one.strength}."]]] for one in known]
    return [["h3", [["", "The opponents"]]], *found]


def _tips() -> list[Block]:
    return [["h3", [["", "Tips"]]], *(["li", [["", tip]]] for tip in _TIPS)]


def _questions(rules: Rules) -> list[Block]:
    answers = [
        (
            "Why can I not play this tile?",
            "It must match the end of a train that is open to you: your own, the Mexican train, or one with a "
            "locomotive. While a double must be covered, only a tile on that double can be played.",
        ),
        ("Why can I not draw?", "Who can play must play. Only when nothing fits is there a tile to draw, or a pass."),
        ("When does my train close?", _closes(rules)),
        ("Can the opponents see my tiles?", "No. Each sees only its own hand and the table, as you do."),
        (
            "Is the deal fair?",
            "Yes. The game's record, with its seed and all deals, can be downloaded when it is over.",
        ),
    ]
    found: list[Block] = [["h3", [["", "Questions"]]]]
    for question, answer in answers:
        found += [["p", [["strong", question], ["", f" {answer}"]]]]
    return found


def _closes(rules: Rules) -> str:
    if rules.marker_off == "any_play":
        return "As soon as you play a tile anywhere."
    return "As soon as you play a tile on it yourself."


def _length(rules: Rules) -> list[Block]:
    """Estimate from measured turns, of two seconds for an opponent and eight for a person."""
    measured = TURNS.get(rules.name, TURNS["core"])
    players = min(measured, key=lambda count: abs(count - rules.num_players))
    minutes = max(1, round(measured[players] * (8 + 2 * (rules.num_players - 1)) / rules.num_players / 60))
    whole = minutes * rules.rounds_in_game
    text = (
        f"A round has about {measured[players]} turns and takes about {minutes} minutes, "
        f"a game of {rules.rounds_in_game} rounds about {whole}."
    )
    return [["h3", [["", "How long it takes"]]], ["p", [["", text]]]]
