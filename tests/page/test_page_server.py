"""The server without a browser: whom it lets in, what it refuses, and what it bears."""

import http.client
import json
import queue
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mtrain_env.cli import main
from mtrain_env.play.limits import Limits
from mtrain_env.play.server import NO_GAME, TOO_FAST, WRONG_TOKEN
from tests.page.serving import Served, serve


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve() as running:
        yield running


def refused_status(served: Served, **options: Any) -> int:
    """Return the status with which the socket of a game is refused; 101 if it is not."""
    game = served.begin()
    try:
        with served.socket(game["game"], **options):
            return 101
    except InvalidStatus as error:
        return error.response.status_code


def closed_with(connection: Any) -> int | None:
    """Read until the socket is closed; return the code."""
    try:
        while True:
            connection.recv(timeout=60)
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd else None


# -- who is let in


def test_a_socket_needs_the_own_origin(served: Served) -> None:
    assert refused_status(served) == 101
    for origin in ("http://evil.example", f"http://evil.example:{served.port}", "http://127.0.0.1:1", "null", None):
        assert refused_status(served, origin=origin) == 403, origin


def test_another_host_is_refused(served: Served) -> None:
    for host in ("evil.example", f"evil.example:{served.port}", "192.168.0.7", ""):
        assert served.raw("GET", "/", headers={"Host": host})[0] == 400
    assert served.raw("GET", "/", headers={"Host": f"localhost:{served.port}"})[0] == 200
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    path = f"/api/games/{served.begin()['game']}/socket"
    rebound = {**upgrade, "Host": "evil.example", "Origin": "http://evil.example"}
    assert served.raw("GET", path, headers=rebound)[0] == 403


def test_posts_are_json_from_the_own_page_and_small(served: Served) -> None:
    path = "/api/games"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert served.raw("POST", path, b"{}", {"Content-Type": kind})[0] == 415
    assert served.raw("POST", path, b"{}", {"Origin": "http://evil.example"})[0] == 403
    assert served.raw("POST", path, b" " * 2049)[0] == 413
    assert served.raw("POST", path, b"{")[0] == 400
    assert served.raw("OPTIONS", path, None, {"Origin": "http://evil.example"})[0] == 403
    assert served.raw("GET", path)[0] == 405


def test_every_answer_carries_the_headers(served: Served) -> None:
    for path in ("/", "/replay", "/static/app.js", "/api/options", "/nothing", "/api/games/x/record"):
        _, headers, _ = served.raw("GET", path)
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_static_files_stay_in_their_folder(served: Served) -> None:
    for path in ("../server.py", "%2e%2e/server.py", "..%2fserver.py", "%2e%2e%2fserver.py", "//etc/passwd", "."):
        assert served.raw("GET", f"/static/{path}")[0] in (404, 405), path


def test_the_pages_ask_nothing_of_other_machines(served: Served) -> None:
    for path in ("/", "/replay"):
        text = served.raw("GET", path)[2].decode()
        assert "//" not in text.replace("<!doctype", "")
        assert "style=" not in text
    for name in ("app", "hand", "table", "tiles", "setup", "panels", "dom", "replay"):
        text = served.raw("GET", f"/static/{name}.js")[2].decode()
        assert "innerHTML" not in text
        assert "http:" not in text.replace("http://www.w3.org/2000/svg", "")


def test_everything_that_the_pages_name_is_served(served: Served) -> None:
    wanted = {"/", "/replay", "/favicon.ico"}
    asked: set[str] = set()
    while wanted - asked:
        path = (wanted - asked).pop()
        asked.add(path)
        status, _, data = served.raw("GET", path)
        assert status == 200, path
        text = data.decode()
        wanted |= set(re.findall(r'(?:href|src)="(/[^"#]*)"', text))
        wanted |= {f"/static/{name}" for name in re.findall(r'from "\./([a-z]+\.js)"', text)}
    assert len(asked) > 12


