"""Small made-up facts in several wordings: the same fact again, another value, another thing."""

from __future__ import annotations

import random
from typing import NamedTuple

from tools.train_judge import chinese, english, numerals

_EN_THING = (
    "the project|the new phone|the remote control|the report|the conference|the online course|the data centre|the "
    "library|the pilot study|the museum|our website|the backup job|the north office|the training|the budget review|"
    "the mobile app|the survey|the workshop|the old bridge|the night shift"
).split("|")
_ZH_THING = (
    "这个项目|新手机|遥控器|那份报告|年度会议|网络课程|数据中心|图书馆|试点研究|博物馆|我们的网站|备份任务|北区办公"
    "室|培训班|预算评审|手机应用|这次调查|研讨会|老桥|夜班"
).split("|")
_EN_WHO = (
    "Tom|Mary|the manager|our team|the client|Anna|the designer|the committee|Dr. Lee|the supplier|the intern|the "
    "city council|the agent|Omar|the new engineer"
).split("|")
_ZH_WHO = "汤姆|玛丽|经理|我们团队|客户|小王|设计师|委员会|李博士|供应商|实习生|市政府|张老师|新来的工程师|刘总".split(
    "|"
)
_EN_TOPIC = (
    "tea|coffee|football|jazz|online meetings|early flights|spicy food|long reports|winter sports|open offices|"
    "remote work|short emails"
).split("|")
_ZH_TOPIC = "喝茶|喝咖啡|踢足球|爵士乐|线上会议|坐早班飞机|吃辣|写长报告|冬季运动|开放式办公|远程办公|加班".split("|")


class Fact(NamedTuple):
    """Wordings of one fact with slots for the thing and its value, and where values come from."""

    values: str
    wordings: tuple[str, ...]
    denials: tuple[str, ...] = ()


