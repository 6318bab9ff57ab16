"""The command that serves a project to an MCP client over standard input and output: mcp."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import KEY, PATIENCE, Target, examples

if TYPE_CHECKING:
    from memsieve.mcp.context import Need, ToolContext
    from memsieve.project import AsyncProject, ReadOnlyReview

commands = typer.Typer()


class McpRole(StrEnum):
    """Role of the model behind the client; none has an admin's rights."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"


@commands.command(
    rich_help_panel="Start here",
    epilog=examples(
        "memsieve mcp --project apollo",
        "memsieve mcp --project apollo --data /srv/memsieve --kb ./.ai-kb",
        "memsieve mcp --project apollo --server https://memory.example.org",
    ),
)
def mcp(
    project: options.Project,
    role: Annotated[
        McpRole | None,
        typer.Option(
            "--role",
            help="agent recalls and remembers; reviewer reads the digest, too; auditor reads only. Not with --server.",
            show_default="agent",
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", help="The session; else a new one.", show_default=False)
    ] = None,
    agent: Annotated[str, typer.Option("--agent", help="The agent's name on what is remembered.")] = "mcp",
    kb: Annotated[
        Path | None,
        typer.Option("--kb", help="The knowledge base; else the nearest .ai-kb, here or above.", show_default=False),
    ] = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,  # noqa: ARG001 - errors are printed so
) -> None:
    """Serve one project to an MCP client, over standard input and output.

    The client starts it: docs/mcp.md has the settings for Claude Code, Cursor and others. No tool takes a project, and
    none promotes: what an agent proposes waits in the digest for a person.
    """
    import asyncio

    from memsieve import validate
    from memsieve.mcp.context import require_sdk

    target = Target.of(data, server)
    if target.server is not None and role is not None:
        raise typer.BadParameter(f"A server knows the role by the key in ${KEY}: leave out --role.")
    require_sdk()
    served = McpOptions(
        project=validate.project_name(project),
        role=role or McpRole.AGENT,
        session=validate.name(session or f"mcp-{uuid.uuid4()}", field="session"),
        agent=validate.name(agent, field="agent"),
        kb=kb,
    )
    # Reading standard input cannot be interrupted. What was acknowledged is on disk, so a signal may end it at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(_serve(target, served))


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """The caller who is served, as the options describe it."""

    project: str
    role: McpRole
    session: str
    agent: str
    kb: Path | None

    def context(
        self, project: AsyncProject, person: Callable[[], Awaitable[str]], refusals: Mapping[Need, str]
    ) -> ToolContext:
        """Return the context of the calls."""
        from memsieve.kb.base import KnowledgeBase
        from memsieve.mcp.context import ToolContext

        async def review() -> ReadOnlyReview:
            return project.review(by=await person())

        return ToolContext(
            project=project,
            review=review,
            session_id=self.session,
            agent_id=self.agent,
            knowledge=lambda: KnowledgeBase.open(self.kb),
            refusals=refusals,
        )


async def _serve(target: Target, served: McpOptions) -> None:
    from memsieve.mcp.server import serve_stdio

    if target.server is None:
        from memsieve.config import login_name
        from memsieve.memory import AsyncMemory

        async def user() -> str:
            return login_name()

        async with AsyncMemory.open(target.data) as memory:
            project = memory.project(served.project, agent=served.agent)
            await serve_stdio(served.context(project, user, refusals_of(served.role)))
    else:
        from memsieve.client import AsyncClient

        async with AsyncClient(target.server, key=os.environ.get(KEY), patience=PATIENCE) as client:
            # The server refuses what the key has no right to.
            await serve_stdio(served.context(client.project(served.project), client.whoami, {}))


def refusals_of(role: McpRole) -> dict[Need, str]:
    """Return what a role has no right to, each with the reason."""
    from memsieve.mcp.context import Need
    from memsieve.model import RIGHTS, KeyRole, Right

    return {
        need: f"This server was started for role {role}, which has no right to {need}. Start it with "
        "--role reviewer to allow that."
        for need in Need
        if KeyRole(role) not in RIGHTS[Right(need)]
    }
