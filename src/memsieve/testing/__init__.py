from memsieve.testing.clock import Clock
from memsieve.testing.embedder import WordEmbedder
from memsieve.testing.openai_server import OpenAIServer, Reply, Request

__all__ = ["Clock", "OpenAIServer", "Reply", "Request", "WordEmbedder"]
