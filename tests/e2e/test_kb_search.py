"""`memsieve kb search` for programs and for people."""

import json
import os

import pytest
from typer.testing import CliRunner

from memsieve import KnowledgeBase
from memsieve.cli.app import app


@pytest.fixture
def base(tmp_path, small_embedder) -> KnowledgeBase:
    made = KnowledgeBase.init(tmp_path / ".ai-kb")
    (made.layout.atoms / "pool.md").write_text("# The pool\n\nIdle connections are closed after 300 seconds.\n")
    return made


def run(base, *arguments, code=0):
    result = CliRunner().invoke(app, ["kb", "search", *arguments, "--kb", os.fspath(base.root)])
    assert result.exit_code == code, result.output
    return result


def test_programs_get_path_line_and_excerpt(base):
    told = json.loads(run(base, "idle connections").stdout)
    [hit] = told["hits"]
    assert (told["query"], hit["path"], hit["title"], hit["line"]) == (
        "idle connections",
        "atoms/pool.md",
        "The pool",
        3,
    )
    assert "Idle connections are closed" in hit["excerpt"]
    assert (told["unread"], told["degraded"]) == ([], [])


def test_what_cannot_be_read_is_named_on_standard_error(base):
    (base.layout.atoms / "broken.md").write_bytes(b"\xff")
    result = run(base, "idle connections")
    assert json.loads(result.stdout)["unread"] == ["atoms/broken.md"]
    assert "atoms/broken.md" in result.stderr
    assert "memsieve kb check" in result.stderr


def test_an_empty_question_is_wrong_usage(base):
    assert "query is empty" in run(base, "  ", code=2).stderr


def test_outside_a_knowledge_base_it_says_how_to_make_one(tmp_path, small_embedder):
    result = CliRunner().invoke(app, ["kb", "search", "pool"])
    assert result.exit_code != 0
    assert "memsieve kb init" in result.stderr


def test_people_see_file_and_line_and_no_command_to_their_terminal(base, monkeypatch):
    (base.layout.atoms / "evil.md").write_text("# Zebra\n\nThe zebra \x1b[2J clears the screen.\n")
    monkeypatch.setattr("memsieve.cli.output.wants_json", lambda _as_json: False)
    shown = run(base, "zebra clears the screen").stdout
    assert "atoms/evil.md:3" in shown
    assert "\x1b[2J" not in shown
    assert "No atom fits" in run(base, "crocodile").stdout
