"""Names of players, trains and tiles in the sentences of the page."""

from collections.abc import Sequence

YOU = "You"
"""What a person alone on a device is called, unless a name is given."""

SPECIAL_NAMES = {
    "draw": "Draw",
    "trade": "Trade",
    "skip": "Skip",
    "reverse": "Reverse",
    "twist": "Twist",
    "wild": "Wild",
    "derail": "Derail",
}


def tile_name(text: str) -> str:
    """Return a tile as a word: `5-12` as it is, `skip` as `Skip`."""
    return SPECIAL_NAMES.get(text, text)


def possessive(name: str) -> str:
    """Return `Anna's`, or `your`."""
    return "your" if name == YOU else f"{name}'s"


def train_name(train: int, names: Sequence[str]) -> str:
    """Return `the Mexican train` (number = players), `Anna's train` or `your train`."""
    return "the Mexican train" if train == len(names) else f"{possessive(names[train])} train"


def have(name: str) -> str:
    """Return `have` or `has`, as the name needs it."""
    return "have" if name == YOU else "has"


def joined(words: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def sentence(text: str) -> str:
    """Return the text with a capital letter."""
    return text[:1].upper() + text[1:]


def count(number: int, thing: str) -> str:
    """Return `1 tile` or `3 tiles`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
