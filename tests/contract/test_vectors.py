"""What `ports.VectorStore` promises."""

from dataclasses import replace

import numpy as np
import pytest

from memsieve.errors import MemsieveError
from memsieve.model import Decision, EntryFilter
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import (
    admission,
    agent,
    approval,
    chunks,
    digest,
    entry,
    insight,
    person,
    system,
    tombstone,
)
from memsieve.text.tokenize import tokenize


class Others(WordEmbedder):
    """Has other directions for the same words: its vectors are strangers to those of `words`."""

    name = "others"

    def _direction(self, word):
        return super()._direction(f"other {word}")


def say(run, stores, text, project="apollo", decision=Decision.REFUSED):
    said = entry(text, project_id=project)
    run(stores.quarantine.add(agent(project), said))
    run(stores.quarantine.decide(system(project), said.id, admission(decision), said.embedding))
    return said


def work(run, stores, clock, text, project="apollo"):
    said = say(run, stores, text, project, Decision.ADMITTED)
    run(stores.working.put(system(project), said, admission()))
    clock.advance(seconds=1)
    return said


def keep(run, stores, text, project="apollo"):
    yes = approval(text, person(project))
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


def bury(run, stores, text, project="apollo"):
    return run(stores.tombstones.add(person(project), tombstone(text, scope=person(project))))


def digested(run, stores, said, text, project="apollo"):
    made = insight([said], text, project_id=project)
    run(stores.digests.save(system(project), digest(made, project_id=project)))
    return made


def fill(run, stores, clock):
    """Write two texts of every kind into two projects."""
    for project in ("apollo", "gemini"):
        for number in ("one", "two"):
            said = work(run, stores, clock, f"{project} works {number}", project)
            digested(run, stores, said, f"{project} digests {number}", project)
            keep(run, stores, f"{project} keeps {number}", project)
            bury(run, stores, f"{project} buries {number}", project)


def all_stale(run, stores, page=100):
    found, last = [], None
    while texts := run(stores.vectors.next_stale(last, page)):
        found += texts
        last = texts[-1]
    return found


def made(texts):
    return [(text, Others().vector(text.content)) for text in texts]


def test_what_this_embedder_has_seen_is_not_stale(stores, run, clock):
    fill(run, stores, clock)
    say(run, stores, "数据库")
    assert run(stores.vectors.stale()) == 0
    assert run(stores.vectors.next_stale(None, 10)) == []


def test_what_another_embedder_has_seen_is_stale_even_if_it_could_not_read_it(stores, changed, run):
    say(run, stores, "数据库")
    say(run, stores, "the ledger")
    assert run(changed.vectors.stale()) == 2
    assert [(text.content, text.embedder) for text in all_stale(run, changed)] == [
        ("the ledger", "words"),
        ("数据库", "words"),
    ]


def test_an_undecided_entry_that_no_embedder_has_seen_is_not_stale(stores, changed, run):
    run(stores.quarantine.add(agent(), entry("one")))
    put_off = entry("two")
    run(stores.quarantine.add(agent(), put_off))
    run(stores.quarantine.decide(system(), put_off.id, admission(Decision.PENDING), None))
    assert run(changed.vectors.stale()) == 0
    assert all_stale(run, changed) == []


@pytest.mark.parametrize("page", [1, 5, 100])
def test_memories_come_first_and_quarantine_last_from_the_newest_back(stores, changed, run, clock, page):
    fill(run, stores, clock)
    texts = [text.content for text in all_stale(run, changed, page)]
    assert len(texts) == run(changed.vectors.stale()) == 20
    assert {text.split()[1] for text in texts[:4]} == {"keeps"}
    assert {text.split()[1] for text in texts[4:8]} == {"buries"}
    newest_first = ["gemini works two", "gemini works one", "apollo works two", "apollo works one"]
    assert texts[8:12] == [text.replace("works", "digests") for text in newest_first]
    assert texts[12:16] == texts[16:] == newest_first


