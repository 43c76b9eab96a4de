"""Playing on the page as a person does, by tap or by keyboard, and measuring its layout."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect

from mtrain_env.engine.state import UNDEALT
from mtrain_env.play.session import Session
from tests.page.serving import Served

Wanted = Callable[[Session], bool]

ME = {"person": ""}


def bots(count: int, name: str = "medium") -> list[dict[str, str]]:
    """Return so many seats with that opponent."""
    return [{"bot": name}] * count


def begin(page: Page, served: Served, seats: Sequence[dict[str, str]], **form: Any) -> None:
    """Begin a game behind the form's back, and open it as a reload would.

    `deck` deals its tiles by their codes; `ahead` actions are made at random before the page opens, or as many as it
    takes until `wanted` of the session, in the first deals from `seed` on in which that happens.
    """
    deck, ahead, wanted = form.pop("deck", None), form.pop("ahead", 0), form.pop("wanted", None)
    whole = {"rules": "core", "seats": list(seats), "speed": "at once", "seed": 5, **form}
    game, session = _begun(served, whole)  # no page is there yet, so nobody plays yet
    if deck is not None:
        table = session.game
        table.games[0]["phase"] = UNDEALT
        table.deal_given(0, 0, deck)
    while not _go_ahead(session, ahead, wanted):
        served.lobby.end(session)
        whole["seed"] += 1
        game, session = _begun(served, whole)
    page.goto(f"{served.url}/static/icon.svg")
    kept = {game["game"]: {"tokens": game["tokens"], "form": whole}}
    page.evaluate("(games) => localStorage.setItem('mtrain-games', JSON.stringify(games))", kept)
    page.goto(f"{served.url}/#game={game['game']}")
    expect(page.locator("body")).to_have_attribute("data-seq", any_text())


def _begun(served: Served, form: dict[str, Any]) -> tuple[dict[str, Any], Session]:
    status, game = served.call("POST", "/api/games", form)
    assert status == 201, game
    return game, served.lobby.games[game["game"]]


def _go_ahead(session: Session, ahead: int, wanted: Wanted | None) -> bool:
    """Make so many random moves, or some until `wanted`; False if the first round is over before that."""
    rng = np.random.default_rng(0)
    while session.game.seat is not None:
        if wanted(session) if wanted else ahead == 0:
            return True
        session._act(int(rng.choice(session.game.legal_ids())))
        ahead -= 1
    return wanted is None


def deck_with_specials(hand: Sequence[int], players: int, hand_size: int = 7) -> list[int]:
    """Return a deluxe deck whose first hand is given; the next seat holds the opening double 0-0."""
    rest = [code for code in [*range(1, 91), *range(190, 197), *range(190, 197)] if code not in hand]
    rest += [code for code in range(190, 197) if code in hand]  # the other copies
    ordered = np.random.default_rng(1).permutation(rest).tolist()
    deck = [*hand, 0, *ordered]
    assert len(deck) == 91 + 14, len(deck)
    assert len(hand) == hand_size
    assert players * hand_size <= len(deck)
    return deck


def any_text() -> Any:
    """A pattern for an attribute that is there."""
    return re.compile(r".+")


def chooses_opening(session: Session) -> bool:
    """Whether the person names the opening double."""
    return session.game.seat == 0 and session.game.legal()[0].startswith("choose")


READY = """() => {
  const body = document.body;
  if (body.dataset.screen === "summary" || body.dataset.screen === "cover") return body.dataset.screen;
  return body.dataset.screen === "game" && body.dataset.mine === "true" ? "mine" : null;
}"""
STILL = """() => document.getAnimations().every((one) =>
  one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
CHANGED = "(seq) => document.body.dataset.seq !== seq || document.body.dataset.screen !== 'game'"


def my_turn(page: Page) -> str:
    """Wait for the own turn, the cover or the summary, and say which it is."""
    return str(page.wait_for_function(READY).json_value())


def show_tiles(page: Page, hands: "Hands") -> None:
    """Lift the cover."""
    hands.press_button(page, "Show my tiles")
    page.wait_for_function("() => document.body.dataset.screen !== 'cover'")


def play_round(page: Page, hands: "Hands", most: int = 400) -> dict[str, int]:
    """Play until the round's summary is shown; return how often each kind of move was made."""
    made: dict[str, int] = {}
    for _ in range(most):
        state = my_turn(page)
        if state == "summary":
            return made
        if state == "cover":
            show_tiles(page, hands)
            made["show"] = made.get("show", 0) + 1
            continue
        seq = page.locator("body").get_attribute("data-seq")
        kind = hands.move(page)
        made[kind] = made.get(kind, 0) + 1
        page.wait_for_function(CHANGED, arg=seq)
    raise AssertionError(f"the round did not end in {most} moves")


class Hands:
    """How a person touches the page."""

    def press_button(self, page: Page, name: str) -> None:
        """Press the button with that name."""
        raise NotImplementedError

    def move(self, page: Page) -> str:
        """Make a move; return its kind: tile, choice, draw, pass or stop."""
        raise NotImplementedError


class Taps(Hands):
    """By tap or click; a choice of trains by tapping the row where there is one."""

    def __init__(self, touch: bool = False) -> None:
        self.touch = touch
        self.rows = 0

    def _press(self, locator: Any) -> None:
        locator.tap() if self.touch else locator.click()

    def press_button(self, page: Page, name: str) -> None:
        """Press the button with that name."""
        self._press(page.get_by_role("button", name=name))

    def move(self, page: Page) -> str:
        """Make a move."""
        fits = page.locator("#hand .fits")
        if fits.count():
            self._press(fits.first)
            return "choice" if self.choose(page) else "tile"
        if self.choose(page):
            return "choice"
        for kind, name in (("draw", "Draw a tile"), ("pass", "Pass"), ("stop", "Stop")):
            button = page.locator(f"#actions [data-key={kind}]:not([disabled])")
            if button.count():
                self.press_button(page, name)
                return kind
        raise AssertionError("there is a turn, but nothing to press")

    def choose(self, page: Page) -> bool:
        """Answer what the page asks for, as long as it asks."""
        asked = False
        while page.locator("#chooser").is_visible():
            asked = True
            rows, choices = page.locator(".row.target .cover-row"), page.locator("#chooser .choice")
            if rows.count():
                self.rows += 1
                self._press(rows.first)
            elif choices.count():
                self._press(choices.first)
            elif page.locator("#hand .fits").count():
                self._press(page.locator("#hand .fits").first)
            else:
                break
        return asked


class Keys(Hands):
    """By keyboard alone."""

    def __init__(self) -> None:
        self.turn = 0

    def press_button(self, page: Page, name: str) -> None:
        """Press the button with that name, which must have the focus."""
        expect(page.get_by_role("button", name=name)).to_be_focused()
        page.keyboard.press("Enter")

    def move(self, page: Page) -> str:
        """Make a move: now and then by going to the next tile that fits, else where the focus already is."""
        self.turn += 1
        if page.locator("#hand .fits").count():
            focused = page.locator("#hand .fits:focus")
            expect(focused).to_have_count(1)
            if self.turn % 2:
                page.keyboard.press("ArrowRight")
                for _ in range(40):
                    if page.locator("#hand .fits:focus").count():
                        break
                    page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            return "choice" if self.choose(page) else "tile"
        if self.choose(page):
            return "choice"
        for kind, key in (("draw", "d"), ("pass", "p"), ("stop", "s")):
            if page.locator(f"#actions [data-key={kind}]:not([disabled])").count():
                page.keyboard.press(key)
                return kind
        raise AssertionError("there is a turn, but nothing to press")

    def choose(self, page: Page) -> bool:
        """Answer what the page asks for, by the keyboard."""
        asked = False
        while page.locator("#chooser").is_visible():
            asked = True
            if page.locator("#chooser .choice").count():
                expect(page.locator("#chooser .choice:focus")).to_have_count(1)
                if self.turn % 3 == 0:
                    page.keyboard.press("2")
                else:
                    page.keyboard.press("ArrowDown")
                    page.keyboard.press("Enter")
            elif page.locator("#hand .fits:focus").count():
                page.keyboard.press("Enter")
            else:
                break
        return asked


_MEASURE = (Path(__file__).parent / "measure.js").read_text("utf-8")


def layout_problems(page: Page) -> list[str]:
    """Return what is wrong with the layout: overlaps, ends out of sight, targets under 44 pixels."""
    return list(page.evaluate(f"({_MEASURE}).layout()"))


def contrast_problems(page: Page) -> list[str]:
    """Return the texts whose contrast is under 4.5 to 1."""
    return list(page.evaluate(f"({_MEASURE}).contrast()"))


def looks_good(page: Page, name: str) -> None:
    """Measure the layout and the contrast; keep a picture where MTRAIN_SHOTS names a folder."""
    page.wait_for_function(STILL)
    if folder := os.environ.get("MTRAIN_SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
    problems = layout_problems(page) + contrast_problems(page)
    assert not problems, problems


def play_until(page: Page, hands: Hands, wanted: Callable[[], bool], most: int = 60) -> bool:
    """Play until something is to be seen at the own turn; False if the round is over first."""
    for _ in range(most):
        if my_turn(page) != "mine":
            return False
        if wanted():
            return True
        seq = page.locator("body").get_attribute("data-seq")
        hands.move(page)
        page.wait_for_function(CHANGED, arg=seq)
    return False
