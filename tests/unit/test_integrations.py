"""Frameworks are optional: what is missing is named with the command that brings it, and nothing else needs one."""

import subprocess
import sys

import pytest

import memsieve.integrations as door
from memsieve.integrations.record_request import MAX_BYTES, json_metadata, parts

FRAMEWORKS = ("langchain", "langchain_core", "langgraph", "agents", "pydantic_ai")
# A process in which a framework is not installed.
WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == {missing!r} else real(name, package)
import memsieve.integrations.{module}
"""


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("langgraph", "langgraph", "langgraph"),
        ("langgraph", "langchain", "langgraph"),
        ("openai_agents", "agents", "openai-agents"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_a_framework_that_is_missing_is_named_with_what_to_install(module, missing, extra):
    script = WITHOUT.format(module=module, missing=missing)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"needs {missing}, which is not installed: pip install 'memsieve[{extra}]'" in done.stderr


def test_recording_needs_no_framework():
    script = "import sys, memsieve.integrations; print(*(name.partition('.')[0] for name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not set(FRAMEWORKS) & set(loaded)


def test_the_door_offers_four_names():
    assert door.__all__ == ["Failure", "RecordRequest", "Recorder", "remembered"]


@pytest.mark.parametrize("text", ["字" * 100_000, "line\n" * 50_000, "x" * MAX_BYTES, "a" + "🙂" * 30_000])
def test_parts_are_small_enough_and_together_the_whole(text):
    pieces = parts(text)
    assert "".join(pieces) == text
    assert all(0 < len(piece.encode()) <= MAX_BYTES for piece in pieces)


def test_metadata_of_any_kind_can_be_kept():
    assert json_metadata({"a": {1, 2} - {2}, 3: b"x", "n": float("inf"), "half": "\ud800"}) == {
        "a": [1],
        "3": "b'x'",
        "n": "inf",
        "half": "\ufffd",
    }
    assert json_metadata({"big": "x" * 10_000, "b": 1}) == {"metadata_too_large": ["b", "big"]}
