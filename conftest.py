"""Run the examples of README.md and docs/ as tests, each page in an empty folder of its own."""

import os
import tempfile
from doctest import ELLIPSIS
from pathlib import Path

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

START = Path.cwd()


def enter_empty_folder(namespace):
    namespace["folder"] = tempfile.TemporaryDirectory()
    os.chdir(namespace["folder"].name)


def leave_folder(namespace):
    os.chdir(START)
    namespace["folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS)],
    patterns=["README.md", "docs/*.md", "docs/howto/*.md"],
    setup=enter_empty_folder,
    teardown=leave_folder,
).pytest()
