"""A machine where nobody built the console."""

from pathlib import Path

from playwright.sync_api import expect

import memsieve
from memsieve.testing import ServedMemory

PACKAGE = Path(memsieve.__file__).parent


def without_console(folder: Path) -> Path:
    """Lay out the package as it is after an installation without Node."""
    (folder / "memsieve" / "api").mkdir(parents=True)
    for path in PACKAGE.iterdir():
        if path.name not in {"api", "__pycache__"}:
            (folder / "memsieve" / path.name).symlink_to(path)
    for path in (PACKAGE / "api").iterdir():
        if path.name not in {"console", "__pycache__"}:
            (folder / "memsieve" / "api" / path.name).symlink_to(path)
    return folder


def test_a_server_without_a_console_says_how_to_build_it_and_serves_the_api(screen, data, tmp_path):
    environment = {"PYTHONPATH": str(without_console(tmp_path / "installed")), "PYTHONDONTWRITEBYTECODE": "1"}
    page = screen.page
    with ServedMemory(data, environment=environment) as server, server.client() as client:
        page.goto(server.url)
        expect(page.locator("body")).to_contain_text("make console")
        expect(page.locator("body")).to_contain_text("Node")
        expect(page.locator("[lang^=zh]").first).to_contain_text("控制台")
        page.get_by_role("link", name="openapi.json").first.click()
        expect(page).to_have_url(f"{server.url}/openapi.json")
        assert client.get("/readyz").status_code == 200
        page.goto("about:blank")
    # Every browser asks for it; only a built console has one.
    screen.complaints = [told for told in screen.complaints if "/favicon.ico: " not in told]
