from memsieve.integrations.extras import require

require("langgraph", "langchain_core", "langgraph", "langchain")

from memsieve.integrations.langgraph.callback import MemoryCallback  # noqa: E402 - only where it is installed
from memsieve.integrations.langgraph.middleware import MemoryMiddleware  # noqa: E402
from memsieve.integrations.langgraph.retrieval import memory_retrieval_node  # noqa: E402
from memsieve.integrations.langgraph.store import MemoryStore  # noqa: E402

__all__ = ["MemoryCallback", "MemoryMiddleware", "MemoryStore", "memory_retrieval_node"]
