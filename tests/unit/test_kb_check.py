"""What `check` and `status` tell of a knowledge base: every problem with its file and line, and nothing changed."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from memsieve import Item, KnowledgeBase
from memsieve.kb.files.document import relative_links
from memsieve.kb.inspection import FileProblem

TRAP = Item(type="new_trap", description="Locale of dates", content="Dates in reports follow the locale of the server.")


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.init()


def put(base: KnowledgeBase, place: str, text: str) -> None:
    path = base.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def found(base: KnowledgeBase) -> FileProblem:
    [problem] = base.check()
    return problem


def test_a_sound_base_has_no_problems(base):
    put(
        base,
        "atoms/traps/dates.md",
        "---\nid: a1\nrelated:\n- ../patterns/utc.md\n---\n# Dates\n\n[UTC](../patterns/utc.md#why)\n",
    )
    put(base, "atoms/patterns/utc.md", "---\nid: a2\nrelated: [a1]\n---\nUse UTC. ![picture](clock.png)\n")
    put(base, "atoms/patterns/clock.png", "picture")
    put(base, "atoms/by-hand.md", "Nothing but words, and [the readme](../README.md).\n")
    put(base, "atoms/.gitkeep", "")
    base.write(TRAP)
    base.write(Item(type="checkpoint", state="REVIEW"))
    before = {path: path.read_bytes() for path in base.root.rglob("*") if path.is_file()}
    assert base.check() == ()
    assert {path: path.read_bytes() for path in base.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("place", "text", "line", "words"),
    [
        ("atoms/a.md", "---\nid: a\ntitle: x: y\n---\nText.\n", 3, "no YAML"),
        ("atoms/a.md", "---\nid: a\nText.\n", 1, "does not end"),
        ("atoms/a.md", "---\nid: a\n---\n\n", 4, "says nothing"),
        ("atoms/a.md", "", 1, "says nothing"),
        ("atoms/a.md", "---\ntitle: x\n---\nText.\n", 1, "no id"),
        ("atoms/a.md", "---\nid: a\n---\n\nSee\n[b](b.md).\n", 6, "'b.md' leads nowhere"),
        ("atoms/a.md", "Text.\n\n[b]: ../traps/b%20c.md\n", 3, "'../traps/b c.md' leads nowhere"),
        ("atoms/a.md", "---\nid: a\nrelated:\n- b.md\n---\nText.\n", 3, "`related` names 'b.md'"),
        ("atoms/a.md", "---\nid: a\nrelated: {b: 1}\n---\nText.\n", 3, "must be a list"),
        ("atoms/deep/down/a.txt", "Text.", None, "no atom links to it"),
        ("workspace/staging/notes.md", "Mine.", None, "left alone"),
        ("workspace/session/notes.md", "Mine.", None, "left alone"),
        ("workspace/reports/notes.md", "Mine.", None, "left alone"),
        ("workspace/notes.md", "Mine.", None, "belongs nowhere"),
        ("workspace/staging/new-trap-x.md", "---\nid: x\ntype: trap\n---\nText.\n", 3, "'trap' is unknown"),
        (
            "workspace/staging/new-trap-x.md",
            "---\nid: x\ntype: checkpoint\n---\nText.\n",
            3,
            "does not belong in staging/",
        ),
        ("workspace/staging/new-trap-x.md", "---\nid: x\ntype: [new_trap]\n---\nText.\n", 3, "is unknown"),
        ("workspace/staging/new-trap-x.md", "---\nid: x\n---\n", 4, "says nothing"),
    ],
)
def test_each_problem_is_told_with_its_file_and_line(base, place, text, line, words):
    put(base, place, text)
    problem = found(base)
    assert (problem.file, problem.line) == (place, line)
    assert words in problem.problem


def test_an_id_that_two_files_have_is_told_of_the_second(base):
    for name in "ab":
        put(base, f"atoms/{name}.md", "---\ntitle: x\nid: same\n---\nText.\n")
    problem = found(base)
    assert (problem.file, problem.line) == ("atoms/b.md", 3)
    assert "atoms/a.md" in problem.problem


@pytest.mark.parametrize("place", ["atoms/x.md", "atoms/folder", "workspace/staging/new-trap-x.md", "workspace/extra"])
def test_a_link_is_told_and_not_followed(base, place, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "broken.md").write_text("---\n")
    (base.root / place).symlink_to(tmp_path / "outside")
    problem = found(base)
    assert problem.file == place
    assert "link" in problem.problem


def test_binary_files_pipes_and_folders_are_told(base):
    (base.layout.atoms / "binary.md").write_bytes(b"\x89PNG\xff\0")
    (base.layout.staging / "new-trap-folder.md").mkdir()
    os.mkfifo(base.layout.staging / "new-trap-pipe.md")
    assert [Path(problem.file).name for problem in base.check()] == [
        *("binary.md", "new-trap-folder.md", "new-trap-pipe.md")
    ]


def test_problems_come_in_the_order_of_files_and_lines(base):
    put(base, "atoms/b.md", "[x](x.md)\n\n[y](y.md)\n")
    put(base, "atoms/a.md", "[x](x.md)\n")
    assert [(problem.file, problem.line) for problem in base.check()] == [
        *(("atoms/a.md", 1), ("atoms/b.md", 1), ("atoms/b.md", 3))
    ]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[a](b.md) and [c](d.md 'title')", ["b.md", "d.md"]),
        ("[a](<b c.md>) [d](e(1).md)", ["b c.md", "e(1).md"]),
        ("![a](b.png)", ["b.png"]),
        ("[a](https://x.org) [b](mailto:x@y.org) [c](#part) [d](/root.md)", []),
        ("`[a](b.md)`", []),
        ("```\n[a](b.md)\n```\n[c](d.md)", ["d.md"]),
        ("~~~~\n```\n[a](b.md)\n~~~~", []),
        ("[a]: b.md\n[c]: <d e.md>", ["b.md", "d e.md"]),
        ("array[0](x)", ["x"]),
        ("[a]()", []),
    ],
)
def test_relative_links_are_found_outside_of_code(text, targets):
    assert [target for _, target in relative_links(text)] == targets


def test_a_link_to_a_name_that_no_system_takes_leads_nowhere(base):
    put(base, "atoms/a.md", f"[a]({'x' * 5000}) [b](%00.md)\n")
    assert len(base.check()) == 2


def test_the_status_tells_what_waits_and_how_near_it_is(base):
    for task in ("t1", "t2"):
        base.write(replace(TRAP, task=task))
    base.write(Item(type="new_pattern", description="UTC", content="Use UTC everywhere.", evidence="a test"))
    base.write(Item(type="checkpoint", state="REVIEW"))
    base.write(Item(type="build_report", filename="A.C", content="fine"))
    put(base, "atoms/traps/a.md", "x")
    put(base, "atoms/traps/deep/b.md", "x")
    put(base, "atoms/c.md", "x")
    status = base.status()
    assert [(one.subject, one.observations, one.needed, one.certain) for one in status.findings] == [
        *(("UTC", 1, 3, True), ("Locale of dates", 2, 3, False))
    ]
    assert (len(status.session), len(status.reports)) == (1, 1)
    assert status.atoms == {"": 1, "traps": 2}
    assert (status.unknown, status.unfinished) == ((), False)


def test_the_status_counts_runs_where_runs_are_counted(base):
    path = base.write(replace(TRAP, task="t1")).path
    path.write_text(path.read_text().replace("status: NEW", "status: OBSERVED\nruns: [r1, r2]"))
    assert [one.observations for one in base.status().findings] == [1]
    assert [one.observations for one in KnowledgeBase.open(observations="runs").status().findings] == [2]


def test_the_status_sees_a_finding_as_the_next_refine_will(base):
    put(base, "workspace/staging/new-trap-by-hand.md", "---\nid: f1\ntask: t1\nobserved:\n- task: t2\n---\nUse UTC.\n")
    put(base, "workspace/staging/new-trap-plain.md", "Dates in reports follow the locale of the server.\n")
    seen = {Path(one.file).name: (one.subject, one.observations) for one in base.status().findings}
    assert seen == {"new-trap-by-hand.md": ("by hand", 2), "new-trap-plain.md": ("plain", 1)}
    assert {item.file: item.observations for item in base.refine(dry_run=True).items} == {
        file: count for file, (_, count) in seen.items()
    }


def test_a_numbered_report_is_known_and_one_without_a_day_is_not(base):
    for _ in range(2):
        base.write(Item(type="verify_report", filename="A.C", content="fine"))
    put(base, "workspace/reports/mine-verify.md", "Mine.")
    status = base.status()
    assert len(status.reports) == 2
    assert [one.file for one in status.unknown] == ["workspace/reports/mine-verify.md"]
    assert [item.file for item in base.refine(dry_run=True).items] == ["reports/mine-verify.md"]
    assert found(base).file == "workspace/reports/mine-verify.md"


def test_the_status_tells_what_is_left_alone_and_why(base, tmp_path):
    put(base, "workspace/staging/notes.md", "Mine.")
    put(base, "workspace/staging/new-trap-broken.md", "---\nid: [\n---\nText.")
    (base.layout.staging / "new-trap-link.md").symlink_to(tmp_path)
    (base.layout.session / "folder").mkdir()
    assert {Path(one.file).name: one.reason.partition(":")[0].partition(";")[0] for one in base.status().unknown} == {
        "notes.md": "Its name is that of no item that is written here.",
        "new-trap-broken.md": "Line 3",
        "new-trap-link.md": "It is a link",
        "folder": "It is no file.",
    }


def test_the_status_changes_nothing_and_tells_of_a_refine_that_was_interrupted(base):
    base.layout.journal.write_text('{"run": {"id": "r1", "task": null, "at": "2026-11-16T10:15:00Z"}}\n')
    before = sorted(base.root.rglob("*"))
    status = base.status()
    assert (status.unfinished, status.task) == (True, None)
    assert sorted(base.root.rglob("*")) == before
