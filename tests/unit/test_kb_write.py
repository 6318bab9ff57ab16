"""Writing items: each in its place, none over another, and a finding that is there already observed once more."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memsieve import InvalidInput, Item, KnowledgeBase
from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import document, frontmatter
from memsieve.kb.items import MOST_CONTENT_BYTES, TYPES, type_of

NOW = datetime(2026, 11, 16, 10, 15, tzinfo=UTC)
LOCALE = "Dates in reports follow the locale of the server, so every report must name its own."
TRAP = Item(type="new_trap", description="Locale of dates", content=LOCALE)


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.init(clock=lambda: NOW)


def in_folder(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"type": "checkpoint", "state": "REVIEW"}, "session/checkpoint-REVIEW-20261116T101500Z.md"),
        ({"type": "decoded_text", "filename": "A.C", "line_range": "1-40"}, "session/decoded-A.C-1-40.txt"),
        ({"type": "diff_compare", "function_name": "parse_header"}, "session/diff-parse_header.md"),
        ({"type": "new_trap", "description": "Locale of dates"}, "staging/new-trap-Locale-of-dates.md"),
        ({"type": "new_pattern", "description": "报表的日期"}, "staging/new-pattern-报表的日期.md"),
        ({"type": "correction", "atom_name": "locale-of-dates"}, "staging/correction-locale-of-dates.md"),
        ({"type": "verify_report", "filename": "A.C"}, "reports/A.C-2026-11-16-verify.md"),
        ({"type": "build_report", "filename": "A.C"}, "reports/A.C-2026-11-16-build.md"),
    ],
)
def test_each_type_goes_to_its_place_under_its_name(base, fields, place):
    item = Item(**fields, content=LOCALE, task="t1", agent="ada", tags=("dates", "dates", "i18n"))
    written = base.write(item)
    assert written.path == base.layout.workspace / place
    read = document.read(written.path)
    assert read.text == LOCALE
    assert {name: read.fields[name] for name in ("id", "type", "task", "agent", "created", "tags", "observations")} == {
        "id": written.id,
        "type": fields["type"],
        "task": "t1",
        "agent": "ada",
        "created": "2026-11-16T10:15:00.000000Z",
        "tags": ["dates", "i18n"],
        "observations": 1,
    }
    folder, _, name = place.partition("/")
    assert type_of(folder, name) is TYPES[fields["type"]]
    assert base.check() == ()


def test_a_finding_says_what_it_is_who_saw_it_and_what_bears_it_out(base):
    written = base.write(replace(TRAP, task="t1", evidence="tests/test_dates.py fails in de_DE"))
    fields = document.read(written.path).fields
    assert fields["description"] == "Locale of dates"
    assert fields["status"] == "NEW"
    assert fields["evidence"] == ["tests/test_dates.py fails in de_DE"]
    assert fields["observed"] == [
        {"id": written.id, "task": "t1", "agent": None, "created": "2026-11-16T10:15:00.000000Z"}
    ]


def test_another_task_that_finds_the_same_is_another_observation_in_the_same_file(base):
    first = base.write(replace(TRAP, task="t1", tags=("a",)))
    second = base.write(replace(TRAP, task="t2", agent="bob", tags=("b",), evidence="seen in CI"))
    assert (second.path, second.outcome, second.observations) == (first.path, "observed", 2)
    fields = document.read(first.path).fields
    assert [row["id"] for row in fields["observed"]] == [first.id, second.id]
    assert (fields["id"], fields["observations"], fields["tags"]) == (first.id, 2, ["a", "b"])
    assert fields["evidence"] == ["seen in CI"]
    assert document.read(first.path).text == LOCALE


def test_the_same_task_counts_once_and_what_it_repeats_changes_nothing(base):
    first = base.write(replace(TRAP, task="t1"))
    before = first.path.read_bytes()
    again = base.write(replace(TRAP, task="t1", description="locale  of DATES"))
    assert (again.path, again.outcome, again.observations, again.id) == (first.path, "known", 1, first.id)
    assert first.path.read_bytes() == before
    other_agent = base.write(replace(TRAP, task="t1", agent="bob"))
    assert (other_agent.outcome, other_agent.observations) == ("observed", 1)


def test_the_same_task_may_add_a_tag(base):
    first = base.write(replace(TRAP, task="t1", tags=("a",)))
    again = base.write(replace(TRAP, task="t1", tags=("b",)))
    assert (again.path, again.outcome, again.observations) == (first.path, "observed", 1)
    assert document.read(first.path).fields["tags"] == ["a", "b"]


def test_a_wording_that_adds_something_stands_below_as_its_own_paragraph(base):
    more = "Dates in reports follow the locale of the server; the invoice template overrides it."
    path = base.write(replace(TRAP, task="t1")).path
    base.write(replace(TRAP, task="t2", content=more))
    assert document.read(path).text == f"{LOCALE}\n\n{more}"
    base.write(replace(TRAP, task="t3", content="In reports, dates follow the locale of the server."))
    assert document.read(path).text == f"{LOCALE}\n\n{more}"
    assert document.read(path).fields["observations"] == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ledger retries 3 times before it gives up.", "The ledger retries 5 times before it gives up."),
        ("Dates follow the locale of the server.", "Dates do not follow the locale of the server."),
        ("报表服务调用账本服务。", "账本服务调用报表服务。"),
    ],
)
def test_a_finding_that_contradicts_the_one_of_its_name_gets_its_own_file(base, one, other):
    first = base.write(replace(TRAP, content=one, task="t1"))
    second = base.write(replace(TRAP, content=other, task="t2"))
    assert second.path == first.path.with_name("new-trap-Locale-of-dates-2.md")
    assert document.read(first.path).text == one
    third = base.write(replace(TRAP, content=other, task="t3"))
    assert (third.path, third.observations) == (second.path, 2)


def test_another_description_of_the_same_name_gets_its_own_file(base):
    paths = [base.write(replace(TRAP, description=text)).path.name for text in ("a/b", "a b", "A:B", "a/b")]
    assert paths == ["new-trap-a-b.md", "new-trap-a-b-2.md", "new-trap-A-B-3.md", "new-trap-a-b.md"]


def test_two_corrections_are_one_only_if_they_read_the_same(base):
    texts = ("Use UTC in reports.", "Use UTC in reports. \r\n", "Use utc in reports.")
    written = [base.write(Item(type="correction", atom_name="dates", content=text, task="t1")) for text in texts]
    assert [one.path.name for one in written] == ["correction-dates.md"] * 2 + ["correction-dates-2.md"]
    assert written[1].outcome == "known"


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "checkpoint", "state": "REVIEW"},
        {"type": "decoded_text", "filename": "A.C", "line_range": "7", "content": "x"},
        {"type": "build_report", "filename": "A.C", "content": "x"},
    ],
)
def test_what_is_no_finding_and_has_the_name_of_another_gets_a_number(base, fields):
    written = [base.write(Item(**fields)).path for _ in range(3)]
    stem, suffix = written[0].stem, written[0].suffix
    assert [path.name for path in written] == [f"{stem}{suffix}", f"{stem}-2{suffix}", f"{stem}-3{suffix}"]


@pytest.mark.parametrize("make", ["folder", "link", "broken", "binary", "by hand"])
def test_what_lies_under_the_name_and_is_no_such_finding_is_left_alone(base, make, tmp_path):
    place = base.layout.staging / "new-trap-Locale-of-dates.md"
    secret = tmp_path / "secret.md"
    secret.write_text("---\ntype: new_trap\ndescription: Locale of dates\n---\nDates.\n")
    makers = {
        "folder": place.mkdir,
        "link": lambda: place.symlink_to(secret),
        "broken": lambda: place.write_text("---\nid: [\n---\n"),
        "binary": lambda: place.write_bytes(b"\x00\xff"),
        "by hand": lambda: place.write_text("my own notes\n"),
    }
    makers[make]()
    before = None if make == "folder" else place.read_bytes()
    assert base.write(TRAP).path.name == "new-trap-Locale-of-dates-2.md"
    assert (None if make == "folder" else place.read_bytes()) == before
    assert secret.read_text().endswith("Dates.\n")


def test_a_finding_that_a_person_edited_keeps_their_lines(base):
    path = base.write(replace(TRAP, task="t1")).path
    edited = path.read_text().replace("status: NEW\n", "status: NEW\n# looks right to me\nowner: eve # yes\n")
    path.write_text(edited)
    base.write(replace(TRAP, task="t2"))
    assert "\n# looks right to me\nowner: eve # yes\n" in path.read_text()
    assert document.read(path).fields["observations"] == 2


def test_a_file_that_is_full_is_left_and_the_finding_gets_its_own(base):
    path = base.write(replace(TRAP, task="t1")).path
    room = frontmatter.MOST_BYTES - len(document.read(path).head) - 20
    path.write_text(path.read_text().replace("status: NEW\n", f"status: NEW\n# {'x' * room}\n"))
    before = path.read_bytes()
    assert base.write(replace(TRAP, task="t2")).path.name == "new-trap-Locale-of-dates-2.md"
    assert path.read_bytes() == before


def test_long_texts_are_one_file_only_where_one_holds_the_other(base):
    long = " ".join(f"word{n}" for n in range(1000))
    first = base.write(replace(TRAP, content=long, task="t1"))
    assert base.write(replace(TRAP, content=long, task="t2")).observations == 2
    assert base.write(replace(TRAP, content=f"{long} and more", task="t3")).path != first.path


def test_the_base_has_a_task_of_its_own_until_it_is_renewed(base, monkeypatch):
    first, second = (base.write(replace(TRAP, description=text)).task for text in "ab")
    assert first == second == base.status().task
    assert base.write(replace(TRAP, task="named")).task == "named"
    monkeypatch.setenv("MEMSIEVE_TASK", "from-variable")
    assert base.write(replace(TRAP, description="c")).task == "from-variable"
    monkeypatch.delenv("MEMSIEVE_TASK")
    base.layout.task.write_bytes(b"two\nlines")
    with pytest.raises(KnowledgeBaseError, match="no name of a task"):
        base.write(TRAP)
    base.layout.task.unlink()
    assert base.write(replace(TRAP, description="d")).task not in {first, "named", "from-variable"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "nonsense", "content": "x"}, "must be one of checkpoint"),
        ({"type": "new_trap", "content": "x"}, "needs description. Give it with --description"),
        ({"type": "correction", "content": "x"}, "--atom-name"),
        ({"type": "new_trap", "description": "  ", "content": "x"}, "description is empty"),
        ({"type": "new_trap", "description": "x"}, "needs content"),
        ({"type": "new_trap", "description": "x", "content": " \n"}, "content is empty"),
        ({"type": "new_trap", "description": "x", "content": "a\0b"}, "NUL"),
        ({"type": "new_trap", "description": "x", "content": "a\udc80b"}, "Unicode"),
        ({"type": "new_trap", "description": "x", "content": "é" * MOST_CONTENT_BYTES}, "Shorten or split it"),
        ({"type": "new_trap", "description": "x" * 2001, "content": "x"}, "Shorten or split it"),
        ({"type": "new_trap", "description": "x", "content": "x", "state": "y"}, "takes no state"),
        ({"type": "checkpoint", "state": "x", "evidence": "y"}, "takes no evidence"),
        ({"type": "new_trap", "description": "x", "content": "x", "task": "a\nb"}, "task holds"),
        ({"type": "new_trap", "description": "x", "content": "x", "tags": ("\u202e",)}, "tags"),
        ({"type": "decoded_text", "filename": "x", "content": "x", "line_range": "../4"}, "42 or 1-40"),
        ({"type": "decoded_text", "filename": "x", "content": "x", "line_range": "9-2"}, "42 or 1-40"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is(fields, words):
    with pytest.raises(InvalidInput) as refusal:
        Item(**fields)
    assert words in str(refusal.value)


HOSTILE = ["../../x", "/etc/passwd", "..", "CON", "nul.md", "x" * 300, "🎉", "a\nb", "C:\\x", ".tmp-x", "-", "\u202ex"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", TYPES)
def test_no_name_leads_out_of_its_folder(base, kind, name):
    fields = dict.fromkeys(TYPES[kind].fields, name)
    if "line_range" in fields:
        fields["line_range"] = "1-2"
    outside = in_folder(base.root.parent)
    written = base.write(Item(type=kind, content="x", **fields))
    assert written.path.parent == base.layout.workspace / TYPES[kind].folder
    assert in_folder(written.path.parent) == [written.path.name]
    assert in_folder(base.root.parent) == outside
    assert len(written.path.name.encode()) <= 255
    assert type_of(TYPES[kind].folder, written.path.name) is TYPES[kind]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(description=st.text(min_size=1, max_size=60), content=st.text(min_size=1, max_size=200))
def test_whatever_can_be_written_is_found_again_whole(tmp_path_factory, description, content):
    try:
        item = Item(type="new_pattern", description=description, content=content)
    except InvalidInput:
        return
    base = KnowledgeBase.init(tmp_path_factory.mktemp("any"))
    read = document.read(base.write(item).path)
    assert (read.fields["description"], read.text) == (description, content.removeprefix("\ufeff").strip())
    assert base.check() == ()


def test_many_who_write_at_once_lose_nothing(base):
    items = [replace(TRAP, task=f"t{n}") for n in range(8)]
    items += [Item(type="diff_compare", function_name="f", content=f"change {n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(base.write, items))
    [finding] = base.layout.staging.iterdir()
    assert document.read(finding).fields["observations"] == 8
    assert {document.read(path).text for path in base.layout.session.iterdir()} == {f"change {n}" for n in range(8)}


WRITER = """
import sys
from memsieve import Item, KnowledgeBase
base = KnowledgeBase.open(sys.argv[1])
for n in range(10):
    base.write(Item(type="new_trap", description="Locale", content="Dates follow it.", task=f"{sys.argv[2]}-{n}"))
"""


def test_processes_that_write_at_once_lose_nothing(base):
    started = [
        Popen([sys.executable, "-c", WRITER, str(base.root), name], stderr=PIPE) for name in ("one", "two", "three")
    ]
    for process in started:
        _, complaint = process.communicate()
        assert process.returncode == 0, complaint
    [finding] = base.layout.staging.iterdir()
    assert document.read(finding).fields["observations"] == 30
