"""MCP through both doors: the official client and one from npm list and call every tool, over stdio and HTTP."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from memsieve.kb.base import KnowledgeBase
from memsieve.memory import Memory

SAID = "Dates in the reports of the ledger must follow the locale of the server, not that of the reader."
QUESTION = "which locale do dates in reports follow?"
PROMOTED = "The ledger of the treasury runs on PostgreSQL, because it needs real transactions."
TOOLS = {"recall", "remember", "list_digest", "propose_promotion", "why", "kb_write", "kb_search", "kb_refine"}
NODE = Path(__file__).parent / "mcp_client"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return KnowledgeBase.init(tmp_path / "repository" / ".ai-kb").root


def command(data: Path, base: Path, *options: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "memsieve",
        "mcp",
        "--project",
        "apollo",
        "--data",
        str(data),
        "--kb",
        str(base),
        *options,
    ]


@dataclass
class Door:
    """A way in, for either client; everything that a person may read is read."""

    url: str | None = None
    key: str | None = None
    stdio: list[str] | None = None

    @asynccontextmanager
    async def official(self, **options: Any):
        if self.stdio is not None:
            program, *arguments = self.stdio
            async with Client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ))) as client:
                yield client
            return
        headers = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http), **options) as client,
        ):
            yield client

    def plan(self) -> dict[str, Any]:
        if self.stdio is not None:
            program, *arguments = self.stdio
            return {"stdio": {"command": program, "args": arguments, "env": dict(os.environ)}}
        return {"http": {"url": self.url, "headers": {"Authorization": f"Bearer {self.key}"}}}


@pytest.fixture(params=["stdio", "http"])
def door(request, data, base, serve) -> Iterator[Door]:
    if request.param == "stdio":
        return Door(stdio=command(data, base, "--role", "reviewer"))
    server = serve("--kb", f"apollo={base}", "--workers", "2")
    return Door(
        url=f"{server.url}/mcp?project_id=apollo&session_id=s-1", key=(data / "reviewer.token").read_text().strip()
    )


@pytest.fixture(scope="session")
def npm_client(tmp_path_factory) -> Callable[[Door], Any]:
    """Install the client from npm, and return what calls every tool with it."""
    if shutil.which("npm") is None:
        pytest.skip("the independent client needs node and npm")
    folder = tmp_path_factory.mktemp("npm")
    for name in ("package.json", "package-lock.json", "call.mjs"):
        shutil.copy(NODE / name, folder)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"], cwd=folder, check=True, timeout=300)

    def call(door: Door) -> Any:
        plan = json.dumps({**door.plan(), "said": SAID, "question": QUESTION})
        done = subprocess.run(
            ["node", "call.mjs", plan], cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


async def told(client: Client, name: str, **arguments: Any) -> Any:
    """Call a tool, and return its structured result."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def every_tool(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS
    assert all(tool.output_schema for tool in listed)
    remembered = await told(client, "remember", content=SAID, confidence=0.9)
    assert (remembered["decision"], remembered["is_memory"]) == ("admitted", False)
    assert "not yet memory" in remembered["message"]
    recalled = await told(client, "recall", query=QUESTION)
    [item] = recalled["results"]
    assert (item["content"], item["verified"], item["entry_id"]) == (SAID, False, remembered["entry_id"])
    proposed = await told(client, "propose_promotion", entry_id=item["entry_id"], reason="It was measured twice.")
    assert (proposed["new"], proposed["promoted"]) == (True, False)
    traced = await told(client, "why", id=item["entry_id"])
    assert (traced["whole"], traced["entries"][0]["content"]) == (True, SAID)
    assert [event["action"] for event in traced["events"]] == ["promotion proposed"]
    [waiting] = (await told(client, "list_digest"))["insights"]
    assert (waiting["id"], waiting["summary"]) == (proposed["insight_id"], SAID)
    assert "It was measured twice." in waiting["note"]
    written = await told(client, "kb_write", type="new_trap", description="Dates", content=SAID, evidence="test_dates")
    assert (written["outcome"], written["needed"]) == ("written", 3)
    refined = await told(client, "kb_refine")
    assert refined["counts"]["promoted"] == 1
    [hit] = (await told(client, "kb_search", query=QUESTION))["hits"]
    assert SAID in hit["excerpt"]
    await every_resource(client, hit["uri"])


async def every_resource(client: Client, atom: str) -> None:
    assert {one.uri for one in (await client.list_resources()).resources} == {"memsieve://digest", "kb://atoms"}
    [template] = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "kb://atoms/{+path}"
    assert (await client.read_resource("kb://atoms")).contents[0].text == atom
    assert SAID in (await client.read_resource(atom)).contents[0].text
    assert SAID in (await client.read_resource("memsieve://digest")).contents[0].text
    [prompt] = (await client.list_prompts()).prompts
    shown = await client.get_prompt(prompt.name, {"topic": QUESTION})
    assert "Memories are data" in shown.messages[0].content.text
    assert SAID in shown.messages[0].content.text


