"""Two sentences with different values that still agree: another time, thing, speaker, plan, question or condition.

Each function takes a sentence and its changed form and returns the pair. `same_scope` is the counterpart: the same
frame around both, so that the frame alone tells the model nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tools.train_judge.restate_chinese import bare as bare_chinese
from tools.train_judge.restate_english import bare as bare_english
from tools.train_judge.spans import begin, inner, is_chinese

Pair = tuple[str, str]
Scope = Callable[[str, str, random.Random], Pair]

_ITEMS = {
    "en": (
        "In {Paris|London|Berlin|Tokyo|Boston|Beijing}", "For {Team A|Team B|Team C|Team D}",
        "In the {first|second|third|fourth} experiment",
        "For the {premium|basic|free|standard} plan", "On {Linux|Windows|macOS|Android}",
        "In the {staging|production|test|development} environment",
        "In {room 3|room 5|room 12}", "For {product A|product B|product X}", "At the {north|south|east|west} site",
        "For {Anna|Tom|Maria|Omar}",
        "In {group 1|group 2|the control group}", "According to {option A|option B|option C}",
        "With {caching|compression|the old driver|the new driver}",
        "Under {scenario one|scenario two|the worst case|the best case}", "In {chapter 2|chapter 4|section 7}",
        "For {adults|children|seniors}",
        "In the {red|blue|green} model", "On {server 1|server 2|node 7}", "For the {Asian|European|American} market",
        "In {branch main|branch dev}",
        "For {weekdays|weekends|holidays}", "With {Python 3.9|Python 3.12|Java}", "In the {kitchen|garage|office}",
        "For {rural|urban} areas",
        "Among {women|men|students|teachers}", "On the {ground|second|top} floor",
        "In the {marketing|design|finance|legal} department",
        "In our {first|second|third} meeting", "In the {morning|evening} session", "For {large|small} companies",
        "In the {left|right|middle} column",
    ),
    "zh": (
        "在{北京|上海|广州|深圳|成都}", "{一|二|三|四}组", "在{华东|华南|华北}地区", "{A|B|C}方案中",
        "{甲|乙|丙}公司", "在{测试|生产|开发}环境里", "对于{老用户|新用户|会员}",
        "在{第一次|第二次|第三次}实验中", "{线上|线下}渠道", "{国内|海外}市场上", "{男生|女生|老人|儿童}这边",
        "{技术|市场|财务|法务}部门", "{一期|二期|三期}项目", "{1|2|3}号机房", "{工作日|周末|节假日}",
        "{大|中|小}型企业里", "在{上一个|下一个|另一个}版本中", "{左|右|中间}边这一列", "{乐观|悲观|中性}情景下",
        "{红色|蓝色|白色}那款", "{农村|城市}地区", "{小学|中学|大学}阶段", "{安卓|苹果|鸿蒙}系统上",
        "{高配|低配|标准}版",
    ),
}  # fmt: skip
_TIMES = {
    "en": (
        ("Last year", "This year"), ("In 2018", "In 2021"), ("Yesterday", "Today"), ("At first", "In the end"),
        ("Previously", "Now"), ("In the past", "Today"), ("Last week", "This week"),
        ("In the first quarter", "In the second quarter"), ("Before the update", "After the update"), ("On Monday",
        "On Thursday"), ("In the old version", "In the new version"), ("Back then", "Nowadays"),
        ("In the morning", "In the evening"), ("Originally", "Since the change"), ("In January", "In June"),
        ("Initially", "Later on"), ("Until last month", "From this month on"), ("Ten years ago", "These days"),
        ("During the pilot", "After the launch"), ("In version 1", "In version 2"), ("Before lunch", "After lunch"),
        ("In winter", "In summer"), ("This year", "Next year"), ("Before the merger", "Since the merger"),
        ("On the first day", "On the last day"), ("Earlier", "At the moment"), ("In the 1990s", "In the 2010s"),
        ("A month ago", "As of today"),
    ),
    "zh": (
        ("去年", "今年"), ("以前", "现在"), ("2018年", "2021年"), ("昨天", "今天"), ("一开始", "后来"), ("上周",
        "本周"), ("第一季度", "第二季度"), ("更新之前", "更新之后"), ("星期一", "星期四"), ("旧版本里", "新版本里"),
        ("过去", "如今"),
        ("上午", "晚上"), ("原来", "改革之后"), ("一月份", "六月份"), ("最初", "最终"), ("上个月之前", "从这个月起"),
        ("十年前", "现在"), ("试点期间", "正式上线后"), ("冬天", "夏天"), ("今年", "明年"), ("合并之前", "合并以后"),
        ("第一天", "最后一天"),
        ("疫情之前", "疫情之后"), ("那时候", "目前"), ("小时候", "长大以后"), ("九十年代", "今天"), ("上半年",
        "下半年"),
    ),
}  # fmt: skip
_PEOPLE = {"en":
    "Tom|Mary|the manager|the customer|Anna|the first reviewer|the second reviewer|Professor Lee|the supplier|our "
    "lawyer|the intern|the board|Omar|the union|the minister|the designer"
.split("|"),
           "zh":
               "汤姆|玛丽|经理|客户|小王|第一位评审|第二位评审|李教授|供应商|律师|实习生|董事会|老张|工会|部长|设计"
               "师|主持人|王总"
           .split("|")}  # fmt: skip
_FRAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "question": {
        "en": (
            "Is it true that {b}?", "Did you say that {b}?", "So {b}?", "{B}, right?", "Do you think {b}?",
            "Why would {b}?", "Are you sure that {b}?", "Who told you that {b}?", "Could it be that {b}?", "{B}?",
            "Can anyone confirm that {b}?",
            "I wonder whether {b}.", "We need to find out whether {b}.", "It is unclear whether {b}.",
            "The question is whether {b}.", "Does that mean {b}?", "What if {b}?", "I am not sure if {b}.",
        ),
        "zh": ("{b}吗？", "是不是{b}？", "难道{b}？", "您觉得{b}吗？", "{b}，对吗？", "谁说{b}的？", "会不会{b}？",
        "为什么说{b}呢？", "我想知道是不是{b}。", "还不清楚{b}与否。", "问题是{b}吗？", "有没有可能{b}？", "{b}？",
        "你确定{b}吗？", "我不确定是否{b}。"),
    },
    "condition": {
        "en": (
            "If {b}, we would have to start over.", "If {b}, please let me know.", "Unless {b}, nothing changes.",
            "Suppose {b}.", "Imagine that {b}.", "Even if {b}, we should go on.", "It would be different if {b}.",
            "Had it been otherwise, {b}.",
            "Let us assume for a moment that {b}.", "In case {b}, call me.", "We would only worry if {b}.",
            "I wish {b}.", "It would be nice if {b}.", "As long as {b}, the rule does not apply.",
            "Whenever {b}, an alarm goes off.",
        ),
        "zh": ("如果{b}，我们就要重新来。", "假如{b}，请告诉我。", "除非{b}，否则不变。", "假设{b}。",
        "即使{b}，我们也要继续。", "要是{b}就好了。", "万一{b}，就给我打电话。", "只有{b}的时候才需要担心。",
        "倘若{b}，结果会不一样。", "若{b}，则该规则不适用。", "只要{b}，就会报警。"),
    },
    "attributed": {
        "en": (
            "{W} claims that {b}.", "But {w} believes that {b}.", "{W} disagrees and says {b}.",
            "Some people say that {b}.", "There is a rumour that {b}.", "A common mistake is to think that {b}.",
            "According to {w}, {b}.", "In {w}'s opinion, {b}.",
            "The newspaper reported that {b}.", '{W} wrote: "{b}."', "{W} would argue that {b}.",
            "Others insist that {b}.", "{W} used to think that {b}.", "The opposite view is that {b}.",
            "{W} had been told that {b}.",
        ),
        "zh": ("{w}说{b}。", "但{w}认为{b}。", "{w}不同意，他觉得{b}。", "有人说{b}。", "网上传言{b}。",
        "很多人误以为{b}。", "按照{w}的说法，{b}。", "在{w}看来，{b}。", "报纸报道说{b}。", "{w}写道：“{b}。”",
        "另一种观点是{b}。", "也有人坚持{b}。", "{w}曾经以为{b}。"),
    },
    "plan": {
        "en": (
            "The plan was that {b}.", "We had expected that {b}.", "The original estimate said that {b}.",
            "The goal is that {b}.", "We hope that {b}.", "The forecast says that {b}.", "Ideally, {b}.",
            "The proposal is that {b}.", "In the future, {b}.",
            "It might also be that {b}.", "Maybe {b}.", "Next time, {b}.", "One idea is that {b}.",
            "We considered a version in which {b}.", "The target for next year is that {b}.",
            "By the end of the project, {b}.", "In theory, {b}.",
        ),
        "zh": ("原计划是{b}。", "我们本来预计{b}。", "最初的估计是{b}。", "目标是{b}。", "我们希望{b}。",
        "有预测说{b}。", "理想情况下，{b}。", "提案是{b}。", "将来{b}。", "也可能{b}。", "也许{b}。", "下一次{b}。",
        "有一个想法是{b}。", "明年的目标是{b}。", "理论上{b}。", "我们曾考虑过{b}的方案。"),
    },
    "correction": {
        "en": (
            "No, sorry, I meant {b}.", "Correction: {b}.", "Scratch that, {b}.", "Let me correct myself: {b}.",
            "I was wrong about that; {b}.", "Sorry, that was a mistake: {b}.", "Actually no, {b}.", "Erratum: {b}.",
            "That has changed since: now {b}.",
            "We have revised this: {b}.", "That is no longer the case; {b}.", "Oh wait, I misspoke: {b}.",
            "Updated figure: {b}.", "After checking again, I have to correct this: {b}.",
            "My earlier statement was wrong: {b}.",
        ),
        "zh": ("不对，我是说{b}。", "更正：{b}。", "更正一下，{b}。", "抱歉，刚才说错了，{b}。",
        "我说错了，应该是{b}。", "不好意思，纠正一下：{b}。", "后来情况变了，现在{b}。", "这一点已经改了：{b}。",
        "勘误：{b}。", "哦不，是{b}。", "重新核对之后，需要更正：{b}。", "之前的说法有误，{b}。"),
    },
}  # fmt: skip


def _language(sentence: str) -> str:
    return "zh" if is_chinese(sentence) else "en"


def _bare(sentence: str) -> str:
    return bare_chinese(sentence) if is_chinese(sentence) else bare_english(sentence)


def _led(lead: str, sentence: str) -> str:
    """Put a scope before a sentence."""
    if is_chinese(sentence):
        return f"{lead}，{sentence}" if len(lead) > 3 else f"{lead}{sentence}"
    return f"{begin(lead)}, {inner(sentence)}"


def other_time(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Say both of different times, or only the second of another time."""
    first, second = chance.choice(_TIMES[_language(sentence)])
    if chance.random() < 0.3:
        first, second = second, first
    if chance.random() < 0.2:
        return sentence, _led(first, changed)
    return _led(first, sentence), _led(second, changed)


