"""The columns of a candidate row (`cand`): what each named slice holds. candidates.py fills the rows.

A row is the position after one legal action as the acting seat would see it. Its width is the same for every
set, player count and preset: numbers are padded to 19, and the other seats are summarised as *next* and
*previous* (in the direction of play after the action), *worst* (fewest tiles in hand, the first such in the
order of play) and *others* (all of them). Values are float32, mostly in [0, 1]; counts of tiles are divided by
16 or 8 and points by 128, so that they stay near 1.
"""

from itertools import accumulate
from typing import Final, NamedTuple

from mtrain_env.engine.state import KINDS, MAX_TILES, NUMBERS

CAND_SPEC: Final = "cand/1"

ENDS: Final = NUMBERS + 1
"""One-hot of a train's end: its number, or the last column for an open Wild (any number)."""

FLAGS: Final = (
    "first_turn=chain",
    "finish_first_lap",
    "own_train_first",
    "draw_limit=per_owed_tile",
    "draw_limit=until_playable",
    "exhausted_double=waits",
    "marker_on=not_on_own_double",
    "marker_off=any_play",
    "failed_cover_marker_off_any",
    "special_tiles",
    "derail=any",
    "derail_once",
    "opening_source=hunt",
    "starter=previous_winner",
)
"""Rules that hold or not, in the order of the columns of `rule_flags`."""

MOVES: Final = (
    "play_own",
    "play_other",
    "play_mexican",
    "draw",
    "pass",
    "stop",
    "choose",
    "wild",
    "draw_on",
    "skip_on",
    "reverse",
    "twist",
    "derail",
    "trade",
    "trade_out",
)
"""Kinds of action, in the order of the columns of `move`; a tile on an open Wild is a play like any other."""
(
    PLAY_OWN,
    PLAY_OTHER,
    PLAY_MEXICAN,
    MOVE_DRAW,
    MOVE_PASS,
    MOVE_STOP,
    MOVE_CHOOSE,
    MOVE_WILD,
    MOVE_DRAW_ON,
    MOVE_SKIP_ON,
    MOVE_REVERSE,
    MOVE_TWIST,
    MOVE_DERAIL,
    MOVE_TRADE,
    MOVE_TRADE_OUT,
) = range(len(MOVES))

SEAT_COLUMNS: Final = (
    "tiles in hand / 16",
    "one tile left",
    "marker on",
    "train started",
    "train length / 16",
    "train blocked by a Draw",
    "train blocked by a Skip",
    "had its first turn",
    "(own total - its total) / 100, within -4..4",
)
"""What `next`, `previous` and `worst` hold of a seat."""

GROUP_COLUMNS: Final = (
    "mean tiles in hand / 16",
    "most tiles in hand / 16",
    "share of markers on",
    "share of trains started",
    "share that had their first turn",
)
"""What `others` holds of all other seats together."""


class Column(NamedTuple):
    """A named slice of a candidate row."""

    name: str
    size: int
    meaning: str


_columns: list[Column] = []


def _column(name: str, size: int, meaning: str) -> int:
    """Append a slice to the row; return its first index, a constant for the kernels."""
    first = sum(column.size for column in _columns)
    _columns.append(Column(name, size, meaning))
    return first


