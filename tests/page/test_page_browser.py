"""The page in Chromium: several people, reloading, the form, help, hints and replays."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.page.serving import Served
from tests.regenerate import FOLDER

pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'mtrain-env[page]'")

from playwright.sync_api import expect

from tests.page.browsing import (
    CHANGED,
    ME,
    Taps,
    begin,
    bots,
    contrast_problems,
    looks_good,
    my_turn,
    play_until,
    show_tiles,
)

if TYPE_CHECKING:
    from tests.page.conftest import Open

pytestmark = pytest.mark.page


# -- several people, reloading, reconnecting


def test_no_hand_is_on_the_page_before_show_my_tiles(open_page: "Open", playing: Served) -> None:
    page = open_page()
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    begin(page, playing, [{"person": "Anna"}, {"person": "Ben"}, *bots(1, "easy")], rules="core", rounds=1)
    covers = 0
    while covers < 6:
        state = my_turn(page)
        assert state != "summary"
        seq = page.locator("body").get_attribute("data-seq")
        if state == "mine":
            page.keyboard.press("l")
            expect(page.locator(".told")).to_contain_text("pips")
            Taps().move(page)
            page.wait_for_function(CHANGED, arg=seq)
            continue
        covers += 1
        for place in ("hand", "chooser", "actions", "status"):
            expect(page.locator(f"#{place}")).to_be_empty()
        assert page.locator(".in-hand").count() == 0
        assert not re.search(r"drew \d", str(page.locator("#announce").text_content()))
        name = page.locator("#cover h2").inner_text().removeprefix("Pass the device to ")
        show_tiles(page, Taps())
        seat = page.locator("body").get_attribute("data-seat")
        assert name == ("Anna" if seat == "0" else "Ben")
    covered = [json.loads(frame) for frame in frames if '"cover":0' in frame or '"cover":1' in frame]
    assert len(covered) >= covers
    assert all(frame["hand"] is None and not frame["moves"] for frame in covered)


def test_the_record_so_far_is_that_of_who_is_shown(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [{"person": "Anna"}, {"person": "Ben"}], rules="core", rounds=1)
    for _ in range(2):
        assert my_turn(page) == "cover"
        expect(page.get_by_role("button", name="Menu")).to_be_hidden()
        show_tiles(page, Taps())
        assert my_turn(page) == "mine"
        seat = int(page.locator("body").get_attribute("data-seat") or 0)
        page.get_by_role("button", name="Menu").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download what {('Anna', 'Ben')[seat]} saw so far").click()
        lines = [json.loads(row) for row in Path(waiting.value.path()).read_text("utf-8").splitlines()]
        assert (lines[0]["format"], lines[0]["view"]) == ("mtrain-view/1", seat)
        hand = {str(tile.get_attribute("data-tile")) for tile in page.locator(".in-hand").all()}
        assert hand <= {tile for line in lines for tile in [*line.get("hand", []), *line.get("got", [])]}
        while my_turn(page) == "mine":
            seq = page.locator("body").get_attribute("data-seq")
            Taps().move(page)
            page.wait_for_function(CHANGED, arg=seq)


def test_reloading_and_reconnecting_go_on_with_the_game(open_page: "Open", playing: Served) -> None:
    page = open_page()
    sockets: list[Any] = []

    def through(socket: Any) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket(re.compile("/socket$"), through)
    begin(page, playing, [ME, *bots(2)], rules="core")
    hands = Taps()
    assert play_until(page, hands, lambda: page.locator(".row.mine .piece").count() > 0)
    seq = page.locator("body").get_attribute("data-seq")
    hand = page.locator("#hand").inner_html()
    page.reload()
    my_turn(page)
    expect(page.locator("body")).to_have_attribute("data-seq", str(seq))
    assert re.sub(' (tabindex|class)="[^"]*"', "", page.locator("#hand").inner_html()) == re.sub(
        ' (tabindex|class)="[^"]*"', "", hand
    )
    before = len(sockets)
    sockets[-1].close(code=1001)
    expect(page.locator("#banner")).to_contain_text("connection is lost")
    expect(page.locator("#banner")).to_be_hidden()
    assert len(sockets) > before
    hands.move(page)
    page.wait_for_function(CHANGED, arg=seq)
    page.goto(playing.url)
    page.get_by_role("button", name="Continue the last game").click()
    my_turn(page)
    assert int(page.locator("body").get_attribute("data-seq") or 0) > int(seq or 0)


def test_a_game_that_is_gone_leads_back_to_the_form(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [ME, *bots(1)], rules="core")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="fast").click()
    expect(page.get_by_role("button", name="fast")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="End this game").click()
    expect(page.get_by_role("button", name="Start the game")).to_be_visible()


# -- the form, help, hint, replay


def test_the_form_begins_the_game_that_it_says(open_page: "Open", playing: Served) -> None:
    page = open_page(refusals=True)
    page.goto(playing.url)
    page.get_by_label("Deluxe, with special tiles").check()
    page.get_by_label("Number of players").select_option("5")
    page.get_by_label("People on this device").select_option("2")
    page.get_by_label("Name of person 1").fill("<b>Anna</b>")
    page.get_by_label("Opponent in seat 4").select_option("hard")
    page.get_by_label("Opponents play").select_option("at once")
    page.get_by_text("Variations").click()
    page.get_by_label("Even opening doubles only").check()
    page.get_by_label("Odd opening doubles only").check()
    page.get_by_role("button", name="Start the game").click()
    expect(page.get_by_role("alert").filter(has_text="contradict each other")).to_be_visible()
    page.get_by_label("Odd opening doubles only").uncheck()
    page.locator(".chip", has_text="4").click()
    held: list[Any] = []
    page.route("**/api/games", lambda route: held.append(route))  # Playwright marks its handlers: no built-in
    page.get_by_role("button", name="Start the game").click()
    expect(page.get_by_role("button", name="Preparing the game…")).to_be_disabled()
    held[0].continue_()
    page.wait_for_function("() => document.body.dataset.screen !== 'setup'")
    expect(page.locator("#round")).to_contain_text("Round 1 of 4 · opening double 0-0")
    while my_turn(page) == "cover":
        show_tiles(page, Taps())
    if page.locator("#game").is_visible():
        expect(page.locator(".name", has_text="<b>Anna</b>")).to_have_count(1)
        assert page.locator("#mini-scores th").filter(has_text="hard").count() == 1


def test_help_scores_and_the_longest_line(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [ME, *bots(3)], rules="deluxe")
    page.get_by_role("button", name="Help").click()
    for text in ("A turn", "Special tiles", "The opponents", "Tips", "Questions", "How long it takes"):
        expect(page.locator("dialog h3", has_text=text).first).to_be_visible()
    assert contrast_problems(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Scores").click()
    expect(page.locator("dialog")).to_contain_text("No round is over yet.")
    page.get_by_role("button", name="Close").click()
    my_turn(page)
    page.get_by_role("button", name="Longest line").click()
    expect(page.locator(".told")).to_contain_text("pips")
    page.keyboard.press("l")
    expect(page.locator(".told")).to_have_count(0)


def test_escape_takes_a_choice_back(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [ME, *bots(2)], rules="core")
    for _ in range(20):
        assert my_turn(page) == "mine"
        seq = page.locator("body").get_attribute("data-seq")
        if page.locator("#hand .fits").count():
            page.locator("#hand .fits").first.click()
            if page.locator("#chooser").is_visible():
                break
        else:
            Taps().move(page)
        page.wait_for_function(CHANGED, arg=seq)
    expect(page.locator("#chooser .choice:focus")).to_have_count(1)
    assert page.locator(".row.target").count() >= 2
    page.keyboard.press("Escape")
    expect(page.locator("#chooser")).to_be_hidden()
    expect(page.locator("#hand button:focus")).to_have_count(1)
    expect(page.locator("body")).to_have_attribute("data-seq", str(seq))


def test_any_game_of_a_file_is_replayed(open_page: "Open", playing: Served) -> None:
    page = open_page(phone=True, refusals=True)
    page.goto(f"{playing.url}/replay")
    names = ("core-chain", "deluxe-4-players")
    both = "".join((FOLDER / f"{name}.jsonl").read_text("utf-8") for name in names)
    file = page.get_by_label("Record of a game")
    file.set_input_files({"name": "a.jsonl", "mimeType": "text/plain", "buffer": both[:-100].encode()})
    expect(page.locator("#banner")).to_contain_text("Line ")
    file.set_input_files({"name": "b.jsonl", "mimeType": "text/plain", "buffer": both.encode()})
    expect(page.get_by_role("combobox", name="Game")).to_have_value("0")
    page.get_by_role("combobox", name="Game").select_option("1")
    expect(page.locator("#round")).to_contain_text("Deluxe")
    page.get_by_role("button", name="Last").click()
    expect(page.locator("#hands h2")).to_contain_text(re.compile("won the round|blocked"))
    looks_good(page, "replay-phone")


def test_a_record_is_replayed_with_what_a_bot_would_play(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [ME, *bots(1)], rules="core", rounds=1, ahead=1000)
    assert my_turn(page) == "summary"
    page.get_by_role("button", name="Look at it again").click()
    expect(page.locator("#stage")).to_be_visible()
    page.get_by_role("button", name="On").click()
    expect(page.locator("#where")).to_contain_text("2 of")
    page.get_by_label("What would play").select_option("hard")
    expect(page.locator("#choice")).to_be_visible()
    page.get_by_label("What would play").blur()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#where")).to_contain_text("3 of")
    page.get_by_role("button", name="Last").click()
    expect(page.locator("#hands h2")).to_contain_text(re.compile("won the round|blocked"))
