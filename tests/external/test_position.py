"""Positions: all that a seat knows, byte for byte there and back, nothing hidden, and nothing wrong accepted."""

import json
import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bot import view_of
from mtrain_env.bots.external.messages import act_message
from mtrain_env.encoding import position as positions_module
from mtrain_env.encoding.position import Position, write_position
from mtrain_env.encoding.position_reader import read_position
from mtrain_env.engine.batch import copy_games
from mtrain_env.engine.determinize import blank
from mtrain_env.engine.state import CHOOSING, GAME, NONE, PLAYING
from mtrain_env.errors import MtrainError, PositionError
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from tests.encoding.worlds import actions_of, all_rules, positions, redealt, rules_id
from tests.engine.random_rules import random_rules

Games = NDArray[Any]
FEW = 4 if JIT_DISABLED else 40
SEED = np.ones(2, np.uint64)


def sent(games: Games) -> bytes:
    """The `act` message about a game, as it goes to a program."""
    view = view_of(games, 0, int(games[0]["seat"]), actions_of(games, 0))
    return json.dumps(act_message(view, 1, 1000, SEED)).encode()


def written(games: Games) -> tuple[Games, dict[str, Any]]:
    """The blanked record of a decision, and its position after a journey through JSON."""
    seat = int(games[0]["seat"])
    view = view_of(games, 0, seat, actions_of(games, 0))
    return view.game, json.loads(json.dumps(write_position(view.game[0], seat, view.rules)))


def read(position: dict[str, Any]) -> Games:
    return read_position(Position.model_validate(position))


def decisions(rules: Rules, seed: int, count: int) -> list[Games]:
    found = (copy_games(games) for games in positions(rules, seed, count))
    return [games for games in found if games[0]["phase"] in (CHOOSING, PLAYING)]


@pytest.mark.parametrize("rules", all_rules(), ids=rules_id)
def test_r26_a_position_gives_back_every_byte_that_its_seat_may_know(rules: Rules) -> None:
    for games in decisions(rules, 1, FEW):
        blanked, position = written(games)
        back = read(position)
        if games[0]["phase"] == PLAYING:
            assert back.tobytes() == blanked.tobytes()
        assert actions_of(back, 0).tolist() == actions_of(games, 0).tolist()
        view = view_of(games, 0, int(games[0]["seat"]), actions_of(games, 0))
        assert list(view.history) == position["history"]


@pytest.mark.parametrize("seed", range(2 if JIT_DISABLED else 12))
def test_r26_a_position_of_any_rules_gives_back_every_byte(seed: int) -> None:
    for games in decisions(random_rules(random.Random(seed)), seed, FEW):
        blanked, position = written(games)
        assert games[0]["phase"] == CHOOSING or read(position).tobytes() == blanked.tobytes()


def twin_of(games: Games, seat: int, rng: np.random.Generator) -> Games:
    """The game with everything dealt anew but what the seat was dealt and drew itself."""
    known = np.zeros(1, GAME)
    blank(games, 0, seat, known, 0)
    twin = redealt(games, seat, rng)
    own = known[0]["deck"] != NONE
    twin[0]["deck"][own] = known[0]["deck"][own]
    return twin


@pytest.mark.parametrize("rules", all_rules(), ids=rules_id)
def test_r26_nothing_hidden_changes_a_byte_of_a_message(rules: Rules) -> None:
    rng = np.random.default_rng(3)
    changed = 0
    for games in decisions(rules, 2, FEW):
        if games[0]["phase"] == PLAYING:
            twin = twin_of(games, int(games[0]["seat"]), rng)
            changed += twin.tobytes() != games.tobytes()
            assert sent(twin) == sent(games)
    assert changed > FEW // 3


def test_r26_the_test_above_would_notice_the_next_tile_of_the_boneyard() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for games in decisions(Rules.preset("core"), 5, 20):
        s, twin = games[0], twin_of(games, int(games[0]["seat"]), rng)
        found += int(s["deck"][s["deck_next"]]) != int(twin[0]["deck"][s["deck_next"]])
    assert found > 10


def minimal(value: dict[str, Any]) -> dict[str, Any]:
    """A position without what its seat need not have noted of the other hands."""
    left = {key: value[key] for key in value if key not in ("trades", "winner", "used", "totals", "idle_passes")}
    left["seats"] = [{key: seat[key] for key in ("tiles", "marker", "had_turn")} for seat in value["seats"]]
    left["history"] = [{k: v for k, v in event.items() if k not in ("since", "turned")} for event in value["history"]]
    return left


