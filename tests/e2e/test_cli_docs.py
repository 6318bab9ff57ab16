"""Help and reference: every command and option has both."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from memsieve.cli.app import app

REFERENCE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^### `(memsieve [^`]+)`\n(.*?)(?=^##|\Z)", REFERENCE, re.MULTILINE | re.DOTALL))
WIDTH = 78


def _leaves(command, name: str) -> Iterator[tuple[str, object]]:
    if not isinstance(command, TyperGroup):
        yield name, command
        return
    for part in command.commands.values():
        yield from _leaves(part, f"{name} {part.name}")


COMMANDS = dict(_leaves(get_command(app), "memsieve"))


def test_the_reference_has_an_entry_for_every_command_and_no_other():
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help_and_stands_in_the_reference(name):
    for parameter in COMMANDS[name].params:
        assert parameter.help, parameter.name
        written = parameter.opts if parameter.param_type_name == "option" else [parameter.metavar.split("|")[0]]
        for option in written:
            assert f"`{option}" in SECTIONS[name], option


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_json_and_a_data_folder_or_a_knowledge_base(name):
    place = "base" if name.startswith("memsieve kb ") else "data"
    assert {place, "as_json"} <= {parameter.name for parameter in COMMANDS[name].params}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_examples_that_fit_a_terminal(name):
    assert COMMANDS[name].help
    title, *lines = COMMANDS[name].epilog.splitlines()
    assert title == "[bold]Examples[/bold]"
    assert any(name in line for line in lines)
    assert max(map(len, lines)) <= WIDTH


def test_the_options_of_the_root_stand_in_the_reference():
    for parameter in get_command(app).params:
        assert f"{parameter.opts[0]}`" in REFERENCE


def test_the_exit_codes_of_the_help_are_those_of_the_reference():
    shown = re.findall(r"^ +(\d+) ", get_command(app).epilog, re.MULTILINE)
    assert shown == re.findall(r"^\| (\d+) \|", REFERENCE, re.MULTILINE)
