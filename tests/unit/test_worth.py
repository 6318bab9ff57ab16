"""What a passage is worth: statements and kinds of noise in two languages, verbatim passages, and what it costs."""

import time

import numpy as np
import pytest

from memsieve.worth.model import FIRST_STATEMENT, KINDS, MODEL, Kind, model
from memsieve.worth.passages import split_passages
from memsieve.worth.weigh import THRESHOLD, weigh_text

STATEMENTS = """\
The harbour office only accepts manifests as PDF, anything else is sent back the same day.
We agreed to drop the monthly newsletter, since nobody opened the last four.
Ines prefers calls before ten, because her afternoons belong to the lab.
Flush the resolver's cache after each change of the zone file, or half the hosts keep the old address.
What we learned from the outage: never roll out certificates on a Friday evening.
Dr. Okafor is the one who signs off on any change of the dosage tables.
港务局只收PDF格式的舱单，其他格式当天就会退回来。
会上定了，月度简报从下个月起停办，因为最近四期没有人打开过。
小林习惯上午十点之前接电话，下午她都在实验室。
每次改完区域文件以后都要清一次解析缓存，否则一半的主机还会用旧地址。
这次故障的教训是证书绝对不能在周五晚上更换。
剂量表的任何改动都要由欧阳医生签字才算数。""".splitlines()
NOISE = {
    Kind.POLITENESS: (
        "Thank you so much for your patience! Please let me know if there is anything else I can help you with.",
        "非常感谢您的耐心等待！如果还有其他问题，随时告诉我，祝您生活愉快！",
    ),
    Kind.APOLOGY: (
        "I apologize for the confusion in my previous message, and I am sorry for any inconvenience.",
        "非常抱歉，刚才给您带来了困扰，请您谅解。",
    ),
    Kind.HEARTBEAT: (
        "[heartbeat] agent-7 alive, queue=0, uptime=3721s, next ping in 30s",
        "【心跳】节点 7 在线，队列长度 0，下次上报 30 秒后",
    ),
    Kind.STACK_TRACE: (
        "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in run\n    go()\nKeyError: 'id'",
        "java.io.IOException: 连接已关闭\n\tat com.acme.Pool.get(Pool.java:88)\n\tat com.acme.Main.run(M.java:9)",
    ),
    Kind.CODE: (
        "```python\ndef total(rows):\n    return sum(row.price for row in rows)\n```",
        "```js\n// 计算总价\nconst total = rows.reduce((sum, row) => sum + row.price, 0)\n```",
    ),
    Kind.QUESTION: (
        "Could you tell me which of the two warehouses you would like me to look at first?",
        "请问您希望我先查看两个仓库中的哪一个呢？",
    ),
    Kind.PLAN: (
        "Next I will open the results page, then I will compare the prices, and finally write the report.",
        "接下来我会先打开结果页面，然后对比价格，最后再写报告。",
    ),
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_in_either_language_is_worth_remembering(text):
    weighed = weigh_text(text)
    assert weighed.score >= THRESHOLD
    assert KINDS.index(weighed.kind(THRESHOLD)) >= FIRST_STATEMENT


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in NOISE.items() for text in texts])
def test_noise_is_not_and_its_kind_is_named(kind, text):
    weighed = weigh_text(text)
    assert weighed.score < THRESHOLD
    assert weighed.kind(THRESHOLD) is kind


@pytest.mark.parametrize(
    ("before", "finding", "after"),
    [
        ("Sure! Here is the summary:\n\n", STATEMENTS[0], "\n\nLet me know if you need anything else!"),
        ("Great question! I'd be happy to help.\n", STATEMENTS[3], "\nI hope this helps! Have a wonderful day."),
        ("好的！以下是我整理的结果：\n\n", STATEMENTS[6], "\n\n如果还有其他问题，欢迎随时告诉我！"),
        (
            "09:14:01 INFO fetch page=1 status=200\n09:14:02 INFO fetch page=2 status=200\n",
            STATEMENTS[1],
            "\n09:14:05 INFO fetch page=3 status=200\n09:14:06 INFO done in 5.2 s",
        ),
    ],
)
def test_of_a_mixed_text_the_finding_is_kept_word_for_word_and_its_frame_is_not(before, finding, after):
    content = before + finding + after
    [(start, end)] = weigh_text(content).spans(THRESHOLD)
    assert content[start:end] == finding


@pytest.mark.parametrize(
    "content",
    [
        "One. Two! Three? 四。五！六？",
        "Dr. A. Smith pays approx. 3.5 % p.a., e.g. in Q3. Then no more.",
        "- a list\n- of things\n\n1. with numbers",
        "text\n```python\nx = 1\n\ny = 2\n```\nmore text",
        "~~~sh\nnever closed\n",
        '{"a": "One. Two."}',
        "x" * 5000,
        "\u3000\n \t\n",
        "a\u0000b. c\ud800d.",
    ],
)
def test_passages_stand_where_they_say_and_leave_out_nothing_but_space(content):
    passages = split_passages(content)
    assert all(content[passage.start : passage.end] == passage.text for passage in passages)
    kept = "".join(passage.text for passage in passages)
    assert "".join(kept.split()) == "".join(content.split())


def test_a_semicolon_and_an_abbreviation_end_no_sentence():
    content = "The lock is held by the U.S. desk, i.e. by Dr. Wu; it is given back at 5 p.m. on Fridays."
    assert [passage.text for passage in split_passages(content)] == [content]


def test_the_same_text_is_worth_the_same_whatever_was_read_before():
    before = model().probabilities([STATEMENTS[0]])
    weigh_text(" ".join(STATEMENTS))
    assert np.array_equal(before, model().probabilities([STATEMENTS[0]]))


def test_what_no_model_can_read_is_not_refused():
    weighed = weigh_text("データベースのバックアップは毎晩二時に行われます。")
    assert weighed.score == 1.0
    assert weighed.kind(THRESHOLD) is Kind.FOREIGN


def test_the_model_is_small():
    assert MODEL.stat().st_size < 1_000_000


@pytest.mark.parametrize(
    "unit",
    [
        "It rained. ",
        "好的。",
        "a\n",
        "(((",
        "```\n",
        "1. ",
        "Note: ",
        ".",
        "!",
        "!,",
        "?)",
        "~",
        ".)",
        ":*",
        " \t",
        "。",
    ],
)
@pytest.mark.parametrize("end", ["", ",", " a"])
def test_the_cost_grows_no_faster_than_the_text(unit, end):
    """Seconds of the processor for 64 KiB; quadratic ways take many more."""
    content = unit * (64 * 1024 // len(unit.encode())) + end
    began = time.process_time()
    weigh_text(content).kind(THRESHOLD)
    assert time.process_time() - began < 5
