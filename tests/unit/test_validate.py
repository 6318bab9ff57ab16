"""What cannot be kept is refused before anything is stored, and the error names the field."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve import validate
from memsieve.errors import ConfigError, InvalidInput
from memsieve.memory import Memory
from memsieve.model import EntryFilter
from memsieve.ports import CLOCK_SKEW
from memsieve.testing.factories import NOW, entry


@pytest.mark.parametrize("name", ["apollo", "项目", "a.b-c_d:e@f", "7", "x" * 128])
def test_a_project_may_have_a_name_in_any_language(name):
    assert validate.project_name(name) == name


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "../etc", "a..b", ".a", "-a", "a/b", "a\0b", "x" * 129, 7, None, "a\u202eb"]
)
def test_a_bad_project_name_is_refused(name):
    with pytest.raises(InvalidInput) as raised:
        validate.project_name(name)
    assert raised.value.field == "project_id"


def test_a_project_name_has_one_spelling():
    assert validate.project_name(" cafe\u0301 ") == validate.project_name("café")


@pytest.mark.parametrize("name", ["", "\n", "a\nb", "a\x1bb", "\ud800", "x" * 129, 7, None, b"x"])
def test_a_bad_name_is_refused_with_its_field(name):
    with pytest.raises(InvalidInput) as raised:
        validate.name(name, field="agent_id")
    assert raised.value.field == "agent_id"


@pytest.mark.parametrize("unseen", "\u00ad\u180e\u200b\u2060\ufeff\u202a\u202e\u2066\u2069")
def test_a_name_that_looks_like_another_is_refused_and_says_by_which_character(unseen):
    with pytest.raises(InvalidInput, match=f"session_id holds the invisible character U\\+{ord(unseen):04X}"):
        validate.name(f"stand{unseen}up", field="session_id")


@pytest.mark.parametrize("name", ["مى\u200cخواهم", "👩\u200d🔬"])
def test_a_name_may_hold_the_joiners_that_its_script_needs(name):
    assert validate.name(name, field="agent_id") == name


def test_a_name_is_trimmed():
    assert validate.name("  ada@example.org ", field="by") == "ada@example.org"


def test_content_is_kept_to_the_byte_and_not_one_more():
    assert validate.text("数" * 3, field="content", max_bytes=9) == "数数数"
    with pytest.raises(InvalidInput, match="MEMSIEVE_MAX_CONTENT_BYTES"):
        validate.text("数" * 3 + "a", field="content", max_bytes=9)


@pytest.mark.parametrize("value", ["", "  \n", "a\0b", "a\ud800", None, 7, b"bytes"])
def test_content_that_cannot_be_kept_is_refused(value):
    with pytest.raises(InvalidInput) as raised:
        validate.text(value, field="content", max_bytes=100)
    assert raised.value.field == "content"


@pytest.mark.parametrize("value", [0, 1, 0.8, 0.81, None])
def test_a_confidence_is_a_number_from_zero_to_one_or_none(value):
    assert validate.confidence(value) == value


@pytest.mark.parametrize("value", [1.2, -0.1, "high", "0.9", float("nan"), float("inf"), True, [0.9]])
def test_anything_else_is_no_confidence(value):
    with pytest.raises(InvalidInput) as raised:
        validate.confidence(value)
    assert raised.value.field == "confidence"


@pytest.mark.parametrize("value", [-1, 1001, 5.0, True, "5", None])
def test_a_count_is_a_whole_number(value):
    with pytest.raises(InvalidInput):
        validate.whole_number(value, field="max_results", most=1000)


@given(st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.integers() | st.booleans()))
def test_metadata_that_json_can_carry_is_kept(value):
    assert validate.metadata(value, 1 << 20) == value


@pytest.mark.parametrize(
    "value", [{"a": object()}, {"a": float("nan")}, {"a": "\0"}, {"a": "\ud800"}, {"a": "x" * 200}, [1], "text", 7]
)
def test_metadata_that_cannot_be_kept_is_refused(value):
    with pytest.raises(InvalidInput) as raised:
        validate.metadata(value, 100)
    assert raised.value.field == "metadata"


def test_metadata_nested_without_end_is_refused():
    endless: dict[str, object] = {}
    endless["self"] = endless
    with pytest.raises(InvalidInput):
        validate.metadata(endless, 100)


def test_metadata_may_speak_of_an_escape_without_holding_one():
    value = {"pattern": "\\u0000"}
    assert validate.metadata(value, 1000) == value
    assert json.dumps(value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("session_id", ""),
        ("agent_id", "a\nb"),
        ("node_id", 7),
        ("confidence", 1.2),
        ("confidence", "high"),
        ("metadata", [1]),
        ("idempotency_key", ""),
        ("content", "a\0"),
    ],
)
def test_a_refused_recording_stores_nothing(memory, small_embedder, field, value):
    project = memory.project("apollo")
    given = {"content": "The ledger runs on PostgreSQL.", "session_id": "s1", field: value}
    with pytest.raises(InvalidInput) as raised:
        project.record(**given)
    assert raised.value.field == field
    assert project.review(by="ada@example.org").log() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "insight-7"),
        ("id", " insight-7"),
        ("id", ""),
        ("id", "a\u200b"),
        ("created_at", NOW + CLOCK_SKEW + timedelta(seconds=1)),
        ("created_at", NOW.replace(tzinfo=None)),
        ("created_at", "2026-03-02T09:00:00Z"),
    ],
)
def test_an_entry_from_elsewhere_is_refused_with_the_id_of_an_insight_or_a_time_to_come(
    memory, small_embedder, field, value
):
    project = memory.project("apollo")
    with pytest.raises(InvalidInput) as raised:
        memory.maintenance("apollo").import_entry(entry(**{field: value}))
    assert raised.value.field == field
    assert project.review(by="ada@example.org").log() == []


def test_an_entry_from_a_clock_that_is_a_little_ahead_is_brought(memory, small_embedder):
    project = memory.project("apollo")
    memory.maintenance("apollo").import_entry(entry(created_at=NOW + CLOCK_SKEW))
    assert len(project.review(by="ada@example.org").log()) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", " "),
        ("max_results", -1),
        ("max_unverified", 1.5),
        ("time_range_days", -1),
        ("relevance_threshold", 1.1),
        ("session_id", ""),
    ],
)
def test_a_bad_query_names_its_field(memory, small_embedder, field, value):
    with pytest.raises(InvalidInput) as raised:
        memory.project("apollo").retrieve(**{"query": "ledger", field: value})
    assert raised.value.field == field


@pytest.mark.parametrize("bad", ["\ud800", "", "a\0b", 5, None, b"x"])
@pytest.mark.parametrize("method", ["promote", "dismiss", "retire", "delete", "entry", "memory", "lineage"])
def test_an_id_that_is_none_is_refused_by_every_method(memory, method, bad):
    named = {"reason": "wrong"} if method in {"dismiss", "retire", "delete"} else {}
    with pytest.raises(InvalidInput):
        getattr(memory.project("apollo").review(by="ada"), method)(bad, **named)


@pytest.mark.parametrize(
    "fields",
    [
        {"decision": "maybe"},
        {"review": 5},
        {"limit": True},
        {"limit": -1},
        {"text": "\ud800"},
        {"since": "yesterday"},
        {"beyond_id": "\ud800"},
        {"session_id": 7},
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(fields):
    with pytest.raises(InvalidInput):
        EntryFilter(**fields)


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.project("apollo").review(by="ada@example.org").log(5),
        lambda memory: memory.maintenance("apollo").replay(None),
        lambda memory: memory.project("apollo").review(by="ada@example.org").audit_log(after="x"),
        lambda memory: memory.project("apollo").memories(limit="x"),
        lambda memory: memory.project("apollo").memories(after_id=5),
        lambda memory: memory.project("apollo").record("The vote was unanimous.", session_id="s1", metadata=""),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused(memory, ask):
    with pytest.raises(InvalidInput):
        ask(memory)


@pytest.mark.parametrize("folder", ["\0", "\ud800"])
def test_a_folder_that_cannot_be_is_a_wrong_setting(folder):
    with pytest.raises(ConfigError):
        Memory.open(folder)
