"""`memsieve serve` with a language model as judge: nobody waits for it who does not ask to; nothing is forgotten."""

import contextlib
import math
import sqlite3
import time
from collections.abc import Iterator

import httpx
import pytest

from memsieve.stores.sqlite.database import FILE_NAME
from memsieve.testing import OpenAIServer, Reply

TEXT = "Service alpha of region beta answers to team gamma about matter delta."
OTHER = "The board of the northern fleet approved a budget for seven new vessels."
QUARANTINE = "/api/v1/memory/quarantine"
SECONDS = 3.0


@pytest.fixture
def judge() -> Iterator[OpenAIServer]:
    with OpenAIServer() as started:
        yield started


@pytest.fixture
def judged(serve, judge):
    """Start servers whose judge is the stand-in."""

    def start():
        return serve(MEMSIEVE_LLM_BASE_URL=judge.base_url, MEMSIEVE_LLM_MODEL="judge", MEMSIEVE_LLM_TIMEOUT="30")

    return start


def said(content: str) -> dict[str, object]:
    return {"project_id": "apollo", "session_id": "s1", "content": content, "confidence": 0.93}


def decided(client: httpx.Client, location: str, seconds: float = 30) -> dict:
    """Ask where a receipt points to until there is a decision."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = client.get(location)
        assert found.status_code == 200
        if found.json()["decision"] != "pending":
            return found.json()
        time.sleep(0.05)
    raise AssertionError("Nothing was decided in time.")


def test_recording_does_not_wait_for_the_judge_and_its_location_leads_to_the_verdict(judged, judge):
    with judged().client() as client:
        # Whatever is loaded once is loaded now.
        assert client.post(QUARANTINE, json=said(OTHER), params={"wait": "true"}).status_code == 201
        judge.script(Reply(delay=SECONDS))
        began = time.monotonic()
        receipt = client.post(QUARANTINE, json=said(TEXT))
        assert time.monotonic() - began < 1
        assert (receipt.status_code, receipt.json()["decision"]) == (202, "pending")
        assert client.get(receipt.headers["Location"]).json()["decision"] == "pending"
        verdict = decided(client, receipt.headers["Location"])
        assert time.monotonic() - began >= SECONDS
        assert (verdict["entry_id"], verdict["decision"]) == (receipt.json()["entry_id"], "admitted")
        assert TEXT in judge.prompts[-1]


def test_a_caller_who_asks_to_wait_gets_the_verdict(judged, judge):
    with judged().client() as client:
        judge.script(Reply(delay=SECONDS / 3))
        began = time.monotonic()
        receipt = client.post(QUARANTINE, json=said(TEXT), params={"wait": "true"})
        assert time.monotonic() - began >= SECONDS / 3
        assert (receipt.status_code, receipt.json()["decision"]) == (201, "admitted")


def test_what_was_accepted_while_the_judge_thinks_is_decided_after_a_restart(judged, judge, data):
    server = judged()
    judge.script(Reply(delay=math.inf))
    with server.client() as client:
        receipt = client.post(QUARANTINE, json=said(TEXT))
        assert receipt.status_code == 202
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 10
    # What was tried within the last minute is left alone: let that be over.
    with contextlib.closing(sqlite3.connect(data / FILE_NAME)) as connection, connection:
        changed = connection.execute("UPDATE admissions SET decided_at = '2020-01-01T00:00:00.000000Z'")
        assert changed.rowcount == 1
    with judged().client() as client:
        assert decided(client, receipt.headers["Location"])["decision"] == "admitted"
