"""How the page looks in Chromium: nothing overlaps, every end is in sight, targets and contrasts are large enough."""

from typing import TYPE_CHECKING

import pytest

from tests.page.serving import Served

pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'mtrain-env[page]'")

from playwright.sync_api import expect

from tests.page.browsing import (
    CHANGED,
    Taps,
    begin,
    deck_with_specials,
    looks_good,
    my_turn,
    play_until,
)

if TYPE_CHECKING:
    from tests.page.conftest import Open

pytestmark = pytest.mark.page

ME = {"person": ""}


def bots(count: int, name: str = "medium") -> list[dict[str, str]]:
    return [{"bot": name}] * count


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


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_choice_of_a_train_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)
    begin(page, playing, [ME, *bots(3)], rules="core", seed=8)
    hands = Taps(touch=phone)
    for _ in range(30):
        assert my_turn(page) == "mine"
        seq = page.locator("body").get_attribute("data-seq")
        if page.locator(".piece").count() > 8 and page.locator("#hand .fits").count():
            page.locator("#hand .fits").last.click()
            if page.locator("#chooser").is_visible():
                break
        else:
            hands.move(page)
        page.wait_for_function(CHANGED, arg=seq)
    assert page.locator(".row.target").count() >= 2
    looks_good(page, f"choice{'-phone' if phone else ''}")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_waiting_double_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)
    for seed in range(1, 20):  # with 1 there is one; with other bots it may be another
        begin(page, playing, [ME, *bots(3)], rules="core", seed=seed)
        if play_until(page, Taps(touch=phone), page.locator("#duty").is_visible):
            break
    expect(page.locator(".piece.waiting")).to_have_count(1)
    expect(page.locator("#duty")).to_contain_text("waits: only a tile on it may be played")
    expect(page.locator(".track .mark")).to_have_text("cover!")
    looks_good(page, f"waiting{'-phone' if phone else ''}")


def test_the_cover_looks_good(open_page: "Open", playing: Served) -> None:
    page = open_page()
    begin(page, playing, [{"person": "Anna"}, {"person": "Ben"}, *bots(2)], rules="core")
    assert my_turn(page) == "cover"
    looks_good(page, "cover")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_deluxe_looks_good(open_page: "Open", playing: Served, phone: bool) -> None:
    page = open_page(phone=phone)

    def rich() -> bool:
        """Whether there is a special tile in the hand, and something special on the table."""
        on_table = page.locator(".blocker, .turned, .piece[aria-label^=Wild]").count()
        in_hand = page.locator("#hand [data-tile]:not([data-tile*='-'])").count()
        return bool(on_table and in_hand)

    deck = deck_with_specials([5, 20, 33, 191, 192, 195, 196], 6)
    begin(page, playing, [{"person": "Anna"}, *bots(5, "easy")], rules="deluxe", deck=deck)
    assert play_until(page, Taps(touch=phone), rich)
    looks_good(page, f"deluxe{'-phone' if phone else ''}")


def test_sixteen_players_of_double_18_look_good(open_page: "Open", playing: Served) -> None:
    page = open_page(viewport={"width": 1400, "height": 1000})
    begin(page, playing, [ME, *bots(15, "easy")], rules="dominoplay", seed=5, ahead=110)
    assert my_turn(page) == "mine"
    assert page.locator(".piece").count() > 60
    assert page.locator(".row").count() == 17
    for row in page.locator(".row").all():
        expect(row.locator(".end")).to_be_in_viewport()
    looks_good(page, "sixteen")


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


def test_reduced_motion_is_honoured(open_page: "Open", playing: Served) -> None:
    page = open_page(reduced_motion="reduce")
    begin(page, playing, [ME, *bots(3)], rules="core", ahead=20)
    assert play_until(page, Taps(), lambda: page.locator(".piece").count() > 12)
    moving = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    assert page.evaluate(moving) == 0
