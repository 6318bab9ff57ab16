"""Fixtures of the console: a week of memory, a server on it, and a real Chromium that looks at it."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from memsieve.api.static import BUILT
from memsieve.memory import Memory
from memsieve.model import KeyRole
from memsieve.testing import ServedMemory

sys.path.insert(0, str(Path(__file__).parents[2]))  # tools/ is not installed

from tools.screenshots.chromium import launched
from tools.screenshots.week import fill, fill_hostile, fill_many

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
# For machines that do much else.
PATIENCE_MS = 30_000
# A project for each test that decides something; `apollo` is only looked at.
WEEKS = ("apollo", "english", "chinese", "undone", "keyboard", "left", "counted")
MANY = 10_000


@dataclass(frozen=True, kw_only=True)
class Console:
    """A server that serves the console, and keys to what is in it."""

    server: ServedMemory
    token: str
    admin: str
    reviewers: dict[str, str]

    @property
    def url(self) -> str:
        return self.server.url

    def read(self, project: str, path: str, **parameters: Any) -> Any:
        """Ask the API as the project's reviewer."""
        with self.server.client(self.reviewers[project]) as client:
            return client.get(f"/api/v1{path}", params=parameters).raise_for_status().json()


@dataclass(kw_only=True)
class Screen:
    """A page of the console, and everything that the browser complained of."""

    page: Page
    console: Console
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, told: ConsoleMessage) -> None:
        if told.type in {"error", "warning"}:
            self.complaints.append(f"{told.location['url']}: {told.text}")

    def open(self, path: str = "/", *, key: str | None = None) -> None:
        """Go to an address; with a key, through the door."""
        self.page.goto(f"{self.console.url}{path}{'' if key is None else f'#token={key}'}")
        self.wait()

    def wait(self) -> None:
        """Wait until the page shows what it was asked for."""
        expect(self.page.locator("main h1")).to_be_visible()
        expect(self.page.locator(".animate-pulse")).to_have_count(0)
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)
        # The rows of a list are measured after they were drawn, and then lie where they stay.
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, keys: str) -> None:
        """Press keys one after the other."""
        for key in keys.split():
            self.page.keyboard.press(key)


@pytest.fixture(scope="package")
def chromium(console: Console) -> Iterator[Browser]:
    """One browser. No other loop runs beside Playwright's: it comes after the memory, and goes with the last test."""
    with sync_playwright() as playwright, launched(playwright) as browser:
        yield browser


@pytest.fixture(scope="package")
def _quiet_environment() -> Iterator[None]:
    """Leave out what this machine is told of memsieve; no digest is made while the tests look at one."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("MEMSIEVE_")]:
            patch.delenv(name)
        patch.setenv("MEMSIEVE_DIGEST_DAY", "never")
        yield


@pytest.fixture(scope="package")
def console(tmp_path_factory: pytest.TempPathFactory, _quiet_environment: None) -> Iterator[Console]:
    """Serve a folder with a week of memory in each of several projects."""
    if not (BUILT / "index.html").exists():
        pytest.fail("The console is not built. Run `make console` first.")
    folder = tmp_path_factory.mktemp("console") / "memory"
    fill(folder, WEEKS)
    fill_hostile(folder, "hostile")
    fill_many(folder, "many", MANY)
    with Memory.open(folder) as memory:
        _, admin = memory.keys.make(name="grace", role=KeyRole.ADMIN, project_id=None, by="test")
        reviewers = {
            name: memory.keys.make(name="ada@example.org", role=KeyRole.REVIEWER, project_id=name, by="test")[1]
            for name in (*WEEKS, "hostile", "forged", "many")
        }
    with ServedMemory(folder) as server:
        token = (folder / "reviewer.token").read_text("ascii").strip()
        yield Console(server=server, token=token, admin=admin, reviewers=reviewers)


@pytest.fixture
def open_screen(chromium: Browser, console: Console) -> Iterator[Callable[..., Screen]]:
    """Open browsers that know nothing of each other; in the end none may have complained."""
    screens: list[Screen] = []
    with ExitStack() as stack:

        def open_(*, language: str = "en-GB", theme: str = "light", width: int = 1280, **options: Any) -> Screen:
            size = {"width": width, "height": 860}
            context: BrowserContext = chromium.new_context(
                locale=language, color_scheme=theme, viewport=size, reduced_motion="reduce", **options
            )
            stack.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            screens.append(Screen(page=context.new_page(), console=console))
            return screens[-1]

        expect.set_options(timeout=PATIENCE_MS)
        yield open_
    assert [complaint for screen in screens for complaint in screen.complaints] == []


@pytest.fixture
def screen(open_screen: Callable[..., Screen]) -> Screen:
    return open_screen()


@pytest.fixture(scope="session")
def axe() -> str:
    """The checks of accessibility, as a script."""
    return AXE.read_text("utf-8")
