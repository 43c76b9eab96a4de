"""Random walks through games, and the deal behind a determinized world, checked by replaying it."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.engine.batch import new_games
from mtrain_env.engine.state import CHOOSING, MAX_TILES, NONE, NUMBERS, RANDOM
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from mtrain_env.tiles import TILE_HIGH, TILE_LOW, parse_tile, tile_text

Line = dict[str, Any]
World = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]
"""The hands of all seats, each sorted, and the boneyard in draw order."""


class Walk:
    """A game played at random, with its record as it was before the present round was dealt."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.game = Game(rules, seed)
        self.base = new_games(rules, [seed])
        self.chance = random.Random(f"{rules} {seed}")
        self.drawn: list[int] = []  # tiles drawn in the hunt, and with each action of the round since
        self._count_draws(dealt=True)
        if self.game.state["phase"] == CHOOSING:
            self.base = self.game.games.copy()

    def step(self) -> bool:
        """One decision, or the next deal; False when the game is over."""
        game = self.game
        if game.over:
            return False
        dealt = game.round_over or game.state["phase"] == CHOOSING
        if game.round_over:
            self.base = game.games.copy()
            game.next_round()
        else:
            game.act(self.chance.choice(game.legal_ids()))
        self._count_draws(dealt)
        if game.state["phase"] == CHOOSING:
            self.base = game.games.copy()
        return True

    def _count_draws(self, dealt: bool) -> None:
        s = self.game.state
        drawn = int(s["deck_next"]) - int(s["num_players"]) * int(s["hand_size"])
        if dealt:
            self.drawn = [drawn]
        else:
            self.drawn.append(drawn - sum(self.drawn))


def world_of(game: Any) -> World:
    """The hidden state of a GAME record."""
    n = int(game["num_players"])
    hands: list[list[str]] = [[] for _ in range(n)]
    for tile in np.flatnonzero(game["tile_place"] < n):
        hands[int(game["tile_place"][tile])].append(tile_text(int(tile)))
    for seat, kind in zip(*np.nonzero(game["special_hand"]), strict=True):
        hands[seat] += [tile_text(MAX_TILES + int(kind))] * int(game["special_hand"][seat, kind])
    boneyard = game["deck"][int(game["deck_next"]) : int(game["deck_size"])]
    return tuple(tuple(sorted(hand)) for hand in hands), tuple(tile_text(int(code)) for code in boneyard)


@dataclass
class RoundSoFar:
    """The lines of the present round of a game: its deal and the actions since."""

    deal: Line
    actions: list[Line]

    @classmethod
    def of(cls, game: Game) -> RoundSoFar:
        """Read them off the history."""
        at = max(k for k, line in enumerate(game.history) if "deal" in line)
        return cls(game.history[at], [line for line in game.history[at + 1 :] if "do" in line])


def foreign_trade(s: Any, seat: int) -> bool:
    """Whether two seats other than `seat` have traded, so that a world does not tell its deal."""
    return any(seat not in (s["trade_actor"][t], s["trade_other"][t]) for t in range(int(s["trades"])))


def check_replay(game: Game, base: NDArray[Any], world: NDArray[Any], deck: list[int]) -> None:
    """Play the public history of the round from another deal: every action is legal, and `world` is what comes out."""
    so_far = RoundSoFar.of(game)
    again = copy.copy(game)
    again.games, again._lines, again._gains = base.copy(), [], []
    first = so_far.deal["starter"] if so_far.deal["hunting_seat"] is None else so_far.deal["hunting_seat"]
    wanted = -1 if game.rules.opening_order == "random" else so_far.deal["opening"]
    again.deal_given(wanted, first, deck)
    assert int(again.state["opening"]) == so_far.deal["opening"]
    assert int(again.state["starter"]) == so_far.deal["starter"]
    for line in so_far.actions:
        assert again.seat == line["seat"]
        taken = parse_tile(line["took"]) if "took" in line else NONE
        again.act(again.verify(line["do"]), taken)
    assert world_of(again.state) == world_of(world[0])


