"""Refine is killed at any point: no finding is lost, none becomes two, and the next run finishes the work."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from memsieve.kb.base import KnowledgeBase
from memsieve.kb.files import document
from memsieve.kb.files.fingerprints import content_hash
from memsieve.kb.items import Item

CHILD = Path(__file__).with_name("kb_child.py")
KILLS = int(os.environ.get("REFINE_KILLS", "50"))
JITTER = "Retries without jitter make every client knock at the same moment; each retry must wait a random while."


class Refiner:
    """Refines in processes that can be killed."""

    def __init__(self, process):
        self._process = process

    def begin(self, root, observations="evidence", die=None):
        order = {"root": str(root), "observations": observations, "die": die}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._number()

    def end(self):
        return self._number()

    def whole(self, root, observations="evidence"):
        """Refine without a mishap; return the seconds and how many files were changed on the way."""
        self.begin(root, observations)
        assert self.end() == 0
        return json.loads(Path(f"{root}.took").read_text())

    def _number(self):
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module")
def refiner():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(CHILD)], **pipes) as process:
        yield Refiner(process)
        process.stdin.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A knowledge base in which refining does all that it can do."""
    base = KnowledgeBase.init(tmp_path_factory.mktemp("template") / ".ai-kb", observations="evidence")
    atoms = base.root / "atoms" / "patterns"
    atoms.mkdir()
    (atoms / "backoff.md").write_text("Retries of clients back off: each retry waits twice as long as the one before.")
    (atoms / "limit.md").write_text("---\nid: limit\n---\n# Limit\n\nThe gateway accepts 100 requests from a tenant.\n")
    for item in _items():
        base.write(item)
    for day in range(1, 8):
        (base.root / "workspace" / "reports" / f"A.C-2026-10-0{day}-verify.md").write_text("fine")
    (base.root / "workspace" / "staging" / "notes.txt").write_text("somebody's own")
    return base.root


def _items():
    yield Item(type="new_trap", description="retry storm", content=JITTER, evidence="load test")
    yield Item(type="new_pattern", description="known already", content=JITTER, evidence="load test")
    yield Item(type="new_trap", description="special", content="MAGIC.C 第 42 行的特殊處理")
    yield Item(type="new_pattern", description="缓存键", content="缓存键必须包含租户编号，否则会把别家的数据展示出来。")
    yield Item(type="correction", atom_name="limit", content="The gateway accepts 300 requests from a tenant.")
    for task in ("one", "two", "three"):
        text = "Migrations must run before the new version is deployed, or it reads columns that are not there."
        yield Item(type="new_trap", description=f"migration seen in {task}", content=text, task=task)
    for task in ("one", "two"):
        text = "Every flaky test that waits for a fixed time should wait for the event instead."
        yield Item(type="new_pattern", description=f"flaky seen in {task}", content=text, task=task)
    yield Item(type="checkpoint", state="REVIEW", content="half way")
    yield Item(type="diff_compare", function_name="main", content="same")


@contextmanager
def copied(template, folder):
    root = folder / ".ai-kb"
    shutil.copytree(template, root)
    try:
        yield root
    finally:
        shutil.rmtree(root)


def state(root):
    """Return all that refining leaves behind, without ids and times of its own."""
    atoms = {path.relative_to(root).as_posix(): document.read(path) for path in (root / "atoms").rglob("*.md")}
    staging = {path.name: path for path in (root / "workspace" / "staging").iterdir()}
    waiting = {name: document.read(path) for name, path in staging.items() if name.endswith(".md")}
    return {
        "atoms": {path: (atom.text, *_lists(atom, "sources", "related", "tasks")) for path, atom in atoms.items()},
        "histories": {path: _history(atom) for path, atom in atoms.items()},
        "waiting": {name: (kept.text, *_observed(kept)) for name, kept in waiting.items()},
        "unknown": (root / "workspace" / "staging" / "notes.txt").read_text(),
        "session": sorted(path.name for path in (root / "workspace" / "session").iterdir()),
        "reports": sorted(path.name for path in (root / "workspace" / "reports").iterdir()),
        "left over": [str(path) for path in root.rglob(".tmp-*")] + [str(path) for path in root.rglob("refine.jsonl")],
    }


