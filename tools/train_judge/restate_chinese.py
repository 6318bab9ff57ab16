"""Ways to say a Chinese sentence again without changing what it claims."""

from __future__ import annotations

import random
import re

from tools.train_judge import bounds, chinese, numerals
from tools.train_judge.restate_english import roughly
from tools.train_judge.spans import Change, put_one

_STOP = re.compile(r"[。.！!]+\s*$")
_SYNONYM = re.compile("|".join(sorted(map(re.escape, chinese.SYNONYMS_SAFE), key=len, reverse=True)))
_DIGITS = re.compile(
    r"(?<![\w.,:/#-])\d[\d,]*(?:\.\d+)?(?![\dA-Za-z:/-]|[.,]\d)|"
    r"(?<=[\u4e00-\u9fff])\d[\d,]*(?:\.\d+)?(?![\dA-Za-z:/-]|[.,]\d)"
)
_HAN_NUMBER = re.compile(
    r"(?<![第几数零一二三四五六七八九十百千万亿星期周拜统])(?:[一二两三四五六七八九十百千]+[百千万亿]"
    r"[一二三四五六七八九十百千万]*|"
    r"[二三四五六七八九]?十[一二三四五六七八九]?|"
    r"[两三四五六七八九])(?=[个位名家次种件条台张本辆间座项套份篇层天年岁元小分公米人倍月])(?!月亮)"
)
_PERCENT = re.compile(
    r"(\d+(?:\.\d+)?)\s?[%％]|百分之([一二三四五六七八九十百]+)|([一二三四五六七八九])成(?![为立员本功熟果长就])"
)
_WEEK = re.compile("星期|礼拜|周(?=[一二三四五六日])")
_ABBREVIATIONS = (
    ("北京大学", "北大"), ("清华大学", "清华"), ("世界卫生组织", "世卫组织"), ("人工智能", "AI"), ("中华人民共和国",
    "中国"), ("联合国安全理事会", "联合国安理会"), ("奥林匹克运动会", "奥运会"),
    ("新型冠状病毒", "新冠病毒"), ("人民币", "RMB"), ("首席执行官", "CEO"), ("应用程序", "应用"), ("美利坚合众国",
    "美国"), ("高等教育", "高教"), ("房地产", "地产"), ("有限公司", "公司"), ("疾病预防控制中心", "疾控中心"),
    ("公共汽车", "公交车"), ("飞机场", "机场"), ("环境保护", "环保"), ("电子商务", "电商"), ("信息技术", "IT"),
    ("中小企业", "中小型企业"), ("电视机", "电视"), ("空调机", "空调"), ("进出口", "进口和出口"),
    ("一带一路倡议", "一带一路"), ("身份证件", "证件"), ("地下铁路", "地铁"), ("超级市场", "超市"), ("电话号码",
    "电话"), ("环保", "环境保护"), ("电商", "电子商务"), ("超市", "超级市场"), ("奥运会", "奥林匹克运动会"),
    ("世卫组织", "世界卫生组织"),
)  # fmt: skip
_SUBJECT = "我们|他们|她们|我|他|她|你|大家|公司|汤姆|玛丽|咱们|政府|学校|这家公司|这个项目"
_TIME = (
    "昨天|今天|明天|去年|今年|明年|上周|下周|上个月|下个月|现在|目前|以前|最近|早上|晚上|上午|下午|每天|经常|有时候"
    "|\\d{4}年|\\d{1,2}月\\d{1,2}日"
)
_TIME_FIRST = re.compile(f"^({_TIME})[，,]?({_SUBJECT})(?![的们])")
_SUBJECT_FIRST = re.compile(f"^({_SUBJECT})({_TIME})(?![的们])")
_CAUSE = re.compile("^(?:因为|由于)([^，。]{3,40})，(?:所以|因此)?([^，。]{3,40})[。]?$")
_EFFECT = re.compile("^([^，。]{3,40})，因为([^，。]{3,40})[。]?$")
_THOUGH = re.compile("^虽然([^，。]{3,40})，(?:但是|但|可是|不过)([^，。]{3,40})[。]?$")
_WHEN = re.compile("^(在[^，。]{2,16}[中里上时内下])，([^，。]{4,30})[。]?$")
_TAKEN = re.compile(
    f"({_SUBJECT})把([^，。把将被给]{{1,10}}?)((?:放|关|卖|送|打|改|删|拿|带|交|写|吃|丢|忘|搬|推|分|转|借|取|换|抢"
    f"|偷|弄|摔|修|洗|存|骗|输|烧)[^，。]{{0,12}})(?=[，。]|$)"
)
_BY = re.compile(
    f"([^，。的]{{1,8}})被({_SUBJECT})((?:放|关|卖|送|打|改|删|拿|带|交|写|吃|丢|忘|搬|推|分|转|借|取|换|抢|偷|弄|"
    f"摔|修|洗|存|骗|烧)[^，。]{{0,12}})(?=[，。]|$)"
)
_WITH = re.compile(
    "(?:^|(?<=[，可以并来则应能请]))将(?=[^，。被在会不要]{1,14}(?:设置为|作为|添加到|转换为|放在|放到|移到|存储|删"
    "除|分配|传递|用作|视为|称为|分为|标记为))"
)
_CONVERSE = re.compile(
    "([^，。、 不因尽还也略年可很得老反]{1,6}?)比(?![较如例])([^，。、 不因尽还也略年可很得老反]{1,6}?)"
    "(更|还|要)?(高|低|大|小|多|少|快|慢|长|短|贵|便宜|强|弱|好|差|早|晚|远|近|重|轻)(?=[。，]|$)"
)
_ROUND = dict(zip("高低大小多少快慢长短强弱早晚远近重轻", "低高小大少多慢快短长弱强晚早近远轻重", strict=True)) | {
    "贵": "便宜",
    "便宜": "贵",
    "好": "差",
    "差": "好",
}
_DENIED = (
    ("失败了", "没有成功"), ("没有成功", "失败了"), ("不一样", "不同"), ("不相同", "不同"), ("很困难", "很不容易"),
    ("很难", "很不容易"), ("很便宜", "一点也不贵"), ("很危险", "不安全"), ("不安全", "有危险"), ("错误的",
    "不正确的"), ("不正确", "是错的"),
    ("无效", "没有效果"), ("不存在", "并没有"), ("不多", "很少"), ("很少", "不多"), ("不远", "很近"), ("不贵",
    "便宜"), ("不知道", "不清楚"), ("不容易", "难"), ("未完成", "还没有完成"), ("未通过", "没有通过"), ("不能",
    "没办法"), ("一定要", "必须"), ("必须", "一定要"), ("不允许", "禁止"), ("禁止", "不允许"), ("不得", "禁止"),
)  # fmt: skip
_HALF = str.maketrans("，。：；！（）", ",.:;!()")
_FULL_DIGITS = str.maketrans("0123456789%", "０１２３４５６７８９％")


