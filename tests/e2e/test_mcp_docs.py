"""The page on MCP: what is pasted from it works, and it names every tool."""

import asyncio
import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from memsieve.cli.app import app
from memsieve.mcp.server import build

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """Return every command line of ours on the page, as a client would start it."""
    configured = [json.loads(block) for block in blocks("json")] + [tomllib.loads(block) for block in blocks("toml")]
    servers = [server for document in configured for named in document.values() for server in named.values()]
    started = [[server["command"], *server["args"]] for server in servers if "command" in server]
    typed = [shlex.split(line) for block in blocks("") for line in block.splitlines() if " -- " in line]
    return [*started, *(words[words.index("--") + 1 :] for words in typed)]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_client_is_told_a_command_that_there_is(command):
    program, name, *options = command
    assert (program, name) == ("memsieve", "mcp")
    parsed = get_command(app).commands[name].make_context(name, options)
    assert parsed.params["project"] == "apollo"


def test_the_table_names_every_tool_and_resource():
    server = build(lambda _request: None)
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert named == {tool.name for tool in asyncio.run(server.list_tools())}
    for resource in asyncio.run(server.list_resources()):
        assert f"`{resource.uri}`" in PAGE
    for template in asyncio.run(server.list_resource_templates()):
        assert f"`{template.uri_template}`" in PAGE
    for prompt in asyncio.run(server.list_prompts()):
        assert f"`{prompt.name}`" in PAGE
