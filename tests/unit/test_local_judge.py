from __future__ import annotations

import asyncio
import random

import pytest

from memsieve import doctor
from memsieve.claims import pair_model
from memsieve.claims.contradictions import find_contradiction
from memsieve.errors import JudgeError
from memsieve.models import bundled
from memsieve.models.judges import LocalJudge

CONTRADICTORY = [
    # numbers
    "The budget is 3 million. The team met twice about it. The budget is 5 million.",
    "The cluster has 12 nodes. Each node was checked by hand. The cluster has 16 nodes.",
    "Latency of the search endpoint is 40 ms. In short, latency of the search endpoint is 90 ms.",
    "The discount for members is 15%. The discount for members is 25 percent.",
    "We hired four engineers in Berlin. We hired seven engineers in Berlin.",
    "The retention period is 30 days. The retention period is 2 weeks.",
    "项目预算是300万元。大家讨论了很久。项目预算是五百万元。",
    "这个集群一共有12台服务器，运行稳定。这个集群一共有15台服务器。",
    "用户增长率为20%。用户增长率为35%。",
    # dates and times
    "The launch is on 3 May. Marketing is informed. The launch is on 9 May.",
    "The review meeting is on Tuesday. Please prepare slides. The review meeting is on Friday.",
    "The stand-up starts at 9:30. The stand-up starts at 10:15.",
    "The company was founded in 1998 in Oslo. The company was founded in 2003 in Oslo.",
    "评审会定在周三下午。请大家准备材料。评审会定在周五下午。",
    "新版本的发布日期是5月3日。新版本的发布日期是5月19日。",
    "会议下午3点开始。会议下午5点开始。",
    # negation
    "The cache is enabled in production. It saves a lot. The cache is not enabled in production.",
    "The committee approved the merger plan. The committee did not approve the merger plan.",
    "The backup job writes to the archive bucket. The backup job never writes to the archive bucket.",
    "Users can export their reports. Users cannot export their reports.",
    "我们决定使用Redis做缓存。后面还有别的议题。我们决定不使用Redis做缓存。",
    "这个接口支持分页查询。这个接口不支持分页查询。",
    "合同已经签署完成。合同没有签署完成。",
    # opposites and states
    "Sales in the northern region increased. Sales in the northern region decreased.",
    "The board accepted the offer from the supplier. The board rejected the offer from the supplier.",
    "The feature flag is enabled. The feature flag has been disabled.",
    "The payment gateway is up. The payment gateway is down.",
    "The nightly deployment succeeded. The nightly deployment failed.",
    "The support ticket is open. The support ticket is closed.",
    "这次部署成功了，团队很高兴。这次部署失败了。",
    "本季度销售额上升。本季度销售额下降。",
    "董事会支持这个收购方案。董事会反对这个收购方案。",
    "数据迁移任务已完成。数据迁移任务未完成。",
    "这个功能默认启用。这个功能默认禁用。",
    # quantifiers
    "All integration tests passed. None of the integration tests passed.",
    "The scheduler always retries failed jobs. The scheduler never retries failed jobs.",
    "All integration tests passed. Three integration tests failed.",
    "所有测试都通过了。没有一个测试通过。",
    "他总是准时提交周报。他从不准时提交周报。",
    # within one sentence
    "The service is both up and down.",
    "The flag is enabled and the flag is disabled.",
    "The proposal is feasible and not feasible at the same time.",
    "这个方案既可行又不可行。",
    "这个端口既是打开的又是关闭的。",
    # announced
    "The archive is encrypted, and copies run daily. Put plainly, the archive is not encrypted, and copies run daily.",
    "The committee accepted the offer. It is worth saying that the committee rejected the offer.",
    "这个接口支持分页查询，速度很快。说得直白些，这个接口不支持分页查询，速度很快。",
    # one of a kind
    "The new office is in Germany. The new office is in France.",
    "The status light is green. The status light is red.",
]

