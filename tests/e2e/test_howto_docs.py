"""The how-tos: the review runs as its page says, and what the page on nginx sets is there."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from memsieve.cli.app import app
from memsieve.config import Settings

FOLDER = Path(__file__).parents[2] / "docs" / "howto"
REVIEW = (FOLDER / "review.md").read_text("utf-8")
NGINX = (FOLDER / "nginx.md").read_text("utf-8")
OPERATIONS = (FOLDER.parent / "operations.md").read_text("utf-8")


def run(command: str) -> dict[str, object]:
    """Run a command line of ours and return the JSON that it prints."""
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0, f"{command}\n{result.output}"
    return json.loads(result.stdout)


def test_the_commands_of_the_review_work_in_their_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids: dict[str, str] = {}
    for command in re.findall(r"^    (memsieve .+)$", REVIEW, re.MULTILINE):
        name = command.split()[1]
        if name == "dismiss":
            continue  # the other decision on the insight that was promoted: see the next test
        for placeholder, value in ids.items():
            command = command.replace(placeholder, value)  # noqa: PLW2901 - the ids are known as the commands run
        answer = run(command)
        if name == "digest":
            [insight] = answer["digest"]["insights"]
            ids["INSIGHT_ID"] = insight["id"]
            assert insight["refinement"]["label"] == "ready"
        if name == "promote":
            ids["MEMORY_ID"] = answer["memory"]["id"]
    assert set(ids) == {"INSIGHT_ID", "MEMORY_ID"}


def test_the_review_can_also_dismiss(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^    (memsieve .+)$", REVIEW, re.MULTILINE)
    for command in commands:
        if command.split()[1] == "record":
            run(command)
    [insight] = run("memsieve digest --project apollo")["digest"]["insights"]
    [dismiss] = [command for command in commands if command.split()[1] == "dismiss"]
    assert run(dismiss.replace("INSIGHT_ID", insight["id"]))["tombstone"]


@pytest.mark.parametrize("variable", re.findall(r"^export (MEMSIEVE_\w+)=", NGINX, re.MULTILINE))
def test_a_variable_of_the_page_on_nginx_is_a_setting(variable):
    assert variable.removeprefix("MEMSIEVE_").lower() in {field.name for field in fields(Settings)}


@pytest.mark.parametrize("command", re.findall(r"^(memsieve .+)$", NGINX, re.MULTILINE))
def test_a_command_of_the_page_on_nginx_is_one_of_ours(command):
    words = shlex.split(command)[1:]
    found = get_command(app)
    while words and words[0] in getattr(found, "commands", {}):
        found = found.commands[words.pop(0)]
    assert found.make_context("memsieve", words).params


def test_both_pages_on_nginx_give_the_proxy_the_same_lines():
    lines = [
        {line.split(";")[0].strip() for line in page.splitlines() if line.strip().startswith("proxy_")}
        for page in (NGINX, OPERATIONS)
    ]
    assert lines[0] == lines[1]
    assert len(lines[0]) > 5
