"""All games and replays of one server, within its limits."""

import asyncio
import contextlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from mtrain_env.bot import Bot, close_bot
from mtrain_env.bots.flat import FlatLearned
from mtrain_env.errors import MtrainError
from mtrain_env.play.limits import Limits
from mtrain_env.play.opponents import Opponents
from mtrain_env.play.replay import Replay
from mtrain_env.play.session import Session
from mtrain_env.play.setups import Defaults, Setup
from mtrain_env.play.warm import warm_bot, warm_up
from mtrain_env.rules import Rules


class FullError(MtrainError):
    """There is no room for another game."""


class Lobby:
    """The games by id. Bots think in `thinkers`, so that the event loop always answers."""

    def __init__(
        self,
        opponents: Opponents,
        defaults: Defaults,
        limits: Limits,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self.opponents, self.defaults, self.limits, self.now = opponents, defaults, limits, now
        self.games: dict[str, Session] = {}
        self.replays: OrderedDict[str, Replay] = OrderedDict()
        self.thinkers = ThreadPoolExecutor(max(2, os.cpu_count() or 2), "bot")
        self.ready: asyncio.Future[None]
        self._beginning = 0
        self._warm: set[str] = set()
        self._sweeper: asyncio.Task[None] | None = None

    async def begin(self, setup: Setup) -> Session:
        """Begin a game; FullError if there are too many."""
        self.sweep()
        if len(self.games) + self._beginning >= self.limits.games:
            raise FullError(f"There are {self.limits.games} games already; end one first.")
        self._beginning += 1
        try:
            await asyncio.shield(self.ready)
            session = await asyncio.get_running_loop().run_in_executor(self.thinkers, self._session, setup)
        finally:
            self._beginning -= 1
        self.games[session.id] = session
        return session

    def _session(self, setup: Setup) -> Session:
        bots = {seat: self.opponents.make(name) for seat, name in setup.bots.items()}
        for bot in bots.values():
            if isinstance(bot, FlatLearned):
                bot.check_rules(setup.rules)
        for seat, name in setup.bots.items():
            self._warm_up(name, bots[seat], setup.rules)
        return Session(setup, bots, self.limits, self.thinkers, self.now)

    def _warm_up(self, name: str, bot: Bot, rules: Rules) -> None:
        if name not in self._warm:
            with contextlib.suppress(Exception):  # a bot that fails is the game's business, which goes on without it
                warm_bot(bot, rules)
            self._warm.add(name)

    def _compile(self) -> None:
        warm_up()
        rules = self.defaults.rules or Rules.preset(self.defaults.rules_name)
        for name in self.defaults.opponents:
            bot = self.opponents.make(name)
            self._warm_up(name, bot, rules)
            close_bot(bot)

    def end(self, session: Session) -> None:
        """Drop a game."""
        self.games.pop(session.id, None)
        session.close()
        for connection in session.connections:
            connection.changed.set()

    def keep(self, replay: Replay) -> None:
        """Keep a replay, and drop the one not used for longest if there are too many."""
        self.replays[replay.id] = replay
        while len(self.replays) > self.limits.replays:
            self.replays.popitem(last=False)

    def sweep(self) -> None:
        """Drop the games that nobody plays any more."""
        now = time.monotonic()
        for session in list(self.games.values()):
            patience = self.limits.idle_seconds if session.connections else self.limits.abandoned_seconds
            if now - session.touched > patience:
                self.end(session)

    async def open(self) -> None:
        """Begin to sweep, and have the engine compiled where that was never done: games wait for it, pages do not."""
        self.ready = asyncio.get_running_loop().run_in_executor(self.thinkers, self._compile)
        self._sweeper = asyncio.create_task(self._sweep_for_ever())

    @property
    def is_ready(self) -> bool:
        """Whether games begin without delay."""
        return self.ready.done()

    async def close(self) -> None:
        """End all games."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeper
        for session in list(self.games.values()):
            self.end(session)
            await session.wait_closed()
        self.thinkers.shutdown(wait=False, cancel_futures=True)

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(min(30.0, self.limits.abandoned_seconds, self.limits.idle_seconds))
            self.sweep()
