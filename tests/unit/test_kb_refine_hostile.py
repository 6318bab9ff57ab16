"""Files that refine must not trust: a clear word on each, nothing lost, nothing outside touched."""

import os
import time

import pytest

from memsieve.kb.base import KnowledgeBase
from memsieve.kb.files import document
from memsieve.kb.items import Item
from memsieve.kb.refine import atoms

JITTER = "Retries without jitter make every client knock at the same moment; each retry must wait a random while."
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n"


@pytest.fixture
def base(tmp_path):
    return KnowledgeBase.init(tmp_path / "repository" / ".ai-kb", observations="evidence")


@pytest.fixture
def staging(base):
    return base.root / "workspace" / "staging"


def refined(base):
    return {item.file: item for item in base.refine().items}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"---\nid: [\n---\ntext", "Line 3: The front matter is no YAML"),
        (b"---\nid: 1\ntext without an end", "Line 1: The front matter does not end"),
        (f"---\n{BOMB}---\ntext".encode(), "Line 2: Anchors and aliases"),
        (b"---\nid: !!python/object:os.system x\n---\ntext", "Line 2: Tags"),
        (b"---\nnotes: " + b"x" * 300_000 + b"\n---\ntext", "The front matter has more than"),
        (b"x" * (1024 * 1024 + 1), "bytes; 1048576 is the most"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "This is not a text in UTF-8"),
        (b"text\x00more", "This holds a NUL"),
        (b"---\nid: x\n---\n\n  \n", "It says nothing"),
        (b"", "It says nothing"),
        (b"---\ntype: checkpoint\n---\ntext", "Its type 'checkpoint' is that of no finding"),
    ],
)
def test_a_file_that_is_no_finding_stays_and_the_report_says_why(base, staging, content, reason):
    path = staging / "new-trap-odd.md"
    path.write_bytes(content)
    item = refined(base)["new-trap-odd.md"]
    assert item.outcome == "kept"
    assert reason in item.reason
    assert path.read_bytes() == content
    assert "new-trap-odd.md" in (base.root / "workspace" / "session" / "staging-report.md").read_text()


def test_a_broken_file_does_not_keep_others_from_being_refined(base, staging):
    (staging / "new-trap-a.md").write_bytes(b"\xff\xfe")
    base.write(Item(type="new_trap", description="retry storm", content=JITTER, evidence="load test"))
    assert refined(base)["new-trap-retry-storm.md"].outcome == "promoted"


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "new-trap-.md", "trap-x.md", "new-trap-x.md.bak", "ünï.md"])
def test_a_file_of_another_name_is_somebodys_own(base, staging, name):
    (staging / name).write_text(JITTER)
    item = refined(base)[name]
    assert item.outcome == "kept"
    assert "new-trap-….md" in item.reason
    assert (staging / name).read_text() == JITTER


def test_a_name_that_is_no_text_is_told_of_and_stays(base, staging):
    path = staging / os.fsdecode(b"new-trap-\xff.md")
    path.write_text(JITTER)
    [item] = base.refine().items
    assert item.outcome in {"kept", "observing"}
    assert path.exists()
    assert "new-trap-" in (base.root / "workspace" / "session" / "staging-report.md").read_text()


