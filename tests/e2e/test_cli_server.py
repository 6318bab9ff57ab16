"""`--server`: the same commands on a server, with the same answers, and no word of the key anywhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memsieve.cli.app import app
from memsieve.config import read_settings

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
APOLLO = ("--project", "apollo")


class Remote:
    """Runs commands, on a server where one is named."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def run(self, *arguments: str, code: int = 0, stdin: str | None = None) -> Any:
        result = CliRunner().invoke(app, [*arguments, *self.options], input=stdin)
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments: str, stdin: str | None = None) -> Any:
        return json.loads(self.run(*arguments, stdin=stdin).stdout)

    def refused(self, *arguments: str, code: int) -> str:
        result = self.run(*arguments, code=code)
        assert result.stdout == ""
        return result.stderr


@pytest.fixture
def remote(serve_here, monkeypatch) -> Remote:
    """Give commands on a server, with the reviewer's token."""
    server = serve_here()
    monkeypatch.setenv("MEMSIEVE_KEY", server.key)
    return Remote("--server", server.url)


def test_every_command_of_agents_and_reviewers_works_on_a_server(remote):
    said = remote.json("record", *APOLLO, "--agent", "cfo", "--confidence", "0.93", "-", stdin=f"{DECISION}\n")
    first = said["entry"]["id"]
    assert (said["entry"]["content"], said["admission"]["decision"]) == (DECISION, "admitted")
    second = remote.json("record", *APOLLO, "Too short.")["entry"]["id"]
    [found] = remote.json("query", *APOLLO, "which database does the ledger use?")["results"]
    assert found["entry_id"] == first
    assert DECISION in remote.run("query", *APOLLO, "--markdown", "which database does the ledger use?").stdout
    assert [one["id"] for one in remote.json("working", *APOLLO)["entries"]] == [first]
    listed = remote.json("log", *APOLLO)["entries"]
    assert [one["entry"]["id"] for one in listed] == [second, first]
    older = remote.json("log", *APOLLO, "--before", second, "--days", "1")["entries"]
    assert older == listed[1:]
    assert remote.json("stats")["projects"] == remote.json("stats", *APOLLO)["projects"]
    assert remote.json("digest", *APOLLO, "--last") == {"digest": None}
    assert remote.json("digest", *APOLLO)["digest"]["entries"] == 2
    memory = remote.json("promote", *APOLLO, first)["memory"]
    assert remote.json("promote", *APOLLO, "--by", memory["promoted_by"], first)["memory"] == memory
    own = remote.json("promote", *APOLLO, "--text", "We ship on Fridays.")["memory"]
    assert memory["promoted_by"] == own["promoted_by"] != ""
    assert remote.json("dismiss", *APOLLO, "--reason", "noise", second)["tombstone"]["source_id"] == second
    assert remote.json("retire", *APOLLO, "--reason", "no more", own["id"])["reason"] == "no more"
    assert [one["id"] for one in remote.json("lineage", *APOLLO, first)["memories"]] == [memory["id"]]
    assert remote.json("delete", *APOLLO, "--reason", "private", "--yes", second) == {"deleted": second}
    actions = [one["action"] for one in remote.json("audit", "log", *APOLLO, "--limit", "3")["events"]]
    assert actions == ["dismissed", "retired", "deleted"]
    [verified] = remote.json("audit", "verify")["projects"]
    assert (verified["project_id"], verified["whole"], verified["events"]) == ("apollo", True, 5)


def test_an_admin_makes_lists_and_revokes_keys_on_a_server(serve_here, cli, monkeypatch):
    made = cli.json("keys", "make", "--name", "root", "--role", "admin", "--by", "ada")
    monkeypatch.setenv("MEMSIEVE_KEY", made["text"])
    monkeypatch.setenv("MEMSIEVE_SERVER", serve_here().url)
    remote = Remote()
    key = remote.json("keys", "make", "--name", "rita", "--role", "reviewer", *APOLLO)
    assert key["key"]["made_by"] == "root"
    assert [one["name"] for one in remote.json("keys", "list")["keys"]] == ["rita", "root"]
    assert remote.json("keys", "revoke", key["key"]["id"])["key"]["revoked_by"] == "root"
    assert "memsieve:server" not in remote.run("audit", "verify").stdout
    assert remote.json("audit", "verify", "--project", "memsieve:server")["projects"][0]["events"] == 1


def test_a_key_of_a_project_verifies_its_own_log_and_nothing_is_noted_against_it(serve_here, cli, monkeypatch):
    made = cli.json("keys", "make", "--name", "rita", "--role", "auditor", "--by", "ada", *APOLLO)
    monkeypatch.setenv("MEMSIEVE_KEY", made["text"])
    remote = Remote("--server", serve_here().url)
    for _ in range(2):
        [verified] = remote.json("audit", "verify")["projects"]
        assert (verified["project_id"], verified["events"]) == ("apollo", 1)
    assert "role" in remote.refused("record", *APOLLO, DECISION, code=5)


