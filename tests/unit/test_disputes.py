"""Which sources of an insight contradict each other."""

import pytest

from memsieve.claims.contradictions import find_contradiction_between
from memsieve.digest.stance import disputes
from memsieve.model import SourceDoubt
from memsieve.testing.factories import entry, source

EXCLUDE = [
    ("The upload limit of the public API is 100 requests.", "The upload limit of the public API is 500 requests."),
    ("The payment gateway accepts card numbers with spaces.", "The payment gateway rejects card numbers with spaces."),
    ("The new parser supports nested lists.", "The new parser does not support nested lists."),
    ("The meeting of the board is on Monday.", "The meeting of the board is on Thursday."),
    ("支付服务的超时时间是三十秒。", "支付服务的超时时间是六十秒。"),
    ("新的解析器支持嵌套列表。", "新的解析器不支持嵌套列表。"),
    ("部署必须经过两名审核人员批准。", "部署必须经过三名审核人员批准。"),
    ("支付服務的超時時間是三十秒。", "支付服务的超时时间是六十秒。"),
]
AGREE = [
    ("The upload limit is 100 requests a minute.", "Each client may send 100 requests a minute."),
    ("The upload limit of the public API is 100 requests.", "The download limit of the public API is 500 requests."),
    ("The ledger is kept in PostgreSQL.", "The ledger is kept in PostgreSQL, because it needs transactions."),
    ("The parser of the first team supports lists.", "The parser of the second team does not support images."),
    ("支付服务的超时时间是三十秒。", "支付服务的超时时间为30秒。"),
    ("上传的上限是100兆。", "下载的上限是500兆。"),
]


def said(*quotes, **fields):
    return [source(entry(quote, session_id=f"s{number}"), **fields) for number, quote in enumerate(quotes)]


@pytest.mark.parametrize(("first", "second"), EXCLUDE)
def test_texts_that_exclude_each_other_are_found_in_either_order(first, second):
    assert find_contradiction_between(first, second)
    assert find_contradiction_between(second, first)


def test_whether_texts_exclude_each_other_does_not_depend_on_who_spoke_first():
    first, second = "The staging cluster is rebuilt every night.", "The staging cluster is never rebuilt."
    assert find_contradiction_between(first, second)
    assert find_contradiction_between(second, first)


@pytest.mark.parametrize(("first", "second"), AGREE)
def test_texts_that_can_both_be_right_are_left_alone(first, second):
    assert find_contradiction_between(first, second) is None
    assert find_contradiction_between(second, first) is None


def test_a_text_that_contradicts_itself_does_not_contradict_another_by_that():
    torn = "The new parser supports nested lists. The new parser does not support nested lists."
    assert find_contradiction_between(torn, "The harbour of Genoa is closed for repairs.") is None


@pytest.mark.parametrize(("first", "second"), EXCLUDE)
def test_a_dispute_quotes_both_sides_and_says_how_they_differ(first, second):
    sources = said(first, second)
    [found] = disputes(sources)
    assert (found.first_id, found.first_quote) == (sources[0].entry_id, first)
    assert (found.second_id, found.second_quote) == (sources[1].entry_id, second)
    assert found.difference


def test_one_voice_against_many_copies_is_one_dispute():
    yes, no = EXCLUDE[1]
    [found] = disputes(said(*[yes] * 9, no))
    assert {found.first_quote, found.second_quote} == {yes, no}


def test_the_first_who_used_the_words_is_quoted_for_them():
    yes, no = EXCLUDE[1]
    sources = said(yes, yes, no, no)
    [found] = disputes(sources)
    assert (found.first_id, found.second_id) == (sources[0].entry_id, sources[2].entry_id)


def test_what_gives_orders_is_not_heard():
    yes, no = EXCLUDE[1]
    assert disputes([*said(yes), *said(no, doubt=SourceDoubt.INJECTION)]) == ()


def test_the_same_words_of_an_honest_source_are_heard_beside_those_of_one_that_gives_orders():
    yes, no = EXCLUDE[1]
    honest = said(no)
    [found] = disputes([*said(yes), *said(no, doubt=SourceDoubt.INJECTION), *honest])
    assert found.second_id == honest[0].entry_id


def test_a_reader_is_shown_a_few_disputes_and_not_all():
    many = said(*(f"The upload limit of the public API is {number}00 requests." for number in range(1, 12)))
    assert 1 <= len(disputes(many)) <= 5


@pytest.mark.parametrize("sources", [[], said(EXCLUDE[0][0]), said(EXCLUDE[0][0], EXCLUDE[0][0])])
def test_who_is_alone_disputes_nothing(sources):
    assert disputes(sources) == ()
