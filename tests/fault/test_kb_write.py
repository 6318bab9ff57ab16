"""A writer killed at any moment leaves whole files, and all that it told of."""

import random
import signal
import sys
import time
from subprocess import PIPE, Popen

from memsieve import Item, KnowledgeBase
from memsieve.kb.files import atomic, document

ROUNDS = 5
WRITER = """
import sys
from memsieve import Item, KnowledgeBase
base = KnowledgeBase.open(sys.argv[1])
for number in range(10_000):
    task = f"{sys.argv[2]}-{number}"
    base.write(Item(type="new_trap", description=f"Locale {number % 3}", content="Dates follow it.", task=task))
    print(task, flush=True)
"""


def test_a_writer_that_is_killed_loses_nothing_that_it_told_of(tmp_path):
    base = KnowledgeBase.init(tmp_path / "kb")
    chance = random.Random(7)
    told: set[str] = set()
    for number in range(ROUNDS):
        writer = Popen([sys.executable, "-c", WRITER, str(base.root), f"round{number}"], stdout=PIPE, text=True)
        told.add(writer.stdout.readline().strip())
        time.sleep(chance.uniform(0, 0.1))
        writer.send_signal(signal.SIGKILL)
        told.update(line.strip() for line in writer.stdout if line.endswith("\n"))
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
    assert base.check() == ()
    paths = [path for path in base.layout.staging.iterdir() if not path.name.startswith(atomic.TEMPORARY)]
    tasks = [row["task"] for path in paths for row in document.read(path).fields["observed"]]
    assert len(paths) == 3
    assert len(tasks) == len(set(tasks))
    assert told <= set(tasks)
    # The lock of the dead holds nobody up.
    assert base.write(Item(type="checkpoint", state="AFTER")).outcome == "written"