CAREFUL = [
    # questions
    "Is the cache enabled? The cache is not enabled.",
    "缓存启用了吗？缓存没有启用。",
    # lists and enumerations
    "- Berlin has 12 desks\n- Oslo has 14 desks\n- Rome has 9 desks",
    "1. Score is 3 points\n2. Score is 5 points\n3. Score is 8 points",
    "Agenda: budget, hiring, launch. Open items: 3. Closed items: 5.",
    # logs and code
    "2024-05-01 10:00:01 INFO service is up\n2024-05-01 10:05:01 INFO service is down",
    "```python\nenabled = True\nenabled = False\nretries = 3\nretries = 5\n```",
    "count = 0\ncount = 1\nif count == 1:\n    print(count)",
    # other people's words
    "Alice says the service is up; Bob says the service is down.",
    "Alice: The service is up.\nBob: The service is down.",
    "According to the vendor the patch is safe. According to our audit the patch is not safe.",
    "张三认为这个方案可行。李四认为这个方案不可行。",
    "张三：系统已经上线。\n李四：系统没有上线。",
    'One reviewer wrote "the paper is clear". Another reviewer wrote "the paper is not clear".',
    # change over time
    "The team used to deploy weekly. Now the team deploys daily.",
    "The limit changed from 3 requests to 5 requests. The limit is 5 requests.",
    "原来预算是300万，现在预算是500万。",
    "会议时间从周三改为周五。会议时间是周五。",
    "The service was down yesterday. The service is up today.",
    "Before the patch the login page was slow. After the patch the login page was fast.",
    "Revenue was 3 million in 2023. Revenue was 5 million in 2024.",
    "In Q1 the team closed 12 tickets. In Q2 the team closed 30 tickets.",
    "去年公司有200名员工。今年公司有350名员工。",
    "一季度收入增长。二季度收入下降。",
    "The feature is no longer enabled. The feature was enabled last year.",
    "The door was closed. Then the door was open.",
    # other things
    "Service A is up. Service B is down.",
    "The first test passed. The second test failed.",
    "方案一成本是300万。方案二成本是500万。",
    "甲方同意延期。乙方不同意延期。",
    "Each box weighs 5 kg. The total weight is 50 kg.",
    "每个节点有4块硬盘。集群总共有48块硬盘。",
    "Phase 1 takes 3 weeks. Phase 2 takes 5 weeks.",
    "Alice likes the new design. Bob does not like the new design.",
    "I like coffee in the morning. You do not like coffee in the morning.",
    "The old server is slow. The new server is fast.",
    "Production runs version 2. Staging runs version 3.",
    "Some users like the layout. Some users do not like the layout.",
    # ranges, comparisons, bounds
    "The trip takes between 3 and 5 hours. The trip takes 4 hours on most days.",
    "The minimum order is 10 pieces. The maximum order is 500 pieces.",
    "At least 50 people registered for the event. 73 people registered for the event.",
    "最少需要3个人。最多需要8个人。",
    "Plan B is cheaper than plan A. Plan C is more expensive than plan A.",
    # hypotheticals, options, modals
    "If the flag is enabled, requests are cached. If the flag is not enabled, requests go to the database.",
    "如果测试通过，我们就上线。如果测试没有通过，我们就推迟。",
    "The vendor may deliver in June. The vendor may not deliver in June.",
    "We either accept the offer or reject the offer.",
    "Either the service is up or the service is down.",
    # concessions and corrections
    "The tool is not only fast but also cheap. The tool is fast.",
    "The cause is not the network but the disk. The disk was full.",
    "这不是网络问题，而是磁盘问题。磁盘已经写满。",
    "这个工具不仅快，而且便宜。这个工具很快。",
    "The meeting is on Monday. Sorry, correction: the meeting is on Tuesday.",
    # plans and results
    "The planned budget is 3 million. The actual budget is 5 million.",
    "计划投入100人天。实际投入140人天。",
    # double negatives and agreeing forms
    "It is not impossible to finish in time. It is possible to finish in time.",
    "The shop is not open on Sundays. The shop is closed on Sundays.",
    "The team has three members. The team has 3 members in all offices.",
    "The budget is $5M. The budget is 5 million dollars.",
    "我们不得不接受这个条件。我们接受这个条件。",
    "预算是五百万元。预算是500万元。",
    "The meeting is at 3 pm. The meeting is at 15:00.",
    "No problem, Maria! Thanks, Maria!",
    "Sales rose in the shops. In Paris, sales fell in the shops.",
    "The payment service is up. According to Bob, the payment service is down.",
    "大家说了一点意见。大家说了两点意见。",
    # clauses whose subject stands at the head of the sentence
    "Red light has long waves and low frequencies in air. Violet light has short waves and high frequencies in air.",
    "A first offence means a warning, and a fine of 100 euros. A second offence means a ban, and a fine of 300 euros.",
    "甲公司今年扩大了产能，利润明显增加。乙公司今年缩小了产能，利润明显减少。",
    "Ticket price for an adult is $25. Ticket price for a student is $14.",
    # per unit
    "The plan costs $10 per user. The plan costs $120 for the whole team.",
    "Shipping takes 3 days in Europe. Shipping takes 9 days in Asia.",
    # starts and ends
    "The workshop starts at 9:00. The workshop ends at 17:00.",
    "会议上午9点开始。会议上午11点结束。",
    "She bought 20 shares of the fund. She sold 5 shares of the fund.",
    "Both positive and negative feedback is welcome. The results are both good and bad.",
]


@pytest.mark.parametrize("text", CONTRADICTORY)
def test_a_text_that_says_two_things_excluding_each_other_is_found(text):
    assert find_contradiction(text) is not None


@pytest.mark.parametrize("text", CAREFUL)
def test_a_text_that_only_looks_contradictory_passes(text):
    verdict = asyncio.run(LocalJudge().consistent(text))
    assert verdict.consistent, verdict.reason


