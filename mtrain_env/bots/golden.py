"""golden.json: positions with the rows, the numbers and the move that every reader of a bundle must reproduce.

A reader without the rules of the game checks that `rows` give `score`, `value` and `move`; one with them also plays
the `actions` of the game with that `seed` and checks `legal` and `rows` after `after` of them. A row is the list of
its columns that are not zero, and the list of their numbers.
"""

from typing import Annotated, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mtrain_env.bot import View
from mtrain_env.bots.bundle import Bundle
from mtrain_env.bots.learned import Learned
from mtrain_env.bots.networks import Backend, Floats, Network
from mtrain_env.bots.policy import TIES
from mtrain_env.encoding.candidates import CAND_WIDTH, candidates, new_scratch
from mtrain_env.errors import BundleError, MtrainError
from mtrain_env.game import Game
from mtrain_env.rules import PRESETS, Rules

FORMAT: Final = "mtrain-golden/1"
FILE: Final = "golden.json"
TOLERANCE: Final = 1e-5
LEAST: Final = 20
_PLAYERS: Final = (2, 4)
_PER_GAME: Final = 3
_MOST_MOVES: Final = 10


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)


class Position(_Part):
    """One decision of a golden game."""

    after: Annotated[int, Field(ge=0)]
    """Actions of the game before it."""
    seat: int
    ids: tuple[int, ...]
    legal: tuple[str, ...]
    rows: tuple[tuple[tuple[int, ...], tuple[float, ...]], ...]
    score: tuple[float, ...]
    value: tuple[tuple[float, float], ...]
    move: int
    """Index of the action chosen."""


class GoldenGame(_Part):
    """The beginning of a game, and some of its decisions."""

    rules: dict[str, str | int | bool | None]
    seed: Annotated[int, Field(ge=0, lt=1 << 63)]
    actions: tuple[str, ...]
    positions: tuple[Position, ...]


class Golden(_Part):
    """golden.json."""

    format: Literal["mtrain-golden/1"] = FORMAT
    width: int
    tolerance: float = TOLERANCE
    ties: float = TIES
    games: tuple[GoldenGame, ...] = Field(min_length=1)


def rows_of(game: Game, node_cap: int) -> Floats:
    """Return the candidate rows of the acting seat."""
    ids = np.array(game.legal_ids(), np.int16)
    rows = np.zeros((len(ids), CAND_WIDTH), np.float32)
    candidates(game.games, 0, ids, len(ids), node_cap, new_scratch(), rows)
    return rows


def first_best(score: Floats) -> int:
    """Return the index of the first score within TIES of the best."""
    return int(np.argmax(score >= score.max() - TIES))


def write_golden(network: Network, node_cap: int) -> str:
    """Return golden.json for a network: rounds of every preset, played at random."""
    games = [
        _record(Rules.preset(preset, num_players=players), seed, network, node_cap)
        for seed, (preset, players) in enumerate((p, n) for p in PRESETS for n in _PLAYERS)
    ]
    return Golden(width=CAND_WIDTH, games=tuple(games)).model_dump_json() + "\n"