def test_errors_of_a_server_have_the_exit_codes_of_the_command_line(remote):
    assert "none" in remote.refused("lineage", *APOLLO, "none", code=3)
    assert "project name" in remote.refused("stats", "--project", "a b", code=2)
    assert "none" in remote.refused("log", *APOLLO, "--before", "none", code=3)
    empty = remote.run("query", "--project", "nowhere", "what?")
    assert f"at {remote.options[1]} holds nothing" in empty.stderr


def test_a_server_that_is_down_is_told_of_with_what_to_do(monkeypatch):
    monkeypatch.setattr("memsieve.cli.options.PATIENCE", 0.2)
    down = Remote("--server", "http://127.0.0.1:9")
    assert "memsieve serve" in down.refused("stats", code=6)
    for wrong in ("localhost", ""):
        assert "not one like" in Remote("--server", wrong).refused("stats", code=2)


@pytest.mark.parametrize(
    "command",
    [
        ("promote", *APOLLO, "--text", "x"),
        ("dismiss", *APOLLO, "--reason", "x", "e1"),
        ("retire", *APOLLO, "--reason", "x", "m1"),
        ("delete", *APOLLO, "--reason", "x", "e1"),
        ("keys", "make", "--name", "x", "--role", "admin"),
        ("keys", "revoke", "k1"),
    ],
)
def test_who_decides_is_named_by_the_key_of_a_server_and_by_hand_without(command, remote):
    told = remote.refused(*command, *(["--yes"] if command[0] == "delete" else []), "--by", "somebody else", code=5)
    assert "in the name of 'somebody else'" in told or "This needs a key of role" in told
    assert "--by" in Remote().refused(*command, code=2)
    assert not Path(".memsieve").exists()


def test_data_and_server_together_are_refused():
    told = Remote("--server", "http://127.0.0.1:9", "--data", "x").refused("stats", code=2)
    assert "Choose one of --data and --server" in told


DATA_COMMANDS = [
    ("export", *APOLLO),
    ("import", *APOLLO, "-"),
    ("migrate",),
    ("reembed",),
    ("doctor",),
    ("worker",),
    ("serve",),
    ("demo",),
    ("replay", *APOLLO, "--set", "min_length=1"),
    ("retry", *APOLLO),
]


@pytest.mark.parametrize("command", DATA_COMMANDS, ids=lambda command: command[0])
def test_commands_on_the_data_itself_say_so_where_a_server_is_named(command, monkeypatch):
    told = Remote("--server", "http://127.0.0.1:9").refused(*command, code=2)
    assert "works on the data itself" in told
    monkeypatch.setenv("MEMSIEVE_SERVER", "http://127.0.0.1:9")
    told = Remote().refused(*command, code=2)
    assert "works on the data itself" in told
    assert "MEMSIEVE_SERVER" in told
    assert not Path(".memsieve").exists()


@pytest.mark.parametrize("command", [("digest", "--all"), ("working", "restore", "--all")])
def test_the_parts_of_commands_that_a_server_does_not_offer_say_so(command):
    assert "works on the data itself" in Remote("--server", "http://127.0.0.1:9").refused(*command, code=2)


def test_data_on_the_command_line_wins_over_the_variable_of_a_server(small_embedder, data, monkeypatch):
    monkeypatch.setenv("MEMSIEVE_SERVER", "http://127.0.0.1:9")
    here = Remote("--data", str(data))
    assert here.json("stats") == {"projects": []}
    assert here.json("retry", *APOLLO) == {"entries": []}


def test_neither_server_nor_key_is_a_setting(monkeypatch):
    environment = {"MEMSIEVE_SERVER": "http://h", "MEMSIEVE_KEY": "msv_secret"}
    assert "secret" not in repr(read_settings(environment=environment))
    assert "http://h" not in repr(read_settings(environment=environment))
    assert read_settings(environment=environment) == read_settings(environment={})


def test_the_key_is_taken_from_the_variable_alone_and_shown_nowhere(monkeypatch):
    monkeypatch.setenv("MEMSIEVE_KEY", "msv_secret")
    monkeypatch.setattr("memsieve.cli.options.PATIENCE", 0.1)
    for code, options in ((6, ()), (2, ("--key", "msv_secret"))):
        result = CliRunner().invoke(app, ["stats", "--server", "http://127.0.0.1:9", *options])
        assert result.exit_code == code
        assert "secret" not in result.output
