from memsieve.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
