"""Every command through its parser, in this process, with the small embedder."""

import json
import math
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from typer.testing import CliRunner

from memsieve.cli.app import app
from memsieve.cli.output import exit_code
from memsieve.errors import (
    ApprovalRequired,
    ConfigError,
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    JudgeError,
    KnowledgeBaseError,
    MemsieveError,
    NotFound,
    SchemaOutdated,
    StoreCorrupt,
    StoreUnavailable,
)
from memsieve.testing import OpenAIServer, Reply

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
UNSURE = "The cache is slow because of the network, as the platform team measured on two days in March."
MISSING = "00000000-0000-4000-8000-000000000000"


def test_recording_prints_the_entry_and_the_verdict_and_nothing_else(cli):
    said = cli.record(DECISION, "--session", "s1", "--agent", "cfo", "--node", "n1", "--confidence", "0.93")
    assert set(said) == {"entry", "admission"}
    assert set(said["admission"]) == {"admitted", "decision", "checks", "reasons"}
    assert said["admission"]["decision"] == "admitted"
    assert all(set(check) == {"name", "passed", "score", "reason"} for check in said["admission"]["checks"])
    entry = said["entry"]
    assert (entry["session_id"], entry["agent_id"], entry["node_id"], entry["confidence"]) == ("s1", "cfo", "n1", 0.93)
    assert entry["created_at"].endswith("Z")
    assert "embedding" not in entry


def test_a_refusal_is_no_failure(cli):
    verdict = cli.record(UNSURE, "--confidence", "0.4")["admission"]
    assert (verdict["admitted"], verdict["decision"]) == (False, "refused")
    [reason] = verdict["reasons"]
    assert reason["en"] == "The agent's confidence is 0.4; it must be above 0.8."


def test_group_is_another_name_of_project(cli):
    assert cli.json("record", "--group", "apollo", DECISION)["entry"]["project_id"] == "apollo"


def test_metadata_is_kept_and_must_be_an_object(cli):
    assert cli.record(DECISION, "--metadata", '{"turn": 3}')["entry"]["metadata"] == {"turn": 3}
    for broken in ("{", "[1]", "[" * 100_000):
        assert "--metadata" in cli.refused("record", "--project", "apollo", "--metadata", broken, "x", code=2)


def test_the_same_key_is_stored_once_and_conflicts_with_other_content(cli):
    first = cli.record(DECISION, "--key", "k1")
    assert cli.record(DECISION, "--key", "k1")["entry"]["id"] == first["entry"]["id"]
    assert "other content" in cli.refused("record", "--project", "apollo", "--key", "k1", UNSURE, code=4)


def test_standard_input_loses_one_final_newline_only(cli):
    result = cli.run("record", "--project", "apollo", "-", stdin=f"{DECISION}\n\n")
    assert json.loads(result.stdout)["entry"]["content"] == f"{DECISION}\n"


@pytest.mark.parametrize(
    ("stdin", "complaint"),
    [
        (b"a\0b", "NUL character at position 1"),
        (b"", "content is empty"),
        (b"\n", "content is empty"),
        (b"x" * 65537, "more than 65536 bytes"),
        ("é" * 32768 + "\n\n", "more than 65536 bytes"),
    ],
)
def test_standard_input_that_cannot_be_kept_is_refused(cli, stdin, complaint):
    result = cli.run("record", "--project", "apollo", "-", stdin=stdin, code=2)
    assert complaint in result.stderr


def test_content_of_the_greatest_size_and_its_newline_fit(cli):
    result = cli.run("record", "--project", "apollo", "-", stdin=b"x" * 65536 + b"\n")
    assert len(json.loads(result.stdout)["entry"]["content"]) == 65536


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--project", "../x", "hello"), "not a project name"),
        (("--project", "x", ""), "content is empty"),
        (("--project", "x", "y" * 65537), "65537 bytes"),
        (("--project", "x", "a\ud800"), "lone surrogate"),
        (("--project", "x", "--confidence", "nan", "hello"), "from 0 to 1"),
        (("--project", "x", "--confidence", "1.2", "hello"), "from 0 to 1"),
        (("--project", "x", "--confidence", "high", "hello"), "--confidence"),
        (("--project", "x", "--session", "", "hello"), "session_id is empty"),
        (("hello",), "--project"),
        (("--project", "x"), "TEXT"),
    ],
)
def test_what_cannot_be_recorded_is_wrong_usage(cli, arguments, complaint):
    error = cli.refused("record", *arguments, code=2)
    assert error.startswith("Error: ")
    assert complaint in error
    assert error.count("\n") == 1


