"""Changes to one value of a Chinese sentence, so that it contradicts the sentence it came from."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tools.train_judge import chinese, numerals
from tools.train_judge.spans import Change, different, put_one

_DIGITS = re.compile(
    r"(?<![\w.,:/#-])\d[\d,]*(?:\.\d+)?(?![\dA-Za-z:/-]|[,.]\d|\s?[年月日号点])|"
    r"(?<=[\u4e00-\u9fff])\d[\d,]*(?:\.\d+)?(?![\dA-Za-z:/-]|[,.]\d|\s?[年月日号点])"
)
_HAN_NUMBER = re.compile(
    r"(?<![第十百千万亿星期周拜几数零一二三四五六七八九统])(?:[一二两三四五六七八九十百千]+[百千万亿]"
    r"[一二三四五六七八九十百千万]*|"
    r"[二三四五六七八九]?十[一二三四五六七八九]?|"
    r"[两三四五六七八九])(?=[个位名家次种件条台张本辆间座项套份篇层栋批组门场轮届倍岁天年周元美小分公米亿万人成块点]"
    r")(?![点年]?[击评钟头])"
)
_ONE = re.compile(r"(?<![第十百千万之唯统每任同第有某这那])一(?=[百千万亿年月]|个(?:月|小时|星期)|小时|天(?!到)|倍|半)")
_ORDINAL = re.compile(
    r"(?<!^)第\s?([二三四五六七八九十]|\d+)(?=[\u4e00-\u9fff])(?![个点]?(?:是|就是|我|呢|，|方面|块))|"
    r"第一(?=[次名届章季阶代批期轮步位天年个月大])"
)
_PART = re.compile(r"([一二三四五六七八九])(?=成)|百分之([一二三四五六七八九十百]+|\d+)|([三四五六])分之[一二三]|一半")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d|[01]\d)(?=\s?年)")
_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?=\s?月(?!亮|份额))|(?<![一二三四五六七八九十几个])([一二三四五六七八九]|十[一二]?)(?=月(?!亮))"
)
_DAY = re.compile(r"(?<=月)\s?(\d{1,2})(?=\s?[日号])|(?<=月)([一二三四五六七八九十]{1,3})(?=[日号])")
_WEEKDAY = re.compile(
    r"(?<=星期)[一二三四五六日天]|(?<=周)[一二三四五六日](?![个年月次下到])|(?<=礼拜)[一二三四五六天]"
)
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})([:：]\d\d)(?!\d)|(?<!\d)(\d{1,2})(?=\s?点(?![击赞评半]?[击赞评]))|([两三四五六七八九]|"
    r"十[一二]?)(?=点(?:钟|半|整|出发|到))"
)
_RELATIVE = re.compile(
    "|".join(sorted({word for row in chinese.RELATIVE_DAYS for word in row}, key=lambda word: (-len(word), word)))
)


def _table(rows: tuple[tuple[str, ...], ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for head, *others in rows:
        found.setdefault(head, []).extend(others)
        for other in others:
            if len(other) > 1 and not other.startswith(("不", "没", "未")):
                found.setdefault(other, []).append(head)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


_SWAPS = _table(chinese.ANTONYMS)
_STATUS = _table(chinese.STATUS)
_KIND = {
    word: row
    for row in (*(kind.split() for kind in chinese.KINDS), chinese.PEOPLE, chinese.ORGANISATIONS)
    for word in row
    if len(word) > 1
}
_PLACE_ROWS = tuple(
    frozenset(chinese.PLACES[a:b]) for a, b in ((0, 32), (32, 59), (59, 90), (90, 104), (104, 107), (107, 112))
)


def _any_of(words: list[str] | dict[str, tuple[str, ...]] | dict[str, list[str]]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


_SWAP_WORD, _STATUS_WORD = _any_of(_SWAPS), _any_of(_STATUS)
_IDIOM = _any_of(chinese.IDIOMS)
_KIND_WORD = _any_of(_KIND)
_PLACE_WORD = re.compile(f"(?:{_any_of(chinese.PLACES).pattern})(?![语文人路门话菜烤])")
_UNITS = {row[0]: row[1:] for row in chinese.UNITS}
_UNIT_SPOT = re.compile(
    rf"(?<=[\d一二两三四五六七八九十百千万几])(?<!\d{{4}})(?<!\d{{4}} "
    rf")\s?({_any_of([row[0] for row in chinese.UNITS]).pattern})(?![月前后以代级度轻]|[\u4e00-\u9fff]?月)"
)


def number(sentence: str, chance: random.Random) -> str | None:
    """Give another value to a number, in digits or characters, an ordinal or a share."""
    found = [
        Change(*m.span(), numerals.other_digits(m[0], chance))
        for m in _DIGITS.finditer(sentence)
        if m[0][-1] != "," and not (m.start() == 0 and sentence[m.end() : m.end() + 1] in ")）.、")
    ]
    found += [Change(*m.span(), _other_han(m[0], chance)) for m in _HAN_NUMBER.finditer(sentence)]
    found += [Change(*m.span(), chance.choice("两三四五六七八九")) for m in _ONE.finditer(sentence)]
    found += [Change(*m.span(), _other_ordinal(m[0], chance)) for m in _ORDINAL.finditer(sentence)]
    found += [Change(*m.span(), _other_part(m, chance)) for m in _PART.finditer(sentence)]
    return put_one(sentence, found, chance)


def _other_han(written: str, chance: random.Random) -> str:
    if len(written) == 1 and written != "十":
        return different("两三四五六七八九", written, chance)
    value = numerals.read_chinese(written)
    if value is None:
        return written
    size = 10_000 if value >= 10_000 else 1000 if value >= 1000 else 100 if value >= 100 and value % 100 == 0 else 1
    fresh = numerals.other(max(1, value // size), chance) * size
    return re.sub("^二(?=[千万亿])", "两", numerals.chinese(fresh if fresh != value else value + size))


def _other_ordinal(written: str, chance: random.Random) -> str:
    rest = written.removeprefix("第").strip()
    if rest.isdigit():
        return f"第{numerals.other(int(rest), chance)}"
    return "第" + different("一二三四五六七八", rest, chance)


def _other_part(match: re.Match[str], chance: random.Random) -> str:
    if match[1]:
        return different(chinese.HAN_DIGITS, match[1], chance)
    if match[2]:
        value = int(match[2]) if match[2].isdigit() else numerals.read_chinese(match[2]) or 50
        fresh = different([str(share) for share in (5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90)], str(value), chance)
        return "百分之" + (fresh if match[2].isdigit() else numerals.chinese(int(fresh)))
    return different(("三分之一", "四分之一", "三分之二", "十分之一", "五分之一"), match[0], chance)


def date(sentence: str, chance: random.Random) -> str | None:
    """Move a weekday, month, day, year or hour."""
    found = [Change(*m.span(), _moved_year(m[0], chance)) for m in _YEAR.finditer(sentence)]
    for pattern, most in ((_MONTH, 12), (_DAY, 28)):
        for match in pattern.finditer(sentence):
            group = 1 if match[1] else 2
            found.append(Change(*match.span(group), _moved(match[group], most, chance)))
    found += [Change(*m.span(), different("一二三四五六", m[0], chance)) for m in _WEEKDAY.finditer(sentence)]
    for match in _CLOCK.finditer(sentence):
        group = 1 if match[1] else 3 if match[3] else 4
        found.append(Change(*match.span(group), _moved(match[group], 23 if match[1] else 12, chance)))
    if not found or chance.random() < 0.15:
        found += [Change(*m.span(), _other_relative(m[0], chance)) for m in _RELATIVE.finditer(sentence)]
    return put_one(sentence, found, chance)


def _moved_year(year: str, chance: random.Random) -> str:
    return str(int(year) + chance.choice((1, 2, 3, 5, 10))).zfill(len(year))


def _moved(written: str, most: int, chance: random.Random) -> str:
    if written.strip().isdigit():
        return different([str(value) for value in range(1, most + 1)], str(int(written)), chance)
    return different([numerals.chinese(value) for value in range(1, most + 1)], written, chance)


def _other_relative(word: str, chance: random.Random) -> str:
    return different(chance.choice([row for row in chinese.RELATIVE_DAYS if word in row]), word, chance)


def antonym(sentence: str, chance: random.Random) -> str | None:
    """Exchange one word for its opposite."""
    return put_one(sentence, _swapped(sentence, _SWAP_WORD, _SWAPS, chance), chance)


def status(sentence: str, chance: random.Random) -> str | None:
    """Exchange the word that says how a thing stands."""
    return put_one(sentence, _swapped(sentence, _STATUS_WORD, _STATUS, chance), chance)


def _swapped(
    sentence: str, words: re.Pattern[str], table: dict[str, tuple[str, ...]], chance: random.Random
) -> Iterator[Change]:
    taken = [match.span() for match in _IDIOM.finditer(sentence)]
    for match in words.finditer(sentence):
        others = table[match[0]]
        before = sentence[max(0, match.start() - 1) : match.start()]
        if _DENYING.search(sentence[: match.start()]) or any(
            start < match.end() and match.start() < end for start, end in taken
        ):
            continue
        other = chance.choice(others)
        follow = sentence[match.end() : match.end() + 1]
        # 不/没/未 + 了 does not read: 完成了 is denied by 没有完成.
        if other.startswith(("不", "没", "未")) and (
            follow in ("了", "性", "地", "度") or before in ("最", "更", "很", "较", "太")
        ):
            continue
        yield Change(*match.span(), other)


_DENYING = re.compile(
    "(?:没有?|不[能会是再要]|未|无法)[^，。]{0,4}$|(?:不|没有?|未|无|非|不是|不会|不能|不太|不够|不再|没办法|无法|难以|并不|不要|不可)[能会可]?[很太那么这样特别"
    "非常比较]{0,3}$"
)


def kind(sentence: str, chance: random.Random) -> str | None:
    """Exchange a person, place, company, colour… for another of its kind."""
    found = [Change(*m.span(), different(_KIND[m[0]], m[0], chance)) for m in _KIND_WORD.finditer(sentence)]
    for match in _PLACE_WORD.finditer(sentence):
        row = next(row for row in _PLACE_ROWS if match[0] in row)
        found.append(Change(*match.span(), different(sorted(row), match[0], chance)))
    found += [Change(*m.span(1), different(chinese.SURNAMES, m[1], chance)) for m in _TITLED.finditer(sentence)]
    return put_one(sentence, found, chance)


_TITLED = re.compile(
    rf"(?:(?<![\u4e00-\u9fff])|(?<=[和与跟是请给对的向]))([{chinese.SURNAMES}])(?=老师|先生|女士|教授|博士|主任|"
    rf"经理|总(?![是共体之的数]))"
)


def unit(sentence: str, chance: random.Random) -> str | None:
    """Measure in another unit."""
    found = [Change(*m.span(1), chance.choice(_UNITS[m[1]])) for m in _UNIT_SPOT.finditer(sentence)]
    return put_one(sentence, found, chance)


_TAKEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (
            (
                "(?<![有是能会可要行])不(?=是(?!吗|吧|说|不)|会(?!不)|能(?!不)|可以|应该|应当|需要|支持|愿意|喜欢|同意|"
                "存在|包含|包括|影响|允许|知道|认为|觉得|相信|接受|建议|推荐|适合|符合|必(?!须)|在(?=[家这那公]))"
            ),
            "",
        ),
        ("(?<!有)没有(?=[\u4e00-\u9fff])(?!没有(?:必要)?(?:关系|问题|事))", "有"),
        ("(?:尚未|还没有|还没|并未|仍未)(?=[\u4e00-\u9fff])", "已经"),
        ("(?<![并尚仍从])未(?=完成|通过|实现|达到|设置|定义|指定|使用|启用|安装|发布|解决|收到|发现|包含)", "已"),
        ("无法(?=[\u4e00-\u9fff])", "可以"),
        ("无需|不必|不用(?!说)", "需要"),
        ("并不(?=[\u4e00-\u9fff])(?!并不[仅只])", "确实"),
        ("并非|而非(?=x)", "正是"),
        ("(?:从未|从没|从来没有|从来没)(?=[\u4e00-\u9fff])", "曾经"),
        ("从不|从来不", "总是"),
        ("^(?:请勿|不要|别)(?=[\u4e00-\u9fff])(?!别[人的墅处])", "请"),
        ("不得(?!不|已|了|而)(?=[\u4e00-\u9fff])", "可以"),
        ("毫无(?!疑问)", "很有"),
    )
)
_LONG_DENIABLE = re.compile(
    f"(?:{_any_of([word for word in chinese.DENIABLE if len(word) > 1]).pattern})(?![性度者力])"
    "|(?<![不没只还就可要总但若凡或如所具于也都而正真硬老先乃即便像算说])是(?![否的吧吗不非什为谁啊嘛对个一]|因为)"
    "|(?<![社机大开不协晚委议年只都工学教才就盟商就可集约聚])会(?![议员计话场客面谈不展长]|儿)|(?<![可功智性技职产"
    "不只才势动潜体万势热电本机核官效能])能(?![力够量源不否耗见级])"
    "|(?<![需主重不只想还都就必首简摘纲概快将])要(?![求是么不素点的]|就|们)|(?<=[我你他她们人家])(?:想|去|来|吃|喝|"
    "买|住|敢)(?![到起象法念过自了])"
    "|(?<=[很])(?:贵|远|近|高|低|大|小|多|好|难|长|快|强)(?=[，。的！了])"
)
# These are nouns as often as verbs: denied only after somebody who does them.
_NOUNS = frozenset(
    "建议 影响 限制 代表 保证 准备 讨论 运行 使用 安全 执行 打算 关注 推荐 依赖 健康 方便 支持 理解 提供 返"
    "回 了解".split()
)
_SPEAKER = re.compile("[我你他她它们人户家者统序器法数]$")
_HAS = re.compile(
    "(?<![没所具还只含拥富占唯都会持享私国公共原固就也又现大])有(?![些的点时关效限助利意没人可所着]|一[些点定]|过)"
)
_DONE = re.compile(f"(?<![不没未有再别])({_any_of(chinese.DONE_VERBS).pattern})了(?![解吗吧])")
_ALREADY = re.compile("(?<!不)(?:已经|已(?![知久]))(?=[\u4e00-\u9fff])")
_NO_SPOT = re.compile(
    "(?:默|来|去|以|详细|再|进一步|地|得|过度|请|用于|为了|帮助|仅|仅仅|一起|的|不|没|未|无|别|非常|最|更|可|所|能|比"
    "较|要|是|会|想|应该|如|并|需|还|只|才|都|也|就|太|过|较|被|把|将)$"
)


def negation(sentence: str, chance: random.Random) -> str | None:
    """Take a negation out, or put one in."""
    found = [Change(*m.span(), new) for pattern, new in _TAKEN for m in pattern.finditer(sentence)]
    if found and chance.random() < 0.7:
        return put_one(sentence, found, chance)
    return put_one(sentence, list(_denied(sentence, chance)) or found, chance)


def _denied(sentence: str, chance: random.Random) -> Iterator[Change]:
    for match in _LONG_DENIABLE.finditer(sentence):
        head = sentence[: match.start()]
        if head.endswith("很") and len(match[0]) == 1:
            yield Change(match.start() - 1, match.end(), chance.choice(("不", "并不")) + match[0])
        elif match[0] in _NOUNS and not _SPEAKER.search(head):
            continue
        elif sentence[match.end() : match.end() + 1] == "了" and len(match[0]) > 1:
            yield Change(match.start(), match.end() + 1, chance.choice(("没有", "并没有", "没")) + match[0])
        elif not _NO_SPOT.search(head) and (match.start() or len(match[0]) == 1) and match[0] != "准备":
            yield Change(
                match.start(),
                match.start(),
                chance.choice(("不", "不", "并不", "不") if match[0] != "是" else ("不", "并不", "并不")),
            )
    for match in _HAS.finditer(sentence):
        yield Change(*match.span(), chance.choice(("没有", "没有", "没", "并没有")))
    for match in _DONE.finditer(sentence):
        yield Change(*match.span(), chance.choice(("没有", "没", "并没有", "未")) + match[1])
    for match in _ALREADY.finditer(sentence):
        yield Change(*match.span(), chance.choice(("还没有", "尚未", "还没", "并未")))


_QUANTIFIERS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), tuple(options.split("|")))
    for pattern, options in (
        ("几乎所有的?", "几乎没有|只有少数"),
        ("(?<!几乎)(?<!是)所有的?(?=[\u4e00-\u9fff]+都)", "只有部分|只有少数|不是所有|并非所有"),
        ("(?<!几乎)(?<!是)所有的?(?=[\u4e00-\u9fff]{2})(?![\u4e00-\u9fff]+都)(?!所有(?:权|者))", "少数|个别|只有部分"),
        ("全部(?=[\u4e00-\u9fff])", "没有一个|只有部分|少数|一部分"),
        ("每个人都|人人都|大家都|谁都", "没有人|只有个别人|很少有人"),
        ("都(?=有)", "都没"), ("(?<![首古故每成大])都(?=是|会|能|可以|需要|支持|知道|在)", "都不|不都"),
        ("总是|一直都?|始终", "从不|偶尔|很少|从未"), ("从不|从来不", "总是|经常"), ("经常|常常|往往",
        "很少|从不|几乎从不"), ("很少(?![的数])", "经常|总是"), ("通常", "很少"), ("偶尔", "总是|经常"),
        ("(?<![第一二三四五六七八九两几\\d])绝?大部分", "一小部分|极少部分|少部分"), ("绝?大多数",
        "少数|极少数|个别"), ("(?<!大)多数(?![据字组值])", "少数"), ("少数(?!民族|派)", "多数|大多数"),
        ("许多|(?<!不)很多|大量(?!的?)", "很少|极少|没有多少"), ('(?<![大小少一成区身 "”])部分(?=[\u4e00-\u9fff])',
        "全部|所有"), ("(?:有些|一些)(?=人|地方|企业|公司|国家|用户)", "所有|没有任何"),
        ("(?<!没有)(?<!不)完全(?![不没相])", "不完全|部分|完全不"), ("仅仅?有?(?=\\d)", "超过"),
        ("至少(?=\\s?[\\d两三四五六七八九十])", "不到"), ("至多|最多(?=\\s?[\\d两三四五六七八九十])", "超过"),
        ("超过(?=\\s?[\\d两三四五六七八九十百])", "不到|不足"),
        ("不到(?=\\s?[\\d两三四五六七八九十百])|不足(?=\\s?\\d)", "超过"), ("任何人都(?=可以|能)", "没有人"),
        ("两者都|二者都", "两者都不"), ("永远(?![不无没])", "从不|不再"), ("唯一", "众多之一的"),
    )
)  # fmt: skip


def quantifier(sentence: str, chance: random.Random) -> str | None:
    """Change how many, how much or how often."""
    found = [
        Change(*match.span(), chance.choice(options))
        for pattern, options in _QUANTIFIERS
        for match in pattern.finditer(sentence)
        if not sentence[: match.start()].endswith(("不", "没有", "没", "并非", "未必"))
    ]
    return put_one(sentence, found, chance)


_COMPARED = re.compile(
    "(?<=比)([\u4e00-\u9fffA-Za-z\\d ]{1,10}?)(更|还|要)?(高|低|大|小|多|少|快|慢|长|短|贵|便宜|强|弱|好|差|早|晚|"
    "远|近|重|轻)(?=[了一些得很多]|$|[，。,. ])"
)
_ROUND = dict(
    zip("高低大小多少快慢长短强弱好差早晚远近重轻", "低高小大少多慢快短长弱强差好晚早近远轻重", strict=True)
) | {"贵": "便宜", "便宜": "贵"}
_RANGE = (
    ("高于", "低于"),
    ("大于", "小于"),
    ("多于", "少于"),
    ("早于", "晚于"),
    ("优于", "不如"),
    ("超过", "不到"),
    ("低于", "高于"),
    ("小于", "大于"),
    ("少于", "多于"),
    ("不如", "优于"),
    ("胜过", "不如"),
)


def comparative(sentence: str, chance: random.Random) -> str | None:
    """Turn a comparison round."""
    found = [Change(*m.span(3), _ROUND[m[3]]) for m in _COMPARED.finditer(sentence)]
    found += [
        Change(m.start(), m.end(), new)
        for old, new in _RANGE
        for m in re.finditer(f"(?<!不){old}(?!等于|或等)", sentence)
    ]
    return put_one(sentence, found, chance)


_FROM_TO = re.compile(
    "从([\u4e00-\u9fffA-Za-z]{1,6}?)(到|转向|变成|变为|飞往|飞到|搬到|降到|升到|涨到)([\u4e00-\u9fffA-Za-z\\d]"
    "{1,6}?)(?=[，。,.的]|$)"
)
_THAN = re.compile(
    "^([\u4e00-\u9fffA-Za-z]{1,6}?)比([\u4e00-\u9fffA-Za-z]{1,6}?)(?=更|还|要|大|小|高|低|多|少|好|快|强|早|贵|年轻"
    "|聪明|重要|便宜)"
)
_PERSONS = re.compile(
    "(我|你|他|她|我们|他们|汤姆|玛丽|您)(给了?|告诉了?|帮助?了?|问了?|打了?|喜欢|爱|教|借给了?|等了?|看见了?|信任|"
    "请|骗了?|欠|感谢|认识|了解|需要)(我们|他们|汤姆|玛丽|我|你|他|她|您)(?![们的])"
)


def roles(sentence: str, chance: random.Random) -> str | None:
    """Let who did it and to whom change places."""
    found = [
        Change(*m.span(), f"从{m[3]}{m[2]}{m[1]}")
        for m in _FROM_TO.finditer(sentence)
        if m[1] != m[3] and not re.search("[而由面上来我]", m[1] + m[3])
    ]
    found += [Change(*m.span(), f"{m[2]}比{m[1]}") for m in _THAN.finditer(sentence)]
    found += [
        Change(*m.span(), f"{m[3]}{m[2]}{m[1]}")
        for m in _PERSONS.finditer(sentence)
        if m[1] != m[3] and m[2] not in ("认识", "请")
    ]
    return put_one(sentence, found, chance)