def _lists(atom, *fields):
    return tuple(tuple(atom.fields.get(field, ())) for field in fields)


def _history(atom):
    return [(row["finding"], row["content"]) for row in atom.fields.get("history", ())]


def _observed(kept):
    return kept.fields["observations"], tuple(row["id"] for row in kept.fields["observed"]), kept.fields.get("status")


def findings(root):
    """Return the ids of all findings, wherever they are: in staging, or in an atom."""
    held = set()
    for path in [*(root / "atoms").rglob("*.md"), *(root / "workspace" / "staging").glob("*.md")]:
        fields = document.read(path).fields
        held |= {fields.get("id")} | set(fields.get("sources", ()))
        held |= {row["id"] for row in fields.get("observed", ())}
        held |= {row["finding"] for row in fields.get("history", ())}
    return held


@pytest.fixture(scope="module")
def undisturbed(refiner, template, tmp_path_factory):
    """What refining leaves when nothing goes wrong, which findings it keeps, and how long and how much it takes."""
    folder = tmp_path_factory.mktemp("undisturbed")
    measured = []
    for _ in range(3):
        with copied(template, folder) as root:
            measured.append(refiner.whole(root))
            left, kept = state(root), findings(root) & findings(template)
    assert left["left over"] == []
    assert len(left["atoms"]) == 4
    return left, kept, *min(measured)


def test_killed_many_times_at_random_it_loses_no_finding_and_doubles_none(refiner, template, undisturbed, tmp_path):
    left, kept, took, _ = undisturbed
    chance = random.Random(7)
    died = 0
    for _ in range(KILLS):
        with copied(template, tmp_path) as root:
            child = refiner.begin(root)
            time.sleep(chance.random() * took * 1.1)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            died += refiner.end() != 0
            assert kept <= findings(root)
            interrupted = (root / "workspace" / "refine.jsonl").exists()
            refiner.whole(root)
            assert state(root) == left
            if interrupted:
                assert_all_told(template, root)
    assert died > KILLS / 2


def assert_all_told(template, root):
    report = (root / "workspace" / "session" / "staging-report.md").read_text()
    told = re.findall(r"^- \*\*(.+?)\*\*", report, re.MULTILINE)
    assert sorted(told) == sorted(path.name for path in (template / "workspace" / "staging").iterdir())


def test_killed_at_each_change_of_a_file_it_is_finished_by_the_next_run(refiner, template, undisturbed, tmp_path):
    left, kept, *_ = undisturbed
    died = True
    for die in count(1):
        with copied(template, tmp_path) as root:
            refiner.begin(root, die=die)
            died = refiner.end() == -signal.SIGKILL
            assert kept <= findings(root)
            interrupted = (root / "workspace" / "refine.jsonl").exists()
            refiner.whole(root)
            assert state(root) == left, f"killed at change {die}"
            if interrupted:
                assert_all_told(template, root)
        if not died:
            break
    assert die > 50


