"""How the page looks in Chromium: nothing overlaps, every end is in sight, targets and contrasts are large enough."""

from typing import TYPE_CHECKING

import pytest

from mtrain_env.play.frames import WILD_CODE
from mtrain_env.play.session import Session
from tests.page.serving import Served

pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'mtrain-env[page]'")

from playwright.sync_api import expect

from tests.page.browsing import (
    CHANGED,
    ME,
    Taps,
    begin,
    bots,
    chooses_opening,
    looks_good,
    my_turn,
)

if TYPE_CHECKING:
    from tests.page.conftest import Open

pytestmark = pytest.mark.page


def test_the_start_looks_good(open_page: "Open", playing: Served) -> None:
    page = open_page()
    page.goto(playing.url)
    expect(page.get_by_role("button", name="Start the game")).to_be_visible()
    looks_good(page, "start")


def test_the_start_looks_good_on_a_phone(open_page: "Open", playing: Served) -> None:
    page = open_page(phone=True)
    page.goto(playing.url)
    expect(page.get_by_role("button", name="Start the game")).to_be_visible()
    looks_good(page, "start-phone")


def choice_of_trains(session: Session) -> bool:
    """Whether a tile of the person fits two trains, on a table with some tiles."""
    tiles = [text.split(" > ")[0] for text in session.game.legal() if " > " in text]
    return session.game.seat == 0 and int(session.game.state["laid_count"]) > 14 and len(tiles) > len(set(tiles))


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_choice_of_a_train_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)
    begin(page, playing, [ME, *bots(3)], rules="core", wanted=choice_of_trains)
    assert my_turn(page) == "mine"
    for tile in page.locator("#hand .fits").all():
        seq = page.locator("body").get_attribute("data-seq")
        tile.click()
        if page.locator("#chooser").is_visible():
            break
        page.wait_for_function(CHANGED, arg=seq)
    assert page.locator(".row.target").count() >= 2
    looks_good(page, f"choice{'-phone' if phone else ''}")


def waiting_double(session: Session) -> bool:
    """Whether the person can cover the only double that waits."""
    s = session.game.state
    return (
        session.game.seat == 0 and s["duty_train"] > 0 and s["double_count"] == 1 and " > " in session.game.legal()[0]
    )


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_waiting_double_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)
    begin(page, playing, [ME, *bots(3)], rules="core", seed=2, wanted=waiting_double)
    assert my_turn(page) == "mine"
    expect(page.locator(".piece.waiting")).to_have_count(1)
    expect(page.locator("#duty")).to_contain_text("waits: only a tile on it may be played")
    expect(page.locator(".track .mark")).to_have_text("cover!")
    looks_good(page, f"waiting{'-phone' if phone else ''}")


def test_the_cover_looks_good(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [{"person": "Anna"}, {"person": "Ben"}, *bots(2)], rules="core")
    assert my_turn(page) == "cover"
    looks_good(page, "cover")


def special_tiles(session: Session) -> bool:
    """Whether the person holds two special tiles and the table shows a blocker, a twisted tile and a Wild."""
    s = session.game.state
    laid = slice(int(s["laid_count"]))
    on_table = [
        s["draw_blockers"] | s["skip_blockers"],
        s["laid_turned"][laid].any(),
        (s["laid_tile"][laid] == WILD_CODE).any(),
    ]
    return session.game.seat == 0 and int(s["special_hand"][0].sum()) >= 2 and all(on_table)


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_deluxe_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)
    begin(page, playing, [{"person": "Anna"}, *bots(5, "easy")], rules="deluxe", seed=262, wanted=special_tiles)
    assert my_turn(page) == "mine"
    for sign in (".blocker", ".turned", ".piece[aria-label^=Wild]", "#hand [data-tile]:not([data-tile*='-'])"):
        assert page.locator(sign).count()
    looks_good(page, f"deluxe{'-phone' if phone else ''}")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_sixteen_players_of_double_18_look_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=True) if phone else open_page(viewport={"width": 1400, "height": 1000})
    begin(page, playing, [ME, *bots(15, "easy")], rules="dominoplay", ahead=110)
    assert my_turn(page) == "mine"
    assert page.locator(".piece").count() > 60
    assert page.locator(".row").count() == 17
    if not phone:
        for row in page.locator(".row").all():
            expect(row.locator(".end")).to_be_in_viewport()
    looks_good(page, f"sixteen{'-phone' if phone else ''}")


def test_a_full_table_looks_good_on_a_phone(open_page: "Open", playing: Served) -> None:
    page = open_page(phone=True)
    begin(page, playing, [ME, *bots(7, "easy")], rules="pagat", seed=5, ahead=70)
    assert my_turn(page) == "mine"
    assert page.locator(".piece").count() > 30
    looks_good(page, "phone")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_summary_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)
    begin(page, playing, [ME, *bots(3)], rules="pagat", rounds=1, ahead=1000)
    assert my_turn(page) == "summary"
    looks_good(page, f"summary{'-phone' if phone else ''}")


def test_the_choice_of_the_opening_double_looks_good(open_page: "Open", playing: Served) -> None:
    page = open_page(phone=True)
    begin(page, playing, [ME, *bots(3)], rules="dominoplay", switches=["dominoplay-chosen"], wanted=chooses_opening)
    assert my_turn(page) == "mine"
    expect(page.locator("#chooser .choice")).to_have_count(10)
    looks_good(page, "opening-phone")


def test_help_menu_and_scores_look_good(open_page: "Open", playing: Served) -> None:
    for phone in (False, True):
        page = open_page(phone=phone)
        begin(page, playing, [ME, *bots(7)], rules="deluxe", rounds=2, ahead=1000)
        assert my_turn(page) == "summary"
        for name in ("Help", "Menu", "Scores"):
            page.get_by_role("button", name=name).click()
            expect(page.locator("dialog")).to_be_visible()
            looks_good(page, f"{name.lower()}{'-phone' if phone else ''}")
            page.keyboard.press("Escape")


def test_reduced_motion_is_honoured(open_page: "Open", playing: Served) -> None:
    page = open_page(reduced_motion="reduce")
    begin(page, playing, [ME, *bots(3)], rules="core", seed=2, wanted=waiting_double)
    assert my_turn(page) == "mine"
    Taps().move(page)
    my_turn(page)
    moving = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    assert page.evaluate(moving) == 0
