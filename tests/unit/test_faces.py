"""The two faces of a project have one signature each, wherever they are held, and an agent's cannot decide."""

import inspect
from collections.abc import Iterator

import pytest

from memsieve.api.observability.tracing import TracedProject, TracedReview
from memsieve.client import AsyncClient, Client
from memsieve.client.client import ClientKeys
from memsieve.client.project import RemoteProject, RemoteReview
from memsieve.embedded import EmbeddedProject, EmbeddedReview
from memsieve.errors import InvalidInput
from memsieve.memory import AsyncMemory, Keys, Memory
from memsieve.project import AsyncProject, AsyncReview, Project, ReadOnlyReview, Review

DECISIONS = {"promote", "promote_text", "dismiss", "retire", "delete", "digest"}
QUARANTINE = {"log", "entry", "insights", "insight", "last_digest", "lineage", "audit_log", "verify_audit", "flow"}


def methods(face: type) -> dict[str, inspect.Signature]:
    """Return the signatures of a face's public methods, without what they return: a front returns fronts."""
    found = inspect.getmembers(face, inspect.isfunction)
    return {name: _arguments(method) for name, method in found if not name.startswith("_")}


def _arguments(method: object) -> inspect.Signature:
    return inspect.signature(method).replace(return_annotation=inspect.Signature.empty)


@pytest.mark.parametrize(
    ("face", "held"),
    [
        *((AsyncProject, one) for one in (EmbeddedProject, RemoteProject, Project, TracedProject)),
        *((AsyncReview, one) for one in (EmbeddedReview, RemoteReview, Review, TracedReview)),
    ],
)
def test_a_face_has_the_same_methods_with_the_same_arguments_wherever_it_is_held(face, held):
    assert methods(held) == methods(face)
    assert {name for name in dir(held) if isinstance(getattr(held, name), property)} == {
        name for name in dir(face) if isinstance(getattr(face, name), property)
    }


@pytest.mark.parametrize("held", [EmbeddedProject, RemoteProject, TracedProject, EmbeddedReview, RemoteReview])
def test_each_method_of_a_face_is_implemented_and_documented(held):
    for name in methods(held):
        method = getattr(held, name)
        assert inspect.getdoc(getattr(AsyncProject, name, None) or getattr(AsyncReview, name)), name
        assert method.__qualname__.partition(".")[0] not in {"AsyncReview", "ReadOnlyReview", "VerifiedReads"}, name


@pytest.mark.parametrize("face", [AsyncProject, Project, EmbeddedProject, RemoteProject, TracedProject])
def test_an_agents_face_neither_decides_nor_reads_quarantine(face):
    assert not (DECISIONS | QUARANTINE) & set(dir(face))


def test_a_review_that_only_reads_decides_nothing():
    assert not DECISIONS & set(dir(ReadOnlyReview))
    assert methods(AsyncReview).keys() == methods(ReadOnlyReview).keys() | DECISIONS


def test_no_method_of_a_face_takes_who_does_it():
    for face in (AsyncProject, AsyncReview):
        for name, signature in methods(face).items():
            assert name == "review" or not {"by", "actor", "agent"} & signature.parameters.keys(), name


def test_memory_and_client_hand_out_projects_alike():
    for name in ("project", "projects"):
        signatures = {str(_arguments(getattr(one, name))) for one in (AsyncMemory, Memory, AsyncClient, Client)}
        assert len(signatures) == 1, name
    for name in ("make", "list", "revoke"):
        assert str(_arguments(getattr(Keys, name))) == str(_arguments(getattr(ClientKeys, name))), name


def faces(memory: Memory) -> Iterator[Project]:
    yield memory.project("apollo")
    with Client("http://localhost:1", patience=0) as client:
        yield client.project("apollo")


def test_a_field_that_no_entry_has_is_refused_by_its_name(memory):
    for project in faces(memory):
        for field in ("colour", "verified", "layer"):
            with pytest.raises(TypeError, match=f"takes no {field}"):
                project.record("The vote was unanimous.", session_id="s1", **{field: "x"})


def test_a_field_of_the_wrong_kind_is_refused_alike_everywhere(memory):
    for project in faces(memory):
        for field, value in (("agent_id", ""), ("node_id", 5), ("confidence", 2), ("metadata", 5)):
            with pytest.raises(InvalidInput) as refused:
                project.record("The vote was unanimous.", session_id="s1", **{field: value})
            assert refused.value.field == field


def test_a_review_needs_a_name(memory):
    for project in faces(memory):
        for name in ("", "a\0b", 5):
            with pytest.raises(InvalidInput) as refused:
                project.review(by=name)
            assert refused.value.field == "by"
        assert project.review(by=" ada ").by == "ada"
        assert project.review(by="ada").project_id == "apollo"