def test_killed_again_and_again_it_still_comes_to_the_same_end(refiner, template, undisturbed, tmp_path):
    left, kept, _, changes = undisturbed
    chance = random.Random(11)
    for _ in range(10):
        with copied(template, tmp_path) as root:
            for _ in range(6):
                refiner.begin(root, die=chance.randrange(1, changes // 2))
                refiner.end()
                assert kept <= findings(root)
            refiner.whole(root)
            assert state(root) == left


def test_a_run_that_was_killed_and_finished_counts_as_one_run(refiner, template, tmp_path):
    with copied(template, tmp_path) as root:
        _, changes = refiner.whole(root, "runs")
    for die in range(1, changes + 1, 4):
        with copied(template, tmp_path) as root:
            refiner.begin(root, "runs", die)
            refiner.end()
            begun = (root / "workspace" / "refine.jsonl").exists()
            refiner.whole(root, "runs")
            [kept] = (root / "workspace" / "staging").glob("new-pattern-缓存键.md")
            runs = document.read(kept).fields["runs"]
            assert len(runs) == len(set(runs))
            assert len(runs) == 1 or not begun


def test_what_was_written_after_the_kill_is_refined_with_the_rest(refiner, template, undisturbed, tmp_path):
    _, kept, _, changes = undisturbed
    for die in range(2, changes + 1, 3):
        with copied(template, tmp_path) as root:
            refiner.begin(root, die=die)
            refiner.end()
            base = KnowledgeBase.open(root)
            written = base.write(Item(type="new_trap", description="retry storm", content=JITTER, task="later"))
            refiner.whole(root)
            ids = findings(root)
            assert kept <= ids
            texts = [path.read_text() for path in (root / "atoms").rglob("*.md")]
            assert sum(text.count("# retry storm") for text in texts) == 1
            assert not list((root / "workspace" / "staging").glob("new-trap-retry-storm*")), written


def test_a_dry_run_after_a_kill_says_what_finishing_will_do(refiner, template, undisturbed, tmp_path):
    *_, changes = undisturbed
    for die in range(3, changes, 7):
        with copied(template, tmp_path) as root:
            refiner.begin(root, die=die)
            refiner.end()
            base = KnowledgeBase.open(root, observations="evidence")
            before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
            dry = base.refine(dry_run=True)
            assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
            assert dry.items == base.refine().items


def test_a_file_that_somebody_changed_after_the_kill_is_decided_on_again(refiner, template, undisturbed, tmp_path):
    *_, changes = undisturbed
    for die in range(3, changes, 5):
        with copied(template, tmp_path) as root:
            refiner.begin(root, die=die)
            refiner.end()
            waiting = sorted((root / "workspace" / "staging").glob("*.md"))
            for path in waiting:
                path.write_text(f"{path.read_text()}\nAnd {path.stem} must be told to everybody who joins the team.\n")
            refiner.whole(root)
            texts = [path.read_text() for path in root.rglob("*.md")]
            for path in waiting:
                assert any(f"And {path.stem} must be told" in text for text in texts), (die, path.name)


def test_two_processes_that_refine_at_once_do_the_work_once(template, undisturbed, tmp_path):
    left, *_ = undisturbed
    with copied(template, tmp_path) as root:
        command = [sys.executable, "-m", "memsieve", "kb", "refine", "--kb", str(root), "--json"]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        reports = [json.loads(process.communicate()[0]) for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert state(root) == left
    promoted = [item["id"] for report in reports for item in report["items"] if item["outcome"] == "promoted"]
    assert len(promoted) == len(set(promoted)) == 4


def test_findings_written_while_others_refine_are_not_lost(template, tmp_path):
    with copied(template, tmp_path) as root:
        command = [sys.executable, "-m", "memsieve", "kb", "refine", "--kb", str(root), "--json"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            base = KnowledgeBase.open(root)
            written = []
            while process.poll() is None and len(written) < 100:
                text = f"Rule number {len(written)}: a service of tier {len(written)} must log in UTC only."
                written.append(base.write(Item(type="new_trap", description=f"rule {len(written)}", content=text)).id)
        assert process.returncode == 0
        assert written
        assert set(written) <= findings(root)


def test_a_journal_that_names_files_elsewhere_writes_and_removes_none(refiner, template, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("precious")
    with copied(template, tmp_path) as root:
        before = outside.read_bytes()
        mark = content_hash(before)
        hostile = [
            "../outside.md",
            str(outside),
            "atoms/../../outside.md",
            "kb.toml",
            "workspace/staging/../../kb.toml",
        ]
        rows = [{"run": {"id": "r", "task": None, "at": datetime.now(UTC).isoformat()}}]
        for path in hostile:
            going = {"items": [], "write": None, "deletes": [{"path": path, "before": mark}], "atom": None}
            writing = {"items": [], "write": {"path": path, "text": "x", "before": mark}, "deletes": [], "atom": path}
            rows += [{"step": going}, {"step": writing}]
        (root / "workspace" / "refine.jsonl").write_text("\n".join(map(json.dumps, rows)) + '\n{"step": {"items": [')
        refiner.whole(root)
        assert outside.read_bytes() == before
        assert (root / "kb.toml").exists()
