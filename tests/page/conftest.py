"""A browser for the tests marked `page`; one server, and a fresh context for each test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mtrain_env.play.limits import Limits
from mtrain_env.play.opponents import Opponents
from tests.page.serving import Served, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

PATIENCE = 90.0
"""Seconds that a loaded machine may take for anything; nothing waits for it to pass."""

Open = Callable[..., "Page"]
"""Opens a page: `open_page(phone=True)`, with `refusals=True` where a form is refused, or with options of a context."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the browser out unless it is asked for by name: `-m page`."""
    if "page" not in str(config.option.markexpr):
        browsing = [item for item in items if item.get_closest_marker("page")]
        config.hook.pytest_deselected(items=browsing)
        items[:] = [item for item in items if item not in browsing]


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small bundle whose strength nobody measured."""
    from tests.bundles.small import small_bundle  # torch takes seconds to import

    return small_bundle(tmp_path_factory.mktemp("bundles") / "small-1")


@pytest.fixture(scope="session")
def playing(bundle: Path) -> Iterator[Served]:
    """The server that the browser visits; patient, for a loaded machine."""
    opponents = Opponents([f"learned:{bundle}", f"search:{bundle}"])
    with serve(Limits(games=1000, hello_seconds=PATIENCE, move_seconds=PATIENCE), opponents) as served:
        yield served


@pytest.fixture(scope="session")
def tools() -> Iterator["Playwright"]:
    """Playwright; without it the tests are skipped, but not in CI."""
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        _missing("Playwright is not installed: pip install 'mtrain-env[page]'")
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(tools: "Playwright") -> Iterator["Browser"]:
    """The system's Chromium; Playwright's own download is not needed."""
    path = next((path for path in CHROMIUM if Path(path).exists()), None)
    if path is None:
        _missing("Chromium is not installed: `make test-page` installs it")
    running = tools.chromium.launch(executable_path=path, chromium_sandbox=False, args=list(QUIET))
    yield running
    running.close()


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture
def open_page(tools: "Playwright", browser: "Browser", playing: Served) -> Iterator[Open]:
    """Opens pages, and fails the test if one of them complains or asks another machine for anything."""
    complaints: list[str] = []
    contexts = []

    def opened(phone: bool = False, refusals: bool = False, **options: Any) -> "Page":
        settings = dict(tools.devices["Pixel 7"]) if phone else {"viewport": {"width": 1280, "height": 860}}
        context = browser.new_context(**{**settings, **options})
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
        page.on("console", lambda said: _check_console(said, refusals, complaints))
        page.on("request", lambda asked: _check_request(asked.url, playing, complaints))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints, complaints


def _check_console(said: Any, refusals: bool, complaints: list[str]) -> None:
    """Note errors and warnings; that a form was refused is none where the test expects it."""
    if said.type in ("error", "warning") and not (refusals and "status of 400" in said.text):
        complaints.append(said.text)


def _check_request(url: str, playing: Served, complaints: list[str]) -> None:
    if not url.startswith((playing.url, f"ws://{playing.host}", "blob:", "data:")):
        complaints.append(f"asked for {url}")
