"""Ten thousand entries in quarantine: few are drawn, and the last can be reached."""

import sys

from playwright.sync_api import expect

MANY = 10_000
MOST_DRAWN = 60

WATCH = """
window.long = [];
new PerformanceObserver(list => window.long.push(...list.getEntries().map(one => Math.round(one.duration))))
    .observe({type: 'longtask'});
"""
# Jump to the end until nothing more is read; told is how many rows are drawn at most.
TO_THE_LAST = """
async count => {
    let drawn = 0, last = 0;
    while (last < count - 1) {
        window.scrollTo(0, document.documentElement.scrollHeight);
        await new Promise(requestAnimationFrame);
        const rows = [...document.querySelectorAll('[data-index]')].map(one => +one.dataset.index);
        [drawn, last] = [Math.max(drawn, rows.length), Math.max(...rows)];
    }
    return drawn;
}
"""
# What is drawn before the next turn of the wheel.
DRAWN = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    .then(() => document.querySelectorAll('[data-index]').length)
"""
TURNS = 60


def long_tasks(page) -> list[int]:
    """Take how many milliseconds each long task took since this was asked last."""
    return sorted(page.evaluate("window.long.splice(0)"))


def turn_the_wheel(page) -> int:
    page.mouse.wheel(0, -400)
    return page.evaluate(DRAWN)


def test_ten_thousand_entries_scroll_to_the_last(screen, console, capsys):
    page = screen.page
    screen.open("/quarantine", key=console.reviewers["many"])
    expect(page.get_by_text("10,000 entries")).to_be_visible()
    page.evaluate(WATCH)
    drawn = page.evaluate(TO_THE_LAST, MANY)
    reading = long_tasks(page)
    page.mouse.move(640, 600)
    drawn = max(drawn, *(turn_the_wheel(page) for _ in range(TURNS)))
    scrolling = long_tasks(page)
    assert drawn < MOST_DRAWN
    with capsys.disabled():
        sys.stdout.write(
            f"\n{MANY} rows: {len(reading)} tasks over 50 ms while all are read, the longest {reading[-3:]} ms"
            f"\n{TURNS} turns of the wheel: {len(scrolling)} tasks over 50 ms, the longest {scrolling[-3:]} ms\n"
        )
