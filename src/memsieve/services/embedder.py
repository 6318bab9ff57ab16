"""Choose the embedder. Apart from the container, so that a command that only embeds loads nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from memsieve.config import Settings
from memsieve.errors import ConfigError
from memsieve.ports import Embedder


@asynccontextmanager
async def open_embedder(settings: Settings) -> AsyncIterator[Embedder]:
    """Open the embedder that the settings name, alone."""
    async with AsyncExitStack() as stack:
        yield choose_embedder(settings, stack)


def choose_embedder(settings: Settings, stack: AsyncExitStack) -> Embedder:
    """Return the embedder that the settings name; the stack closes it."""
    kind, _, model = settings.embedder.partition(":")
    if settings.embedder == "local":
        from memsieve.models.embedders import LocalEmbedder

        return LocalEmbedder()
    if kind == "openai" and model:
        return _openai(settings, model, stack)
    raise ConfigError(f"embedder is {settings.embedder!r}. Use 'local' or 'openai:<model>'.")


def _openai(settings: Settings, model: str, stack: AsyncExitStack) -> Embedder:
    from memsieve.models.embedders import OpenAIEmbedder
    from memsieve.models.openai_api import OpenAIEndpoint

    if not settings.embedder_base_url:
        raise ConfigError(
            "embedder 'openai:…' needs MEMSIEVE_EMBEDDER_BASE_URL, for example http://localhost:11434/v1."
        )
    endpoint = OpenAIEndpoint(settings.embedder_base_url, settings.embedder_api_key, timeout=settings.llm_timeout)
    stack.push_async_callback(endpoint.aclose)
    return OpenAIEmbedder(endpoint, model)
