"""Run one server, and end it when the process that wanted it is gone.

Usage: watcher.py FOLDER USER END COMMAND…

The server's process id is printed. Every byte on standard input is the number of a signal to pass on. When the input
ends or the parent is gone, however that came about, the server is sent the signal END and its folder is removed.
"""

from __future__ import annotations

import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

PATIENCE = 10.0
LOG = "log"


def main(folder: str, user: str, end: str, *command: str) -> None:
    """Run the command until it ends, or its parent does."""
    parent, woken = os.getppid(), _wake_on(signal.SIGCHLD, signal.SIGTERM)
    server = _start(Path(folder), user, command)
    print(server.pid, flush=True)  # noqa: T201 - the parent reads it
    while server.poll() is None:
        if not _wanted(server, parent, woken):
            _finish(server, int(end))
            shutil.rmtree(folder, ignore_errors=True)


def _wake_on(*numbers: int) -> int:
    """Return a pipe on which the given signals arrive as bytes."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in numbers:
        signal.signal(number, lambda *_: None)
    return woken


def group_of(user: str) -> int | None:
    """Return the group to run as with a user, who may be left open."""
    return pwd.getpwnam(user).pw_gid if user else None


def _start(folder: Path, user: str, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    with (folder / LOG).open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - it comes from the classes beside this file
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            user=user or None,
            group=group_of(user),
            extra_groups=[] if user else None,
        )


def _wanted(server: subprocess.Popen[bytes], parent: int, woken: int) -> bool:
    """Wait until something happens, pass signals on, and return whether the server should go on."""
    # A fork of the parent may hold the input open after the parent's death: so it is asked for, too.
    ready, _, _ = select.select([0, woken], [], [], 1.0)
    if woken in ready and signal.SIGTERM in os.read(woken, 64):
        return False
    if 0 in ready:
        numbers = os.read(0, 64)
        for number in numbers:
            server.send_signal(number)
        return bool(numbers)
    return os.getppid() == parent


def _finish(server: subprocess.Popen[bytes], end: int) -> None:
    server.send_signal(end)
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
