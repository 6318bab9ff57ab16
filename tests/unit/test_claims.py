from __future__ import annotations

import pytest

from memsieve.claims import find_conflict

DIFFERENT = [
    ("每笔交易收取百分之一点五的手续费", "每笔交易收取百分之一点二的手续费"),
    ("Maria signs the contracts of the southern region", "Maria signs the contracts of the northern region"),
    ("Jobs are paused during backups in staging", "Jobs are paused during backups in production"),
    ("备份期间，预发环境的后台任务会暂停。", "备份期间，生产环境的后台任务会暂停。"),
    (
        "The CSV export does not escape cells that begin with an equals sign.",
        "The CSV export escapes cells that begin with an equals sign, so that no spreadsheet runs them.",
    ),
    ("The budget is $5M", "The budget is $7M"),
    ("The launch is on 3 May.", "The launch is on 9 May."),
    ("The meeting is at 3 pm", "The meeting is at 4 pm"),
    ("The review is on Monday", "The review is on Thursday"),
    ("The firm was founded in 1998", "The firm was founded in 2003"),
    ("We hired three engineers", "We hired 4 engineers"),
    ("Retention is 30 days", "Retention is 2 weeks"),
    ("Service A uses version 2", "Service A uses version 3"),
    ("The cache is enabled in production", "The cache is not enabled in production"),
    ("Users can export reports", "Users cannot export reports"),
    ("The feature has been enabled", "The feature has been disabled"),
    ("The nightly deploy succeeded", "The nightly deploy failed"),
    ("All tests passed", "None of the tests passed"),
    ("The job always retries", "The job never retries"),
    ("The data is encrypted", "The data is unencrypted"),
    ("Turn the lights on", "Turn the lights off"),
    ("Turn left at the gate", "Turn right at the gate"),
    ("The office is in Germany", "The office is in France"),
    ("我喜欢喝咖啡", "我讨厌喝咖啡"),
    ("我喜欢喝咖啡", "我不喜欢喝咖啡"),
    ("我们决定使用 Redis", "我们决定不使用 Redis"),
    ("预算是三百万元", "预算是500万元"),
    ("会议在周三下午3点开始", "会议在周三下午4点开始"),
    ("评审会定在周三", "评审会定在周五"),
    ("项目已完成验收", "项目未完成验收"),
    ("本季度销售额上升", "本季度销售额下降"),
    ("他总是准时提交周报", "他从不准时提交周报"),
    ("第一组通过了测试", "第二组通过了测试"),
    ("The plan is ready. The budget is 3 million.", "The plan is ready. The budget is 5 million."),
    ("方案已经定稿。预算是300万元。", "方案已经定稿。预算是500万元。"),
    ("张三批准了这个设计", "张三否决了这个设计"),
    ("病人对青霉素过敏", "病人对青霉素不过敏"),
    ("甲方同意延期", "甲方不同意延期"),
    ("Prices went up by 5% in Oslo", "Prices went down by 5% in Oslo"),
    ("The patient is allergic to nuts", "The patient has no known allergy to nuts"),
]

AGREEING = [
    ("Uploads over 8 MB fail", "Uploads over 8 megabytes fail"),
    ("大文件用签名地址直接上传到对象存储。", "大文件用有效期 15 分钟的签名地址直接上传到对象存储，完成后回调接口。"),
    ("The cluster has three servers", "The cluster has 3 servers"),
    ("The budget is 5 million", "The budget is $5M"),
    ("The budget is five million dollars", "The budget is $5,000,000"),
    ("Usage grew 50%", "Usage grew 50 percent"),
    ("Usage grew twenty-five percent", "Usage grew by 25%"),
    ("The launch is on 14 March", "The launch is on March 14th"),
    ("The launch is on 2024-03-14", "The launch is on March 14, 2024"),
    ("The outage took 90 minutes", "The outage took 1.5 hours"),
    ("The meeting is at 3 pm", "The meeting is at 15:00"),
    ("About 50 users complained", "52 users complained"),
    ("The table has 1,200 rows", "The table has 1200 rows"),
    ("Pi is 3.14", "Pi is 3.1416"),
    ("They bought two dozen eggs", "They bought 24 eggs"),
    ("The service is not available", "The service is unavailable"),
    ("The shop is not open", "The shop is closed"),
    ("It is not impossible", "It is possible"),
    ("The team approved the plan.", "The plan was approved by the team."),
    ("No, that is right", "That is right"),
    ("The tool is not only fast but cheap", "The tool is fast and cheap"),
    ("三个方案都在评审", "3个方案都在评审"),
    ("预算为500万元", "预算是五百万元"),
    ("每笔交易收取百分之一点五的手续费", "每笔交易收取1.5%的手续费"),
    ("会议3点开始", "会议三点开始"),
    ("会议于15:00开始", "会议于下午3点开始"),
    ("发布日期是2024年3月14日", "发布日期是3月14日"),
    ("我们决定使用 Redis 作为缓存", "我们最终决定采用 Redis 做缓存"),
    ("我们不得不接受这个条件", "我们接受这个条件"),
    ("The plan is ready. The budget is 3 million.", "The budget is three million. The plan is ready."),
    ("李四通过了考试，不过分数一般", "李四通过了考试，分数一般"),
    ("", "The budget is 3 million."),
    ("Maria signs the contracts of the southern region", "Maria signs the contracts of the region in the south"),
    ("The door of the shed is grey", "The door of the shed is gray"),
]


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_near_copies_that_claim_different_things_conflict_both_ways(first, second):
    assert find_conflict(first, second)
    assert find_conflict(second, first)


