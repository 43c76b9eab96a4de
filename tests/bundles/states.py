"""Random decisions of a bundle's game, and whether its three readers agree on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import Games, Ints
from mtrain_env.bots.bundle import Bundle, load_bundle
from mtrain_env.bots.flat import FlatLearned, legal_scores
from mtrain_env.bots.golden import clear, difference
from mtrain_env.bots.learned import Learned, bot_of, write_rows
from mtrain_env.bots.networks import Floats, pick
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from mtrain_env.engine import batch
from mtrain_env.engine.rng import seed_words
from mtrain_env.rules import Rules
from tests.bundles.javascript import judge

_TOGETHER = 1000
_TABLES = 32


@dataclass(frozen=True)
class States:
    """Decisions with a choice: games, their legal ids actions[k, :counts[k]], and what the network reads there."""

    games: Games
    actions: Ints
    counts: NDArray[np.int32]

    @property
    def ids(self) -> NDArray[np.int32]:
        """All legal ids, one decision after the other."""
        return self.actions[np.arange(self.actions.shape[1]) < self.counts[:, None]].astype(np.int32)


@dataclass
class Agreement:
    """What was compared."""

    states: int = 0
    scores: int = 0
    worst: float = 0.0
    """Largest difference of a number between two readers, in units of the larger of 1 and the number."""
    close: int = 0
    """Decisions in which two scores differ by so nearly the width of a tie that rounding may decide."""
    split: int = 0
    """How many of them it decided differently for some reader."""

    def __str__(self) -> str:
        return (
            f"{self.states} states, {self.scores} scores, largest difference {self.worst:.1e}; other moves in "
            f"{self.split} of the {self.close} states in which rounding decides a tie, in none of the rest"
        )


def random_states(rules: Rules, seed: int) -> Iterator[States]:
    """Decisions with a choice in games played at random, up to _TOGETHER at once, for ever."""
    games = batch.new_games(rules, [1000 * seed + k for k in range(_TABLES)])
    for k in range(_TABLES):
        batch.deal(games, k, -1, -1)
    actions = np.zeros((_TABLES, int(games[0]["num_actions"])), np.int16)
    counts, chosen, words = np.zeros(_TABLES, np.int32), np.zeros(_TABLES, np.int64), seed_words(seed)
    batch.legal_all(games, actions, counts)
    while True:
        found: list[tuple[Games, Ints, Ints]] = []
        while sum(len(part[2]) for part in found) < _TOGETHER:
            which = np.flatnonzero(counts > 1)
            found.append((games[which], actions[which], counts[which]))
            batch.choose_random(words, actions, counts, chosen)
            batch.step_all(games, chosen, actions, counts)
        yield States(*(np.concatenate(parts)[:_TOGETHER] for parts in zip(*found, strict=True)))


def compare(folder: Path, rules: Rules, count: int, seed: int, scratch: Path) -> Agreement:
    """Let onnxruntime, numpy and JavaScript judge `count` random decisions; AssertionError where they do not agree."""
    bundle, done = load_bundle(folder), Agreement()
    for states in random_states(rules, seed):
        part = min(len(states.counts), count - done.states)
        _compare(bundle, folder, States(*(a[:part] for a in vars(states).values())), done, scratch)
        if done.states == count:
            break
    return done


def _compare(bundle: Bundle, folder: Path, states: States, done: Agreement, scratch: Path) -> None:
    onnx, numpy = bot_of(bundle, "onnx"), bot_of(bundle, "numpy")
    rows, judged = _judge(onnx, states)
    readers = [judged, _judge(numpy, states)[1], judge(folder, rows, states.counts, states.ids, scratch)]
    for k, (score, value, _) in enumerate(readers):
        other_score, other_value, _ = readers[k - 1]
        done.worst = max(done.worst, difference(score, other_score), difference(value.ravel(), other_value.ravel()))
    assert done.worst <= 1e-5, f"{bundle.name}: two readers differ by {done.worst}"
    first = 0
    for k, count in enumerate(states.counts.tolist()):
        moves = {int(move[k]) for _, _, move in readers}
        if not clear(readers[0][0][first : first + count]):
            done.close += 1
            done.split += len(moves) > 1
        else:
            assert len(moves) == 1, f"{bundle.name}: the readers choose {moves}"
        first += count
    done.states += len(states.counts)
    done.scores += first


def _judge(bot: Learned | FlatLearned, states: States) -> tuple[Floats, tuple[Floats, Floats, Ints]]:
    """What the network of a bot reads, and its scores of the legal ids, values and moves."""
    games, actions, counts = states.games, states.actions, states.counts
    which, total = np.arange(len(games)), int(counts.sum())
    if isinstance(bot, FlatLearned):
        rows, masks = bot.seen(games, which, actions, counts)
        scores, value = bot.network(rows, masks)
        score = np.empty(total, np.float32)
        legal_scores(scores, which, actions, counts, score)
    else:
        rows = np.empty((total, CAND_WIDTH), np.float32)
        write_rows(games, which, actions, counts, bot.node_cap, new_scratch(), rows)
        score, value = bot.network(rows)
    moves = np.zeros(len(games), np.int64)
    pick(score, which, counts, moves)
    chosen = np.zeros(len(games), np.int64)
    bot.choose(games, which, actions, counts, np.zeros((len(games), 16, 2), np.uint64), chosen)
    assert (chosen == moves).all()
    return rows, (score, value, moves)
