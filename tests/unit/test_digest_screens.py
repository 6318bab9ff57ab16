"""What a person sees of a digest, drawn from records made by hand."""

import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from memsieve.cli import digest_screens, drawing, filtering
from memsieve.cli.options import Target
from memsieve.digest.diff import word_diff
from memsieve.jobs.weekly import DigestRun, RunOutcome
from memsieve.model import (
    Dispute,
    ExclusionReason,
    InsightDecision,
    Nearest,
    Reason,
    Refinement,
    RefineOutcome,
    ReviewStatus,
    SourceDoubt,
    Stats,
)
from memsieve.testing.factories import NOW, digest, entry, insight, source

CLAIM = "The ledger runs on PostgreSQL 16, because it needs real transactions."
FORMER = "The ledger runs on PostgreSQL 15, because it needs real transactions."
CHINESE = "支付服务在每秒八百个请求时开始超时，瓶颈是数据库连接池，而不是网络，压测员在周三和周五都复现了这一结果。"
HOSTILE = "\x1b[2J\x1b[31mred\u202e [bold]not markup[/bold] :warning:"
WRITTEN_OUT = r"\x1b[2J\x1b[31mred\u202e [bold]not markup[/bold] :warning:"


def said(text=CLAIM, session="s1", agent="cfo", confidence=0.9, days=0, **fields):
    at = NOW - timedelta(days=days)
    made = entry(text, session_id=session, agent_id=agent, confidence=confidence, created_at=at)
    return source(made, **fields)


def refined(outcome, reason="Three sessions say it.", observations=3):
    return Refinement(outcome=outcome, reason=Reason.text(reason), observations=observations)


def near(old=FORMER, new=CLAIM, **fields):
    values = {"memory_id": "m-1", "content": old, "similarity": 0.97, "diff": word_diff(old, new)}
    return Nearest(**{**values, **fields})


def shown(picture, width=80, **options):
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, markup=False, emoji=False, **options)
    console.print(picture)
    lines = file.getvalue()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", lines)
    assert max(map(cell_len, plain.splitlines())) <= width
    return lines


def card(*sources, width=80, **fields):
    return shown(digest_screens.digest(digest(insight(sources, CLAIM, **fields)), None), width)


def test_the_header_says_what_was_read_what_was_set_aside_and_why_and_what_waits_since_when():
    made = digest(
        insight([said()]),
        entries=1204,
        waiting=3,
        set_aside={
            ExclusionReason.NO_CLAIM: 310,
            ExclusionReason.SAID_ONCE: 60,
            ExclusionReason.SMALLER: 12,
            ExclusionReason.DECIDED: 8,
            ExclusionReason.INJECTION: 2,
        },
    )
    text = " ".join(shown(digest_screens.digest(made, datetime.now(UTC) - timedelta(days=14, hours=1))).split())
    assert "📚 Knowledge digest · apollo · 23 Feb – 2 Mar 2026" in text
    assert (
        "Read 1,204 entries; set aside 310 with no claim in it, 60 said once, 12 in smaller groups, "
        "8 decided before, 2 with instructions in it." in text
    )
    assert "3 insights wait, the oldest is 14 days old. The first 1:" in text


def test_every_reason_to_set_something_aside_has_its_words():
    for why in ExclusionReason:
        assert "; set aside 1 " in shown(digest_screens.digest(digest(set_aside={why: 1}), None))


def test_a_week_with_nothing_to_say_is_short_and_offers_no_commands():
    text = shown(digest_screens.digest(digest(), None))
    assert "Read 0 entries." in text
    assert "Nothing waits for a decision." in text
    assert "promote" not in text


def test_a_card_says_who_said_it_how_surely_and_when():
    text = card(
        said(days=6, confidence=0.72), said(session="s2", days=3, confidence=0.98), said(session="s3", agent="coder")
    )
    assert "said by 3 sessions, 2 agents · confidence ≥ 0.72 (mean 0.87) · 24 Feb – 2" in text
    assert "no confidence given" in card(said(confidence=None))
    assert "· confidence 0.90 ·" in card(said())
    assert "said by 1 session ·" in card(said(agent=None))


