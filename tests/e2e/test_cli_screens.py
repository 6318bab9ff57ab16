"""What a person at a terminal sees, on a pseudo-terminal."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memsieve import Memory
from memsieve.cli.output import printable

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
UNSURE = "The cache is slow because of the network, as the platform team measured on two days in March."
HOSTILE = "\x1b[2J\x1b[31mred\u202e [bold]not markup[/bold] \x9b5m and the rest of this long enough sentence."


def test_a_verdict_is_a_panel_with_every_check(on_terminal):
    admitted = on_terminal("record", "--project", "apollo", "--agent", "cfo", DECISION)
    assert "✅ admitted to working memory for 24 h" in admitted
    assert "✔ consistency" in admitted
    refused = on_terminal("record", "--project", "apollo", "--confidence", "0.4", UNSURE)
    assert "⛔ stays in quarantine" in refused
    assert "✘ confidence" in refused


def test_what_an_agent_wrote_cannot_command_the_terminal(on_terminal, data):
    with Memory.open(data) as memory:
        memory.project("apollo").record(HOSTILE, session_id="s1")
    shown = on_terminal("log", "--project", "apollo")
    assert r"\x1b[2J\x1b[31mred\u202e [bold]not markup[/bold] \x9b5m" in shown


def test_what_nobody_sees_is_written_out():
    assert printable("a\u00adb\u180ec\u200bd\u2060e\ufefff\u2066") == r"a\xadb\u180ec\u200bd\u2060e\ufefff\u2066"
    assert printable("مى\u200cخواهم 👩\u200d🔬") == "مى\u200cخواهم 👩\u200d🔬"


def test_json_can_be_had_on_a_terminal_too(on_terminal):
    assert on_terminal("stats", "--json").strip() == '{"projects": []}'


def test_people_see_the_whole_way_of_a_memory(on_terminal, data):
    with Memory.open(data) as memory:
        project = memory.project("apollo")
        entry_id = project.record(DECISION, session_id="s1").entry.id
        other_id = project.record(UNSURE, session_id="s2", agent_id="研究员").entry.id
    person = ("--project", "apollo", "--by", "ada")
    assert "研究员 in session s2" in on_terminal("working", "--project", "apollo")
    assert "✅ verified: in long-term memory" in on_terminal("promote", *person, entry_id)
    assert "⚡️ unverified" in on_terminal("query", "--project", "apollo", "--session", "s9", "ledger cache network")
    assert "✝ dismissed" in on_terminal("dismiss", *person, "--reason", "never measured", other_id)
    assert "★ promoted" in on_terminal("log", "--project", "apollo")
    assert "s9" in on_terminal("retire", *person, "--reason", "we moved", entry_id)
    story = on_terminal("lineage", "--project", "apollo", entry_id)
    assert "✝ retired: no longer served" in story
    assert "we moved" in story
    assert "Deleted" in on_terminal("delete", *person, "--reason", "private", "--yes", other_id)
    assert "refused" in on_terminal("replay", "--project", "apollo", "--set", "min_length=1000")
    assert "Nothing in apollo waits" in on_terminal("retry", "--project", "apollo")
    assert "apollo" in on_terminal("stats")


def test_the_audit_is_readable(on_terminal, data):
    with Memory.open(data) as memory:
        memory.project("apollo").review(by="ada").promote_text(DECISION)
    assert "an unbroken chain" in on_terminal("audit", "verify")
    assert "ada promoted" in on_terminal("audit", "log", "--project", "apollo")


def test_the_doctor_says_what_to_do(on_terminal, data):
    assert "All is well." in on_terminal("doctor")
    data.mkdir()
    (data / "memsieve.db").write_bytes(b"no database" * 1000)
    shown = on_terminal("doctor", code=8)
    assert "✘ database" in shown
    assert "→ Put a backup in its place" in shown


def test_making_vectors_again_says_what_it_did_and_when_there_is_nothing_to_do(on_terminal, data):
    with Memory.open(data) as memory:
        memory.project("apollo").review(by="ada").promote_text(DECISION)
        memory.project("apollo").review(by="ada").promote_text("团队决定把账本放在数据库里。")
    assert "Nothing to do: every vector is of words." in on_terminal("reembed")
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as connection:
        connection.execute("UPDATE memories SET embedder = 'another'")
    shown = on_terminal("reembed")
    assert "Embedding" in shown
    assert "Made 1 vector with words." in shown
    assert "1 text that it cannot read" in shown
    assert "Nothing to do" in on_terminal("reembed")
    assert "Dropped 0 vectors of another." in on_terminal("reembed", "--forget", "another")


def test_an_error_is_one_red_line(on_terminal):
    assert on_terminal("lineage", "--project", "apollo", "nothing", code=3).startswith("Error: Nothing has the id")


def test_export_and_import_say_what_they_did(on_terminal, data, tmp_path: Path):
    with Memory.open(data) as memory:
        memory.project("apollo").record(DECISION, session_id="s1")
    file = str(tmp_path / "apollo.jsonl")
    shown = " ".join(on_terminal("export", "--project", "apollo", file).split())
    assert "entries 1, memories 0, events 0." in shown
    assert "1  already known" in on_terminal("import", "--project", "apollo", file)