def test_texts_of_several_former_embedders_come_in_one_order(stores, changed, engine, data, clock, run):
    for number in range(3):
        say(run, stores, f"words {number}")
        say(run, changed, f"others {number}")
    opened = engine(data, clock, "newest")
    newest = run(opened.__aenter__())
    found = [text.content for text in all_stale(run, newest, 2)]
    assert run(newest.vectors.stale()) == 6
    run(opened.__aexit__(None, None, None))
    assert found == ["others 2", "words 2", "others 1", "words 1", "others 0", "words 0"]


def test_what_comes_after_a_text_does_not_depend_on_its_being_there_still(stores, changed, run):
    first = say(run, stores, "one")
    second = say(run, stores, "two")
    [newest] = run(changed.vectors.next_stale(None, 1))
    run(stores.quarantine.delete(person(), second.id, "wrong"))
    assert [text.content for text in run(changed.vectors.next_stale(newest, 10))] == [first.content]


def test_a_vector_in_place_is_no_longer_stale_and_nothing_else_changed(stores, changed, run, clock):
    fill(run, stores, clock)

    def everything(project):
        return (
            [
                (replace(one.entry, embedding=None), one.admission, one.review)
                for one in run(changed.quarantine.find(person(project), EntryFilter(limit=100)))
            ],
            [replace(one, embedding=None) for one in run(changed.working.list(agent(project)))],
            [
                replace(one, chunks=tuple(replace(chunk, embedding=None) for chunk in one.chunks))
                for one in run(changed.longterm.find(person(project), None, 100))
            ],
            [replace(one, embedding=None) for one in run(changed.tombstones.nearest(agent(project), None, ["two"], 9))],
            run(changed.audit.events(person(project))),
            run(changed.digests.insights(person(project), decided=False)),
        )

    before = [everything(project) for project in ("apollo", "gemini")]
    texts = all_stale(run, changed)
    assert run(changed.vectors.put(made(texts))) == texts
    assert run(changed.vectors.stale()) == 0
    assert [everything(project) for project in ("apollo", "gemini")] == before
    [kept, *_] = run(changed.quarantine.find(person(), EntryFilter(limit=1)))
    assert float(kept.entry.embedding @ Others().vector(kept.entry.content)) == pytest.approx(1, abs=1e-3)


def test_a_text_that_cannot_be_read_is_seen_and_has_no_vector(stores, changed, run):
    said = say(run, stores, "one two")
    [text] = all_stale(run, changed)
    assert run(changed.vectors.put([(text, None)])) == [text]
    assert run(changed.vectors.stale()) == 0
    assert run(changed.quarantine.get(person(), said.id)).entry.embedding is None
    assert run(stores.vectors.stale()) == 1


def test_a_text_deleted_meanwhile_stays_deleted_and_holds_up_no_other(stores, changed, run, clock):
    gone = work(run, stores, clock, "one")
    work(run, stores, clock, "two")
    texts = all_stale(run, changed)
    run(stores.quarantine.delete(person(), gone.id, "wrong"))
    run(stores.working.forget(system(), [gone.id]))
    assert [text.content for text in run(changed.vectors.put(made(texts)))] == ["two", "two"]
    assert run(changed.quarantine.get(person(), gone.id)) is None
    assert [one.content for one in run(changed.working.list(agent()))] == ["two"]


def test_forgetting_a_former_embedder_leaves_the_vectors_of_the_one_in_use(stores, changed, run):
    keep(run, stores, "one two")
    run(changed.vectors.put(made(all_stale(run, changed))))
    dropped = run(changed.vectors.forget("words"))
    # One vector a text, or one for each embedder: that is the engine's own affair.
    assert dropped in {0, 1}
    assert run(changed.vectors.forget("words")) == 0
    [hit] = run(changed.longterm.search(agent(), Others().vector("one two"), (), 1))
    assert hit.similarity == pytest.approx(1, abs=1e-3)
    assert run(changed.vectors.stale()) == 0