def test_a_link_out_of_staging_is_not_followed(base, staging, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("MAGIC.C 第 42 行的特殊處理")
    (staging / "new-trap-link.md").symlink_to(outside)
    item = refined(base)["new-trap-link.md"]
    assert item.outcome == "kept"
    assert "link" in item.reason
    assert outside.read_text() == "MAGIC.C 第 42 行的特殊處理"
    assert (staging / "new-trap-link.md").is_symlink()


def test_a_folder_and_a_pipe_in_staging_stay(base, staging):
    (staging / "new-trap-folder.md").mkdir()
    (staging / "new-trap-folder.md" / "inner.md").write_text("inner")
    os.mkfifo(staging / "new-trap-pipe.md")
    found = refined(base)
    assert {found["new-trap-folder.md"].outcome, found["new-trap-pipe.md"].outcome} == {"kept"}
    assert (staging / "new-trap-folder.md" / "inner.md").read_text() == "inner"


@pytest.mark.parametrize(
    "name", ["../../x", "CON", "x" * 300, "🎉🎉", "two\nlines", "/etc/passwd", "..", "C:\\x", "a/../b"]
)
def test_a_finding_of_any_name_becomes_an_atom_in_its_own_folder(base, name, tmp_path):
    base.write(Item(type="new_trap", description=name, content=JITTER, evidence="load test"))
    before = {path for path in tmp_path.rglob("*") if ".ai-kb" not in path.parts}
    [item] = base.refine().items
    assert item.outcome == "promoted"
    assert [path.relative_to(base.root).as_posix() for path in (base.root / "atoms").rglob("*.md")] == [item.atom]
    assert item.atom.startswith("atoms/traps/")
    assert item.atom.count("/") == 2
    assert {path for path in tmp_path.rglob("*") if ".ai-kb" not in path.parts} == before
    assert base.check() == ()


@pytest.mark.parametrize("name", ["../../x", "../x.md", "/etc/passwd", "."])
def test_a_correction_that_names_a_file_elsewhere_names_no_atom(base, name, tmp_path):
    (tmp_path / "x.md").write_text("precious")
    (base.root / "x.md").write_text("precious")
    base.write(Item(type="correction", atom_name=name, content="Something else."))
    [item] = base.refine().items
    assert item.outcome == "kept"
    assert "No atom is called" in item.reason
    assert (tmp_path / "x.md").read_text() == (base.root / "x.md").read_text() == "precious"


def test_a_category_that_is_a_link_is_not_written_into(base, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (base.root / "atoms" / "traps").symlink_to(outside)
    base.write(Item(type="new_trap", description="retry storm", content=JITTER, evidence="load test"))
    found = refined(base)
    assert found["new-trap-retry-storm.md"].outcome == "kept"
    assert "link" in found["new-trap-retry-storm.md"].reason
    assert list(outside.iterdir()) == []
    assert (base.root / "workspace" / "staging" / "new-trap-retry-storm.md").exists()


def test_relations_in_front_matter_that_lead_out_are_not_followed(base, tmp_path):
    outside = tmp_path / "repository" / "other.md"
    outside.write_text("precious")
    finding = base.write(Item(type="new_trap", description="retry storm", content=JITTER, evidence="load test")).path
    text = finding.read_text().replace("status: NEW\n", "status: NEW\nrelated:\n- ../../../other.md\n")
    finding.write_text(text)
    base.refine()
    assert outside.read_text() == "precious"


def test_fields_of_odd_kinds_do_no_harm(base, staging):
    head = "id: [1, 2]\nobserved: {a: 1}\ntags: 7\nevidence: {}\nruns: yes\ncreated: null\ntask: [x]\ndescription: []\n"
    (staging / "new-trap-odd.md").write_text(f"---\n{head}---\n\n{JITTER}\n")
    (staging / "new-trap-rows.md").write_text(
        "---\nobserved: [1, {}, {task: [a]}, null]\n---\n\n别的规则必须先讨论再决定。\n"
    )
    assert {item.outcome for item in refined(base).values()} == {"observing"}
    assert isinstance(document.read(staging / "new-trap-odd.md").fields["id"], str)


def test_names_and_texts_with_markup_are_shown_as_they_are(base):
    base.write(
        Item(type="new_trap", description="x", content=JITTER, evidence="<b>bold</b> [link](http://evil) `code`")
    )
    report = base.refine().markdown()
    assert "[link](http" not in report
    assert r"\[link\](http://evil)" in report
    assert "<b>" not in report.replace(r"\<b\>", "")


def test_an_unreadable_atom_is_told_of_and_left_alone(base):
    folder = base.root / "atoms" / "traps"
    folder.mkdir()
    (folder / "broken.md").write_text("---\nid: [\n---\ntext")
    base.write(Item(type="new_trap", description="retry storm", content=JITTER))
    item = refined(base)["atoms/traps/broken.md"]
    assert item.outcome == "kept"
    assert "Line 3" in item.reason
    assert (folder / "broken.md").read_text() == "---\nid: [\n---\ntext"


def test_notes_in_session_and_reports_stay_and_are_told_of(base):
    session, reports = base.root / "workspace" / "session", base.root / "workspace" / "reports"
    (session / "ideas.md").write_text("mine")
    (session / "folder").mkdir()
    for number in range(8):
        (reports / f"my-{number}-verify.md").write_text("mine")
    found = refined(base)
    assert {"session/ideas.md", "session/folder", "reports/my-0-verify.md"} <= found.keys()
    assert (session / "ideas.md").read_text() == "mine"
    assert len(list(reports.iterdir())) == 8


def test_a_correction_with_too_much_history_waits(base):
    folder = base.root / "atoms" / "traps"
    folder.mkdir()
    (folder / "long.md").write_text("word " * 60_000)
    base.write(Item(type="correction", atom_name="long", content="Shorter."))
    item = refined(base)["correction-long.md"]
    assert item.outcome == "kept"
    assert "cannot take it with its history" in item.reason
    assert (folder / "long.md").read_text() == "word " * 60_000


def test_findings_too_large_to_be_put_together_wait_in_files_of_their_own(base, staging):
    line = f"\n\n{'=' * 530_000}\n"
    (staging / "new-trap-one.md").write_text(f"{JITTER} Ask Lin.{line}")
    (staging / "new-trap-two.md").write_text(f"{JITTER} Ask Bob.{line}")
    assert [item.observations for item in base.refine().items] == [1, 1]
    for name, asked in (("one", "Lin"), ("two", "Bob")):
        kept = document.read(staging / f"new-trap-{name}.md")
        assert kept.fields["status"] == "OBSERVED"
        assert f"Ask {asked}." in kept.text


@pytest.fixture
def cached(base, monkeypatch):
    """Return a knowledge base whose one atom is in the cache, as if it had been there for a while."""
    real = time.time_ns
    monkeypatch.setattr(atoms.time, "time_ns", lambda: real() + 10**10)
    folder = base.root / "atoms" / "traps"
    folder.mkdir()
    (folder / "known.md").write_text(JITTER)
    base.refine()
    return base


def test_an_atom_that_has_not_changed_is_not_read_again(cached, monkeypatch):
    assert (cached.root / "workspace" / ".cache" / "concepts.json").is_file()
    monkeypatch.setattr(atoms.document, "read", lambda path: pytest.fail(f"{path} was read"))
    assert [item.outcome for item in cached.refine().items] == []


def test_an_atom_that_has_changed_is_read_again(cached):
    (cached.root / "atoms" / "traps" / "known.md").write_text("Nothing that anybody would look for stands here now.")
    cached.write(Item(type="new_trap", description="retry storm", content=JITTER))
    assert refined(cached)["new-trap-retry-storm.md"].outcome == "observing"


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"rules": 1}', b'{"atoms": []}', b"\xff", b"[" * 100_000])
def test_a_broken_cache_is_made_anew(cached, broken):
    cache = cached.root / "workspace" / ".cache" / "concepts.json"
    cache.write_bytes(broken)
    cached.write(Item(type="new_trap", description="retry storm", content=JITTER))
    assert refined(cached)["new-trap-retry-storm.md"].outcome == "duplicate"
    assert len(cache.read_bytes()) > 100


def test_a_cache_that_is_a_link_is_not_written_through(cached, tmp_path):
    cache = cached.root / "workspace" / ".cache" / "concepts.json"
    cache.unlink()
    (tmp_path / "target").write_text("precious")
    cache.symlink_to(tmp_path / "target")
    cached.refine()
    assert (tmp_path / "target").read_text() == "precious"


def test_long_findings_without_a_full_stop_are_held_against_each_other_and_an_atom(base, staging):
    long = " ".join(f"{number} kettles" for number in range(6_000))
    (staging / "new-trap-a.md").write_text(long)
    (staging / "new-trap-b.md").write_text(f"{long} and lanterns")
    assert {item.outcome for item in refined(base).values()} == {"observing"}
    (base.root / "atoms" / "kettles.md").write_text(f"# Kettles\n\n{long} and lanterns in marble halls")
    assert {item.outcome for item in refined(base).values()} == {"duplicate"}
