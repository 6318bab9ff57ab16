from memsieve.client.client import AsyncClient
from memsieve.client.sync import Client

__all__ = ["AsyncClient", "Client"]
