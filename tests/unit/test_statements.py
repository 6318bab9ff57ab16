"""What of an entry is a statement that a person could decide on, and what is junk."""

import json
import random
import string
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsieve.digest.statements import statements
from memsieve.digest.window import LEAST_CLARITY, deduplicate
from memsieve.model import Receipt
from memsieve.testing.factories import admission, entry

FACTS = """\
The ledger is kept in PostgreSQL, because it needs real transactions.
The upload limit is 100 requests a minute for each client.
Deployments to production need the approval of two reviewers.
Customer invoices are archived for ten years in cold storage.
Nightly backups of the billing database are kept for 30 days.
Exit code 137 means that the container ran out of memory.
Building permits are required for every new antenna on the roof.
支付服务的超时时间是三十秒，超过后会自动重试两次。
生产环境的部署必须经过两名审核人员批准。
用户上传的文件大小上限为100兆字节。
客户的发票在冷存储中保存十年。
生產環境的部署必須經過兩名審核人員批准。
データベースのバックアップは毎晩実行され、三十日間保存されます。
يتم الاحتفاظ بنسخ قاعدة البيانات الاحتياطية لمدة ثلاثين يوما في التخزين البارد.
Резервные копии базы данных хранятся тридцать дней в холодном хранилище.
데이터베이스 백업은 매일 밤 실행되며 삼십 일 동안 보관됩니다.
Die Sicherungen der Datenbank werden dreißig Tage lang im Archiv aufbewahrt.""".splitlines()
GREETINGS = """\
Hello everyone, good morning and welcome to the meeting!
Thank you so much for your help with this today.
Hope this helps, and have a nice day!
You're welcome, see you next week!
Great question! I'd be happy to help you with that.
Let me know if you need anything else.
I have successfully completed the task you gave me.
I will read the file first and then fix the bug.
大家好，欢迎各位来到今天的会议。
谢谢大家，非常感谢各位老师的分享。
接下来有请下一位嘉宾发言。
好的，我来看一下这个问题。
感謝各位老師的分享，謝謝大家。""".splitlines()
QUESTIONS = """\
Should we move the database to PostgreSQL next week?
What about the upload limit for all of the clients
So, do we keep the nightly backups of the billing database for a month
我们要不要把数据库换成PostgreSQL？
计费数据库的上传上限到底是多少呢
支付服務的逾時時間是三十秒嗎""".splitlines()
FRAGMENTS = """\
and then we, uh, we went to the,
So, um, yeah, I mean, like, it's kind of the thing.
{vocalsound} Yeah {pause} no uh the the the thing is that
because of the
嗯，就是说，那个，然后呢，对吧。
然后我们就是因为
okay
12""".splitlines()
NOISE = """\
{"status": "ok", "rows": 14, "elapsed_ms": 12.7}
[{"id": 1, "name": "alpha"}, {"id": 2, "name": "beta"}]
2026-03-02 09:00:01 INFO server started on port 8080 with 4 workers
[09:14:22] INFO request handled in 12 ms by worker three
ERROR: connection refused by host db-1 on port 5432
error: could not compile the package because of two previous errors
Process finished with exit code 0
Command exited with code 2: make: *** [test] Error 1
进程已结束，退出代码为 0
日志：2026-03-02 09:00:01 服务启动成功
def handler(event, context):
const total = items.reduce((a, b) => a + b, 0);
SELECT id, name FROM users WHERE id = 3;
Downloading: 45%|████▌     | 45/100 [00:12<00:14,  3.81it/s]
 50% [#####.....] 120.3 MB/s eta 0:00:12
tests/unit/test_x.py ........................ [ 45%]
===== 12 passed, 1 failed in 3.41s =====
npm WARN deprecated request@2.88.2: request has been deprecated
Successfully installed numpy-1.26.4 pandas-2.2.1
added 142 packages, and audited 143 packages in 3s
drwxr-xr-x 2 root root 4096 Mar  2 09:00 src
Segmentation fault (core dumped)
at java.base/java.lang.Thread.run(Thread.java:833)
GET /api/v1/users?page=2 200 12ms
@@ -12,7 +12,9 @@ def main():
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08""".splitlines()
LINES_OF_TRACES = ("Segmentation fault (core dumped)", "at java.base/java.lang.Thread.run(Thread.java:833)")
TRACEBACK = """\
Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    result = handler(event, context)
ValueError: invalid literal for int() with base 10: 'x'
"""
CODE = """\
```python
class Ledger:
    # The ledger is kept in PostgreSQL for the sake of transactions.
    name = "ledger"
```
"""
PROSE = "The ledger is kept in PostgreSQL, because it needs real transactions."


def clear(content):
    """Return what a digest takes of a content."""
    return [each.text for each in statements(content) if each.clarity >= LEAST_CLARITY]


def said(*contents):
    receipts = [Receipt(entry=entry(content), admission=admission()) for content in contents]
    return deduplicate(receipts, threading.Event())


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_is_a_statement_word_for_word(fact):
    assert clear(fact) == [fact]


@pytest.mark.parametrize("junk", [*GREETINGS, *QUESTIONS, *FRAGMENTS, *NOISE, TRACEBACK, CODE])
def test_greetings_questions_fragments_and_the_noise_of_tools_are_none(junk):
    assert clear(junk) == []


