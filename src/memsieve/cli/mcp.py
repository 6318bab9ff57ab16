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
from memsieve.cli.options import examples
from memsieve.cli.place import KEY, PATIENCE, Place

if TYPE_CHECKING:
    from memsieve.mcp.desk import Desk, Need, ProjectMemory
    from memsieve.model import Proposal

    Propose = Callable[[str, str], Awaitable[Proposal]]

commands = typer.Typer()


class As(StrEnum):
    """What the model behind the client may; an admin's rights are for nobody here."""

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
        As | None,
        typer.Option(
            "--role",
            help="agent recalls and remembers; reviewer reads the digest, too; auditor reads only. Not with --server.",
            show_default="agent",
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", help="The session; else a new one.", show_default=False)
    ] = None,
    agent: Annotated[str, typer.Option("--agent", help="Who says what is remembered.")] = "mcp",
    kb: Annotated[
        Path | None,
        typer.Option("--kb", help="The knowledge base; else the nearest .ai-kb, here or above.", show_default=False),
    ] = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,  # noqa: ARG001 - errors are told so
) -> None:
    """Serve one project to an MCP client, over standard input and output.

    The client starts it: docs/mcp.md says how Claude Code, Cursor and others are told. No tool takes a project, and
    none promotes: what an agent proposes waits in the digest for a person.
    """
    import asyncio

    from memsieve import validate
    from memsieve.mcp.installed import require_sdk

    place = Place.of(data, server)
    if place.server is not None and role is not None:
        raise typer.BadParameter(f"A server knows the role by the key in ${KEY}: leave out --role.")
    require_sdk()
    seat = Seat(
        project=validate.project_name(project),
        role=role or As.AGENT,
        session=validate.name(session or f"mcp-{uuid.uuid4()}", field="session"),
        agent=validate.name(agent, field="agent"),
        kb=kb,
    )
    # Reading standard input cannot be interrupted. What was acknowledged is on disk, so a signal may end it at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(_serve(place, seat))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """What the options say of the one who is served."""

    project: str
    role: As
    session: str
    agent: str
    kb: Path | None

    def desk(self, project: ProjectMemory, propose: Propose, refusals: Mapping[Need, str]) -> Desk:
        """Return where the calls are served."""
        from memsieve.kb.base import KnowledgeBase
        from memsieve.mcp.desk import Desk

        return Desk(
            project=project,
            propose=propose,
            session_id=self.session,
            agent_id=self.agent,
            knowledge=lambda: KnowledgeBase.open(self.kb),
            refusals=refusals,
        )


async def _serve(place: Place, seat: Seat) -> None:
    from memsieve.mcp import stdio

    if place.server is None:
        from memsieve.memory import AsyncMemory

        async with AsyncMemory.open(place.data) as memory:
            project = memory.project(seat.project)

            def propose(entry_id: str, reason: str) -> Awaitable[Proposal]:
                return project.propose(entry_id, reason=reason, by=seat.agent)

            await stdio.serve(seat.desk(project, propose, _refusals(seat.role)))
    else:
        from memsieve.client import AsyncClient

        async with AsyncClient(place.server, key=os.environ.get(KEY), patience=PATIENCE) as client:
            remote = client.project(seat.project)
            # The server refuses what the key has no right to.
            await stdio.serve(seat.desk(remote, lambda id_, reason: remote.propose(id_, reason=reason), {}))


def _refusals(role: As) -> dict[Need, str]:
    from memsieve.api.caller import RIGHTS, Right
    from memsieve.mcp.desk import Need
    from memsieve.model import KeyRole

    return {
        need: f"This server was started for role {role}, which has no right to {need}. Whoever set it up may start it "
        "with --role reviewer."
        for need in Need
        if KeyRole(role) not in RIGHTS[Right(need)]
    }