def test_what_has_a_default_may_be_left_out() -> None:
    for games in decisions(Rules.preset("core", num_players=3), 6, FEW):
        _, position = written(games)
        assert actions_of(read(minimal(position)), 0).tolist() == actions_of(games, 0).tolist()


def some_position(preset: str = "core", moves: int = 40) -> dict[str, Any]:
    game, rng = Game(preset, seed=3), np.random.default_rng(3)
    for _ in range(moves):
        game.act(int(rng.choice(game.legal_ids())))
    return written(game.games)[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seats": []}, "4 seats play, but seats has 0"),
        ({"trains": []}, "trains must have 5 entries, it has 0"),
        ({"totals": [1]}, "totals must have 4 entries, it has 1"),
        ({"seat": 7}, "there is no seat 7"),
        ({"duty": "P9"}, "there is no train P9"),
        ({"opening": 15}, "the set has no number 15"),
        ({"hand": ["skip"]}, "A tile of the position cannot be: 'skip' is a special tile"),
        ({"dealt": ["1-2"]}, "15 tiles are dealt, not 1"),
        ({"hand": []}, "the hand is not what was dealt, drawn, traded and laid"),
        ({"history": []}, "no tile was laid"),
        ({"boneyard": 90}, "the boneyard must have"),
        ({"phase": "choosing", "trains": []}, "an opening double is chosen only where the rules say so"),
        ({"seats": [{"tiles": 3, "lacks": {"3": 250}}] * 4}, "after a gain that was not made"),
        ({"turn": {"owes": "cover"}, "doubles": []}, "a double must be covered, but none is uncovered"),
        ({"rules": {"name": "chess"}}, "The rules of the position cannot be"),
    ],
)
def test_a_position_that_contradicts_itself_is_refused_in_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PositionError) as error:
        read(some_position() | change)
    assert sentence in str(error.value)


def test_events_that_cannot_have_been_are_refused() -> None:
    position = some_position()
    first, *rest = position["history"]
    others = next(event for event in rest if event.get("drew") is True)
    for history, sentence in (
        (rest, "the opening double is not laid first"),
        ([first, first, *rest], "a tile was laid twice"),
        ([first, {**rest[0], "since": 200}, *rest[1:]], "came after it was laid"),
        ([first, {"seat": None, "drew": True}, *rest], "a tile came into no hand"),
        ([first, {**others, "drew": "0-1"}, *rest], "a seat sees what it draws, and no more"),
        ([first, {**rest[0], "train": None}, *rest[1:]], "must have [0-9]+ tiles"),
        ([first, {"seat": 1, "trade": 0}, *rest], "the tiles that came by trades"),
        ([*position["history"], others], "must hold"),
    ):
        with pytest.raises(PositionError, match=sentence):
            read(position | {"history": history})


def mutate(value: Any, chance: random.Random) -> Any:
    """The value with one thing in it changed."""
    if isinstance(value, dict) and value:
        key = chance.choice(sorted(value))
        return {**value, key: mutate(value[key], chance)}
    if isinstance(value, list) and value:
        k = chance.randrange(len(value))
        if chance.random() < 0.3:
            return value[:k] + value[k + 1 :]
        return [*value[:k], mutate(value[k], chance), *value[k + 1 :]]
    return chance.choice([None, 0, 1, 3, 18, 200, -1, True, "any", "P1", "M", "3-4", "wild", [], {}])


@pytest.mark.parametrize("preset", ["core", "deluxe", "pagat", "dominoplay"])
def test_whatever_is_wrong_with_a_position_it_is_refused_or_read(preset: str) -> None:
    chance = random.Random(preset)
    position, refused = some_position(preset), 0
    for _ in range(60 if JIT_DISABLED else 600):
        try:
            actions_of(read(mutate(position, chance)), 0)
        except (MtrainError, ValueError) as error:
            refused += 1
            assert str(error)
    assert refused > 20


def test_the_models_have_no_member_that_nobody_writes() -> None:
    position = some_position("deluxe", 60)
    assert set(Position.model_fields) == set(position)
    assert set(positions_module.Turn.model_fields) == set(position["turn"])
    assert set(positions_module.Seat.model_fields) == set(position["seats"][0])
    assert set(positions_module.TrainEnd.model_fields) | {"train"} == set(position["trains"][0])