def test_the_official_client_calls_every_tool(door):
    async def story() -> None:
        async with door.official() as client:
            await every_tool(client)

    asyncio.run(story())


def test_a_client_from_npm_calls_every_tool(door, npm_client):
    seen = npm_client(door)
    assert (set(seen["listed"]), seen["schemas"]) == (TOOLS, len(TOOLS))
    assert seen["results"].keys() == TOOLS
    assert not [name for name, result in seen["results"].items() if result["isError"]]
    structured = {name: result["structured"] for name, result in seen["results"].items()}
    assert structured["recall"]["results"][0]["content"] == SAID
    assert "⚡️ unverified" in seen["results"]["recall"]["text"]
    assert structured["propose_promotion"]["promoted"] is False
    assert structured["list_digest"]["insights"][0]["id"] == structured["propose_promotion"]["insight_id"]
    assert structured["why"]["entries"][0]["content"] == SAID
    assert structured["kb_refine"]["counts"]["promoted"] == 1
    assert structured["kb_search"]["hits"][0]["uri"].startswith("kb://atoms/")
    assert SAID in seen["atom"]
    assert seen["digest"] == structured["list_digest"]
    assert (set(seen["resources"]), seen["templates"]) == ({"memsieve://digest", "kb://atoms"}, ["kb://atoms/{+path}"])
    assert seen["prompts"] == ["use_memory"]
    assert "no tool promotes" in seen["instructions"]
    assert SAID in seen["prompt"]


def test_what_was_proposed_becomes_memory_when_a_person_says_so_and_not_before(data, base):
    door = Door(stdio=command(data, base))

    async def recalled(*, propose: bool) -> list[tuple[str, bool]]:
        async with door.official() as client:
            if propose:
                entry_id = (await told(client, "remember", content=SAID, confidence=0.9))["entry_id"]
                await told(client, "propose_promotion", entry_id=entry_id, reason="It was measured twice.")
            found = await told(client, "recall", query=QUESTION)
            return [(item["content"], item["verified"]) for item in found["results"]]

    assert asyncio.run(recalled(propose=True)) == [(SAID, False)]
    with Memory.open(data) as memory:
        project = memory.project("apollo")
        assert project.memories() == []
        [waiting] = project.review(by="ada@example.org").insights()
        project.review(by="ada").promote(waiting.id)
    assert asyncio.run(recalled(propose=False)) == [(SAID, True)]


def test_a_server_elsewhere_is_reached_over_stdio_with_the_rights_of_the_key(base, serve_here, monkeypatch):
    server = serve_here()
    monkeypatch.setenv("MEMSIEVE_SERVER", server.url)
    stdio = [sys.executable, "-m", "memsieve", "mcp", "--project", "apollo", "--kb", str(base)]

    async def story() -> tuple[Any, Any]:
        async with Door(stdio=stdio).official() as client:
            entry_id = (await told(client, "remember", content=SAID, confidence=0.9))["entry_id"]
            await told(client, "propose_promotion", entry_id=entry_id, reason="It was measured twice.")
            assert (await told(client, "recall", query=QUESTION))["results"][0]["content"] == SAID
            return await told(client, "why", id=entry_id), await client.call_tool("list_digest", {})

    traced, digest = asyncio.run(story())
    assert (traced["whole"], traced["entries"][0]["content"]) == (False, None)
    assert digest.is_error
    assert "Only a person may do this" in digest.content[0].text
    monkeypatch.setenv("MEMSIEVE_KEY", server.key)

    async def as_a_reviewer() -> Any:
        async with Door(stdio=stdio).official() as client:
            return await told(client, "list_digest")

    assert asyncio.run(as_a_reviewer())["waiting"] == 1


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, None], ids=["interrupt", "terminate", "hang up"])
def test_it_ends_when_it_is_told_to_or_the_client_hangs_up_and_what_was_remembered_is_kept(data, base, end):
    arguments = {"name": "remember", "arguments": {"content": SAID, "confidence": 0.9}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with subprocess.Popen(command(data, base), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for number, (method, params) in enumerate([("initialize", hello), ("tools/call", arguments)]):
            line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        if end is None:
            process.stdin.close()
        else:
            process.send_signal(end)
        assert process.wait(60) == (0 if end is None else -end)
    with Memory.open(data) as memory:
        assert [receipt.entry.content for receipt in memory.project("apollo").review(by="ada@example.org").log()] == [
            SAID
        ]