@pytest.mark.parametrize(("first", "second"), AGREEING)
def test_copies_in_other_words_or_figures_do_not_conflict(first, second):
    assert find_conflict(first, second) is None
    assert find_conflict(second, first) is None


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (
            "The first report came on March 22, 2021, the second came on April 21, the third report never came.",
            "The first report came on March 22, 2021; the second came on April 21. The third report never came!",
        ),
        (
            "所以我们认为不能关闭老的仓库，将新的系统放到老的仓库里运行，让系统成为仓库的帮手。",
            "所以我们认为不能关闭老的仓库。将新的系统放到老的仓库里运行；让系统成为仓库的帮手",
        ),
    ],
)
def test_a_copy_whose_sentences_other_marks_cut_does_not_conflict(text, cut):
    assert find_conflict(text, cut) is None
    assert find_conflict(cut, text) is None


def test_a_part_of_a_text_in_full_width_letters_does_not_conflict_with_it():
    part = "The report has no buttons on the first page. The buttons of the second page are red."
    text = f"{part} The buttons work."
    wide = text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    assert find_conflict(wide, part) is None
    assert find_conflict(part, wide) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [("The value is 3.5 now", "The value is 35 now"), ("On May 7, 5 people came", "On May 75 people came")],
)
def test_a_mark_within_a_number_is_part_of_it(first, second):
    assert find_conflict(first, second)


@pytest.mark.parametrize(("first", "second"), [*DIFFERENT, *AGREEING])
def test_a_text_never_conflicts_with_itself(first, second):
    assert find_conflict(first, first + " ") is None
    assert find_conflict(second, second + " ") is None


def test_an_explanation_names_both_sides_as_they_were_written():
    assert (
        str(find_conflict("The feature is enabled", "The feature is disabled"))
        == "different words: “enabled” and “disabled”"
    )
    assert str(find_conflict("It costs $5M", "It costs $7M")) == "different numbers: “$5M” and “$7M”"
    assert (
        str(find_conflict("The cache is on disk", "The cache is not on disk"))
        == "one affirms and the other denies “disk”"
    )


def test_values_of_different_sorts_are_compared_without_error():
    assert find_conflict("The demo is on Monday", "The demo is at 15:00") is None
    assert find_conflict("The demo is on 3 May", "The demo takes 3 hours") is None


def test_very_long_texts_are_compared_to_the_end():
    long = "The budget of part {} is not 3 million. " * 1_500
    assert find_conflict(long, long + "It was late.") is None


def test_a_long_sentence_without_an_end_is_compared_piece_by_piece():
    long = " ".join(f"part{place} holds kettles" for place in range(2_000))
    assert str(find_conflict(f"{long} and 12 lamps", f"{long} and 13 lamps")) == "different numbers: “12” and “13”"
    assert find_conflict(f"{long} and 12 lamps", f"{long} and twelve lamps") is None


@pytest.mark.parametrize("unit", ["{0} ", "{0}.5 ms ", "w{0}x ", "2026-01-{1:02} "])
def test_a_sentence_of_any_number_of_values_or_words_agrees_with_itself_and_more(unit):
    long = "".join(unit.format(number, number % 28 + 1) for number in range(20_000))
    assert find_conflict(long, f"{long}and more") is None
    assert find_conflict(f"{long}and more", long) is None