def test_a_refusal_quotes_both_sentences_and_says_why():
    verdict = asyncio.run(LocalJudge().consistent("The launch is on 3 May. All is ready. The launch is on 9 May."))
    assert not verdict.consistent
    assert str(verdict.reason) == (
        "It says “The launch is on 3 May.” and also “The launch is on 9 May.”: different dates: “3 May” and “9 May”."
    )


def test_a_sound_text_gets_a_verdict_with_a_reason():
    verdict = asyncio.run(LocalJudge().consistent("The launch is on 3 May. All is ready."))
    assert verdict.consistent
    assert verdict.reason


def test_a_refusal_quotes_traditional_characters_as_they_were_written():
    text = "專案預算是三百萬元，已經獲得批准。大家討論了很久。專案預算是五百萬元，已經獲得批准。"
    verdict = asyncio.run(LocalJudge().consistent(text))
    assert not verdict.consistent
    assert "專案預算是三百萬元，已經獲得批准。" in str(verdict.reason)
    assert "專案預算是五百萬元，已經獲得批准。" in str(verdict.reason)


def test_the_model_is_loaded_only_for_sentences_that_are_alike(monkeypatch):
    def load():
        raise AssertionError("loaded")

    monkeypatch.setattr(pair_model, "_load", load)
    judge = LocalJudge()
    assert asyncio.run(judge.consistent("The launch is in May. The cats sleep on the roof all day.")).consistent
    with pytest.raises(AssertionError, match="loaded"):
        asyncio.run(judge.consistent("Maria leads the payment team in Berlin. Anna leads the payment team in Berlin."))


def test_without_its_model_the_judge_gives_no_verdict_and_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(pair_model, "_load", pair_model.PairModel)
    tokens = bundled.tokens()
    monkeypatch.setattr(bundled, "tokens", lambda: tokens)
    monkeypatch.setattr(bundled, "FOLDER", tmp_path)
    with pytest.raises(JudgeError, match="Reinstall memsieve"):
        asyncio.run(LocalJudge().consistent("Maria leads the team in Berlin. Anna leads the team in Berlin."))


def test_scoring_leaves_the_event_loop_free():
    text = " ".join(f"Person number {n} leads the payment team in Berlin and likes it." for n in range(12))

    async def count_while_judging():
        work = asyncio.create_task(LocalJudge().consistent(text))
        turns = 0
        while not work.done():
            await asyncio.sleep(0.001)
            turns += 1
        return turns

    assert asyncio.run(count_while_judging()) > 3


def test_the_local_judge_says_that_it_is_quick():
    assert LocalJudge().quick is True


WORDS = "the service budget report is not open 3 5 million closed and team plan of in released never accepted".split()


def _english(chance):
    return " ".join(chance.choice(WORDS) + ("." if chance.random() < 0.1 else "") for _ in range(12_000))


LARGE = {
    "random words": _english(random.Random(1)),
    "numbered sentences": " ".join(f"Item {n} holds {n * 7} parts of kind {n % 13}." for n in range(1_500)),
    "no sentence end": "the budget is not open and " * 2_400,
    "one long word": "a" * 65_536,
    "digits": "1" * 65_536,
    "commas": "1,234," * 10_000,
    "Chinese": "我们认为这个项目的预算是三百万元，不需要增加人手。" * 800,
    "Chinese without a stop": "预算不是三百万" * 3_000,
    "spaces": " " * 65_536,
    "quotes": '"' * 65_536,
    "colons": "A: " * 20_000,
    "numerals": "一二三四五六七八九十百千万亿" * 1_500,
    "not ... but": "not a " * 10_000,
    "from": "从一" * 10_000,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_sixty_four_kilobytes_of_any_shape_are_judged_to_the_end(text):
    asyncio.run(LocalJudge().consistent(text.encode()[:65_536].decode(errors="ignore")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ".",
        "。。。",
        "\u0000",
        "İ is 3 İ. İ is not.",
        "𝟛 𝟝",
        "\ud83d\ude00 is open",
        "½ ² ٣ ",
        "a, b, c",
        "so, but, and, so",
        "１２３％",
        "Ⅷ月",
        "第",
        "不",
        "no",
    ],
)
def test_odd_text_is_no_contradiction_and_no_error(text):
    assert asyncio.run(LocalJudge().consistent(text)).consistent


def test_the_doctor_finds_a_judge_whose_model_is_gone(monkeypatch, tmp_path):
    def gone():
        raise JudgeError("The bundled judge could not be loaded: no such file. Reinstall memsieve.")

    monkeypatch.setattr(pair_model, "_load", gone)
    findings = asyncio.run(doctor.diagnose(tmp_path))
    [judge] = [finding for finding in findings if finding.name == "judge"]
    assert judge.health is doctor.Health.FAIL
    assert "wait in quarantine" in judge.advice
