"""Take a picture of every page of the console: both languages, both themes, a desktop and a phone."""

from __future__ import annotations

import base64
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from memsieve import Memory
from memsieve.model import KeyRole
from memsieve.testing import ServedMemory
from tools.screenshots.chromium import launched
from tools.screenshots.week import REVIEWER, fill, fill_past

PICTURES = Path(__file__).parents[2] / "docs" / "screenshots"
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
THEMES = ("light", "dark")
# Width, height, and how many dots a pixel has.
DEVICES = {"desktop": (1280, 860, 1), "phone": (390, 844, 2)}
QUESTIONS = {"en": "How long does the nightly backup of the ledger take?", "zh": "退款需要谁审批？"}
# The insight that is open in the picture of the digest.
OPENED = {"en": "new disks", "zh": "支付服务"}
# Until nothing moves: colours that change over, and a page that still scrolls.
SETTLE = """async () => {
    await document.fonts.ready;
    for (let still = 0, at = scrollY; still < 10; still = at === scrollY ? still + 1 : 0) {
        at = scrollY;
        await new Promise(requestAnimationFrame);
    }
    const ending = document.getAnimations().filter(one => one.effect.getComputedTiming().endTime < Infinity);
    await Promise.allSettled(ending.map(one => one.finished));
}"""
QUALITY = 72
PATIENCE_MS = 60_000


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A server with a month of memory, and a key to it."""

    url: str
    key: str
    entry: str
    memory: str

    def pages(self, language: str) -> dict[str, str]:
        """Return the address of each page, by the picture's name."""
        return {
            "digest": "/",
            "ask": f"/ask?q={QUESTIONS[language]}",
            "quarantine": "/quarantine",
            "entry": f"/quarantine/{self.entry}",
            "working": "/working",
            "longterm": "/longterm",
            "memory": f"/longterm/{self.memory}",
            "flow": "/flow",
            "audit": "/audit",
            "keys": "/keys",
        }


def main() -> None:
    """Take all pictures anew, and say how large they are together."""
    wanted = set(sys.argv[1:])
    os.environ["MEMSIEVE_DIGEST_DAY"] = "never"  # there is one, and all pictures are of that one
    if not wanted:
        shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, _shown(Path(folder) / "memory") as shown:
        expect.set_options(timeout=PATIENCE_MS)
        with sync_playwright() as playwright, launched(playwright) as browser:
            for language, theme, device in itertools.product(LANGUAGES, THEMES, DEVICES):
                _take(browser, shown, (language, theme, device), wanted)
    sizes = [path.stat().st_size for path in PICTURES.iterdir()]
    print(f"{len(sizes)} pictures in {PICTURES}, {sum(sizes) / 1e6:.1f} MB")


@contextmanager
def _shown(folder: Path) -> Iterator[Shown]:
    fill_past(folder, "apollo")
    fill(folder, ["apollo"])
    with Memory.open(folder) as memory:
        _, key = memory.keys.make(name=REVIEWER, role=KeyRole.ADMIN, project_id=None, by=REVIEWER)
        for name, role in (
            ("planner", KeyRole.AGENT),
            ("operator", KeyRole.AGENT),
            ("eve@example.org", KeyRole.AUDITOR),
        ):
            memory.keys.make(name=name, role=role, project_id="apollo", by=REVIEWER)
    with ServedMemory(folder) as server, server.client(key) as client:
        asked = {"project_id": "apollo"}
        entries = client.get("/api/v1/memory/quarantine", params=asked | {"search": "Ignore all previous"}).json()
        memories = client.get("/api/v1/memory/longterm", params=asked | {"search": "sixty minutes"}).json()
        yield Shown(
            url=server.url, key=key, entry=entries["items"][0]["entry"]["id"], memory=memories["items"][0]["id"]
        )


def _take(browser: Browser, shown: Shown, look: tuple[str, str, str], wanted: set[str]) -> None:
    """Take the pictures of every page in one language, theme and size."""
    language, theme, device = look
    width, height, dots = DEVICES[device]
    context = browser.new_context(
        locale=LANGUAGES[language],
        color_scheme=theme,  # type: ignore[arg-type]
        viewport={"width": width, "height": height},
        device_scale_factor=dots,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(shown.url)
    expect(page.locator("h1")).to_be_visible()
    _save(page, "-".join(("signin", *look)), wanted)
    page.goto(f"{shown.url}/#token={shown.key}")
    expect(page.locator("main article").first).to_be_visible()
    for name, path in shown.pages(language).items():
        page.goto(f"{shown.url}{path}")
        expect(page.locator("main h1")).to_be_visible()
        expect(page.locator(".animate-pulse, [aria-busy=true]")).to_have_count(0)
        if name == "digest":
            page.locator("article", has_text=OPENED[language]).first.click(position={"x": 20, "y": 20})
            page.evaluate(SETTLE)
            page.evaluate("window.scrollTo(0, 0)")
        _save(page, "-".join((name, *look)), wanted)
    context.close()


def _save(page: Page, name: str, wanted: set[str]) -> None:
    if wanted and name.partition("-")[0] not in wanted:
        return
    page.evaluate(SETTLE)
    # By the debugger: Playwright itself writes no WebP, which is a third of a PNG.
    taken = page.context.new_cdp_session(page).send(
        "Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "optimizeForSpeed": False}
    )
    (PICTURES / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    main()
