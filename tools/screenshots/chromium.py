"""The Chromium of this machine, driven by Playwright."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

FIND = Path(__file__).parents[1] / "browser"
# In containers there is neither a sandbox to be had, nor a graphics card, nor much shared memory.
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """Start the browser that `tools/browser` finds, without a window."""
    path = subprocess.check_output([FIND], text=True).strip()  # noqa: S603 - our own script
    browser = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
    try:
        yield browser
    finally:
        browser.close()