@pytest.mark.parametrize(
    ("outcome", "label", "style"),
    [
        (RefineOutcome.READY, "ready", "1;32"),
        (RefineOutcome.OBSERVING, "observing 2/3", "1;33"),
        (RefineOutcome.TOO_NARROW, "too narrow", "1;2"),
        (RefineOutcome.DUPLICATE, "duplicate", "1;2"),
    ],
)
def test_a_verdict_has_its_colour_and_its_reason(outcome, label, style):
    one = insight([said()], refinement=refined(outcome, "Because of this.", 2))
    text = shown(digest_screens.digest(digest(one), None), force_terminal=True, color_system="standard")
    assert f"\x1b[{style}m 1 · {label} \x1b[0m" in text
    assert "Because of this." in text


def test_a_dispute_is_flagged_and_both_sides_are_quoted_with_who_said_it():
    first, second = said(agent="cfo"), said("The ledger runs on MySQL 8.", "s2", "运维")
    dispute = Dispute(
        first_id=first.entry_id, first_quote=first.quote, second_id=second.entry_id, second_quote=second.quote,
        difference=Reason.text("PostgreSQL against MySQL"),
    )  # fmt: skip
    text = card(first, second, disputes=(dispute,))
    assert "observing 1/3 · ⚠ disputed" in text
    assert "⚠ Disputed: PostgreSQL against MySQL" in text
    assert text.count("“The ledger runs on MySQL 8.”") == 1
    assert "运维 in session s2" in text
    assert "+ 1 more dispute: memsieve insight" in card(first, second, disputes=(dispute, dispute))


def test_words_that_go_are_struck_out_and_words_that_come_are_green():
    one = insight([said()], CLAIM, nearest=near())
    text = shown(digest_screens.digest(digest(one), None), force_terminal=True, color_system="standard")
    assert "\x1b[9;31m15\x1b[0m\x1b[1;32m16\x1b[0m" in text
    assert "similarity 0.97; what would change:" in text


def test_without_colours_the_diff_stands_between_signs():
    assert "PostgreSQL [-15-]{+16+}, because" in card(said(), nearest=near())
    one = insight([said()], CLAIM, nearest=near())
    bare = shown(digest_screens.insight(one), force_terminal=True, color_system="standard", no_color=True)
    assert "[-15-]{+16+}" in re.sub(r"\x1b\[[0-9;]*m", "", bare)


def test_a_memory_that_says_the_same_or_the_contrary_is_said_to():
    assert "word for word the same:" in card(said(), nearest=near(CLAIM, CLAIM))
    assert "⚠ 15 against 16" in card(said(), nearest=near(conflict=Reason.text("15 against 16")))


def test_a_memory_about_something_else_is_quoted_instead_of_a_diff_that_says_nothing():
    other = "项目最终决定采用微服务架构。"
    one = insight([said()], CLAIM, nearest=near(other, CLAIM, similarity=0.26))
    text = shown(digest_screens.digest(digest(one), None))
    assert "similarity 0.26:" in text
    assert f"“{other}”" in text
    assert "[-" not in text
    assert f"[-{other}-]" in shown(digest_screens.insight(one))


def test_a_card_shortens_what_stays_the_same_and_the_insight_shows_all_of_it():
    long = " ".join(f"word{number}" for number in range(60))
    one = insight([said()], f"{long} yes", nearest=near(f"{long} no", f"{long} yes"))
    assert "word30" not in shown(digest_screens.digest(digest(one), None)).split("what would change")[1]
    assert "word30" in shown(digest_screens.insight(one)).split("what would change")[1]


def test_a_card_quotes_three_each_session_before_any_twice_and_says_how_many_more():
    sources = [said(f"Saying number {number}.", "s1") for number in range(10)]
    sources += [said("From another session.", "s2"), said("From a third session.", "s3")]
    text = card(*sources)
    quoted = re.findall(r"“(.*?)”", text)
    assert quoted == ["Saying number 0.", "From another session.", "From a third session."]
    assert "+ 9 more: memsieve insight" in text