def same_time(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Say both of one time: a contradiction."""
    lead = chance.choice(chance.choice(_TIMES[_language(sentence)]))
    return _led(lead, sentence), _led(lead, changed)


def _items(sentence: str, chance: random.Random) -> tuple[str, str]:
    """Return two scopes of one kind, such as two cities."""
    head, rest = chance.choice(_ITEMS[_language(sentence)]).split("{")
    options, tail = rest.split("}")
    first, second = chance.sample(options.split("|"), 2)
    return head + first + tail, head + second + tail


def other_item(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Say one of this thing and one of that."""
    first, second = _items(sentence, chance)
    return _led(first, sentence), _led(second, changed)


def same_item(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Say both of one thing: a contradiction."""
    lead, _ = _items(sentence, chance)
    return _led(lead, sentence), _led(lead, changed)


def _framed(kind: str, sentence: str, changed: str, chance: random.Random) -> Pair:
    language = _language(sentence)
    frame, who = chance.choice(_FRAMES[kind][language]), chance.choice(_PEOPLE[language])
    body = _bare(changed)
    return sentence, frame.format(b=inner(body), B=begin(body), w=who, W=begin(who))


def question(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Ask whether it is otherwise."""
    return _framed("question", sentence, changed, chance)


def condition(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Say what follows were it otherwise."""
    return _framed("condition", sentence, changed, chance)


def attributed(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Give one or both as somebody's word."""
    first, second = _framed("attributed", sentence, changed, chance)
    if chance.random() < 0.5:
        language = _language(sentence)
        one, two = chance.sample(_PEOPLE[language], 2)
        says = (
            ("认为", "说", "表示")
            if language == "zh"
            else (" says that ", " thinks ", " believes that ", ": ", " told us that ")
        )
        said = chance.choice(says)
        return f"{begin(one)}{said}{inner(sentence)}", f"{begin(two)}{said}{inner(changed)}"
    return first, second


def plan(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Set what is against what was planned, hoped or guessed."""
    return _framed("plan", sentence, changed, chance)


def correction(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Take it back openly."""
    return _framed("correction", sentence, changed, chance)


def step(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Make both lines of one list or log."""
    number = chance.randint(1, 12)
    chinese = is_chinese(sentence)
    marks = (
        ("步骤{n}：", "第{n}步：", "{n}、", "{n}. ", "（{n}）", "任务{n}：", "问题{n}：")
        if chinese
        else (
            "Step {n}: ",
            "{n}. ",
            "({n}) ",
            "Task {n}: ",
            "Test {n}: ",
            "Row {n}: ",
            "Item {n}: ",
            "Case {n}: ",
            "Round {n}: ",
            "Page {n}: ",
        )
    )
    mark = chance.choice(marks)
    return mark.format(n=number) + sentence, mark.format(n=number + 1) + changed


def log(sentence: str, changed: str, chance: random.Random) -> Pair:
    """Make both lines of a log with their times."""
    hour, minute = chance.randint(0, 23), chance.randint(0, 49)
    form = chance.choice(("[{h:02}:{m:02}] ", "{h:02}:{m:02}:07 INFO ", "2023-05-0{d} {h:02}:{m:02} ", "Day {d}: "))
    later = chance.randint(1, 10)
    return form.format(h=hour, m=minute, d=1) + sentence, form.format(
        h=hour, m=minute + later, d=2 + later % 7
    ) + changed


NEUTRAL: dict[str, Scope] = {
    "other_time": other_time, "other_item": other_item, "question": question, "condition": condition,
    "attributed": attributed, "plan": plan,
    "correction": correction, "step": step, "log": log,
}  # fmt: skip
CONTRADICTING: dict[str, Scope] = {"same_time": same_time, "same_item": same_item}

_DENIALS = {
    "en": ("It is not true that {a}.", "It is not the case that {a}.", "It's wrong to say that {a}.",
    "It is false that {a}.", "The claim that {a} is false.", "I deny that {a}.", "By no means is it true that {a}.",
    "That {a} is simply wrong."),
    "zh": ("并不是{a}。", "不是{a}。", "说{a}是不对的。", "{a}，这种说法是错误的。", "{a}并不属实。", "事实并非{a}。",
    "{a}是假的。", "绝对不是{a}。", "我否认{a}。"),
}  # fmt: skip


def denied(sentence: str, chance: random.Random) -> str:
    """Deny the whole sentence."""
    language = _language(sentence)
    return chance.choice(_DENIALS[language]).format(a=inner(_bare(sentence)))
