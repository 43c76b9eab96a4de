"""A page server in a thread, and plain clients for it."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from mtrain_env.play.gate import LOOPBACK
from mtrain_env.play.limits import Limits
from mtrain_env.play.lobby import Lobby
from mtrain_env.play.opponents import Opponents
from mtrain_env.play.server import make_app
from mtrain_env.play.setups import Defaults

Json = dict[str, Any]


class Served:
    """A running server."""

    def __init__(self, lobby: Lobby, port: int) -> None:
        self.lobby, self.port = lobby, port
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}"

    def call(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return status and parsed answer of a request; `body` is sent as JSON unless it is bytes."""
        status, _, data = self.raw(method, path, body, headers)
        try:
            return status, json.loads(data)
        except ValueError:
            return status, data.decode()

    def raw(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers (names in lower case) and bytes of a request."""
        sent = dict(headers or {})
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            client.request(method, path, data, sent)
            answer = client.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            client.close()

    def begin(self, **form: Any) -> Json:
        """Begin a game: by default a person against three easy bots at once."""
        bots = [{"bot": "easy"}] * 3
        whole = {"rules": "core", "seats": [{"person": "Ann"}, *bots], "speed": "at once", "seed": 5, **form}
        status, answer = self.call("POST", "/api/games", whole)
        assert status == 201, answer
        return dict(answer)

    def socket(self, game: str, **options: Any) -> ClientConnection:
        """Open a socket to a game, with the page's own Origin unless another is given."""
        options.setdefault("origin", self.url)
        connection: ClientConnection = connect(f"ws://{self.host}/api/games/{game}/socket", open_timeout=60, **options)
        return connection

    @contextlib.contextmanager
    def page(self, game: Json) -> Iterator["Page"]:
        """A page at a game: a socket that said hello with all tokens."""
        with self.socket(game["game"]) as connection:
            connection.send(json.dumps({"type": "hello", "tokens": game["tokens"]}))
            yield Page(connection)


class Page:
    """A socket after its hello."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.frames: list[str] = []
        self.welcome = self.read()
        self.view = self.until(lambda _: True)

    def read(self) -> Json:
        """Return the next message."""
        text = self.connection.recv(timeout=60)
        assert isinstance(text, str)
        message = dict(json.loads(text))
        if message["type"] == "view":
            self.frames.append(text)
            self.view = message
        return message

    def until(self, wanted: Any) -> Json:
        """Read until a view is as wanted, and return it."""
        while True:
            message = self.read()
            if message["type"] == "view" and wanted(message):
                return message

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.connection.send(json.dumps(message))

    def do(self, move: Json) -> None:
        """Make a move of the present view."""
        self.send(type="do", seq=self.view["seq"], move=move["id"])

    def my_turn(self) -> Json:
        """Return the next view with moves, a cover or a summary; the present one, if it is such."""

        def ready(view: Json) -> bool:
            return bool(view["moves"] or view["summary"] or view["cover"] is not None)

        return self.view if ready(self.view) else self.until(ready)

    def finish_round(self) -> Json:
        """Play always the first move until the round is over, and return that view."""
        while True:
            view = self.my_turn()
            if view["summary"]:
                return view
            seq = view["seq"]
            if view["cover"] is not None:
                self.send(type="show", seat=view["cover"])
                self.until(lambda v: v["cover"] is None)
                continue
            self.do(view["moves"][0])
            self.until(lambda v, seq=seq: v["seq"] > seq)


@contextlib.contextmanager
def serve(
    limits: Limits | None = None,
    opponents: Opponents | None = None,
    defaults: Defaults | None = None,
    now: Any = datetime.now,
    **gate: Any,
) -> Iterator[Served]:
    """Serve the page in a thread at a free port of the loopback."""
    limits = limits or Limits()
    lobby = Lobby(opponents or Opponents(), defaults or Defaults(), limits, now)
    listener = socket.create_server(("127.0.0.1", 0))
    app = make_app(lobby, gate.pop("hosts", LOOPBACK), **gate)
    config = uvicorn.Config(
        app, log_level="error", ws_max_size=limits.frame, server_header=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    while not lobby.is_ready:  # a machine without compiled kernels needs a minute
        assert time.monotonic() < deadline + 300, "the engine did not compile"
        time.sleep(0.02)
    try:
        yield Served(lobby, listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
