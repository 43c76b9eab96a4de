"""The GAME record: one numpy structured dtype that is the whole state of one game.

A batch is `np.zeros(n, GAME)`; copying, hashing, pickling, saving or sharing a game is copying its bytes. The rules are
small integers inside the record, so one compiled engine plays every rule set and a batch may mix them. Kernels
take `(games, i, ...)`; inside the engine they pass the record `s = games[i]` on. Fields are reached by name.

Coding: a *tile code* is 0..189 for numbered tiles (`tiles.py`) and 190 + kind for special tiles; a *train* is the
seat that owns it, or `num_players` for the Mexican train; a *set of seats, trains or numbers* is an integer of bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env import rules as names
from mtrain_env.rules import Rules
from mtrain_env.tiles import tile_id

MAX_PLAYERS = 16
MAX_TRAINS = MAX_PLAYERS + 1
NUMBERS = 19  # pips 0..18
KINDS = 7  # special kinds, in the order of tiles.SPECIAL_KINDS
FACES = NUMBERS + KINDS  # what a tile can be known not to show: a number, or a special kind
MAX_TILES = 190  # numbered tiles of the double-18 set
MAX_DECK = MAX_TILES + 2 * KINDS
MAX_GAINS = MAX_DECK + 4  # every draw, and two tiles in each of two trades

DRAW, TRADE, SKIP, REVERSE, TWIST, WILD, DERAIL = range(KINDS)
ANY = NUMBERS  # `train_end` of an open Wild: a double of every number (D9)
ALL_NUMBERS = (1 << NUMBERS) - 1

# Codes of the rule fields: the index of the value in rules.py, which lists the values in the order of RULES.md.
DESCENDING, ASCENDING, EVEN, ODD, RANDOM, CHOSEN = range(6)
SET_OUT, HUNT = range(2)
ROTATE, PREVIOUS_WINNER = range(2)
START_TRAIN, OPTIONAL_TILE, ENDS_TURN = range(3)
SINGLE, CHAIN = range(2)
MEXICAN_ALWAYS, MEXICAN_AFTER_OWN, MEXICAN_AFTER_ALL, MEXICAN_NEVER = range(4)
PER_OWED_TILE, PER_TURN, UNTIL_PLAYABLE = range(3)
ANYWHERE, ANYWHERE_OPTIONAL, ON_DOUBLE, NO_FOLLOW_UP = range(4)
TABLE_DUTY, NO_DUTY, UNLESS_FOLLOWED = range(3)
LAPSES, WAITS = range(2)
ON_PASS, NOT_ON_OWN_DOUBLE = range(2)
OWN_PLAY, ANY_PLAY = range(2)
DERAIL_ONE, DERAIL_ANY = range(2)

# phase
UNDEALT, CHOOSING, PLAYING, ROUND_OVER, GAME_OVER = range(5)
# turn: what kind of turn the acting seat has
NORMAL_TURN, CHAIN_TURN, OPENING_TILE_TURN = range(3)
# owed: what the acting seat still owes, or may add, after a double (R14)
OWES_NOTHING, OWES_ANYWHERE, MAY_ANYWHERE, OWES_COVER = range(4)
# double_state of an uncovered double
LAID, WAITING, ASLEEP = range(3)
# round_end
NOT_ENDED, WENT_OUT, BLOCKED = range(3)
# tile_place: 0..15 = in the hand of that seat
IN_BONEYARD, ON_TABLE, UNSEEN, NOT_IN_SET = 16, 17, 18, 19
NONE = 255  # an unknown or absent tile, train or seat in an unsigned field

TILE_ID = np.array([[tile_id(a, b) for b in range(NUMBERS)] for a in range(NUMBERS)], np.uint8)

GAME = np.dtype(
    [
        # -- random state: xorshift128, never both zero (rng.py)
        ("rng", np.uint64, (2,)),
        # -- hands: bit j of hand[seat, p] = the seat holds tile p-j; symmetric; a double is bit p of row p
        ("hand", np.uint32, (MAX_PLAYERS, NUMBERS)),
        # -- sets of seats or trains, as bits
        ("markers", np.uint32),  # seats whose marker is on
        ("cover_markers", np.uint32),  # of them, those that went on in a pass before a double (R21)
        ("started", np.uint32),  # trains that are not empty
        ("draw_blockers", np.uint32),  # trains blocked by a Draw (D4)
        ("skip_blockers", np.uint32),  # trains blocked by a Skip (D5)
        ("had_turn", np.uint32),  # seats that had their first turn of the round (R12, R13)
        ("used_doubles", np.uint32),  # opening doubles used in this game, the present one too, bits by number
        # -- the score
        ("totals", np.int32, (MAX_PLAYERS,)),  # points of the rounds played, per seat
        ("pips", np.int32, (MAX_PLAYERS,)),  # points of the last finished round, per seat
        # -- action layout (DESIGN.md section 5): first id of each block; an absent block starts at num_actions
        ("num_actions", np.int16),
        ("at_draw", np.int16),  # play is 0..at_draw-1; draw, pass, stop, wait follow
        ("at_choose", np.int16),
        ("at_out_low", np.int16),
        ("at_wild", np.int16),
        ("at_draw_on", np.int16),
        ("at_skip_on", np.int16),
        ("at_reverse", np.int16),
        ("at_twist", np.int16),
        ("at_derail", np.int16),
        ("at_trade", np.int16),
        ("at_trade_out", np.int16),
        # -- the rules (RULES.md section 9); enumerations by their codes above
        ("num_tiles", np.int16),  # T, numbered tiles of the set
        ("hand_size", np.int16),
        ("double_blank_points", np.int16),
        ("num_players", np.int8),
        ("max_pip", np.int8),
        ("num_rounds", np.int8),
        ("opening_order", np.int8),
        ("opening_source", np.int8),
        ("starter_rule", np.int8),
        ("opening_turn", np.int8),
        ("first_turn", np.int8),
        ("finish_first_lap", np.int8),
        ("mexican_train", np.int8),
        ("own_train_first", np.int8),
        ("draw_limit", np.int8),
        ("double_follow_up", np.int8),
        ("double_duty", np.int8),
        ("exhausted_double", np.int8),
        ("marker_on", np.int8),
        ("marker_off", np.int8),
        ("failed_cover_marker_off_any", np.int8),
        ("special_tiles", np.int8),
        ("derail", np.int8),
        ("derail_once", np.int8),
        # -- the game
        ("phase", np.int8),
        ("round", np.int8),  # rounds begun, 1.. while one is played
        ("opening", np.int8),  # number of the opening double, -1 = not known yet
        ("starter", np.int8),  # seat that started the round, -1 = none yet
        ("hunting_seat", np.int8),  # -1 = set out
        ("winner", np.int8),  # of the last finished round, -1 = blocked or none yet
        ("round_end", np.int8),  # NOT_ENDED, WENT_OUT, BLOCKED
        ("derails_gone", np.int8),  # Derails that left the set (D10)
        # -- the turn
        ("seat", np.int8),  # the acting seat
        ("turn", np.int8),
        ("owed", np.int8),
        ("chain_laid", np.int16),  # tiles laid in this first-turn chain (R12)
        ("draws", np.int16),  # draws spent for the tile to be played now (R10)
        ("last_was_double", np.int8),  # the last tile laid in this turn was a double or a Wild
        ("first_out", np.int8),  # first seat out while the first lap is finished (R13), -1 = none
        ("direction", np.int8),  # +1 clockwise, -1 after a Reverse (D6)
        ("idle_passes", np.int16),  # passes in a row that changed nothing (R22)
        ("duty_train", np.int8),  # train of the double that must be satisfied now, -1 = none (R16)
        # -- the table
        ("train_end", np.int8, (MAX_TRAINS,)),  # number the next tile must match, ANY on an open Wild
        ("train_inner", np.int8, (MAX_TRAINS,)),  # inner number of a numbered last tile (D8)
        ("train_length", np.uint8, (MAX_TRAINS,)),  # numbered tiles and Wilds
        ("double_train", np.int8, (MAX_TRAINS,)),  # uncovered doubles in the order laid (R17)
        ("double_state", np.int8, (MAX_TRAINS,)),
        ("double_count", np.int8),
        ("seen_count", np.uint8, (NUMBERS,)),  # face-up tiles that show the number
        ("specials_played", np.uint8, (KINDS,)),
        ("tile_place", np.uint8, (MAX_TILES,)),  # seat, IN_BONEYARD, ON_TABLE, UNSEEN or NOT_IN_SET
        ("special_hand", np.uint8, (MAX_PLAYERS, KINDS)),  # copies held, 0..2
        ("hand_count", np.uint8, (MAX_PLAYERS,)),  # tiles held, special ones too
        # -- the deck: hands first (seat * hand_size + k is the k-th tile dealt to the seat), then the boneyard
        ("deck", np.uint8, (MAX_DECK,)),
        ("deck_size", np.uint8),
        ("deck_next", np.uint8),  # next tile to draw
        # -- every tile that left a hand for all to see, in order; entry 0 is the opening double
        ("laid_count", np.uint8),
        ("laid_tile", np.uint8, (MAX_DECK,)),
        ("laid_train", np.uint8, (MAX_DECK,)),  # owner of the train now; NONE for entry 0 and specials but Wilds
        ("laid_out", np.uint8, (MAX_DECK,)),  # number pointing out; ANY for a Wild
        ("laid_turned", np.uint8, (MAX_DECK,)),  # Twists under the tile (D8)
        # -- what everybody can infer about hidden hands (R26, R27; knowledge.py)
        ("laid_by", np.uint8, (MAX_DECK,)),  # seat, NONE if set out
        ("laid_from", np.uint8, (MAX_DECK,)),  # the tile came to its seat as gain number >= this; 0 = in the deal
        ("laid_gains", np.uint8, (MAX_DECK,)),  # gains made when it was laid
        ("gains", np.uint8),  # tiles gained after the deal, by all seats
        ("gain_seat", np.uint8, (MAX_GAINS,)),  # gain number g = 1.. went to seat gain_seat[g - 1]
        ("gain_trade", np.uint8, (MAX_GAINS,)),  # 0 = drawn, 1 + t = by trade t
        ("void_at", np.uint8, (MAX_PLAYERS, FACES)),  # gains + 1 when last seen to lack the face, 0 = never
        ("may_hold", np.uint8, (MAX_PLAYERS, FACES)),  # tiles in hand that may show the face, at most
        # -- the (at most two) trades of the round (D7)
        ("trades", np.uint8),
        ("trade_actor", np.uint8, (2,)),
        ("trade_other", np.uint8, (2,)),
        ("trade_given", np.uint8, (2,)),  # tile code, known to the two
        ("trade_taken", np.uint8, (2,)),
        ("trade_given_held", np.uint8, (2,)),  # 1 while `other` surely still holds it
        ("trade_taken_held", np.uint8, (2,)),  # 1 while `actor` surely still holds it
        ("last_draw", np.uint8),  # tile code last drawn in this turn, known to its seat; NONE
    ],
    align=True,
)

_ENUMS: dict[str, tuple[str, ...]] = {
    "opening_order": names.OPENING_ORDERS,
    "opening_source": names.OPENING_SOURCES,
    "opening_turn": names.OPENING_TURNS,
    "first_turn": names.FIRST_TURNS,
    "mexican_train": names.MEXICAN_TRAINS,
    "draw_limit": names.DRAW_LIMITS,
    "double_follow_up": names.FOLLOW_UPS,
    "double_duty": names.DUTIES,
    "exhausted_double": names.EXHAUSTED,
    "marker_on": names.MARKER_ON,
    "marker_off": names.MARKER_OFF,
    "derail": names.DERAILS,
}
_PLAIN = (
    "num_players",
    "max_pip",
    "num_tiles",
    "hand_size",
    "double_blank_points",
    "finish_first_lap",
    "own_train_first",
    "failed_cover_marker_off_any",
    "special_tiles",
)


def action_blocks(rules: Rules) -> dict[str, tuple[int, int]]:
    """The action layout `act`: name of each block -> (first id, size), in id order (DESIGN.md section 5)."""
    n, tiles, numbers = rules.num_players, rules.num_tiles, rules.max_pip + 1
    sizes = {"play": (n + 1) * tiles, "draw": 1, "pass": 1, "stop": 1, "wait": 1}
    if rules.opening_order == "chosen":
        sizes["choose"] = numbers
    if rules.special_tiles:
        low = (n + 1) * tiles if rules.finish_first_lap else tiles  # who goes out may leave several open Wilds
        sizes |= {"out_low": low, "wild": n + 1, "draw_on": n - 1, "skip_on": n - 1, "reverse": 1}
        sizes |= {"twist": n + 1, "derail": n - 1, "trade": (n - 1) * (tiles + KINDS), "trade_out": n - 1}
    blocks, first = {}, 0
    for name, size in sizes.items():
        blocks[name] = (first, size)
        first += size
    return blocks


def new_record(rules: Rules) -> NDArray[Any]:
    """An undealt game: array of one GAME record with the rules and the action layout filled in."""
    games = np.zeros(1, GAME)
    s = games[0]
    for field, values in _ENUMS.items():
        value = getattr(rules, field)
        s[field] = 0 if value is None else values.index(value)
    s["starter_rule"] = names.STARTERS.index(rules.starter) if rules.starter else ROTATE
    for field in _PLAIN:
        s[field] = getattr(rules, field)
    s["derail_once"] = bool(rules.derail_once)
    s["num_rounds"] = rules.rounds_in_game
    blocks = action_blocks(rules)
    num_actions = sum(blocks[max(blocks, key=lambda name: blocks[name][0])])
    s["num_actions"] = num_actions
    for field in GAME.names or ():
        if field.startswith("at_"):
            s[field] = blocks.get(field.removeprefix("at_"), (num_actions, 0))[0]
    for field in ("opening", "starter", "hunting_seat", "winner", "first_out", "duty_train"):
        s[field] = -1
    s["last_draw"] = NONE
    s["direction"] = 1
    return games
