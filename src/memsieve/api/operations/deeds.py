"""A project whose deeds are traced, whichever route does them."""

from __future__ import annotations

from typing import Any

from memsieve.api.operations.tracing import Traces
from memsieve.model import Answer, LongTermMemory, Receipt, Retirement
from memsieve.project import AsyncProject
from memsieve.services.container import Services


class TracedProject(AsyncProject):
    """Does what a project does; each method takes what the one it stands for takes."""

    def __init__(self, services: Services, project_id: str, traces: Traces) -> None:
        super().__init__(services, project_id)
        self._traces = traces

    async def record(self, *args: Any, **kwargs: Any) -> Receipt:
        with self._traces.deed("record"):
            return await super().record(*args, **kwargs)

    async def retrieve(self, *args: Any, **kwargs: Any) -> Answer:
        with self._traces.deed("retrieve"):
            return await super().retrieve(*args, **kwargs)

    async def promote(self, *args: Any, **kwargs: Any) -> LongTermMemory:
        with self._traces.deed("promote"):
            return await super().promote(*args, **kwargs)

    async def promote_text(self, *args: Any, **kwargs: Any) -> LongTermMemory:
        with self._traces.deed("promote"):
            return await super().promote_text(*args, **kwargs)

    async def retire(self, *args: Any, **kwargs: Any) -> Retirement:
        with self._traces.deed("retire"):
            return await super().retire(*args, **kwargs)
