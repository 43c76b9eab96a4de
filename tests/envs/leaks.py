"""What a seat gets to see of a position, through every door, and whether another deal changes a byte of it.

`watch` is the one checker: a small share of it is in the normal suite, `tests.envs.soak` runs a million triples of
state, seat and world, and the planted leaks of test_no_leak.py show what it catches.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bot import view_of
from mtrain_env.encoding.candidates import CAND_WIDTH, NODE_CAP, candidates, new_scratch
from mtrain_env.encoding.observations import observe
from mtrain_env.engine.belief import WORK
from mtrain_env.engine.determinize import determinize
from mtrain_env.engine.state import CHOOSING, GAME, MAX_DECK, PLAYING
from mtrain_env.envs import mexican_train_v0
from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.envs.parallel import ParallelMexicanTrain
from mtrain_env.envs.render import Renderer
from mtrain_env.envs.single import MexicanTrainEnv
from mtrain_env.envs.vector import MexicanTrainVectorEnv
from mtrain_env.errors import MtrainError
from mtrain_env.game import Game
from mtrain_env.rules import Rules
from tests.encoding.worlds import positions, redeal

Games = NDArray[Any]
Seen = dict[str, Any]
"""What is seen, by the name of the door: bytes or text."""


def flat(name: str, value: Any) -> Seen:
    """Everything in a value that an environment returned, under names that say where it was."""
    if isinstance(value, dict):
        return {key: one for part, inner in value.items() for key, one in flat(f"{name}.{part}", inner).items()}
    if isinstance(value, tuple):
        return {key: one for k, inner in enumerate(value) for key, one in flat(f"{name}[{k}]", inner).items()}
    if isinstance(value, np.ndarray):
        return {name: (value.dtype.name, value.tobytes())}
    return {name: repr(value)}


def put(tables: Any, games: Games) -> None:
    """Put a position on a table."""
    tables.games.view(np.uint8)[:] = games.view(np.uint8)
    tables.find_legal(over=False)


def sit(env: RawMexicanTrain, games: Games) -> None:
    """Put a position into an AEC environment, as from_bytes does."""
    agents = env.possible_agents
    nothing = dict.fromkeys(agents, 0.0)
    going = dict.fromkeys(agents, False)
    env.tables.games.view(np.uint8)[:] = games.view(np.uint8)
    env._load(
        {
            "agents": list(agents),
            "agent_selection": agents[int(games[0]["seat"])],
            "rewards": nothing,
            "_cumulative_rewards": nothing.copy(),
            "terminations": going,
            "truncations": going.copy(),
        },
        over=False,
    )


def refused(call: Callable[[], object]) -> str:
    """The sentence with which a call is refused."""
    try:
        call()
    except MtrainError as error:
        return str(error)
    return "not refused"


class Onlooker:
    """The eyes of a seat: real environments of every kind, into which a position is put.

    `aec`: the environments to look through; tests give it some that leak.
    """

    def __init__(self, rules: Rules, aec: type[RawMexicanTrain] = mexican_train_v0.env) -> None:
        self.rules = rules
        self.with_mask = aec(rules, mask_in="observation")
        self.with_info = aec(rules, mask_in="infos")
        self.single = MexicanTrainEnv("easy", rules)
        self.vectors = [MexicanTrainVectorEnv(1, rules=rules, observation=kind) for kind in ("float32", "uint8")]
        for env in self.vectors:
            env.reset(seed=1)
        self.parallel = ParallelMexicanTrain(rules)
        self.parallel._sit_at(self.with_mask)
        self.game = Game(rules, deal=False)
        self.agents = self.with_mask.possible_agents
        self._row = np.zeros(self.with_mask.tables.obs.size, np.uint8)
        self._rows = np.zeros((self.with_mask.tables.act.size, CAND_WIDTH), np.float32)
        self._scratch = new_scratch()

    def data(self, games: Games, seat: int) -> Seen:
        """Observations, masks, infos, candidate rows, and the view that a bot gets."""
        agent = self.agents[seat]
        sit(self.with_mask, games)
        sit(self.with_info, games)
        tables = self.with_mask.tables
        seen = flat("observe", self.with_mask.observe(agent))
        seen |= flat("infos", self.with_mask.infos[agent])
        seen |= flat("observe, mask in infos", self.with_info.observe(agent))
        seen |= flat("infos, mask in infos", self.with_info.infos[agent])
        observe(games, 0, seat, tables.obs.offsets, self._row)
        seen["uint8"] = self._row.tobytes()
        acting = bool(games[0]["seat"] == seat and tables.counts[0])
        legal = tables.actions[0, : tables.counts[0] if acting else 0]
        view = view_of(games, 0, seat, legal)
        seen["view"] = view.game.tobytes(), view.legal.tobytes()
        observe(view.game, 0, seat, tables.obs.offsets, self._row)
        seen["uint8 of the view"] = self._row.tobytes()
        if acting:
            seen["candidates"] = self._candidates(games, legal)
            seen["candidates of the view"] = self._candidates(view.game, legal)
            seen |= self._gymnasium(games, seat)
        return seen

    def _candidates(self, games: Games, legal: NDArray[Any]) -> bytes:
        count = len(legal)
        candidates(games, 0, legal, count, NODE_CAP, self._scratch, self._rows)
        return self._rows[:count].tobytes()

    def _gymnasium(self, games: Games, seat: int) -> Seen:
        """What the Gymnasium environments show to the seat that is to move."""
        put(self.single.tables, games)
        self.single._opponents.learner[0] = seat
        seen = flat("single", (*self.single._seen(), self.single.action_masks()))
        for env in self.vectors:
            put(env.tables, games)
            env._show()
            seen |= flat(f"vector, {env.buffers.observation.dtype}", (env.buffers.observation, env._infos()))
        return seen

    def texts(self, games: Games, seat: int) -> Seen:
        """Renderings as text, names, errors, the texts of moves; and the parallel environment, whose data are many."""
        agent, mover = self.agents[seat], self.agents[int(games[0]["seat"])]
        env, tables = self.with_mask, self.with_mask.tables
        sit(env, games)
        self.parallel.agents = list(self.agents)
        seen = {f"ansi for {eye}": self._render("ansi", eye) for eye in (seat, None)}
        seen |= {"repr": repr(env), "str": str(env), "parallel": str(self.parallel)}
        for k, given in enumerate(self.parallel._seen()):
            seen |= flat(f"parallel[{k}]", given[agent])
        self.game.games.view(np.uint8)[:] = games.view(np.uint8)
        seen |= {"game": repr(self.game), "legal": "", "view of the game": self.game.view(seat).tobytes()}
        if games[0]["phase"] not in (PLAYING, CHOOSING):
            return seen
        if agent != mover:
            seen["error of the idle"] = refused(lambda: self.parallel.step({mover: 0, agent: 0}))
            return seen
        wait = tables.act.wait
        put(self.single.tables, games)
        put(self.vectors[0].tables, games)
        seen["error of aec"] = refused(lambda: env.step(wait))
        seen["error of single"] = refused(lambda: self.single.step(wait))
        seen["error of vector"] = refused(lambda: self.vectors[0].step(np.array([wait])))
        for action in range(0, wait - 3, 7):
            seen[f"error of {action}"] = refused(lambda: self.game.verify(tables.text(0, action)))  # noqa: B023
        seen["legal"] = " ".join(view_of(games, 0, seat, tables.actions[0, : tables.counts[0]]).texts)
        return seen

    def pictures(self, games: Games, seat: int) -> Seen:
        """Pictures, with the hand of the seat and without a hand."""
        sit(self.with_mask, games)
        return {f"{mode} for {eye}": self._render(mode, eye) for mode in ("rgb_array", "svg") for eye in (seat, None)}

    def _render(self, mode: str, seat: int | None) -> Any:
        self.with_mask.render_mode = mode
        self.with_mask._renderer = Renderer(self.rules, mode, seat)
        shown = self.with_mask.render()
        return shown.tobytes() if isinstance(shown, np.ndarray) else shown


class Worlds:
    """Other deals that a seat cannot tell apart: mostly dealt freely, some as the public history allows (R27)."""

    def __init__(self, seed: int) -> None:
        self._rng = np.array([seed, 1], np.uint64)
        self._codes = np.zeros(MAX_DECK, np.uint8)
        self._work = np.zeros(1, WORK)
        self._drawn = 0

    def draw(self, games: Games, seat: int) -> Games:
        """Another one."""
        out = np.zeros(1, GAME)
        self._drawn += 1
        if self._drawn % 4 == 0:
            determinize(games, 0, seat, out, 0, self._work, self._rng)
        else:
            assert redeal(games, 0, seat, out, 0, self._rng, self._codes) == 0
        return out


@dataclass
class Found:
    """What `watch` has compared, and where two worlds did not look the same."""

    counts: Counter[str] = field(default_factory=Counter)
    leaks: Counter[str] = field(default_factory=Counter)
    """By door."""

    def compare(self, kind: str, true: Seen, other: Seen) -> None:
        """Count one comparison of this kind."""
        self.counts[kind] += 1
        for door in true.keys() | other.keys():
            if true.get(door) != other.get(door):
                self.leaks[door] += 1


def watch(
    rules: Rules,
    seed: int,
    triples: int,
    worlds: int = 4,
    texts: int = 1,
    pictures: int = 0,
    onlooker: Onlooker | None = None,
) -> Found:
    """Compare what seats see in random positions and in `worlds` other worlds of each: `triples` cases, or a few more.

    Every `texts`-th case is compared in text too, and every `pictures`-th (0 = none) in pictures.
    """
    eyes = onlooker or Onlooker(rules)
    chance, source, found = np.random.default_rng(seed), Worlds(seed + 1), Found()
    for games in positions(rules, seed, triples):
        found.counts["states"] += 1
        for seat in some_seats(rules, games, chance):
            true: dict[str, Seen] = {}
            for _ in range(worlds):
                world = source.draw(games, seat)
                found.counts["changed"] += moved(games, world)
                looks = {"triples": eyes.data}
                if texts and found.counts["triples"] % texts == 0:
                    looks["texts"] = eyes.texts
                if pictures and found.counts["triples"] % pictures == 0:
                    looks["pictures"] = eyes.pictures
                for kind, look in looks.items():
                    if kind not in true:
                        true[kind] = look(games, seat)
                    found.compare(kind, true[kind], look(world, seat))
            of_view = {door: true["triples"].get(f"{door} of the view") for door in ("uint8", "candidates")}
            found.compare("views", of_view, {door: true["triples"].get(door) for door in of_view})
        if found.counts["triples"] >= triples:
            break
    return found


def some_seats(rules: Rules, games: Games, chance: np.random.Generator) -> Iterable[int]:
    """The seat to move and up to two others."""
    mover = int(games[0]["seat"])
    others = [seat for seat in range(rules.num_players) if seat != mover]
    return [mover, *chance.choice(others, min(2, len(others)), replace=False).tolist()]


def moved(games: Games, world: Games) -> bool:
    """Whether hidden tiles lie elsewhere in the other world."""
    fields = ("tile_place", "special_hand")
    return any(games[0][name].tobytes() != world[0][name].tobytes() for name in fields)
