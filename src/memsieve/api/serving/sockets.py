"""Where the server listens, and how many connections it can hold."""

from __future__ import annotations

import errno
import socket

from memsieve.errors import ConfigError

BACKLOG = 2048
MOST_CONNECTIONS = 10_000
# Files that are open for other reasons: databases, models, logs.
OTHER_FILES = 256
FEWEST_CONNECTIONS = 64


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; connections wait there until the server is ready."""
    try:
        # IPv4 first, since `localhost` is both and most mean the older one.
        found = sorted(socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE))
        family, kind, number, _, address = found[0]
        listener = socket.socket(family, kind, number)
    except OSError as exc:
        raise ConfigError(f"No such address: {host} ({exc.strerror or exc}). Choose another --host.") from exc
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.set_inheritable(True)
    except OSError as exc:
        listener.close()
        raise ConfigError(_reason(exc, host, port)) from exc
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address of a server that listens there, with its real port."""
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def most_connections() -> int:
    """Raise the limit on open files as far as may be, and return how many connections that allows."""
    try:
        import resource
    except ImportError:
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, soft - OTHER_FILES))


def _reason(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"Port {port} of {host} is taken: another program listens there. Stop it, or choose another port, "
                f"0 for any that is free: memsieve serve --port {port + 1}"
            )
        case errno.EACCES:
            return f"This user may not listen on port {port}. Choose one from 1024 on: memsieve serve --port 8080"
        case errno.EADDRNOTAVAIL:
            return f"This machine has no address {host}. Choose another --host: 127.0.0.1 is this machine alone."
    return f"Cannot listen on {host}, port {port}: {error.strerror or error}. Choose another --host or --port."
