"""OpenSpiel: one round as the pyspiel game `python_mexican_train`, for its searches and algorithms.

    import pyspiel
    import mtrain_env.envs.openspiel  # registers the game

    game = pyspiel.load_game("python_mexican_train(rules=pagat,players=3)")

Parameters: `rules`, a preset without special tiles; `players`; `max_pip` and `hand_size`, 0 = the preset's. Actions are
the ids of act/1, forced ones too. All chance is explicit: first the opening double with the seat that starts (or
hunts), then each tile that is dealt or drawn, so the boneyard has no order and no search can see one. The returns are
the reward `relative`, (mean of the others' pips - own) / 100, and come with the end of the round.

A state holds all hands, as everywhere in OpenSpiel. A fair search begins from `resample_from_infostate`, as ISMCTS of
open_spiel.python.algorithms does: it deals what the player cannot know anew, as R27 allows. The ISMCTSBot in C++ cannot
do so with a game in Python. An information state is the seat's own tiles and all that was done, in order; an
observation is obs/1.
"""

import heapq
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
import pyspiel
from numpy.typing import NDArray

from mtrain_env.encoding.notation import action_text
from mtrain_env.encoding.position import write_position
from mtrain_env.engine import batch
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import blank, determinize
from mtrain_env.engine.state import NONE, UNDEALT
from mtrain_env.envs.base import EnvOptionError, OutOfOrder, Settings, Tables, copy_games
from mtrain_env.rules import Rules
from mtrain_env.tiles import TILE_HIGH, TILE_LOW, tile_id, tile_text

NAME: Final = "python_mexican_train"

CHANCE: Final = int(pyspiel.PlayerId.CHANCE)
TERMINAL: Final = int(pyspiel.PlayerId.TERMINAL)

_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Mexican Train dominoes, one round",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=16,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "core", "players": 4, "max_pip": 0, "hand_size": 0},
)


