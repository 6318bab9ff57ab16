"""A process that refines knowledge bases in children of its own, so that each begins at once and may be killed.

It reads lines of JSON: {"root": FOLDER, "observations": MODE, "die": NUMBER or null}, starts a child for each, prints
its process id, and when it has ended its exit status. With a number the child kills itself at so many changes of files.
"""

import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import onnxruntime

from memsieve.claims import pair_model
from memsieve.kb.files.layout import Layout
from memsieve.kb.refine.run import refine
from memsieve.models import bundled
from memsieve.refine.concepts import concepts

CHANGES = {"os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir", "os.truncate"}
WRITING = os.O_WRONLY | os.O_RDWR


def main() -> None:
    load()
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            work(order)
        say(child)
        say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def load() -> None:
    """Load the models before there are children, without threads: a child would have none of them."""
    bundled.session = single
    concepts("数据库")
    pair_model.pair_model().score("Two are left.", "Three are left.")


def single(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def work(order: dict) -> None:
    """Refine, say how long it took and how many files it changed, and end without a word to the parent's streams."""
    counted = [0]
    sys.addaudithook(lambda event, arguments: count(event, arguments, counted, order["die"]))
    began = time.perf_counter()
    try:
        refine(Layout(Path(order["root"])), now=datetime.now(UTC), observations=order["observations"])
    except BaseException as exc:  # noqa: BLE001 - a child must not go on as if it were the parent
        sys.stderr.write(f"{exc!r}\n")
        sys.stderr.flush()
        os._exit(1)
    took, changes = time.perf_counter() - began, counted[0]
    Path(f"{order['root']}.took").write_text(json.dumps([took, changes]))
    os._exit(0)


def count(event: str, arguments: tuple, counted: list, die: int | None) -> None:
    if event in CHANGES or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING):
        counted[0] += 1
        if counted[0] == die:
            os.kill(os.getpid(), signal.SIGKILL)


def say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
