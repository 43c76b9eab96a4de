"""A GAME record made of a position (position.py), byte for byte what its seat may know.

Every member is checked as far as compiled code relies on it, so that a message of another program that is wrong is
refused in a sentence. That the tiles shown to be lacking leave a possible deal is not checked.
"""

import functools
from collections import Counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mtrain_env.encoding.position import DOUBLES, FACE_NAMES, OWES, SEAT_FLAGS, TURNS, Event, Position, Record
from mtrain_env.engine.specials import move_tile
from mtrain_env.engine.state import (
    ANY,
    CHOOSING,
    DERAIL,
    GAME,
    KINDS,
    MAX_DECK,
    MAX_GAINS,
    MAX_TILES,
    NONE,
    NOT_IN_SET,
    NUMBERS,
    ON_TABLE,
    PLAYING,
    UNSEEN,
    new_record,
)
from mtrain_env.errors import InvalidAction, PositionError, RulesError
from mtrain_env.rules import Rules
from mtrain_env.tiles import TILE_HIGH, TILE_LOW, parse_tile, tile_id

LAID: Final = ("tile", "train", "out", "turned", "by", "from", "gains")


def read_position(position: Position) -> NDArray[Any]:
    """Return the record: an array of one blanked GAME; PositionError if the position contradicts itself."""
    return _Reader(position).games


def rules_of(fields: dict[str, Any]) -> Rules:
    """Return the rules with these fields; PositionError if there are no such rules."""
    try:
        return _rules(tuple(fields.items()))
    except RulesError as error:
        raise PositionError(f"The rules of the position cannot be: {error}") from None


@functools.lru_cache(maxsize=64)
def _rules(fields: tuple[tuple[str, Any], ...]) -> Rules:
    return Rules.of(dict(fields))


@functools.lru_cache(maxsize=1024)
def _code(text: str, max_pip: int, special_tiles: bool) -> int:
    return parse_tile(text, max_pip, special_tiles=special_tiles)


@functools.lru_cache(maxsize=64)
def _undealt(rules: Rules) -> bytes:
    """Return the bytes of a record of these rules in which nothing lies and nothing is known."""
    games = new_record(rules)
    s = games[0]
    s["rng"] = 1
    s["tile_place"] = NOT_IN_SET
    s["tile_place"][: rules.num_tiles] = UNSEEN
    s["deck"] = NONE
    return games.tobytes()


