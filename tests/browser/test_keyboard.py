"""The console without a mouse."""

import re

from playwright.sync_api import expect


def progress(page, count: int):
    return page.get_by_role("status").filter(has_text=f"{count} of 8 decided")


def has_focus_in_card(page) -> bool:
    return page.evaluate("document.activeElement.matches('article[aria-current], article[aria-current] *')")


def test_a_digest_of_eight_insights_is_decided_by_keyboard_alone(screen, console):
    page = screen.page
    before = console.read("keyboard", "/stats")
    assert before["insights_waiting"] == 8
    screen.open(key=console.reviewers["keyboard"])
    expect(progress(page, 0)).to_be_visible()
    deeds = ["p", "e End . Control+Enter", "d 2", "j k p", "d O n c e Enter", "p u p", "o p", "p"]
    for count, keys in enumerate(deeds, start=1):
        screen.press(keys)
        expect(progress(page, count)).to_be_visible()
        assert has_focus_in_card(page), f"after {keys}"
    expect(page.get_by_text("That is the week")).to_be_visible()
    expect(page.get_by_text("6 promoted, 2 dismissed.")).to_be_visible()
    screen.press("g l")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Long-term memory")
    expect(page.get_by_text(f"{before['memories'] + 6} memories")).to_be_visible()
    after = console.read("keyboard", "/stats")
    assert (after["insights_waiting"], after["tombstones"] - before["tombstones"]) == (0, 2)
    decided = console.read("keyboard", "/memory/insights", decided=True)["items"]
    reasons = {one["decision"]["reason"] for one in decided if one["decision"]["review"] == "dismissed"}
    assert reasons == {"It is outdated", "Once"}


def test_every_page_is_two_keys_away_and_the_help_says_which(screen, console):
    page = screen.page
    screen.open(key=console.admin)
    screen.press("?")
    expect(page.get_by_role("dialog").locator("dt").filter(has_text=re.compile("^g[a-z]$"))).to_have_count(8)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    addresses = set()
    for letter in "aqwlfukd":
        screen.press(f"Escape g {letter}")  # out of a field that takes the focus
        screen.wait()
        addresses.add(page.url.removeprefix(console.url))
    assert addresses == {"/", "/ask", "/quarantine", "/working", "/longterm", "/flow", "/audit", "/keys"}


def test_what_was_decided_is_sent_when_the_tab_is_left(screen, console):
    page = screen.page
    screen.open(key=console.reviewers["left"])
    before = console.read("left", "/stats")["memories"]
    screen.press("p")
    expect(progress(page, 1)).to_be_visible()
    page.goto("about:blank")
    screen.open()
    expect(page.get_by_role("article").filter(has_text="Promoted")).to_have_count(1)
    assert console.read("left", "/stats")["memories"] == before + 1
