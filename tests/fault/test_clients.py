"""Many clients at once on real servers with several workers, of which one is killed."""

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not installed

from benchmarks.clients import run

from memsieve.testing import ServedMemory


@pytest.fixture(params=["sqlite", "postgres-18+redis"])
def environment(request, start_engine):
    if request.param == "sqlite":
        return {}
    engine = start_engine(request.param)
    return {"MEMSIEVE_DATABASE_URL": engine.database_url, "MEMSIEVE_REDIS_URL": engine.redis_url}


@pytest.mark.parametrize("kill", [False, True], ids=["all workers live", "a worker is killed"])
def test_many_clients_record_and_ask_and_nothing_is_lost_doubled_or_refused(environment, tmp_path, kill):
    with ServedMemory(tmp_path, "--workers", "2", environment=environment) as server:
        outcome = asyncio.run(run(server, clients=30, seconds=4 if kill else 2, kill=kill))
    assert outcome.tally.requests > 30
    assert outcome.clean, (outcome.tally.errors, outcome.astray, outcome.tally.foreign)