class _Reader:
    """Fills a record from a position, and checks that what kernels rely on holds."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.rules = rules_of(position.rules)
        self.n = self.rules.num_players
        self.games = np.frombuffer(bytearray(_undealt(self.rules)), GAME)
        self.s: Record = self.games[0]
        self._check_shape()
        self._game()
        self._seats()
        if position.phase == "playing":
            self._trades()
            self._history()
            self._hand()
            self._table()

    def _must(self, holds: bool, sentence: str) -> None:
        if not holds:
            raise PositionError(f"The position contradicts itself: {sentence}.")

    def _check_shape(self) -> None:
        """Whether the lists have the right lengths."""
        p, playing = self.position, self.position.phase == "playing"
        self._must(len(p.seats) == self.n, f"{self.n} seats play, but seats has {len(p.seats)}")
        wanted = self.n + 1 if playing else 0
        self._must(len(p.trains) == wanted, f"trains must have {wanted} entries, it has {len(p.trains)}")
        self._must(len(p.totals) in (0, self.n), f"totals must have {self.n} entries, it has {len(p.totals)}")
        self._must(len(p.doubles) <= self.n + 1, "more doubles are uncovered than there are trains")
        if playing:
            self._must(p.opening is not None, "no opening double is named, but the round is played")
        else:
            self._must(self.rules.opening_order == "chosen", "an opening double is chosen only where the rules say so")
            self._must(not (p.hand or p.dealt or p.history or p.trades or p.doubles), "tiles lie before the deal")

    def _seat(self, seat: int | None) -> int:
        """The number of a seat, -1 for none."""
        self._must(seat is None or seat < self.n, f"there is no seat {seat}")
        return -1 if seat is None else seat

    def _train(self, name: str) -> int:
        train = self.n if name == "M" else int(name[1:])
        self._must(train <= self.n and (name == "M" or train < self.n), f"there is no train {name}")
        return train

    def _number(self, number: int | str | None) -> int:
        """A number of the set, ANY, or -1 for none."""
        if number == "any":
            return ANY
        value = -1 if number is None else int(number)
        self._must(value <= self.rules.max_pip, f"the set has no number {value}")
        return value

    def _tile(self, text: str) -> int:
        try:
            return _code(text, self.rules.max_pip, self.rules.special_tiles)
        except InvalidAction as error:
            raise PositionError(f"A tile of the position cannot be: {error}") from None

    def _game(self) -> None:
        """The members that are one number or name."""
        p, s, turn = self.position, self.s, self.position.turn
        s["phase"] = PLAYING if p.phase == "playing" else CHOOSING
        s["round"], s["derails_gone"], s["idle_passes"] = p.round, p.derails_gone, p.idle_passes
        s["opening"] = self._number(p.opening)
        for name in ("seat", "starter", "hunting_seat", "winner", "first_out"):
            s[name] = self._seat(getattr(p, name))
        s["used_doubles"] = sum(1 << self._number(number) for number in set(p.used))
        s["totals"][: len(p.totals)] = p.totals
        s["direction"] = 1 if p.clockwise else -1
        s["turn"], s["owed"] = TURNS.index(turn.kind), OWES.index(turn.owes)
        s["chain_laid"], s["draws"], s["last_was_double"] = turn.laid, turn.draws, turn.after_double
        s["last_draw"] = NONE if turn.drawn is None else self._tile(turn.drawn)
        s["duty_train"] = -1 if p.duty is None else self._train(p.duty)
        self._must(turn.owes != "cover" or bool(p.doubles), "a double must be covered, but none is uncovered")

    def _seats(self) -> None:
        """What is known of each seat."""
        s = self.s
        for seat, one in enumerate(self.position.seats):
            for name, field in SEAT_FLAGS.items():
                if getattr(one, name):
                    s[field] |= np.uint32(1 << seat)
            s["hand_count"][seat] = one.tiles
            s["may_hold"][seat] = one.tiles
            for field, faces in (("void_at", one.lacks), ("may_hold", one.may_hold)):
                for face, value in faces.items():
                    self._must(face in FACE_NAMES, f"no tile can show {face!r}")
                    s[field][seat, FACE_NAMES.index(face)] = value

    def _trades(self) -> None:
        """D7: the trades of the round, of which the tiles are known to the two."""
        s, seat = self.s, self.position.seat
        for t, trade in enumerate(self.position.trades):
            known = seat in (trade.actor, trade.other)
            tiles = (trade.given, trade.taken)
            told = None not in tiles if known else tiles == (None, None)
            self._must(told, "the tiles of a trade are known to the two seats and no other")
            self._must(trade.actor != trade.other, "a seat trades with itself")
            s["trades"] = t + 1
            s["trade_actor"][t], s["trade_other"][t] = self._seat(trade.actor), self._seat(trade.other)
            given, taken = (NONE if tile is None else self._tile(tile) for tile in tiles)
            s["trade_given"][t], s["trade_taken"][t] = given, taken
            s["trade_given_held"][t], s["trade_taken_held"][t] = trade.given_held, trade.taken_held

    def _history(self) -> None:
        """What was laid, used, drawn and traded, in order."""
        s, p = self.s, self.position
        deck_next = self.n * self.rules.hand_size
        self.gained: list[int] = []
        self.by_trade: list[int] = []
        self.laid: list[tuple[int, ...]] = []
        for event in p.history:
            seat = NONE if event.seat is None else self._seat(event.seat)
            if event.tile is not None:
                self.laid.append(self._event(seat, self._tile(event.tile), event))
                continue
            self._must(seat != NONE, "a tile came into no hand")
            self.gained.append(seat)
            self.by_trade.append(0 if event.trade is None else 1 + event.trade)
            if event.trade is not None:
                continue
            self._must(deck_next < MAX_DECK, "more tiles were drawn than there are")
            self._must((seat == p.seat) == isinstance(event.drew, str), "a seat sees what it draws, and no more")
            if isinstance(event.drew, str):
                s["deck"][deck_next] = self._tile(event.drew)
            deck_next += 1
        gains = len(self.gained)
        self._must(gains <= MAX_GAINS and deck_next + p.boneyard <= MAX_DECK, "more tiles came than there are")
        s["gains"], s["deck_next"], s["deck_size"] = gains, deck_next, deck_next + p.boneyard
        s["gain_seat"][:gains], s["gain_trade"][:gains] = self.gained, self.by_trade
        self._laid()

    def _event(self, seat: int, tile: int, event: Event) -> tuple[int, ...]:
        """One tile laid or used, as the columns LAID."""
        gains = len(self.gained)
        self._must(event.since <= gains, f"{event.tile} came after it was laid")
        train = NONE if event.train is None else self._train(event.train)
        return tile, train, self._number(event.out), event.turned, seat, event.since, gains

    def _laid(self) -> None:
        """The list of all tiles laid and used, and that they lie on the table."""
        s, count = self.s, len(self.laid)
        self._must(0 < count <= MAX_DECK, "no tile was laid, or more than there are")
        for name, column in zip(LAID, zip(*self.laid, strict=True), strict=True):
            s[f"laid_{name}"][:count] = column
        s["laid_count"] = count
        tiles = s["laid_tile"][:count]
        numbered = tiles[tiles < MAX_TILES]
        s["tile_place"][numbered] = ON_TABLE
        self._must(len(np.unique(numbered)) == len(numbered), "a tile was laid twice")
        low, high = TILE_LOW[numbered], TILE_HIGH[numbered]
        s["seen_count"] = np.bincount(np.concatenate([low, high[high != low]]), minlength=NUMBERS)
        s["specials_played"] = np.bincount(tiles[tiles >= MAX_TILES] - MAX_TILES, minlength=KINDS)

    def _hand(self) -> None:
        """The own hand, and whether it and all other hands are what the history leaves."""
        s, p, seat, rules = self.s, self.position, self.position.seat, self.rules
        dealt, hand = sorted(map(self._tile, p.dealt)), [self._tile(text) for text in p.hand]
        self._must(len(dealt) == rules.hand_size, f"{rules.hand_size} tiles are dealt, not {len(dealt)}")
        s["deck"][seat * rules.hand_size : (seat + 1) * rules.hand_size] = dealt
        drawn = s["deck"][self.n * rules.hand_size : int(s["deck_next"])]
        owned = Counter([*dealt, *drawn[drawn != NONE].tolist()])
        gave = Counter(tile for tile, *_, by, _since, _gains in self.laid if by == seat)
        for t in range(int(s["trades"])):
            tiles = [int(s["trade_given"][t]), int(s["trade_taken"][t])]
            if seat in (s["trade_actor"][t], s["trade_other"][t]):
                out, into = tiles if s["trade_actor"][t] == seat else reversed(tiles)
                gave[out] += 1
                owned[into] += 1
        owned.subtract(gave)
        self._must(+owned == Counter(hand) and not -owned, "the hand is not what was dealt, drawn, traded and laid")
        s["hand_count"][seat] = 0
        for tile in hand:
            self._must(tile >= MAX_TILES or int(s["tile_place"][tile]) == UNSEEN, "a tile of the hand lies elsewhere")
            move_tile(s, tile, NONE, seat)
        self._must(bool((s["special_hand"][seat] + s["specials_played"] <= 2).all()), "a special tile is there thrice")
        self._counts()

    def _counts(self) -> None:
        """How many tiles each seat and the boneyard have."""
        s, p, rules = self.s, self.position, self.rules
        traded = [int(s[f"trade_{who}"][t]) for t in range(int(s["trades"])) for who in ("actor", "other")]
        gains = len(self.gained)
        shown = all(at <= gains + 1 for one in p.seats for at in one.lacks.values())
        self._must(shown, "a face was shown to be lacking after a gain that was not made")
        gained = [(by, trade) for by, trade in zip(self.gained, self.by_trade, strict=True) if trade]
        wanted = [(by, 1 + k // 2) for k, by in enumerate(traded)]
        self._must(gained == wanted, "the tiles that came by trades are not those of the trades")
        for seat, one in enumerate(p.seats):
            left = int((s["laid_by"][: len(self.laid)] == seat).sum()) + traded.count(seat)
            tiles = rules.hand_size + self.gained.count(seat) - left
            self._must(one.tiles == tiles, f"seat {seat} must hold {tiles} tiles, not {one.tiles}")
        set_out = rules.opening_source == "set_out"
        derails = int(s["derails_gone"]) - (int(s["specials_played"][DERAIL]) if rules.derail_once else 0)
        boneyard = rules.num_tiles + rules.num_special_tiles - set_out - derails - int(s["deck_next"])
        self._must(p.boneyard == boneyard, f"the boneyard must have {boneyard} tiles, not {p.boneyard}")

    def _table(self) -> None:
        """The trains and the uncovered doubles."""
        s, p, opening = self.s, self.position, int(self.s["opening"])
        middle = (tile_id(opening, opening), NONE)
        self._must((int(s["laid_tile"][0]), int(s["laid_train"][0])) == middle, "the opening double is not laid first")
        s["train_end"], s["train_inner"] = opening, opening
        for train, one in enumerate(p.trains):
            s["train_end"][train] = self._number(one.end)
            s["train_inner"][train] = opening if one.inner is None else self._number(one.inner)
            length = int((s["laid_train"][: len(self.laid)] == train).sum())
            self._must(one.length in (None, length), f"train {train} must have {length} tiles, not {one.length}")
            s["train_length"][train] = length
            if length:
                s["started"] |= np.uint32(1 << train)
            if one.blocked is not None:
                s[f"{one.blocked}_blockers"] |= np.uint32(1 << train)
        for k, double in enumerate(p.doubles):
            s["double_train"][k] = self._train(double.train)
            s["double_state"][k] = DOUBLES.index(double.state)
        s["double_count"] = len(p.doubles)