_EN_FACTS = (
    Fact("people", ("{T} has {v} people.", "There are {v} people in {t}.", "{v} people belong to {t}.",
    "{T} consists of {v} people.", "We counted {v} people in {t}.", "The headcount of {t} is {v}.",
    "{T} employs {v} people.")),
    Fact("money", ("{T} costs {v}.", "The price of {t} is {v}.", "We paid {v} for {t}.", "{v} is what {t} costs.",
    "{T} was bought for {v}.", "You have to pay {v} for {t}.", "The cost of {t} came to {v}.")),
    Fact("day", ("{T} starts on {v}.", "The start of {t} is {v}.", "{T} will begin on {v}.",
    "{v} is when {t} starts.", "We begin {t} on {v}.", "{T} kicks off on {v}.",
    "It was agreed that {t} starts on {v}.")),
    Fact("hour", ("{T} opens at {v}.", "{T} is open from {v} on.", "At {v} {t} opens its doors.",
    "The opening time of {t} is {v}.")),
    Fact("share", ("{T} is {v} complete.", "{v} of {t} is done.", "We have finished {v} of {t}.",
    "Progress on {t} stands at {v}.", "So far {v} of {t} has been completed.")),
    Fact("duration", ("{T} takes {v}.", "{T} lasts {v}.", "It takes {v} to finish {t}.", "The length of {t} is {v}.",
    "{T} goes on for {v}.", "You need {v} for {t}.")),
    Fact("place", ("{T} is in {v}.", "{T} is located in {v}.", "You will find {t} in {v}.", "{v} is where {t} is.",
    "{T} takes place in {v}.", "The location of {t} is {v}.")),
    Fact("owner", ("{v} is responsible for {t}.", "{v} leads {t}.", "{T} is led by {v}.", "{v} is in charge of {t}.",
    "The person responsible for {t} is {v}.", "{T} is run by {v}.")),
    Fact("colour", ("{T} is painted {v}.", "The colour of {t} is {v}.", "They chose {v} as the colour for {t}.",
    "{T} comes in {v}.", "{v} was picked for {t}.")),
    Fact("rate", ("{T} sends a report {v}.", "Reports from {t} come {v}.", "{T} reports {v}.",
    "A report of {t} is written {v}.", "We get a report from {t} {v}.")),
    Fact("yes", ("{T} has been approved.", "The approval of {t} was given.", "They approved {t}.",
    "{T} got the green light.", "{T} was accepted."), ("{T} has not been approved.", "They rejected {t}.",
    "{T} did not get approval.", "Approval of {t} was refused.", "{T} was turned down.")),
    Fact("yes", ("{T} is finished.", "We have completed {t}.", "The work on {t} is done.", "{T} has been finished."),
    ("{T} is not finished yet.", "We have not completed {t}.", "The work on {t} is still going on.",
    "{T} remains unfinished.")),
    Fact("yes", ("{T} works well.", "There are no problems with {t}.", "{T} runs without errors.",
    "{T} is working properly."), ("{T} does not work.", "There are serious problems with {t}.", "{T} keeps failing.",
    "{T} is broken.")),
    Fact("taste", ("{W} likes {x}.", "{W} enjoys {x}.", "{W} is fond of {x}.", "{X} is something {w} likes."),
    ("{W} does not like {x}.", "{W} dislikes {x}.", "{W} hates {x}.", "{W} cannot stand {x}.")),
    Fact("came", ("{W} came to {t}.", "{W} attended {t}.", "{W} was present at {t}.", "{W} took part in {t}."),
    ("{W} did not come to {t}.", "{W} missed {t}.", "{W} was absent from {t}.", "{W} never showed up at {t}.")),
)  # fmt: skip
_ZH_FACTS = (
    Fact("people", ("{t}有{v}个人。", "{t}里一共有{v}人。", "{t}由{v}人组成。", "{t}的人数是{v}人。",
    "我们数了一下，{t}有{v}个人。", "参与{t}的共{v}人。", "{v}个人在{t}里。")),
    Fact("money", ("{t}花了{v}。", "{t}的价格是{v}。", "我们为{t}付了{v}。", "{t}的费用为{v}。", "{v}就是{t}的成本。",
    "买{t}要{v}。", "{t}总共花费{v}。")),
    Fact("day", ("{t}{v}开始。", "{t}的开始时间是{v}。", "{v}，{t}正式开始。", "我们定在{v}启动{t}。",
    "{t}将于{v}启动。", "{t}是在{v}开始的。")),
    Fact("hour", ("{t}{v}开门。", "{t}从{v}起开放。", "{v}的时候{t}开门。", "{t}的开放时间是{v}。")),
    Fact("share", ("{t}完成了{v}。", "{t}的进度是{v}。", "我们已经做完了{t}的{v}。", "{t}的完成率达到{v}。",
    "到目前为止，{t}有{v}已经完成。")),
    Fact("duration", ("{t}要花{v}。", "{t}持续{v}。", "完成{t}需要{v}。", "{t}的时长是{v}。", "{t}为期{v}。",
    "{t}一共用了{v}。")),
    Fact("place", ("{t}在{v}。", "{t}位于{v}。", "{t}的地点是{v}。", "{t}设在{v}。", "去{v}就能找到{t}。",
    "{v}是{t}的所在地。")),
    Fact("owner", ("{v}负责{t}。", "{t}由{v}负责。", "{t}的负责人是{v}。", "{v}主管{t}。", "{t}归{v}管。",
    "{v}在带{t}。")),
    Fact("colour", ("{t}是{v}的。", "{t}的颜色是{v}。", "他们给{t}选了{v}。", "{t}漆成了{v}。", "{v}是{t}的颜色。")),
    Fact("rate", ("{t}{v}提交一次报告。", "{t}的报告{v}一次。", "我们{v}收到一次{t}的报告。", "{t}{v}汇报一次。")),
    Fact("yes", ("{t}已经获批。", "{t}通过了审批。", "他们批准了{t}。", "{t}的审批通过了。", "{t}得到了批准。"),
    ("{t}没有获批。", "{t}未通过审批。", "他们否决了{t}。", "{t}的审批没有通过。", "{t}被驳回了。")),
    Fact("yes", ("{t}已经完成了。", "我们做完了{t}。", "{t}的工作结束了。", "{t}完工了。"), ("{t}还没有完成。",
    "我们没做完{t}。", "{t}的工作还在进行。", "{t}尚未完工。")),
    Fact("yes", ("{t}运行正常。", "{t}没有问题。", "{t}工作得很好。", "{t}没有出现故障。"), ("{t}运行不正常。",
    "{t}出了严重问题。", "{t}不能用了。", "{t}一直出故障。")),
    Fact("taste", ("{w}喜欢{x}。", "{w}爱{x}。", "{w}很喜欢{x}。", "{w}对{x}很感兴趣。"), ("{w}不喜欢{x}。",
    "{w}讨厌{x}。", "{w}一点也不爱{x}。", "{w}对{x}没兴趣。")),
    Fact("came", ("{w}参加了{t}。", "{w}来了{t}。", "{w}出席了{t}。", "{t}{w}去了。"), ("{w}没有参加{t}。",
    "{w}没来{t}。", "{w}缺席了{t}。", "{t}{w}没去。")),
)  # fmt: skip


