"""Playing rounds for the learners: hard's own rounds for the warm start, and self-play against a mix of opponents.

A batch is a number of whole rounds, dealt by (seed, stream, update): what is collected depends on the weights, the
settings and the number of the update alone. So a run resumes exactly without saving any game. Seats are assigned
for a whole round: nobody is replaced in its middle.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mtrain_env.bots.hard import PLAN, SCRATCH_SHAPE
from mtrain_env.bots.scripted import HARD as HARD_LEVEL
from mtrain_env.bots.scripted import choose_each
from mtrain_env.encoding.candidates import CAND_WIDTH, new_scratch
from mtrain_env.envs.selfplay import SelfPlayRounds, round_words
from mtrain_env.rules import Rules
from training.batch import NO_LABEL, Batch
from training.config import Config
from training.critic import Umpire
from training.kernels import choose_greedy, choose_sampled, gae, lambda_targets, mix_moves, write_rows
from training.lookahead import Questions
from training.network import CandidateNetwork
from training.player import Player

DEALS, MOVES, SEATS, SHUFFLE, OPPONENTS, ASKED, LESSONS = range(7)
"""Streams of random numbers: entropy is (seed, stream, phase, update)."""
WARM, SELF_PLAY = range(2)
"""Phases of a run."""
CURRENT, PAST, HARD = range(3)
"""Who sits on a seat."""


def seat_plan(config: Config, players: NDArray[np.int64], update: int, has_past: bool) -> NDArray[np.int8]:
    """Return who sits where, (rounds, most seats): drawn by the shares, in each round one seat at least learns.

    Against a frozen bundle one seat learns, and the bundle, as the past self, has all others.
    """
    rng = np.random.default_rng((config.seed, SEATS, SELF_PLAY, update))
    draw = rng.random((len(players), int(players.max())))
    plan = np.full(draw.shape, CURRENT, np.int8)
    plan[draw < config.past_share + config.hard_share] = PAST if has_past else CURRENT
    plan[draw < config.hard_share] = HARD
    if config.against:
        plan[:] = PAST
    plan[np.arange(len(players)), rng.integers(0, players)] = CURRENT
    return plan


def outcomes(pips: NDArray[np.int32], players: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return own pips / 100 and the mean of the others', (rounds, seats, 2), from the pips (rounds, seats)."""
    own = pips[:, : int(players.max())].astype(np.float64)
    others = (own.sum(1, keepdims=True) - own) / (players[:, None] - 1)
    return (np.stack([own, others], 2) / 100).astype(np.float32)


@dataclass
class _Log:
    """What the current network's decisions were, one list entry a step."""

    rows: list[NDArray[np.float32]] = field(default_factory=list)
    columns: dict[str, list[NDArray[np.generic]]] = field(default_factory=dict)
    questions: Questions = field(default_factory=Questions)

    def add(self, rows: NDArray[np.float32], **columns: NDArray[np.generic]) -> None:
        self.rows.append(rows)
        for name, values in columns.items():
            self.columns.setdefault(name, []).append(values)

    def see(self, umpire: Umpire | None, games: NDArray[np.void], which: NDArray[np.int64]) -> None:
        """Keep the positions of the games for the critic, if there is an umpire to write them."""
        if umpire is not None:
            self.columns.setdefault("positions", []).append(umpire(games, which))

    @property
    def positions(self) -> NDArray[np.float32] | None:
        return self.column("positions").astype(np.float32, copy=False) if "positions" in self.columns else None

    def column(self, name: str) -> NDArray[np.generic]:
        return np.concatenate(self.columns[name])