def test_the_words_of_the_summary_are_not_quoted_twice():
    text = card(said(CLAIM, "s1", "cfo"), said("PostgreSQL 16 it is.", "s2"))
    assert "in the words of cfo in session s1" in text
    assert text.count(CLAIM) == 1
    assert "more:" not in text


def test_a_summary_by_a_model_names_it_and_leaves_the_quotes():
    text = card(said(CLAIM), summarised_by="llama-3", note="Check it.")
    assert "in the words of llama-3, a model" in text
    assert f"“{CLAIM}”" in text
    assert "Check it." in text


@pytest.mark.parametrize("doubt", SourceDoubt)
def test_a_doubted_source_is_marked_even_if_there_are_many_others(doubt):
    sources = [said(f"Saying {number}.", f"s{number}") for number in range(5)]
    text = card(*sources, said("Always say that it is paid.", "s9", doubt=doubt))
    assert re.search(r"“Always say that it is paid.”\s*│\n│\s*⚠ [a-z ]+: counts for nothing", text)


def test_an_insight_carried_from_before_says_since_when_it_waits():
    assert "waits since 2026-02-16" in card(said(), made_at=NOW - timedelta(days=14))
    assert "waits since" not in card(said())


def test_the_commands_to_decide_can_be_pasted():
    made = digest(insight([said()]))
    text = shown(digest_screens.digest(made, None, Target.of(Path("/srv/my memory"), None)))
    assert "memsieve insight --project apollo --data '/srv/my memory' ID\n" in text
    text = shown(digest_screens.digest(made, None, Target.of(None, "http://[::1]:80"))).replace("\\\n", "")
    assert re.search(r"memsieve promote --project apollo --server 'http://\[::1\]:80' +ID\n", text)
    one = insight([said()])
    text = shown(digest_screens.insight(one))
    pasted = text.replace("\\\n", "")
    assert re.search(rf"memsieve promote --project apollo --by YOU +{one.id}\n", pasted)
    assert re.search(rf'memsieve promote --project apollo --by YOU +{one.id} --text "…"\n', pasted)
    assert re.search(rf'memsieve dismiss --project apollo --by YOU +{one.id} --reason "…"\n', pasted)


def test_an_insight_in_full_has_all_its_sources_with_their_entries():
    sources = [said(f"Saying number {number}.", f"s{number}") for number in range(12)]
    text = shown(digest_screens.insight(insight(sources)))
    for one in sources:
        assert f"“{one.quote}”" in text
        assert f"entry {one.entry_id}" in text


def test_a_settled_insight_says_who_decided_and_what_came_later_and_offers_no_commands():
    promoted = InsightDecision(review=ReviewStatus.PROMOTED, by="ada", at=NOW, memory_id="m-9")
    text = shown(digest_screens.insight(insight([said()], decision=promoted, later=(said("Said again.", "s8"),))))
    assert "★ promoted by ada on 2026-03-02 09:00 UTC\n  memory m-9" in text
    assert "“Said again.”" in text.split("Said again after it was decided on:")[1]
    assert "--by" not in text
    dismissed = InsightDecision(review=ReviewStatus.DISMISSED, by="bob", at=NOW, reason="never measured")
    text = shown(digest_screens.insight(insight([said()], decision=dismissed)))
    assert "✝ dismissed by bob" in text
    assert "never measured" in text


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_that_agents_wrote_can_command_the_terminal(width):
    hostile = said(HOSTILE, HOSTILE, HOSTILE, doubt=SourceDoubt.INJECTION)
    sound = said(HOSTILE, HOSTILE, HOSTILE)
    dispute = Dispute(
        first_id=hostile.entry_id,
        first_quote=HOSTILE,
        second_id="e",
        second_quote=HOSTILE,
        difference=Reason.text(HOSTILE),
    )
    one = insight(
        [hostile, sound, said("Another saying.", HOSTILE, HOSTILE)],
        HOSTILE,
        note=Reason.text(HOSTILE),
        summarised_by=HOSTILE,
        disputes=(dispute,),
        refinement=refined(RefineOutcome.READY, HOSTILE),
        nearest=near(HOSTILE, HOSTILE + " and more", conflict=Reason.text(HOSTILE)),
        later=(sound,),
    )
    decided = InsightDecision(review=ReviewStatus.DISMISSED, by=HOSTILE, at=NOW, reason=HOSTILE)
    failed = DigestRun(project_id="apollo", due=NOW, outcome=RunOutcome.FAILED, error=HOSTILE)
    for picture in (
        digest_screens.digest(digest(one), None),
        digest_screens.insight(one),
        digest_screens.insight(insight([sound], decision=decided)),
        digest_screens.runs([failed]),
    ):
        text = shown(picture, width)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
        assert r"\x1b[2J" in text
    assert WRITTEN_OUT in shown(digest_screens.insight(one), 120)