# How a value of each kind may be written, in English and in Chinese; {n} is the number, {w} the number in words.
_WRITTEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "people": (("{n}", "{n}", "{w}"), ("{n}", "{n}", "{w}")),
    "money": (
        ("{n} dollars", "${n}", "{n} euros", "{n} million dollars", "{w} dollars"),
        ("{n}元", "{n}万元", "{w}块钱", "{n}美元"),
    ),
    "day": (
        ("{day}", "{month} {n}", "the {ordinal} of {month}"),
        ("星期{weekday}", "{m}月{n}日", "周{weekday}", "{y}年"),
    ),
    "hour": (
        ("{n} am", "{n}:30", "{n} o'clock", "{w} in the morning"),
        ("上午{n}点", "早上{w}点", "{n}:30"),
    ),
    "share": (("{n}%", "{n} percent", "{w} percent"), ("{n}%", "百分之{w}", "百分之{n}")),
    "duration": (
        ("{n} hours", "{w} days", "{n} weeks", "{w} months", "{n} minutes", "{n} days"),
        ("{n}小时", "{w}天", "{n}周", "{w}个月", "{n}分钟", "{n}天"),
    ),
    "place": (tuple(english.PLACES[:50]), tuple(chinese.PLACES[:32])),
    "owner": (tuple(english.PEOPLE), tuple(chinese.PEOPLE)),
    "colour": (
        tuple("red green blue yellow white black grey purple".split()),
        tuple("红色 绿色 蓝色 黄色 白色 黑色 灰色 紫色".split()),
    ),
    "rate": (
        ("every day", "every week", "every month", "daily", "weekly", "monthly", "once a year", "every quarter"),
        ("每天", "每周", "每月", "每季度", "每年"),
    ),
}
_RANGES = {"day": (1, 28), "hour": (6, 11), "duration": (2, 12)}
_SHARES = (10, 20, 30, 40, 60, 70, 80, 90, 35, 45, 85)


def _value(kind: str, zh: bool, chance: random.Random) -> str:
    number = chance.randint(*_RANGES[kind]) if kind in _RANGES else _number(chance)
    number = chance.choice(_SHARES) if kind == "share" else number
    words = ("两" if number == 2 else numerals.chinese(number)) if zh else numerals.english(number)
    return chance.choice(_WRITTEN.get(kind, _WRITTEN["rate"])[zh]).format(
        n=number,
        w=words,
        m=chance.randint(1, 12),
        y=chance.randint(2015, 2026),
        day=chance.choice(english.DAYS),
        month=chance.choice(english.MONTHS),
        ordinal=chance.choice(english.ORDINALS),
        weekday=chance.choice("一二三四五六"),
    )


