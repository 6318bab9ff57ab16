"""Redis' errors in memsieve's words, in one place."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence

from redis import exceptions

from memsieve.errors import ConfigError, MemsieveError, StoreCorrupt, StoreUnavailable
from memsieve.stores.redis.address import Address

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
    said = str(exc).partition("\n")[0] or type(exc).__name__
    if wrong := _wrong_setting(exc, address):
        return misconfigured(address, wrong)
    for kind, words in _REFUSALS.items():
        if isinstance(exc, kind):
            return StoreUnavailable(f"Redis at {address} {words}", public=f"Redis {words}")
    # A script that meets a full server ends with an error of its own, around that one.
    if "OOM command not allowed" in said:
        return StoreUnavailable(f"Redis at {address} {_FULL}", public=f"Redis {_FULL}")
    if unreachable(exc, address):
        return down(address, said)
    if "WRONGTYPE" in said:
        return foreign(keys)
    return StoreUnavailable(
        f"Redis at {address} refused: {said}. Nothing was written.", public="Redis refused. Nothing was written."
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