# What stands between two lines of a trace is taken for a third.
@pytest.mark.parametrize("junk", [*(each for each in NOISE if each not in LINES_OF_TRACES), TRACEBACK, CODE])
def test_a_fact_among_the_noise_of_tools_is_found(junk):
    assert clear(f"{junk}\n{PROSE}\n{junk}") == [PROSE]


def test_code_that_is_never_closed_takes_the_rest_with_it_and_nothing_before():
    assert clear(f"{PROSE}\n```python\nThe upload limit is 100 requests a minute for each client.") == [PROSE]


def test_each_sentence_of_a_text_is_a_statement_of_its_own_in_order():
    assert clear(" ".join(FACTS[:5])) == FACTS[:5]
    assert clear("".join(FACTS[7:11])) == FACTS[7:11]


@pytest.mark.parametrize("mark", ["- ", "* ", "1. ", "(2) ", "• ", "（一） "])
def test_the_mark_of_a_list_is_no_part_of_a_statement(mark):
    assert clear(f"{mark}{PROSE}") == [PROSE]


def test_a_full_stop_within_a_name_or_a_number_ends_no_sentence():
    fact = "Version 2.5 of the ledger needs Python 3.11 and costs 1.75 euros a month."
    assert clear(fact) == [fact]


def test_clear_words_are_clearer_than_the_same_in_halting_speech():
    [plain] = statements("The remote control needs a button for the volume of the television.")
    [halting] = statements("Um so the the remote control uh it needs like a button for the volume of the television.")
    assert plain.clarity > halting.clarity


def test_the_same_words_with_other_punctuation_are_one_saying_of_both_entries():
    [saying] = said(PROSE, PROSE.upper().replace(".", "!"))
    assert saying.quotes == {0: PROSE, 1: PROSE.upper().replace(".", "!")}


def test_an_entry_that_repeats_itself_says_it_once():
    [saying] = said(f"{PROSE} {PROSE}\n{PROSE}")
    assert list(saying.quotes) == [0]


def test_a_long_entry_does_not_crowd_out_the_others():
    long = " ".join(f"Warehouse {name} of the northern region keeps {name} goods." for name in string.ascii_lowercase)
    taken = said(long, PROSE)
    assert PROSE in [saying.statement.text for saying in taken]
    assert len(taken) < 26


@pytest.mark.parametrize(
    "unit", ["a", " ", "，", "{", "7", "\n", " \n", ".", "a.", "http://", "; ", "我", "```", "\u2028"]
)
@pytest.mark.parametrize("end", ["", " x", "\nThe end."])
def test_a_large_entry_of_one_thing_again_and_again_says_nothing(unit, end):
    assert clear(unit * (64 * 1024 // len(unit.encode())) + end) == []


def test_a_text_without_a_full_stop_is_no_statement_however_long():
    words = random.Random(1).choices(FACTS[0].rstrip(".").split(), k=9000)
    assert clear(" ".join(words)) == []


def test_of_thousands_of_sentences_the_first_hundreds_are_read():
    many = "\n".join(f"The warehouse number {number} keeps goods for the northern region." for number in range(5000))
    assert 100 < len(clear(many)) < 5000


@pytest.mark.parametrize(
    "odd",
    [
        "The ledger \ud800 is kept in PostgreSQL for real transactions.",
        "The ledger \u202eis kept\u202c in PostgreSQL for real transactions.",
        "The\u00a0ledger\u3000is kept in PostgreSQL\u200b for real transactions.",
        "The led\u0301ger is kept in PostgreSQL 🐘 for real transactions.",
        "Ｔｈｅ ledger is kept in ＰｏｓｔｇｒｅＳＱＬ for real transactions.",
        "The ledger is kept\r\nin PostgreSQL for real transactions.\r\n",
        "𠀀𠀁𠀂的数据库备份保存三十天。",
    ],
)
def test_odd_characters_break_nothing_and_are_quoted_as_they_are(odd):
    for each in statements(odd):
        assert each.text in odd
        assert 0 <= each.clarity <= 1


pieces = st.sampled_from([*FACTS, *GREETINGS, *QUESTIONS, *NOISE, TRACEBACK, CODE, "\n", " ", "。", "...", "\r", "“"])
texts = st.one_of(st.lists(pieces, max_size=8).map("".join), st.text(max_size=300))


@settings(max_examples=300, deadline=None)
@given(texts)
def test_every_statement_stands_word_for_word_in_its_text(text):
    found = statements(text)
    place = 0
    for each in found:
        place = text.index(each.text, place)
        assert each.text == each.text.strip()
        assert 0 <= each.clarity <= 1
    assert found == statements(text)


values = st.recursive(
    st.one_of(st.integers(), st.sampled_from(FACTS)),
    lambda inner: st.dictionaries(st.sampled_from(["name", "result", "the note"]), inner, min_size=1),
    max_leaves=9,
)


@settings(max_examples=50, deadline=None)
@given(values, st.sampled_from([None, 2]), st.booleans())
def test_what_stands_in_json_is_no_statement(value, indent, ascii_only):
    assert clear(json.dumps({"result": value}, indent=indent, ensure_ascii=ascii_only)) == []


def test_nobody_waits_for_the_rest_once_a_digest_is_given_up():
    given_up = threading.Event()
    given_up.set()
    assert deduplicate([Receipt(entry=entry(PROSE), admission=admission())], given_up) == []
