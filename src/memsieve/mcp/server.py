"""The MCP server: tools, resources and a prompt, for the caller that a request leads to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import (
    ResourceError,
    ResourceNotFoundError,
    ToolError,
    UnexpectedResourceError,
    UnexpectedToolError,
)
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from memsieve.errors import MemsieveError, NotFound
from memsieve.mcp import prompts, resources, tools
from memsieve.mcp.context import ToolContext, current_context, use_context

# A request of HTTP, or None over stdio.
Finder = Callable[[Any], ToolContext]


class MemoryServer(MCPServer[Any]):
    """Lets errors of ours leave in their own words, which say what to do next; all others stay inside."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:
        """Call a tool; an argument that it does not take is refused, for who sends one believes that it counts."""
        tool = self._tool_manager.get_tool(name)
        unknown = sorted(arguments.keys() - tool.parameters["properties"].keys()) if tool is not None else []
        if unknown:
            raise ToolError(f"{name} takes no {', '.join(unknown)}. Leave it out.")
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as exc:
            if isinstance(exc.__cause__, MemsieveError):
                raise ToolError(current_context().error_text(exc.__cause__)) from exc
            raise

    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        """Read a resource."""
        try:
            return await super().read_resource(uri, context)
        except UnexpectedResourceError as exc:
            cause = _root(exc)
            if isinstance(cause, MemsieveError):
                kind = ResourceNotFoundError if isinstance(cause, NotFound) else ResourceError
                raise kind(current_context().error_text(cause)) from exc
            raise

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> Any:
        """Return a prompt."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as exc:
            cause = _root(exc)
            if isinstance(cause, MemsieveError):
                raise MCPError(code=INVALID_PARAMS, message=current_context().error_text(cause)) from exc
            raise


def build(find: Finder) -> MemoryServer:
    """Make a server whose calls are served in the context that their request leads to."""

    async def in_context(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        with use_context(find(ctx.request)):
            return await call_next(ctx)

    with _own_logging():
        server = MemoryServer(
            "memsieve",
            title="memsieve",
            description="Memory purification for AI agents.",
            instructions=prompts.INSTRUCTIONS,
            version=version("memsieve"),
            subscriptions=False,
            middleware=[in_context],
        )
    for part in (tools, resources, prompts):
        part.add_to(server)
    return server


@contextmanager
def _own_logging() -> Iterator[None]:
    """Keep the log as it is: the SDK would add a handler of its own to the root."""
    root = logging.getLogger()
    kept = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.level, root.handlers[:] = kept


def _root(error: BaseException) -> BaseException:
    """Return what an error came from in the end."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
