"""The four levels differ on named positions, for the reason written there and not by noise in ties."""

import numpy as np
import pytest

from mtrain_env._jit import JIT_DISABLED
from mtrain_env.bots.hard import PLAN, SCRATCH_SHAPE, write_costs
from mtrain_env.bots.moves import played_train, points_shed
from tests.bots.four_levels import PLANNING, POSITIONS, SEARCHING, Position, gains
from tests.bots.tables import Table, chosen_index, legal_ids, level, words

many_rollouts = pytest.mark.skipif(JIT_DISABLED, reason="thousands of rollouts are for compiled code")
each = pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)


def costs_of(table: Table) -> dict[str, int]:
    """What each action costs by hard."""
    actions = np.array(legal_ids(table.games), np.int16)
    out = np.zeros(len(actions), np.int64)
    write_costs(table.games[0], actions, len(actions), np.zeros(SCRATCH_SHAPE, PLAN), out)
    return dict(zip(table.texts(), out.tolist(), strict=True))


def weights_of(table: Table) -> dict[str, tuple[bool, int]]:
    """What medium looks at: whether the action plays at home, and the points that it sheds."""
    s = table.games[0]
    looks = [(played_train(s, action) == 0, points_shed(s, action)) for action in legal_ids(table.games)]
    return dict(zip(table.texts(), looks, strict=True))


@each
def test_easy_plays_anything(position: Position) -> None:
    table, easy = position.table(), level("easy")
    rngs = words(table.games)
    assert {chosen_index(easy, table.games, rngs) for _ in range(300)} == set(range(len(table.texts())))


@each
def test_medium_and_hard_choose_as_written_and_not_by_a_tie(position: Position) -> None:
    table = position.table()
    assert (table.choice("medium"), table.choice("hard")) == (position.medium, position.hard)
    weights, costs = weights_of(table), costs_of(table)
    for other in {position.hard, position.expert} - {position.medium}:
        assert weights[position.medium] > weights[other]
    for other in {position.medium, position.expert} - {position.hard}:
        assert costs[position.hard] < costs[other]


@many_rollouts
@each
def test_expert_chooses_as_written_whatever_deals_it_draws_and_gains_by_it(position: Position) -> None:
    table, expert = position.table(), level("expert:400")
    chosen = {table.texts()[chosen_index(expert, table.games, words(table.games, seed))] for seed in range(5)}
    assert chosen == {position.expert}
    for pips, error in gains(position).values():
        assert pips > max(2.0, 5 * error)


def test_each_level_differs_from_each_other_on_several() -> None:
    assert len(POSITIONS) >= 12
    assert all(position.medium != position.hard == position.expert for position in PLANNING)
    assert all(position.hard != position.expert for position in SEARCHING)
    assert sum(position.medium != position.expert for position in SEARCHING) >= 4
    assert len({position.name for position in POSITIONS}) == len(POSITIONS)
    assert any(len(set(position.choices().values())) == 3 for position in POSITIONS)
