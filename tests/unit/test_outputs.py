"""What a node put out is found wherever it is, and what has no text is noted as such."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, ToolMessage
from langgraph.types import Command, Overwrite, Send
from pydantic import BaseModel, ConfigDict

from memsieve.integrations.messages import confidence
from memsieve.integrations.outputs import find, recordings, texts

TEXT = "The ledger runs on PostgreSQL since May."
OTHER = "The cache runs on Redis, in three nodes."


class Report(BaseModel):
    finding: str
    confidence: float = 0.9


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


@dataclass
class AuditNote:
    body: str


class Pair(NamedTuple):
    claim: str
    ground: str


class Verdict(StrEnum):
    YES = "yes, without any doubt at all"


SHAPES = {
    "string": TEXT,
    "message": AIMessage(TEXT),
    "chunk of a message": AIMessageChunk(content=TEXT),
    "list of messages": [AIMessage(TEXT)],
    "messages in a state": {"messages": [AIMessage(TEXT)]},
    "one message in a state": {"messages": AIMessage(TEXT)},
    "messages under any key": {"debate": [AIMessage(TEXT)]},
    "message as a dict": {"messages": [{"role": "assistant", "content": TEXT}]},
    "message as a pair": {"messages": [("ai", TEXT)]},
    "blocks of content": AIMessage([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": TEXT}]),
    "known key": {"answer": TEXT, "next": "critic"},
    "unknown key": {"draft": TEXT, "step": 3},
    "deep inside": {"state": {"drafts": [{"body": TEXT}]}},
    "pydantic model": Report(finding=TEXT),
    "extra field of a pydantic model": Open(finding=TEXT),
    "dataclass": AuditNote(TEXT),
    "dataclass in a state": {"note": AuditNote(TEXT)},
    "command": Command(update={"answer": TEXT}, goto="critic"),
    "command with pairs": Command(update=[("answer", TEXT)]),
    "command with messages": Command(update={"messages": [AIMessage(TEXT)]}),
    "send": Send("critic", {"draft": TEXT}),
    "sends in a command": Command(goto=[Send("critic", {"draft": TEXT})]),
    "overwritten": {"messages": Overwrite([AIMessage(TEXT)])},
    "set": {"notes": {TEXT}},
}


@pytest.mark.parametrize("output", SHAPES.values(), ids=SHAPES)
def test_a_text_is_found_in_every_shape(output):
    assert texts(output) == [TEXT]


def test_records_of_several_fields_are_one_text_with_their_names():
    assert texts(Pair(TEXT, OTHER)) == [f"claim: {TEXT}\nground: {OTHER}"]
    assert texts({"verdict": Verdict.YES}) == ["yes, without any doubt at all"]


def test_a_text_beside_a_known_key_is_not_missed():
    assert texts({"answer": "Yes.", "grounds": TEXT, "next": "critic"}) == ["Yes.", TEXT]


def test_a_configured_key_wins():
    output = {"answer": OTHER, "inner": {"draft": TEXT}, "score": 3}
    assert texts(output, key="inner.draft") == [TEXT]
    assert texts(output, key="score") == ["3"]
    assert texts(output, key="missing") == [OTHER, TEXT]


def test_short_strings_count_where_there_is_nothing_else():
    assert texts({"verdict": "no"}) == ["no"]
    assert texts({"verdict": "no", "thread": "0a4f6c1e-8f0a-4c65-9f6d-2f8e5a6c7b8d", "why": TEXT}) == [TEXT]


def test_a_message_that_only_calls_a_tool_says_what_it_calls():
    call = {"name": "search", "args": {"q": "账本 PostgreSQL"}, "id": "c1", "type": "tool_call"}
    assert texts(AIMessage("", tool_calls=[call])) == ['Calls search: {"q": "账本 PostgreSQL"}']
    openai = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}],
    }
    assert texts(openai) == ['Calls f: {"a": 1}']


def test_a_result_of_a_tool_is_told_from_what_an_agent_says():
    [found] = find({"messages": [ToolMessage(TEXT, tool_call_id="c1", name="search")]})
    assert (found.text, found.speaker, found.origin) == (TEXT, None, "c1")
    assert found.metadata == {"role": "tool", "tool": "search", "tool_call_id": "c1"}


def test_a_message_names_its_speaker():
    [found] = find({"messages": [HumanMessage(TEXT, name="critic", id="m1")]})
    assert (found.speaker, found.origin) == ("critic", "m1")


# What a node hands on


def test_messages_that_a_node_was_given_are_not_said_again():
    old, same = AIMessage(OTHER, id="m1"), HumanMessage("Which database?")
    given = {"messages": [old, same]}
    assert [one.text for one in find({"messages": [old, same, AIMessage(TEXT)]}, known=given)] == [TEXT]
    assert [one.text for one in find({"messages": [AIMessage(OTHER, id="m1"), AIMessage(TEXT)]}, known=given)] == [TEXT]


def test_a_state_that_is_handed_on_is_not_said_again():
    given = {"topic": OTHER, "log": ["first of all the lines"], "answer": ""}
    output = {"topic": OTHER, "log": ["first of all the lines", "second of all the lines"], "answer": TEXT}
    assert [one.text for one in find(output, known=given)] == [TEXT, "second of all the lines"]
    assert find(given, known=given) == []


def test_who_says_the_same_again_says_it():
    given = {"verdict": TEXT, "topic": OTHER}
    assert [one.text for one in find({"verdict": TEXT}, known=given)] == [TEXT]


# Nothing to be found


@pytest.mark.parametrize(
    "output",
    [
        None,
        {},
        [],
        "",
        "  \n",
        7,
        {"step": 3},
        AIMessage(""),
        {"messages": [RemoveMessage(id="m1")]},
        object(),
        b"bytes",
    ],
    ids=lambda output: type(output).__name__,
)
def test_an_output_without_text_is_recorded_as_such(output):
    assert find(output) == []
    [noted] = recordings(output, "critic")
    assert noted.text.startswith("[no text found in the output of node critic: ")
    assert noted.metadata["no_text"] is True
    assert noted.confidence == 0.0


def test_the_note_tells_what_kind_of_output_it_was():
    assert recordings({"step": 3, "done": True}, "n")[0].text.endswith("node n: dict with done, step]")
    assert recordings(Command(goto="critic"), "n")[0].text.endswith("node n: Command to critic]")


def test_an_output_that_holds_itself_comes_to_an_end():
    loop: dict[str, Any] = {"draft": TEXT}
    loop["again"] = loop
    assert any(TEXT in text for text in texts(loop))


# Confidence


def test_confidence_is_taken_where_it_is_stated():
    assert confidence(Report(finding=TEXT, confidence=0.7)) == 0.7
    assert confidence({"answer": TEXT, "confidence": 1}) == 1.0
    assert confidence(AIMessage(TEXT, additional_kwargs={"confidence": 0.6})) == 0.6
    assert confidence(AIMessage(TEXT, response_metadata={"confidence": 0.5})) == 0.5
    assert confidence(AIMessage('{"answer": "Yes", "confidence": 0.4}')) == 0.4


def test_confidence_of_a_structured_output_goes_to_its_text():
    assert [one.confidence for one in find({"report": Report(finding=TEXT)})] == [0.9]
    assert [one.confidence for one in find({"result": Report(finding=TEXT)})] == [0.9]
    assert [one.confidence for one in find(Report(finding=TEXT, confidence=0.2))] == [0.2]
    assert [one.confidence for one in find({"answer": TEXT, "confidence": 0.3}, key="answer")] == [0.3]


LOGPROBS = {"content": [{"token": "a", "logprob": math.log(0.9)}, {"token": "b", "logprob": math.log(0.4)}]}


def test_confidence_is_else_the_mean_probability_of_a_token():
    expected = pytest.approx(math.sqrt(0.9 * 0.4))
    assert confidence(AIMessage(TEXT, response_metadata={"logprobs": LOGPROBS})) == expected
    assert confidence({"logprobs": LOGPROBS["content"]}) == expected
    assert confidence({"logprobs": {"token_logprobs": [math.log(0.9), math.log(0.4)]}}) == expected


def test_a_stated_confidence_goes_before_probabilities():
    told = AIMessage(TEXT, additional_kwargs={"confidence": 0.2}, response_metadata={"logprobs": LOGPROBS})
    assert confidence(told) == 0.2


@pytest.mark.parametrize("value", [1.2, -0.1, True, "0.9", None, float("nan"), [0.9]])
def test_what_is_no_share_is_no_confidence(value):
    assert confidence({"confidence": value}) is None


@pytest.mark.parametrize(
    "logprobs", [None, [], {}, {"content": None}, {"content": [{"logprob": "x"}]}, "abc", [math.nan]]
)
def test_probabilities_that_are_none_give_no_confidence(logprobs):
    assert confidence({"logprobs": logprobs}) is None
