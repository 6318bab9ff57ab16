"""Where Redis is, and its errors in memsieve's words, each in one place."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from redis import exceptions

from memsieve.errors import ConfigError, MemsieveError, StoreCorrupt, StoreUnavailable

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


DRIVER_ERRORS = (exceptions.RedisError, exceptions.RedisClusterException, OSError)
_UNREACHABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.RedisClusterException,
    exceptions.ClusterDownError,
    OSError,
)
_FULL = "is full. Nothing was written: raise its maxmemory, and try again."
_REFUSALS = {
    exceptions.BusyLoadingError: "is still loading its data. Try again in a moment.",
    exceptions.OutOfMemoryError: _FULL,
    exceptions.ReadOnlyError: "is a replica now and takes no writes. Nothing was written: try again, or point "
    "MEMSIEVE_REDIS_URL to the primary.",
}


def in_our_words(exc: BaseException, address: Address, keys: Sequence[str]) -> MemsieveError:
    """Return the error that tells what happened and what to do next."""
    reason = str(exc).partition("\n")[0] or type(exc).__name__
    if wrong := _wrong_setting(exc, address):
        return misconfigured(address, wrong)
    for kind, words in _REFUSALS.items():
        if isinstance(exc, kind):
            return StoreUnavailable(f"Redis at {address} {words}", public=f"Redis {words}")
    # A script that meets a full server ends with an error of its own, around that one.
    if "OOM command not allowed" in reason:
        return StoreUnavailable(f"Redis at {address} {_FULL}", public=f"Redis {_FULL}")
    if unreachable(exc, address):
        return down(address, reason)
    if "WRONGTYPE" in reason:
        return foreign(keys)
    return StoreUnavailable(
        f"Redis at {address} refused: {reason}. Nothing was written.", public="Redis refused. Nothing was written."
    )


def unreachable(exc: BaseException, address: Address) -> bool:
    """Tell whether nobody answered, or no whole cluster."""
    return isinstance(exc, _UNREACHABLE) and _wrong_setting(exc, address) is None


def down(address: Address, why: str) -> StoreUnavailable:
    """Return the error that says that Redis cannot be reached."""
    return StoreUnavailable(
        f"Redis at {address} does not answer ({why}), so that working memory is not to be had. See that it runs and "
        "that MEMSIEVE_REDIS_URL names it, and try again: nothing need be restarted here.",
        public="Redis does not answer, so that working memory is not to be had.",
    )


def misconfigured(address: Address, wrong: str) -> ConfigError:
    """Return the error that says what must be set otherwise, here or there."""
    return ConfigError(f"Redis at {address} {wrong}", public="Redis is not set up as memsieve needs it.")


def foreign(keys: Sequence[str]) -> StoreCorrupt:
    """Return the error that says that somebody else wrote under a project's keys."""
    return StoreCorrupt(
        f"Redis holds something under {' and '.join(keys)} that memsieve did not write. Nothing was changed: see who "
        "writes there, and remove these keys; `memsieve working restore` fills them again."
    )


def is_cluster() -> str:
    """Say that what was taken for a single server belongs to a cluster."""
    return "is a cluster: begin MEMSIEVE_REDIS_URL with redis-cluster:// (or rediss-cluster://)."


def _wrong_setting(exc: BaseException, address: Address) -> str | None:
    for cause in _causes(exc):
        match cause:
            case exceptions.AuthenticationError() | exceptions.AuthenticationWrongNumberOfArgsError():
                return "refuses this user or password: correct them in MEMSIEVE_REDIS_URL."
            case ssl.SSLCertVerificationError():
                return "has a certificate that is not trusted here: name its authority by ?ssl_ca_certs=… in the URL."
            case exceptions.NoPermissionError():
                return f"forbids its user what memsieve needs ({cause}): change the user's rights there."
            case exceptions.AskError() | exceptions.ClusterCrossSlotError() if not address.cluster:
                return is_cluster()
            case exceptions.RedisClusterException() if "Cluster mode is not enabled" in str(cause):
                return "is no cluster: begin MEMSIEVE_REDIS_URL with redis:// (or rediss://)."
    return None


def _causes(exc: BaseException) -> Iterator[BaseException]:
    """Yield what lies behind an error first: a cluster's client says of every refusal that it is no cluster."""
    chain = [exc]
    while (behind := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(behind)
    yield from reversed(chain)