class Collector:
    """Plays `rounds` rounds at once for one thread; see the module's text."""

    def __init__(self, config: Config, rules: Sequence[Rules], rounds: int) -> None:
        self.config = config
        self.env = SelfPlayRounds(rules, rounds)
        self._most_legal = self.env.actions.shape[1]
        self._bot_scratch = np.zeros(SCRATCH_SHAPE, PLAN)
        self._umpire = Umpire(rules, config.node_cap) if config.critic else None

    def self_play(self, network: CandidateNetwork, past: CandidateNetwork | None, update: int, explore: float) -> Batch:
        """Play the rounds of an update: `network` learns, `past` and hard are opponents."""
        began = time.perf_counter()
        config, env = self.config, self.env
        current = Player(network, self._most_legal, config.node_cap, bfloat16=config.bfloat16)
        older = None
        if past is not None:
            older = Player(past, self._most_legal, config.node_cap, bfloat16=config.bfloat16)
        plan = seat_plan(config, env.players, update, past is not None)
        moves = round_words(len(env.games), config.seed, MOVES, SELF_PLAY, update)
        bot_words = np.broadcast_to(moves[:, None, :], (len(moves), plan.shape[1], 2)).copy()
        waiting = env.deal(config.seed, DEALS, SELF_PLAY, update)
        chosen = np.zeros(len(env.games), np.int64)
        log = _Log()
        asked = np.random.default_rng((config.seed, ASKED, SELF_PLAY, update)) if config.teaches(update) else None
        while len(waiting):
            kinds = plan[waiting, env.seats[waiting]]
            mine = waiting[kinds == CURRENT]
            if len(mine):
                self._choose(current, mine, moves, explore, chosen, log, asked)
            if older is not None and len(theirs := waiting[kinds == PAST]):
                self._answer(older, theirs, moves, chosen)
            if len(theirs := waiting[kinds == HARD]):
                choose_each(
                    HARD_LEVEL, env.games, theirs, env.actions, env.counts, bot_words, chosen, self._bot_scratch
                )
            waiting = env.step(chosen)
        batch = self._batch(log, plan)
        if asked is not None:
            words = round_words(len(log.questions) * config.teach_deals, config.seed, LESSONS, SELF_PLAY, update)
            lessons = log.questions.answered(current, words.reshape(-1, config.teach_deals, 2), config.teach_turns)
            batch = replace(batch, lessons=lessons)
        return replace(batch, seconds=time.perf_counter() - began)

    def _choose(
        self,
        player: Player,
        mine: NDArray[np.int64],
        moves: NDArray[np.uint64],
        explore: float,
        chosen: NDArray[np.int64],
        log: _Log,
        asked: np.random.Generator | None,
    ) -> None:
        """Choose for the current network in the games `mine`, and keep what its learner needs.

        With `asked` a share of the decisions, drawn by it, is kept to be looked into.
        """
        env, counts = self.env, self.env.counts[mine].astype(np.int64)
        rows, score, value = player(env.games, mine, env.actions, env.counts)
        start = np.cumsum(counts) - counts
        seat = env.seats[mine].astype(np.int64)
        if self.config.learner == "ppo":
            log_prob, state = np.empty(len(mine), np.float32), np.empty(len(mine), np.float32)
            choose_sampled(score, value, mine, env.counts, moves, chosen, log_prob, state)
            move = chosen[mine]
            log.add(rows, game=mine, seat=seat, count=counts, played=move, log_prob=log_prob, state=state)
            log.see(self._umpire, env.games, mine)
            return
        best = np.empty(len(mine), np.int64)
        choose_greedy(score, mine, env.counts, moves, explore, chosen, best)
        if asked is not None:
            for k in np.flatnonzero(asked.random(len(mine)) < self.config.teach_share):
                g, its = mine[k], slice(start[k], start[k] + counts[k])
                log.questions.ask(
                    env.games[g : g + 1],
                    env.actions[g, : counts[k]],
                    score[its],
                    rows[its],
                    self.config.teach_moves,
                    self.config.teach_margin,
                )
        move = chosen[mine]
        forecast, favourite = value[start + move], value[start + best]
        log.add(rows[start + move], game=mine, seat=seat, random=move != best, forecast=forecast, favourite=favourite)

    def _answer(
        self, player: Player, theirs: NDArray[np.int64], moves: NDArray[np.uint64], chosen: NDArray[np.int64]
    ) -> None:
        """Choose for a past self, as it would play in earnest."""
        env = self.env
        _, score, value = player(env.games, theirs, env.actions, env.counts)
        unused = np.empty(len(theirs), np.float32)
        if self.config.learner == "ppo":
            choose_sampled(score, value, theirs, env.counts, moves, chosen, unused, unused.copy())
        else:
            choose_greedy(score, theirs, env.counts, moves, 0.0, chosen, np.empty(len(theirs), np.int64))

    def _batch(self, log: _Log, plan: NDArray[np.int8]) -> Batch:
        """Work out the targets, now that all rounds are over."""
        players = self.env.players
        outcome = outcomes(self.env.pips, players)
        game = log.column("game").astype(np.int64)
        seat = log.column("seat").astype(np.int64)
        seated = np.arange(plan.shape[1])[None, :] < players[:, None]
        pips = [100 * float(outcome[seated & (plan == CURRENT)][:, k].mean()) for k in range(2)]
        zeros = np.zeros(len(game), np.float32)
        ones = np.ones(len(game), np.int64)
        state = None
        if self.config.learner == "ppo":
            count = log.column("count").astype(np.int64)
            relative = np.ascontiguousarray(outcome[:, :, 1] - outcome[:, :, 0])
            advantage = zeros.copy()
            state = log.column("state").astype(np.float32)
            gae(game, seat, state, relative, self.config.gae_lambda, advantage, np.empty_like(outcome))
            played = log.column("played").astype(np.int64)
            log_prob = log.column("log_prob").astype(np.float32)
            target, explored = outcome[game, seat], 0.0
        else:
            count, played, advantage, log_prob = ones, np.zeros_like(ones), zeros, zeros
            strayed = log.column("random").astype(bool)
            target, explored = np.empty((len(game), 2), np.float32), float(strayed.mean())
            forecast = log.column("forecast").astype(np.float32)
            favourite = log.column("favourite").astype(np.float32)
            lambda_targets(game, seat, forecast, favourite, strayed, outcome.copy(), self.config.td_lambda, target)
        return Batch(
            rows=np.concatenate(log.rows),
            start=np.cumsum(count) - count,
            count=count,
            played=played,
            label=np.full(len(game), NO_LABEL, np.int64),
            target=target,
            log_prob=log_prob,
            advantage=advantage,
            game=game,
            seat=seat,
            outcome=outcome,
            rounds=len(players),
            pips=np.array(pips, np.float32),
            explored=explored,
            state=state,
            positions=log.positions,
        )