def test_the_command_serves_the_page_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "mtrain_env", "play", "--no-browser", "--port", "0"]
    options = ["--opponents", "hard,easy", "--rules", "core", "--rounds", "4", "--until", "22:00"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            port = int(running.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            client.request("GET", "/api/options")
            start = json.load(client.getresponse())["start"]
            client.close()
            running.send_signal(signal.SIGINT)
            running.wait(200)  # where the engine is not compiled yet, that is finished first
        finally:
            running.kill()
    assert start == {"rules": "core", "players": 3, "rounds": 4, "until": "22:00", "opponents": ["hard", "easy"]}


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_command_opens_the_page(
    host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("webbrowser.open", opened.put)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    assert main(["play", "--port", "0", "--host", host]) == 0
    url = opened.get(timeout=60)
    said = capsys.readouterr()
    assert url in said.out
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/" + ("" if host == "127.0.0.1" else r"\?token=[\w-]{20,}"), url)
    assert ("without encryption" in said.err) == (host != "127.0.0.1")


@pytest.mark.parametrize(
    "wrong", ["--opponents=harrd", "--opponents=hard,oracle", "--rules=cores", "--until=25:00", "--players=5"]
)
def test_the_command_refuses_what_cannot_be_played(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--no-browser", wrong]) == 2
    assert capsys.readouterr().err.startswith("mtrain: ")


def test_away_from_the_loopback_a_token_is_asked_for() -> None:
    with serve(access="secret", any_address=True, hosts={"127.0.0.1", "localhost"}) as away:
        assert away.raw("GET", "/")[0] == 401
        assert away.raw("GET", "/?token=wrong")[0] == 401
        assert away.raw("GET", "/", headers={"Host": "10.1.2.3:8400"})[0] == 401  # a literal address is no name
        assert away.raw("GET", "/?token=secret", headers={"Host": "evil.example"})[0] == 400
        status, headers, _ = away.raw("GET", "/?token=secret")
        assert status == 200
        assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
        cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}
        assert away.raw("GET", "/api/options", headers=cookie)[0] == 200
        assert away.raw("GET", "/api/options", headers={"Cookie": "mtrain_access=wrong"})[0] == 401
        with pytest.raises(InvalidStatus):
            away.socket("any")


# -- tokens, frames and limits


def test_a_wrong_token_closes_the_socket(served: Served) -> None:
    game = served.begin()
    right = game["tokens"]["0"]
    hellos: list[Any] = [
        {"type": "hello", "tokens": {"0": "wrong"}},
        {"type": "hello", "tokens": {"1": right}},
        {"type": "hello", "tokens": {"0": right, "1": right}},
        {"type": "hello", "tokens": {}},
        {"type": "hello", "tokens": right},
        {"type": "do", "tokens": {"0": right}},
        [right],
    ]
    for hello in [json.dumps(one) for one in hellos] + ["{", right.encode()]:
        with served.socket(game["game"]) as connection:
            connection.send(hello)
            assert closed_with(connection) == WRONG_TOKEN, hello


def test_a_silent_socket_and_an_unknown_game_are_closed() -> None:
    with serve(Limits(hello_seconds=0.2)) as quick:
        with quick.socket(quick.begin()["game"]) as connection:
            assert closed_with(connection) == WRONG_TOKEN
        with quick.socket("nothing") as connection:
            assert closed_with(connection) == NO_GAME


def test_too_large_a_frame_closes_the_socket(served: Served) -> None:
    with served.page(served.begin()) as page:
        page.connection.send("x" * 5000)
        assert closed_with(page.connection) == 1009


def test_too_many_messages_close_the_socket(served: Served) -> None:
    with served.page(served.begin()) as page:
        for _ in range(200):
            page.send(type="nonsense")
        assert closed_with(page.connection) == TOO_FAST


def test_the_game_after_the_last_is_refused() -> None:
    with serve() as full:
        for _ in range(64):
            full.begin(seats=[{"person": ""}, {"bot": "easy"}])
        form = {"rules": "core", "seats": [{"person": ""}, {"bot": "easy"}]}
        status, answer = full.call("POST", "/api/games", form)
        assert (status, answer) == (503, {"error": "There are 64 games already; end one first."})


def test_games_that_nobody_plays_are_dropped() -> None:
    with serve(Limits(abandoned_seconds=0.3)) as quick:
        game = quick.begin()
        wait_until_empty(quick)
        with quick.socket(game["game"]) as connection:
            assert closed_with(connection) == NO_GAME
    with serve(Limits(idle_seconds=0.3)) as quick, quick.page(quick.begin()) as page:
        assert closed_with(page.connection) == NO_GAME
        wait_until_empty(quick)


def wait_until_empty(served: Served) -> None:
    """Wait until there are no games any more."""
    deadline = time.monotonic() + 60
    while served.lobby.games:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_game_can_be_left(served: Served) -> None:
    game = served.begin()
    with served.page(game) as page:
        page.send(type="leave")
        assert closed_with(page.connection) == NO_GAME
    assert game["game"] not in served.lobby.games
