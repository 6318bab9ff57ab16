"""The installed command, in processes of its own: what only a real process, pipe or terminal can show."""

import json
import os
import pty
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import memsieve as package
from memsieve import Memory
from memsieve.testing import OpenAIServer, Reply

MEMSIEVE = str(Path(sysconfig.get_path("scripts")) / "memsieve")
DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."


def memsieve(*arguments: str | bytes, stdin: bytes = b"", env: dict[str, str] | None = None):
    return subprocess.run(
        [MEMSIEVE, *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        timeout=60,
        check=False,
    )


def test_a_finding_goes_from_an_agent_to_verified_memory_and_out_again(data, cli):
    here = ("--project", "apollo")
    first = ("record", *here, "--data", str(data), "--agent", "cfo", "--confidence", "0.93", DECISION)
    recorded = json.loads(memsieve(*first).stdout)
    assert recorded["admission"]["admitted"]
    memory = cli.json("promote", *here, "--by", "ada", recorded["entry"]["id"])["memory"]
    assert memory["promoted_by"] == "ada"

    [found] = cli.json("query", *here, "--session", "s9", "which database has the ledger?")["results"]
    assert (found["content"], found["label"], found["memory_id"]) == (DECISION, "✅ verified", memory["id"])

    retired = cli.json("retire", *here, "--by", "ada", "--reason", "we moved", memory["id"])
    assert [serving["session_id"] for serving in retired["served"]] == ["s9"]


def test_broken_utf8_on_standard_input_is_refused_with_its_place(data):
    done = memsieve("record", "--project", "apollo", "--data", str(data), "-", stdin=b"abc\xffdef")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        "Error: Standard input is not valid UTF-8: byte 0xff at position 3. Convert it first, for example with iconv.\n"
    )


def test_an_argument_that_is_no_text_is_refused(cli):
    assert "lone surrogate at position 3" in cli.refused(
        "record", "--project", "apollo", os.fsdecode(b"abc\xff"), code=2
    )


def test_an_endless_stream_ends_in_an_error(data):
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as endless:
        done = subprocess.run(
            [MEMSIEVE, "record", "--project", "apollo", "--data", str(data), "-"],
            stdin=endless.stdout, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        endless.kill()
    assert done.returncode == 2
    assert b"more than 65536 bytes" in done.stderr


def test_json_is_utf8_whatever_the_locale(data):
    text = "项目最终决定采用微服务架构，以提高可扩展性和部署灵活性 ✅"
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "PYTHONCOERCECLOCALE": "0"}
    done = memsieve("record", "--project", "zh", "--data", str(data), "-", stdin=text.encode(), env=locale)
    assert text in done.stdout.decode()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_who_has_seen_enough_is_no_error(data, unbuffered):
    command = [MEMSIEVE, "stats", "--data", str(data)]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as counting:
        counting.stdout.close()
        complaint = counting.stderr.read()
    assert (counting.returncode, complaint) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_one_line(data):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [MEMSIEVE, "stats", "--data", str(data)], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("Error: ")
    assert done.stderr.count(b"\n") == 1


@pytest.fixture
def interruptible():
    """Let the processes that a test starts be interrupted, also where a shell runs the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible", "small_embedder")
def test_an_interrupt_while_a_judge_thinks_is_quiet_and_quick_and_loses_nothing(data):
    with OpenAIServer() as server:
        server.script(Reply(delay=float("inf")))
        env = {**os.environ, "MEMSIEVE_LLM_BASE_URL": server.base_url, "MEMSIEVE_LLM_MODEL": "judge"}
        command = [MEMSIEVE, "record", "--project", "apollo", "--data", str(data), DECISION]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as recording:
            while not server.requests:
                time.sleep(0.02)
            recording.send_signal(signal.SIGINT)
            said, complaint = recording.communicate(timeout=60)
        assert (recording.returncode, said, complaint) == (130, b"", b"")
    with Memory.open(data) as memory:
        [receipt] = memory.project("apollo").review(by="ada@example.org").log()
    assert (receipt.entry.content, receipt.admission.decision) == (DECISION, "pending")


def test_help_loads_nothing_heavy():
    script = (
        "import sys; sys.argv = ['memsieve', '--help']\n"
        "from memsieve.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'onnxruntime', 'tokenizers', 'anyio', 'asyncio', 'sqlite3', 'memsieve.model')"
        " if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=True)
    assert done.stderr == b"[]\n"


def test_the_demo_reads_well_when_piped(data):
    done = memsieve("demo", "--data", str(data))
    told = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "12 said, 5 admitted, 7 refused, 2 verified by a person." in told
    assert "\x1b" not in told
    for check in ("confidence", "consistency", "injection", "duplicate", "echo", "tombstone"):
        assert f"✘ {check}: " in told
    assert "tuesday" in told[told.index("Who was served this?") :]


def test_deletion_asks_a_person_at_a_terminal_first(data, small_embedder):
    with Memory.open(data) as memory:
        entry_id = memory.project("apollo").record(DECISION, session_id="s1").entry.id
    delete = ["delete", "--project", "apollo", "--by", "ada", "--reason", "private", "--data", str(data), entry_id]
    for said, code, left in ((b"n\n", 1, 1), (b"y\n", 0, 0)):
        keyboard, terminal = pty.openpty()
        os.write(keyboard, said)
        done = subprocess.run([MEMSIEVE, *delete], stdin=terminal, capture_output=True, timeout=60, check=False)
        os.close(keyboard)
        os.close(terminal)
        assert done.returncode == code
        assert f"Delete {entry_id} for good?" in done.stderr.decode()
        with Memory.open(data) as memory:
            assert len(memory.project("apollo").review(by="ada@example.org").log()) == left


def test_the_package_gives_every_name_it_promises():
    assert {name: getattr(package, name).__name__ for name in package.__all__} == {
        name: name for name in package.__all__
    }
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="Nonsense"):
        package.Nonsense  # noqa: B018 - the question is the test
