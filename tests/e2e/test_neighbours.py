"""A verified text is found by the words around it in its session, if they are verified, too."""

import pytest

QUESTION = "Melanie asked where the new harbour crane of the northern company shall be built next spring."
ANSWER = "In Rotterdam, right behind the old lighthouse, said Caroline, since the ground there is firm."
WORDS = "harbour crane of the northern company"


@pytest.fixture
def said(small_embedder, memory):
    project = memory.project("apollo")
    ids = [project.record(text, session_id="council", confidence=0.9).entry.id for text in (QUESTION, ANSWER)]
    return project, ids


def score(project, text):
    """Return how much of the question a verified text holds, itself or by its neighbours."""
    items = project.retrieve(WORDS, max_results=10).items
    return sum(item.word_score for item in items if item.verified and item.content == text)


def test_an_unverified_neighbour_steers_nothing_and_a_verified_one_does(said):
    project, (question, answer) = said
    project.review(by="ada").promote(answer)
    alone = score(project, ANSWER)
    project.review(by="ada").promote(question)
    beside = score(project, ANSWER)
    assert beside > alone
    project.review(by="ada").retire(question, reason="wrong")
    assert score(project, ANSWER) == pytest.approx(alone)


def test_a_text_that_a_person_typed_was_said_nowhere(said):
    project, (question, _) = said
    project.review(by="ada").promote(question)
    project.review(by="ada").promote_text(ANSWER)
    assert score(project, ANSWER) == 0.0


def test_what_several_entries_say_was_said_in_no_one_place(small_embedder, memory):
    project = memory.project("apollo")
    for session in ("one", "two", "three"):
        project.record(QUESTION, session_id=session, agent_id=session, confidence=0.9)
        project.record(ANSWER, session_id=session, agent_id=session, confidence=0.9)
    insights = {insight.summary: insight for insight in project.review(by="ada@example.org").digest().insights}
    for insight in insights.values():
        project.review(by="ada").promote(insight.id)
    assert all(len(insight.sources) > 1 for insight in insights.values())
    assert score(project, ANSWER) == 0.0
