"""Carrying a project out and in: nothing is lost, nothing comes twice, nothing bad stops the rest."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memsieve.cli.app import app

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
CHINESE = "压力测试显示，支付服务在每秒八百个请求时开始出现超时，瓶颈是数据库连接池。"
POLICY = "We ship on Fridays, unless the release manager says otherwise in writing."


class Cli:
    """Runs commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def run(self, *arguments: str, code: int = 0, stdin: bytes | None = None):
        result = CliRunner().invoke(app, [*arguments, "--project", "apollo", "--data", str(self.data)], input=stdin)
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments: str, code: int = 0, stdin: bytes | None = None) -> Any:
        return json.loads(self.run(*arguments, code=code, stdin=stdin).stdout)

    def imported(self, *lines: str, by: str | None = None, code: int = 0) -> Any:
        options = () if by is None else ("--by", by)
        return self.json("import", *options, "-", stdin="\n".join(lines).encode(), code=code)


@pytest.fixture
def source(tmp_path: Path, small_embedder: object) -> Cli:
    """A project with two entries, one of them promoted, and a text of a person's own."""
    cli = Cli(tmp_path / "source")
    said = cli.json("record", "--session", "s1", "--agent", "cfo", "--metadata", '{"turn": 3}', DECISION)
    cli.json("record", "--session", "s2", "--confidence", "0.5", CHINESE)
    cli.json("promote", "--by", "ada", said["entry"]["id"])
    cli.json("promote", "--by", "ada", "--text", POLICY)
    return cli


@pytest.fixture
def target(tmp_path: Path, small_embedder: object) -> Cli:
    return Cli(tmp_path / "target")


def test_an_export_holds_entries_then_memories_then_events(source):
    lines = [json.loads(line) for line in source.run("export").stdout.splitlines()]
    assert [line["kind"] for line in lines] == ["entry", "entry", "memory", "memory", "event", "event"]
    first = lines[0]
    assert (first["content"], first["review"], first["admission"]["admitted"]) == (DECISION, "promoted", True)
    assert lines[1]["content"] == CHINESE
    assert lines[2]["entry_ids"] == [first["id"]]
    assert not any("embedding" in line for line in lines)


def test_a_project_arrives_as_it_left(source, target):
    exported = source.run("export").stdout
    summary = target.imported(exported, by="bob")
    assert {name: summary[name] for name in ("recorded", "admitted", "promoted", "skipped", "failed")} == {
        "recorded": 2, "admitted": 1, "promoted": 2, "skipped": 2, "failed": 0,
    }  # fmt: skip
    there = [json.loads(line) for line in target.run("export").stdout.splitlines()]
    here = [json.loads(line) for line in exported.splitlines()]
    kept = ("id", "content", "created_at", "session_id", "agent_id", "confidence", "metadata", "review")
    assert [[line[name] for name in kept] for line in there[:2]] == [[line[name] for name in kept] for line in here[:2]]
    assert [(line["content"], line["promoted_by"], line["entry_ids"]) for line in there[2:4]] == [
        (DECISION, "bob", [here[0]["id"]]),
        (POLICY, "bob", []),
    ]


def test_importing_twice_adds_nothing(source, target):
    exported = source.run("export").stdout
    target.imported(exported, '{"content": "A plain line without an id."}', by="bob")
    again = target.imported(exported, '{"content": "A plain line without an id."}', by="bob")
    assert (again["recorded"], again["promoted"], again["already_known"]) == (0, 0, 5)
    assert target.json("stats")["projects"][0]["recorded"] == 3
    assert len(json.loads(target.run("audit", "log").stdout)["events"]) == 2


def test_without_a_person_no_memory_is_written(source, target):
    result = target.run("import", "-", stdin=source.run("export").stdout_bytes)
    assert json.loads(result.stdout)["promoted"] == 0
    assert "2 skipped: only a person's approval writes long-term memory. Give your name: --by WHO." in result.stderr
    assert target.json("stats")["projects"][0]["memories"] == 0


def test_a_memory_that_was_retired_here_stays_retired(source):
    exported = source.run("export").stdout
    memory = next(json.loads(line) for line in exported.splitlines() if '"kind": "memory"' in line)
    source.json("retire", "--by", "ada", "--reason", "we moved", memory["id"])
    assert source.imported(exported, by="bob")["promoted"] == 0
    assert source.json("stats")["projects"][0]["memories"] == 1


