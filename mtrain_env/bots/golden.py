"""golden.json: positions with the rows, the numbers and the move that every reader of a bundle must reproduce.

A reader without the rules of the game checks that `rows` give `score`, `value` and `move`; one with them also plays
the `actions` of the game with that `seed` and checks `legal` and `rows` after `after` of them. A row is the list of
its columns that are not zero, and the list of their numbers. For a flat network there is one row, the observation;
the action mask is 1 at the `ids`, `score` has theirs alone, and `value` is one row of one number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mtrain_env.bot import View
from mtrain_env.bots.bundle import Bundle
from mtrain_env.bots.flat import FlatLearned
from mtrain_env.bots.learned import Learned, bot_of
from mtrain_env.bots.networks import Backend, FlatNetwork, Floats, Network
from mtrain_env.bots.policy import TIES, Candidates, Flat, Policy
from mtrain_env.encoding.candidates import CAND_WIDTH, candidates, new_scratch
from mtrain_env.encoding.observation_layout import ObservationLayout
from mtrain_env.encoding.observations import observe_float
from mtrain_env.errors import BundleError, MtrainError
from mtrain_env.game import Game
from mtrain_env.rules import PRESETS, Rules

FORMAT: Final = "mtrain-golden/1"
FILE: Final = "golden.json"
TOLERANCE: Final = 1e-5
LEAST: Final = 20
_PLAYERS: Final = (2, 4)
_FLAT_GAMES: Final = 8
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
    value: tuple[tuple[float, ...], ...]
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
    """Columns of a row."""
    num_actions: int | None = None
    """Action ids, which is the length of the mask of a flat network; absent for one that reads candidate rows."""
    tolerance: float = TOLERANCE
    ties: float = TIES
    games: tuple[GoldenGame, ...] = Field(min_length=1, max_length=64)


def rows_of(game: Game, node_cap: int) -> Floats:
    """Return the candidate rows of the acting seat."""
    ids = np.array(game.legal_ids(), np.int16)
    rows = np.zeros((len(ids), CAND_WIDTH), np.float32)
    candidates(game.games, 0, ids, len(ids), node_cap, new_scratch(), rows)
    return rows


def first_best(score: Floats) -> int:
    """Return the index of the first score within TIES of the best."""
    return int(np.argmax(score >= score.max() - TIES))


class Reader(Protocol):
    """What a bundle's network reads and says at a decision, whichever kind it is."""

    def rows(self, game: Game) -> Floats:
        """Return what it reads for the acting seat, (rows, width)."""
        ...

    def judge(self, rows: Floats, ids: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the score of each legal id, (ids,), and the value, (rows, 2) or (1, 1)."""
        ...


@dataclass(frozen=True)
class CandidateReader:
    """A network over candidate rows."""

    network: Network
    node_cap: int

    def rows(self, game: Game) -> Floats:
        """Return one row a legal action."""
        return rows_of(game, self.node_cap)

    def judge(self, rows: Floats, ids: Sequence[int]) -> tuple[Floats, Floats]:
        """Return score and value of each row."""
        return self.network(rows)


@dataclass(frozen=True)
class FlatReader:
    """A flat network for so many actions."""

    network: FlatNetwork
    num_actions: int

    def rows(self, game: Game) -> Floats:
        """Return the observation, as the only row."""
        layout = ObservationLayout(game.rules)
        row, scratch = np.zeros((1, layout.size), np.float32), np.zeros(layout.size, np.uint8)
        observe_float(game.games, 0, int(game.state["seat"]), layout.offsets, layout.reciprocals, scratch, row[0])
        return row

    def judge(self, rows: Floats, ids: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the scores of the legal ids, and the value of the position."""
        masks = np.zeros((1, self.num_actions), np.float32)
        masks[0, list(ids)] = 1
        score, value = self.network(rows, masks)
        return score[0, list(ids)], value[:, None]


def reader_of(bot: Learned | FlatLearned) -> Reader:
    """Return the reader that a bot is."""
    if isinstance(bot, FlatLearned):
        return FlatReader(bot.network, bot.made_for.num_actions)
    return CandidateReader(bot.network, bot.node_cap)


def write_golden(network: Network, node_cap: int) -> str:
    """Return golden.json for a network over candidate rows: rounds of every preset, played at random."""
    rules = [Rules.preset(preset, num_players=players) for preset in PRESETS for players in _PLAYERS]
    return _write(CandidateReader(network, node_cap), rules, CAND_WIDTH, None)


def write_flat_golden(network: FlatNetwork, flat: Flat, rules: Rules) -> str:
    """Return golden.json for a flat network: rounds under `rules`, played at random."""
    return _write(FlatReader(network, flat.num_actions), [rules] * _FLAT_GAMES, flat.width, flat.num_actions)


def _write(reader: Reader, rules: Sequence[Rules], width: int, num_actions: int | None) -> str:
    games = tuple(_record(its, seed, reader) for seed, its in enumerate(rules))
    golden = Golden(width=width, num_actions=num_actions, games=games)
    return golden.model_dump_json(exclude={"num_actions"} if num_actions is None else None) + "\n"


def _record(rules: Rules, seed: int, reader: Reader) -> GoldenGame:
    """Play a round at random and keep some decisions with a choice, spread over it."""
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    actions: list[str] = []
    found: list[Position] = []
    while not game.round_over:
        texts = game.legal()
        if 2 <= len(texts) <= _MOST_MOVES:
            rows = reader.rows(game)
            score, value = reader.judge(rows, game.legal_ids())
            if clear(score):
                found.append(_position(game, len(actions), rows, score, value))
        actions.append(texts[rng.integers(len(texts))])
        game.do(actions[-1])
    kept = [found[i] for i in sorted({len(found) * (2 * k + 1) // (2 * _PER_GAME) for k in range(_PER_GAME)})]
    return GoldenGame(rules=rules.as_dict(), seed=seed, actions=tuple(actions[: kept[-1].after]), positions=tuple(kept))


def clear(score: Floats) -> bool:
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
        value=tuple(tuple(_short(numbers)) for numbers in value),
        move=first_best(score),
    )


def _short(numbers: Floats) -> list[float]:
    """Return float32 numbers in the fewest digits that name them."""
    return [float(str(number)) for number in numbers]


def read_golden(data: bytes, policy: Policy) -> Golden:
    """Return what golden.json holds; BundleError if it is damaged, too little, or not for this policy."""
    try:
        golden = Golden.model_validate_json(data)
    except ValidationError as error:
        mistake = error.errors()[0]
        where = ".".join(map(str, mistake["loc"])) or "the file"
        raise BundleError(f"In {FILE} {where} is wrong: {mistake['msg']}.") from None
    reads = policy.reads
    num_actions = reads.num_actions if isinstance(reads, Flat) else None
    positions = [position for game in golden.games for position in game.positions]
    if len(positions) < LEAST or (golden.width, golden.num_actions) != (reads.width, num_actions):
        raise BundleError(f"{FILE} must have {LEAST} positions or more, with rows of {reads.width} columns.")
    if not all(_fits(position, reads) for position in positions):
        raise BundleError(f"A position in {FILE} has lists that do not fit each other or the rows' width.")
    return golden


def _fits(position: Position, reads: Candidates | Flat) -> bool:
    """Whether the lists of a position have the right lengths, and its rows and ids only columns that there are."""
    legal = len(position.ids)
    flat = isinstance(reads, Flat)
    rows, values = (1, 1) if flat else (legal, 2)
    return (
        0 <= position.move < legal == len(position.legal) == len(position.score)
        and rows == len(position.rows) == len(position.value)
        and all(len(value) == values for value in position.value)
        and all(len(columns) == len(numbers) for columns, numbers in position.rows)
        and all(0 <= column < reads.width for columns, _ in position.rows for column in columns)
        and (not isinstance(reads, Flat) or all(0 <= k < reads.num_actions for k in position.ids))
    )


def dense(position: Position, width: int) -> Floats:
    """Return the rows of a position in full."""
    rows = np.zeros((len(position.rows), width), np.float32)
    for row, (columns, numbers) in zip(rows, position.rows, strict=True):
        row[list(columns)] = numbers
    return rows


def replay(bundle: Bundle, backend: Backend) -> tuple[int, float]:
    """Play all golden games again and compare everything; BundleError names the first position that differs.

    Returns how many positions there are, and the largest difference of a number.
    """
    bot = bot_of(bundle, backend)
    worst = 0.0
    count = 0
    for number, golden in enumerate(read_golden(bundle.golden, bundle.policy).games):
        try:
            game = Game(golden.rules, golden.seed)
            done = 0
            for position in golden.positions:
                for text in golden.actions[done : position.after]:
                    game.do(text)
                done = position.after
                worst = max(worst, _compare(game, position, bot, bundle.policy.reads.width))
                count += 1
        except MtrainError as error:
            raise BundleError(f"Game {number} of {FILE} differs with {backend}: {error}") from None
    return count, worst


def _compare(game: Game, position: Position, bot: Learned | FlatLearned, width: int) -> float:
    """Return the largest difference of a number; BundleError if it is too large or anything else differs."""
    where = f"after {position.after} actions"
    if (game.seat, tuple(game.legal_ids()), tuple(game.legal())) != (position.seat, position.ids, position.legal):
        raise BundleError(f"{where} other actions are legal.")
    reader, rows = reader_of(bot), dense(position, width)
    here = reader.rows(game)
    if here.shape != rows.shape or not np.allclose(here, rows, rtol=0, atol=TOLERANCE):
        raise BundleError(f"{where} the rows are others.")
    score, value = reader.judge(rows, position.ids)
    worst = max(difference(score, position.score), difference(value, position.value))
    if not worst <= TOLERANCE:
        raise BundleError(f"{where} a number differs by {worst:.1e}, more than {TOLERANCE:.0e}.")
    view = View(game.view(position.seat), position.seat, np.array(position.ids, np.int16))
    (move,) = bot.act([view], np.random.default_rng(0))
    if not int(move) == first_best(score) == position.move:
        raise BundleError(f"{where} the move is {position.legal[int(move)]!r}, not {position.legal[position.move]!r}.")
    return worst


def difference(found: Floats, wanted: object) -> float:
    """Return the largest difference, in units of the larger of 1 and the number."""
    numbers: NDArray[np.float64] = np.array(wanted, np.float64)
    return float((np.abs(found - numbers) / np.maximum(1, np.abs(numbers))).max())
