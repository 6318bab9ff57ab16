"""Where a verified text was said: the words of verified texts around it there count for it, and no others."""

from datetime import timedelta

import pytest

from memsieve.model import Origin, TombstoneKind
from memsieve.testing.factories import NOW, agent, approval, chunks, person, tombstone
from memsieve.text.tokenize import tokenize

QUESTION = "Where shall the new harbour crane be built?"
ANSWER = "In Rotterdam, behind the old lighthouse."


def said(run, stores, text, minutes=0, session="council", project="apollo"):
    origin = None if session is None else Origin(session_id=session, at=NOW + timedelta(minutes=minutes))
    yes = approval(text, person(project), origin=origin)
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


def found(run, stores, query="harbour crane", project="apollo", since=None):
    hits = run(stores.longterm.search(agent(project), None, tokenize(query), 10, since))
    return {hit.content: hit.word_score for hit in hits}


def test_the_answer_is_found_by_the_words_of_its_question(stores, run):
    said(run, stores, QUESTION, 0)
    said(run, stores, ANSWER, 1)
    said(run, stores, "Thank you all.", 2)
    said(run, stores, "The tax office is closed.", 3)
    scores = found(run, stores)
    assert sorted(scores, key=scores.__getitem__, reverse=True) == [QUESTION, ANSWER, "Thank you all."]


def test_the_order_is_that_of_what_was_said_not_of_approval(stores, run):
    said(run, stores, "The tax office is closed.", 3)
    said(run, stores, "Thank you all.", 2)
    said(run, stores, ANSWER, 1)
    said(run, stores, QUESTION, 0)
    assert set(found(run, stores)) == {QUESTION, ANSWER, "Thank you all."}


@pytest.mark.parametrize(
    ("session", "minutes", "project"),
    [("board", 1, "apollo"), (None, 1, "apollo"), ("council", 60 * 24 + 1, "apollo"), ("council", 1, "gemini")],
    ids=["another session", "nowhere", "another day", "another project"],
)
def test_what_was_said_elsewhere_is_lent_nothing(stores, run, session, minutes, project):
    said(run, stores, QUESTION)
    said(run, stores, ANSWER, minutes, session, project)
    assert set(found(run, stores)) == {QUESTION}
    assert found(run, stores, project="gemini") == {}


def test_a_retired_memory_counts_for_none_and_those_around_it_move_together(stores, run):
    question = said(run, stores, QUESTION, 0)
    for minutes, text in enumerate(["Good point.", "Indeed.", ANSWER], 1):
        between = said(run, stores, text, minutes)
        if text == "Indeed.":
            indeed = between
    assert ANSWER not in found(run, stores)
    retire(run, stores, indeed)
    assert ANSWER in found(run, stores)
    retire(run, stores, question)
    assert found(run, stores) == {}


def retire(run, stores, memory):
    graves = [tombstone(chunk.content, chunk.id, TombstoneKind.RETIRED) for chunk in memory.chunks]
    assert run(stores.longterm.retire(person(), memory.id, "outdated", graves))


def test_many_approved_at_once_have_their_origins(stores, run):
    origins = [Origin(session_id="council", at=NOW + timedelta(minutes=minutes)) for minutes in (0, 1)]
    approved = [approval(text, origin=origin) for text, origin in zip((QUESTION, ANSWER), origins, strict=True)]
    assert run(stores.longterm.add_all(person(), [(yes, chunks(yes)) for yes in approved])) == 2
    assert set(found(run, stores)) == {QUESTION, ANSWER}
