"""Where Redis is: what a URL says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from memsieve.errors import ConfigError

PORT = 6379
_FORMS = "redis://host:6379/0, rediss://host:6379/0 or redis-cluster://host:7000,host:7001"
_TLS = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One server or the nodes to find a cluster by; it prints without a password."""

    nodes: tuple[tuple[str, int], ...]
    cluster: bool
    tls: bool
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls_options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        scheme = ("rediss" if self.tls else "redis") + ("-cluster" if self.cluster else "")
        return f"{scheme}://{','.join(f'{host}:{port}' for host, port in self.nodes)}"


def parse(url: str) -> Address:
    """Return the address that a URL names, or refuse it; what is refused is not repeated: it may hold a password."""
    try:
        return _parse(url)
    except ValueError:
        # Nor is the cause: it quotes the part that could not be read.
        raise ConfigError(
            f"redis_url cannot be read as {_FORMS}. Correct MEMSIEVE_REDIS_URL; in a user or password write characters "
            "like / @ : # % as %2F %40 %3A %23 %25."
        ) from None


def _parse(url: str) -> Address:
    parts = urlsplit(url)
    who, _, where = parts.netloc.rpartition("@")
    username, _, password = who.partition(":")
    nodes = tuple(_node(node) for node in where.split(","))
    secure = parts.scheme in {"rediss", "rediss-cluster"}
    cluster = parts.scheme in {"redis-cluster", "rediss-cluster"}
    database = int(parts.path.strip("/") or 0)
    options = parse_qsl(parts.query, strict_parsing=bool(parts.query))
    _refuse(parts.scheme, nodes, cluster, secure, database, [name for name, _ in options])
    return Address(
        nodes=nodes,
        cluster=cluster,
        tls=secure,
        database=database,
        username=unquote(username) or None,
        password=unquote(password) or None,
        tls_options=tuple(options),
    )


def _node(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError("no host")
    return parts.hostname, parts.port or PORT


def _refuse(
    scheme: str, nodes: tuple[tuple[str, int], ...], cluster: bool, secure: bool, database: int, options: list[str]
) -> None:
    if scheme not in {"redis", "rediss", "redis-cluster", "rediss-cluster"}:
        raise ConfigError(f"redis_url begins with {scheme + '://'!r}; write {_FORMS} in MEMSIEVE_REDIS_URL.")
    if not cluster and len(nodes) > 1:
        raise ConfigError(f"redis_url names {len(nodes)} servers: for a cluster begin it with {scheme}-cluster://.")
    if cluster and database:
        raise ConfigError(f"redis_url asks for database {database}, and a cluster has none but 0: leave it out.")
    strange = [name for name in options if not secure or name not in _TLS]
    if strange:
        raise ConfigError(
            f"redis_url has options that mean nothing here: {', '.join(strange)}. With TLS there are {', '.join(_TLS)}."
        )
