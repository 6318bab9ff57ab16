"""The example with ten findings over four tasks ends as its table says."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

from memsieve.kb.base import KnowledgeBase
from memsieve.kb.files import document

EXAMPLE = Path(__file__).parents[2] / "examples" / "kb_task" / "four_tasks.py"
FATES = {
    "import invoices": {
        "new-trap-locale-of-dates.md": "1 of 3",
        "new-trap-MAGIC.C.md": "Deleted as too narrow",
        "new-pattern-缓存键带租户.md": "Promoted to atoms",
    },
    "export reports": {
        "new-trap-locale-of-dates.md": "2 of 3",
        "new-pattern-快取鍵.md": "Deleted as duplicates",
        "new-pattern-jitter-in-retries.md": "1 of 3",
    },
    "speed up login": {
        "new-trap-locale-of-dates.md": "Promoted to atoms",
        "correction-缓存键带租户.md": "Corrected atoms",
        "new-pattern-thundering-herd.md": "2 of 3",
    },
    "close the quarter": {"new-trap-no-date-formats.md": "1 of 3"},
}


def run(folder):
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), str(folder)], capture_output=True, check=True, encoding="utf-8"
    )
    parts = done.stdout.split("===== ")[1:]
    return {part.split(" =====")[0]: part for part in parts}


def fate(report, file):
    """Return the heading under which a report tells of a file, and the line."""
    before, _, after = report.partition(f"**{file}**")
    return before.rpartition("## ")[2].splitlines()[0] + after.splitlines()[0]


def test_ten_findings_over_four_tasks_end_as_the_example_says(tmp_path):
    reports = run(tmp_path)
    assert sum(len(files) for files in FATES.values()) == 10
    for task, files in FATES.items():
        assert f"task {task}." in reports[task]
        for file, told in files.items():
            assert told in fate(reports[task], file), (task, file)
        assert "ideas of mine.txt" in reports[task]
    assert "denies “follow”" in reports["close the quarter"]
    base = KnowledgeBase.open(tmp_path)
    assert (base.root / "workspace" / "staging" / "ideas of mine.txt").exists()
    atoms = {path.name: document.read(path) for path in (base.root / "atoms").rglob("*.md")}
    assert sorted(atoms) == ["locale-of-dates.md", "缓存键带租户.md"]
    assert len(atoms["缓存键带租户.md"].fields["history"]) == 1
    assert len(atoms["locale-of-dates.md"].fields["sources"]) == 3


def test_the_table_of_the_example_names_all_findings():
    spec = importlib.util.spec_from_file_location("four_tasks", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert list(example.TASKS) == list(FATES)
    table = EXAMPLE.with_name("README.md").read_text(encoding="utf-8")
    for task, findings in example.TASKS.items():
        assert task in table
        assert len(findings) == len(FATES[task])


def refine(*options):
    command = [sys.executable, "-m", "memsieve", "kb", "refine", *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_the_command_refines_and_tells_it_as_json(tmp_path):
    run(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    dry = refine("--kb", str(tmp_path), "--dry-run", "--json")
    assert dry.returncode == 0
    assert json.loads(dry.stdout)["counts"] == json.loads(dry.stdout)["counts"] | {"observing": 2, "kept": 1}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    runs = [json.loads(refine("--kb", str(tmp_path), "--observations", "runs", "--json").stdout) for _ in range(3)]
    assert [run["counts"]["promoted"] for run in runs] == [0, 0, 2]


def test_the_command_says_what_to_do_where_there_is_no_knowledge_base(tmp_path):
    done = refine()
    assert done.returncode != 0
    assert "memsieve kb init" in done.stderr


def test_the_command_refuses_another_way_of_counting(tmp_path):
    KnowledgeBase.init(tmp_path / ".ai-kb")
    done = refine("--kb", str(tmp_path), "--observations", "moons")
    assert done.returncode == 2
    assert "evidence, runs" in done.stderr
