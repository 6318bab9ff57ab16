"""Lines that are brought together, on either engine: each keeps its place, its outcome and its error."""

import io
import json
import uuid
from itertools import islice

import pytest

from memsieve.config import Settings
from memsieve.errors import EmbedderError, InvalidInput
from memsieve.memory import Memory
from memsieve.model import Decision, EntryFilter
from memsieve.services.stores import utc_now
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import agent, entry
from memsieve.transfer import Importer, LineOutcome
from memsieve.transfer.importer import TOGETHER

OLD = "2024-05-01T08:00:00Z"
RECORDED, KNOWN, PROMOTED, SKIPPED, FAILED = (
    LineOutcome.RECORDED, LineOutcome.ALREADY_KNOWN, LineOutcome.PROMOTED, LineOutcome.SKIPPED, LineOutcome.FAILED,
)  # fmt: skip


class Choosy(WordEmbedder):
    """Counts how many texts it is given at once, and fails over one of them for as long as it is told to."""

    def __init__(self) -> None:
        self.given: list[int] = []
        self.stumbles = False

    async def embed(self, texts):
        self.given.append(len(texts))
        if self.stumbles and any("cursed" in text for text in texts):
            raise EmbedderError("The model stumbled. Try again.")
        return await super().embed(texts)


@pytest.fixture
def embedder(monkeypatch):
    choosy = Choosy()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: choosy)
    return choosy


@pytest.fixture(params=["sqlite", "postgres-18+redis"])
def memory(request, data, embedder):
    settings = Settings(data=data)
    if request.param != "sqlite":
        server = request.getfixturevalue("start_engine")(request.param)
        settings = Settings(data=data, database_url=server.database_url, redis_url=server.redis_url)
    with Memory.open(settings=settings) as opened:
        yield opened


@pytest.fixture
def project(memory):
    return memory.project("apollo")


@pytest.fixture
def importer(memory, project):
    review = project.review(by="bob")
    return Importer(
        maintenance=memory.maintenance("apollo"), review=review, clock=utc_now, longest=1 << 20, approves=True
    )


def said(content, at=OLD, **fields):
    return json.dumps({"content": content, "created_at": at, **fields})


def memory_line(content, **fields):
    return json.dumps({"kind": "memory", "content": content, **fields})


def stream(*lines):
    return io.BytesIO("".join(f"{line}\n" for line in lines).encode())


def brought(importer, *lines):
    return [line.outcome for line in importer.run(stream(*lines))]


def kept(project):
    return project.review(by="ada@example.org").log(EntryFilter(oldest_first=True, limit=1000))


def some_id():
    return str(uuid.uuid4())


def test_lines_of_all_kinds_keep_their_order(importer, project):
    source = some_id()
    lines = [
        said("Old alpha was measured in the first region.", id=source),
        said("Old beta was measured in the second region."),
        said("New gamma answers to the third team about matter delta.", at=None),
        "{broken",
        said("Old delta was measured in the fourth region."),
        memory_line("A text of a person."),
        memory_line("Old alpha was measured in the first region.", entry_ids=[source]),
        json.dumps({"kind": "event"}),
        said("Old epsilon was measured in the fifth region."),
    ]
    came = list(importer.run(stream(*lines)))
    assert [line.outcome for line in came] == [
        RECORDED, RECORDED, RECORDED, FAILED, RECORDED, PROMOTED, PROMOTED, SKIPPED, RECORDED,
    ]  # fmt: skip
    assert [line.number for line in came] == list(range(1, 10))
    assert [line.admitted for line in came] == [False, False, True, *[False] * 6]
    assert [receipt.entry.content.split()[1] for receipt in kept(project)] == [
        "alpha", "beta", "gamma", "delta", "epsilon",
    ]  # fmt: skip
    assert [(one.approval.by, one.approval.entry_ids) for one in project.memories()] == [
        ("bob", ()),
        ("bob", (source,)),
    ]
    assert project.review(by="ada@example.org").verify_audit().whole


def test_history_is_decided_on_as_it_would_be_line_by_line(importer, memory, project, embedder):
    texts = [f"Old service {number} answers to a team." for number in range(9)]
    brought(importer, *[said(text, confidence=0.5, metadata={"turn": 1}) for text in [*texts, "没有人知道。"]])
    assert embedder.given == [10]
    memory.maintenance("apollo").import_entry(
        entry("Old service 9 answers to a team.", id="x", created_at=kept(project)[0].entry.created_at)
    )
    *together, unreadable, alone = kept(project)
    assert [receipt.entry.content for receipt in together] == texts
    age, *others = alone.admission.checks
    # What needs no present is looked at, for the digest.
    assert [check.name for check in others] == ["length", "confidence", "substance", "injection", "consistency"]
    for receipt in together:
        first, *more = receipt.admission.checks
        assert (receipt.admission.decision, first.name, first.reason) == (Decision.REFUSED, "age", age.reason)
        assert [check.name for check in more] == [check.name for check in others]
        assert receipt.entry.embedding == pytest.approx(embedder.vector(receipt.entry.content), abs=1e-3)
        assert (receipt.entry.confidence, receipt.entry.metadata) == (0.5, {"turn": 1})
    assert (unreadable.admission.decision, unreadable.entry.embedding) == (Decision.REFUSED, None)
    assert project.working() == []