def bare(sentence: str) -> str:
    """Return a sentence without its full stop."""
    return _STOP.sub("", sentence.strip())


def copy(sentence: str, _chance: random.Random) -> str | None:
    """Say it again word for word."""
    return sentence


def opening(sentence: str, chance: random.Random) -> str | None:
    """Put an announcing phrase before it."""
    return chance.choice(chinese.OPENINGS) + sentence


def closing(sentence: str, chance: random.Random) -> str | None:
    """Put a phrase behind it that claims nothing new."""
    if re.search("[?？]", sentence):
        return None
    ending = chance.choice(chinese.CLOSINGS)
    body = bare(sentence)
    if len(ending) == 1 and body[-1:] in "的了吗呢吧啊嘛":
        ending = "，是这样的"
    return f"{body}{ending}。"


def clause(sentence: str, chance: random.Random) -> str | None:
    """Say one clause of it only, or leave a bracket out."""
    dropped = re.sub(r"\s*[(（][^()（）]{2,60}[)）]", "", sentence)
    if dropped != sentence and chance.random() < 0.7:
        return dropped
    if re.search("如果|只有|除非|不是|除了|还是|要么|无论|不管|当|若|假如|只要", sentence):
        return None
    parts = [
        part
        for part in re.split("[，,；;]", bare(sentence))
        if len(part) >= 8 and not re.match("对|在|当|为|根据|通过|从|随着|除|或|则|以|作为|由|包括|尤其|达到|按", part)
    ]
    return (
        re.sub("^(?:但是|但|所以|因此|而且|并且|然后|而|因为|由于|虽然|那么)", "", chance.choice(parts)) + "。"
        if len(parts) > 1
        else None
    )


