"""Random positions of every rule set, and the same positions with everything hidden dealt anew."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env._jit import int64, jit
from mtrain_env.engine.batch import deal, legal, new_games, step
from mtrain_env.engine.rng import random_below, random_bits
from mtrain_env.engine.state import CHOOSING, GAME, GAME_OVER, IN_BONEYARD, KINDS, MAX_DECK, NONE, ROUND_OVER
from mtrain_env.rules import PRESETS, VARIATIONS, Rules
from mtrain_env.tiles import MAX_TILES, TILE_HIGH, TILE_LOW

_SEATS = (("pagat", (2, 6, 8)), ("dominoplay", (2, 5, 9, 16)), ("core", (2, 3)), ("deluxe", (2, 3, 8)))


def all_rules() -> list[Rules]:
    """Every preset at several player counts, every written variation, and combinations that none of them has."""
    rules = [Rules.preset(name) for name in (*PRESETS, *VARIATIONS)]
    rules += [Rules.preset(name, num_players=n) for name, counts in _SEATS for n in counts]
    rules += [
        Rules.preset("deluxe", finish_first_lap=True, derail="any", derail_once=True, num_players=3),
        Rules.preset("deluxe", max_pip=18, num_players=8, hand_size=20, double_blank_points=10_000),
        Rules.preset("deluxe", max_pip=3, num_players=2, hand_size=4, draw_limit="until_playable"),
        Rules.preset("deluxe", opening_order="chosen", double_blank_points=50),
        Rules.preset("core", max_pip=18, exhausted_double="waits", mexican_train="after_own"),
        Rules.preset("core", max_pip=6, hand_size=5, marker_on="not_on_own_double", opening_order="chosen"),
        Rules.preset("pagat", max_pip=6, hand_size=5, double_follow_up="none", double_duty="none"),
    ]
    return rules


def rules_id(rules: Rules) -> str:
    """A short name for pytest."""
    return "-".join([rules.name, *(f"{field}={value}" for field, value in rules.differences().items())])


def actions_of(games: NDArray[Any], i: int) -> NDArray[np.int64]:
    """The legal ids of game `i`."""
    out = np.zeros(int(games[i]["num_actions"]) + 1, np.int64)
    return out[: legal(games, i, out)].copy()


def positions(rules: Rules, seed: int, count: int) -> Iterator[NDArray[Any]]:
    """Yield `count` random positions, finished rounds too, each as an array of one game that goes on afterwards."""
    rng = np.random.default_rng(seed)
    games = new_games(rules, [seed])
    while count > 0:
        actions = actions_of(games, 0)
        if len(actions):
            step(games, 0, int(rng.choice(actions)), NONE)
        elif games[0]["phase"] == GAME_OVER:
            games = new_games(rules, [int(rng.integers(1 << 30))])
            continue
        else:
            deal(games, 0, -1, -1)
        over = games[0]["phase"] in (CHOOSING, ROUND_OVER, GAME_OVER)
        if rng.random() < (0.6 if over else 0.15):
            count -= 1
            yield games


@jit
def redeal(games: Any, i: int, seat: int, out: Any, j: int, rng: Any, codes: Any) -> int:
    """Write to `out[j]` game `i` with everything that `seat` cannot see dealt anew, whatever the others have shown.

    Made from the list of what is hidden, not with the engine's `blank`, whose oversights would hide themselves; what
    earlier rounds left behind is hidden too. `rng`: two words of random state; `codes`: uint8[MAX_DECK], scratch.
    Returns the tiles left over, 0 if hands and boneyard are as large as they say.
    """
    out[j] = games[i]
    s = out[j]
    n = int64(s["num_players"])
    count = _gather(s, seat, codes)
    for k in range(count - 1, 0, -1):
        other = random_below(rng, k + 1)
        codes[k], codes[other] = codes[other], codes[k]
    for other in range(n):
        for _ in range(int64(s["hand_count"][other]) if other != seat else 0):
            count -= 1
            _give(s, other, int64(codes[count]))
    for k in range(int64(s["deck_next"]), int64(s["deck_size"])):
        count -= 1
        s["deck"][k] = codes[count]
        if codes[count] < MAX_TILES:
            s["tile_place"][codes[count]] = IN_BONEYARD
    _rewrite_history(s, seat, rng)
    s["rng"][0] = (random_bits(rng) << np.uint64(32)) | random_bits(rng)
    s["rng"][1] = (random_bits(rng) << np.uint64(32)) | np.uint64(1)
    return count


@jit
def _gather(s: Any, seat: int, codes: Any) -> int:
    """Take the tiles of the other hands away; write their codes and those of the boneyard to `codes`; their number."""
    count = 0
    for tile in range(MAX_TILES):
        if s["tile_place"][tile] < s["num_players"] and s["tile_place"][tile] != seat:
            codes[count] = tile
            count += 1
    for other in range(int64(s["num_players"])):
        if other != seat:
            for kind in range(KINDS):
                for _ in range(int64(s["special_hand"][other, kind])):
                    codes[count] = MAX_TILES + kind
                    count += 1
            s["hand"][other][:] = 0
            s["special_hand"][other][:] = 0
    for k in range(int64(s["deck_next"]), int64(s["deck_size"])):
        codes[count] = s["deck"][k]
        count += 1
    return count


@jit
def _give(s: Any, seat: int, code: int) -> None:
    if code >= MAX_TILES:
        s["special_hand"][seat, code - MAX_TILES] += np.uint8(1)
        return
    low = int64(TILE_LOW[code])
    high = int64(TILE_HIGH[code])
    s["hand"][seat, low] |= np.uint32(1 << high)
    s["hand"][seat, high] |= np.uint32(1 << low)
    s["tile_place"][code] = seat


@jit
def _rewrite_history(s: Any, seat: int, rng: Any) -> None:
    """Rubbish in place of what others were dealt, drew and traded, and of what lies behind the ends of the lists."""
    tiles = int64(s["num_tiles"])
    dealt = int64(s["num_players"]) * int64(s["hand_size"])
    for k in range(dealt):
        if k // int64(s["hand_size"]) != seat:
            s["deck"][k] = random_below(rng, tiles)
    k = dealt
    for g in range(int64(s["gains"])):
        if s["gain_trade"][g] == 0:
            if s["gain_seat"][g] != seat:
                s["deck"][k] = random_below(rng, tiles)
            k += 1
    for k in range(max(int64(s["deck_size"]), dealt), MAX_DECK):
        s["deck"][k] = random_below(rng, tiles)
    if s["seat"] != seat and s["last_draw"] != NONE:
        s["last_draw"] = random_below(rng, tiles)
    for t in range(2):
        mine = s["trade_actor"][t] == seat or s["trade_other"][t] == seat
        if not mine or t >= s["trades"]:
            s["trade_given"][t] = random_below(rng, tiles)
            s["trade_taken"][t] = random_below(rng, tiles)
            s["trade_given_held"][t] = random_below(rng, 2)
            s["trade_taken_held"][t] = random_below(rng, 2)


def redealt(games: NDArray[Any], seat: int, rng: np.random.Generator) -> NDArray[Any]:
    """The one game with everything that `seat` cannot see dealt anew; see `redeal`."""
    after = np.zeros(1, GAME)
    words = rng.integers(1, 1 << 64, 2, np.uint64)
    assert redeal(games, 0, seat, after, 0, words, np.zeros(MAX_DECK, np.uint8)) == 0
    return after
