"""Random positions of every rule set, and the same positions with everything hidden dealt anew."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.engine.batch import deal, legal, new_games, step
from mtrain_env.engine.knowledge import known_by
from mtrain_env.engine.state import CHOOSING, GAME_OVER, IN_BONEYARD, KINDS, NONE, ROUND_OVER
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


def _hidden_places(s: Any, seat: int) -> list[int]:
    """For each tile that `seat` cannot see: the seat that holds it, or IN_BONEYARD."""
    others = [other for other in range(int(s["num_players"])) if other != seat]
    places = [other for other in others for _ in range(int(s["hand_count"][other]))]
    return places + [IN_BONEYARD] * (int(s["deck_size"]) - int(s["deck_next"]))


def _hidden_tiles(s: Any, seat: int) -> list[int]:
    """The codes of the tiles that `seat` cannot see."""
    others = [other for other in range(int(s["num_players"])) if other != seat]
    codes = [tile for tile in range(MAX_TILES) if s["tile_place"][tile] in others]
    codes += [MAX_TILES + k for other in others for k in range(KINDS) for _ in range(int(s["special_hand"][other, k]))]
    return codes + [int(code) for code in s["deck"][int(s["deck_next"]) : int(s["deck_size"])]]


def redealt(games: NDArray[Any], seat: int, rng: np.random.Generator) -> NDArray[Any]:
    """The game with everything that `seat` cannot see dealt anew, whatever the others have shown to lack."""
    after: NDArray[Any] = games.copy()
    s = after[0]
    codes = rng.permutation(_hidden_tiles(s, seat))
    places = _hidden_places(s, seat)
    assert len(codes) == len(places)
    for other in range(int(s["num_players"])):
        if other != seat:
            s["hand"][other] = 0
            s["special_hand"][other] = 0
    boneyard = []
    for code, place in zip(codes.tolist(), places, strict=True):
        if place == IN_BONEYARD:
            boneyard.append(code)
        if code >= MAX_TILES:
            if place != IN_BONEYARD:
                s["special_hand"][place, code - MAX_TILES] += 1
            continue
        s["tile_place"][code] = place
        if place != IN_BONEYARD:
            low, high = int(TILE_LOW[code]), int(TILE_HIGH[code])
            s["hand"][place, low] |= np.uint32(1 << high)
            s["hand"][place, high] |= np.uint32(1 << low)
    s["deck"][int(s["deck_next"]) : int(s["deck_size"])] = boneyard
    s["deck"][: int(s["deck_next"])] = rng.integers(0, 190, int(s["deck_next"]))  # history that nothing may use
    s["rng"] = rng.integers(1, 1 << 62, 2)
    if s["seat"] != seat and s["last_draw"] != NONE:
        s["last_draw"] = rng.integers(0, 190)
    for t in range(int(s["trades"])):
        if not known_by(s, seat, t):
            s["trade_given"][t], s["trade_taken"][t] = rng.integers(0, 190, 2)
            s["trade_given_held"][t], s["trade_taken_held"][t] = rng.integers(0, 2, 2)
    return after
