from memsieve.testing.fakes import Clock, WordEmbedder
from memsieve.testing.openai_server import OpenAIServer, Reply, Request
from memsieve.testing.postgres_server import Databases, PostgresServer
from memsieve.testing.redis_server import RedisCluster, RedisServer
from memsieve.testing.server import ServedMemory

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
