"""What `ports.KeyStore` promises."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from memsieve.errors import Conflict
from memsieve.model import SERVER_PROJECT, KeyRole
from memsieve.testing.factories import NOW, api_key, person

HASH = bytes(range(32))
LATER = NOW + timedelta(hours=1)
ADMIN = api_key("9admin00", role=KeyRole.ADMIN, project_id=None, name="ada@example.org")


def add(run, stores, *keys):
    for key in keys:
        run(stores.keys.add(key, HASH))


def events(run, stores, project="apollo"):
    return run(stores.audit.events(person(project)))


def told(run, stores, project="apollo"):
    return [(event.actor, event.action, event.subject) for event in events(run, stores, project)]


@pytest.mark.parametrize("key", [api_key(role=role) for role in KeyRole if role is not KeyRole.ADMIN] + [ADMIN])
def test_a_key_is_found_by_its_id_with_its_hash(stores, other_process, run, key):
    add(run, stores, key)
    assert run(stores.keys.get(key.id)) == run(other_process.keys.get(key.id)) == (key, HASH)


@pytest.mark.parametrize("key_id", ["unknown0", "", "x" * 200, "ключ"])
def test_an_unknown_id_finds_and_revokes_nothing_and_is_not_used(stores, run, key_id):
    assert run(stores.keys.get(key_id)) is None
    assert run(stores.keys.revoke(key_id, "ada", NOW)) is None
    run(stores.keys.used(key_id, NOW))
    assert run(stores.keys.list()) == []


def test_that_a_key_was_made_stands_in_its_projects_log_and_nowhere_else(stores, run):
    add(run, stores, api_key())
    assert told(run, stores) == [("ada", "key made", "3f9k2m7q")]
    [event] = events(run, stores)
    assert event.detail == {"name": "crawler", "role": "agent"}
    assert (event.at, event.digest) == (NOW, event.expected_digest())
    assert told(run, stores, "gemini") == told(run, stores, SERVER_PROJECT) == []


def test_that_an_admins_key_was_made_and_revoked_stands_in_the_servers_own_log(stores, run):
    add(run, stores, ADMIN)
    run(stores.keys.revoke(ADMIN.id, "bob", LATER))
    assert told(run, stores, SERVER_PROJECT) == [("ada", "key made", ADMIN.id), ("bob", "key revoked", ADMIN.id)]


def test_keys_and_other_deeds_are_one_chain(stores, run):
    add(run, stores, api_key("11111111"), api_key("22222222"))
    run(stores.keys.revoke("11111111", "bob", LATER))
    chain = events(run, stores)
    assert [event.sequence for event in chain] == [1, 2, 3]
    assert [event.previous for event in chain[1:]] == [event.digest for event in chain[:-1]]
    assert all(event.digest == event.expected_digest() for event in chain)


def test_keys_are_listed_newest_first_by_project_or_all(stores, run):
    old, new = api_key("aaaaaaa1"), api_key("aaaaaaa2", made_at=LATER)
    other = api_key("aaaaaaa3", project_id="gemini", made_at=LATER + timedelta(hours=1))
    add(run, stores, new, other, old, ADMIN)
    assert run(stores.keys.list()) == [other, new, *sorted((old, ADMIN), key=lambda key: key.id)]
    assert run(stores.keys.list("apollo")) == [new, old]
    assert run(stores.keys.list("voyager")) == []


def test_a_known_id_is_refused_and_changes_nothing(stores, run):
    add(run, stores, api_key())
    before = told(run, stores)
    with pytest.raises(Conflict):
        add(run, stores, api_key(name="mallory"))
    assert run(stores.keys.get("3f9k2m7q")) == (api_key(), HASH)
    assert told(run, stores) == before


@pytest.mark.parametrize(
    "wrong",
    [
        api_key(project_id=None),
        api_key(role=KeyRole.REVIEWER, project_id=None),
        replace(ADMIN, project_id="apollo"),
        api_key(project_id=SERVER_PROJECT),
    ],
)
def test_only_an_admins_key_is_for_no_project_and_it_always_is(stores, run, wrong):
    with pytest.raises(Conflict):
        add(run, stores, wrong)
    assert run(stores.keys.list()) == []
    assert told(run, stores) == told(run, stores, SERVER_PROJECT) == []


def test_a_revoked_key_says_by_whom_and_when_and_stays_listed(stores, other_process, run):
    add(run, stores, api_key())
    gone = replace(api_key(), revoked_at=LATER, revoked_by="bob")
    assert run(stores.keys.revoke("3f9k2m7q", "bob", LATER)) == gone
    assert run(other_process.keys.get("3f9k2m7q")) == (gone, HASH)
    assert run(other_process.keys.list()) == [gone]
    assert told(run, stores)[1:] == [("bob", "key revoked", "3f9k2m7q")]


def test_revoking_twice_changes_nothing(stores, other_process, run):
    add(run, stores, api_key())
    first = run(stores.keys.revoke("3f9k2m7q", "bob", NOW))
    assert run(other_process.keys.revoke("3f9k2m7q", "eve", LATER)) == first
    assert len(told(run, stores)) == 2


def test_of_many_who_revoke_at_once_one_is_first(stores, other_process, run):
    add(run, stores, api_key())

    async def all_at_once():
        doors = (stores, other_process) * 4
        return await asyncio.gather(
            *(door.keys.revoke("3f9k2m7q", f"person{number}", LATER) for number, door in enumerate(doors))
        )

    assert len(set(run(all_at_once()))) == 1
    assert len(told(run, stores)) == 2


def test_keys_that_are_made_at_once_are_one_chain(stores, other_process, run):
    async def all_at_once():
        doors = (stores, other_process) * 4
        await asyncio.gather(*(door.keys.add(api_key(f"0000000{n}"), HASH) for n, door in enumerate(doors)))

    run(all_at_once())
    assert [event.sequence for event in events(run, stores)] == list(range(1, 9))


def test_the_latest_use_stands(stores, other_process, run):
    add(run, stores, api_key())
    run(stores.keys.used("3f9k2m7q", LATER))
    run(other_process.keys.used("3f9k2m7q", NOW))
    [(key, _)] = [run(stores.keys.get("3f9k2m7q"))]
    assert key == replace(api_key(), last_used_at=LATER)
    run(other_process.keys.used("3f9k2m7q", LATER + timedelta(seconds=1)))
    assert run(stores.keys.list())[0].last_used_at == LATER + timedelta(seconds=1)


def test_a_use_is_not_audited(stores, run):
    add(run, stores, api_key())
    run(stores.keys.used("3f9k2m7q", LATER))
    assert len(told(run, stores)) == 1


def test_a_name_in_any_language_is_kept(stores, run):
    key = api_key(name="李雷 <li@example.org>", project_id="项目", made_by="Zoë")
    add(run, stores, key)
    assert run(stores.keys.list("项目")) == [key]
