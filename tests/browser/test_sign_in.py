"""The door: the printed link, a pasted key, and what is left of either."""

import base64
import json
import re
import subprocess
import sys
from contextlib import contextmanager

from playwright.sync_api import expect


@contextmanager
def served_with_link(data):
    """Start a server as one does by hand, and read the link that it prints."""
    command = [sys.executable, "-m", "memsieve", "serve", "--json", "--port", "0", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield json.loads(process.stdout.readline())["console"]
        finally:
            process.terminate()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def kept(page) -> str:
    """Everything that a script of the page could read of what the browser keeps."""
    return page.evaluate("JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}])")


def test_the_printed_link_signs_in_and_its_token_leaves_the_address(screen, data):
    with served_with_link(data) as link:
        token = link.partition("#token=")[2]
        assert token.startswith("msv_local_")
        screen.page.goto(link)
        expect(screen.page.get_by_text("No project yet")).to_be_visible()
        expect(screen.page).to_have_url(link.partition("#")[0])
        assert token not in kept(screen.page)
        screen.page.go_back()
        assert token not in screen.page.url
        screen.page.goto("about:blank")  # before its server goes


def test_a_pasted_key_signs_in_and_no_script_can_read_it(screen, console):
    page = screen.page
    key = console.reviewers["apollo"]
    page.goto(console.url)
    page.get_by_label("Key").fill(f"  {key} ")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("main h1")).to_contain_text("Knowledge digest")
    assert key not in kept(page)
    [cookie] = page.context.cookies(f"{console.url}/api/v1/session")
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/api/v1")
    page.reload()
    expect(page.locator("main h1")).to_contain_text("Knowledge digest")
    other = page.context.new_page()
    other.goto(console.url)
    expect(other.locator("main h1")).to_contain_text("Knowledge digest")


def test_neither_the_cookie_nor_what_the_page_keeps_has_the_key(screen, console):
    key = console.reviewers["apollo"]
    screen.open(key=key)
    [cookie] = screen.page.context.cookies(f"{console.url}/api/v1/session")
    half = screen.page.evaluate("localStorage.getItem('memsieve.half')")
    stored = json.dumps(screen.page.context.storage_state())
    assert half in stored
    assert cookie["value"] in stored
    for text in (cookie["value"], half):
        assert len(decoded(text)) == len(key)
        assert b"msv_" not in decoded(text)
    assert key.rpartition("_")[2] not in stored
    assert key.rpartition("_")[2] not in kept(screen.page)


def test_a_stream_that_falls_silent_is_asked_again_from_where_it_broke_off(screen, console):
    page = screen.page
    page.clock.install()
    with page.expect_request("**/api/v1/events?*") as first:
        screen.open(key=console.reviewers["apollo"])
    line = page.get_by_role("status").filter(has_text="Live")
    expect(line.first).to_be_attached()
    assert "last-event-id" not in first.value.all_headers()
    page.clock.fast_forward(61_000)
    expect(line).to_have_count(0)
    with page.expect_request("**/api/v1/events?*") as second:
        page.clock.fast_forward(6_000)
    told = second.value.all_headers()
    assert re.fullmatch(r"[0-9a-f]{16}", told["last-event-id"])
    assert "x-memsieve-half" in told
    assert second.value.response().status == 200
    expect(line.first).to_be_attached()


def test_a_half_whose_cookie_went_with_the_browser_does_not_stand_in_the_way(screen, console):
    screen.open(key=console.reviewers["apollo"])
    screen.page.context.clear_cookies()
    screen.page.goto(console.url)
    expect(screen.page.get_by_role("button", name="Go on without a key")).to_be_visible()
    assert screen.page.evaluate("localStorage.getItem('memsieve.half')") is None
    # The browser tells of a refused request by itself.
    assert {"401" in screen.complaints.pop() for _ in tuple(screen.complaints)} == {True}


def test_who_signs_out_is_at_the_door_again(screen, console):
    screen.open(key=console.reviewers["apollo"])
    screen.page.get_by_role("button", name="Sign out").click()
    expect(screen.page.locator("h1")).to_have_text("Sign in to memsieve")
    assert screen.page.context.cookies(f"{console.url}/api/v1/session") == []
    assert screen.page.evaluate("localStorage.getItem('memsieve.half')") is None


def test_a_wrong_key_is_told_so_and_opens_nothing(screen, console):
    screen.page.goto(console.url)
    screen.page.get_by_label("Key").fill("msv_nobody_knows_it")
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("alert")).to_contain_text("This key is not valid")
    # The browser tells of a refused request by itself.
    assert len(screen.complaints) == 1
    assert "401" in screen.complaints.pop()


def test_without_a_key_one_may_ask_and_not_read_what_was_said(screen, console):
    page = screen.page
    page.goto(console.url)
    page.get_by_role("button", name="Go on without a key").click()
    expect(page).to_have_url(f"{console.url}/ask")
    page.get_by_label("Question").fill("Which database does the ledger use?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").first).to_contain_text("PostgreSQL 16")
    page.keyboard.press("Escape")
    page.locator("body").click()
    screen.press("g q")
    expect(page.get_by_text("This page is for reviewers and auditors")).to_be_visible()