# -- the rules and the game: the same for all actions of a decision
SEATS = _column("seats", 1, "players / 16")
MAX_PIP = _column("max_pip", 1, "highest number of the set / 18")
HAND_SIZE = _column("hand_size", 1, "tiles dealt to each seat / 16")
DOUBLE_BLANK = _column("double_blank", 1, "points of 0-0 / 50, at most 4")
RULE_FOLLOW_UP = _column("rule_follow_up", 4, "R14, one-hot: anywhere, anywhere_optional, on_double, none")
RULE_DUTY = _column("rule_duty", 3, "R16, one-hot: table, none, unless_followed")
RULE_MEXICAN = _column("rule_mexican", 4, "R8, one-hot: always, after_own, after_all, never")
RULE_FLAGS = _column("rule_flags", len(FLAGS), "1 where the rules have " + ", ".join(FLAGS))
ROUND = _column("round", 1, "rounds begun / 19")
ROUNDS_LEFT = _column("rounds_left", 1, "rounds to come after this one / 19")
TOTALS = _column("totals", 3, "(own total - lowest, mean, highest of the others) / 100, within -4..4")
# -- tiles
UNSEEN = _column("unseen", MAX_TILES, "tile is neither on the table nor in the own hand")
UNSEEN_BY_NUMBER = _column("unseen_by_number", NUMBERS, "share of the tiles with the number that are unseen")
UNSEEN_SPECIALS = _column("unseen_specials", KINDS, "unseen copies of the special kind / 2")
HAND = _column("hand", MAX_TILES, "tile in the own hand")
HAND_BY_NUMBER = _column("hand_by_number", NUMBERS, "tiles in hand with the number / 8")
HAND_SPECIALS = _column("hand_specials", KINDS, "copies of the special kind in hand / 2")
HAND_COUNT = _column("hand_count", 1, "tiles in hand / 16, one not seen yet (drawn, or taken in a trade) too")
HAND_POINTS = _column("hand_points", 1, "points of the known tiles in hand / 128")
UNKNOWN = _column("unknown", 1, "the hand gets a tile that the seat has not seen yet")
# -- the best line from the own end (lines.py)
LINE_LENGTH = _column("line_length", 1, "tiles of the longest line from the own end / 16")
LINE_PIPS = _column("line_pips", 1, "its pips / 128")
LEFT_COUNT = _column("left_count", 1, "known tiles in hand outside of the line / 16")
LEFT_POINTS = _column("left_points", 1, "their points / 128")
LINE_SHARE = _column("line_share", 1, "share of the known hand that is in the line, 0 for no tiles")
LINE_CLEARS = _column("line_clears", 1, "the line is the whole known hand")
LEFT_BY_NUMBER = _column("left_by_number", NUMBERS, "numbered tiles outside of the line with the number / 8")
# -- the table
OWN_END = _column("own_end", ENDS, "end of the own train, one-hot")
OWN_TRAIN = _column("own_train", 5, "length / 16, started, marker on, blocked by a Draw, blocked by a Skip")
MEXICAN_END = _column("mexican_end", ENDS, "end of the Mexican train, one-hot")
MEXICAN_TRAIN = _column("mexican_train", 3, "length / 16, open to the seat, open to the next seat")
OPEN_ENDS = _column("open_ends", NUMBERS, "1 = on some open train of another player the seat could play the number")
NEXT_ENDS = _column("next_ends", NUMBERS, "1 = the next seat could play on the number if its turn began now")
FITS_OWN = _column("fits_own", 1, "tiles in hand that fit the own end / 8")
FITS_MEXICAN = _column("fits_mexican", 1, "tiles in hand that fit the Mexican train, if it is open / 8")
FITS_OPEN = _column("fits_open", 1, "tiles in hand that fit open_ends, once for each number / 8")
LEFT_FITS = _column("left_fits", 1, "tiles in left_by_number that fit open_ends or the open Mexican train / 8")
NEXT_FITS = _column("next_fits", 1, "unseen tiles that fit next_ends, once for each number / unseen tiles")
# -- doubles to be covered
DUTY_END = _column("duty_end", ENDS, "number of the double that the seat to act must cover, one-hot or zeros")
DUTY_MINE = _column("duty_mine", 1, "that seat is the own one")
DUTY_OWN_TRAIN = _column("duty_own_train", 1, "the double lies on the own train")
DUTY_HELD = _column("duty_held", 1, "own tiles that fit it / 8")
DUTY_UNSEEN = _column("duty_unseen", 1, "share of the tiles with its number that are unseen")
DUTY_NEXT_LACKS = _column("duty_next_lacks", 1, "what next_lacks holds for its number")
UNCOVERED = _column("uncovered", 3, "uncovered doubles / 4: laid in this turn, waiting, asleep")
# -- the turn and the round
GOES_ON = _column("goes_on", 1, "the own seat acts next")
GOES_OUT = _column("goes_out", 1, "the own seat has laid its last tile")
BLOCKED = _column("blocked", 1, "the round ends blocked")
LAST_LAP = _column("last_lap", 1, "somebody went out and the first lap is finished")
OWED = _column("owed", 3, "the seat to act owes a tile anywhere, may add one, must cover the double just laid")
TURN = _column("turn", 2, "its turn is a first-turn chain, the optional tile after the opening double")
DRAWS = _column("draws", 1, "draws spent for the tile to be played / 4, at most 4")
IDLE_PASSES = _column("idle_passes", 1, "passes in a row that changed nothing / players")
BONEYARD = _column("boneyard", 3, "tiles in the boneyard / 64, share of all tiles, none")
# -- the action
MOVE = _column("move", len(MOVES), "kind of action, one-hot: " + ", ".join(MOVES))
TARGET = _column("target", 3, "it aims at the train or the hand of the next, previous, worst seat")
TILE_NUMBERS = _column("tile_numbers", NUMBERS, "numbers of the tile laid or given; the double chosen")
TILE_SPECIAL = _column("tile_special", KINDS, "special kind laid or given")
TILE_PIPS = _column("tile_pips", 1, "pips of the tile laid or given / 36")
TILE_DOUBLE = _column("tile_double", 1, "it is a double, or a Wild")
COVERS = _column("covers", 1, "it covers a double")
# -- the other seats
NEXT = _column("next", len(SEAT_COLUMNS), "the next seat: " + "; ".join(SEAT_COLUMNS))
PREVIOUS = _column("previous", len(SEAT_COLUMNS), "the same of the previous seat")
WORST = _column("worst", len(SEAT_COLUMNS), "the same of the worst seat")
OTHERS = _column("others", len(GROUP_COLUMNS), "all others: " + "; ".join(GROUP_COLUMNS))
NEXT_LACKS = _column("next_lacks", NUMBERS, "1 - its tiles that may show the number / its tiles; 1 = void")
PREVIOUS_LACKS = _column("previous_lacks", NUMBERS, "the same of the previous seat")
WORST_LACKS = _column("worst_lacks", NUMBERS, "the same of the worst seat")

COLUMNS: Final = tuple(_columns)
"""All slices of a row, in order."""

_starts = accumulate((column.size for column in COLUMNS), initial=0)
CAND_LAYOUT: Final = {
    column.name: slice(first, first + column.size) for column, first in zip(COLUMNS, _starts, strict=False)
}
"""Where each named slice lies: `row[CAND_LAYOUT["hand"]]`."""

CAND_WIDTH: Final = sum(column.size for column in COLUMNS)
"""Columns of a row, for all rules."""
