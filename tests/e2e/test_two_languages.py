"""A question in one language and its answer in the other, in a project full of both."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from memsieve import Memory

CASES = json.loads((Path(__file__).parents[2] / "benchmarks" / "bilingual.json").read_text("utf-8"))

WHO = ["sales team", "night shift", "legal office", "test lab", "train crew"]
DOES = ["ordered new chairs", "filed a report", "asked for a meeting", "lost the spare key", "praised the canteen"]
WHEN = ["on Monday", "in spring", "after the fair", "before lunch"]
WER = ["销售部", "夜班", "法务室", "实验室", "乘务组"]
TUT = ["订了新椅子", "写了一份长报告", "要求开会", "弄丢了备用钥匙", "表扬了食堂"]
WANN = ["周一", "去年春天", "展会之后", "午饭之前"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("mixed")) as memory:
        project = memory.project("mixed")
        for who, does, when in product(WHO, DOES, WHEN):
            project.review(by="reviewer").promote_text(f"The {who} {does} {when}.")
        for who, does, when in product(WER, TUT, WANN):
            project.review(by="reviewer").promote_text(f"{who}{when}{does}。")
        for case in CASES:
            project.review(by="reviewer").promote_text(case["memory"])
        yield project


def test_there_are_ten_cases_each_way():
    asked_in_chinese = [bool(re.search("[一-鿿]", case["question"])) for case in CASES]
    answered_in_chinese = [bool(re.search("[一-鿿]", case["memory"])) for case in CASES]
    assert asked_in_chinese.count(True) == answered_in_chinese.count(True) == 10
    assert all(asked != answered for asked, answered in zip(asked_in_chinese, answered_in_chinese, strict=True))


@pytest.mark.parametrize("case", CASES, ids=[case["question"] for case in CASES])
def test_the_answer_in_the_other_language_is_among_the_first_three(project, case):
    found = [item.content for item in project.retrieve(case["question"], max_results=3).items]
    assert case["memory"] in found
