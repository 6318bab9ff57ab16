"""`memsieve serve` with a language model as judge: nobody waits for it who does not ask to; nothing is forgotten."""

import contextlib
import math
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import httpx
import pytest

from memsieve.jobs import schedule
from memsieve.stores.sqlite.database import FILE_NAME
from memsieve.testing import OpenAIServer, Reply
from memsieve.testing.server import wait_until

TEXT = "Service alpha of region beta answers to team gamma about matter delta."
QUARANTINE = "/api/v1/memory/quarantine"


@pytest.fixture
def judge() -> Iterator[OpenAIServer]:
    with OpenAIServer() as started:
        yield started


@pytest.fixture
def judged(serve_here, judge):
    """Start servers whose judge is the stand-in."""
    return lambda: serve_here(llm_base_url=judge.base_url, llm_model="judge", llm_timeout=30)


@pytest.fixture
def verdict(judge) -> Iterator[threading.Event]:
    """Let the judge think until this is set."""
    said, answer = threading.Event(), judge.answer
    judge.answer = lambda message: answer(message) if said.wait(60) else ""
    yield said
    said.set()


def said(content: str) -> dict[str, object]:
    return {"project_id": "apollo", "session_id": "s1", "content": content, "confidence": 0.93}


def decided(client: httpx.Client, location: str) -> dict:
    """Ask where a receipt points to until there is a decision."""
    found: list[dict] = []

    def is_decided() -> bool:
        answer = client.get(location)
        assert answer.status_code == 200
        found[:] = [answer.json()]
        return found[0]["decision"] != "pending"

    wait_until(is_decided)
    return found[0]


def test_recording_does_not_wait_for_the_judge_and_its_location_leads_to_the_verdict(judged, judge, verdict):
    with judged().client() as client:
        receipt = client.post(QUARANTINE, json=said(TEXT))
        assert (receipt.status_code, receipt.json()["decision"]) == (202, "pending")
        wait_until(lambda: judge.prompts)
        assert client.get(receipt.headers["Location"]).json()["decision"] == "pending"
        verdict.set()
        admission = decided(client, receipt.headers["Location"])
        assert (admission["entry_id"], admission["decision"]) == (receipt.json()["entry_id"], "admitted")
        assert TEXT in judge.prompts[-1]


def test_a_caller_who_asks_to_wait_gets_the_verdict(judged, judge, verdict):
    with judged().client() as client, ThreadPoolExecutor(1) as waiting:
        asked = waiting.submit(client.post, QUARANTINE, json=said(TEXT), params={"wait": "true"})
        wait_until(lambda: judge.prompts)
        assert not asked.done()
        verdict.set()
        receipt = asked.result(60)
        assert (receipt.status_code, receipt.json()["decision"]) == (201, "admitted")


def test_what_was_accepted_while_the_judge_thinks_is_decided_after_a_restart(serve, judged, judge, data, monkeypatch):
    server = serve(MEMSIEVE_LLM_BASE_URL=judge.base_url, MEMSIEVE_LLM_MODEL="judge", MEMSIEVE_LLM_TIMEOUT="300")
    judge.script(Reply(delay=math.inf))
    with server.client() as client:
        receipt = client.post(QUARANTINE, json=said(TEXT))
        assert receipt.status_code == 202
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 30
    # What was tried within the last minute is left alone: let that be over.
    with contextlib.closing(sqlite3.connect(data / FILE_NAME)) as connection, connection:
        changed = connection.execute("UPDATE admissions SET decided_at = '2020-01-01T00:00:00.000000Z'")
        assert changed.rowcount == 1
    monkeypatch.setattr(schedule, "running", partial(schedule.running, every=timedelta(seconds=0.05)))
    with judged().client() as client:
        assert decided(client, receipt.headers["Location"])["decision"] == "admitted"