def test_running_it_again_changes_nothing(importer, project, embedder):
    lines = [said(f"Old service {number} answers.", id=some_id()) for number in range(5)]
    lines += [memory_line(f"The board approved budget {number}.") for number in range(5)]
    assert brought(importer, *lines) == [RECORDED] * 5 + [PROMOTED] * 5
    before = (kept(project), project.memories(), project.review(by="ada@example.org").audit_log())
    assert brought(importer, *lines) == [KNOWN] * 10
    after = (kept(project), project.memories(), project.review(by="ada@example.org").audit_log())
    assert [[str(one) for one in part] for part in after] == [[str(one) for one in part] for part in before]


def test_a_conflict_costs_its_own_line_only(importer, project):
    ids = [some_id() for _ in range(10)]
    brought(importer, said("It was stored before.", id=ids[3]))
    lines = [said(f"Old service {number} answers.", id=one) for number, one in enumerate(ids)]
    lines += [said("Old service 0 answers.", id=ids[0]), said("Something else.", id=ids[1]), said("A last one.")]
    came = list(importer.run(stream(*lines)))
    assert [line.outcome for line in came] == [
        *[RECORDED] * 3, FAILED, *[RECORDED] * 6, KNOWN, FAILED, RECORDED,
    ]  # fmt: skip
    assert ids[3] in came[3].reason
    assert ids[1] in came[11].reason
    assert len(kept(project)) == 11
    assert all(receipt.admission.decision is Decision.REFUSED for receipt in kept(project))


def test_a_bad_entry_among_old_ones_costs_its_own_line_only(importer, project):
    lines = [said("Old one."), said(" "), said("Old two.", confidence=7), said("Old three.")]
    assert brought(importer, *lines) == [RECORDED, FAILED, FAILED, RECORDED]
    assert [receipt.entry.content for receipt in kept(project)] == ["Old one.", "Old three."]


def test_memories_that_are_known_bad_or_retired_are_told_apart_from_new_ones(importer, project):
    known = project.review(by="ada").promote_text("The board approved the budget.")
    gone = project.review(by="ada").promote_text("The board refused the budget.")
    project.review(by="ada").retire(gone.id, reason="wrong")
    lines = [
        memory_line("The first is new.", id=some_id()),
        memory_line("The  board approved the budget. ", id=known.id),
        memory_line(" "),
        memory_line("The board refused the budget.", id=gone.id),
        memory_line("Another is new.", entry_ids=[some_id()]),
        memory_line("The first is new."),
        memory_line("x", id="y" * 200),
    ]
    assert brought(importer, *lines) == [PROMOTED, KNOWN, FAILED, SKIPPED, PROMOTED, KNOWN, FAILED]
    assert [(one.approval.content, one.approval.by) for one in project.memories()] == [
        ("The board approved the budget.", "ada"),
        ("The first is new.", "bob"),
        ("Another is new.", "bob"),
    ]
    assert [event.action for event in project.review(by="ada@example.org").audit_log()] == [
        "promoted",
        "promoted",
        "retired",
        "promoted",
        "promoted",
    ]
    assert project.review(by="ada@example.org").verify_audit().whole


def test_memories_brought_together_are_found(importer, project, embedder):
    long = " ".join(f"Part {number} of the plan concerns the harbour." for number in range(30))
    brought(importer, memory_line("The ledger is kept in PostgreSQL."), memory_line(long), memory_line("Tea at four."))
    [_, plan, _] = project.memories()
    assert len(plan.chunks) > 2
    assert embedder.given == [len(plan.chunks) + 2]
    for memory in project.memories():
        for chunk in memory.chunks:
            assert chunk.embedding == pytest.approx(embedder.vector(chunk.content), abs=1e-3)
    assert project.retrieve("Where is the ledger kept?").items[0].content == "The ledger is kept in PostgreSQL."


def test_what_was_reported_is_kept_when_an_import_is_cut_short(importer, project):
    lines = [said(f"Old service {number} answers.") for number in range(TOGETHER + 10)]
    reported = list(islice(importer.run(stream(*lines)), TOGETHER - 5))
    assert len(reported) == TOGETHER - 5
    stored = [receipt.entry.content for receipt in kept(project)]
    assert stored == [f"Old service {number} answers." for number in range(TOGETHER)]
    assert brought(importer, *lines) == [KNOWN] * TOGETHER + [RECORDED] * 10


def test_one_text_that_the_embedder_stumbles_over_waits_and_the_others_do_not(importer, project, embedder):
    embedder.stumbles = True
    lines = [said("Old one."), said("Old cursed two."), said("Old three.")]
    assert brought(importer, *lines) == [RECORDED] * 3
    first, second, third = kept(project)
    assert [one.admission.decision for one in (first, third)] == [Decision.REFUSED] * 2
    assert second.admission.decision is Decision.PENDING
    assert "The model stumbled" in str(second.admission.checks[0].reason)
    embedder.stumbles = False
    assert brought(importer, *lines) == [KNOWN] * 3
    assert kept(project)[1].admission.checks[0].name == "age"


def test_what_waits_here_is_decided_on_by_its_own_time_not_by_that_of_the_line(importer, project, memory):
    content = "Service alpha of region beta answers to team gamma about matter delta."
    waiting = entry(content, id=some_id(), created_at=utc_now())
    memory.loop.call(memory.inner.services.quarantine.add(agent(), waiting))
    assert brought(importer, said(content, id=waiting.id)) == [KNOWN]
    assert project.review(by="ada@example.org").entry(waiting.id).admission.admitted
    assert [one.id for one in project.working()] == [waiting.id]


def test_nothing_that_the_filter_should_see_is_taken_for_history(memory, project):
    [refusal] = memory.maintenance("apollo").import_history([entry("It was said just now.", created_at=utc_now())])
    assert isinstance(refusal, InvalidInput)
    assert kept(project) == []