def _record(rules: Rules, seed: int, network: Network, node_cap: int) -> GoldenGame:
    """Play a round at random and keep some decisions with a choice, spread over it."""
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    actions: list[str] = []
    found: list[Position] = []
    while not game.round_over:
        texts = game.legal()
        if 2 <= len(texts) <= _MOST_MOVES:
            rows = rows_of(game, node_cap)
            score, value = network(rows)
            if _clear(score):
                found.append(_position(game, len(actions), rows, score, value))
        actions.append(texts[rng.integers(len(texts))])
        game.do(actions[-1])
    kept = [found[i] for i in sorted({len(found) * (2 * k + 1) // (2 * _PER_GAME) for k in range(_PER_GAME)})]
    return GoldenGame(rules=rules.as_dict(), seed=seed, actions=tuple(actions[: kept[-1].after]), positions=tuple(kept))


def _clear(score: Floats) -> bool:
    """Whether rounding cannot change the move: no score is about TIES below the best."""
    below = score.max() - score
    return not ((below > TIES / 2) & (below < TIES * 2)).any()


def _position(game: Game, after: int, rows: Floats, score: Floats, value: Floats) -> Position:
    assert game.seat is not None
    columns = [np.flatnonzero(row) for row in rows]
    return Position(
        after=after,
        seat=game.seat,
        ids=tuple(game.legal_ids()),
        legal=tuple(game.legal()),
        rows=tuple((tuple(c.tolist()), tuple(_short(row[c]))) for row, c in zip(rows, columns, strict=True)),
        score=tuple(_short(score)),
        value=tuple((own, others) for own, others in map(_short, value)),
        move=first_best(score),
    )


def _short(numbers: Floats) -> list[float]:
    """Return float32 numbers in the fewest digits that name them."""
    return [float(str(number)) for number in numbers]


def read_golden(data: bytes) -> Golden:
    """Return what golden.json holds; BundleError if it is damaged or too little."""
    try:
        golden = Golden.model_validate_json(data)
    except ValidationError as error:
        mistake = error.errors()[0]
        where = ".".join(map(str, mistake["loc"])) or "the file"
        raise BundleError(f"In {FILE} {where} is wrong: {mistake['msg']}.") from None
    positions = [position for game in golden.games for position in game.positions]
    if len(positions) < LEAST or golden.width != CAND_WIDTH:
        raise BundleError(f"{FILE} must have {LEAST} positions or more, with rows of {CAND_WIDTH} columns.")
    if not all(map(_fits, positions)):
        raise BundleError(f"A position in {FILE} has lists that do not fit each other or the rows' width.")
    return golden


def _fits(position: Position) -> bool:
    """Whether the lists of a position have one length, and its rows only columns that there are."""
    lists = (position.ids, position.legal, position.rows, position.score, position.value)
    rows = all(
        len(columns) == len(numbers) and all(0 <= column < CAND_WIDTH for column in columns)
        for columns, numbers in position.rows
    )
    return rows and {len(one) for one in lists} == {len(position.ids)} and 0 <= position.move < len(position.ids)


def dense(position: Position) -> Floats:
    """Return the rows of a position in full."""
    rows = np.zeros((len(position.rows), CAND_WIDTH), np.float32)
    for row, (columns, numbers) in zip(rows, position.rows, strict=True):
        row[list(columns)] = numbers
    return rows


def replay(bundle: Bundle, backend: Backend) -> tuple[int, float]:
    """Play all golden games again and compare everything; BundleError names the first position that differs.

    Returns how many positions there are, and the largest difference of a number.
    """
    bot = Learned(bundle, backend)
    worst = 0.0
    count = 0
    for number, golden in enumerate(read_golden(bundle.golden).games):
        try:
            game = Game(golden.rules, golden.seed)
            done = 0
            for position in golden.positions:
                for text in golden.actions[done : position.after]:
                    game.do(text)
                done = position.after
                worst = max(worst, _compare(game, position, bot, bundle.policy.candidates.node_cap))
                count += 1
        except MtrainError as error:
            raise BundleError(f"Game {number} of {FILE} differs with {backend}: {error}") from None
    return count, worst


def _compare(game: Game, position: Position, bot: Learned, node_cap: int) -> float:
    """Return the largest difference of a number; BundleError if it is too large or anything else differs."""
    where = f"after {position.after} actions"
    if (game.seat, tuple(game.legal_ids()), tuple(game.legal())) != (position.seat, position.ids, position.legal):
        raise BundleError(f"{where} other actions are legal.")
    rows = dense(position)
    if not np.allclose(rows_of(game, node_cap), rows, rtol=0, atol=TOLERANCE):
        raise BundleError(f"{where} the candidate rows are others.")
    score, value = bot.network(rows)
    worst = max(_difference(score, position.score), _difference(value, position.value))
    if not worst <= TOLERANCE:
        raise BundleError(f"{where} a number differs by {worst:.1e}, more than {TOLERANCE:.0e}.")
    view = View(game.view(position.seat), position.seat, np.array(position.ids, np.int16))
    (move,) = bot.act([view], np.random.default_rng(0))
    if not int(move) == first_best(score) == position.move:
        raise BundleError(f"{where} the move is {position.legal[int(move)]!r}, not {position.legal[position.move]!r}.")
    return worst


def _difference(found: Floats, wanted: object) -> float:
    """Return the largest difference, in units of the larger of 1 and the number."""
    numbers: NDArray[np.float64] = np.array(wanted, np.float64)
    return float((np.abs(found - numbers) / np.maximum(1, np.abs(numbers))).max())
