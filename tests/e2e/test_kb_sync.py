"""Atoms as verified memories: in a memory opened here on every engine, and on a real server with a reviewer's key."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memsieve import KnowledgeBase, Memory
from memsieve.client import Client
from memsieve.config import Settings
from memsieve.errors import Forbidden
from memsieve.kb.sync import SyncOutcome
from memsieve.model import Decision

ENGINES = ["sqlite", "postgres-18+redis", "postgres-16+redis-cluster"]
BY = "ada@example.org"
POOL = "Connections in the pool are closed after 300 seconds without use."
CACHE = "缓存键必须包含租户编号，否则租户之间会互相看到数据。"


@pytest.fixture
def base(tmp_path: Path) -> KnowledgeBase:
    made = KnowledgeBase.init(tmp_path / "repository" / ".ai-kb")
    write(made, "traps/pool.md", POOL)
    write(made, "cache.md", CACHE)
    return made


@pytest.fixture
def project(memory: Memory, small_embedder: Any) -> Any:
    return memory.project("apollo")


@pytest.fixture
def memory(open_memory: Callable[..., Memory], small_embedder: Any) -> Memory:
    return open_memory()


def write(base: KnowledgeBase, name: str, text: str) -> Path:
    """Write an atom by hand, or its text anew with the front matter that it has."""
    path = base.layout.atoms / name
    path.parent.mkdir(exist_ok=True)
    head = path.read_text("utf-8").partition("\n---\n")[0] + "\n---\n" if path.exists() else ""
    path.write_text(f"{head}\n{text}\n" if head else f"{text}\n", "utf-8")
    return path


def sync(base: KnowledgeBase, project: Any, **options: Any) -> dict[str, SyncOutcome]:
    """Sync, and return what became of each file; of those that are gone, by the memory."""
    report = base.sync(project.review(by=BY), **options)
    return {item.path or f"memory {item.memory_id}": item.outcome for item in report.items}


def texts(project: Any) -> set[str]:
    return {memory.approval.content for memory in project.memories()}


def test_new_atoms_become_verified_memories_in_a_persons_name(base, project):
    assert sync(base, project) == {"atoms/traps/pool.md": SyncOutcome.ADDED, "atoms/cache.md": SyncOutcome.ADDED}
    assert texts(project) == {POOL, CACHE}
    assert {memory.approval.by for memory in project.memories()} == {BY}
    assert project.retrieve("租户编号").items[0].content == CACHE
    assert project.review(by="ada@example.org").verify_audit().whole


def test_a_second_sync_changes_nothing(base, project):
    sync(base, project)
    before = (
        [*project.review(by="ada@example.org").audit_log()],
        {path: path.read_bytes() for path in base.root.rglob("*.md")},
    )
    assert set(sync(base, project).values()) == {SyncOutcome.UNCHANGED}
    assert (
        [*project.review(by="ada@example.org").audit_log()],
        {path: path.read_bytes() for path in base.root.rglob("*.md")},
    ) == before


def test_an_atom_without_an_id_gets_one_and_keeps_the_rest(base, project):
    path = base.layout.atoms / "cache.md"
    path.write_text(f"---\n# mine\ntags: [cache]\n---\n{CACHE}\n", "utf-8")
    sync(base, project)
    kept = path.read_text("utf-8")
    assert kept.startswith("---\n# mine\ntags: [cache]\nid: ")
    assert kept.endswith(f"---\n{CACHE}\n")


def test_a_changed_atom_is_promoted_anew_and_the_former_memory_retired(base, project):
    sync(base, project)
    [former] = [memory for memory in project.memories() if memory.approval.content == POOL]
    changed = POOL.replace("300", "600")
    write(base, "traps/pool.md", changed)
    assert sync(base, project)["atoms/traps/pool.md"] is SyncOutcome.CHANGED
    assert texts(project) == {changed, CACHE}
    found = project.review(by="ada@example.org").lineage(former.id)
    assert found.memories[0].retired_reason == "atom changed: atoms/traps/pool.md"
    assert [event.action for event in found.events] == ["promoted", "retired"]


def test_a_removed_atom_is_retired(base, project):
    sync(base, project)
    (base.layout.atoms / "cache.md").unlink()
    outcomes = sync(base, project)
    assert sorted(outcomes.values()) == [SyncOutcome.REMOVED, SyncOutcome.UNCHANGED]
    assert texts(project) == {POOL}
    assert set(sync(base, project).values()) == {SyncOutcome.UNCHANGED}


def test_an_atom_that_comes_back_is_promoted_again(base, project):
    sync(base, project)
    kept = (base.layout.atoms / "cache.md").read_bytes()
    (base.layout.atoms / "cache.md").unlink()
    sync(base, project)
    (base.layout.atoms / "cache.md").write_bytes(kept)
    assert sync(base, project)["atoms/cache.md"] is SyncOutcome.ADDED
    assert texts(project) == {POOL, CACHE}


def test_an_atom_that_was_moved_is_the_same(base, project):
    sync(base, project)
    (base.layout.atoms / "cache.md").rename(base.layout.atoms / "traps" / "moved.md")
    assert set(sync(base, project).values()) == {SyncOutcome.UNCHANGED}


def test_another_clone_with_other_line_ends_goes_on_where_the_first_stopped(base, project, tmp_path):
    sync(base, project)
    clone = shutil.copytree(base.root, tmp_path / "clone" / ".ai-kb")
    for path in clone.rglob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    other = KnowledgeBase.open(clone)
    assert set(sync(other, project).values()) == {SyncOutcome.UNCHANGED}
    (other.layout.atoms / "cache.md").unlink()
    assert SyncOutcome.REMOVED in sync(other, project).values()


def test_a_dry_run_says_the_same_and_changes_nothing(base, project):
    ada = project.review(by="ada@example.org")
    before = {path: path.read_bytes() for path in base.root.rglob("*") if path.is_file()}
    report = base.sync(ada, dry_run=True)
    assert [item.outcome for item in report.items] == [SyncOutcome.ADDED, SyncOutcome.ADDED]
    assert {path: path.read_bytes() for path in base.root.rglob("*") if path.is_file()} == before
    assert project.memories() == ada.audit_log() == []
    sync(base, project)
    write(base, "traps/pool.md", "Something else altogether about the pool.")
    (base.layout.atoms / "cache.md").unlink()
    events = ada.audit_log()
    outcomes = sorted(item.outcome for item in base.sync(ada, dry_run=True).items)
    assert outcomes == [SyncOutcome.CHANGED, SyncOutcome.REMOVED]
    assert ada.audit_log() == events


def test_what_a_person_retired_is_not_brought_back_until_the_atom_changes(base, project):
    sync(base, project)
    [pool] = [memory for memory in project.memories() if memory.approval.content == POOL]
    project.review(by="bob").retire(pool.id, reason="never measured")
    report = base.sync(project.review(by=BY))
    [withheld] = [item for item in report.items if item.outcome is SyncOutcome.WITHHELD]
    assert withheld.path == "atoms/traps/pool.md"
    assert "bob" in withheld.reason
    assert "never measured" in withheld.reason
    assert texts(project) == {CACHE}
    write(base, "traps/pool.md", "Connections in the pool live for 900 seconds.")
    assert sync(base, project)["atoms/traps/pool.md"] is SyncOutcome.ADDED


def test_a_memory_that_was_also_promoted_otherwise_outlives_its_atom(base, project):
    own = project.review(by="bob").promote_text(POOL)
    sync(base, project)
    assert project.memory(own.id).approval.atoms != ()
    (base.layout.atoms / "traps" / "pool.md").unlink()
    report = base.sync(project.review(by=BY))
    [kept] = [item for item in report.items if item.outcome is SyncOutcome.KEPT]
    assert (kept.memory_id, POOL in texts(project)) == (own.id, True)


def test_two_atoms_with_one_text_are_one_memory_until_both_are_gone(base, project):
    write(base, "copy.md", CACHE)
    sync(base, project)
    assert len(project.memories()) == 2
    (base.layout.atoms / "cache.md").unlink()
    sync(base, project)
    assert texts(project) == {POOL, CACHE}
    (base.layout.atoms / "copy.md").unlink()
    sync(base, project)
    assert texts(project) == {POOL}


def test_an_atom_that_lost_its_id_keeps_its_memory(base, project):
    sync(base, project)
    (base.layout.atoms / "cache.md").write_text(f"{CACHE}\n", "utf-8")
    assert sync(base, project, dry_run=True)["atoms/cache.md"] is SyncOutcome.ADDED
    assert sync(base, project) == {"atoms/cache.md": SyncOutcome.ADDED, "atoms/traps/pool.md": SyncOutcome.UNCHANGED}
    assert texts(project) == {POOL, CACHE}
    assert set(sync(base, project).values()) == {SyncOutcome.UNCHANGED}


def test_copies_with_one_id_are_refused_and_their_memory_stays(base, project):
    sync(base, project)
    shutil.copy(base.layout.atoms / "cache.md", base.layout.atoms / "copy.md")
    outcomes = sync(base, project)
    assert (outcomes["atoms/cache.md"], outcomes["atoms/copy.md"]) == (SyncOutcome.REFUSED, SyncOutcome.REFUSED)
    assert texts(project) == {POOL, CACHE}


def test_while_an_atom_cannot_be_read_nothing_is_taken_for_removed(base, project):
    sync(base, project)
    (base.layout.atoms / "cache.md").write_bytes(b"\xff\xfe broken")
    report = base.sync(project.review(by=BY))
    assert {item.outcome for item in report.items} == {SyncOutcome.REFUSED, SyncOutcome.UNCHANGED, SyncOutcome.KEPT}
    assert texts(project) == {POOL, CACHE}


def test_an_atom_that_promotion_refuses_does_not_keep_the_others_out(base, project):
    write(base, "huge.md", "x" * 70_000)
    write(base, "empty.md", "")
    report = base.sync(project.review(by=BY))
    refused = {item.path: item.reason for item in report.items if item.outcome is SyncOutcome.REFUSED}
    assert refused.keys() == {"atoms/huge.md", "atoms/empty.md"}
    assert "bytes" in refused["atoms/huge.md"]
    assert texts(project) == {POOL, CACHE}


def test_a_foreign_id_in_front_matter_is_refused_with_what_to_do(base, project):
    (base.layout.atoms / "cache.md").write_text(f"---\nid: 'a b/c'\n---\n{CACHE}\n", "utf-8")
    report = base.sync(project.review(by=BY))
    [refused] = [item for item in report.items if item.outcome is SyncOutcome.REFUSED]
    assert "letters, digits" in refused.reason


def test_a_long_atom_is_split_as_any_memory_is(base, project):
    long = "\n\n".join(f"Rule {number}: " + "the worker closes its files in order. " * 8 for number in range(6)).strip()
    write(base, "long.md", long)
    sync(base, project)
    [memory] = [memory for memory in project.memories() if len(memory.approval.content) > 1000]
    assert len(memory.chunks) > 1


def test_an_interrupted_change_is_finished_by_the_next_sync(base, project):
    sync(base, project)
    changed = POOL.replace("300", "600")
    path = write(base, "traps/pool.md", changed)
    atom_id = path.read_text("utf-8").partition("id: ")[2].split()[0]
    project.review(by=BY).promote_text(changed, atom=f"{base.id}:{atom_id}")
    assert texts(project) == {POOL, CACHE, changed}
    assert sync(base, project)["atoms/traps/pool.md"] is SyncOutcome.CHANGED
    assert texts(project) == {changed, CACHE}


def test_lineage_tells_the_atom(base, project):
    ada = project.review(by="ada@example.org")
    sync(base, project)
    [memory] = [memory for memory in project.memories() if memory.approval.content == POOL]
    [atom] = memory.approval.atoms
    assert atom.startswith(f"{base.id}:")
    assert ada.lineage(memory.id).memories[0].approval.atoms == (atom,)
    assert ada.lineage(f"atom:{atom}").memories == (memory,)
    assert ada.lineage(memory.id).entries == ()


# What the filter lets agents say after a change


def said(project: Any, text: str) -> Decision:
    return project.record(text, session_id="s1", confidence=0.95).admission.decision


def test_agents_may_not_repeat_what_a_change_has_made_false_and_may_say_what_it_made_true(base, project):
    sync(base, project)
    changed = POOL.replace("300", "600")
    write(base, "traps/pool.md", changed)
    sync(base, project)
    assert said(project, POOL) is Decision.REFUSED
    assert said(project, changed) is Decision.ADMITTED


def test_a_change_of_wording_buries_nothing(base, project):
    sync(base, project)
    write(base, "traps/pool.md", POOL.replace("without use", "without any use"))
    sync(base, project)
    assert said(project, POOL) is Decision.ADMITTED


def test_text_that_moved_into_another_atom_is_not_buried(base, project):
    sync(base, project)
    (base.layout.atoms / "traps" / "pool.md").unlink()
    write(base, "database.md", f"{POOL} A request that waits longer than five seconds for one fails.")
    sync(base, project)
    assert said(project, POOL) is Decision.ADMITTED


def test_what_was_removed_must_not_come_back_from_an_agent(base, project):
    sync(base, project)
    (base.layout.atoms / "traps" / "pool.md").unlink()
    sync(base, project)
    assert said(project, POOL) is Decision.REFUSED


# Other engines and doors


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_on_postgresql_it_is_the_same(base, data, engine, start_engine, small_embedder):
    server = start_engine(engine)
    settings = Settings(data=data, database_url=server.database_url, redis_url=server.redis_url)
    with Memory.open(settings=settings) as memory:
        project = memory.project("apollo")
        assert set(sync(base, project).values()) == {SyncOutcome.ADDED}
        assert set(sync(base, project).values()) == {SyncOutcome.UNCHANGED}
        changed = POOL.replace("300", "600")
        write(base, "traps/pool.md", changed)
        (base.layout.atoms / "cache.md").unlink()
        assert sorted(sync(base, project).values()) == [SyncOutcome.CHANGED, SyncOutcome.REMOVED]
        assert texts(project) == {changed}
        assert said(project, POOL) is Decision.REFUSED
        assert said(project, changed) is Decision.ADMITTED
        [kept] = project.memories()
        assert project.review(by="ada@example.org").lineage(f"atom:{kept.approval.atoms[0]}").memories[0].id == kept.id
        assert project.review(by="ada@example.org").verify_audit().whole


@pytest.fixture
def served(serve_here, cli) -> Callable[[str], Client]:
    keys = {
        role: cli.json("keys", "make", "--name", f"the-{role}", "--role", role, "--project", "apollo", "--by", BY)[
            "text"
        ]
        for role in ("agent", "reviewer")
    }
    server = serve_here()
    return lambda role: Client(server.url, key=keys[role])


def test_on_a_server_a_reviewers_key_answers_for_it(base, served):
    with served("reviewer") as client:
        project = client.project("apollo")
        review = project.review(by="the-reviewer")
        assert {item.outcome for item in base.sync(review).items} == {SyncOutcome.ADDED}
        assert {item.outcome for item in base.sync(review).items} == {SyncOutcome.UNCHANGED}
        assert {memory.approval.by for memory in project.memories()} == {"the-reviewer"}
        write(base, "traps/pool.md", POOL.replace("300", "600"))
        (base.layout.atoms / "cache.md").unlink()
        assert sorted(item.outcome for item in base.sync(review).items) == [SyncOutcome.CHANGED, SyncOutcome.REMOVED]
        assert texts(project) == {POOL.replace("300", "600")}
        assert said(project, POOL) is Decision.REFUSED
        assert review.verify_audit().whole


def test_on_a_server_too_an_atom_that_is_refused_does_not_keep_the_others_out(base, served):
    for size in (70_000, 900_000):
        write(base, f"huge-{size}.md", "x" * size)
    with served("reviewer") as client:
        report = base.sync(client.project("apollo").review(by="the-reviewer"))
    refused = {item.path for item in report.items if item.outcome is SyncOutcome.REFUSED}
    assert refused == {"atoms/huge-70000.md", "atoms/huge-900000.md"}
    assert report.count(SyncOutcome.ADDED) == 2


def test_on_a_server_an_agents_key_may_not(base, served):
    with served("agent") as client, pytest.raises(Forbidden):
        base.sync(client.project("apollo").review(by="the-agent"))


# The command


def test_the_command_tells_what_it_did(base, cli):
    where = ("--kb", str(base.root), "--project", "apollo")
    told = cli.json("kb", "sync", *where, "--by", BY)
    assert (told["added"], told["unchanged"], len(told["items"])) == (2, 0, 2)
    assert cli.json("kb", "sync", *where, "--dry-run")["unchanged"] == 2
    assert "--by" in cli.refused("kb", "sync", *where, code=2)
    write(base, "huge.md", "x" * 70_000)
    told = json.loads(cli.run("kb", "sync", *where, "--by", BY, code=1).stdout)
    assert (told["refused"], told["unchanged"]) == (1, 2)


def test_the_command_shows_people_each_atom_and_the_reason(base, on_terminal):
    shown = on_terminal("kb", "sync", "--kb", os.fspath(base.root), "--project", "apollo", "--by", BY)
    assert "added atoms/traps/pool.md" in shown
    assert "2 added" in shown


def test_lineage_shows_people_that_a_memory_is_an_atom(base, cli, on_terminal):
    told = cli.json("kb", "sync", "--kb", os.fspath(base.root), "--project", "apollo", "--by", BY)
    shown = on_terminal("lineage", "--project", "apollo", told["items"][0]["memory_id"])
    assert "from 1 atom: " in " ".join(shown.split())
    assert "entries" not in shown
