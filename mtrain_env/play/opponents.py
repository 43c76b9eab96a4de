"""The opponents that the set-up form offers, and how strong each was measured to be.

The page names an opponent by its id, never by a path: bundles by the names of the shipped ones, and whatever the
command line added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtrain_env.bot import BOTS, Bot, close_bot, make_bot
from mtrain_env.bots.bundle import shipped
from mtrain_env.bots.policy import POLICY, Interval, Policy, Strength, read_policy
from mtrain_env.errors import BotError, MtrainError
from mtrain_env.play.words import joined

NOT_MEASURED = "not measured"

_LEVELS = {
    "easy": ("Easy", "Plays any tile that fits."),
    "medium": ("Medium", "Plays on its own train first, and the heaviest tile first."),
    "hard": (
        "Hard",
        "Finds the longest line from its own train, saves it, and plays its other tiles elsewhere, heaviest first.",
    ),
    "expert": (
        "Expert",
        "As hard, then tries its best few choices in many imagined deals and takes the one that costs the fewest pips.",
    ),
}
MEASURED = {
    "easy": (Interval(mean=39.01, low=37.47, high=40.62), 0.0285, 500),
    "medium": (Interval(mean=24.62, low=23.23, high=26.02), 0.046, 500),
    "expert": (Interval(mean=-0.87, low=-1.56, high=-0.20), 0.2615, 500),
}
"""The levels among three of hard, core, 4 players: pips a round, share of rounds won, deals (docs/ladder.md)."""

_YARDSTICK = "the others are measured against it"
_LEARNED = "Learned from games against itself: a network scores every tile that fits."
_SEARCH = "The learned policy, and its best choices tried in imagined deals."


@dataclass(frozen=True)
class Opponent:
    """One opponent of the form."""

    id: str
    title: str
    about: str
    strength: str
    """Measured strength in words, or NOT_MEASURED."""
    bot: str
    """Its name for `make_bot`."""

    def as_json(self) -> dict[str, str]:
        """Return what the page is told."""
        return {"id": self.id, "title": self.title, "about": self.about, "strength": self.strength}


class Opponents:
    """All opponents of one server, by id."""

    def __init__(self, extra: Sequence[str] = ()) -> None:
        found = [Opponent(name, *_LEVELS[name], _strength_of_level(name), name) for name in _LEVELS if name in BOTS]
        for name, folder in shipped().items():
            found += _of_bundle(name, folder, name)
        known = {one.bot for one in found}
        for bot in extra:
            if bot not in known:
                made = make_bot(bot)  # a wrong name ends the command with its sentence, before anybody plays
                close_bot(made)
                if not made.fair:
                    raise BotError(f"{bot!r} sees what no player may: it is no opponent.")
                found += _of_command_line(bot, {one.id for one in found})
        self.by_id = {one.id: one for one in found}

    def id_of(self, bot: str) -> str:
        """Return the id of the opponent with this name for `make_bot`."""
        return next(one.id for one in self.by_id.values() if one.bot == bot)

    def make(self, name: str) -> Bot:
        """Return a new bot for the opponent with the id `name`, which must be known."""
        return make_bot(self.by_id[name].bot)

    def as_json(self) -> list[dict[str, str]]:
        """Return what the page is told."""
        return [one.as_json() for one in self.by_id.values()]


def _strength_of_level(name: str) -> str:
    if name not in MEASURED:
        return _YARDSTICK
    gap, won, deals = MEASURED[name]
    return _line(gap, "hard", won, f"core, 4 players, {deals} deals")


def _of_bundle(name: str, folder: Path, argument: str) -> list[Opponent]:
    """Return the opponents that a bundle gives; none if its policy.json cannot be read."""
    try:
        policy = read_policy((folder / POLICY).read_bytes())
    except (OSError, MtrainError):
        return []
    strength = NOT_MEASURED if isinstance(policy.strength, str) else strength_text(policy.strength)
    learned = f"{_LEARNED}{_trained_on(policy)}"
    found = [Opponent(f"learned:{name}", f"Learned: {name}", learned, strength, f"learned:{argument}")]
    if policy.flat is None:
        found.append(Opponent(f"search:{name}", f"Search: {name}", _SEARCH, NOT_MEASURED, f"search:{argument}"))
    return found


def _trained_on(policy: Policy) -> str:
    """Return a sentence on the rules and player counts that a policy was trained on."""
    tables = [
        f"{table.rules}{' with other rules' if table.changes else ''} with {', '.join(map(str, table.players))} players"
        for table in policy.trained
    ]
    return f" Trained on {joined(tables)}." if tables else ""


def _of_command_line(bot: str, taken: set[str]) -> list[Opponent]:
    """Return the opponent that the command line named; a path stays here, the page gets the folder's name."""
    family, _, argument = bot.partition(":")
    short = Path(argument).name or family
    name = f"{family}:{short}"
    while name in taken:
        name += "+"
    about, strength = "Named on the command line.", NOT_MEASURED
    if family == "search":
        about = _SEARCH
    elif family == "learned":
        about = _LEARNED
        for one in _of_bundle(short, Path(argument), argument)[:1]:
            about, strength = one.about, one.strength
    return [Opponent(name, f"{family.capitalize()}: {short}", about, strength, bot)]


def strength_text(measured: Sequence[Strength]) -> str:
    """Return the measurement that says most in one line: against the strongest bot, one seat among its copies."""
    order = ("expert", "hard", "medium", "easy")
    best = min(
        measured,
        key=lambda one: (
            order.index(one.against) if one.against in order else len(order),
            one.seating != "one among copies",
        ),
        default=None,
    )
    if best is None:
        return NOT_MEASURED
    where = f"{best.rules}, {best.players} players, {best.deals} deals"
    return _line(best.pips_difference, best.against, best.won.mean, where)


def _line(gap: Interval, against: str, won: float, where: str) -> str:
    return (
        f"{gap.mean:+.1f} pips a round against {against} (95%: {gap.low:+.1f} to {gap.high:+.1f}; below zero is "
        f"better), {won:.0%} won; {where}"
    )
