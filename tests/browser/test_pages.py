"""Every page, in both languages and both themes: nothing breaks, nothing is out of reach, nothing is forgotten."""

import re

import pytest
from playwright.sync_api import expect

from memsieve.api.static import BUILT

LOOKS = [("en-GB", "light", 1280), ("en-GB", "dark", 390), ("zh-CN", "light", 1280), ("zh-CN", "dark", 390)]
# The checks take long: each theme once.
CHECKED = [("en-GB", "light", 1280), ("zh-CN", "dark", 390)]
PAGES = ("/", "/ask", "/ask?q=nightly backup 退款", "/quarantine", "/working", "/longterm", "/flow", "/audit", "/keys")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SERIOUS = {"serious", "critical"}
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# All that a visitor downloads who opens every page.
LIMIT = 200_000


def violations(page, axe: str) -> list[str]:
    """What axe finds on the page as it stands, the serious alone."""
    # By the debugger, which the content security policy does not bind.
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)["violations"]
    serious = [one for one in found if one["impact"] in SERIOUS]
    return [f"{page.url}: {one['id']}: {one['help']}: {one['nodes'][0]['html'][:300]}" for one in serious]


def is_too_wide(page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def opened(console) -> list[str]:
    """Addresses of an entry and of a memory that are open in their page."""
    [entry] = console.read("apollo", "/memory/quarantine", search="Ignore all previous")["items"]
    [memory] = console.read("apollo", "/memory/longterm", search="sixty minutes")["items"]
    return [f"/quarantine/{entry['entry']['id']}", f"/longterm/{memory['id']}"]


def is_in(language: str, page) -> bool:
    """Tell whether the page and its navigation are in a language."""
    named = page.locator("html").get_attribute("lang")
    shown = CHINESE.search(page.locator("nav:visible").first.inner_text())
    return (named, bool(shown)) == (("zh-Hans", True) if language == "zh-CN" else ("en", False))


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_every_page_is_there_and_accessible_without_errors(open_screen, console, axe, language, theme, width):
    screen = open_screen(language=language, theme=theme, width=width)
    is_checked = (language, theme, width) in CHECKED
    screen.page.goto(console.url)
    expect(screen.page.locator("h1")).to_be_visible()
    found = violations(screen.page, axe) if is_checked else []
    screen.open(key=console.admin)
    for path in (*PAGES, *opened(console)):
        screen.open(path)
        assert is_in(language, screen.page), path
        assert not is_too_wide(screen.page), path
        assert screen.complaints == [], path
        found += violations(screen.page, axe) if is_checked else []
    assert found == []


@pytest.mark.parametrize(("language", "theme", "width"), CHECKED)
def test_what_opens_in_the_digest_is_accessible(open_screen, console, axe, language, theme, width):
    screen = open_screen(language=language, theme=theme, width=width)
    screen.open(key=console.reviewers["apollo"])
    found = []
    screen.page.get_by_role("article").filter(has_text="marketing budget").click()
    for keys in ("o e", "Escape d", "Escape p", "u ?"):
        screen.press(keys)
        found += violations(screen.page, axe)
    screen.page.keyboard.press("Escape")
    assert found == []


def test_an_address_that_nothing_is_at_leads_home(screen, console):
    screen.open(key=console.reviewers["apollo"])
    screen.page.goto(f"{console.url}/no-such-page")
    screen.page.get_by_role("link", name="To the digest").click()
    expect(screen.page.get_by_role("heading", level=1)).to_contain_text("Knowledge digest")


def test_language_and_theme_are_remembered(screen, console):
    page = screen.page
    screen.open("/ask", key=console.reviewers["apollo"])
    page.get_by_role("radio", name="中文").check(force=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("提问")
    page.get_by_role("radio", name="深色").check(force=True)
    dark = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("提问")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == dark
    page.get_by_role("radio", name="浅色").check(force=True)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") != dark


def test_dates_and_numbers_are_written_as_the_language_has_them(open_screen, console):
    shown = []
    for language in ("en-GB", "zh-CN"):
        screen = open_screen(language=language)
        screen.open("/longterm", key=console.reviewers["apollo"])
        row = screen.page.get_by_role("link").filter(has_text="PostgreSQL 16")
        shown.append(row.locator("[title]").first.get_attribute("title"))
    assert re.search(r"\d{1,2} \w+ 20\d\d", shown[0])
    assert re.search(r"20\d\d年\d{1,2}月\d{1,2}日", shown[1])


def test_what_agents_say_appears_without_a_reload(screen, console):
    screen.open("/quarantine", key=console.reviewers["left"])
    words = "The fire drill of the Hamburg office is on the last Thursday of every quarter, at eleven."
    said = {"session_id": "live", "agent_id": "planner", "confidence": 0.9, "content": words}
    with console.server.client(console.reviewers["left"]) as client:
        client.post("/api/v1/memory/quarantine", json=said).raise_for_status()
    expect(screen.page.get_by_role("link").filter(has_text=words)).to_be_visible()


def test_all_of_the_console_is_smaller_than_its_limit():
    sizes = {path.name: path.stat().st_size for path in BUILT.rglob("*.gz")}
    unpacked = {path.name for path in BUILT.rglob("*.js")} - {name.removesuffix(".gz") for name in sizes}
    assert unpacked <= {"theme.js"}
    assert sum(sizes.values()) < LIMIT, sizes
