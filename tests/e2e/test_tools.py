"""The scripts that `make` looks for Node and a browser with: what they find, and what they say where there is none."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def bare(tmp_path) -> dict[str, str]:
    """An environment in which no program is found."""
    return {"PATH": str(tmp_path)}


def ask(tool: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [shutil.which("sh"), str(TOOLS / tool)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("tool", ["browser", "node"])
def test_a_tool_can_be_run_by_its_name(tool):
    assert os.access(TOOLS / tool, os.X_OK)


def test_without_a_browser_one_is_told_how_to_get_one(bare):
    asked = ask("browser", bare)
    assert (asked.returncode, asked.stdout) == (1, "")
    assert "apt-get install chromium fonts-noto-cjk fonts-noto-color-emoji" in asked.stderr


@pytest.mark.parametrize("name", ["chromium", "google-chrome"])
def test_a_browser_is_found_by_its_usual_names(bare, tmp_path, name):
    (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / name).chmod(0o755)
    asked = ask("browser", bare)
    assert (asked.returncode, asked.stdout) == (0, f"{tmp_path / name}\n")


def test_a_browser_that_is_named_goes_before_all_others(bare, tmp_path):
    for name in ("chromium", "my browser"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    asked = ask("browser", {**bare, "BROWSER_PATH": str(tmp_path / "my browser")})
    assert asked.stdout == f"{tmp_path / 'my browser'}\n"


def test_without_node_one_is_told_which_is_needed(bare):
    asked = ask("node", bare)
    assert asked.returncode == 1
    assert "Node 20.19 or newer, with npm, builds the console" in asked.stderr
