"""The guide to the knowledge base: its commands run as they stand there, one after the other."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsieve.cli.app import app
from memsieve.model import Refinement
from memsieve.refine.verdict import COVERED

GUIDE = (Path(__file__).parents[2] / "docs" / "kb.md").read_text("utf-8")
COMMANDS = re.findall(r"^    (memsieve kb .+)$", GUIDE, re.MULTILINE)


def test_every_command_of_the_guide_works_in_the_order_it_stands_there(tmp_path, monkeypatch, small_embedder):
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}\n{result.output}"
    assert [path.name for path in tmp_path.glob(".ai-kb/atoms/*/*.md")] == ["缓存键.md"]
    assert [path.name for path in tmp_path.glob(".ai-kb/workspace/staging/*.md")] == ["new-trap-idle-connections.md"]


@pytest.mark.parametrize("command", ["init", "write", "status", "refine", "search", "check", "sync"])
def test_the_guide_shows_every_command(command):
    assert any(line.startswith(f"memsieve kb {command}") for line in COMMANDS)


def test_the_guide_names_the_numbers_that_hold():
    assert f"more than {COVERED:.0%}".replace("%", " %") in GUIDE
    assert f"*n of {Refinement.NEEDED}*" in GUIDE
