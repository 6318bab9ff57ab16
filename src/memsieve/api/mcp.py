"""MCP under `/mcp`: stateless Streamable HTTP, with the keys, rights and limits of the API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Query
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from memsieve.api import problems
from memsieve.api.auth import Caller, caller_of, permission_hint, project_of
from memsieve.api.requests import Name, ProjectQuery, read_json, require_json
from memsieve.api.routing import restricted
from memsieve.api.state import ServerState, state_of
from memsieve.errors import ConfigError, KnowledgeBaseError, MemsieveError
from memsieve.kb.base import KnowledgeBase
from memsieve.mcp.context import Need, ToolContext, require_sdk
from memsieve.model import Right
from memsieve.project import AsyncProject, ReadOnlyReview

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

_log = logging.getLogger(__name__)


class McpQuery(ProjectQuery):
    """The query of the endpoint's URL, which is part of a client's configuration: no model writes it."""

    session_id: Name | None = Field(default=None)
    agent_id: Name | None = Field(default=None)


class McpEndpoint:
    """Answers MCP messages; the first one loads the SDK, so that a server without any starts quickly."""

    def __init__(self, knowledge: Mapping[str, Path], *, body_bytes: int) -> None:
        self._knowledge = knowledge
        self._body_bytes = body_bytes
        self._starting = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    def add_to(self, app: FastAPI) -> None:
        """Put the route on an application."""
        app.router.add_api_route(
            PATH,
            self.answer,
            methods=["POST"],
            response_model=None,
            include_in_schema=False,
            route_class_override=restricted(Right.QUERY),
        )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Answer messages within the context."""
        self._ended, self._manager, self._running = asyncio.Event(), None, None
        try:
            yield
        finally:
            self._ended.set()
            if self._running is not None:
                await self._running

    async def answer(self, request: Request, query: Annotated[McpQuery, Query()]) -> Response:
        """Answer one message with the tools that its caller may use."""
        require_json(request)
        project = await project_of(request, query)
        body = await request.body()
        if not isinstance(read_json(body), dict):
            raise HTTPException(400, "Send one JSON-RPC message, as an object.")
        request.state.tool_context = self._context(state_of(request), caller_of(request), project, query)
        return McpResponse(await self._started(), body)

    def _context(self, state: ServerState, caller: Caller, project: AsyncProject, query: McpQuery) -> ToolContext:
        refused = {need: Right(need) for need in Need if not caller.may(Right(need))}

        async def review() -> ReadOnlyReview:
            return project.review(by=caller.name)

        return ToolContext(
            project=project,
            review=review,
            # One session a day: reconnecting must not look like independent evidence.
            session_id=query.session_id or f"mcp-{caller.bucket}-{datetime.now(UTC):%Y-%m-%d}",
            agent_id=query.agent_id or caller.name,
            knowledge=lambda: self._base(project.id),
            refusals={need: permission_hint(state, caller, right) for need, right in refused.items()},
            error_text=_error_text,
        )

    def _base(self, project_id: str) -> KnowledgeBase:
        """Open the knowledge base of a project; no other project can."""
        if project_id not in self._knowledge:
            raise KnowledgeBaseError(
                f"This server has no knowledge base of project {project_id!r}. Whoever runs it names one: "
                f"memsieve serve --kb {project_id}=PATH"
            )
        try:
            return KnowledgeBase.open(self._knowledge[project_id])
        except KnowledgeBaseError as exc:
            # The error's own message has the path.
            _log.warning("The knowledge base of project %s cannot be opened: %s", project_id, exc)
            raise KnowledgeBaseError(
                f"The knowledge base of project {project_id!r} cannot be opened. The log of the server says why."
            ) from exc

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._starting:
            if self._manager is None:
                _require_sdk()
                self._manager = await asyncio.to_thread(_new_manager, self._body_bytes)
                ready = asyncio.Event()
                self._running = asyncio.create_task(self._run(self._manager, ready))
                await ready.wait()
            return self._manager

    async def _run(self, manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
        # In a task of its own: what it opens must be closed by the task that opened it.
        async with manager.run():
            ready.set()
            await self._ended.wait()


class McpResponse(Response):
    """The SDK's answer to a message whose body has been read and checked."""

    def __init__(self, manager: StreamableHTTPSessionManager, body: bytes) -> None:
        super().__init__()
        self._manager = manager
        self._message = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the SDK answer."""
        await self._manager.handle_request(scope, self._replay(receive), send)

    def _replay(self, receive: Receive) -> Receive:
        """Return a `receive` that starts with the body."""
        messages: list[Message] = [{"type": "http.request", "body": self._message, "more_body": False}]

        async def read() -> Message:
            return messages.pop() if messages else await receive()

        return read


def _error_text(error: MemsieveError) -> str:
    """Return an error's message without the server's own paths and hosts."""
    if isinstance(error, KnowledgeBaseError):
        return error.public
    message = problems.public_message(error)
    if message != str(error):
        _log.warning("A tool of MCP failed: %s: %s", type(error).__name__, error)
    return message


def _require_sdk() -> None:
    try:
        require_sdk()
    except ConfigError as exc:
        raise HTTPException(501, f"This server speaks no MCP. Whoever runs it can change that. {exc}") from exc


def _new_manager(body_bytes: int) -> StreamableHTTPSessionManager:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

    from memsieve.mcp.server import build

    server = build(lambda request: request.state.tool_context)
    # Stateless: any worker answers any message. Hosts and origins were checked by the guard.
    return StreamableHTTPSessionManager(
        server._lowlevel_server,  # noqa: SLF001 - only the SDK's own application would reach it otherwise
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=body_bytes,
    )