# Each order with the others that say the same; the last group is the rest of the sentence.
_ORDERS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (_TIME_FIRST, ("{2}{1}{rest}",)),
    (_SUBJECT_FIRST, ("{2}{1}{rest}", "{2}，{1}{rest}")),
    (_CAUSE, ("{2}，因为{1}。", "之所以{2}，是因为{1}。", "由于{1}，{2}。")),
    (_EFFECT, ("因为{2}，所以{1}。", "由于{2}，{1}。", "之所以{1}，是因为{2}。")),
    (_THOUGH, ("{2}，尽管{1}。",)),
    (_WHEN, ("{1}{2}。",)),
)
_LINKED = re.compile("并且|而且|同时|，也")
_ON_ITS_OWN = re.compile("[^因所但如虽只当并还也就而且然即若无不或则再达是可这那它其 ].*[是有]")


def reorder(sentence: str, chance: random.Random) -> str | None:
    """Change the order of time and subject, of reason and result, or of two clauses that stand on their own."""
    for pattern, orders in _ORDERS:
        if found := pattern.match(sentence):
            return chance.choice(orders).format("", found[1], found[2], rest=sentence[found.end() :])
    parts = bare(sentence).split("，")
    if len(parts) != 2 or _LINKED.search(sentence) or not all(_ON_ITS_OWN.match(part) for part in parts):
        return None
    return f"{parts[1]}，{parts[0]}。"


def object_first(sentence: str, chance: random.Random) -> str | None:
    """Turn 把 into 被, 被 into 把, 将 into 把."""
    found = [Change(*m.span(), f"{m[2]}被{m[1]}{m[3]}") for m in _TAKEN.finditer(sentence)]
    found += [Change(*m.span(), f"{m[2]}把{m[1]}{m[3]}") for m in _BY.finditer(sentence)]
    found += [Change(*m.span(), "把") for m in _WITH.finditer(sentence)]
    return put_one(sentence, found, chance)


def synonym(sentence: str, chance: random.Random) -> str | None:
    """Put another word of the same meaning for up to three."""
    changed = sentence
    for _ in range(chance.choice((1, 1, 2, 2, 3))):
        found = [
            Change(*m.span(), chinese.SYNONYMS_SAFE[m[0]])
            for m in _SYNONYM.finditer(changed)
            if not _inside(changed, m)
        ]
        changed = put_one(changed, found, chance) or changed
    return changed if changed != sentence else None


# Beside one of these a word may be a piece of another: 特别 in 特别是, 需要 in 不需要.
_BEFORE = frozenset("不没最可是有一这那重主只需")
_AFTER = frozenset("性度者率家员量点化是地不没")


def _inside(sentence: str, match: re.Match[str]) -> bool:
    """Say whether the word may be a piece of another."""
    return (
        sentence[max(0, match.start() - 1) : match.start()] in _BEFORE
        or sentence[match.end() : match.end() + 1] in _AFTER
    )


def number_format(sentence: str, chance: random.Random) -> str | None:
    """Write a number another way: 三万, 3万, 30000; 三成, 30%, 百分之三十."""
    found = [Change(*m.span(), other) for m in _DIGITS.finditer(sentence) if (other := _written(m, sentence, chance))]
    for match in _HAN_NUMBER.finditer(sentence):
        value = numerals.read_chinese(match[0])
        if value:
            forms = [str(value), f"{value:,}"] + (
                [f"{value / 10000:g}万"] if value >= 10000 and value % 1000 == 0 else []
            )
            found.append(Change(*match.span(), chance.choice(forms)))
    found += [Change(*m.span(), chance.choice(_shares(m))) for m in _PERCENT.finditer(sentence)]
    return put_one(sentence, found, chance)


def _shares(match: re.Match[str]) -> list[str]:
    if match[1] and "." in match[1]:
        whole, part = match[1].split(".")
        return [
            f"百分之{match[1]}",
            f"百分之{numerals.chinese(int(whole))}点" + "".join("零一二三四五六七八九"[int(d)] for d in part),
        ]
    value = (
        int(match[1])
        if match[1]
        else (numerals.read_chinese(match[2]) or 0)
        if match[2]
        else 10 * (numerals.read_chinese(match[3]) or 0)
    )
    forms = [f"{value}%", f"{value}％", f"百分之{value}", f"百分之{numerals.chinese(value) if value < 100 else '百'}"]
    forms += (
        [f"{numerals.chinese(value // 10)}成"]
        if value % 10 == 0 and 0 < value < 100
        else ["一半"]
        if value == 50
        else []
    )
    return [form for form in forms if form != match[0]]


