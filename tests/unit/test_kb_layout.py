"""Where a knowledge base lies: made once, found from anywhere in a repository, and never outside its root."""

import os
import threading
import tomllib
from pathlib import Path

import pytest

from memsieve import KnowledgeBase
from memsieve.config import Settings
from memsieve.errors import ConfigError, KnowledgeBaseError
from memsieve.kb.files import atomic, layout
from memsieve.kb.files.layout import Layout, locked


def tree(root: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


def test_init_makes_all_places_and_twice_changes_nothing():
    base = KnowledgeBase.init()
    assert base.root == Path.cwd() / ".ai-kb"
    assert all(folder.is_dir() for folder in base.layout.folders)
    assert tomllib.loads(base.layout.id_file.read_text())["id"] == base.id
    assert "/workspace/session/" in (base.root / ".gitignore").read_text().splitlines()
    before = tree(base.root)
    assert KnowledgeBase.init().id == base.id
    assert tree(base.root) == before


def test_init_keeps_what_a_person_wrote():
    Path(".ai-kb").mkdir()
    Path(".ai-kb/README.md").write_text("mine")
    Path(".ai-kb/kb.toml").write_text("# mine\n[tool]\nx = 1\n")
    base = KnowledgeBase.init()
    assert (base.root / "README.md").read_text() == "mine"
    assert tomllib.loads(base.layout.id_file.read_text()) == {"id": base.id, "tool": {"x": 1}}


def test_the_nearest_one_is_found_from_a_folder_below(monkeypatch):
    base = KnowledgeBase.init()
    below = Path("src/deep")
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert KnowledgeBase.open().root == base.root


def test_one_is_opened_by_its_own_folder_or_the_one_around_it(tmp_path):
    base = KnowledgeBase.init(tmp_path / "repo" / ".ai-kb")
    assert KnowledgeBase.open(tmp_path / "repo").root == base.root
    assert KnowledgeBase.open(base.root).root == base.root
    named = KnowledgeBase.init(tmp_path / "docs" / "knowledge")
    assert KnowledgeBase.open(str(named.root)).id == named.id


def test_without_one_the_error_says_how_to_make_it(tmp_path):
    with pytest.raises(KnowledgeBaseError, match="memsieve kb init"):
        KnowledgeBase.open()
    with pytest.raises(KnowledgeBaseError, match="memsieve kb init --kb"):
        KnowledgeBase.open(tmp_path)


@pytest.mark.parametrize("folder", ["atoms", "workspace"])
def test_one_made_by_hand_has_no_mark_and_gets_its_id_at_first_need(folder):
    Path(".ai-kb", folder).mkdir(parents=True)
    base = KnowledgeBase.open()
    assert not base.layout.id_file.exists()
    assert base.status().id is None
    assert base.id == KnowledgeBase.open().id == base.status().id


@pytest.mark.parametrize("name", ["atoms", "workspace", "workspace/session", "workspace/staging", "workspace/reports"])
def test_a_folder_that_is_a_link_is_refused_and_nothing_is_written_through_it(name, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    base = KnowledgeBase.init()
    place = base.root / name
    for folder in sorted(place.rglob("*"), reverse=True):
        folder.rmdir()
    place.rmdir()
    place.symlink_to(outside)
    for deed in (KnowledgeBase.open, KnowledgeBase.init):
        with pytest.raises(KnowledgeBaseError, match="a link where a folder must be"):
            deed()
    [problem] = KnowledgeBase.open(checked=False).check()
    assert (problem.file, "link" in problem.problem) == (name, True)
    assert list(outside.iterdir()) == []


def test_a_base_that_is_itself_a_link_is_taken_only_from_whoever_names_it(tmp_path):
    real = KnowledgeBase.init(tmp_path / "elsewhere" / ".ai-kb")
    Path(".ai-kb").symlink_to(real.root)
    for deed in (KnowledgeBase.open, KnowledgeBase.init, lambda: KnowledgeBase.open(tmp_path)):
        with pytest.raises(KnowledgeBaseError, match="name it: --kb"):
            deed()
    assert KnowledgeBase.open(".ai-kb").root == real.root


def test_a_file_in_place_of_a_folder_is_refused():
    Path(".ai-kb").mkdir()
    Path(".ai-kb/atoms").write_text("x")
    with pytest.raises(KnowledgeBaseError, match="a file where a folder must be"):
        KnowledgeBase.init()


def test_the_mark_is_not_read_through_a_link(tmp_path):
    base = KnowledgeBase.init()
    base.layout.id_file.unlink()
    (tmp_path / "other.toml").write_text('id = "stolen"\n')
    base.layout.id_file.symlink_to(tmp_path / "other.toml")
    with pytest.raises(KnowledgeBaseError, match="links are not followed"):
        _ = base.id


def test_how_observations_count_comes_from_the_settings_unless_given(monkeypatch):
    assert KnowledgeBase.init().observations == Settings().kb.observations == "evidence"
    monkeypatch.setenv("MEMSIEVE_KB_OBSERVATIONS", "runs")
    assert KnowledgeBase.open().observations == "runs"
    assert KnowledgeBase.open(observations="evidence").observations == "evidence"
    with pytest.raises(ConfigError, match="evidence, runs"):
        KnowledgeBase.open(observations="guess")


def test_a_new_file_never_takes_the_place_of_another(tmp_path):
    path = tmp_path / "a.md"
    atomic.create(path, b"one")
    with pytest.raises(FileExistsError):
        atomic.create(path, b"two")
    (tmp_path / "link.md").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        atomic.create(tmp_path / "link.md", b"x")
    assert path.read_bytes() == b"one"
    assert sorted(place.name for place in tmp_path.iterdir()) == ["a.md", "link.md"]


def test_a_new_file_never_takes_the_place_of_another_where_the_system_has_no_hard_links(tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    atomic.create(tmp_path / "a.md", b"one")
    with pytest.raises(FileExistsError):
        atomic.create(tmp_path / "a.md", b"two")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.md": b"one"}


def test_a_replaced_file_keeps_its_mode_and_a_link_is_not_replaced(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"one")
    path.chmod(0o640)
    atomic.replace(path, b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o640)
    (tmp_path / "link.md").symlink_to(path)
    with pytest.raises(KnowledgeBaseError, match="a link"):
        atomic.replace(tmp_path / "link.md", b"three")
    assert path.read_bytes() == b"two"


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_bytes(b"one")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for deed in (atomic.replace, lambda place, content: atomic.create(place.with_name("b.md"), content)):
        with pytest.raises(OSError, match="No space"):
            deed(path, b"two")
    assert {place.name: place.read_bytes() for place in tmp_path.iterdir()} == {"a.md": b"one"}


def test_half_written_files_are_cleared_and_no_others(tmp_path):
    (tmp_path / f"{atomic.TEMPORARY}1").write_text("half")
    (tmp_path / f"{atomic.TEMPORARY}2").mkdir()
    (tmp_path / f"{atomic.TEMPORARY}3").symlink_to(tmp_path / "note.md")
    (tmp_path / "note.md").write_text("mine")
    assert [path.name for path in atomic.clear_temporary(tmp_path)] == [f"{atomic.TEMPORARY}1"]
    assert len(list(tmp_path.iterdir())) == 3


def test_whoever_waits_too_long_for_the_lock_is_told_so():
    base = KnowledgeBase.init().layout
    with locked(base), pytest.raises(KnowledgeBaseError, match="Another process"), locked(base, timeout=0.05):
        pass
    with locked(base, timeout=0.05):
        pass


def test_the_lock_holds_between_threads(tmp_path):
    base = layout.create(tmp_path / "kb")
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(20):
            with locked(base):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (80, 1)


def test_a_lock_that_is_a_link_is_refused(tmp_path):
    base = KnowledgeBase.init().layout
    base.lock.unlink(missing_ok=True)
    base.lock.symlink_to(tmp_path / "made-by-link")
    with pytest.raises(KnowledgeBaseError, match="link"), locked(base):
        pass
    assert not (tmp_path / "made-by-link").exists()


def test_places_are_told_with_slashes():
    base = Layout(Path("/x/.ai-kb"))
    assert base.relative(base.staging / "a.md") == "workspace/staging/a.md"
