from memsieve.testing.clock import Clock
from memsieve.testing.databases import Databases
from memsieve.testing.embedder import WordEmbedder
from memsieve.testing.openai_server import OpenAIServer, Reply, Request
from memsieve.testing.postgres_server import PostgresServer
from memsieve.testing.redis_server import RedisCluster, RedisServer
from memsieve.testing.served_memory import ServedMemory

__all__ = [
    "Clock",
    "Databases",
    "OpenAIServer",
    "PostgresServer",
    "RedisCluster",
    "RedisServer",
    "Reply",
    "Request",
    "ServedMemory",
    "WordEmbedder",
]
