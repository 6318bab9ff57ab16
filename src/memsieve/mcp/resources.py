"""The resources: atoms of the knowledge base, and the digest."""

from __future__ import annotations

import asyncio

from mcp.server import MCPServer

from memsieve.mcp import knowledge
from memsieve.mcp.context import Need, current_context
from memsieve.mcp.tools import list_digest

DIGEST = "memsieve://digest"


async def digest() -> str:
    """Return what waits for a person's decision, as JSON; for those who may read quarantine."""
    return (await list_digest()).model_dump_json(indent=2)


async def atoms() -> str:
    """List the knowledge base's atoms, one resource a line."""
    context = current_context()
    context.require(Need.QUERY)
    return await asyncio.to_thread(lambda: knowledge.index(context.knowledge()))


async def atom(path: str) -> str:
    """Return one atom: permanent knowledge, in Markdown."""
    context = current_context()
    context.require(Need.QUERY)
    return await asyncio.to_thread(lambda: knowledge.atom(context.knowledge(), path))


def add_to(server: MCPServer) -> None:
    """Put the resources on a server."""
    server.resource(DIGEST, name="digest", mime_type="application/json")(digest)
    server.resource(knowledge.ATOMS, name="atoms", mime_type="text/plain")(atoms)
    server.resource(f"{knowledge.ATOMS}/{{+path}}", name="atom", mime_type="text/markdown")(atom)
