"""Whole rounds in Chromium: every preset by tap and by keyboard, on a desktop and on a phone, and special tiles."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mtrain_env.play.session import Session
from mtrain_env.rules import PRESETS
from tests.page.serving import Served

pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'mtrain-env[page]'")

from playwright.sync_api import expect

from tests.page.browsing import (
    CHANGED,
    ME,
    Hands,
    Keys,
    Taps,
    begin,
    bots,
    chooses_opening,
    deck_with_specials,
    looks_good,
    my_turn,
    play_round,
)

if TYPE_CHECKING:
    from tests.page.conftest import Open

pytestmark = pytest.mark.page


def hands_of(how: str) -> Hands:
    return Keys() if "keyboard" in how else Taps(touch="phone" in how)


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("how", ["tap", "keyboard", "tap on a phone", "keyboard on a phone"])
def test_a_whole_round(open_page: "Open", playing: Served, rules: str, how: str) -> None:
    page = open_page(phone="phone" in how, reduced_motion="no-preference" if how == "tap" else "reduce")
    begin(page, playing, [ME, *bots(2 if how == "tap" else 1, "easy")], rules=rules, rounds=1, seed=3)
    made = play_round(page, hands_of(how))
    assert sum(made.values()) >= 3
    expect(page.locator("#summary h2").first).to_contain_text(re.compile("with .* points"))
    expect(page.locator("#summary .sheet tbody tr")).to_have_count(1)
    if how == "tap":
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download the record").click()
        text = Path(waiting.value.path()).read_text("utf-8")
        assert json.loads(text.splitlines()[0])["format"] == "mtrain-record/1"


@pytest.mark.parametrize("how", ["tap on a phone", "keyboard"])
def test_a_round_leads_to_the_next_and_its_opening_double_is_chosen(
    open_page: "Open", playing: Served, how: str
) -> None:
    page, hands = open_page(phone="phone" in how), hands_of(how)
    form = {"rules": "dominoplay", "switches": ["dominoplay-chosen"], "rounds": 2, "seed": 3}
    begin(page, playing, [ME, *bots(1, "easy")], wanted=chooses_opening, **form)
    expect(page.locator("#round")).not_to_contain_text("opening double")
    assert play_round(page, hands)["choice"] >= 1
    expect(page.locator("#summary h2").first).to_contain_text(re.compile("won the round|is blocked"))
    hands.press_button(page, "Next round")
    page.wait_for_function("() => document.body.dataset.screen === 'game'")
    expect(page.locator("#round")).to_contain_text("Round 2 of 2")
    play_round(page, hands)
    expect(page.locator("#summary .sheet tbody tr")).to_have_count(2)


def test_rounds_against_expert_learned_and_search_and_their_reasons(open_page: "Open", playing: Served) -> None:
    page = open_page()
    page.goto(playing.url)
    named = {"expert": "Expert", "learned:small-1": "Learned: small-1", "search:small-1": "Search: small-1"}
    for seat, name in enumerate(named, 2):
        page.get_by_label(f"Opponent in seat {seat}").select_option(name)
    expect(page.locator(".about dt")).to_have_text(list(named.values()))
    strengths = page.locator(".about .strength")
    expect(strengths.first).to_contain_text("pips a round against hard (95%:")
    for k in (1, 2):
        expect(strengths.nth(k)).to_have_text("Strength: not measured")
    page.get_by_label("Opponents play").select_option("at once")
    page.get_by_label("Number of the deal").fill("3")
    page.locator(".chip", has_text=re.compile("^1$")).click()
    page.get_by_role("button", name="Start the game").click()
    play_round(page, Taps())
    assert not playing.lobby.games[str(page.evaluate("location.hash")).removeprefix("#game=")].incidents
    page.get_by_role("button", name="Look at it again").click()
    expect(page.locator("#where")).to_contain_text("1 of ")
    steps = int(page.locator("#where").inner_text().split()[-1])
    page.locator("#slider").fill(str(steps // 2))
    heads = {
        "expert": ["Move", "Pips"],
        "learned:small-1": ["Move", "Chance", "Pips"],
        "search:small-1": ["Move", "Pips"],
    }
    for name, head in heads.items():
        page.get_by_label("What would play").select_option(name)
        expect(page.locator("#advice h2").last).to_have_text(f"{named[name]} would play")
        expect(page.locator("#choice")).to_be_visible()
        expect(page.locator("#why th")).to_have_text(head)
        expect(page.locator("#why tbody tr").first).to_be_visible()
    looks_good(page, "replay")


def test_the_special_tiles_ask_for_their_targets_and_are_seen(open_page: "Open", playing: Served) -> None:
    page = open_page()
    hands = Taps()
    left = ["wild", "trade", "skip", "reverse", "twist", "derail", "draw"]
    deck = deck_with_specials(range(190, 197), 3)
    begin(page, playing, [ME, *bots(2, "easy")], rules="deluxe", rounds=2, deck=deck)
    seen: set[str] = set()
    said: set[str] = set()
    while my_turn(page) == "mine":
        seq = page.locator("body").get_attribute("data-seq")
        wanted = [kind for kind in left if page.locator(f"#hand .fits[data-tile={kind}]").count()]
        if wanted:
            left.remove(wanted[0])
            page.locator(f"#hand .fits[data-tile={wanted[0]}]").first.click()
            hands.choose(page)
        else:
            hands.move(page)
        page.wait_for_function(CHANGED, arg=seq)
        said |= set(page.locator("#log").inner_text().splitlines())
        signs = (".blocker", ".turned", ".piece[aria-label^=Wild]")
        seen |= {sign for sign in signs if page.locator(sign).count()}
        seen |= {"counter-clockwise"} & set(page.locator("#round").inner_text().split(" · "))
    assert len(left) <= 1, left  # the trade gave one of them away
    assert len(seen) >= 3, seen
    for text in (
        "You traded a tile|You gave",
        "You played Derail",
        "Play goes counter-clockwise now",
        "drew for the|lost a",
    ):
        assert any(re.search(text, line) for line in said), text
    assert hands.rows >= 3


SPY = """() => {
  window.moved = [];
  window.twisted = 0;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    const made = animate.apply(this, given);
    const box = this.getBoundingClientRect();
    const shown = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const own = this.closest(".row").getBoundingClientRect();
    window.moved.push(this.contains(shown) && (box.bottom < own.top + 2 || box.top > own.bottom - 2));
    return made;
  };
  new MutationObserver(() => {
    window.twisted += document.querySelectorAll("#rows .twisting").length;
  }).observe(document.getElementById("rows"), { childList: true });
}"""
"""Notes, for whatever begins to move, whether it is seen outside of its row, and what is being twisted."""


def test_a_derail_and_a_twist_are_seen_moving(open_page: "Open", playing: Served) -> None:
    page = open_page(reduced_motion="no-preference")

    def movable(session: Session) -> bool:
        """Whether the person holds a Derail and a Twist that can be played now."""
        legal = " ".join(session.game.legal()) if session.game.seat == 0 else ""
        return "derail" in legal and "twist" in legal

    begin(page, playing, [ME, *bots(2, "easy")], rules="deluxe", seed=3, wanted=movable)
    hands = Taps()
    assert my_turn(page) == "mine"
    page.evaluate(SPY)
    for kind, proof in (("twist", "() => window.twisted > 0"), ("derail", "() => window.moved.length > 0")):
        while not page.locator(f"#hand .fits[data-tile={kind}]").count():
            assert my_turn(page) == "mine"
            seq = page.locator("body").get_attribute("data-seq")
            hands.move(page)
            page.wait_for_function(CHANGED, arg=seq)
            assert my_turn(page) == "mine"
        page.locator(f"#hand .fits[data-tile={kind}]").first.click()
        hands.choose(page)
        page.wait_for_function(proof)
        assert my_turn(page) == "mine"
    assert all(page.evaluate("window.moved"))
