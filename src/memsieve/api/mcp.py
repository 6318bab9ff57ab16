"""MCP under `/mcp`: Streamable HTTP, each message for itself, with the keys, rights and limits of the API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from memsieve.api import problems
from memsieve.api.body import read_json, require_json
from memsieve.api.caller import Caller, Right, identified, needed, project_of
from memsieve.api.requests import Name, Named
from memsieve.api.state import State, state_of
from memsieve.errors import ConfigError, InvalidInput, KnowledgeBaseError, MemsieveError
from memsieve.kb.base import KnowledgeBase
from memsieve.mcp.context import Need, ToolContext, require_sdk
from memsieve.project import AsyncProject, ReadOnlyReview

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

_log = logging.getLogger(__name__)


class Connected(Named):
    """What the address of a connection says: whoever sets a client up writes it, never a model."""

    session_id: Name | None = Field(default=None)
    agent_id: Name | None = Field(default=None)


class McpDoor:
    """Answers MCP messages. The SDK is loaded by the first of them, so that a server without any starts as before."""

    def __init__(self, knowledge: Mapping[str, Path], *, body_bytes: int) -> None:
        self._knowledge = knowledge
        self._body_bytes = body_bytes
        self._turn = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    def add_to(self, app: FastAPI) -> None:
        """Put the door on an application."""
        app.router.add_route(PATH, self.exchange, methods=["POST"], include_in_schema=False)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Let messages be answered within."""
        self._ended, self._manager, self._running = asyncio.Event(), None, None
        try:
            yield
        finally:
            self._ended.set()
            if self._running is not None:
                await self._running

    async def exchange(self, request: Request) -> Response:
        """Answer one message, as its caller may have it."""
        held = state_of(request)
        caller = request.state.caller = await identified(request, Right.QUERY)
        require_json(request)
        connected = _connected(request)
        project = await project_of(request, connected)
        body = await request.body()
        if not isinstance(read_json(body), dict):
            raise HTTPException(400, "Send one JSON-RPC message, as an object.")
        request.state.tool_context = self._context(held, caller, project, connected)
        return Exchange(await self._started(), body)

    def _context(self, held: State, caller: Caller, project: AsyncProject, connected: Connected) -> ToolContext:
        refused = {need: Right(need) for need in Need if not caller.may(Right(need))}

        async def review() -> ReadOnlyReview:
            return project.review(by=caller.name)

        return ToolContext(
            project=project,
            review=review,
            # Nobody seems to be several independent sessions by connecting anew.
            session_id=connected.session_id or f"mcp-{caller.bucket}-{datetime.now(UTC):%Y-%m-%d}",
            agent_id=connected.agent_id or caller.name,
            knowledge=lambda: self._base(project.id),
            refusals={need: needed(held, caller, right) for need, right in refused.items()},
            error_text=_error_text,
        )

    def _base(self, project_id: str) -> KnowledgeBase:
        """Open the knowledge base of a project: no other project reaches it."""
        if project_id not in self._knowledge:
            raise KnowledgeBaseError(
                f"This server has no knowledge base of project {project_id!r}. Whoever runs it names one: "
                f"memsieve serve --kb {project_id}=PATH"
            )
        try:
            return KnowledgeBase.open(self._knowledge[project_id])
        except KnowledgeBaseError as exc:
            # Its advice names the place.
            _log.warning("The knowledge base of project %s cannot be opened: %s", project_id, exc)
            raise KnowledgeBaseError(
                f"The knowledge base of project {project_id!r} cannot be opened. The log of the server says why."
            ) from exc

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._turn:
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


class Exchange(Response):
    """The answer to a message that was read and found to be JSON."""

    def __init__(self, manager: StreamableHTTPSessionManager, sent: bytes) -> None:
        super().__init__()
        self._manager = manager
        self._sent = sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await self._manager.handle_request(scope, self._again(receive), send)

    def _again(self, receive: Receive) -> Receive:
        """Return a way to read the body once more."""
        messages: list[Message] = [{"type": "http.request", "body": self._sent, "more_body": False}]

        async def read() -> Message:
            return messages.pop() if messages else await receive()

        return read


def _connected(request: Request) -> Connected:
    try:
        pairs = request.query_params.multi_items()
        if len(dict(pairs)) < len(pairs):
            raise InvalidInput("The address says something twice. Give it once.", field="query")
        return Connected.model_validate(dict(pairs))
    except ValidationError as exc:
        raise RequestValidationError([{**one, "loc": ("query", *one["loc"])} for one in exc.errors()]) from exc


def _error_text(error: MemsieveError) -> str:
    """Say an error to a caller who may be a stranger's agent."""
    if isinstance(error, KnowledgeBaseError):
        return error.public
    words = problems.public_words(error)
    if words != str(error):
        _log.warning("A tool of MCP failed: %s: %s", type(error).__name__, error)
    return words


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