def _number(chance: random.Random) -> int:
    return chance.choice(
        (chance.randint(2, 20), chance.randint(2, 99), chance.randint(1, 30) * 10, chance.randint(100, 5000))
    )


_SAME = ({"every day", "daily"}, {"every week", "weekly"}, {"every month", "monthly"})


def _fill(wording: str, slots: dict[str, str]) -> str:
    filled = wording.format(
        **slots,
        T=slots["t"][:1].upper() + slots["t"][1:],
        W=slots["w"][:1].upper() + slots["w"][1:],
        X=slots["x"][:1].upper() + slots["x"][1:],
    )
    return filled[:1].upper() + filled[1:]


def _slots(fact: Fact, zh: bool, chance: random.Random) -> dict[str, str]:
    return {
        "t": chance.choice(_ZH_THING if zh else _EN_THING),
        "w": chance.choice(_ZH_WHO if zh else _EN_WHO),
        "x": chance.choice(_ZH_TOPIC if zh else _EN_TOPIC),
        "v": _value(fact.values, zh, chance),
    }


def pair(zh: bool, chance: random.Random) -> tuple[str, str, str, str]:
    """Return two sentences, their label and kind."""
    fact = chance.choice(_ZH_FACTS if zh else _EN_FACTS)
    slots = _slots(fact, zh, chance)
    first = _fill(chance.choice(fact.wordings), slots)
    way = chance.random()
    if way < 0.3:
        return (
            first,
            _fill(chance.choice([w for w in fact.wordings if _fill(w, slots) != first]), slots),
            "consistent",
            "fact_same",
        )
    other = _other(fact, slots, zh, chance)
    if way < 0.7:
        return (
            (first, _fill(chance.choice(fact.denials), slots), "contradiction", "fact_denied")
            if fact.denials
            else (first, _fill(chance.choice(fact.wordings), slots | {"v": other["v"]}), "contradiction", "fact_value")
        )
    wordings = fact.denials if fact.denials and chance.random() < 0.6 else fact.wordings
    moved = (
        slots
        | {"v": other["v"]}
        | (
            {"t": other["t"]}
            if "{w}" not in first.lower() and fact.values not in ("taste", "came")
            else chance.choice(({"w": other["w"]}, {"x": other["x"], "t": other["t"]}))
        )
    )
    return first, _fill(chance.choice(wordings), moved), "neutral", "fact_other"


def _other(fact: Fact, slots: dict[str, str], zh: bool, chance: random.Random) -> dict[str, str]:
    """Return slots that all differ from the given ones, the value also in meaning."""
    while True:
        other = _slots(fact, zh, chance)
        alike = (
            _form(other["v"]) != _form(slots["v"])
            or any({other["v"], slots["v"]} <= same for same in _SAME)
            or _reading(other["v"]) == _reading(slots["v"])
        )
        if all(other[slot] != slots[slot] for slot in "twx") and (not alike or fact.denials):
            return other


def _form(value: str) -> str:
    """Tell weekdays, days of the month and years apart: Monday may be the fifth of June."""
    if value.startswith("每"):
        return "other"
    if value in english.DAYS or value[:1] in "星周":
        return "weekday"
    return "month" if "月" in value or any(month in value for month in english.MONTHS) else "other"


_WORDS = tuple((numerals.english(number) + " ", numerals.chinese(number), str(number)) for number in range(99, 1, -1))


def _reading(value: str) -> str:
    """Return a value with its numbers in digits, so that "five" and 5 are one."""
    for word, han, digits in _WORDS:
        value = value.replace(word, f"{digits} ").replace(han, digits)
    return (
        value.replace("两", "2")
        .replace(" percent", "%")
        .replace("百分之", "")
        .replace("%", "")
        .replace("$", "")
        .replace(" dollars", "")
        .replace("周", "星期")
        .replace("块钱", "元")
        .replace("早上", "上午")
        .replace(" o'clock", " am")
        .replace(" in the morning", " am")
        .strip()
    )