def test_errors_are_json_when_json_is_asked_for(cli):
    for arguments, kind, code in (
        (("promote", "--project", "x", "--by", "ada", MISSING), "NotFound", 3),
        (("record", "--project", "x"), "UsageError", 2),
    ):
        error = json.loads(cli.refused(*arguments, "--json", code=code))["error"]
        assert error["type"] == kind
        assert error["message"]


def test_each_error_has_the_exit_code_of_the_table():
    codes = {
        InvalidInput("", field=""): 2, ConfigError(): 2, NotFound("", subject=""): 3, Conflict(): 4, Forbidden(): 5,
        ApprovalRequired(): 5, StoreUnavailable(): 6, StoreCorrupt(): 6, SchemaOutdated(): 6, EmbedderError(): 7,
        JudgeError(): 7, KnowledgeBaseError(""): 6,
    }  # fmt: skip
    assert {type(error): exit_code(error) for error in codes} == {type(error): code for error, code in codes.items()}
    named = {kind for kind in vars(__import__("memsieve.errors").errors).values() if isinstance(kind, type)}
    assert named - {MemsieveError} == {type(error) for error in codes}


def test_a_query_serves_verified_and_unverified_memories_with_their_labels(cli):
    cli.json("promote", "--project", "apollo", "--by", "ada", "--text", "The ledger database is PostgreSQL.")
    cli.record("Measured on staging, the ledger database answers in 12 milliseconds at the median.")
    answer = cli.json("query", "--project", "apollo", "ledger database")
    assert set(answer) == {"results", "degraded", "answer_id"}
    assert {found["label"] for found in answer["results"]} == {"✅ verified", "⚡️ unverified"}
    assert set(answer["results"][0]) == {
        "id", "content", "source", "score", "verified", "label", "created_at", "memory_id", "entry_id", "session_id",
        "agent_id", "promoted_by", "promoted_at", "expires_at",
    }  # fmt: skip
    only = cli.json("query", "--project", "apollo", "--max-unverified", "0", "ledger database")
    assert [found["verified"] for found in only["results"]] == [True]
    assert cli.json("query", "--project", "apollo", "--threshold", "1", "ledger")["results"] == []


def test_markdown_is_the_block_for_prompts(cli):
    cli.json("promote", "--project", "apollo", "--by", "ada", "--text", "The ledger database is PostgreSQL.")
    block = cli.run("query", "--project", "apollo", "--markdown", "ledger").stdout
    assert block.startswith("## Memory\n")
    assert "### ✅ Verified" in block
    cli.refused("query", "--project", "apollo", "--markdown", "--json", "ledger", code=2)


@pytest.mark.parametrize("days", ["-1", "nan", "1e9"])
@pytest.mark.parametrize("command", ["query", "log", "replay"])
def test_days_must_be_days(cli, command, days):
    rest = {"query": ["x"], "log": [], "replay": ["--set", "min_length=1"]}[command]
    cli.refused(command, "--project", "apollo", "--days", days, *rest, code=2)


def test_the_log_narrows_and_pages(cli):
    ids = [cli.record(text, "--session", text[:8], "--confidence", c)["entry"]["id"] for text, c in
           ((DECISION, "0.9"), (UNSURE, "0.4"))]  # fmt: skip

    def listed(*options: str) -> list[str]:
        return [one["entry"]["id"] for one in cli.json("log", "--project", "apollo", *options)["entries"]]

    assert listed() == [ids[1], ids[0]]
    assert listed("--decision", "refused") == [ids[1]]
    assert listed("--session", "The team") == [ids[0]]
    assert listed("--search", "postgresql") == [ids[0]]
    assert listed("--limit", "1") == [ids[1]]
    assert listed("--before", ids[1]) == [ids[0]]
    assert listed("--before", ids[0]) == []
    assert listed("--review", "promoted") == []
    cli.refused("log", "--project", "apollo", "--before", MISSING, code=3)
    cli.refused("log", "--project", "apollo", "--decision", "maybe", code=2)
    cli.refused("log", "--project", "apollo", "--limit", "-1", code=2)


