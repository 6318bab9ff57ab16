"""Two short statements that differ because one of them speaks of less: a part, a kind, a possibility, a later time.

Each way has its counterpart in which both speak of the same, so that neither the frame nor the word alone tells.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Labelled = tuple[str, str, str, str]

_THINGS = (
    "image file fee timeout budget price report contract server backup archive invoice salary discount deadline "
    "warranty limit rate response queue page loan order sample package ticket"
).split()
_MODIFIERS = (
    "compressed annual monthly original average maximum minimum remaining internal external second backup northern "
    "premium total initial final temporary local remote revised student weekend encrypted default regional"
).split()
_WHOLES = (
    "service team city company library school project fleet clinic park museum district platform factory"
).split()
_PARTS = (
    "endpoints members shops employees books pupils tasks trucks doctors trees rooms schools users machines servers "
    "reports tests offices branches tickets"
).split()
_KINDS = (
    "deprecated new retired active foreign junior electric part-time rare open closed failed remote large small "
    "temporary public private senior damaged"
).split()
_MEASURES = "MB dollars days seconds hours pages kilos percent euros minutes metres weeks".split()
_GROUPS = "users customers teachers members voters patients drivers engineers students reviewers".split()
_DEEDS = (
    "like the layout|use the app every day|agree with the plan|work from home|pay in cash|read the manual|"
    "trust the report|support the change|live in the city|know the rules|want longer breaks|attend the course"
).split("|")
_ACTORS = "vendor bank team court city supplier board manager agency client".split()
_PLANS = (
    "deliver in June|approve the loan|sign the contract|move to Berlin|raise the price|close the branch|"
    "publish the data|hire more staff|extend the deadline|buy the license"
).split("|")
_STATES = (
    "door/open/closed|server/up/down|light/on/off|shop/open/closed|tank/full/empty|road/dry/wet|gate/locked/unlocked|"
    "build/green/red|feature/enabled/disabled|line/busy/free|room/warm/cold|account/active/blocked"
).split("|")
_LATER = (
    "Then|Later|After that|An hour later|By the evening|The next day|Afterwards|Two weeks later|Shortly after"
).split("|")
_PERIODS = (
    "Q1/Q2/Q3/Q4|week 1/week 2/week 3/week 4|phase one/phase two/phase three|version 2/version 3/version 4|"
    "2021/2022/2023|January/February/March|round one/round two|the first half/the second half|sprint 4/sprint 5|"
    "the morning/the afternoon"
).split("|")
_EVENTS = (
    "the team closed {n} tickets|we sold {n} units|{n} people registered|sales reached {n} dollars|"
    "the plant made {n} cars|the site had {n} visitors|we found {n} bugs|{n} students passed|the club won {n} games|"
    "it rained on {n} days"
).split("|")

_ZH_THINGS = (
    "镜像 文件 费用 超时 预算 价格 报告 合同 服务器 备份 工资 折扣 保修期 限额 速率 队列 贷款 订单 样本 套餐 门票 包裹"
).split()
_ZH_MODIFIERS = (
    "压缩后的 每年的 每月的 原来的 平均 最大 最小 剩余的 内部 外部 备用 北区的 高级版 首期 最终的 临时 本地 远程 "
    "修订后的 学生 周末 加密"
).split()
_ZH_WHOLES = "该服务 团队 这座城市 公司 图书馆 学校 项目 车队 诊所 公园 博物馆 平台 工厂 这个小区".split()
_ZH_PARTS = (
    "个接口 名成员 家商店 名员工 本书 个任务 辆卡车 名医生 棵树 个房间 台机器 个用户 份报告 个测试 间办公室"
).split()
_ZH_KINDS = (
    "废弃 新增 退役 活跃 外籍 初级 电动 兼职 珍贵 开放 关闭 失败 远程 大型 小型 临时 公共 私有 高级 损坏"
).split()
_ZH_MEASURES = "MB 元 天 秒 小时 页 公斤 分钟 米 周 个月 万元".split()
_ZH_GROUPS = "用户 客户 老师 会员 选民 病人 司机 工程师 学生 评审".split()
_ZH_DEEDS = (
    "喜欢这个布局 每天使用这个应用 同意这个方案 在家办公 用现金付款 看说明书 相信这份报告 支持这次调整 住在市区 "
    "了解规则 愿意加班"
).split()
_ZH_ACTORS = "供应商 银行 团队 法院 市政府 董事会 经理 中介 客户 房东".split()
_ZH_PLANS = "六月交货 批准贷款 签合同 搬到上海 涨价 关闭分店 公布数据 招更多人 延长期限 购买授权".split()
_ZH_STATES = (
    "门/是开着的/是关着的|服务器/在线/离线|灯/亮着/灭了|商店/营业/关门|水箱/是满的/是空的|道路/是干的/是湿的|"
    "大门/锁着/没锁|功能/已启用/已停用|线路/繁忙/空闲|账户/正常/被冻结"
).split("|")
_ZH_LATER = "后来，|随后，|之后，|一小时后，|到了晚上，|第二天，|两周后，|不久，|然后".split("|")
_ZH_PERIODS = (
    "第一季度/第二季度/第三季度/第四季度|第1周/第2周/第3周|一期/二期/三期|2021年/2022年/2023年|一月/二月/三月|"
    "第一轮/第二轮|上半年/下半年|上午/下午|V2版本/V3版本"
).split("|")
_ZH_EVENTS = (
    "团队关闭了{n}个工单|我们卖出了{n}件|有{n}人报名|销售额达到{n}万元|工厂生产了{n}辆车|网站有{n}次访问|"
    "发现了{n}个漏洞|{n}名学生通过了考试|球队赢了{n}场|下了{n}天雨|提出了{n}点意见"
).split("|")


def _numbers(chance: random.Random) -> tuple[int, int]:
    first, second = chance.sample((*range(2, 40), 50, 60, 72, 80, 96, 120, 150, 180, 250, 300, 340, 500, 800), 2)
    return first, second


def _kind_of_thing(zh: bool, chance: random.Random) -> Labelled:
    """Say of a thing and of a kind of it: the image is 340 MB, the compressed image is 120 MB."""
    first, second = _numbers(chance)
    thing, measure = (
        (chance.choice(_ZH_THINGS), chance.choice(_ZH_MEASURES))
        if zh
        else (chance.choice(_THINGS), chance.choice(_MEASURES))
    )
    one, other = chance.sample(_ZH_MODIFIERS if zh else _MODIFIERS, 2)
    form = chance.choice(("{x}是{n}{m}。", "{x}为{n}{m}。") if zh else ("The {x} is {n} {m}.", "The {x} was {n} {m}."))
    narrow, wide = (f"{one}{thing}", thing) if zh else (f"{one} {thing}", thing)
    beside = f"{other}{thing}" if zh else f"{other} {thing}"
    a, b = chance.choice(((wide, narrow), (narrow, wide), (narrow, beside)))
    return _labelled(
        form.format(x=a, n=first, m=measure),
        form.format(x=b, n=second, m=measure),
        form.format(x=a, n=second, m=measure),
        "kind_of_thing",
        chance,
    )


def _part_of_whole(zh: bool, chance: random.Random) -> Labelled:
    """Count all and count some: the service has 12 endpoints, the service has 3 deprecated endpoints."""
    first, second = _numbers(chance)
    whole, part = (
        (chance.choice(_ZH_WHOLES), chance.choice(_ZH_PARTS)) if zh else (chance.choice(_WHOLES), chance.choice(_PARTS))
    )
    kind = chance.choice(_ZH_KINDS if zh else _KINDS)
    if zh:
        counter, noun = part[0], part[1:]
        forms = (f"{whole}有{{n}}{counter}{noun}。", f"{whole}有{{n}}{counter}{kind}{noun}。")
    else:
        forms = (f"The {whole} has {{n}} {part}.", f"The {whole} has {{n}} {kind} {part}.")
    a, b = chance.sample(forms, 2)
    return _labelled(a.format(n=first), b.format(n=second), a.format(n=second), "part_of_whole", chance)


def _some(zh: bool, chance: random.Random) -> Labelled:
    """Say that some do and some do not; all of them and some not cannot both be."""
    group, deed = (
        (chance.choice(_ZH_GROUPS), chance.choice(_ZH_DEEDS)) if zh else (chance.choice(_GROUPS), chance.choice(_DEEDS))
    )
    some = chance.choice(("有些", "部分", "有的", "不少") if zh else ("Some", "Many", "A few", "Several"))
    every = chance.choice(("所有", "全部", "每位") if zh else ("All", "All the", "All of the"))
    deny = f"{some}{group}不{deed}。" if zh else f"{some} {group} do not {deed}."
    mild = f"{some}{group}{deed}。" if zh else f"{some} {group} {deed}."
    strong = f"{every}{group}都{deed}。" if zh else f"{every} {group} {deed}."
    if chance.random() < 0.5:
        return mild, deny, "neutral", "some"
    return strong, deny, "contradiction", "some"


def _may(zh: bool, chance: random.Random) -> Labelled:
    """Say that somebody may and may not; will and will not cannot both be."""
    actor, plan = (
        (chance.choice(_ZH_ACTORS), chance.choice(_ZH_PLANS)) if zh else (chance.choice(_ACTORS), chance.choice(_PLANS))
    )
    may = chance.choice(("可能会", "也许会", "或许会") if zh else ("may", "might"))
    sure = chance.choice(("会", "一定会", "将会") if zh else ("will", "is going to", "must"))
    word = may if chance.random() < 0.5 else sure
    no = word.replace("会", "不会") if zh else f"{word} not".replace("going to not", "not going to")
    pair = (
        (f"{actor}{word}{plan}。", f"{actor}{no}{plan}。")
        if zh
        else (f"The {actor} {word} {plan}.", f"The {actor} {no} {plan}.")
    )
    return *pair, "neutral" if word == may else "contradiction", "may"


def _then(zh: bool, chance: random.Random) -> Labelled:
    """Let something change: the door was closed, then the door was open."""
    thing, one, other = chance.choice(_ZH_STATES if zh else _STATES).split("/")
    if chance.random() < 0.5:
        one, other = other, one
    later = chance.choice(_ZH_LATER if zh else _LATER)
    first = f"{thing}{one}。" if zh else f"The {thing} was {one}."
    if chance.random() < 0.5:
        return first, f"{thing}{other}。" if zh else f"The {thing} was {other}.", "contradiction", "then"
    return first, f"{later}{thing}{other}。" if zh else f"{later} the {thing} was {other}.", "neutral", "then"


def _period(zh: bool, chance: random.Random) -> Labelled:
    """In Q1 the team closed 12 tickets; in Q2 the team closed 30 tickets."""
    first, second = _numbers(chance)
    one, other = chance.sample(chance.choice(_ZH_PERIODS if zh else _PERIODS).split("/"), 2)
    event = chance.choice(_ZH_EVENTS if zh else _EVENTS)
    form = "{p}{e}。" if zh else "In {p} {e}."
    made = [form.format(p=p, e=event.format(n=n)) for p, n in ((one, first), (other, second), (one, second))]
    return _labelled(*made, "period", chance)


def _at_least(zh: bool, chance: random.Random) -> Labelled:
    """At least 50 people came; 73 people came. With at most, it would be a contradiction."""
    low, high = sorted(_numbers(chance))
    event = chance.choice([e for e in (_ZH_EVENTS if zh else _EVENTS) if not e.endswith("{n}")])
    less = chance.random() < 0.5
    bound = chance.choice(
        (("至少", "不少于", "超过") if less else ("最多", "不到", "不超过"))
        if zh
        else (("at least", "more than", "over") if less else ("at most", "fewer than", "no more than"))
    )
    rough = event.format(n=f"{bound}{low}" if zh else f"{bound} {low}")
    exact = event.format(n=high)
    ended = [f"{s}。" if zh else f"{s[:1].upper()}{s[1:]}." for s in (rough, exact)]
    return ended[0], ended[1], "consistent" if less else "contradiction", "at_least"


def _labelled(first: str, narrower: str, changed: str, kind: str, chance: random.Random) -> Labelled:
    if chance.random() < 0.55:
        return first, narrower, "neutral", kind
    return first, changed, "contradiction", kind


WAYS: tuple[Callable[[bool, random.Random], Labelled], ...] = (
    _kind_of_thing, _kind_of_thing, _part_of_whole, _part_of_whole, _some, _may, _then, _period, _at_least,
)  # fmt: skip


def pair(zh: bool, chance: random.Random) -> Labelled:
    """Return two sentences, their label and kind."""
    return chance.choice(WAYS)(zh, chance)