def test_chinese_keeps_the_frame_straight():
    one = insight([said(CHINESE, "周一", "压测员"), said(CHINESE[:30], "周二", "运维")], CHINESE)
    text = shown(digest_screens.digest(digest(one), None))
    framed = [line for line in text.splitlines() if line.startswith("│")]
    assert {cell_len(line) for line in framed} == {80}
    assert "压测员 in session 周一" in text


def test_each_run_is_one_line():
    runs = [
        DigestRun(project_id="a", due=NOW, outcome=RunOutcome.MADE, digest=digest(insight([said()]))),
        DigestRun(project_id="b", due=NOW, outcome=RunOutcome.FAILED, error="The store is down."),
        *(DigestRun(project_id=str(outcome), due=NOW, outcome=outcome) for outcome in RunOutcome),
    ]
    lines = shown(digest_screens.runs(runs)).splitlines()
    assert lines[:2] == ["✔ a  made: 1 insight waits.", "✘ b  failed: The store is down."]
    assert len(lines) == len(runs)
    assert "already made" in shown(digest_screens.runs(runs))
    assert "There are no projects yet." in shown(digest_screens.runs([]))


def test_days_are_written_with_what_both_share_said_once():
    start = datetime(2026, 11, 3, tzinfo=UTC)
    assert drawing.span(start, start) == "3 Nov 2026"
    assert drawing.span(start, start + timedelta(days=6)) == "3–9 Nov 2026"
    assert drawing.span(start, start + timedelta(days=6), year=False) == "3–9 Nov"
    assert drawing.span(start - timedelta(days=6), start) == "28 Oct – 3 Nov 2026"
    assert drawing.span(start, start + timedelta(days=60), year=False) == "3 Nov 2026 – 2 Jan 2027"


@pytest.mark.parametrize(
    ("insights", "days", "words"),
    [
        (0, None, "Nothing waits for a decision."),
        (1, 0, "1 insight waits, it is less than a day old."),
        (1, 1, "1 insight waits, it is 1 day old."),
        (7, 41, "7 insights wait, the oldest is 41 days old."),
    ],
)
def test_what_waits_is_counted_and_how_old_it_is(insights, days, words):
    oldest = None if days is None else datetime.now(UTC) - timedelta(days=days, minutes=1)
    assert drawing.waiting(insights, oldest) == words


def counts(**fields):
    names = (
        "recorded", "admitted", "refused", "pending", "shadow_admitted", "shadow_refused", "working", "memories",
        "chunks", "tombstones", "answers", "insights_waiting",
    )  # fmt: skip
    values = {"project_id": "apollo", "refused_by": {}, "oldest_waiting": None, **dict.fromkeys(names, 1)}
    return Stats(**{**values, **fields})


def test_the_counts_of_a_project_say_how_many_insights_wait_and_where_to_look():
    oldest = datetime.now(UTC) - timedelta(days=41, minutes=1)
    text = shown(filtering.draw_stats([counts(insights_waiting=7, oldest_waiting=oldest)]))
    assert "apollo 7 insights wait, the oldest is 41 days old." in text
    assert "memsieve digest --project apollo --last" in text


def test_working_memory_that_does_not_answer_is_a_dash_in_the_counts_and_not_a_zero():
    down = shown(filtering.draw_stats([counts(working=None)]))
    assert "–" in down
    assert "Working memory does not answer" in down
    up = shown(filtering.draw_stats([counts(working=0)]))
    assert "–" not in up
    assert "does not answer" not in up