def test_working_memory_is_listed_until_a_person_dismisses_it(cli):
    entry_id = cli.record()["entry"]["id"]
    [entry] = cli.json("working", "--project", "apollo")["entries"]
    assert (entry["id"], entry["layer"], entry["verified"]) == (entry_id, "working", False)
    buried = cli.json("dismiss", "--project", "apollo", "--by", "ada", "--reason", "wrong", entry_id)["tombstone"]
    assert (buried["source_id"], buried["by"], buried["reason"]) == (entry_id, "ada", "wrong")
    assert cli.json("working", "--project", "apollo")["entries"] == []
    again = cli.record(DECISION)["admission"]
    assert [check["name"] for check in again["checks"] if not check["passed"]] == ["tombstone"]


def test_promotion_takes_an_id_or_a_text(cli):
    assert "--text" in cli.refused("promote", "--project", "apollo", "--by", "ada", code=2)
    said = cli.run("promote", "--project", "apollo", "--by", "ada", "--text", "-", stdin="We ship on Fridays.\n")
    assert json.loads(said.stdout)["memory"]["content"] == "We ship on Fridays."


def test_an_entry_can_be_promoted_in_other_words(cli):
    entry_id = cli.record()["entry"]["id"]
    person = ("promote", "--project", "apollo", "--by", "ada")
    said = cli.run(*person, entry_id, "--text", "-", stdin="The ledger runs on PostgreSQL.\n")
    memory = json.loads(said.stdout)["memory"]
    assert (memory["content"], memory["entry_ids"]) == ("The ledger runs on PostgreSQL.", [entry_id])
    assert MISSING in cli.refused(*person, MISSING, "--text", "x", code=3)
    assert "text is empty" in cli.refused(*person, entry_id, "--text", "", code=2)
    assert "text is empty" in cli.refused(*person, "--text", "", code=2)


@pytest.mark.parametrize("command", ["promote", "dismiss", "retire", "delete"])
def test_a_person_must_say_who_they_are(cli, command, monkeypatch):
    monkeypatch.setenv("USER", "ada")
    reason = () if command == "promote" else ("--reason", "r")
    assert "--by" in cli.refused(command, "--project", "apollo", *reason, MISSING, code=2)
    assert "by is empty" in cli.refused(command, "--project", "apollo", "--by", " ", *reason, MISSING, code=2)


@pytest.mark.parametrize("command", ["promote", "dismiss", "retire", "delete", "lineage"])
def test_what_is_not_there_is_not_found(cli, command):
    options = {"promote": ("--by", "ada"), "lineage": ()}.get(command, ("--by", "ada", "--reason", "r"))
    assert MISSING in cli.refused(command, "--project", "apollo", *options, MISSING, code=3)


def test_verified_memory_cannot_be_dismissed(cli):
    entry_id = cli.record()["entry"]["id"]
    cli.json("promote", "--project", "apollo", "--by", "ada", entry_id)
    error = cli.refused("dismiss", "--project", "apollo", "--by", "ada", "--reason", "r", entry_id, code=4)
    assert "memsieve retire" in error


def test_lineage_and_audit_tell_the_whole_story(cli):
    entry_id = cli.record()["entry"]["id"]
    memory = cli.json("promote", "--project", "apollo", "--by", "ada", entry_id)["memory"]
    cli.json("query", "--project", "apollo", "--session", "s9", "ledger PostgreSQL")
    cli.json("retire", "--project", "apollo", "--by", "bob", "--reason", "we moved", memory["id"])
    cli.json("delete", "--project", "apollo", "--by", "ada", "--reason", "private", entry_id)

    story = cli.json("lineage", "--project", "apollo", memory["id"])
    assert [event["action"] for event in story["events"]] == ["promoted", "retired"]
    assert [serving["session_id"] for serving in story["served"]] == ["s9"]
    assert (story["memories"][0]["retired_by"], story["entries"]) == ("bob", [])

    events = cli.json("audit", "log", "--project", "apollo")["events"]
    assert [(event["actor"], event["action"], event["reason"]) for event in events] == [
        ("ada", "promoted", ""),
        ("bob", "retired", "we moved"),
        ("ada", "deleted", "private"),
    ]
    assert cli.json("audit", "log", "--project", "apollo", "--limit", "1")["events"] == events[-1:]


