"""What `ports.ServingLog` promises."""

from datetime import timedelta

import pytest

from memsieve.model import Source
from memsieve.testing.factories import NOW, admission, agent, answer, approval, chunks, entry, item, person, system


def promote(run, stores, text, project="apollo"):
    yes = approval(text, person(project))
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


def test_a_session_is_told_what_it_was_served_newest_first_and_once(stores, run):
    first, second = (promote(run, stores, text).chunks[0] for text in ("alpha", "beta"))
    for chunk in (first, second, first):
        run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)])))
    served = run(stores.servings.recently_served(agent(), session_id="s1", limit=10))
    assert [one.content for one in served] == ["alpha", "beta"]
    assert served[0].source is Source.COLD
    assert float(served[0].embedding @ first.embedding) == pytest.approx(1, abs=1e-3)


def test_a_hot_item_is_told_with_content_and_vector(stores, run):
    said = entry("alpha hot")
    run(stores.quarantine.add(agent(), said))
    run(stores.quarantine.decide(system(), said.id, admission(), said.embedding))
    run(stores.servings.log_answer(agent(), answer([item(said.id, said.content, Source.HOT)])))
    [served] = run(stores.servings.recently_served(agent(), session_id="s1", limit=10))
    assert (served.content, served.source) == ("alpha hot", Source.HOT)
    assert served.embedding is not None


def test_the_limit_counts_the_newest_servings(stores, run):
    parts = [promote(run, stores, f"alpha {number}").chunks[0] for number in range(5)]
    for chunk in parts:
        run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)])))
    served = run(stores.servings.recently_served(agent(), session_id="s1", limit=2))
    assert [one.content for one in served] == ["alpha 4", "alpha 3"]


def test_other_sessions_and_projects_were_served_nothing(stores, run):
    [chunk] = promote(run, stores, "alpha").chunks
    run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)])))
    run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)], session_id=None)))
    assert run(stores.servings.recently_served(agent(), session_id="s2", limit=10)) == []
    assert run(stores.servings.recently_served(agent("gemini"), session_id="s1", limit=10)) == []
    assert run(stores.servings.servings_of(person("gemini"), [chunk.id])) == []


def test_every_answer_that_held_an_item_is_told(stores, run):
    one, two = (promote(run, stores, text).chunks[0] for text in ("alpha", "beta"))
    first = answer([item(one.id, "alpha"), item(two.id, "beta")])
    second = answer([item(one.id, "alpha")], session_id=None, at=NOW + timedelta(hours=1))
    for each in (first, second):
        run(stores.servings.log_answer(agent(), each))
    servings = run(stores.servings.servings_of(person(), [one.id]))
    assert [(each.answer_id, each.session_id, each.at) for each in servings] == [
        (first.id, "s1", NOW),
        (second.id, None, NOW + timedelta(hours=1)),
    ]
    assert len(run(stores.servings.servings_of(person(), [one.id, two.id]))) == 3
    assert run(stores.servings.servings_of(person(), [])) == []
