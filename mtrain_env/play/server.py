"""The server of the page: a few JSON routes, one socket a page, and the files of `static`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from mtrain_env.bot import close_bot
from mtrain_env.encoding.record import dumps, loads
from mtrain_env.errors import InvalidAction, MtrainError
from mtrain_env.play.gate import LOOPBACK, Gate
from mtrain_env.play.help import help_page
from mtrain_env.play.lobby import FullError, Lobby
from mtrain_env.play.pages import page
from mtrain_env.play.replay import Replay, advice
from mtrain_env.play.session import Connection, Session
from mtrain_env.play.setups import build, offer, read_form, rules_of

WRONG_TOKEN, NO_GAME, TOO_FAST, TOO_MANY = 4401, 4404, 4429, 4430
"""Codes with which a socket is closed."""

Handler = Callable[[Request], Awaitable[Response]]


def make_app(
    lobby: Lobby, hosts: Collection[str] = LOOPBACK, any_address: bool = False, access: str | None = None
) -> Starlette:
    """Return the ASGI application of a lobby."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await lobby.open()
        yield
        await lobby.close()

    app = Starlette(
        routes=[
            Route("/", _page_of("index.html")),
            Route("/replay", _page_of("replay.html")),
            Route("/favicon.ico", _icon),
            Route("/api/options", _options),
            Route("/api/help", _help, methods=["POST"]),
            Route("/api/games", _begin, methods=["POST"]),
            Route("/api/games/{game}/record", _record),
            Route("/api/replays", _new_replay, methods=["POST"]),
            Route("/api/replays/{replay}/{step:int}", _replay_step),
            WebSocketRoute("/api/games/{game}/socket", _socket),
            Mount("/static", StaticFiles(packages=[("mtrain_env.play", "static")])),
        ],
        middleware=[Middleware(Gate, hosts=hosts, any_address=any_address, access=access)],
        exception_handlers={MtrainError: _sentence, HTTPException: _http_error},
        lifespan=lifespan,
    )
    app.state.lobby = lobby
    return app


def _lobby(connection: Request | WebSocket) -> Lobby:
    lobby: Lobby = connection.app.state.lobby
    return lobby


async def _sentence(_: Request, error: Exception) -> Response:
    """Answer an error of ours with its sentence."""
    return JSONResponse({"error": str(error)}, 503 if isinstance(error, FullError) else 400)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


def _page_of(name: str) -> Handler:
    async def answer(_: Request) -> Response:
        return Response(page(name), media_type="text/html")

    return answer


async def _icon(_: Request) -> Response:
    return Response(page("icon.svg"), media_type="image/svg+xml")


