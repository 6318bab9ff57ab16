"""`memsieve kb`: made, written to, looked at and checked, for programs and for people."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from memsieve import Item, KnowledgeBase
from memsieve.cli import kb as kb_commands
from memsieve.cli.app import app

CONTENT = "Dates in reports follow the locale of the server."
TRAP = ("write", "new_trap", "--description", "Locale of dates", "--content", CONTENT)


def run(*arguments: str, code: int = 0, stdin: bytes | None = None):
    result = CliRunner().invoke(app, ["kb", *arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result


def answer(*arguments: str, code: int = 0, stdin: bytes | None = None):
    return json.loads(run(*arguments, code=code, stdin=stdin).stdout)


def shown(picture: object) -> str:
    console = Console(file=io.StringIO(), width=80, highlight=False, markup=False, emoji=False)
    console.print(picture)
    return console.file.getvalue()


@pytest.fixture
def base() -> Path:
    return Path(answer("init")["root"])


def test_init_makes_one_here_and_twice_is_the_same_one(base):
    assert base == Path.cwd() / ".ai-kb"
    again = answer("init")
    assert again == {"root": str(base), "id": KnowledgeBase.open().id}


def test_init_makes_one_where_it_is_told(tmp_path):
    assert answer("init", "--kb", "docs/knowledge")["root"] == str(tmp_path / "docs" / "knowledge")
    assert answer("status", "--kb", "docs/knowledge")["root"] == str(tmp_path / "docs" / "knowledge")


@pytest.mark.parametrize("command", [("status",), ("check",), TRAP])
def test_without_one_every_command_says_how_to_make_it(command):
    refused = run(*command, code=6)
    assert refused.stdout == ""
    assert "memsieve kb init" in refused.stderr


def test_write_tells_where_it_went_and_what_became_of_it(base):
    first = answer(*TRAP, "--task", "t1", "--agent", "ada", "--tag", "dates", "--tag", "i18n")
    assert first == {
        "path": str(base / "workspace/staging/new-trap-Locale-of-dates.md"),
        "file": "workspace/staging/new-trap-Locale-of-dates.md",
        "outcome": "written",
        "id": first["id"],
        "type": "new_trap",
        "task": "t1",
        "observations": 1,
        "needed": 3,
    }
    assert answer(*TRAP, "--task", "t2")["observations"] == 2
    assert answer(*TRAP, "--task", "t2")["outcome"] == "known"


def test_the_examples_of_the_issue_go_where_it_says(base):
    assert answer("write", "checkpoint", "--state", "REVIEW")["file"].startswith("workspace/session/checkpoint-REVIEW-")
    decoded = answer(
        *("write", "decoded_text", "--filename", "A.C", "--line-range", "1-40", "--content", "-"),
        stdin=b"    int x;\r\nvoid f();\n",
    )
    assert decoded["file"] == "workspace/session/decoded-A.C-1-40.txt"
    assert Path(decoded["path"]).read_bytes().endswith(b"---\n\n    int x;\r\nvoid f();\n")
    narrow = answer(
        "write", "new-trap", "--description", "MAGIC.C 第 42 行的特殊處理", "--content", "MAGIC.C 第 42 行的特殊處理"
    )
    assert narrow["file"] == "workspace/staging/new-trap-MAGIC.C-第-42-行的特殊處理.md"
    assert answer("check") == {"sound": True, "problems": []}


@pytest.mark.parametrize("name", ["../../x", "CON", "x" * 300, "🎉", "a\nb"])
def test_hostile_names_are_written_inside(base, name):
    written = Path(answer("write", "new_pattern", "--description", name, "--content", CONTENT)["path"])
    assert written.parent == base / "workspace" / "staging"
    assert [path.name for path in base.parent.iterdir()] == [".ai-kb"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("write", "nonsense", "--content", "x"), "must be one of checkpoint"),
        (("write", "new_trap", "--content", "x"), "--description"),
        (("write", "new_trap", "--description", "x"), "--content"),
        (("write", "new_trap", "--description", "x", "--content", "x", "--state", "y"), "takes no state"),
        (("write", "decoded_text", "--filename", "x", "--line-range", "a", "--content", "x"), "1-40"),
        (("write",), "TYPE"),
    ],
)
def test_wrong_use_is_told_with_what_to_do(base, arguments, words):
    refused = run(*arguments, code=2)
    assert words in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_standard_input_that_is_no_text_or_too_much_is_refused(base):
    arguments = ("write", "new_trap", "--description", "x", "--content", "-")
    assert "UTF-8" in run(*arguments, code=2, stdin=b"\xff").stderr
    assert "Split it." in run(*arguments, code=2, stdin=b"x" * 600_000).stderr
    assert answer("status")["findings"] == []


def test_the_task_comes_from_the_variable_and_settings_stay_readable(base, monkeypatch):
    monkeypatch.setenv("MEMSIEVE_TASK", "ISSUE-7")
    assert answer(*TRAP)["task"] == answer("status")["task"] == "ISSUE-7"


def test_check_tells_file_and_line_and_has_its_own_exit_code(base):
    (base / "atoms" / "a.md").write_text("---\nid: a\ntitle: x: y\n---\nText.\n")
    document = answer("check", code=8)
    [problem] = document["problems"]
    assert (document["sound"], problem["file"], problem["line"]) == (False, "atoms/a.md", 3)


def test_a_folder_that_leads_elsewhere_is_checked_and_nothing_else_is_done(base, tmp_path):
    staging = base / "workspace" / "staging"
    staging.rmdir()
    staging.symlink_to(tmp_path)
    assert answer("check", code=8)["problems"][0]["file"] == "workspace/staging"
    assert "a link where a folder must be" in run(*TRAP, code=6).stderr
    assert [path.name for path in tmp_path.iterdir()] == [".ai-kb"]


def test_people_see_what_waits_and_nothing_commands_their_terminal(base):
    kept = KnowledgeBase.open()
    kept.write(Item(type="new_trap", description="Red \x1b[31m[bold]alert", content=CONTENT, task="t1"))
    kept.write(Item(type="new_pattern", description="UTC", content="Use UTC.", evidence="a test", task="t1"))
    kept.write(Item(type="correction", atom_name="dates", content="Use UTC.", task="t1"))
    (base / "workspace" / "staging" / "my\x1bnotes").write_text("mine")
    (base / "atoms" / "a.md").write_text("x")
    kept.layout.journal.write_text('{"run": {"id": "r1", "task": null, "at": "2026-11-16T10:15:00Z"}}\n')
    screen = shown(kb_commands.draw_status(kept.status()))
    assert "\x1b" not in screen
    for words in ("[bold]alert", "1 of 3", "ready to promote", "corrects its atom", "Left alone", "interrupted"):
        assert words in screen
    assert "atoms: 1 (1 in no folder)" in screen


def test_people_see_an_empty_base_a_new_one_and_what_was_written(base):
    kept = KnowledgeBase.open()
    assert "No finding waits." in shown(kb_commands.draw_status(kept.status()))
    assert "memsieve kb write --help" in shown(kb_commands.draw_made(kept.root, kept.id))
    screen = shown(kb_commands.draw_written(answer(*TRAP)))
    assert "Written: workspace/staging/new-trap-Locale-of-dates.md" in screen
    assert "1 of 3 observations" in screen


def test_people_see_problems_with_their_places(base):
    kept = KnowledgeBase.open()
    assert "Nothing is wrong" in shown(kb_commands.draw_problems(kept.check(), kept.root))
    (base / "atoms" / "a.md").write_text("[x](y.md)")
    screen = shown(kb_commands.draw_problems(kept.check(), kept.root))
    assert "atoms/a.md:1: The link to 'y.md' leads nowhere." in screen
    assert "1 problem" in screen
