"""Keys are made, recognised and revoked; their secrets are known to nobody else."""

import asyncio
import re
from datetime import timedelta

import pytest

from memsieve import keyring
from memsieve.config import Settings
from memsieve.errors import Forbidden, InvalidInput, NotFound, StoreUnavailable
from memsieve.keyring import Keyring
from memsieve.memory import AsyncMemory
from memsieve.model import SERVER_PROJECT, Entry, KeyRole
from memsieve.stores.sqlite.database import FILE_NAME, Database
from memsieve.stores.sqlite.keys import SqliteKeys
from memsieve.testing.factories import NOW

MADE = {"name": "crawler", "role": KeyRole.AGENT, "project_id": "apollo", "by": "ada"}


class Watched(SqliteKeys):
    """Real keys that count how often their use is noted, and can fail at it."""

    def __init__(self, database):
        super().__init__(database)
        self.noted = []
        self.full = False

    async def used(self, key_id, at):
        self.noted.append(key_id)
        if self.full:
            raise StoreUnavailable("The disk is full.")
        await super().used(key_id, at)


@pytest.fixture
def store(data, run):
    database = Database(data)
    run(database.open())
    yield Watched(database)
    run(database.close())


@pytest.fixture
def keys(store, clock):
    return Keyring(store, clock)


def make(run, keys, **fields):
    return run(keys.make(**{**MADE, **fields}))


def test_a_key_that_was_made_is_identified(keys, run, clock):
    key, text = make(run, keys)
    assert (key.name, key.role, key.project_id, key.made_by) == ("crawler", KeyRole.AGENT, "apollo", "ada")
    assert key.made_at == clock.now
    assert run(keys.identify(text)) == key


def test_its_text_begins_with_its_id_and_holds_a_long_secret(keys, run):
    made = [make(run, keys) for _ in range(20)]
    for key, text in made:
        assert re.fullmatch(rf"msv_{key.id}_[0-9a-z]{{52}}", text)
    assert len({key.id for key, _ in made}) == len({text[13:] for _, text in made}) == 20


def test_the_secret_is_written_nowhere(keys, run, data):
    key, text = make(run, keys)
    run(keys.identify(text))
    run(keys.revoke(key.id, by="bob"))
    secret = text.rpartition("_")[2]
    files = [file.read_bytes() for file in data.glob(f"{FILE_NAME}*")]
    assert any(key.id.encode() in content for content in files)
    assert not any(secret.encode() in content for content in files)
    assert secret not in repr(run(keys.list()))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1] + ("0" if text[-1] != "0" else "1"),
        lambda text: text[:-1],
        lambda text: f"{text}0",
        lambda text: text.upper(),
        lambda text: f" {text}",
        lambda text: f"{text}\n",
        lambda text: text.replace("msv_", "sk_"),
        lambda text: text.partition("_")[2],
        lambda text: "msv_00000000" + text[12:],
        lambda text: "msv_local_" + text[13:],
        lambda text: text[:13],
        lambda _: "",
        lambda _: "msv__",
        lambda _: "\ud800",
        lambda text: text[:-1] + "٣",
        lambda text: text * 10_000,
    ],
)
def test_nothing_but_the_whole_text_is_identified(keys, run, change):
    _, text = make(run, keys)
    assert run(keys.identify(change(text))) is None


def test_the_secret_of_another_key_does_not_open(keys, run):
    (_, one), (_, two) = make(run, keys), make(run, keys)
    assert run(keys.identify(one[:13] + two[13:])) is None


def test_whether_a_secret_fits_is_compared_in_constant_time_also_for_unknown_keys(keys, run, monkeypatch):
    compared = []
    real = keyring.hmac.compare_digest
    monkeypatch.setattr(keyring.hmac, "compare_digest", lambda *both: compared.append(both) or real(*both))
    _, text = make(run, keys)
    for tried in (text, "msv_00000000" + text[12:]):
        run(keys.identify(tried))
    assert [[len(one) for one in both] for both in compared] == [[32, 32], [32, 32]]


def test_a_revoked_key_opens_nothing_at_once(keys, run):
    key, text = make(run, keys)
    assert run(keys.revoke(key.id, by="bob")).revoked_by == "bob"
    assert run(keys.identify(text)) is None
    assert run(keys.revoke(key.id, by="eve")).revoked_by == "bob"


def test_an_unknown_key_cannot_be_revoked_and_the_error_says_where_to_look(keys, run):
    with pytest.raises(NotFound, match="memsieve keys list") as caught:
        run(keys.revoke("00000000", by="bob"))
    assert caught.value.subject == "00000000"


def test_the_use_of_a_key_is_noted_at_most_once_a_minute(keys, store, run, clock):
    key, text = make(run, keys)
    for _ in range(3):
        run(keys.identify(text))
    assert store.noted == [key.id]
    assert run(keys.list())[0].last_used_at == clock.now
    clock.now += timedelta(seconds=59)
    run(keys.identify(text))
    assert store.noted == [key.id]
    clock.now += timedelta(seconds=1)
    run(keys.identify(text))
    assert store.noted == [key.id] * 2
    assert run(keys.list())[0].last_used_at == clock.now


