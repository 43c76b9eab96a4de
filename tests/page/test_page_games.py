"""Games on the server without a browser: moves, covers, records, replays, end times and bots that fail."""

import itertools
import statistics
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain_env.bot import Bot, View
from mtrain_env.encoding.record import loads
from mtrain_env.errors import BotError
from mtrain_env.play.limits import Limits
from mtrain_env.play.opponents import Opponent, Opponents
from tests.page.serving import Served, serve


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve() as running:
        yield running


# -- moves


def refusal(page: Any) -> str:
    """Return the reason of the next refusal; the view must follow or stand beside it."""
    while True:
        message = page.read()
        if message["type"] == "refused":
            return str(message["why"])


def test_stale_and_illegal_moves_are_refused_and_the_view_comes_again(served: Served) -> None:
    with served.page(served.begin()) as page:
        view = page.my_turn()
        legal = {move["id"] for move in view["moves"]}
        move, before = view["moves"][0]["id"], len(page.frames)
        page.send(type="do", seq=view["seq"] - 1, move=move)
        assert "earlier position" in refusal(page)
        for wrong in (next(k for k in range(9999) if k not in legal), -1, 10**30, "0", None, 1.0, True, [move]):
            if wrong is True and 1 in legal:
                continue
            page.send(type="do", seq=view["seq"], move=wrong)
            assert refusal(page) == "That is not possible now."
        page.send(type="next")
        assert "next round" in refusal(page)
        page.send(type="speed", speed="warp")
        assert "speed" in refusal(page)
        page.connection.send(b"\x00\x01")
        assert "cannot be read" in refusal(page)
        page.connection.send("[" * 3000)
        assert "cannot be read" in refusal(page)
        assert len(page.frames) > before  # the table was sent again, unchanged
        assert page.view["seq"] == view["seq"]
        page.send(type="do", seq=view["seq"], move=move)
        assert page.until(lambda v: v["seq"] > view["seq"])


def test_nobody_moves_for_another_seat(served: Served) -> None:
    game = served.begin(seats=[{"person": "Ann"}, {"person": "Ben"}])
    first = {"game": game["game"], "tokens": {"0": game["tokens"]["0"]}}
    second = {"game": game["game"], "tokens": {"1": game["tokens"]["1"]}}
    with served.page(first) as ann, served.page(second) as ben:
        turn = ann.view["turn"]
        mover, other = (ann, ben) if turn == 0 else (ben, ann)
        assert mover.view["moves"]
        assert not other.view["moves"]
        move = mover.view["moves"][0]["id"]
        other.send(type="do", seq=other.view["seq"], move=move)
        assert refusal(other) == "It is not your turn."
        other.send(type="show", seat=turn)
        assert "turn of that seat" in refusal(other)
        assert not set(ann.view["hand"]) & set(ben.view["hand"])


def test_the_cover_comes_before_the_hand(served: Served) -> None:
    game = served.begin(seats=[{"person": "Ann"}, {"person": "Ben"}, {"bot": "easy"}])
    with served.page(game) as page:
        assert page.view["cover"] == page.view["turn"]
        covers = 0
        for _ in range(12):
            view = page.my_turn()
            if view["summary"]:
                break
            seq = view["seq"]
            if view["cover"] is not None:
                covers += 1
                assert (view["hand"], view["moves"], view["seat"], view["drawn"]) == (None, [], None, None)
                page.send(type="do", seq=seq, move=0)
                assert refusal(page) == "It is not your turn."
                page.send(type="show", seat=1 - view["cover"])
                assert "turn of that seat" in refusal(page)
                page.send(type="show", seat=view["cover"])
                assert page.until(lambda v: v["cover"] is None)["seat"] == view["cover"]
                continue
            page.do(view["moves"][0])
            page.until(lambda v, seq=seq: v["seq"] > seq)
        assert covers >= 3


