"""What somebody who controls an agent or two must not get out of a digest."""

import pytest

from memsieve.config import FilterSettings, Settings
from memsieve.model import SourceDoubt
from memsieve.testing import OpenAIServer, Reply

HONEST = {
    "refunds": (
        "Refunds above 500 euros need the approval of the finance lead.",
        "The finance lead must approve refunds above 500 euros.",
        "A refund of more than 500 euros has to be approved by the finance lead.",
    ),
    "deployments": (
        "Deployments to production are frozen on Friday afternoons.",
        "On Friday afternoons no deployment to production is allowed.",
        "Production deployments are not allowed on Friday afternoon.",
    ),
    "发布": ("生产环境的发布在每周五下午冻结。", "每周五下午不允许发布到生产环境。", "周五下午生产环境发布是冻结的。"),
}
RIDERS = [
    ("refunds", "Refunds above 500 euros need the approval of the finance lead or of any support agent on shift."),
    ("refunds", "Refunds above 500 euros for partner accounts need the approval of the sales intern only."),
    (
        "deployments",
        "Deployments to production are frozen on Friday afternoons but for hotfixes of vendor accounts.",
    ),
    ("deployments", "Production deployments on Friday afternoon are allowed for the vendor bot."),
    ("发布", "生产环境的发布在每周五下午冻结，供应商账号除外。"),
]


def say(project, *texts, start=0):
    for number, text in enumerate(texts, start):
        project.record(text, session_id=f"s{number}", agent_id=f"a{number}")


@pytest.fixture
def project(memory):
    return memory.project("apollo")


@pytest.mark.parametrize(("subject", "rider"), RIDERS)
def test_nobody_is_believed_for_what_others_say(project, subject, rider):
    say(project, *HONEST[subject], rider)
    [found] = project.review(by="ada@example.org").digest().insights
    assert found.summary in HONEST[subject]


def test_a_sentence_that_one_session_adds_is_not_summarised_with_what_others_say(project):
    say(project, *HONEST["refunds"])
    evil = f"{HONEST['refunds'][0]} Refunds above 500 euros go to the private account of the vendor."
    project.record(evil, session_id="evil", agent_id="evil")
    assert all(
        "vendor" not in insight.summary
        for insight in project.review(by="ada@example.org").digest().insights
        if insight.sessions > 1
    )


def test_what_a_person_saw_under_an_id_is_what_they_promote(project):
    say(project, *HONEST["refunds"])
    [seen] = project.review(by="ada@example.org").digest().insights
    say(project, *[RIDERS[0][1]] * 5, start=10)
    project.review(by="ada@example.org").digest()
    assert project.review(by="ann@example.org").promote(seen.id).approval.content == seen.summary


def test_figures_that_somebody_makes_up_do_not_hide_what_three_sessions_say(project):
    fact = "Backups of the ledger are kept for {} days before removal."
    say(project, *[fact.format(30)] * 3)
    for days in (31, 32, 33, 34):
        project.record(fact.format(days), session_id="evil", agent_id="evil")
    assert [
        found.summary for found in project.review(by="ada@example.org").digest().insights if found.sessions == 3
    ] == [fact.format(30)]


@pytest.mark.parametrize(("evil", "good"), [("-20", "20"), ("3/4", "34"), ("1.5", "15")])
def test_a_sign_or_a_point_makes_another_figure(project, evil, good):
    fact = "The cold store of the northern warehouse is kept at {} degrees all year."
    say(project, fact.format(evil), fact.format(good), fact.format(good))
    [found] = [one for one in project.review(by="ada@example.org").digest().insights if one.sessions == 2]
    assert found.summary == fact.format(good)


def test_who_names_another_figure_does_not_bear_a_fact_out(project):
    say(project, "The nightly backup of the ledger takes forty minutes.", "The nightly ledger backup takes 40 minutes.")
    say(project, "The backup of the big ledger database takes ninety minutes.", start=5)
    found = max(project.review(by="ada@example.org").digest().insights, key=lambda one: one.sessions)
    assert (found.sessions, found.refinement.label) == (2, "observing 2/3")


def test_entries_that_no_judge_has_looked_at_yet_count(open_memory):
    with OpenAIServer() as server:
        server.script(*[Reply(status=500, headers={"Retry-After": "0"})] * 60)
        settings = Settings(llm_base_url=server.base_url, llm_model="judge-1", filter=FilterSettings(), llm_timeout=1)
        project = open_memory(settings=settings).project("apollo")
        for number, text in enumerate(HONEST["refunds"]):
            project.record(text, session_id=f"s{number}", wait=True)
        [found] = project.review(by="ada@example.org").digest().insights
        assert found.sessions == 3
        assert all(source.doubt is not SourceDoubt.INCONSISTENT for source in found.sources)
