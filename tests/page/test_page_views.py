"""What a seat is shown: nothing hidden changes a byte of it."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env.bots.policy import Interval, Strength
from mtrain_env.encoding.actions import ActionLayout
from mtrain_env.engine.batch import step
from mtrain_env.engine.determinize import blank
from mtrain_env.engine.state import CHOOSING, MAX_TILES, NONE, PLAYING
from mtrain_env.game import Game
from mtrain_env.play import log, opponents
from mtrain_env.play.frames import private, status, table
from mtrain_env.play.limits import Limits
from mtrain_env.play.moves import moves
from mtrain_env.play.session import Connection, Session
from mtrain_env.play.setups import Setup
from mtrain_env.rules import PRESETS, Rules
from tests.encoding.worlds import actions_of, all_rules, positions, redealt, rules_id


def names_of(rules: Rules) -> list[str]:
    return [f"N{seat}" for seat in range(rules.num_players)]


def view(games: NDArray[Any], seat: int, rules: Rules) -> str:
    """Return the frame of a seat as the session builds it from the blanked record."""
    out = np.zeros_like(games)
    blank(games, 0, seat, out, 0)
    s, names = out[0], names_of(rules)
    acting = s["phase"] in (CHOOSING, PLAYING) and s["seat"] == seat
    own = private(ActionLayout(rules), s, seat, actions_of(games, 0).tolist() if acting else [], names)
    return json.dumps([table(s, names), own, status(s, seat, own["moves"], names)])


def public(games: NDArray[Any], seat: int, rules: Rules) -> str:
    """Return what somebody sees who sees only the table, built from what `seat` knows."""
    out = np.zeros_like(games)
    blank(games, 0, seat, out, 0)
    return json.dumps([table(out[0], names_of(rules)), status(out[0], None, [], names_of(rules))])


@pytest.mark.parametrize("rules", all_rules(), ids=rules_id)
def test_a_frame_is_the_same_whatever_the_seat_cannot_see(rules: Rules) -> None:
    rng = np.random.default_rng(3)
    changed = 0
    for games in positions(rules, 7, 12):
        seats = rng.choice(rules.num_players, min(3, rules.num_players), replace=False)
        for seat in map(int, seats):
            other = redealt(games, seat, rng)
            changed += other.tobytes() != games.tobytes()
            assert view(other, seat, rules) == view(games, seat, rules)
        assert len({public(games, seat, rules) for seat in range(rules.num_players)}) == 1
    assert changed > 10


def shuffled(games: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """The game with another order of the boneyard."""
    after: NDArray[Any] = games.copy()
    s = after[0]
    first, end = int(s["deck_next"]), int(s["deck_size"])
    s["deck"][first:end] = rng.permutation(s["deck"][first:end])
    return after


def test_what_is_told_of_an_action_is_the_same_whatever_was_drawn_or_traded() -> None:
    rng = np.random.default_rng(4)
    told = traded = 0
    for rules in (Rules.preset("core"), Rules.preset("deluxe", num_players=4)):
        layout, names = ActionLayout(rules), names_of(rules)
        for games in positions(rules, 11, 400):
            before = games.copy()
            if before[0]["phase"] != PLAYING:
                continue
            actions = actions_of(games, 0)
            action = int(rng.choice(actions))
            one, two = before.copy(), shuffled(before, rng)
            step(one, 0, action, NONE)
            taken = NONE
            if one[0]["trades"] > before[0]["trades"]:
                other = int(one[0]["trade_other"][int(before[0]["trades"])])
                taken = max(held_by(before[0], other))
                traded += 1
            step(two, 0, action, taken)
            if two[0]["phase"] != one[0]["phase"]:
                continue
            knowing = {int(before[0]["seat"])}
            if taken != NONE:
                knowing.add(other)
            for seat in set(range(rules.num_players)) - knowing | {None}:
                a = [entry.for_seat(seat) for entry in log.of_action(layout, before[0], action, one[0], names)]
                b = [entry.for_seat(seat) for entry in log.of_action(layout, before[0], action, two[0], names)]
                assert a == b
                told += 1
    assert told > 1000
    assert traded > 5


def held_by(s: Any, seat: int) -> list[int]:
    numbered = [tile for tile in range(MAX_TILES) if s["tile_place"][tile] == seat]
    return numbered + [MAX_TILES + kind for kind in range(7) if s["special_hand"][seat, kind]]


def test_a_session_says_nothing_of_other_hands_the_seed_or_the_boneyard() -> None:
    """Every frame of a whole round, searched for anything that only the whole game knows."""
    rules = Rules.preset("deluxe", num_players=3)
    setup = Setup(rules, ["Ann", "Bo", "Cleo"], {}, "at once", 987654321, None)
    session = Session(setup, {}, Limits())
    pages = [Connection(frozenset({seat})) for seat in range(3)]
    table_only = Connection(frozenset({0, 1, 2}))
    rng = np.random.default_rng(0)
    while session.game.seat is not None:
        for seat, page in enumerate(pages):
            frame = json.loads(session.frame(page))
            assert "987654321" not in session.frame(page)
            assert frame["hand"] == session.game.hand(seat)
            assert frame["summary"] is None
            assert bool(frame["moves"]) == (seat == session.game.seat)
        frame = json.loads(session.frame(table_only))
        assert (frame["hand"], frame["drawn"], frame["moves"], frame["seat"]) == (None, None, [], None)
        mover = pages[session.game.seat]
        session.do(mover, session.seq, int(rng.choice(session.game.legal_ids())))
    frame = json.loads(session.frame(pages[0]))
    assert frame["summary"]["hands"] == [session.game.hand(seat) for seat in range(3)]
    assert "boneyard" not in frame["summary"]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_frames_of_a_round_are_the_same_to_the_byte_whatever_the_seat_cannot_see(preset: str) -> None:
    """Before every move of a round everything hidden from a seat is dealt anew, and its pages are looked at again."""
    rules = Rules.preset(preset, num_players=3)
    session = Session(Setup(rules, names_of(rules), {}, "at once", 5, None), {}, Limits())
    alone = [Connection(frozenset({seat})) for seat in range(3)]
    shared = Connection(frozenset(range(3)))
    rng = np.random.default_rng(0)
    changed = 0
    while session.game.seat is not None:
        for seat, page in enumerate(alone):
            shared.shown = seat
            seen = [session.frame(page), session.frame(shared), json.dumps(session.record(seat))]
            games = session.game.games
            session.game.games = redealt(games, seat, rng)
            changed += session.game.games.tobytes() != games.tobytes()
            assert [session.frame(page), session.frame(shared), json.dumps(session.record(seat))] == seen
            session.game.games = games
        shared.shown = session.game.seat
        session.do(shared, session.seq, int(rng.choice(session.game.legal_ids())))
    assert changed > 50


def test_equal_lowest_totals_share_the_win() -> None:
    setup = Setup(Rules.preset("core", num_rounds=1), ["You", "Ann", "Bo", "Cy"], {}, "at once", 5, None)
    session = Session(setup, {}, Limits())
    page = Connection(frozenset({0}))
    rng = np.random.default_rng(0)
    while session.game.seat is not None:
        page.shown = session.game.seat
        session.do(page, session.seq, int(rng.choice(session.game.legal_ids())))
    titles = []
    for totals in ([3, 7, 3, 3], [9, 3, 3, 9], [9, 9, 3, 9], [3, 9, 9, 9]):
        session.game.state["totals"][:4] = totals
        titles.append(json.loads(session.frame(page))["end"]["title"])
    assert titles == [
        "You, Bo and Cy share the win with 3 points",
        "Ann and Bo share the win with 3 points",
        "Bo wins the game with 3 points",
        "You win the game with 3 points",
    ]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_legal_action_is_one_path_of_choices(preset: str) -> None:
    rules = Rules.preset(preset, num_players=3)
    layout, names = ActionLayout(rules), names_of(rules)
    for games in positions(rules, 5, 60):
        s = games[0]
        if s["phase"] not in (CHOOSING, PLAYING):
            continue
        found = moves(layout, s, actions_of(games, 0).tolist(), names)
        paths = {json.dumps([[step["kind"], step["value"]] for step in move["steps"]]) for move in found}
        assert len(paths) == len(found)
        game = Game(rules)
        game.games = games
        assert [move["text"] for move in found] == game.legal()


def test_a_bundle_without_measured_strength_says_so() -> None:
    assert opponents.strength_text([]) == "not measured"
    gap, won = Interval(mean=-2.5, low=-3.5, high=-1.5), Interval(mean=0.31, low=0.29, high=0.33)
    common: dict[str, Any] = {
        "rules": "core",
        "players": 4,
        "mode": "round",
        "deals": 500,
        "deals_name": "x",
        "pips_difference": gap,
        "won": won,
        "microseconds": None,
    }
    measured = [
        Strength(against="easy", seating="one among copies", **common),
        Strength(against="hard", seating="copies around one", **common),
        Strength(against="hard", seating="one among copies", **common),
    ]
    assert opponents.strength_text(measured).startswith("-2.5 pips a round against hard (95%: -3.5 to -1.5")