class Round:
    """One round with all chance made from outside: a table, what was dealt and drawn, and what was done.

    Attributes:
        tables: one table (base.Tables), undealt until there is a tile for every hand, and for the hunt (R4).
        player: the seat to move, CHANCE or TERMINAL.
        opening, first: number of the opening double, and the seat that starts (or hunts first); -1 before chance chose.
        tiles: codes of the tiles dealt and drawn, in the order of the deck: hand by hand, then as they were drawn.
        moves: [seat, action, tile drawn] of every decision, -1 for no tile (yet).
    """

    def __init__(self, rules: Rules) -> None:
        self.tables = Tables(Settings(rules, episode="round"), 1)
        self.player = CHANCE
        self.opening = self.first = -1
        self.tiles: list[int] = []
        self.moves: list[list[int]] = []

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.tables.settings.rules

    @property
    def game(self) -> Any:  # noqa: ANN401 -- a numpy record has no better type
        """The GAME record."""
        return self.tables.games[0]

    @property
    def dealt(self) -> bool:
        """Whether play has begun."""
        return bool(self.game["phase"] != UNDEALT)

    def outcomes(self) -> list[int]:
        """What chance can do now, each equally likely: an index for `begin`, or the code of a tile."""
        if self.opening < 0:
            return list(range(len(self.tables.settings.openings) * self.rules.num_players))
        if self.dealt:
            return sorted(self.game["deck"][self.game["deck_next"] : self.game["deck_size"]].tolist())
        return self._rest()

    def _rest(self) -> list[int]:
        """The tiles that are not dealt yet."""
        out = set(self.tiles) | ({self._double} if self.rules.opening_source == "set_out" else set())
        return [tile for tile in range(self.rules.num_tiles) if tile not in out]

    @property
    def _double(self) -> int:
        return tile_id(self.opening, self.opening)

    def act_chance(self, outcome: int) -> None:
        """Do what chance does."""
        if self.opening < 0:
            which, self.first = divmod(outcome, self.rules.num_players)
            self.opening = self.tables.settings.openings[which]
            return
        self.tiles.append(outcome)
        if self.dealt:
            self._draw(outcome)
            return
        hunted = self.rules.opening_source == "set_out" or self._double in self.tiles
        if len(self.tiles) >= self.rules.num_players * self.rules.hand_size and hunted:
            deck = np.array(self.tiles + self._rest(), np.uint8)
            batch.deal_deck(self.tables.games, 0, self.opening, self.first, deck)
            self._settle()

    def _draw(self, tile: int) -> None:
        """Let the seat to move draw the tile, wherever it lies in the boneyard."""
        deck, k = self.game["deck"], int(self.game["deck_next"])
        deck[k + int(np.flatnonzero(deck[k:] == tile)[0])] = deck[k]
        deck[k] = tile
        self.moves[-1][2] = tile
        self._step(self.moves[-1][1])

    def act(self, action: int) -> None:
        """Carry out a legal action of the seat to move; which tile it draws is left to chance."""
        self.moves.append([self.player, action, -1])
        if action == self.tables.act.draw:
            self.player = CHANCE
        else:
            self._step(action)

    def _step(self, action: int) -> None:
        batch.step(self.tables.games, 0, action, NONE)
        self._settle()

    def _settle(self) -> None:
        """Find out what is legal, or pay."""
        self.tables.settle(self.tables.everyone)
        self.player = int(self.tables.seats[0]) if self.tables.counts[0] else TERMINAL

    def dealt_to(self, seat: int) -> list[int]:
        """The tiles dealt to a seat so far, sorted; the hunt's draws are not among them."""
        size = self.rules.hand_size
        return sorted(self.tiles[seat * size : (seat + 1) * size])

    def hunt(self) -> list[tuple[int, int]]:
        """The seats that drew in the hunt (R4) and what they drew, in order."""
        n = self.rules.num_players
        drawn = sum(tile >= 0 for _, _, tile in self.moves)
        tiles = self.tiles[n * self.rules.hand_size : len(self.tiles) - drawn]
        return [((self.first + k) % n, tile) for k, tile in enumerate(tiles)]

    def view(self, seat: int) -> NDArray[np.void]:
        """The record as a seat knows it (engine/determinize.py)."""
        out = np.zeros_like(self.tables.games)
        blank(self.tables.games, 0, seat, out, 0)
        return out

    def other_tiles(self, seat: int, words: NDArray[np.uint64]) -> list[int]:
        """Return `tiles` of another round that `seat` cannot tell from this one; `words`: random state, changed."""
        world = np.zeros_like(self.tables.games)
        determinize(self.tables.games, 0, seat, world, 0, np.zeros(1, WORK), words)
        s, n, size = world[0], self.rules.num_players, self.rules.hand_size
        gains = s["gain_seat"][: s["gains"]].tolist()
        tiles: list[int] = s["deck"][: n * size + len(gains)].tolist()
        for other in range(n):
            if other != seat:
                slots = [(0, other * size + k) for k in range(size)]
                slots += [(g, n * size + g - 1) for g, who in enumerate(gains, 1) if who == other]
                for place, tile in _placed(slots, list(_held(s, other))):
                    tiles[place] = tile
        return tiles

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.tables = self.tables.clone()
        twin.tiles = self.tiles.copy()
        twin.moves = [move.copy() for move in self.moves]
        return twin

    def __getstate__(self) -> dict[str, Any]:
        kept = {**self.__dict__, "tables": self.tables.games.tobytes(), "due": self.tables.due.tolist()}
        return {**kept, "rules": self.rules.as_dict()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        games, due = kept.pop("tables"), kept.pop("due")
        self.__init__(Rules(**kept.pop("rules")))  # type: ignore[misc]
        self.__dict__.update(kept)
        self.tables.games[:] = np.frombuffer(games, self.tables.games.dtype)
        self.tables.find_legal(over=False)
        self.tables.due[:] = due


def _held(s: Any, seat: int) -> Iterator[tuple[int, int, int]]:  # noqa: ANN401 -- a GAME record
    """The tiles that a seat had: (earliest gain by which it can have come, R27, latest one, tile); 0 = dealt."""
    for k in range(int(s["laid_count"])):
        if s["laid_by"][k] == seat:
            yield int(s["laid_from"][k]), int(s["laid_gains"][k]), int(s["laid_tile"][k])
    void_at = s["void_at"][seat]
    for tile in np.flatnonzero(s["tile_place"] == seat).tolist():
        yield int(max(void_at[TILE_LOW[tile]], void_at[TILE_HIGH[tile]])), int(s["gains"]), tile


def _placed(slots: list[tuple[int, int]], held: list[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Give each slot (gain, place), by gain, the possible tile that must come soonest: it fits if any way fits."""
    waiting: list[tuple[int, int]] = []
    k = 0
    held.sort()
    for gain, place in slots:
        while k < len(held) and held[k][0] <= gain:
            heapq.heappush(waiting, held[k][1:])
            k += 1
        yield place, heapq.heappop(waiting)[1]


class MexicanTrainGame(pyspiel.Game):  # type: ignore[misc] # pyspiel has no types
    """The game of some rules; see the module."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_TYPE.parameter_specification, **(params or {})}
        sizes = {field: given[field] for field in ("max_pip", "hand_size") if given[field]}
        self.rules = rules = Rules.preset(given["rules"], num_players=given["players"], **sizes)
        if rules.special_tiles:
            raise EnvOptionError(f"{NAME} has no special tiles: rules must not be {rules.name!r}.")
        self.fresh = Round(rules)
        pips = rules.num_tiles * rules.max_pip + rules.double_blank_points
        info = pyspiel.GameInfo(
            num_distinct_actions=self.fresh.tables.act.size,
            max_chance_outcomes=max(rules.num_tiles, len(self.fresh.outcomes())),
            num_players=rules.num_players,
            min_utility=-pips / 100,
            max_utility=pips / 100,
            utility_sum=0.0,
            max_game_length=longest(rules),
        )
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> "MexicanTrainState":
        """Return the state before anything is dealt."""
        return MexicanTrainState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "MexicanTrainObserver":  # noqa: ANN401
        """Return what observes for OpenSpiel: with perfect recall an information state, without an observation."""
        return MexicanTrainObserver(self, kind or pyspiel.IIGObservationType(perfect_recall=False), params)


def longest(rules: Rules) -> int:
    """Return how many decisions a round has at most.

    A draw, and the pass after it; a tile, the stop after it, and, once the boneyard is empty, two laps of passes until
    the next tile: after one of them every marker is on, after the other the round is blocked (R22).
    """
    n, tiles = rules.num_players, rules.num_tiles
    return 2 * (tiles - n * rules.hand_size) + tiles * (2 + 2 * n)


class MexicanTrainState(pyspiel.State):  # type: ignore[misc] # pyspiel has no types
    """A state; see the module."""

    def __init__(self, game: MexicanTrainGame) -> None:
        super().__init__(game)
        self.round = game.fresh.__deepcopy__({})

    def current_player(self) -> int:
        """Return the seat to move, or who acts in its place."""
        return self.round.player

    def is_terminal(self) -> bool:
        """Return whether the round is over."""
        return self.round.player == TERMINAL

    def returns(self) -> list[float]:
        """Return what each seat is paid, 0 before the end."""
        paid: list[float] = self.round.tables.due[0].tolist()
        return paid

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what can happen, with probabilities."""
        found = self.round.outcomes()
        return [(outcome, 1 / len(found)) for outcome in found]

    def _legal_actions(self, player: int) -> list[int]:
        tables = self.round.tables
        ids: list[int] = tables.actions[0, : tables.counts[0]].tolist()
        return ids

    def _apply_action(self, action: int) -> None:
        if self.round.player == CHANCE:
            self.round.act_chance(action)
        else:
            self.round.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        tables = self.round.tables
        if player != CHANCE:
            games = copy_games(tables.games)
            games[0]["seat"] = player
            return action_text(tables.act, games[0], action)
        if self.round.opening >= 0:
            return tile_text(action)
        which, first = divmod(action, tables.players)
        return f"opening double {tables.settings.openings[which]}, P{first} first"

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "MexicanTrainState":
        """Return a state with this information state of `player`, drawn from all of them that the rules allow (R27).

        It has a history of its own: the chance outcomes are those of the other deal. `sampler` gives numbers in [0, 1).
        """
        if self.is_terminal() or not self.round.dealt:
            raise OutOfOrder("A state is resampled only while the round is played.")
        words = np.array([int(sampler() * (1 << 53)) * 2 + 1 for _ in range(2)], np.uint64)
        tiles = iter(self.round.other_tiles(player, words))
        table, *rest = self.history()
        state: MexicanTrainState = self.get_game().new_initial_state()
        state.apply_action(table)
        for action in rest:
            state.apply_action(next(tiles) if state.is_chance_node() else action)
        return state

    def __str__(self) -> str:
        """All that there is: what was dealt and drawn, and what was done."""
        done = " ".join(f"P{seat}:{action}" for seat, action, _ in self.round.moves)
        return f"{self.round.opening} P{self.round.first} | {_text(self.round.tiles)} | {done}"


def _text(tiles: list[int]) -> str:
    return " ".join(map(tile_text, tiles))


class MexicanTrainObserver:
    """Writes what a player knows as numbers and as text; OpenSpiel asks for `tensor`, `dict`, and the methods.

    `dict`: player, one-hot [players]; observation, obs/1 [size]; with perfect recall also first, one-hot [players], the
    seat that starts or hunts first; dealt [tiles], 1 where the tile was dealt to the player; hunt [longest, 2], seat
    and own tile, and history [longest, 3], seat, action and own tile drawn, each counted from 1 and divided by its
    number, 0 = none. All in [0, 1], float32.
    """

    def __init__(self, game: MexicanTrainGame, kind: Any, params: Any) -> None:  # noqa: ANN401 -- pyspiel's
        if params:
            raise EnvOptionError(f"{NAME} has no observation parameters, got {params!r}.")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise EnvOptionError(f"{NAME} is observed with public information and that of a single player only.")
        rules = game.rules
        n, tiles = rules.num_players, rules.num_tiles
        self._recalls = bool(kind.perfect_recall)
        self._most = np.array([n, game.fresh.tables.act.size, tiles], np.float32)
        shapes: dict[str, tuple[int, ...]] = {"player": (n,), "observation": (game.fresh.tables.obs.size,)}
        if self._recalls:
            hunt = tiles - n * rules.hand_size if rules.opening_source == "hunt" else 0
            shapes |= {"first": (n,), "dealt": (tiles,), "hunt": (hunt, 2), "history": (longest(rules), 3)}
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes.values())])
        self.tensor = np.zeros(ends[-1], np.float32)
        self.dict = {
            name: self.tensor[first:last].reshape(shape)
            for (name, shape), (first, last) in zip(shapes.items(), pairwise(ends), strict=True)
        }

    def set_from(self, state: MexicanTrainState, player: int) -> None:
        """Write what `player` knows to `tensor`."""
        self.tensor.fill(0)
        table = state.round
        self.dict["player"][player] = 1
        self.dict["observation"][:] = table.tables.observe(player, 0)[0]
        if not self._recalls:
            return
        if table.first >= 0:
            self.dict["first"][table.first] = 1
        self.dict["dealt"][table.dealt_to(player)] = 1
        moves = [(seat, action, tile if seat == player else -1) for seat, action, tile in table.moves]
        self.dict["history"][: len(moves)] = (np.array(moves).reshape(-1, 3) + 1) / self._most
        hunt = [(seat, tile if seat == player else -1) for seat, tile in table.hunt()]
        self.dict["hunt"][: len(hunt)] = (np.array(hunt).reshape(-1, 2) + 1) / self._most[::2]

    def string_from(self, state: MexicanTrainState, player: int) -> str:
        """Return what `player` knows as text: its tiles and all that was done, or the position (docs/bots.md)."""
        table = state.round
        if self._recalls:
            done = " ".join(
                f"P{seat}:{action}" + (f"+{tile_text(tile)}" if seat == player and tile >= 0 else "")
                for seat, action, tile in table.moves
            )
            hunt = " ".join(tile_text(tile) if seat == player else f"P{seat}" for seat, tile in table.hunt())
            table_text = f"{table.opening} P{table.first} P{int(table.game['starter'])}"
            return f"P{player} | {table_text} | {_text(table.dealt_to(player))} | {hunt} | {done}"
        if not table.dealt:
            return f"P{player}"
        position = write_position(table.view(player)[0], player, table.rules)
        return json.dumps({part: position[part] for part in position if part not in ("rules", "history")})


pyspiel.register_game(_TYPE, MexicanTrainGame)
