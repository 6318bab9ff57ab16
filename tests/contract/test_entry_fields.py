"""Every field of an entry lies in every tier, and comes back: nobody writes a new one into a list by hand."""

from dataclasses import fields, replace
from datetime import timedelta

import pytest

from memsieve.model import Entry, EntryFilter, Layer, Vector
from memsieve.stores.redis import working
from memsieve.stores.spool.file import SpooledEntry, pack, unpack
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import NOW, admission, agent, person, system

# What a tier gives, by its own rules.
GIVEN = {"layer", "expires_at", "embedding", "verified", "promoted_at"}
BY_TYPE = {
    "str": lambda name: f"a {name} with “quotes”, 空格 and \\ and '",
    "float": lambda _: 0.625,
    "datetime": lambda _: NOW - timedelta(days=3, microseconds=7),
    "Mapping[str, Any]": lambda name: {name: [1.5, None, True, "ü"], "nested": {"a": ""}},
}


def said() -> Entry:
    """Return an entry of which no field has its default."""
    own = {field.name: str(field.type).removesuffix(" | None") for field in fields(Entry) if field.name not in GIVEN}
    made = {name: BY_TYPE[kind](name) for name, kind in own.items()}
    return Entry(**{**made, "id": "e1", "project_id": "apollo", "content": "The ledger runs on PostgreSQL."})


def test_an_entry_of_which_no_field_has_its_default_can_be_made():
    whole = said()
    for field in fields(Entry):
        if field.name not in GIVEN:
            assert getattr(whole, field.name) != field.default, field.name


def test_quarantine_keeps_every_field(stores, run):
    whole = said()
    run(stores.quarantine.add(agent(), whole))
    assert run(stores.quarantine.get(person(), whole.id)).entry == whole
    assert [receipt.entry for receipt in run(stores.quarantine.find(person(), EntryFilter()))] == [whole]


def test_quarantine_keeps_every_field_of_many(stores, run):
    many = [replace(said(), id=f"e{number}") for number in range(60)]
    run(stores.quarantine.add_all(agent(), many))
    assert [run(stores.quarantine.get(person(), one.id)).entry for one in many] == many


def test_quarantine_keeps_an_entry_with_no_more_than_it_needs(stores, run):
    least = Entry(id="e1", project_id="apollo", session_id="s", content="Little.", created_at=NOW)
    run(stores.quarantine.add_all(agent(), [least, replace(least, id="e2")]))
    run(stores.quarantine.add(agent(), replace(least, id="e3")))
    kept = [run(stores.quarantine.get(person(), name)).entry for name in ("e1", "e2", "e3")]
    assert kept == [replace(least, id=name) for name in ("e1", "e2", "e3")]


def test_working_memory_keeps_every_field(stores, run):
    whole = replace(said(), embedding=vector())
    run(stores.quarantine.add(agent(), whole))
    run(stores.quarantine.decide(system(), whole.id, admission(), vector()))
    run(stores.working.put(system(), whole, admission()))
    [kept] = run(stores.working.list(agent()))
    assert replace(kept, layer=Layer.QUARANTINE, expires_at=None) == whole
    assert kept.layer is Layer.WORKING
    assert kept.embedding is not None
    assert abs(float(kept.embedding @ vector()) - 1) < 1e-3


def test_the_spool_keeps_every_field():
    kept = SpooledEntry(scope=agent(), entry=said(), idempotency_key="k")
    assert unpack(pack(kept.document())[:-1]) == kept


def optional() -> list[str]:
    """Return the fields that an entry of an earlier version may lack."""
    needed = {"id", "project_id", "session_id", "content", "created_at"}
    return [field.name for field in fields(Entry) if field.name not in needed | GIVEN]


@pytest.mark.parametrize("name", optional())
def test_a_line_of_the_spool_from_before_a_field_was_there_is_read(name):
    whole = SpooledEntry(scope=agent(), entry=said(), idempotency_key=None)
    earlier = whole.document()
    del earlier["entry"][name]
    assert unpack(pack(earlier)[:-1]).entry == replace(whole.entry, **{name: default(name)})


@pytest.mark.parametrize("name", optional())
def test_an_entry_in_redis_from_before_a_field_was_there_is_read(name):
    packed = working.unpack(working.pack(said(), "words"), "apollo")
    del packed.text[name]
    read = working.entry_from(packed, "apollo", 0, "words")
    assert replace(read, layer=Layer.QUARANTINE, expires_at=None) == replace(said(), **{name: default(name)})


def test_an_entry_in_redis_from_a_later_version_is_read_without_what_this_one_does_not_know():
    packed = working.unpack(working.pack(said(), "words"), "apollo")
    packed.text["later"] = "x"
    read = working.entry_from(packed, "apollo", 0, "words")
    assert replace(read, layer=Layer.QUARANTINE, expires_at=None) == said()


def default(name: str) -> object:
    bare = Entry(id="e1", project_id="apollo", session_id="s", content="x", created_at=NOW)
    return getattr(bare, name)


def vector() -> Vector:
    return WordEmbedder().vector("The ledger runs on PostgreSQL.")
