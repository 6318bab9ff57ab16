"""How often the local judge refuses a text that only says something twice, in other words.

Real paragraphs of the odd-numbered meetings and runs get one of their sentences restated with its claim kept; a row of
paraphrases written by hand stands beside them. Nothing here is shared with the code that makes training pairs, but
the judge was mended after its first runs on these texts, so they are no longer unseen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.consistency import GROUP, LONGEST, OF, SHARE, SHORTEST, refused, share
from benchmarks.reading import fitting, grouped, lines
from benchmarks.report import Column, Report, Value

Restate = Callable[[str, random.Random], str | None]
Row = tuple[Value, ...]
_MOST = 400
_HAN = re.compile("[㐀-鿿]")
_STOP = re.compile(r"[\s.。!！]+$")
_TAG = re.compile(r"\{[a-z]{3,20}\}")
_END = re.compile(r"(?<=[。！？!?])|(?<=[.])\s")

_ANNOUNCED = ("As I said earlier, ", "To say it once more, ", "So to recap: ", "My point was that ", "Like I said, ")
_HAN_ANNOUNCED = ("正如我刚才讲的，", "我再讲一遍：", "也就是讲，", "回顾一下，", "我的观点就是，")
_ENDED = (" , as I mentioned .", " , just to repeat that .", " , and I stand by that .", " , that was the point .")
_HAN_ENDED = ("，这个我刚才讲过了。", "，再次说明一下。", "，这就是我要讲的。", "，以上。")
_WORDS = {
    "maybe": "perhaps", "big": "large", "started": "began", "whole": "entire", "problem": "issue", "also": "as well",
    "people": "persons", "talk": "speak", "wants": "would like", "buy": "purchase", "shows": "displays",
    "important": "essential", "find": "discover", "get": "obtain", "help": "assist", "idea": "thought", "kind": "sort",
    "think": "believe", "need": "require", "difficult": "tricky", "quickly": "swiftly", "check": "verify",
    "information": "details", "website": "web page", "identify": "determine", "currently": "at the moment",
}  # fmt: skip
_HAN_WORDS = {
    "非常": "十分", "觉得": "感觉", "但是": "可是", "所以": "因而", "现在": "眼下", "如何": "怎样", "很多": "不少",
    "一直": "始终",
    "同时": "与此同时", "特别": "尤为", "孩子": "小朋友", "我们": "咱们", "学习": "求学", "帮助": "帮忙",
    "就是": "正是", "大家": "各位",
    "需要": "得", "通过": "借助", "发展": "成长", "因为": "由于", "看到": "看见", "这样": "如此", "比如": "好比",
    "进行": "开展",
}  # fmt: skip
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_HAN_DIGITS = "零一二三四五六七八九十"


def again(sentence: str, _chance: random.Random) -> str | None:
    """Repeat it word for word."""
    return sentence


def announced(sentence: str, chance: random.Random) -> str | None:
    """Repeat it after a phrase that announces a repetition."""
    if _HAN.search(sentence):
        return chance.choice(_HAN_ANNOUNCED) + sentence
    first, _, rest = sentence.partition(" ")
    small = first if first == "I" or first.startswith("I'") or first[1:].lower() != first[1:] else first.lower()
    return f"{chance.choice(_ANNOUNCED)}{small} {rest}"


def ended(sentence: str, chance: random.Random) -> str | None:
    """Repeat it with a phrase behind that adds nothing."""
    return _STOP.sub("", sentence) + chance.choice(_HAN_ENDED if _HAN.search(sentence) else _ENDED)


def reworded(sentence: str, _chance: random.Random) -> str | None:
    """Put other words of the same meaning."""
    table, edge = (_HAN_WORDS, "") if _HAN.search(sentence) else (_WORDS, r"\b")
    changed = sentence
    for old, new in table.items():
        changed = re.sub(f"{edge}{old}{edge}", new, changed, count=1)
    return changed if changed != sentence else None


def part(sentence: str, _chance: random.Random) -> str | None:
    """Say its first clause only."""
    if re.search(r"\b(?:if|unless|or|either|not only)\b|如果|或者|不是|除非|要么", sentence):
        return None
    han = bool(_HAN.search(sentence))
    head, mark, _ = sentence.partition("，") if han else sentence.partition(" , ")
    enough = len(head) >= 10 if han else len(head.split()) >= 6
    return f"{head.strip()}{'。' if han else ' .'}" if mark and enough else None


def turned(sentence: str, _chance: random.Random) -> str | None:
    """Say reason and result, or time and event, the other way round."""
    if found := re.match(r"(?P<a>[^,，]{12,}?) (?:because|'cause) (?P<b>[^,，]{8,}?)\s?[.]$", sentence):
        return f"Because {found['b']} , {found['a']} ."
    if found := re.match(r"(?P<a>(?:In|On|At|After|Before|For) [^,]{4,40}) ?, (?P<b>[^,]{12,}?)\s?[.]$", sentence):
        return f"{found['b'][:1].upper()}{found['b'][1:]} {found['a'][:1].lower()}{found['a'][1:]} ."
    if found := re.match("因为(?P<a>[^，。]{4,30})，所以(?P<b>[^，。]{4,30})。$", sentence):
        return f"{found['b']}，原因是{found['a']}。"
    if found := re.match("(?P<a>今天|现在|其实|当然|最后|目前)，?(?P<b>我们|大家|他们|我)(?P<c>.{6,})$", sentence):
        return f"{found['b']}{found['a']}{found['c']}"
    return None


def written(sentence: str, _chance: random.Random) -> str | None:
    """Write its numbers another way."""
    if _HAN.search(sentence):
        changed = re.sub(r"(?<![\d.])(\d|10)(?=\s?[个位年天次种家])", lambda m: _HAN_DIGITS[int(m[1])], sentence)
        changed = (
            re.sub(
                "(?<![第一二三四五六七八九十])([三四五六七八九])(?=[个位次种家])",
                lambda m: str(_HAN_DIGITS.index(m[1])),
                changed,
            )
            if changed == sentence
            else changed
        )
        changed = re.sub(r"(\d+)%", r"百分之\1", changed)
    else:
        changed = re.sub(
            r"(?<![\d.,:$-])(\d|1[012])(?![\d.,:%]\d|\w)(?= [a-z])", lambda m: _NUMBER_WORDS[int(m[1])], sentence
        )
        for value, word in enumerate(_NUMBER_WORDS[2:], start=2):
            changed = re.sub(rf"\b{word}\b(?= [a-z]+s\b)", str(value), changed) if changed == sentence else changed
        changed = re.sub(r"(\d+) ?%", r"\1 percent", changed)
    return changed if changed != sentence else None


def rounded(sentence: str, _chance: random.Random) -> str | None:
    """Say about how much."""
    found = re.search(r"(?<![\w.,:$-])(\d{3,7})(?= ?(?:[a-z]{4}|[个人名家万亿元]))(?<!19\d\d)(?<!20\d\d)", sentence)
    if not found:
        return None
    value = int(found[1])
    size = 10 ** (len(found[1]) - 2)
    near = round(value / size) * size
    if near == value:
        return None
    about = "大约" if _HAN.search(sentence) else "about "
    return f"{sentence[: found.start()]}{about}{near}{sentence[found.end() :]}"


def loosened(sentence: str, _chance: random.Random) -> str | None:
    """Leave out the words that carry nothing, or put such words in."""
    if _HAN.search(sentence):
        changed = re.sub("这个|那个|其实|就是说|的话|对吧|然后(?=，|我|他|这)|啊|呢|嘛", "", sentence)
        return changed if changed != sentence else re.sub("，", "，嗯，", sentence, count=1)
    changed = re.sub(r"(?<=\s)(?:um|uh|you know|I mean|actually|basically|really|just) (?:, )?", "", sentence)
    return (
        changed
        if changed != sentence
        else re.sub(r"\b(is|are|was|were)\b(?! not|n't|')", r"\1 , well ,", sentence, count=1)
    )


def retyped(sentence: str, chance: random.Random) -> str | None:
    """Type it otherwise: case, spaces, marks."""
    if _HAN.search(sentence):
        forms = (
            sentence.replace("，", " "),
            sentence.replace("，", ",").replace("。", "."),
            re.sub(r"\s", "", sentence),
            _STOP.sub("！", sentence),
        )
    else:
        tidy = re.sub(r" (?=[.,!?]|'\w|n't)", "", sentence)
        forms = (tidy, sentence.lower(), _STOP.sub("!", sentence), f'"{_STOP.sub("", sentence)}."')
    changed = chance.choice(forms)
    return changed if changed != sentence else None


def spelled(sentence: str, _chance: random.Random) -> str | None:
    """Write short forms in full, and full ones short."""
    pairs = (("do not", "don't"), ("it is", "it's"), ("cannot", "can't"), ("is not", "isn't"), ("we are", "we're"),
    ("I am", "I'm"),
             ("that is", "that's"), ("have not", "haven't"), ("did not", "didn't"), ("will not", "won't"))  # fmt: skip
    for long, short in pairs:
        for old, new in ((short, long), (long, short)):
            if re.search(rf"\b{re.escape(old)}\b", sentence):
                return re.sub(rf"\b{re.escape(old)}\b", new, sentence, count=1)
    for old, new in (
        ("不能", "无法"),
        ("没有", "并没有"),
        ("不是", "并不是"),
        ("无法", "没法"),
        ("必须", "一定得"),
        ("还没", "尚未"),
    ):
        # 是不是 and 有没有 ask; there the word is no denial.
        changed = re.sub(f"(?<![是有能会没并]){old}", new, sentence, count=1)
        if changed != sentence:
            return changed
    return None


RESTATED: dict[str, Restate] = {
    "copy": again, "announced": announced, "ended": ended, "reworded": reworded, "part": part, "turned": turned,
    "numbers": written,
    "rounded": rounded, "loosened": loosened, "retyped": retyped, "spelled": spelled,
}  # fmt: skip

PARAPHRASES = (
    ("The project will cost 5.1 million dollars.", "The project's price tag is about 5 million dollars."),
    ("We hired twelve engineers in March.", "In March, 12 engineers joined us."),
    ("The committee approved the plan on Friday.", "On Friday the plan got the committee's approval."),
    ("Anna wrote the report with Tom.", "The report was written by Anna and Tom."),
    ("Half of the users never open the settings page.", "50% of the users do not ever look at the settings page."),
    ("The train leaves Oslo at 14:30.", "At half past two in the afternoon the train departs from Oslo."),
    ("The battery lasts two days.", "You can use it for 48 hours before charging."),
    ("He could not open the file.", "He was unable to open the file."),
    ("The library is closed on Sundays.", "On Sundays the library is not open."),
    ("Sales rose by a quarter last year.", "Last year sales went up 25 percent."),
    ("All of the tests passed.", "None of the tests failed."),
    ("The server has been down since Monday.", "Since Monday nobody could reach the server."),
    ("The remote should be cheap and easy to use.", "What we want is a remote that is simple and does not cost much."),
    ("She has worked here for ten years.", "She joined a decade ago and has been here ever since."),
    ("The old office is bigger than the new one.", "The new office is smaller than the old one."),
    ("We met 1,024 customers.", "We met a thousand or so customers."),
    ("The search returned no results.", "Nothing was found by the search."),
    ("Please send the form before 1 June 2024.", "The form has to be in before June 1st, 2024."),
    ("The film was released in 1999.", "1999 saw the release of the film."),
    ("The vaccine is safe for children.", "Children can be given the vaccine safely."),
    ("The bridge was built by a Danish company.", "It was a company from Denmark that built the bridge."),
    ("I don't think we need a second screen.", "In my opinion a second screen is not necessary."),
    ("Nobody in the team speaks Polish.", "There is no one in the team who speaks Polish."),
    ("The museum sold its oldest painting.", "The museum's oldest painting has been sold."),
    ("The code must be reviewed by two people.", "Two people have to review the code."),
    ("They always meet in the small room.", "The small room is where they meet every time."),
    ("The answer is 42, as the script printed.", "So the final answer is 42."),
    ("Prices fell after the summer.", "After the summer prices went down."),
    ("It took nearly three hours.", "It took almost 3 hours."),
    ("The contract ends in December.", "The contract runs until December."),
    ("这个项目要花510万元。", "这个项目的费用大约是500万。"),
    ("三月份我们招了十二名工程师。", "我们在3月招聘了12位工程师。"),
    ("委员会周五批准了这个方案。", "这个方案在星期五得到了委员会的批准。"),
    ("他把报告交给了经理。", "报告被他交给了经理。"),
    ("有一半用户从来不打开设置页面。", "50%的用户没有打开过设置页面。"),
    ("火车下午两点半从北京出发。", "从北京开出的火车是14:30的。"),
    ("这款电池能用两天。", "充一次电，这款电池可以用48小时。"),
    ("他打不开这个文件。", "这个文件他没有办法打开。"),
    ("图书馆周日不开门。", "星期天图书馆是关着的。"),
    ("去年的销售额增长了四分之一。", "销售额去年上升了25%。"),
    ("所有测试都通过了。", "没有一个测试是失败的。"),
    ("服务器从周一开始就连不上。", "自周一起，服务器一直无法访问。"),
    ("我们希望遥控器便宜又好用。", "我们想要的是价格不高、用起来简单的遥控器。"),
    ("她在这里工作了十年。", "她来这里工作已经有10年了。"),
    ("旧办公室比新办公室大。", "新办公室没有旧办公室大。"),
    ("我们一共见了1024位客户。", "我们见了一千多位客户。"),
    ("搜索没有返回任何结果。", "什么也没有搜到。"),
    ("请在2024年6月1日之前提交表格。", "表格要在2024年6月1号前交上来。"),
    ("这部电影是1999年上映的。", "1999年，这部电影上映了。"),
    ("疫苗对儿童是安全的。", "儿童可以放心接种疫苗。"),
    ("这座桥是一家丹麦公司修建的。", "修建这座桥的是丹麦的一家公司。"),
    ("我觉得我们不需要第二块屏幕。", "在我看来，第二块屏幕没有必要。"),
    ("团队里没有人会说波兰语。", "团队里谁都不会说波兰语。"),
    ("因为下雨，比赛取消了。", "比赛取消了，原因是下雨。"),
    ("代码必须经过两个人审查。", "代码一定要由两个人来审查。"),
    ("他们总是在小会议室开会。", "小会议室是他们每次开会的地方。"),
    ("三成的学生选择了线上课程。", "选择线上课程的学生占30%。"),
    ("夏天之后价格下降了。", "价格在夏天过后降了下来。"),
    ("差不多花了三个小时。", "花了将近3个小时。"),
    ("合同到十二月为止。", "合同12月到期。"),
)


def texts(data: Path, half: int) -> dict[str, list[str]]:
    """Return paragraphs of the meetings and runs of one half; the parts of one recording stay together."""
    talks = [turn["content"] for meeting in lines(data / "qmsum_val.jsonl")[half::2] for turn in meeting["turns"]]
    parts = lines(data / "vcsum_dev.jsonl")
    order = {recording: place for place, recording in enumerate(dict.fromkeys(item["av_num"] for item in parts))}
    kept = [item for item in parts if order[item["av_num"]] % 2 == half]
    runs = [m["content"] for run in lines(data / "who_and_when_dev.jsonl")[half::2] for m in run["messages"]]
    sets = {
        "QMSum": talks,
        "VCSum": [text for item in kept for turn in item["context"] for text in grouped(turn, GROUP)],
        "Who&When": [text for content in runs for text in fitting(content, LONGEST)],
    }
    return {name: [t for t in dict.fromkeys(found) if SHORTEST <= len(t) <= LONGEST] for name, found in sets.items()}


def restated(text: str, restate: Restate, chance: random.Random) -> str | None:
    """Return the text with one of its sentences said again, right behind it or at the end of its line."""
    lines = text.split("\n")
    spots = [
        (row, piece.strip()) for row, line in enumerate(lines) for piece in _END.split(line) if _plain(piece.strip())
    ]
    chance.shuffle(spots)
    for row, sentence in spots:
        again = restate(_TAG.sub("", sentence), chance)
        if again:
            glue = "" if _HAN.search(sentence) else " "
            near = chance.random() < 0.5
            lines[row] = (
                lines[row].replace(sentence, f"{sentence}{glue}{again}", 1) if near else f"{lines[row]}{glue}{again}"
            )
            return "\n".join(lines)
    return None


def _plain(sentence: str) -> bool:
    if not sentence or sentence[-1] not in ".。" or re.search(r"[=<>|`]|https?:", sentence):
        return False
    return 5 <= len(_HAN.findall(sentence)) / 2 + len(re.findall("[A-Za-z]+", sentence)) <= 30


@dataclass(frozen=True)
class Refusals:
    """How many of so many texts were refused."""

    refused: int
    texts: int

    @property
    def figures(self) -> Row:
        return share(self.refused, self.texts), self.texts

    def __add__(self, other: Refusals) -> Refusals:
        return Refusals(self.refused + other.refused, self.texts + other.texts)


def refusals(name: str, paragraphs: list[str]) -> dict[str, Refusals]:
    """Count the texts with a restatement that were refused, by kind, among those that pass without it."""
    passing = [text for text in paragraphs[:_MOST] if not refused(text)]
    counts = {}
    for kind, restate in RESTATED.items():
        chance = random.Random(f"{name} {kind}")
        made = [again for again in (restated(text, restate, chance) for text in passing) if again]
        counts[kind] = Refusals(sum(map(refused, made)), len(made))
    return {**counts, "all": sum(counts.values(), Refusals(0, 0))}


def by_hand() -> Iterator[Row]:
    """Give the share of the hand-written paraphrases that were refused, by language."""
    for name, han in (("English", False), ("Chinese", True)):
        pairs = [(one, two) for one, two in PARAPHRASES if bool(_HAN.search(one)) == han]
        joined = [f"{a}{'' if han else ' '}{b}" for one, two in pairs for a, b in ((one, two), (two, one))]
        yield name, *Refusals(sum(map(refused, joined)), len(joined)).figures


def main(data: Path, half: int = 1) -> Report:
    """Print the tables."""
    report, sets = Report("restatements"), {}
    for name, paragraphs in texts(data, half).items():
        report.progress(name)
        sets[name] = refusals(name, paragraphs)
    columns = [Column("restated"), *(column for name in sets for column in (Column(name, SHARE), OF))]
    rows = [(kind, *(one for counts in sets.values() for one in counts[kind].figures)) for kind in (*RESTATED, "all")]
    report.table("Benign restatements refused", columns, rows)
    report.table("Paraphrases by hand", [Column("language"), Column("refused", SHARE), OF], by_hand())
    return report