def test_a_changed_audit_log_is_a_problem_for_verify_and_for_the_doctor(cli):
    cli.json("promote", "--project", "apollo", "--by", "ada", "--text", "The ledger database is PostgreSQL.")
    assert cli.json("audit", "verify")["projects"][0]["whole"]
    with sqlite3.connect(cli.data / "memsieve.db") as connection:
        connection.execute("DROP TRIGGER audit_log_is_never_changed")
        connection.execute("UPDATE audit_log SET actor = 'mallory'")
    connection.close()
    changed = cli.json("audit", "verify", "--project", "apollo", code=8)["projects"][0]
    assert "was changed after it was written" in changed["problems"][0]
    assert _health(cli.json("doctor", code=8))["audit of apollo"] == "fail"


def test_stats_count_one_project_or_all(cli):
    cli.record()
    cli.json("record", "--project", "beta", "--confidence", "0.1", DECISION)
    everything = cli.json("stats")["projects"]
    assert [(one["project_id"], one["admitted"], one["refused_by"]) for one in everything] == [
        ("apollo", 1, {}),
        ("beta", 0, {"confidence": 1}),
    ]
    assert cli.json("stats", "--project", "beta")["projects"] == everything[1:]


def test_a_replay_says_what_other_settings_would_admit_and_changes_nothing(cli):
    cli.record(UNSURE, "--confidence", "0.4")
    before = cli.json("stats")
    replayed = cli.json("replay", "--project", "apollo", "--set", "min_confidence=0.3")
    assert (replayed["entries"], replayed["admitted_before"], replayed["admitted_after"]) == (1, 0, 1)
    [change] = replayed["changes"]
    assert (change["before"], change["after"]["decision"]) == ("refused", "admitted")
    assert cli.json("replay", "--project", "apollo", "--set", "min_confidence=0.3", "--limit", "0")["changed"] == 1
    assert cli.json("stats") == before
    for wrong in ("min_confidence", "min_confidence=high", "colour=blue"):
        cli.refused("replay", "--project", "apollo", "--set", wrong, code=2)


