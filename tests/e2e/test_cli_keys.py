"""`memsieve keys`: a key is shown once, listed without its secret, and revoked for good."""

import contextlib
import json
import sqlite3

import pytest

from memsieve.config import Settings
from memsieve.memory import Memory

MAKE = ("keys", "make", "--name", "crawler", "--role", "agent", "--project", "apollo", "--by", "ada")
ADMIN = ("keys", "make", "--name", "ada@example.org", "--role", "admin", "--by", "ada")


def test_a_key_is_shown_once_with_a_note_and_opens_the_memory(cli):
    made = cli.run(*MAKE)
    document = json.loads(made.stdout)
    text = document["text"]
    assert set(document["key"]) == {
        *("id", "name", "role", "project_id", "made_at", "made_by", "last_used_at", "revoked_at", "revoked_by")
    }
    assert made.stdout.count(text) == 1
    assert text not in made.stderr
    assert "not shown again" in made.stderr
    with Memory.open(cli.data, settings=Settings()) as memory:
        assert memory.keys.identify(text).name == "crawler"
    assert text.rpartition("_")[2] not in cli.run("keys", "list").output


def test_keys_are_listed_by_project_or_all_and_newest_first(cli):
    one, two = (cli.json(*command)["key"]["id"] for command in (MAKE, ADMIN))
    assert [key["id"] for key in cli.json("keys", "list")["keys"]] == [two, one]
    assert [key["id"] for key in cli.json("keys", "list", "--group", "apollo")["keys"]] == [one]
    assert cli.json("keys", "list", "--project", "gemini") == {"keys": []}


def test_a_revoked_key_stays_listed_and_the_first_who_revoked_it_stands(cli):
    made = cli.json(*MAKE)
    key_id = made["key"]["id"]
    for who in ("bob", "eve"):
        assert cli.json("keys", "revoke", "--by", who, key_id)["key"]["revoked_by"] == "bob"
    [listed] = cli.json("keys", "list")["keys"]
    assert listed["revoked_by"] == "bob"
    with Memory.open(cli.data, settings=Settings()) as memory:
        assert memory.keys.identify(made["text"]) is None


def test_what_was_done_with_keys_stands_in_the_audit_log_and_the_servers_own_is_verified(cli):
    key, admin = (cli.json(*command)["key"]["id"] for command in (MAKE, ADMIN))
    cli.run("keys", "revoke", "--by", "bob", key)
    of_project, of_server = (
        [(event["actor"], event["action"], event["subject"]) for event in cli.json(*log)["events"]]
        for log in (("audit", "log", "--project", name) for name in ("apollo", "memsieve:server"))
    )
    assert of_project == [("ada", "key made", key), ("bob", "key revoked", key)]
    assert of_server == [("ada", "key made", admin)]
    verified = cli.json("audit", "verify")["projects"]
    assert [(one["project_id"], one["whole"], one["events"]) for one in verified] == [
        ("apollo", True, 2),
        ("memsieve:server", True, 1),
    ]
    findings = {finding["name"]: finding["health"] for finding in cli.json("doctor")["findings"]}
    assert (findings["audit of apollo"], findings["audit of memsieve:server"]) == ("ok", "ok")


def test_a_log_of_keys_alone_that_was_changed_is_noticed(cli):
    for command in (MAKE, ADMIN):
        cli.json(*command)
    with contextlib.closing(sqlite3.connect(cli.data / "memsieve.db")) as connection, connection:
        connection.execute("DROP TRIGGER audit_log_is_never_changed")
        connection.execute("UPDATE audit_log SET actor = 'mallory'")
    verified = cli.json("audit", "verify", code=8)["projects"]
    assert {one["project_id"]: one["whole"] for one in verified} == {"apollo": False, "memsieve:server": False}
    findings = {finding["name"]: finding["health"] for finding in cli.json("doctor", code=8)["findings"]}
    assert (findings["audit of apollo"], findings["audit of memsieve:server"]) == ("fail", "fail")


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        (("keys", "make", "--name", "x", "--role", "agent", "--by", "ada"), 2, "for one project"),
        ((*ADMIN, "--project", "apollo"), 2, "for all projects"),
        (("keys", "make", "--name", "x", "--role", "root", "--by", "ada"), 2, "--role"),
        (("keys", "make", "--name", "x", "--role", "admin"), 2, "--by"),
        (("keys", "make", "--name", " ", "--role", "admin", "--by", "ada"), 2, "name is empty"),
        (("keys", "revoke", "--by", "ada", "00000000"), 3, "memsieve keys list"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_do(cli, command, code, told):
    assert told in cli.refused(*command, code=code)


def test_nothing_is_recorded_in_the_servers_own_log(cli):
    text = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
    assert "Name a project" in cli.refused("record", "--project", "memsieve:server", text, code=5)


def test_at_a_terminal_people_see_the_key_and_the_list(on_terminal):
    assert "There are no keys yet" in on_terminal("keys", "list")
    shown = on_terminal(*MAKE)
    text = next(line for line in shown.splitlines() if line.startswith("msv_"))
    assert shown.count(text) == 1
    assert "agent crawler, project apollo" in shown
    assert "all projects" in on_terminal(*ADMIN)
    listed = on_terminal("keys", "list")
    assert text[4:12] in listed
    assert text not in listed
    assert "revoked by bob" in " ".join(on_terminal("keys", "revoke", "--by", "bob", text[4:12]).split())