def _written(match: re.Match[str], sentence: str, chance: random.Random) -> str | None:
    digits, after = match[0], sentence[match.end() :].lstrip()
    if (
        digits.endswith(",")
        or after[:1] in ("%", "％", "-", "–", "·")
        or re.search("(?:电话.{0,4}|号码.{0,3}|[A-Za-z] ?|发言人)$", sentence[: match.start()])
    ):
        return None
    if "." in digits:
        whole, part = digits.split(".")
        if after[:1] in ("万", "亿") and chance.random() < 0.7 and "," not in whole:
            return f"{numerals.chinese(int(whole))}点" + "".join("零一二三四五六七八九"[int(d)] for d in part)
        return None
    value = int(digits.replace(",", ""))
    if after.startswith("年") and len(digits) == 4:
        return "".join("〇一二三四五六七八九"[int(d)] for d in digits) if chance.random() < 0.3 else None
    if digits.startswith("0") or value >= 10**9 or (value >= 100_000 and value % 100):
        return None
    forms = [numerals.chinese(value)]
    forms += [f"{value / 10000:g}万"] if value >= 10000 and value % 100 == 0 and after[:1] not in ("万", "亿") else []
    forms += [f"{value:,}"] if value >= 1000 and "," not in digits else []
    return chance.choice(forms)


def date_format(sentence: str, chance: random.Random) -> str | None:
    """Say 礼拜三 for 星期三, 5号 for 5日, 下午3点 for 15:00."""
    found = [
        Change(*m.span(), chance.choice([w for w in ("星期", "周", "礼拜") if w != m[0]]))
        for m in _WEEK.finditer(sentence)
        if sentence[m.end() : m.end() + 1] in "一二三四五六"
    ]
    found += [
        Change(*m.span(), "号" if m[0] == "日" else "日")
        for m in re.finditer(r"(?<=月\d)[日号]|(?<=月\d\d)[日号]", sentence)
    ]
    for match in re.finditer(r"(?<!\d)(1[3-9]|2[0-2])[:：](\d\d)(?!\d)", sentence):
        minutes = "" if match[2] == "00" else "半" if match[2] == "30" else f"{int(match[2])}分"
        found.append(
            Change(*match.span(), f"{'下午' if int(match[1]) < 18 else '晚上'}{int(match[1]) - 12}点{minutes}")
        )
    found += [
        Change(*m.span(), f"{m[1]}-{int(m[2]):02}-{int(m[3]):02}")
        for m in re.finditer(r"(\d{4})年(\d{1,2})月(\d{1,2})日", sentence)
    ]
    return put_one(sentence, found, chance)


_COUNTED = frozenset("个人元列例万亿名家次种条台张本间座项套份篇天小分公米块倍美英起多%％")


def rounding(sentence: str, chance: random.Random) -> str | None:
    """Say about how much: 5120 is about 5000."""
    found = []
    for match in _DIGITS.finditer(sentence):
        after = sentence[match.end() :].lstrip()[:1]
        if (
            match[0].endswith(",")
            or len(match[0]) > 11
            or match[0][0] == "0"
            or after not in _COUNTED
            or re.search("(?:约|第|近|于|过|电话.{0,4}|、|从|号码.{0,3})\\s?$", sentence[: match.start()])
        ):
            continue
        rough = roughly(float(match[0].replace(",", "")))
        if rough is None:
            continue
        written = f"{rough:g}" if rough < 10**6 else f"{rough:.0f}"
        if rough >= 10000 and rough % 1000 == 0 and after not in ("万", "亿"):
            written = f"{rough / 10000:g}万"
        found.append(
            Change(
                *match.span(),
                chance.choice(
                    ("约", "大约", "大概", "差不多", "将近" if rough > float(match[0].replace(",", "")) else "大约")
                )
                + written,
            )
        )
    return put_one(sentence, found, chance)


def fillers(sentence: str, chance: random.Random) -> str | None:
    """Drop or put in words that carry nothing."""
    found = [
        Change(*m.span(), "")
        for word in chinese.DROPPABLE
        for m in re.finditer(f"(?<=[\u4e00-\u9fff，]){word}(?=[\u4e00-\u9fff，。])", sentence)
        if not sentence[: m.start()].endswith(("不", "没", "是"))
    ]
    if found and chance.random() < 0.6:
        return put_one(sentence, found, chance)
    spots = [m.end() for m in re.finditer("，|^(?:我们|他们|我|他|她|你|大家)(?=[^们的])", sentence)]
    added = [Change(spot, spot, chance.choice(chinese.ADDABLE)) for spot in spots]
    return put_one(sentence, added, chance)