class Teacher:
    """Plays whole rounds of hard with some random moves, for the warm start; one per thread.

    Of the decisions that are to be cloned the batch has a row for each legal action, of all others one for the move
    played. A random move is never imitated: the label is what hard would have played.
    """

    def __init__(self, config: Config, rules: Sequence[Rules], rounds: int, columns: NDArray[np.int64]) -> None:
        self.config, self._columns = config, columns.astype(np.uint32)
        self.env = SelfPlayRounds(rules, rounds)
        self._wide = np.zeros((self.env.actions.shape[1], CAND_WIDTH), np.float32)
        self._scratch, self._bot_scratch = new_scratch(), np.zeros(SCRATCH_SHAPE, PLAN)
        self._umpire = Umpire(rules, config.node_cap) if config.critic else None

    def play(self, update: int) -> Batch:
        """Play the rounds of an update."""
        began = time.perf_counter()
        config, env = self.config, self.env
        moves = round_words(len(env.games), config.seed, MOVES, WARM, update)
        bot_words = np.repeat(moves[:, None, :], int(env.players.max()), axis=1)
        favourite, chosen = np.zeros(len(env.games), np.int64), np.zeros(len(env.games), np.int64)
        waiting = env.deal(config.seed, DEALS, WARM, update)
        log = _Log()
        while len(waiting):
            choose_each(
                HARD_LEVEL, env.games, waiting, env.actions, env.counts, bot_words, favourite, self._bot_scratch
            )
            only = np.empty(len(waiting), np.int64)
            mix_moves(waiting, env.counts, favourite, moves, config.warm_random, config.clone_share, chosen, only)
            count = np.where(only < 0, env.counts[waiting], 1).astype(np.int64)
            rows = np.empty((int(count.sum()), len(self._columns)), np.float32)
            write_rows(
                env.games,
                waiting,
                env.actions,
                env.counts,
                only,
                self._columns,
                config.node_cap,
                self._scratch,
                self._wide,
                rows,
            )
            log.add(
                rows,
                game=waiting,
                seat=env.seats[waiting].astype(np.int64),
                count=count,
                played=np.where(only < 0, chosen[waiting], 0),
                label=np.where(only < 0, favourite[waiting], NO_LABEL),
            )
            log.see(self._umpire, env.games, waiting)
            waiting = env.step(chosen)
        outcome = outcomes(env.pips, env.players)
        seated = np.arange(outcome.shape[1])[None, :] < env.players[:, None]
        count = log.column("count").astype(np.int64)
        zeros = np.zeros(len(count), np.float32)
        game, seat = log.column("game").astype(np.int64), log.column("seat").astype(np.int64)
        return Batch(
            rows=np.concatenate(log.rows),
            start=np.cumsum(count) - count,
            count=count,
            played=log.column("played").astype(np.int64),
            label=log.column("label").astype(np.int64),
            target=outcome[game, seat],
            log_prob=zeros,
            advantage=zeros,
            game=game,
            seat=seat,
            outcome=outcome,
            rounds=len(env.games),
            pips=100 * outcome[seated].mean(0),
            explored=config.warm_random,
            seconds=time.perf_counter() - began,
            positions=log.positions,
        )