def deck_of(game: Game, seat: int, work: Any, world: Any) -> list[int]:
    """A deck from which `world` came: the deal that belief.py drew, and free choices where it drew none."""
    s = game.state
    n, size = int(s["num_players"]), int(s["hand_size"])
    deck = [NONE] * int(s["deck_size"])
    gains = [g for g in range(int(s["gains"])) if s["gain_trade"][g] == 0]
    at_gain = {g + 1: n * size + k for k, g in enumerate(gains)}
    deck[int(s["deck_next"]) :] = [int(code) for code in world["deck"][int(s["deck_next"]) : int(s["deck_size"])]]
    for g, place in at_gain.items():
        if s["gain_seat"][g - 1] == seat:
            deck[place] = int(s["deck"][place])
    for other in range(n):
        if other == seat and s["opening_order"] != RANDOM:
            deck[other * size : (other + 1) * size] = s["deck"][other * size : (other + 1) * size].tolist()
        elif int(work["seat_slots"][other]) > 0:
            _deal_bound(s, seat, other, work, deck, at_gain)
        else:
            _deal_free(s, other, world, deck, at_gain)
    assert NONE not in deck
    return deck


def _deal_bound(s: Any, seat: int, other: int, w: Any, deck: list[int], at_gain: dict[int, int]) -> None:
    """What belief.py put into the slots of the seat."""
    first, count = int(w["seat_first"][other]), int(w["seat_slots"][other])
    for slot in range(first, first + count):
        gain = int(w["slot_gain"][slot])
        place = other * int(s["hand_size"]) + slot - first if gain == 0 else at_gain.get(gain)
        if place is not None:  # else it came by a trade
            deck[place] = int(w["content_tile"][int(w["slot_content"][slot])])
    items = range(int(w["item_first"][other]), int(w["item_first"][other] + w["seat_items"][other]))
    listed = {int(w["content_tile"][k]) for k in items}
    laid = [int(s["laid_tile"][k]) for k in range(int(s["laid_count"])) if s["laid_by"][k] == other]
    for code in laid if other != seat else ():
        if code not in listed:  # it can only have been dealt
            deck[deck.index(NONE, other * int(s["hand_size"]))] = code


def _deal_free(s: Any, other: int, world: Any, deck: list[int], at_gain: dict[int, int]) -> None:
    """Any arrangement will do, as long as each tile was there before it left."""
    size = int(s["hand_size"])
    mine = [int(code) for code in np.flatnonzero(world["tile_place"] == other)]
    for kind in range(7):
        mine += [MAX_TILES + kind] * int(world["special_hand"][other, kind])
    laid = range(int(s["laid_count"]))
    left = [(int(s["laid_gains"][k]), int(s["laid_tile"][k])) for k in laid if s["laid_by"][k] == other]
    for gain, _, gave in _trades_of(s, other):
        left.append((gain - 1, gave))
    for gain, got, _ in _trades_of(s, other):  # a tile that came by a trade was not dealt
        after = [pair for pair in left if pair[1] == got and pair[0] >= gain]
        if after:
            left.remove(min(after))
        else:
            mine.remove(got)
    places = [(0, other * size + k) for k in range(size)]
    places += [(g, place) for g, place in at_gain.items() if s["gain_seat"][g - 1] == other]
    opening = int(s["laid_gains"][0]), int(s["laid_tile"][0])
    if opening in left and opening[0] > 0:  # found in the hunt
        left.remove(opening)
        places.remove((opening[0], at_gain[opening[0]]))
        deck[at_gain[opening[0]]] = opening[1]
    tiles = [code for _, code in sorted(left)] + mine
    for (_, place), code in zip(sorted(places), tiles, strict=True):
        deck[place] = code


def _trades_of(s: Any, seat: int) -> list[tuple[int, int, int]]:
    """The number of the actor's gain, the tile got and the tile given, for each trade of the seat."""
    found = []
    for t in range(int(s["trades"])):
        gain = 1 + next(g for g in range(int(s["gains"])) if s["gain_trade"][g] == t + 1)
        given, taken = int(s["trade_given"][t]), int(s["trade_taken"][t])
        if s["trade_actor"][t] == seat:
            found.append((gain, taken, given))
        elif s["trade_other"][t] == seat:
            found.append((gain, given, taken))
    return found


def traded_origin_lost(s: Any, seat: int) -> bool:
    """Whether a void number shown after a trade hides when the tile given had come (`belief._traded_from`)."""
    for other in range(int(s["num_players"])):
        for gain, _, gave in _trades_of(s, other) if other != seat else ():
            faces = [NUMBERS + gave - MAX_TILES] if gave >= MAX_TILES else [TILE_LOW[gave], TILE_HIGH[gave]]
            if any(int(s["void_at"][other, face]) >= gain for face in faces):
                return True
    return False