def particles(sentence: str, chance: random.Random) -> str | None:
    """Drop 的, 了, 呢, 吧 where the sense stays, or a space-filling 一个."""
    found = [
        Change(*m.span(), "")
        for m in re.finditer(
            "(?<=我们)的(?=[\u4e00-\u9fff]{2})|(?<=他们)的(?=[\u4e00-\u9fff]{2})|(?<=[我你他她])的(?=[妈爸朋哥姐弟"
            "妹老家公学])|(?<=[增下上提降减加])(?<=[长降升高低少加])了(?=[百\\d约近])|(?<=[长降升高低少加])了(?=[百"
            "\\d约近])|[呢吧啊嘛](?=[，。])|(?<=是)一[个种](?=[\u4e00-\u9fff]{2})|(?<=进行)了|(?<=逐渐)地|(?<=不断"
            ")地|(?<=更好)地|(?<=很快)地|(?<=简单)地|(?<=慢慢)地|(?<=迅速)地|(?<=直接)地|(?<=很好)地|一下(?=[，。"
            "\u4e00-\u9fff])",
            sentence,
        )
    ]
    return put_one(sentence, found, chance)


def pronoun(sentence: str, _chance: random.Random) -> str | None:
    """Say 他, 她 or 它 for the subject."""
    changed = re.sub(
        "^(?:汤姆|约翰|彼得|杰克|小明|小王|老王|[\u4e00-\u9fff]先生|[\u4e00-\u9fff]总)(?=[是在有会想说去来喜没不要"
        "把给的])",
        "他",
        sentence,
    )
    changed = re.sub("^(?:玛丽|露西|安娜|小红|[\u4e00-\u9fff]女士)(?=[是在有会想说去来喜没不要把给的])", "她", changed)
    changed = re.sub(
        "^(?:此|这个|该|这种|这些)(?:方法|函数|属性|命令|字段|模块|参数|类|接口|选项|项目|方案|系统|值|文件)(?=[是"
        "在会可能将用返表用不必仅])",
        "它",
        changed,
    )
    return changed if changed != sentence else None


def speaker(sentence: str, chance: random.Random) -> str | None:
    """Put a speaker before it."""
    return f"{chance.choice(chinese.SPEAKERS)}：{sentence}"


def typing(sentence: str, chance: random.Random) -> str | None:
    """Type it otherwise: width, spaces, stops."""
    forms = [
        sentence.translate(_HALF), sentence.translate(_FULL_DIGITS), bare(sentence), f"{bare(sentence)}！",
        f"“{sentence}”", f"{bare(sentence)}.", f"{bare(sentence)}。。",
        re.sub(r"(?<=[\u4e00-\u9fff]) (?=\w)|(?<=[\w]) (?=[\u4e00-\u9fff])", "", sentence),
        re.sub(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z\d])|(?<=[A-Za-z\d])(?=[\u4e00-\u9fff])", " ", sentence),
        re.sub("，", " ", sentence), sentence.replace("，", ""), sentence.replace("、", "，"), sentence.upper(),
        sentence.lower(),
    ]  # fmt: skip
    forms = [form for form in forms if form != sentence]
    return chance.choice(forms) if forms else None


def abbreviation(sentence: str, chance: random.Random) -> str | None:
    """Write a long name short, or the other way round."""
    found = [Change(m.start(), m.end(), short) for long, short in _ABBREVIATIONS for m in re.finditer(long, sentence)]
    return put_one(sentence, found, chance)


def opposite_denied(sentence: str, chance: random.Random) -> str | None:
    """Say 没有成功 for 失败了: the same in other words."""
    found = [
        Change(m.start(), m.end(), new)
        for old, new in _DENIED
        for m in re.finditer(f"(?<![不没未无能会贵多远安]){old}(?![不性])", sentence)
    ]
    return put_one(sentence, found, chance)


def converse(sentence: str, chance: random.Random) -> str | None:
    """Say that B is smaller than A, for A is larger than B."""
    found = []
    for match in _CONVERSE.finditer(sentence):
        if match.start() == 0 or sentence[match.start() - 1] in "，。：":
            small = match[4]
            forms = [f"{match[2]}比{match[1]}{match[3] or ''}{_ROUND[small]}", f"{match[2]}没有{match[1]}{small}"]
            found.append(Change(*match.span(), chance.choice(forms)))
    return put_one(sentence, found, chance)


def bound(sentence: str, chance: random.Random) -> str | None:
    """Say 超过四十 for 45: less exact, still true."""
    return bounds.kept(sentence, chance)
