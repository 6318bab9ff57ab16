"""What a digest chooses: knowledge, no templates, tasks or fragments; what supports it speaks of the same thing."""

import pytest

LIMITS = (
    "The upload limit of the API is 50 MB for each request.",
    "The upload limit of the API is 80 MB for each request.",
)
OFFICE = ("The office in Lyon closes at 6 pm on Fridays.", "On Fridays the Lyon office closes at 6 pm.")
TEMPLATE = "The nightly check of the ledgers takes twelve minutes and ends before the bank opens."
TASK = "Your task: find out which of the two warehouses in Ghent holds more pallets. Which one is it, and how many?"
FOUND = "The northern warehouse in Ghent holds 412 pallets, the southern one 388."


@pytest.fixture
def ada(memory):
    return memory.project("apollo").review(by="ada@example.org")


@pytest.fixture
def said(memory):
    """Record texts, each in the session and by the agent that are given with it."""
    project = memory.project("apollo")

    def say(*outputs):
        for session, text, *agent in outputs:
            project.record(text, session_id=session, agent_id=agent[0] if agent else None)

    return say


def supporting(insight):
    return {source.quote for source in insight.sources if source.doubt is None}


def test_what_is_said_of_another_shop_is_no_evidence(said, ada):
    same = ("天猫店五月的退货率是 5%。", "天猫店五月退货率为 5%，主要原因是尺码不合适。")
    said(("s1", same[0]), ("s2", "抖音店五月的退货率是 5%。"), ("s3", same[1]))
    [insight] = [one for one in ada.digest().insights if one.summary in same]
    assert (insight.sessions, supporting(insight)) == (2, set(same))


def test_another_unit_is_no_evidence(said, ada):
    same = ("The importer handles 206 rows per second.", "The importer gets through 206 rows per second.")
    said(("s1", same[0]), ("s2", "The importer handles 206 rows per minute."), ("s3", same[1]))
    [insight] = [one for one in ada.digest().insights if one.summary in same]
    assert (insight.sessions, supporting(insight)) == (2, set(same))


def test_what_one_agent_says_in_all_its_sessions_is_a_template_and_no_corroboration(said, ada):
    said(*((f"s{number}", TEMPLATE, "checker") for number in range(6)))
    [insight] = ada.digest().insights
    assert (insight.sessions, str(insight.refinement.outcome)) == (1, "observing")


def test_what_several_agents_say_in_their_sessions_is_corroboration(said, ada):
    said(*((f"s{number}", TEMPLATE, f"agent-{number}") for number in range(6)))
    [insight] = ada.digest().insights
    assert (insight.sessions, str(insight.refinement.outcome)) == (6, "ready")


def test_what_restates_the_task_is_no_insight_and_what_answers_it_is(said, ada):
    said(
        ("run", TASK, "user"),
        (
            "run",
            "It has to be found out which of the two warehouses in Ghent holds more pallets.",
            "lead",
        ),
        ("run", FOUND, "searcher"),
    )
    assert [one.summary for one in ada.digest().insights] == [FOUND]


FACTS = (
    "The staging cluster is torn down every Friday at 8 pm to save cost.",
    "Ines signs off on every change of the dosage tables.",
    "We agreed to ship the August release without the new map.",
    "The bakery on Main Street delivers before six, but never on Sundays.",
    "Always drain the queue before the workers are restarted.",
    "Jun prefers written summaries over calls.",
    "Contracts above 20,000 euros need two signatures.",
    "The greenhouse sensors drift by two degrees after a month.",
    "Never feed the calves right after the vaccination, it made three of them sick.",
    "Customer 4411 pays in arrears, as the board allowed in 2024.",
)


def test_of_ten_clean_facts_that_were_said_once_each_is_an_insight(said, ada):
    said(*((f"s{number}", fact) for number, fact in enumerate(FACTS)))
    assert {one.summary for one in ada.digest().insights} == set(FACTS)


def test_contradictions_stand_before_what_more_sessions_say(said, ada):
    said(*((f"s{number}", OFFICE[number % 2]) for number in range(4)), ("a", LIMITS[0]), ("b", LIMITS[1]))
    first, second = ada.digest().insights
    assert (first.disputed, second.disputed) == (True, False)
    assert first.summary in LIMITS


def test_what_contradicts_verified_memory_stands_first(said, ada):
    ada.promote_text(LIMITS[0])
    said(*((f"s{number}", OFFICE[number % 2]) for number in range(4)), ("a", LIMITS[1]))
    first, _ = ada.digest().insights
    assert first.summary == LIMITS[1]
    assert first.nearest.conflict is not None


def test_a_correction_leads(said, ada):
    correction = "Correction: the upload limit of the API is 80 MB, not 50 MB."
    said(("s1", LIMITS[0]), ("s2", LIMITS[1]), ("s3", correction))
    assert ada.digest().insights[0].summary == correction


@pytest.mark.parametrize(
    "poor",
    [
        "An agent for the local files and for the pages of the shop.",
        "To move forward, let me open the second page of the results again.",
        "Paul Soulos, Henry Conklin, Mattia Opper, Paul Smolensky, Jianfeng Gao",
        "returned by the second call and written to the table of the ledger",
        "Live Streaming Service Delivers Double Digit Growth In Every Region",
    ],
)
def test_a_fragment_a_headline_or_an_intention_of_one_session_is_no_insight(said, ada, poor):
    said(("run", poor), ("run", FOUND))
    assert [one.summary for one in ada.digest().insights] == [FOUND]