def test_a_text_seen_by_another_embedder_meanwhile_is_left_alone(stores, changed, changed_too, run):
    said = say(run, stores, "one two")
    texts = all_stale(run, changed)
    assert run(changed_too.vectors.put(made(texts))) == texts
    assert run(changed.vectors.put([(texts[0], np.ones(512, np.float32))])) == []
    kept = run(changed.quarantine.get(person(), said.id)).entry.embedding
    assert float(kept @ Others().vector("one two")) == pytest.approx(1, abs=1e-3)


def test_an_entry_decided_meanwhile_keeps_the_vector_of_the_decision(stores, changed, run):
    said = say(run, stores, "one two", decision=Decision.PENDING)
    [text] = all_stale(run, changed)
    run(changed.quarantine.decide(system(), said.id, admission(), Others().vector("one two")))
    assert run(changed.vectors.put([(text, None)])) == []
    assert run(changed.quarantine.get(person(), said.id)).entry.embedding is not None


def test_vectors_are_put_all_or_none(stores, changed, run):
    say(run, stores, "one")
    say(run, stores, "two")
    first, second = all_stale(run, changed)
    with pytest.raises(MemsieveError):
        run(changed.vectors.put(made([first, replace(second, kind="nowhere")])))
    assert run(changed.vectors.stale()) == 2


def test_searches_in_every_process_use_the_new_vectors_once_a_project_has_them_all(
    stores, changed, changed_too, run, clock
):
    fill(run, stores, clock)
    query, words = Others().vector("apollo keeps one"), tokenize("apollo keeps one")

    def seen(opened):
        similarities = {hit.content: hit.similarity for hit in run(opened.longterm.search(agent(), query, words, 1))}
        graves = run(opened.tombstones.nearest(agent(), Others().vector("apollo buries one"), [], 1))
        vectors = [one.embedding for one in run(opened.working.list(agent()))]
        return similarities, [grave.content for grave in graves], [vector is not None for vector in vectors]

    by_words = ({"apollo keeps one": None}, [], [False, False])
    assert seen(changed) == seen(changed_too) == by_words
    texts = [text for text in all_stale(run, changed) if text.project_id == "apollo"]
    run(changed.vectors.put(made(texts[:1])))
    run(changed.vectors.put(made(texts[1:])))
    for opened in (changed, changed_too):
        similarities, graves, working = seen(opened)
        assert similarities["apollo keeps one"] == pytest.approx(1, abs=1e-3)
        assert graves == ["apollo buries one"]
        assert working == [True, True]


def test_a_settled_insight_gets_its_new_vector_and_keeps_its_decision(stores, changed, run):
    one = digested(run, stores, say(run, stores, "one two"), "three four")
    run(stores.tombstones.add(person(), tombstone("three four", one.id)))
    before = run(changed.digests.get(person(), one.id))
    run(changed.vectors.put(made(all_stale(run, changed))))
    kept = run(changed.digests.get(person(), one.id))
    assert kept == before
    assert float(kept.embedding @ Others().vector("three four")) == pytest.approx(1, abs=1e-3)


def test_an_insight_that_is_made_anew_meanwhile_keeps_its_new_vector(stores, changed, run):
    said = say(run, stores, "one two")
    old = digested(run, stores, said, "three four")
    texts = all_stale(run, changed)
    new = insight([said], "three four", id=old.id, embedding=Others().vector("three four"))
    run(changed.digests.save(system(), digest(new)))
    assert [text.kind for text in run(changed.vectors.put(made(texts)))] == ["quarantine_logs"]
    kept = run(changed.digests.get(person(), old.id)).embedding
    assert float(kept @ Others().vector("three four")) == pytest.approx(1, abs=1e-3)
