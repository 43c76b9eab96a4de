"""What holds in every game under every rules: drawn by Hypothesis, played at random, replayed by the reference."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mtrain_env.engine.state import ANY, CHOOSING
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from tests.engine.invariants import check_invariants
from tests.engine.random_rules import random_rules
from tests.reference import replay

# A round of random play takes a few hundred actions; one that goes on past this never ends.
MAX_ACTIONS = 5000

SPECIAL_POINTS = {"draw": 30, "trade": 30, "skip": 30, "reverse": 30, "twist": 30, "derail": 40, "wild": 50}

some_seed = st.integers(0, 2**32 - 1)
of_40 = settings(
    max_examples=40, derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)


def some_rules(seed: int, **fixed: object) -> Rules:
    return random_rules(random.Random(seed), num_rounds=2, **fixed)


def play_round(game: Game, chance: random.Random) -> None:
    """Play the round to its end at random; every position must be sound and leave something to do."""
    for _ in range(MAX_ACTIONS):
        check_invariants(game.state)
        if game.round_over:
            assert game.seat is None
            return
        ids = game.legal_ids()
        assert ids, "nothing is legal, and the round is not over"
        assert ids == sorted(set(ids))
        game.act(chance.choice(ids))
    raise AssertionError(f"no end after {MAX_ACTIONS} actions")


def points(rules: Rules, hand: list[str]) -> int:
    """R23, D11: what is left in a hand costs."""
    total = 0
    for tile in hand:
        if tile == "0-0":
            total += rules.double_blank_points
        else:
            total += SPECIAL_POINTS[tile] if tile in SPECIAL_POINTS else sum(int(x) for x in tile.split("-"))
    return total


def check_round_end(game: Game, chance: random.Random) -> None:
    """The result of the round just over, against the hands and the table that it left."""
    s = game.state
    line = next(line for line in reversed(game.history) if "end" in line)
    hands = [game.hand(seat) for seat in range(game.rules.num_players)]
    assert line["pips"] == [points(game.rules, hand) for hand in hands]
    if line["end"] == "out":
        assert hands[line["winner"]] == []
        assert line["pips"][line["winner"]] == 0
        return
    assert line["winner"] is None
    assert s["deck_next"] == s["deck_size"], "blocked with tiles in the boneyard"
    assert all(hands)
    if game.rules.exhausted_double == "lapses":
        left = [int(s["double_train"][k]) for k in range(int(s["double_count"]))]
        assert all(s["train_end"][train] == ANY for train in left), "blocked while a numbered double waits"


def check_game(rules: Rules, seed: int) -> Game:
    """Play a whole game, checking all the way, and its record against an independent replay."""
    chance = random.Random(seed)
    game = Game(rules, seed)
    for number in range(1, rules.rounds_in_game + 1):
        play_round(game, chance)
        assert int(game.state["round"]) == number
        check_round_end(game, chance)
        if not game.over:
            game.next_round()
    assert game.over
    check_record(game)
    return game


def check_record(game: Game) -> None:
    """The scores follow from the deals and the actions alone: the reference knows no more when it replays them."""
    record = game.record()
    ends = [line for line in record if "end" in line]
    assert len(ends) == game.rules.rounds_in_game
    totals = [0] * game.rules.num_players
    for line in ends:
        totals = [total + more for total, more in zip(totals, line["pips"], strict=True)]
        assert line["totals"] == totals
    assert game.totals == totals
    assert game.winners == [seat for seat, total in enumerate(totals) if total == min(totals)]
    bare = [{key: line[key] for key in line if key != "legal"} for line in record]
    replayed = replay(bare)  # raises ReferenceMismatch where pips, totals or winners differ
    assert replayed.totals == totals
    assert replayed.winners == game.winners
    assert [points(game.rules, hand) for hand in replayed.hands] == ends[-1]["pips"]


@of_40
@given(seed=some_seed)
def test_every_game_is_sound_and_ends_and_is_scored_right(seed: int) -> None:
    check_game(some_rules(seed), seed)


@of_40
@given(seed=some_seed)
def test_so_is_every_small_game_with_special_tiles(seed: int) -> None:
    game = check_game(some_rules(seed, special_tiles=True, max_pip=3, num_players=2, hand_size=5, **DELUXE), seed)
    assert deck_of(game) == whole_deck(game)


DELUXE: dict[str, Any] = {"double_follow_up": "on_double", "double_duty": "table", "first_turn": "single"}


def deck_of(game: Game) -> Counter[str]:
    """The tiles of the last deal, the opening double set out with them."""
    line = next(line for line in reversed(game.history) if "deal" in line)
    tiles = Counter(tile for hand in [*line["deal"], line["boneyard"]] for tile in hand)
    if game.rules.opening_source == "set_out":
        tiles[f"{line['opening']}-{line['opening']}"] += 1
    return tiles


def whole_deck(game: Game) -> Counter[str]:
    """The set, less the Derails that were played in the rounds before."""
    tiles = Counter(f"{low}-{high}" for high in range(game.rules.max_pip + 1) for low in range(high + 1))
    tiles += Counter(dict.fromkeys(SPECIAL_POINTS, 2))
    if game.rules.derail_once:
        rounds = [k for k, line in enumerate(game.history) if "deal" in line]
        tiles["derail"] -= sum(str(line.get("do")).startswith("derail") for line in game.history[: rounds[-1]])
    return +tiles


@of_40
@given(seed=some_seed)
def test_where_an_exhausted_double_lapses_none_blocks_a_round(seed: int) -> None:
    chance = random.Random(seed)
    fixed = {"exhausted_double": "lapses", "double_duty": "table", "max_pip": 3, "num_players": chance.choice((2, 3))}
    rules = random_rules(chance, num_rounds=1, **fixed)
    for k in range(4):
        game = Game(rules, seed + k)
        while game.state["phase"] == CHOOSING or not game.round_over:
            game.act(chance.choice(game.legal_ids()))
        check_round_end(game, chance)
