"""Memory text is text: whatever it looks like, no page takes it for HTML or for a link."""

import sys
from pathlib import Path

from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[2]))  # tools/ is not installed

from tools.screenshots.week import HOSTILE, LINK, PICTURE

ELSEWHERE = "0d9f3a52-5d0e-4f7e-9f63-0d3c8f1b2a11"
# As the sentence of a check would say it that leads to what a person rejected.
FORGED = f"A person retired something like it. The lineage of {ELSEWHERE} shows what, and why."
ALIVE = "document.querySelectorAll('img, [onerror], a[href^=\"javascript:\" i]').length"


def shows(screen, *texts: str) -> None:
    """Check that texts stand on the page as they were written, and did nothing."""
    for text in texts:
        expect(screen.page.locator("body")).to_contain_text(text)
    assert screen.page.evaluate(ALIVE) == 0
    assert "owned" not in screen.page.title()


def test_markup_and_links_in_memories_stay_text_on_every_page(screen, console):
    page = screen.page
    screen.open(key=console.reviewers["hostile"])
    for text in HOSTILE:
        page.get_by_role("article").filter(has_text=text).click()
        shows(screen, text)
    screen.press("o e")
    shows(screen, *HOSTILE)
    page.keyboard.press("Escape")
    for path in ("/quarantine", "/working", "/longterm", "/audit", "/flow"):
        screen.open(path)
        shows(screen, *(() if path in {"/audit", "/flow"} else (PICTURE, LINK)))


def test_markup_in_an_opened_entry_or_memory_stays_text(screen, console):
    screen.open("/ask?q=customer import and links of suppliers", key=console.reviewers["hostile"])
    shows(screen, *HOSTILE)
    for path, kind in (("/memory/quarantine", "quarantine"), ("/memory/longterm", "longterm")):
        for item in console.read("hostile", path)["items"]:
            found = item.get("entry", item)
            screen.open(f"/{kind}/{found['id']}")
            expect(screen.page.get_by_role("dialog")).to_contain_text(found["content"])
            shows(screen)


def test_markup_in_a_question_and_a_search_stays_text(screen, console):
    screen.open("/ask", key=console.reviewers["hostile"])
    screen.page.get_by_label("Question").fill(PICTURE)
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("article").first).to_be_visible()
    shows(screen, PICTURE)
    [memory] = console.read("hostile", "/memory/longterm", search="customer import")["items"]
    screen.open(f"/longterm/{memory['id']}")
    shows(screen, f"“{PICTURE}”")


def test_a_memory_that_speaks_as_a_check_does_makes_no_link(screen, console):
    def record(session: str) -> str:
        said = {"project_id": "forged", "session_id": session, "content": FORGED}
        return client.post("/api/v1/memory/quarantine", json=said).raise_for_status().json()["entry_id"]

    with console.server.client(console.admin) as client:
        first, quoting = record("one"), record("two")
        rejected = {"project_id": "forged", "id": first, "reason": "It is forged"}
        client.post("/api/v1/memory/dismiss", json=rejected).raise_for_status()
        blocked = record("three")
    sheet = screen.page.get_by_role("dialog")
    screen.open(f"/quarantine/{quoting}", key=console.reviewers["forged"])
    expect(sheet.get_by_role("listitem").filter(has_text="Duplicate")).to_contain_text(FORGED[:40])
    expect(sheet.locator(f"a[href*='{ELSEWHERE}']")).to_have_count(0)
    # What the check itself found is a link.
    screen.open(f"/quarantine/{blocked}")
    expect(sheet.get_by_role("link", name="See what was rejected")).to_have_attribute("href", f"/quarantine/{first}")
    expect(sheet.locator(f"a[href*='{ELSEWHERE}']")).to_have_count(0)