async def _json(request: Request, limit: int) -> Any:  # noqa: ANN401 - parsed JSON
    """Return the posted JSON; 415 if it is called anything else, 413 if it is too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "Post application/json.")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > limit:
            raise HTTPException(413, f"At most {limit} bytes.")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "That is no JSON.") from None


async def _options(request: Request) -> Response:
    lobby = _lobby(request)
    return JSONResponse(offer(lobby.opponents, lobby.defaults))


async def _help(request: Request) -> Response:
    lobby = _lobby(request)
    form = read_form(await _json(request, lobby.limits.body))
    return JSONResponse(help_page(rules_of(form, lobby.defaults), lobby.opponents))


async def _begin(request: Request) -> Response:
    lobby = _lobby(request)
    form = read_form(await _json(request, lobby.limits.body))
    session = await lobby.begin(build(form, lobby.opponents, lobby.defaults, lobby.now()))
    return JSONResponse({"game": session.id, "tokens": session.tokens}, 201)


async def _record(request: Request) -> Response:
    """Answer the record of a game to somebody with the token of one of its seats."""
    session = _lobby(request).games.get(request.path_params["game"])
    if session is None:
        raise HTTPException(404, "There is no such game.")
    word, _, token = request.headers.get("authorization", "").partition(" ")
    seats = [seat for seat in session.tokens if word == "Bearer" and session.seats_of({str(seat): token})]
    if not seats:
        raise HTTPException(403, "That is no token of this game.")
    if session.is_covered(seats[0]):
        raise HTTPException(403, "Other people look at this device: show the tiles of that seat first.")
    return PlainTextResponse(dumps(session.record(seats[0])), media_type="application/x-ndjson")


async def _new_replay(request: Request) -> Response:
    lobby = _lobby(request)
    data = await _json(request, lobby.limits.record)
    text, which = (data.get("record"), data.get("game", 0)) if isinstance(data, dict) else (None, 0)
    if not isinstance(text, str) or type(which) is not int:
        raise HTTPException(400, "Post the text of a record, and the number of the game in it.")
    replay = await asyncio.get_running_loop().run_in_executor(lobby.thinkers, lambda: Replay(loads(text), which))
    lobby.keep(replay)
    return JSONResponse({**replay.summary(), "opponents": lobby.opponents.as_json()}, 201)


async def _replay_step(request: Request) -> Response:
    """Answer a position of a replay, and what an opponent would play there."""
    lobby = _lobby(request)
    replay = lobby.replays.get(request.path_params["replay"])
    if replay is None:
        raise HTTPException(404, "There is no such replay; open the record again.")
    lobby.replays.move_to_end(replay.id)
    step = request.path_params["step"]
    if step >= replay.steps:
        raise HTTPException(404, "The record is shorter.")
    name = request.query_params.get("bot", "")
    if name and name not in lobby.opponents.by_id:
        raise HTTPException(400, "That is none of the opponents here.")

    def answer() -> dict[str, Any]:
        shown = replay.position(step)
        shown["advice"] = None
        if name:
            bot = lobby.opponents.make(name)
            try:
                shown["advice"] = advice(replay, step, bot)
            finally:
                close_bot(bot)
        return shown

    return JSONResponse(await asyncio.get_running_loop().run_in_executor(lobby.thinkers, answer))


async def _socket(socket: WebSocket) -> None:
    """Serve one page at a game: first its tokens, then frames out and messages in."""
    lobby = _lobby(socket)
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        session = lobby.games.get(socket.path_params["game"])
        if session is None:
            await socket.close(NO_GAME)
            return
        seats = await _hello(socket, session, lobby.limits.hello_seconds)
        if not seats:
            await socket.close(WRONG_TOKEN)
            return
        if len(session.connections) >= lobby.limits.connections:
            await socket.close(TOO_MANY)
            return
        await _serve(socket, lobby, session, Connection(seats))


async def _hello(socket: WebSocket, session: Session, seconds: float) -> frozenset[int]:
    """Return the seats that the first message shows the tokens of."""
    try:
        message = _message(await asyncio.wait_for(socket.receive_text(), seconds))
    except (TimeoutError, KeyError):  # KeyError: a binary frame
        return frozenset()
    return session.seats_of(message.get("tokens")) if message.get("type") == "hello" else frozenset()


def _message(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


async def _serve(socket: WebSocket, lobby: Lobby, session: Session, connection: Connection) -> None:
    session.connect(connection)
    writer = asyncio.create_task(_write(socket, lobby, session, connection))
    try:
        await _read(socket, lobby, session, connection)
    finally:
        session.disconnect(connection)
        writer.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
            await writer


async def _write(socket: WebSocket, lobby: Lobby, session: Session, connection: Connection) -> None:
    """Send a frame whenever something changed; fast changes come together in one."""
    await socket.send_text(session.welcome(connection))
    while True:
        await connection.changed.wait()
        connection.changed.clear()
        if session.id not in lobby.games:
            await socket.close(NO_GAME)
            return
        await socket.send_text(session.frame(connection))


async def _read(socket: WebSocket, lobby: Lobby, session: Session, connection: Connection) -> None:
    """Do what the page asks for; what cannot be done is answered by a sentence and the table as it is."""
    rate = lobby.limits.messages_per_second
    credit, last = 2 * rate, time.monotonic()
    while True:
        try:
            message = _message(await socket.receive_text())
        except KeyError:  # a binary frame
            message = {}
        now = time.monotonic()
        credit, last = min(2 * rate, credit + (now - last) * rate) - 1, now
        if credit < 0:
            await socket.close(TOO_FAST)
            return
        session.touched = now
        try:
            answer = await _answer(lobby, session, connection, message)
        except MtrainError as error:
            answer = {"type": "refused", "why": str(error)}
            connection.changed.set()
        if answer is not None:
            await socket.send_text(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))


async def _answer(
    lobby: Lobby, session: Session, connection: Connection, message: dict[str, Any]
) -> dict[str, Any] | None:
    match message.get("type"):
        case "do":
            session.do(connection, message.get("seq"), message.get("move"))
        case "show":
            session.show(connection, message.get("seat"))
        case "next":
            session.next_round()
        case "speed":
            session.set_speed(message.get("speed"))
        case "hint":
            return await session.hint(connection)
        case "leave":
            lobby.end(session)
        case _:
            raise InvalidAction("That message cannot be read.")
    return None