def test_of_many_requests_at_once_one_notes_the_use(keys, store, run):
    _, text = make(run, keys)

    async def all_at_once():
        return await asyncio.gather(*(keys.identify(text) for _ in range(20)))

    assert None not in run(all_at_once())
    assert len(store.noted) == 1


def test_what_another_process_noted_is_not_noted_again(keys, store, run, clock):
    _, text = make(run, keys)
    run(keys.identify(text))
    run(Keyring(store, clock).identify(text))
    assert len(store.noted) == 1


def test_the_use_of_a_wrong_or_revoked_key_is_not_noted(keys, store, run):
    key, text = make(run, keys)
    run(keys.identify(text[:-1] + ("0" if text[-1] != "0" else "1")))
    run(keys.revoke(key.id, by="bob"))
    run(keys.identify(text))
    assert store.noted == []


def test_a_use_that_cannot_be_noted_keeps_nobody_out_and_is_logged(keys, store, run, caplog):
    key, text = make(run, keys)
    store.full = True
    assert run(keys.identify(text)) == key
    assert key.id in caplog.text
    assert text not in caplog.text


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"by": ""}, "by"),
        ({"role": "root"}, "role"),
        ({"project_id": "a b"}, "project_id"),
        ({"project_id": None}, "project_id"),
        ({"role": KeyRole.ADMIN}, "project_id"),
        ({"project_id": SERVER_PROJECT}, "project_id"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(keys, run, fields, field):
    with pytest.raises(InvalidInput) as caught:
        make(run, keys, **fields)
    assert caught.value.field == field
    assert run(keys.list()) == []


def test_names_are_kept_in_their_one_spelling(keys, run):
    key, _ = make(run, keys, name=" crawler ", project_id=" apollo ", by=" ada ")
    assert (key.name, key.project_id, key.made_by) == ("crawler", "apollo", "ada")
    assert run(keys.revoke(key.id, by=" bob ")).revoked_by == "bob"


def test_there_is_a_living_key_once_one_was_made_and_until_all_are_revoked(keys, run):
    assert not run(keys.any())
    one, _ = make(run, keys)
    two, _ = make(run, keys, role=KeyRole.ADMIN, project_id=None)
    run(keys.revoke(one.id, by="bob"))
    assert run(keys.any())
    run(keys.revoke(two.id, by="bob"))
    assert not run(keys.any())


def test_a_memory_has_its_keys_for_asynchronous_and_synchronous_code(memory, data, run, small_embedder):
    key, text = memory.keys.make(**MADE)
    assert memory.keys.identify(text).id == key.id
    assert memory.keys.any()

    async def asked():
        async with AsyncMemory.open(data, settings=Settings()) as opened:
            return await opened.keys.identify(text)

    assert run(asked()).id == key.id
    assert memory.keys.revoke(key.id, by="bob") == memory.keys.list("apollo")[0]


@pytest.mark.usefixtures("small_embedder")
def test_nothing_is_remembered_in_the_servers_own_log(memory):
    server, operator = memory.project(SERVER_PROJECT), memory.maintenance(SERVER_PROJECT)
    old = Entry(
        id="1", project_id=SERVER_PROJECT, session_id="s", content="Said long ago.", created_at=NOW - timedelta(days=9)
    )
    for deed in (
        lambda: server.record("The board approved the budget of the fleet.", session_id="s"),
        lambda: operator.import_entry(old),
        lambda: operator.import_history([old]),
        lambda: server.review(by="ada").promote_text("The board approved it."),
        lambda: operator.import_texts(["The board approved it."], by="ada"),
    ):
        with pytest.raises(Forbidden, match="Name a project"):
            deed()
    assert memory.projects() == []
    assert server.review(by="ada@example.org").audit_log() == []


def test_a_key_that_was_valid_is_remembered_for_minutes_and_forgotten_when_it_is_not(store, run, clock):
    keys = Keyring(store, clock, max_remembered=2)
    key, text = make(run, keys)
    assert keys.remembered(text) is None
    run(keys.identify(text))
    assert keys.remembered(text) == key
    assert keys.remembered(text[:-1] + ("0" if text[-1] != "0" else "1")) is None
    assert keys.remembered("no key") is None
    clock.advance(seconds=keyring.REMEMBERED_FOR.total_seconds() + 1)
    assert keys.remembered(text) is None
    run(keys.identify(text))
    run(keys.revoke(key.id, by="ada"))
    run(keys.identify(text))
    assert keys.remembered(text) is None
    texts = [make(run, keys)[1] for _ in range(3)]
    for one in texts:
        run(keys.identify(one))
    assert [keys.remembered(one) is not None for one in texts] == [False, True, True]
