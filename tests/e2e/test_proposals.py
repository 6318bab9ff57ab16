"""A proposal on PostgreSQL and Redis, where agents have few rights: it waits, is noted, and a person decides."""

from memsieve.config import Settings
from memsieve.memory import Memory

SAID = "Dates in the reports of the ledger must follow the locale of the server, not that of the reader."


def test_a_proposal_waits_for_a_person_on_every_engine(server_engine, data, small_embedder):
    settings = Settings(data=data, database_url=server_engine.database_url, redis_url=server_engine.redis_url)
    with Memory.open(settings=settings) as memory:
        project = memory.project("apollo")
        ada = project.review(by="ada@example.org")
        entry_id = project.record(SAID, session_id="s1", confidence=0.9).entry.id
        made = memory.project("apollo", agent="cfo-agent").propose(entry_id, reason="It was measured twice.")
        assert project.propose(entry_id, reason="again").insight_id == made.insight_id
        assert project.memories() == []
        assert [event.action for event in ada.audit_log()] == ["promotion proposed"]
        assert [str(one.note) for one in ada.digest().insights] == ["Proposed by cfo-agent: “It was measured twice.”"]
        assert project.review(by="ada").promote(made.insight_id).approval.content == SAID
        assert ada.insights() == []
        assert ada.verify_audit().whole
