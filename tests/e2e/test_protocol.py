"""The points the project began with, through the public door, with the bundled model."""

import pytest

from memsieve.model import Source

GOOD = "The team chose PostgreSQL for the ledger because it needs real transactions."
ARCHITECTURE = "项目最终决定采用微服务架构，以提高可扩展性和部署灵活性。"
CHINESE = """
项目经理下周一开始休假，由副经理代理日常工作。
本项目的预算在第二季度增加了百分之十五。
我们计划在六月底之前完成用户界面的重新设计。
数据库每天凌晨两点自动备份到异地机房。
测试团队发现登录页面在旧版浏览器中无法显示。
客户要求所有报表都支持导出为电子表格。
新的监控系统可以在三十秒内发现服务异常。
前端团队决定统一使用同一套组件库。
公司年会将于十二月在杭州举行。
采购部门选了报价最低的云服务供应商。
项目组每周三下午召开进度会议。
项目的验收标准由甲方代表书面确认。
决策委员会由五名成员组成，每季度开会一次。
架构师王磊负责编写接口文档。
项目延期的主要原因是需求变更过于频繁。
用户调研显示大多数人更喜欢深色主题。
支付接口的平均响应时间是一百二十毫秒。
安全审计要求所有密码必须加密存储。
我们把日志保留时间从七天延长到三十天。
市场部希望在国庆节前上线促销功能。
后端服务的单元测试覆盖率达到了百分之八十。
运维人员建议把缓存服务器升级到最新版本。
培训材料已经翻译成英文和日文。
项目风险清单需要在每月初更新。
合同规定违约金不超过总金额的百分之十。
办公室的网络将在周六进行升级。
数据分析师建议用中位数代替平均数。
移动端应用的下载量上个月突破了十万次。
客服系统每天处理大约两千条咨询。
搜索功能的准确率比上个版本提高了很多。
供应商承诺在四十八小时内提供备件。
产品经理整理了二十条用户反馈。
新员工入职流程缩短到两天。
服务器机房的温度保持在二十二度。
会议纪要由秘书在当天发送给所有人。
财务部门要求发票必须附上项目编号。
文档平台支持多人同时编辑。
团队讨论了三种缓存方案但没有得出结论。
接口限流的阈值是每分钟六百次。
法务部要求新的隐私政策先经过审核。
版本发布前必须通过回归测试。
图片上传功能限制单个文件不超过十兆。
竞争对手上周发布了类似的产品。
代码评审至少需要两名同事批准。
夜间任务的失败率降到了千分之一。
项目奖金将在年底统一发放。
仓库管理系统与财务系统已经打通。
设计稿使用了新的品牌颜色。
语音识别在嘈杂环境下效果不佳。
推荐算法每小时必须更新一次模型。
""".split()


@pytest.fixture
def project(memory):
    return memory.project("apollo")


def contents(answer):
    return [item.content for item in answer.items]


def test_quarantine_is_never_retrieved(project):
    project.record(GOOD, session_id="s1", confidence=0.3)
    assert project.review(by="ada@example.org").log()[0].entry.content == GOOD
    assert project.retrieve(GOOD).items == ()
    assert GOOD not in project.history_context(GOOD)


def test_an_entry_leaves_working_memory_a_day_after_its_own_admission(project, clock):
    project.record(GOOD, session_id="s1", confidence=0.9)
    clock.advance(hours=24, seconds=-1)
    project.record(
        "The colour of the new office chairs is dark green, because the old ones looked dirty after a year.",
        session_id="s1",
    )
    assert GOOD in contents(project.retrieve(GOOD))
    clock.advance(seconds=1)
    assert GOOD not in contents(project.retrieve(GOOD))
    assert len(project.working()) == 1


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("The budget of the pilot is 40,000 euros. The budget of the pilot is 70,000 euros.", "40,000", "70,000"),
        ("试点项目的预算是四十万元，由财务部批准。试点项目的预算是七十万元，由财务部批准。", "四十万元", "七十万元"),
    ],
)
def test_a_text_that_contradicts_itself_is_refused_with_both_sentences(project, text, first, second):
    admission = project.record(text, session_id="s1", confidence=0.95).admission
    assert not admission.admitted
    [reason] = admission.reasons
    assert first in str(reason)
    assert second in str(reason)


def test_what_a_person_promoted_is_retrieved_as_verified(project):
    project.review(by="ada@example.org").promote(project.record(GOOD, session_id="s1", confidence=0.3).entry.id)
    [item] = project.retrieve("Which database was chosen for the ledger?").items
    assert (item.verified, item.label, item.source, item.promoted_by) == (
        True,
        "✅ verified",
        Source.COLD,
        "ada@example.org",
    )


def test_the_decision_on_the_architecture_is_found_among_fifty_other_sentences(project):
    for sentence in CHINESE:
        project.review(by="ada@example.org").promote_text(sentence)
    project.review(by="ada@example.org").promote_text(ARCHITECTURE)
    assert len(CHINESE) == 50
    assert contents(project.retrieve("项目的架构决策是什么？"))[0] == ARCHITECTURE


def test_different_chinese_sentences_are_no_duplicates_and_other_punctuation_is_one(project):
    for number, sentence in enumerate(CHINESE):
        admission = project.record(sentence, session_id=f"s{number}").admission
        assert [check.name for check in admission.checks if not check.passed and check.name != "length"] == []
    again = project.record("推荐算法，每小时必须更新一次模型！推荐算法：每小时必须更新一次模型！", session_id="s")
    assert again.admission.admitted
    copy = project.record(
        "推荐算法 每小时必须更新一次模型，推荐算法 每小时必须更新一次模型。", session_id="s"
    ).admission
    assert [check.name for check in copy.checks if not check.passed] == ["duplicate"]


def test_a_single_sentence_of_a_longer_retired_memory_does_not_come_back(project):
    long = (
        "The warehouse in Ghent closes at the end of June. All pallets move to the new hall in Antwerp by truck. "
        "The forklifts are sold to a dealer in Brussels for nine thousand euros. Twelve people keep their jobs in the "
        "new hall, and four leave with a settlement. The lease of the old hall ends in September without penalty."
    )
    project.review(by="ada").retire(project.review(by="ada").promote_text(long).id, reason="The plan was dropped.")
    said = "The forklifts are sold to a dealer in Brussels for nine thousand euros."
    other = "The forklifts were inspected on Tuesday, and the brakes of two of them have to be replaced."
    assert [c.name for c in project.record(said, session_id="s1").admission.checks if not c.passed] == ["tombstone"]
    assert project.record(other, session_id="s1").admission.admitted


def test_a_chinese_restatement_of_a_retired_memory_does_not_come_back(project):
    retired = project.review(by="ada@example.org").promote_text(ARCHITECTURE)
    project.review(by="ada@example.org").retire(retired.id, reason="改为单体架构")
    admission = project.record("为了提高可扩展性和部署灵活性，项目最后决定使用微服务架构。", session_id="s1").admission
    assert [check.name for check in admission.checks if not check.passed] == ["tombstone"]


def test_a_chinese_answer_that_repeats_what_its_session_was_served_is_an_echo(project):
    project.review(by="ada@example.org").promote_text(ARCHITECTURE)
    project.retrieve("项目的架构决策是什么？", session_id="s7")
    said = "根据记忆，项目最终决定采用微服务架构，以提高可扩展性和部署灵活性。"
    admission = project.record(said, session_id="s7", confidence=0.99).admission
    assert [check.name for check in admission.checks if not check.passed] == ["echo"]
    assert project.record(said, session_id="s8", confidence=0.99).admission.admitted