@pytest.mark.parametrize("rules", ["pagat", "dominoplay", "core", "deluxe"])
def test_a_game_is_played_to_its_end_and_its_record_replays(served: Served, rules: str) -> None:
    game = served.begin(rules=rules, rounds=2)
    path, token = f"/api/games/{game['game']}/record", {"Authorization": f"Bearer {game['tokens']['0']}"}
    with served.page(game) as page:
        view = page.finish_round()
        assert sorted(view["players"][0]) == ["marker", "tiles", "total"]
        assert view["summary"]["pips"] == view["scores"][0]["pips"]
        assert served.raw("GET", path)[0] == 403
        assert served.raw("GET", path, headers={"Authorization": "Bearer wrong"})[0] == 403
        text = served.raw("GET", path, headers=token)[2].decode()
        seen = loads(text)
        assert seen[0]["format"] == "mtrain-view/1"
        assert not {"seed", "deal", "boneyard"} & {key for line in seen for key in line}
        page.send(type="next")
        page.until(lambda v: v["round"] == 2)
        end = page.finish_round()["end"]
        assert "with" in end["title"]
    record = served.raw("GET", path, headers=token)[2].decode()
    assert loads(record)[0]["seed"] == 5
    status, replay = served.call("POST", "/api/replays", {"record": record})
    assert (status, len(replay["rounds"])) == (201, 2)
    for step in (0, 1, replay["steps"] // 2, replay["steps"] - 1):
        status, shown = served.call("GET", f"/api/replays/{replay['replay']}/{step}?bot=hard")
        assert status == 200
        assert (shown["advice"] is None) == (shown["turn"] is None)
    assert served.raw("GET", f"/api/replays/{replay['replay']}/{replay['steps']}")[0] == 404
    assert served.raw("GET", f"/api/replays/{replay['replay']}/0?bot=../x")[0] == 400


def test_a_damaged_record_is_refused_with_its_line(served: Served) -> None:
    game = served.begin(rules="core", rounds=1, seats=[{"person": ""}, {"bot": "easy"}])
    with served.page(game) as page:
        page.finish_round()
    token = {"Authorization": f"Bearer {game['tokens']['0']}"}
    lines = served.raw("GET", f"/api/games/{game['game']}/record", headers=token)[2].decode().splitlines()
    damaged = {
        "no header": lines[1:],
        "another deal": [lines[0], lines[2], *lines[2:]],
        "a line lost": [*lines[:5], *lines[6:]],
        "no end": lines[:-1],
        "nothing": [],
        "no JSON": [*lines[:3], "{", *lines[3:]],
        "a number without end": [*lines[:3], '{"do":' + "7" * 5000 + "}", *lines[3:]],
        "brackets without end": [*lines[:3], "[" * 100_000, *lines[3:]],
        "a strange line": [*lines[:3], '{"do":7,"seat":0}', *lines[3:]],
        "strange rules": ['{"format":"mtrain-record/1","rules":{"name":"core","hand_size":99}}'],
    }
    for name, text in damaged.items():
        status, answer = served.call("POST", "/api/replays", {"record": "\n".join(text)})
        assert status == 400, name
        assert name in ("no end", "nothing") or answer["error"].startswith("Line "), answer
    wrong: list[Any] = [{"record": 3}, {"record": "\n".join(lines), "game": "0"}, []]
    for posted in wrong:
        assert served.call("POST", "/api/replays", posted)[0] == 400


def test_the_record_so_far_is_of_the_tiles_that_are_shown(served: Served) -> None:
    game = served.begin(seats=[{"person": "Ann"}, {"person": "Ben"}, {"bot": "easy"}])
    path = f"/api/games/{game['game']}/record"

    def record(seat: int) -> tuple[int, str]:
        token = {"Authorization": f"Bearer {game['tokens'][str(seat)]}"}
        status, _, text = served.raw("GET", path, headers=token)
        return status, text.decode()

    with served.page(game) as page:
        seat = page.view["cover"]
        assert [record(0)[0], record(1)[0]] == [403, 403]
        page.send(type="show", seat=seat)
        hand = page.until(lambda v: v["cover"] is None)["hand"]
        assert (record(seat)[0], record(1 - seat)[0]) == (200, 403)
        lines = loads(record(seat)[1])
        assert lines[0]["view"] == seat
        assert sorted(next(line["hand"] for line in lines if "hand" in line)) == sorted(hand)
        page.finish_round()  # now all hands lie open
        assert [record(0)[0], record(1)[0]] == [200, 200]


def test_reconnecting_goes_on_with_the_game(served: Served) -> None:
    game = served.begin()
    with served.page(game) as page:
        view = page.my_turn()
        page.do(view["moves"][0])
        kept = page.until(lambda v: v["seq"] > view["seq"] and (v["moves"] or v["summary"]))
    with served.page(game) as page:
        again = page.my_turn()
        assert {key: again[key] for key in ("seq", "hand", "moves")} == {
            key: kept[key] for key in ("seq", "hand", "moves")
        }


def test_no_round_begins_after_the_end_time() -> None:
    clock = [datetime(2026, 1, 1, 21, 50)]
    with serve(now=lambda: clock[0]) as served:
        game = served.begin(until="22:00", rounds=4, seats=[{"person": ""}, {"bot": "easy"}])
        with served.page(game) as page:
            page.finish_round()
            page.send(type="next")
            page.until(lambda v: v["round"] == 2)
            page.finish_round()
            clock[0] = datetime(2026, 1, 1, 22, 0)
            page.send(type="next")
            view = page.until(lambda v: v["end"] is not None)
            assert view["phase"] == "game_over"
            assert any("past 22:00" in text for _, text in view["log"])
        token = {"Authorization": f"Bearer {game['tokens']['0']}"}
        lines = loads(served.raw("GET", f"/api/games/{game['game']}/record", headers=token)[2].decode())
        assert {"stopped": "time"} in lines


def test_the_longest_line_is_a_line(served: Served) -> None:
    with served.page(served.begin()) as page:
        view = page.my_turn()
        page.send(type="hint")
        answer = page.read()
        while answer["type"] != "hint":
            answer = page.read()
        assert set(answer["tiles"]) <= set(view["hand"])
        ends = [set(map(int, tile.split("-"))) for tile in answer["tiles"]]
        assert all(a & b for a, b in itertools.pairwise(ends))


# -- bots


class Thoughtful:
    """A bot that thinks in Python, holding the interpreter, for some time."""

    name, fair = "thoughtful", True

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def act(self, views: Sequence[View], rng: np.random.Generator) -> list[int]:
        """Take the first action after a while."""
        until = time.perf_counter() + self.seconds
        while time.perf_counter() < until:
            pass
        return [0] * len(views)


class Failing(Thoughtful):
    """A bot that raises."""

    def act(self, views: Sequence[View], rng: np.random.Generator) -> list[int]:
        """Raise."""
        raise BotError("This bot is broken.")


class Others(Opponents):
    """The opponents, and one more that is given."""

    def __init__(self, bot: Bot) -> None:
        super().__init__()
        self.bot = bot
        self.by_id["other"] = Opponent("other", "Other", "", "", "other")

    def make(self, name: str) -> Bot:
        """Return the given bot, or a known one."""
        return self.bot if name == "other" else super().make(name)


def answer_times(page: Any, count: int) -> list[float]:
    """Return how long another game's table took to come, each time that it was asked for, in milliseconds."""
    times = []
    for k in range(count):
        start = time.perf_counter()
        page.send(type="speed", speed=("fast", "slow")[k % 2])
        page.until(lambda view, k=k: view["speed"] == ("fast", "slow")[k % 2])
        times.append(1000 * (time.perf_counter() - start))
    return times


@pytest.mark.parametrize("name", ["expert", "other"])
def test_the_server_answers_other_games_while_a_bot_thinks(name: str) -> None:
    """50 ms, and as much more as a loaded machine takes without anybody thinking."""
    opponents = Others(Thoughtful(1.5)) if name == "other" else Opponents(["expert:ms=1500"])
    bot = "other" if name == "other" else opponents.id_of("expert:ms=1500")
    with serve(Limits(messages_per_second=10_000), opponents) as served:
        game, another = (served.begin(rules="core", seats=[{"person": ""}, {"bot": each}]) for each in (bot, "easy"))
        with served.page(game) as page, served.page(another) as other:
            other.my_turn()
            idle = answer_times(other, 30)
            session = served.lobby.games[game["game"]]
            times: list[float] = []
            while len(times) < 10:  # until the bot has something to choose
                times = []
                view = page.my_turn()
                page.do(view["moves"][0])
                page.until(lambda v, seq=view["seq"]: v["seq"] > seq)
                seq = session.seq
                while session.seq == seq and session.game.seat == 1:
                    times += answer_times(other, 1)
    print(
        f"{name}: {len(times)} answers while it thought: median {statistics.median(times):.1f} ms, longest "
        f"{max(times):.1f} ms; before that {statistics.median(idle):.1f} ms, {max(idle):.1f} ms"
    )
    assert statistics.quantiles(times, n=10)[-1] < 50 + max(idle)  # nine of ten


@pytest.mark.parametrize("name", ["expert", "learned", "search"])
def test_a_round_against_a_bot_that_thinks(bundle: Path, name: str) -> None:
    opponents = Opponents([f"learned:{bundle}", f"search:{bundle}"])
    bot = {"expert": "expert"}.get(name, f"{name}:{bundle.name}")
    with serve(opponents=opponents) as served:
        game = served.begin(rules="core", rounds=1, seats=[{"person": ""}, *[{"bot": bot}] * 2])
        with served.page(game) as page:
            assert page.finish_round()["end"]
        session = served.lobby.games[game["game"]]
        assert not session.incidents
        token = {"Authorization": f"Bearer {game['tokens']['0']}"}
        record = served.raw("GET", f"/api/games/{game['game']}/record", headers=token)[2].decode()
    assert loads(record)[0]["bots"] == ["human", bot, bot]
    assert str(bundle) not in record


def test_a_late_bot_is_overruled(caplog: pytest.LogCaptureFixture) -> None:
    with serve(Limits(move_seconds=0.1), Others(Thoughtful(0.4))) as served:
        game = served.begin(rules="core", rounds=1, seats=[{"person": ""}, {"bot": "other"}])
        with served.page(game) as page:
            view = page.finish_round()
            said = [text for _, text in view["log"] if "in time" in text]
        session = served.lobby.games[game["game"]]
        assert session.incidents
        assert said or len(session.told) > 40
        token = {"Authorization": f"Bearer {game['tokens']['0']}"}
        record = served.raw("GET", f"/api/games/{game['game']}/record", headers=token)[2].decode()
        assert '"incident"' in record
        assert served.call("POST", "/api/replays", {"record": record})[0] == 201


def test_a_failing_bot_does_not_stop_the_game(caplog: pytest.LogCaptureFixture) -> None:
    with serve(opponents=Others(Failing(0))) as served:
        game = served.begin(rules="core", rounds=1, seats=[{"person": ""}, {"bot": "other"}])
        with served.page(game) as page:
            assert page.finish_round()["end"]
    assert "This bot is broken." in caplog.text
