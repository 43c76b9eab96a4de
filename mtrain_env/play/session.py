"""One game under way: its seats, what happened so far, and the bots that move in it.

All changes happen in the event loop; only a bot's thinking runs in a thread, on a view that was copied for it. A
`Connection` is one page at the game: the seats whose tokens it showed, and the seat whose tiles it shows now.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from datetime import datetime
from typing import Any

import numpy as np

from mtrain_env.bot import Bot, close_bot, incidents_of, tell_result, view_of
from mtrain_env.encoding.record import Line
from mtrain_env.engine.lines import WORK_SHAPE, longest_line
from mtrain_env.engine.state import ANY
from mtrain_env.errors import IllegalAction
from mtrain_env.game import Game
from mtrain_env.play import log
from mtrain_env.play.frames import private, revealed, status, table
from mtrain_env.play.limits import Limits
from mtrain_env.play.setups import SPEEDS, Setup, title_of
from mtrain_env.play.words import joined
from mtrain_env.tiles import MAX_TILES, TILE_PIPS, tile_text

LOG_SENT = 40
"""Entries of the log that a frame carries."""

_HINT_NODES = 300_000
"""Nodes after which the search for the longest line is content with what it found: at most about 0.1 s."""


class Connection:
    """One page at a game."""

    def __init__(self, seats: frozenset[int]) -> None:
        self.seats = seats
        self.shown: int | None = min(seats) if len(seats) == 1 else None
        self.changed = asyncio.Event()
        self.changed.set()


class Session:
    """A game with its people and bots. `now` tells the time of the day; tests give another one."""

    def __init__(
        self,
        setup: Setup,
        bots: Mapping[int, Bot],
        limits: Limits,
        thinkers: Executor | None = None,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self.setup, self.names, self.bots, self.limits, self.now = setup, list(setup.names), dict(bots), limits, now
        self.id = secrets.token_urlsafe(9)
        self.tokens = {seat: secrets.token_urlsafe(24) for seat in setup.people}
        self.game = Game(setup.rules, setup.seed, [setup.bots.get(seat, "human") for seat in range(len(self.names))])
        self.seq = 0
        self.speed = setup.speed
        self.told: list[log.Entry] = []
        self.scores: list[dict[str, Any]] = []
        self.connections: set[Connection] = set()
        self.incidents: list[tuple[int, Line]] = []
        """Bots overruled: before which line of the record, and the line."""
        self.touched = time.monotonic()
        self._thinkers = thinkers
        self._rng = np.random.default_rng([setup.seed, 1])
        self._failed: set[int] = set()
        self._late: dict[int, asyncio.Future[Any]] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._tell(log.of_deal(self.game.state, self.names))

    # -- connections

    def seats_of(self, tokens: object) -> frozenset[int]:
        """Return the seats whose tokens these are; empty if a single one is wrong."""
        if not isinstance(tokens, dict) or not tokens or len(tokens) > len(self.names):
            return frozenset()
        seats = set()
        for seat, token in tokens.items():
            known = self.tokens.get(int(seat)) if str(seat).isascii() and str(seat).isdigit() else None
            if known is None or not isinstance(token, str) or not hmac.compare_digest(token.encode(), known.encode()):
                return frozenset()
            seats.add(int(seat))
        return frozenset(seats)

    def connect(self, connection: Connection) -> None:
        """Let a page in, and begin to play when it is the first."""
        self.connections.add(connection)
        self.touched = time.monotonic()
        self._cover(connection)
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        self._wake.set()

    def disconnect(self, connection: Connection) -> None:
        """Let a page go."""
        self.connections.discard(connection)
        self.touched = time.monotonic()

    def close(self) -> None:
        """End the session: the bots stop, the pages are told by their sockets."""
        if self._task is not None:
            self._task.cancel()
        for bot in self.bots.values():
            self._aside(close_bot, bot)

    # -- what a page may ask for

    def do(self, connection: Connection, seq: object, action: object) -> None:
        """Carry out a person's action; IllegalAction with a sentence if it is stale, another's or not legal."""
        seat = self.game.seat
        if seq != self.seq:
            raise IllegalAction("That was about an earlier position; this is the table now.")
        if seat is None or seat != connection.shown:
            raise IllegalAction("It is not your turn.")
        if type(action) is not int or action not in self.game.legal_ids():
            raise IllegalAction("That is not possible now.")
        self._act(action)

    def show(self, connection: Connection, seat: object) -> None:
        """Lift the cover for the person whose turn it is."""
        if seat not in connection.seats or seat != self.game.seat:
            raise IllegalAction("It is not the turn of that seat.")
        connection.shown = self.game.seat
        connection.changed.set()

    def next_round(self) -> None:
        """Deal the next round, or end the game where its time is up."""
        if not self.game.round_over or self.game.over:
            raise IllegalAction("The next round cannot be dealt now.")
        if self.setup.until is not None and self.now() >= self.setup.until:
            self.game.stop("time")
            self._tell([log.Entry(f"It is past {self.setup.until:%H:%M}: no new round.")])
        else:
            self.game.next_round()
            self._tell(log.of_deal(self.game.state, self.names))
        self._changed()

    def set_speed(self, speed: object) -> None:
        """Change how long the bots wait before they play."""
        if not isinstance(speed, str) or speed not in SPEEDS:
            raise IllegalAction(f"The speed is one of {', '.join(SPEEDS)}.")
        self.speed = speed
        self._wake.set()
        self._notify()

    async def hint(self, connection: Connection) -> dict[str, Any]:
        """Return the longest line of the hand that the page shows, from the own train's end."""
        seat = connection.shown
        if seat is None or self.game.round_over:
            raise IllegalAction("There is no hand to look at now.")
        s = self.game.view(seat)[0]
        seq = self.seq
        think = asyncio.get_running_loop().run_in_executor
        on_train = True
        tiles = await think(self._thinkers, _longest_line, s, seat, int(s["train_end"][seat]))
        if not tiles:
            on_train = False
            tiles = await think(self._thinkers, _longest_line, s, seat, ANY)
        pips = int(sum(int(TILE_PIPS[tile]) for tile in tiles))
        return {
            "type": "hint",
            "seq": seq,
            "tiles": [tile_text(tile) for tile in tiles],
            "pips": pips,
            "onTrain": on_train,
        }

    # -- frames

    def frame(self, connection: Connection) -> str:
        """Return what a page is shown now, as JSON."""
        seat = connection.shown
        s = self.game.view(seat if seat is not None else 0)[0]
        shown: dict[str, Any] = {"type": "view", "seq": self.seq, **table(s, self.names)}
        own: dict[str, Any] = {"seat": None, "hand": None, "drawn": None, "moves": []}
        if seat is not None and not self.game.round_over:
            own = private(self.game.layout, s, seat, self._legal_for(seat), self.names)
        shown |= own
        covered = self.game.seat if seat is None and self.game.seat in connection.seats else None
        shown |= {
            "cover": covered,
            "status": self._status(s, seat, own["moves"]),
            "log": self._log(seat),
            "scores": self.scores,
            "summary": revealed(self.game, self.names),
            "end": self._end(),
            "speed": self.speed,
            "mine": sorted(connection.seats),
        }
        return json.dumps(shown, separators=(",", ":"), ensure_ascii=False)

    def welcome(self, connection: Connection) -> str:
        """Return what stays the same during the game."""
        seats = [
            {"name": name, "bot": self.setup.bots.get(seat), "mine": seat in connection.seats}
            for seat, name in enumerate(self.names)
        ]
        until = f"{self.setup.until:%H:%M}" if self.setup.until else None
        return json.dumps(
            {"type": "welcome", "title": title_of(self.setup.rules), "seats": seats, "until": until},
            separators=(",", ":"),
            ensure_ascii=False,
        )

    def record(self, seat: int) -> list[Line]:
        """Return the record: all of it once the game is over, before that what the seat saw."""
        lines = self.game.record() if self.game.over else self.game.view_record(seat)
        for position, line in reversed(self.incidents):
            lines.insert(position, line)
        return lines

    def is_covered(self, seat: int) -> bool:
        """Whether a page of several people hides the tiles of `seat` now."""
        pages = [page for page in self.connections if seat in page.seats and len(page.seats) > 1]
        return not self.game.round_over and bool(pages) and all(page.shown != seat for page in pages)

    def _legal_for(self, seat: int) -> list[int]:
        return self.game.legal_ids() if self.game.seat == seat else []

    def _status(self, s: Any, seat: int | None, moves: list[dict[str, Any]]) -> str:  # noqa: ANN401 - a GAME record
        text = status(s, seat, moves, self.names)
        thinking = self.game.seat is not None and self.game.seat in self.bots
        return f"{self.names[self.game.seat or 0]} is thinking." if thinking else text

    def _log(self, seat: int | None) -> list[list[Any]]:
        first = max(0, len(self.told) - LOG_SENT)
        return [[first + k, entry.for_seat(seat)] for k, entry in enumerate(self.told[first:])]

    def _end(self) -> dict[str, Any] | None:
        if not self.game.over:
            return None
        winners = [self.names[seat] for seat in self.game.winners]
        verb = "share" if len(winners) > 1 else "win" if winners == ["You"] else "wins"
        what = "the win" if len(winners) > 1 else "the game"
        points = min(self.game.totals)
        return {"title": f"{joined(winners)} {verb} {what} with {points} points", "winners": self.game.winners}

    # -- playing

    def _act(self, action: int) -> None:
        before = self.game.games.copy()[0]
        self.game.act(action)
        self._tell(log.of_action(self.game.layout, before, action, self.game.state, self.names))
        if self.game.round_over:
            s = self.game.state
            pips = [int(x) for x in s["pips"][: len(self.names)]]
            winner = int(s["winner"])
            self.scores.append(
                {
                    "round": int(s["round"]),
                    "opening": int(s["opening"]),
                    "pips": pips,
                    "winner": winner if winner >= 0 else None,
                }
            )
            self._aside(self._report, pips, self.game.totals, self.game.over)
        self._changed()

    def _report(self, pips: list[int], totals: list[int], over: bool) -> None:
        """Tell the bots how a round ended."""
        tell_result([self.bots.get(seat) for seat in range(len(self.names))], pips, totals, over=over)

    def _tell(self, entries: list[log.Entry]) -> None:
        self.told += entries

    def _changed(self) -> None:
        self.seq += 1
        self.touched = time.monotonic()
        for connection in self.connections:
            self._cover(connection)
        self._notify()
        self._wake.set()

    def _cover(self, connection: Connection) -> None:
        """Hide the hand when the turn goes to another person of the same page, and when a round is over."""
        seat = self.game.seat
        if len(connection.seats) > 1 and seat != connection.shown and (seat is None or seat in connection.seats):
            connection.shown = None

    def _notify(self) -> None:
        for connection in self.connections:
            connection.changed.set()

    async def _run(self) -> None:
        """Let the bots play whenever it is their turn."""
        while True:
            seat = self.game.seat
            if seat is None or seat not in self.bots:
                self._wake.clear()
                await self._wake.wait()
                continue
            await asyncio.sleep(SPEEDS[self.speed])
            self._act(await self._choice(seat))

    async def _choice(self, seat: int) -> int:
        """Return the action that a bot chooses; the first legal one if it fails or takes too long."""
        legal = self.game.legal_ids()
        if len(legal) == 1:
            return legal[0]
        view = view_of(self.game.games, 0, seat, np.array(legal, np.int16))
        rng = np.random.default_rng(self._rng.integers(1 << 63, size=2))
        what = "late"
        busy = self._late.get(seat)
        if busy is None or busy.done():
            work = asyncio.get_running_loop().run_in_executor(self._thinkers, self.bots[seat].act, [view], rng)
            try:
                (index,) = await asyncio.wait_for(asyncio.shield(work), self.limits.move_seconds)
                for what in incidents_of(self.bots[seat]):
                    self._overruled(seat, what)
                return legal[range(len(legal))[int(index)]]
            except TimeoutError:
                self._late[seat] = work
                work.add_done_callback(lambda done: done.exception())  # or it complains that nobody looked
            except Exception:  # whatever a bot raises, the game goes on
                if seat not in self._failed:
                    logging.getLogger(__name__).exception("the bot of seat %d failed", seat)
                self._failed.add(seat)
                what = "failed"
        self._overruled(seat, what)
        return legal[0]

    def _overruled(self, seat: int, what: str) -> None:
        """Note that the coming move is not the bot's own."""
        said = "did not answer in time" if what == "late" else "failed"
        self._tell([log.Entry(f"{self.names[seat]} {said}: the first possible move is made.")])
        line: Line = {"event": "incident", "seat": seat, "what": what}
        self.incidents.append((1 + len(self.game.history), line))

    def _aside(self, work: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401 -- as the work takes them
        """Do something with a bot that may take a moment, outside of the event loop."""
        if self._thinkers is None:
            work(*arguments)
        else:
            self._thinkers.submit(work, *arguments)

    async def wait_closed(self) -> None:
        """Wait until the bots have stopped after `close`."""
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task


def _longest_line(s: Any, seat: int, start: int) -> list[int]:  # noqa: ANN401 - a GAME record
    """Return the tiles of the longest line of a seat from the number `start`, or from any."""
    path = np.zeros(MAX_TILES, np.uint8)
    length = longest_line(s["hand"][seat], start, _HINT_NODES, np.zeros(WORK_SHAPE, np.int64), path)
    return [int(tile) for tile in path[:length]]
