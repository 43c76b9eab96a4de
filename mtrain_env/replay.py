"""`replay`: a game rebuilt from its record (mtrain-record/1), and everything that it states checked.

The deals, the tiles that trades took and what chance decided in round 1 come from the record, so a replay needs no
shuffler and no bot. Whatever the rules do not allow is refused with the number of the line and the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from mtrain_env.encoding.notation import action_text
from mtrain_env.encoding.record import FORMAT, Line
from mtrain_env.engine import batch
from mtrain_env.engine.state import CHOOSING, MAX_TILES, NONE, PLAYING, ROUND_OVER, UNDEALT
from mtrain_env.errors import InvalidAction, MtrainError, RecordError, RulesError
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from mtrain_env.tiles import COPIES_PER_KIND, DERAIL, SPECIAL_KINDS, parse_tile, tile_id, tile_text

_KEYS: Final = {
    "format": ({"format", "rules", "seed", "bots"}, set[str]()),
    "round": ({"round", "opening", "hunting_seat", "starter", "deal", "boneyard"}, set[str]()),
    "choose": ({"seat", "choose"}, {"legal"}),
    "do": ({"seat", "do"}, {"took", "legal"}),
    "end": ({"end", "winner", "pips", "totals"}, set[str]()),
    "stopped": ({"stopped"}, set[str]()),
    "winners": ({"winners", "totals"}, set[str]()),
}
"""Kinds of lines by the key that tells them: the keys that such a line must have, and those that it may have."""


class _Refused(Exception):
    """Why a line is wrong, as the end of a sentence."""


def replay(lines: Iterable[Line]) -> Game:
    """Return the game at the end of the record of one whole game; RecordError if anything in it is wrong."""
    games = list(replay_all(lines))
    if len(games) != 1:
        raise RecordError(f"The record must hold one game, it holds {len(games)}.")
    return games[0]


def replay_all(lines: Iterable[Line]) -> Iterator[Game]:
    """Yield each game of several records, one after the other in one file; errors as `replay`."""
    last: Game | None = None
    for line, game in follow(lines):
        if "format" in line and last is not None:
            yield last
        last = game
    if last is not None:
        yield last


def follow(lines: Iterable[Line]) -> Iterator[tuple[Line, Game]]:
    """Yield each line of one or several records, once it was found right, with its game as it is then.

    The header comes with a game in which nothing is dealt, a line with `choose` with the game before the deal, and
    any line that states what follows from others with the game that they left. Errors as `replay`.
    """
    reader: _Reader | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        try:
            if reader is None or (reader.finished and "format" in line):
                reader = _Reader(line)
            else:
                reader.read(line)
        except _Refused as reason:
            raise RecordError(f"Line {number} of the record: {reason}.") from None
        except MtrainError as error:
            raise RecordError(f"Line {number} of the record: {error}") from None
        yield line, reader.game
    if reader is None:
        raise RecordError("The record is empty.")
    if not reader.finished:
        raise RecordError(f"The record ends with line {number}, before the line with the winners.")


class _Reader:
    """Reads one line after the other into a game."""

    def __init__(self, header: Line) -> None:
        if header.get("format") != FORMAT:
            raise _Refused(f"the format is {header.get('format')!r}, not {FORMAT!r}")
        _check_keys(header, "format")
        seed, bots = header["seed"], header["bots"]
        if type(seed) is not int or seed < 0:
            raise _Refused(f"the seed must be a whole number of at least 0, got {seed!r}")
        if not isinstance(bots, list) or not all(isinstance(name, str) for name in bots):
            raise _Refused(f"the bots must be a list of names, got {bots!r}")
        self.game = _undealt(_rules(header["rules"]), seed, bots)
        self.due: list[Line] = []  # what the game itself says next: the end of the round, the winners
        self.finished = False

    def read(self, line: Line) -> None:
        """Take the next line in."""
        if "event" in line:
            if line["event"] != "last_tile":  # those the game writes itself
                self.game._write(line)
            return
        kind = next((key for key in _KEYS if key in line), None)
        if kind is None:
            raise _Refused(f"nobody knows a line with {', '.join(map(repr, line)) or 'nothing'}")
        _check_keys(line, kind)
        if self.finished:
            raise _Refused("the game is over, but another line follows")
        if self.due:
            self._compare(line)
        elif kind == "do":
            self._do(line)
        elif kind == "choose":
            self._choose(line)
        elif kind == "round":
            self._deal(line)
        elif kind == "stopped" and self.game.state["phase"] == ROUND_OVER:
            written = len(self.game.history)
            self.game.stop(str(line["stopped"]))
            self.due = list(self.game.history[written + 1 :])
        else:
            raise _Refused(f"a line with {kind!r} does not belong here")

    def _compare(self, line: Line) -> None:
        """The end of a round and of the game: the record must say what the rules say."""
        expected = self.due.pop(0)
        for key, value in expected.items():
            if key not in line:
                raise _Refused(f"the line with {key!r} is missing here: {expected}")
            if not _same(line[key], value):
                raise _Refused(f"{key} is {line[key]!r}, but by the rules {value!r}")
        self.finished = "winners" in expected

    def _check_turn(self, line: Line) -> None:
        """What every decision must have right: whose it is, and the legal actions if they are given."""
        if line["seat"] != self.game.seat or type(line["seat"]) is not int:
            raise _Refused(f"seat {line['seat']!r} acts, but it is the turn of seat {self.game.seat}")
        if "legal" in line:
            given, legal = line["legal"], self.game.legal()
            if not isinstance(given, list) or sorted(map(str, given)) != sorted(legal):
                raise _Refused(f"the legal actions are {', '.join(legal)}, the record gives {given!r}")

    def _do(self, line: Line) -> None:
        """One action of a seat."""
        if self.game.state["phase"] != PLAYING:
            raise _Refused("an action is given, but no round is being played")
        self._check_turn(line)
        if not isinstance(line["do"], str):
            raise _Refused(f"an action must be a text, got {line['do']!r}")
        action = self.game.verify(line["do"])
        text = action_text(self.game.layout, self.game.state, action)
        if text != line["do"]:
            raise _Refused(f"the action {text!r} is written {line['do']!r}")
        taken = self._taken(line, text)
        written = len(self.game.history)
        self.game.act(action, taken)
        self.due = [line for line in self.game.history[written + 1 :] if "event" not in line]

    def _taken(self, line: Line, text: str) -> int:
        """D7: the tile that a trade takes; NONE where nothing is traded."""
        words = text.split()
        if words[0] != "trade" or len(words) < 3:
            if "took" in line:
                raise _Refused(f"{text!r} takes no tile")
            return NONE
        if "took" not in line:
            raise _Refused(f"the tile that {text!r} took is missing")
        other = int(words[1].removeprefix("P"))
        if line["took"] not in self.game.hand(other):
            raise _Refused(f"{text!r} took {line['took']!r}, which P{other} does not hold")
        return parse_tile(line["took"])

    def _choose(self, line: Line) -> None:
        """R2 `chosen`: a seat names the opening double, before the deal."""
        game = self.game
        s = game.state
        if game.rules.opening_order != "chosen" or s["phase"] not in (UNDEALT, ROUND_OVER):
            raise _Refused("an opening double is chosen, but not now")
        by_chance = int(s["starter"]) < 0
        batch.deal(game.games, 0, -1, -1)
        if by_chance and _is_seat(line["seat"], game):
            s["seat"] = line["seat"]
        self._check_turn(line)
        if f"choose {line['choose']}" not in game.legal() or type(line["choose"]) is not int:
            raise _Refused(f"the double of {line['choose']!r} cannot be chosen, only one of {', '.join(game.legal())}")
        self.chosen = int(line["choose"])
        game._write({"seat": line["seat"], "choose": line["choose"]})

    def _deal(self, line: Line) -> None:
        """R1-R5: the deal of a round."""
        game = self.game
        s = game.state
        if s["phase"] not in ((CHOOSING,) if game.rules.opening_order == "chosen" else (UNDEALT, ROUND_OVER)):
            raise _Refused("a round is dealt, but not now")
        due = int(s["round"]) + int(s["phase"] != CHOOSING)
        if not _same(line["round"], due):
            raise _Refused(f"this is round {due}, not {line['round']!r}")
        fixed = self._fixed_opening(due)
        if type(line["opening"]) is not int or not 0 <= line["opening"] <= game.rules.max_pip:
            raise _Refused(f"{line['opening']!r} is no opening double of this set")
        if fixed is not None and line["opening"] != fixed:
            raise _Refused(f"the opening double is {line['opening']}, but by the rules {fixed}")
        first = self._first_seat(line)
        deck = self._deck(line, due)
        game.deal_given(-1 if fixed is None else fixed, first, deck)
        for key in ("opening", "starter"):
            if not _same(line[key], int(s[key])):
                raise _Refused(f"the {key} is {line[key]!r}, but with this deal it is {int(s[key])}")

    def _fixed_opening(self, due: int) -> int | None:
        """R2: the opening double that the order or the choice demands, None where the hunt finds it."""
        order = self.game.rules.opening_order
        if order == "chosen":
            return self.chosen
        return None if order == "random" else self.game.rules.order_numbers[due - 1]

    def _first_seat(self, line: Line) -> int:
        """R4, R5: the hunting seat, or the starter if the opening double is set out, as far as the rules fix it."""
        game = self.game
        s, n = game.state, game.rules.num_players
        hunt = game.rules.opening_source == "hunt"
        key = "hunting_seat" if hunt else "starter"
        if not hunt and line["hunting_seat"] is not None:
            raise _Refused(
                f"the hunting seat is {line['hunting_seat']!r}, but nobody hunts for a double that is set out"
            )
        expected: int | None = None
        if s["starter"] >= 0:
            expected = (int(s["starter"]) + 1) % n
            if game.rules.starter == "previous_winner" and s["winner"] >= 0:
                expected = int(s["winner"])
        elif game.rules.opening_order == "chosen":
            expected = int(s["seat"])
        if not _is_seat(line[key], game):
            raise _Refused(f"the {key} is {line[key]!r}, which is no seat")
        if expected is not None and line[key] != expected:
            raise _Refused(f"the {key} is {line[key]}, but by the rules {expected}")
        return int(line[key])

    def _deck(self, line: Line, due: int) -> list[int]:
        """R1: the tiles of the deal and the boneyard: right in number, and just those of the set."""
        rules = self.game.rules
        deal, boneyard = line["deal"], line["boneyard"]
        if not isinstance(deal, list) or not all(isinstance(hand, list) for hand in [*deal, boneyard]):
            raise _Refused("deal must be a list of hands and boneyard a list of tiles")
        if len(deal) != rules.num_players:
            raise _Refused(f"{len(deal)} hands are dealt to {rules.num_players} players")
        for seat, hand in enumerate(deal):
            if len(hand) != rules.hand_size:
                raise _Refused(f"P{seat} is dealt {len(hand)} tiles, not {rules.hand_size}")
        deck = [_tile(text, rules) for hand in [*deal, boneyard] for text in hand]
        wanted = Counter(range(rules.num_tiles))
        if rules.special_tiles:
            wanted.update({MAX_TILES + kind: COPIES_PER_KIND for kind in range(len(SPECIAL_KINDS))})
            wanted[DERAIL] -= int(self.game.state["derails_gone"])
        if rules.opening_source == "set_out":
            wanted[tile_id(line["opening"], line["opening"])] -= 1
        found = Counter(deck)
        missing = sorted((wanted - found).elements())
        extra = sorted((found - wanted).elements())
        if missing or extra:
            lists = (("lacks", missing), ("has too many", extra))
            tell = [f"{what} {', '.join(map(tile_text, codes))}" for what, codes in lists if codes]
            raise _Refused(f"the tiles are not those of the set: round {due} {' and '.join(tell)}")
        return deck


def _undealt(rules: Rules, seed: int, bots: Sequence[str]) -> Game:
    """A game in which nothing has been dealt yet."""
    game = Game(rules, seed, bots)
    game.games = batch.new_games(rules, [seed])
    game._lines, game._gains = [], []
    return game


def _rules(fields: Any) -> Rules:  # noqa: ANN401 -- parsed JSON
    if not isinstance(fields, dict):
        raise _Refused("the rules must be an object")
    try:
        rules = Rules.of(fields)
    except RulesError as error:
        raise _Refused(f"the rules cannot be: {str(error).rstrip('.')}") from None
    if rules.as_dict() != fields:
        odd = [field for field, value in rules.as_dict().items() if field not in fields or fields[field] != value]
        raise _Refused(f"the rules must give every field, resolved; see {', '.join(odd)}")
    return rules


def _check_keys(line: Line, kind: str) -> None:
    needed, allowed = _KEYS[kind]
    if missing := sorted(needed - line.keys()):
        raise _Refused(f"a line with {kind!r} lacks {', '.join(map(repr, missing))}")
    if extra := sorted(line.keys() - needed - allowed):
        raise _Refused(f"a line with {kind!r} has no {', '.join(map(repr, extra))}")


def _same(given: Any, expected: object) -> bool:  # noqa: ANN401 -- parsed JSON
    """Equal, and of the same type: 1 is not true, and 1.0 is not 1."""
    if isinstance(expected, list):
        return isinstance(given, list) and len(given) == len(expected) and all(map(_same, given, expected))
    return type(given) is type(expected) and given == expected


def _is_seat(given: Any, game: Game) -> bool:  # noqa: ANN401 -- parsed JSON
    return type(given) is int and 0 <= given < game.rules.num_players


def _tile(text: Any, rules: Rules) -> int:  # noqa: ANN401 -- parsed JSON
    """The code of a tile written as records write it."""
    if not isinstance(text, str):
        raise _Refused(f"{text!r} is no tile")
    try:
        code = parse_tile(text, rules.max_pip, special_tiles=rules.special_tiles)
    except InvalidAction as error:
        raise _Refused(str(error).rstrip(".")) from None
    if tile_text(code) != text:
        raise _Refused(f"the tile {tile_text(code)} is written {text!r}")
    return code
