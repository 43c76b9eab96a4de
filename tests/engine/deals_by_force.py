"""Every deal under which the public history of a small game is legal, tried out with the reference rules.

Slow and plain: hands in every combination, and each tile that comes from the boneyard branches over all that are left;
a branch ends where the reference refuses an action. What is never drawn needs no order: all orders are equally likely.
"""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from mtrain_env.engine.state import IN_BONEYARD, MAX_TILES
from mtrain_env.tiles import parse_tile
from tests.engine.deals import RoundSoFar, Walk
from tests.reference import ReferenceGame, ReferenceMismatch
from tests.reference.tiles import Tile, tile_text, whole_set

Key = tuple[bytes, bytes, int]
"""Who holds each numbered tile, the special tiles in hands, and the next tile of the boneyard (-1 = none)."""


class TooMany(Exception):
    """More deals than are worth trying."""


def key_of(s: Any) -> Key:
    """The hidden state of a GAME record."""
    left = s["deck_next"] < s["deck_size"]
    return (
        s["tile_place"][: int(s["num_tiles"])].tobytes(),
        s["special_hand"].tobytes(),
        int(s["deck"][int(s["deck_next"])]) if left else -1,
    )


class Enumeration:
    """All deals that agree with what `seat` knows of the present round of a walk; `count`: deals by hidden state."""

    def __init__(self, walk: Walk, seat: int, most: int = 30_000) -> None:
        self.game, self.seat, self.left = walk.game, seat, most
        self.rules = walk.game.rules
        self.ordered = self.rules.opening_order == "random"
        self.so_far = RoundSoFar.of(walk.game)
        self.draws = _draws(walk)
        self.count: Counter[Key] = Counter()
        start = self._before_the_deal()
        for deal, boneyard in self._deals(start):
            game = copy.copy(start)
            game.used_openings = list(start.used_openings)
            line = self.so_far.deal
            try:
                game.start_round(line["opening"], line["hunting_seat"], line["starter"], deal, boneyard)
            except ReferenceMismatch:
                continue
            if len(boneyard) - len(game.boneyard) == len(self.draws[0]):  # so long was the hunt
                self._go_on(game, 0)

    def _before_the_deal(self) -> ReferenceGame:
        reference = ReferenceGame(self.rules.as_dict())
        for line in self.game.history:
            if line is self.so_far.deal:
                return reference
            if "deal" in line:
                reference.start_round(*(line[k] for k in ("opening", "hunting_seat", "starter", "deal", "boneyard")))
            elif "choose" in line:
                reference.choose(line["seat"], line["choose"])
            elif "do" in line:
                reference.do(line["do"], line.get("took"))
        raise AssertionError("no deal")

    def _deals(self, start: ReferenceGame) -> Iterator[tuple[list[list[str]], list[str]]]:
        """Hands and boneyards; of the boneyard only what the hunt drew is tried in every order."""
        rules, line = self.rules, self.so_far.deal
        tiles: list[Tile] = whole_set(rules.as_dict(), start.derails_gone)
        if rules.opening_source == "set_out":
            tiles.remove((line["opening"], line["opening"]))
        unseen = Counter(tile_text(tile) for tile in tiles) - Counter(line["deal"][self.seat])
        hunted = self.draws[0]
        own = {k: line["boneyard"][k] for k, drawer in enumerate(hunted) if drawer == self.seat}
        unseen -= Counter(own.values())
        choose = itertools.permutations if self.ordered else itertools.combinations
        owns = itertools.permutations(line["deal"][self.seat]) if self.ordered else [tuple(line["deal"][self.seat])]
        others = [seat for seat in range(rules.num_players) if seat != self.seat]
        for own_hand in owns:
            for hands, rest in _hands(sorted(unseen.elements()), len(others), rules.hand_size, choose):
                deal = [list(own_hand)] * rules.num_players
                for other, hand in zip(others, hands, strict=True):
                    deal[other] = list(hand)
                for first in itertools.permutations(rest, len(hunted) - len(own)):
                    self._spend()
                    later = list((Counter(rest) - Counter(first)).elements())
                    drawn = iter(first)
                    yield deal, [own[k] if k in own else next(drawn) for k in range(len(hunted))] + later

    def _spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMany

    def _go_on(self, game: ReferenceGame, at: int) -> None:
        """Play the action number `at` and all that follow, in every way that the tiles drawn meanwhile can turn out."""
        if at == len(self.so_far.actions):
            self._note(game)
            return
        line = self.so_far.actions[at]
        if game.phase != "play" or game.actor != line["seat"] or line["do"] not in game.legal():
            return
        drawers = self.draws[at + 1]
        place = sum(map(len, self.draws[: at + 1]))
        assert game.round is not None
        for drawn in _sequences(list(game.round.boneyard), len(drawers)):
            known = [self.so_far.deal["boneyard"][place + k] for k in range(len(drawers))]
            if any(
                drawer == self.seat and tile_text(tile) != text
                for drawer, tile, text in zip(drawers, drawn, known, strict=True)
            ):
                continue
            self._spend()
            branch = copy.deepcopy(game) if drawers else game
            assert branch.round is not None
            for tile in drawn:
                branch.round.boneyard.remove(tile)
            branch.round.boneyard.extendleft(reversed(drawn))
            try:
                branch.do(line["do"], line.get("took"))
            except ReferenceMismatch:
                continue
            self._go_on(branch, at + 1)

    def _note(self, game: ReferenceGame) -> None:
        """Count the state reached, once for each tile that may come next."""
        s = self.game.state
        places = s["tile_place"][: int(s["num_tiles"])].copy()
        specials = np.zeros_like(s["special_hand"])
        boneyard = [parse_tile(text) for text in game.boneyard]
        for code in boneyard:
            if code < MAX_TILES:
                places[code] = IN_BONEYARD
        for seat, hand in enumerate(game.hands):
            for code in map(parse_tile, hand):
                if code < MAX_TILES:
                    places[code] = seat
                else:
                    specials[seat, code - MAX_TILES] += 1
        for code in boneyard or [-1]:
            self.count[places.tobytes(), specials.tobytes(), code] += 1


def _hands(tiles: list[str], seats: int, size: int, choose: Any) -> Iterator[tuple[list[tuple[str, ...]], list[str]]]:
    """Every way to deal `size` of the tiles to each of so many seats, and what is left."""
    if seats == 0:
        yield [], tiles
        return
    for chosen in choose(range(len(tiles)), size):
        rest = [tile for k, tile in enumerate(tiles) if k not in chosen]
        for hands, left in _hands(rest, seats - 1, size, choose):
            yield [tuple(tiles[k] for k in chosen), *hands], left


def _sequences(tiles: list[Tile], length: int) -> Iterator[tuple[Tile, ...]]:
    """Every sequence of so many of the tiles, equal ones apart."""
    return itertools.permutations(tiles, length)


def _draws(walk: Walk) -> list[list[int]]:
    """Who drew from the boneyard in the hunt (entry 0) and with each action of the round (entry k+1), in order."""
    s = walk.game.state
    gains = range(int(s["gains"]))
    drawers = iter([int(s["gain_seat"][g]) for g in gains if s["gain_trade"][g] == 0])
    return [[next(drawers) for _ in range(count)] for count in walk.drawn]
