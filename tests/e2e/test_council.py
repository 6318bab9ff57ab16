"""examples/council runs end to end on the real LangGraph: it debates, is recorded and reviewed, and remembers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memsieve.model import EntryFilter, ReviewStatus
from memsieve.testing import OpenAIServer

EXAMPLES = Path(__file__).parents[2] / "examples"
VERIFIED = "The ledger should run on PostgreSQL, because every booking needs a transaction over two accounts."
UNVERIFIED = "Managed PostgreSQL costs the ledger 420 euros a month"


@pytest.fixture
def council(monkeypatch):
    """The example's own modules."""
    monkeypatch.syspath_prepend(EXAMPLES)
    from council import __main__ as example

    return example


@pytest.fixture
def project(open_memory):
    return open_memory().project("council")


def test_all_that_is_said_is_in_quarantine_with_its_node_and_agent(council, project):
    council.debate(project, council.FIRST_TOPIC, "monday", council.scripted(council.FIRST_DEBATE))
    entries = [receipt.entry for receipt in project.review(by="ada@example.org").log(EntryFilter(oldest_first=True))]
    assert [(one.session_id, one.node_id, one.agent_id, one.content, one.confidence) for one in entries] == [
        ("monday", agent, agent, text, confidence) for agent, (text, confidence) in council.FIRST_DEBATE.items()
    ]


def second_prompt(council, project, *, record):
    """Return what the engineer is asked in the second session, after the first one and a review."""
    council.debate(project, council.FIRST_TOPIC, "monday", council.scripted(council.FIRST_DEBATE), record=record)
    council.settle(project)
    for receipt in project.review(by="ada@example.org").log(EntryFilter(agent_id="engineer")):
        project.review(by=council.PERSON).promote(receipt.entry.id)
    asked = {}

    def listen(agent, prompt):
        asked[agent] = "\n".join(message.text for message in prompt)
        return council.scripted(council.SECOND_DEBATE)(agent, prompt)

    council.debate(project, council.SECOND_TOPIC, "tuesday", listen)
    return asked["engineer"]


def test_the_second_session_knows_the_promoted_memory_as_verified_and_the_fresh_one_as_unverified(council, project):
    verified, unverified = second_prompt(council, project, record=True).split("### ⚡️ Unverified")
    assert "### ✅ Verified" in verified
    assert VERIFIED in verified
    assert UNVERIFIED in unverified
    assert VERIFIED not in unverified
    assert "I am not so sure" not in verified + unverified


def test_without_the_callback_nothing_is_remembered(council, project):
    prompt = second_prompt(council, project, record=False)
    assert "Memory holds nothing relevant." in prompt
    assert VERIFIED not in prompt
    assert UNVERIFIED not in prompt


def test_the_example_runs_offline_as_it_says(tmp_path, open_memory):
    shown = run("--data", str(tmp_path / "council"))
    first, second = shown.split("# The second session")
    assert "Memory holds nothing relevant." in first
    assert "ada@example.org promoted: " + VERIFIED in first
    assert (
        second.index("✅ Verified") < second.index(VERIFIED) < second.index("⚡️ Unverified") < second.index(UNVERIFIED)
    )
    assert "In quarantine: 6 statements; verified: 1." in second
    project = open_memory(tmp_path / "council").project("council")
    assert [
        one.entry.content for one in project.review(by="ada@example.org").log(EntryFilter(review=ReviewStatus.PROMOTED))
    ] == [VERIFIED]


def test_the_example_runs_with_a_real_endpoint(tmp_path):
    def answer(message):
        if "The topic:" not in message:
            return "NO\nNothing in it disagrees."
        return "The ledger runs on PostgreSQL, and the council has agreed on that after it had heard all three of us."

    with OpenAIServer(answer) as server:
        environment = {"MEMSIEVE_LLM_BASE_URL": server.base_url, "MEMSIEVE_LLM_MODEL": "small"}
        shown = run("--data", str(tmp_path / "council"), **environment)
    assert shown.count("The ledger runs on PostgreSQL, and the council has agreed") >= 6
    assert "In quarantine: 6 statements; verified: 1." in shown


def run(*arguments, **environment):
    command = [sys.executable, "-m", "council", *arguments]
    done = subprocess.run(
        command,
        cwd=EXAMPLES,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