def test_what_a_judge_left_undecided_is_decided_by_retry(cli, monkeypatch):
    with OpenAIServer() as server:
        monkeypatch.setenv("MEMSIEVE_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("MEMSIEVE_LLM_MODEL", "judge")
        # Longer than the command lasts, or it may be decided before that ends.
        server.script(Reply(delay=math.inf))
        assert cli.record(DECISION, "--no-wait")["admission"]["decision"] == "pending"
        [receipt] = cli.json("retry", "--project", "apollo")["entries"]
        assert receipt["admission"]["decision"] == "admitted"
        assert _health(cli.json("doctor"))["judge"] == "ok"
    assert cli.record(UNSURE)["admission"]["decision"] == "pending"
    health = _health(cli.json("doctor", code=8))
    assert (health["judge"], health["waiting in apollo"]) == ("fail", "warn")


def test_a_data_folder_that_cannot_be_made_is_a_wrong_setting(cli, tmp_path):
    (tmp_path / "file").write_text("no folder")
    broken = cli.at(tmp_path / "file" / "memory")
    assert "--data" in broken.refused("stats", code=2)
    assert _health(broken.json("doctor", code=8))["folder"] == "fail"


def test_a_corrupt_file_is_reported_and_the_doctor_says_so(cli):
    cli.data.mkdir()
    (cli.data / "memsieve.db").write_bytes(b"this is no database" * 1000)
    assert "damaged" in cli.refused("stats", code=6)
    health = _health(cli.json("doctor", code=8))
    assert (health["database"], health["embedder"]) == ("fail", "ok")


def test_a_newer_schema_asks_for_an_upgrade(cli):
    cli.json("stats")
    with sqlite3.connect(cli.data / "memsieve.db") as connection:
        connection.execute("INSERT INTO schema_migrations (number, name) VALUES (9999, 'later')")
    connection.close()
    assert "pip install --upgrade memsieve" in cli.refused("stats", code=6)
    assert _health(cli.json("doctor", code=8))["schema"] == "fail"


def test_the_doctor_makes_nothing_and_finds_all_well_in_a_new_place(cli):
    document = cli.json("doctor")
    assert document["healthy"]
    assert {finding["health"] for finding in document["findings"]} == {"ok"}
    assert not cli.data.exists()


def test_the_doctor_counts_vectors_of_another_embedder(cli):
    cli.record()
    cli.record(UNSURE, "--confidence", "0.4")
    with sqlite3.connect(cli.data / "memsieve.db") as connection:
        connection.execute("UPDATE quarantine_logs SET embedder = 'another'")
    connection.close()
    findings = {finding["name"]: finding for finding in cli.json("doctor")["findings"]}
    assert findings["vectors"]["health"] == "warn"
    assert findings["vectors"]["message"].startswith("2 texts were embedded by another embedder than words")
    assert "memsieve reembed" in findings["vectors"]["advice"]


def test_vectors_of_another_embedder_are_made_again_and_the_doctor_is_content(cli):
    cli.record()
    with sqlite3.connect(cli.data / "memsieve.db") as connection:
        connection.execute("UPDATE quarantine_logs SET embedder = 'another'")
    connection.close()
    assert cli.json("reembed") == {"embedder": "words", "embedded": 1, "unreadable": 0}
    assert _health(cli.json("doctor"))["vectors"] == "ok"
    assert cli.json("reembed") == {"embedder": "words", "embedded": 0, "unreadable": 0}
    assert cli.json("reembed", "--forget", "another") == {"embedder": "another", "dropped": 0}
    assert "is the embedder in use" in cli.refused("reembed", "--forget", "words", code=4)


def test_vectors_are_not_forgotten_while_texts_wait_for_new_ones(cli):
    cli.record()
    with closing(sqlite3.connect(cli.data / "memsieve.db", isolation_level=None)) as connection:
        connection.execute("UPDATE quarantine_logs SET embedder = 'another'")
    assert "Run `memsieve reembed` first" in cli.refused("reembed", "--forget", "another", code=4)


def test_an_embedder_that_fails_makes_reembed_fail_and_changes_nothing(cli, monkeypatch):
    async def fail(_self, _texts):
        raise EmbedderError("The model is not there.")

    cli.record()
    monkeypatch.setattr("memsieve.testing.WordEmbedder.embed", fail)
    with closing(sqlite3.connect(cli.data / "memsieve.db", isolation_level=None)) as connection:
        connection.execute("UPDATE quarantine_logs SET embedder = 'another'")
        assert "The model is not there." in cli.refused("reembed", code=7)
        assert connection.execute("SELECT embedder FROM quarantine_logs").fetchall() == [("another",)]


def test_a_wrong_setting_is_a_finding_of_the_doctor(cli, monkeypatch):
    monkeypatch.setenv("MEMSIEVE_COLOUR", "blue")
    assert _health(cli.json("doctor", code=8))["settings"] == "fail"
    cli.refused("stats", code=2)


def test_the_demo_tells_programs_the_same_story_each_time_in_a_new_project(cli):
    story = cli.json("demo", "--json")
    assert story["project"] == "demo"
    assert len(story["scenes"]) == 7
    gathered, promoted = story["scenes"][-1]["results"]
    assert (gathered["insight"]["sessions"], gathered["insight"]["refinement"]["outcome"]) == (3, "ready")
    assert promoted["memory"]["content"] == gathered["insight"]["summary"]
    assert cli.json("demo", "--json")["project"] == "demo-2"


def test_a_misspelt_command_is_guessed_at():
    result = CliRunner().invoke(app, ["recrod"])
    assert result.exit_code == 2
    assert "Did you mean 'record'?" in result.stderr


def test_without_a_command_the_help_is_shown():
    result = CliRunner().invoke(app, [])
    assert (result.exit_code, result.stderr) == (2, "")
    assert "Exit codes" in result.stdout


def test_the_version_is_printed():
    result = CliRunner().invoke(app, ["--version"])
    assert result.stdout.startswith("memsieve ")
    assert result.exit_code == 0


def _health(document: Any) -> dict[str, str]:
    return {finding["name"]: finding["health"] for finding in document["findings"]}


def test_an_empty_answer_from_an_unknown_project_is_pointed_out(cli):
    cli.json("promote", "--project", "apollo", "--by", "you", "--text", DECISION)
    asked = cli.run("query", "--project", "apolo", "Which database does the ledger use?")
    assert json.loads(asked.stdout)["results"] == []
    assert "Project 'apolo'" in asked.stderr
    assert "apollo" in asked.stderr
