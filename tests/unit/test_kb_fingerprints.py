"""Caches are valid for the same file and the same version of code."""

import os
from types import ModuleType

import pytest

from memsieve.kb.files.fingerprints import code_version, content_hash, file_stamp

LATER = 10**11


@pytest.fixture
def package(tmp_path):
    for name in ("code.py", "data/words.txt", "inner/code.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("one")
    made = ModuleType("package")
    made.__path__ = [str(tmp_path)]
    return made, tmp_path


@pytest.mark.parametrize("name", ["code.py", "data/words.txt", "inner/code.py"])
def test_the_version_of_a_package_follows_its_code_and_word_lists_at_any_depth(package, name):
    module, folder = package
    before = code_version(module)
    assert code_version(module) == before
    (folder / name).write_text("two")
    assert code_version(module) != before


def test_the_version_ignores_compiled_files(package):
    module, folder = package
    before = code_version(module)
    (folder / "code.pyc").write_text("compiled")
    assert code_version(module) == before


def test_a_stamp_follows_size_and_time_and_a_young_file_has_none(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("one")
    found = path.stat()
    assert file_stamp(found, found.st_mtime_ns) is None
    stamp = file_stamp(found, found.st_ctime_ns + LATER)
    assert stamp is not None
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns - LATER))
    assert file_stamp(path.stat(), found.st_ctime_ns + LATER) != stamp


def test_text_and_its_bytes_have_one_hash():
    assert content_hash("缓存键") == content_hash("缓存键".encode()) != content_hash("缓存")