def test_a_memory_edited_by_a_person_is_not_taken_for_what_its_source_said(target):
    entry_id = "11111111-1111-4111-8111-111111111111"
    target.imported(
        json.dumps({"id": entry_id, "content": "Perhaps the ledger might use PostgreSQL some day, who knows?"}),
        json.dumps({"kind": "memory", "content": "The ledger uses PostgreSQL.", "entry_ids": [entry_id]}),
        by="bob",
    )
    [memory] = [json.loads(line) for line in target.run("export").stdout.splitlines() if '"kind": "memory"' in line]
    assert (memory["content"], memory["entry_ids"]) == ("The ledger uses PostgreSQL.", [])


def test_a_line_from_elsewhere_gets_a_session_a_time_and_this_project(target):
    target.imported(json.dumps({"content": DECISION, "project_id": "other", "group_id": "other"}))
    [receipt] = target.json("log")["entries"]
    assert (receipt["entry"]["session_id"], receipt["entry"]["project_id"]) == ("import", "apollo")


def test_old_entries_keep_their_time_and_stay_in_quarantine(target):
    summary = target.imported(json.dumps({"content": DECISION, "created_at": "2024-05-01T08:00:00"}))
    assert (summary["recorded"], summary["admitted"]) == (1, 0)
    [receipt] = target.json("log")["entries"]
    assert receipt["entry"]["created_at"] == "2024-05-01T08:00:00.000000Z"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{broken", "not JSON"),
        (b"[1]", "JSON list"),
        (b"[" * 100_000, "not JSON"),
        (b"1" * 5000, "not JSON"),
        (b'{"content": "abc\xff"}', "not valid UTF-8 at byte 16"),
        (b'{"content": "\\ud800"}', "lone surrogate"),
        (b'{"content": ""}', "content is empty"),
        (b'{"content": 5}', "content must be text"),
        (b"{}", "content must be text"),
        (b'{"content": "x", "confidence": NaN}', "from 0 to 1"),
        (b'{"content": "x", "session_id": 5}', "session_id must be text"),
        (b'{"content": "x", "metadata": [1]}', "metadata must be a mapping"),
        (b'{"content": "x", "id": "7"}', "no UUID"),
        (b'{"content": "x", "id": 7}', "id must be text"),
        (b'{"content": "x", "created_at": "yesterday"}', "is no time"),
        (b'{"content": "x", "created_at": 1700000000}', "created_at must be text"),
        (b'{"content": "x", "created_at": "0001-01-01T00:00:00+14:00"}', "is no time"),
        (b'{"content": "x", "created_at": "2999-01-01T00:00:00Z"}', "future"),
        (b'{"kind": "zebra"}', "kind is 'zebra'"),
        (b'{"kind": "memory", "content": null}', "must be text"),
        (b'{"content": "' + b"x" * 2_000_000 + b'"}', "longer than 1048576 bytes"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(target, line, reason):
    good = json.dumps({"content": DECISION}).encode()
    result = target.run("import", "--by", "bob", "-", stdin=b"\n" + line + b"\n" + good, code=2)
    summary = json.loads(result.stdout)
    assert (summary["recorded"], summary["failed"]) == (1, 1)
    [error] = summary["errors"]
    assert error["line"] == 2
    assert reason in error["reason"]
    assert result.stderr == f"Line 2: {error['reason']}\n"


def test_the_same_id_with_other_content_is_a_bad_line(target):
    entry_id = "11111111-1111-4111-8111-111111111111"
    lines = [json.dumps({"id": entry_id, "content": content}) for content in (DECISION, POLICY)]
    summary = target.imported(*lines, code=2)
    assert (summary["recorded"], summary["failed"]) == (1, 1)


def test_only_the_first_errors_are_listed(target):
    summary = target.imported(*["{"] * 30, code=2)
    assert (summary["failed"], len(summary["errors"])) == (30, 20)


def test_a_byte_order_mark_is_no_part_of_the_first_line(target):
    assert (
        target.json("import", "-", stdin=b"\xef\xbb\xbf" + json.dumps({"content": DECISION}).encode())["recorded"] == 1
    )


def test_an_exported_file_is_complete_and_never_overwritten_by_chance(source, tmp_path):
    file = tmp_path / "apollo.jsonl"
    assert source.json("export", str(file)) == {"file": str(file), "entries": 2, "memories": 2, "events": 2}
    assert file.read_text("utf-8").count("\n") == 6
    before = file.read_bytes()
    assert "--force" in source.run("export", str(file), code=4).stderr
    source.json("export", str(file), "--force")
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["apollo.jsonl"]


@pytest.mark.parametrize("file", ["/dev/null", "no/such/folder/file.jsonl", "."])
def test_an_export_to_what_is_no_file_is_refused(source, file):
    assert "file" in source.run("export", file, "--force", code=2).stderr
    assert Path("/dev/null").is_char_device()


def test_a_file_that_cannot_be_read_is_refused(target):
    assert "Cannot read" in target.run("import", "no-such-file.jsonl", code=2).stderr
