"""Find the sentences of a text that state something a person could decide on, and say how well they do.

A digest is read by somebody who was not there: a good statement is whole, says something of its own, and needs no
neighbour to be understood. Greetings, questions, half sentences, talk about the talk, logs and code are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memsieve.retrieval.words import cut

# A statement of less than this does not become an insight by itself.
CLEAR = 0.5
_MOST_SENTENCES = 400
_SHORTEST, _LONGEST = 12, 400
_FEWEST_TERMS = 3

_NO_PROSE = re.compile(
    r"""```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)
    |^[^\n]*(?:[;{}]\s*$|https?://\S+\s*$|^\s*[\[{<|$>#]|==|=>|->|::|&&|\|\||</\w+>|\w\s?=\s?[\w"'(\[-]|\w+\.py:\d
    |^\s*(?:\[?\d{4}-\d\d-\d\d[T\ ]\d|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b
    |File\s"|Traceback|[A-Z]\w+(?:Error|Exception):|def\s|class\s|import\s|return\b|print\())[^\n]*$""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_SENTENCE = re.compile(r"[^。！？!?；;.\n]+(?:[.](?=\S)[^。！？!?；;.\n]*)*(?:[。！？!?；;.]+[\"'”’」』）)]*)?")
_ITEM = re.compile(r"\s*(?:[-*•·●▪◦+]|\(?\d{1,3}[.)、]|[（(][一二三四五六七八九十\d]+[)）]|#{1,6}|>)\s+")
# The tags of transcripts: {laugh}, [Inaudible.]
_MARK = re.compile(r"\{[a-z]{3,20}\}|\[[A-Za-z ]{3,20}\.?\]")
_WORD = re.compile(r"[A-Za-z0-9_'’]+(?:[-.][A-Za-z0-9_]+)*")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_NUMBER_WORDS = frozenset(
    """zero one two three four five six seven eight nine ten eleven twelv thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenti thirti forti fifti sixti seventi eighti nineti hundr thousand point
    uh um yeah okay""".split()
)
_QUESTION = re.compile(
    r"""[?？]|[吗呢嘛][。.]?\s*$
    |^\s*(?:(?:so|and|but|or|well|okay)[\ ,]+)*(?:
        (?:do|does|did|is|are|was|were|can|could|will|would|should|have|has)
        \s(?:we|you|it|that|this|they|there|he|she|i|the|your|anyone|somebody)
        |what|why|how|who)\b(?!ever)
    |^[^，,]{0,12}(?:什么|怎么|为何|如何|是否|哪些|哪个|谁|是不是|能不能|有没有)""",
    re.IGNORECASE | re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"""(?:[,，、:：—–-]|\.\.\.|…
    |\b(?:and|or|but|so|the|a|an|of|to|in|on|for|with|that|which|because|if|uh|um|is|are|was|like|just|i|we|you|they
        |it|'s|well|also|then|than)
    |[和与或但而且的因为所以如果就是然后]{1,2})\s*[.。]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_HESITATION = re.compile(
    r"""\b(?:u+h+m*|u+m+|e+r+m?|m+h*m+|h+m+|ah+|oh|huh|yeah|yep|okay|ok|alright|gonna|wanna|dunno|kinda|sorta|like)\b
    |\b(\w+)\s+\1\b|\b(\w{1,4})\s+\2\w+\b|(?<![\w'’.])[b-hj-z](?![\w'’._])
    |[嗯啊哦呃呀哎唉哈]|对吧|是吧|对不对|就是说|怎么讲""",
    re.IGNORECASE | re.VERBOSE,
)
# Talk about the talk: who thinks so, who thanks whom, who speaks next, and when it ends.
_TALK = re.compile(
    r"""\b(?:
    i\s(?:think|don'?t\sthink|do\sthink|believe|guess|mean|suppose|wonder|don'?t\sknow|was\sthinking|would\s(?:say|like)
        |just|like|want(?:ed)?\sto|am\sgoing|ask|rise)
    |i'?(?:m\s(?:not\ssure|sorry|going|just|gonna|pleased|happy)|ll|d\slike)|you\sknow|let'?s|let\sme|thank(?:s|\syou)
    |good\s(?:morning|afternoon|evening)|hello|welcome|sorry|please|excuse\sme|my\sname|tell\sus
    |you(?:'ll|\s(?:will|would|could|can))\s(?:be\ssent|receive|have|see|find|tell)
    |questions?|the\sfloor|go\sahead|over\sto|move\son|proceed(?:ings)?|adjourn(?:ed)?|apolog(?:y|ies)|agenda|chair
    |honou?rable|presentation|slides?|item\s\d|paper\sto\snote|minutes?\s(?:left|remaining)|half\san\shour
    |(?:next|this|today's|previous|last|final|first|following\sthe)\s(?:meeting|session|item|speaker|evidence)
    |in\s\w+\sminutes|this\s(?:morning|afternoon)|as\si\ssaid|to\sbe\shonest|by\sthe\sway|(?:see|talk\sto)\syou
    |(?:sort|kind)\sof|or\s(?:something|whatever)|and\s(?:stuff|so\son)|blah
    |we(?:'ll|\swill)\s(?:now|go|look|see|have|start|talk|move))\b
    |我(?:觉得|想|认为|感觉|猜|不知道|刚才|再|就|来|先|看|说|讲|的问题|个人|自己|给大家|叫|是)|我们(?:来|先|请|再看|今天)
    |谢谢|感谢|大家好|[你您]好|各位|欢迎|请问|请.{0,6}(?:发言|介绍|分享)|有请|掌声|鼓掌|不好意思|怎么说|什么的|之类的
    |刚才|刚刚|接下来|待会|下一(?:位|个)|嘉宾|主持|老师|校长|打个招呼|今天(?:的)?(?:会议|论坛|这个|很|非常)|环节|议题
    |主题是|闭幕|开幕|祝(?:福|大家|愿)|再见|发言|圆桌|提问|问题是|讨论一下|聊[一聊]|细聊|介绍一下|总(?:讲|说|您)
    |您(?:觉得|认为|怎么|这|刚)|你(?:觉得|看|说|知道|想)|听到|大家(?:都)?(?:知道|看到|可以看)""",
    re.IGNORECASE | re.VERBOSE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|might|could|would|probably|possibly|if)\b|可能|也许|或许|大概|如果|好像", re.IGNORECASE
)
_NEEDS_CONTEXT = re.compile(
    r"""\s*(?:(?:and|but|so|or|because|'?cause|well|then|also|which|yes|no|right|okay|yeah|now|anyway|except|if|like
        |though|although|else|not|maybe|depends)\b[\s,]*)+
    |\s*(?:而且|但是|但|所以|因为|然后|那么|那|对|或者|还有|另外|包括|就|也|其实|当然|因此|同时|比如|如果|再一个|首先|其次
        |第[一二三四五六七八九十])""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTING = re.compile(
    r"""\b(?:i|i'm|i've|my|me|it|its|it's|that|that's|this|these|those|they|they're|them|he|she|him|her|here|there
        |things?|stuff|ones?|something|someone|anything|everything|which|such)\b
    |[它他她]们?|我(?![们国])|[这那](?:个|些|样|里|边|种|块|是|么)?|其中|东西""",
    re.IGNORECASE | re.VERBOSE,
)
_ASSERTS = re.compile(
    r"""\b(?:is|are|was|were|will|must|should|shall|can|cannot|can't|has|have|had|needs?|requires?|costs?|uses?|runs?
        |supports?|means|decided|agreed|found|shows?|allows?|contains?|works?|fails?|\w{3,}(?:ed|es|s))\b
    |[是有为将会能须应已在]|需要|可以|必须|决定|采用|达到|超过|支持|使用|导致|增长|提高|降低|包括|属于|发现|使得|要求""",
    re.IGNORECASE | re.VERBOSE,
)
_SPECIFIC = re.compile(
    r"""\d|%|\b[A-Z][A-Za-z]*[A-Z0-9]\w*\b|(?<=[a-z,]\ )[A-Z][a-z]{2,}|\b\w+_\w+\b
    |\b(?:hundred|thousand|million|percent|per\scent|twenty|thirty|forty|fifty|half|twice)\b
    |百分之|[一二三四五六七八九十两]{1,3}(?:个|亿|万|千|百|倍|年|月|天|次|家|种)""",
    re.VERBOSE,
)
_TALK_LEAVES = 0.6


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, word for word as it stands in its text, and how clearly it states something, 0..1."""

    text: str
    clarity: float
    words: tuple[str, ...]
    terms: float


def statements(content: str) -> list[Statement]:
    """Return the sentences of a text that state something, in order."""
    found = (statement(sentence) for sentence in _sentences(content))
    return [each for each in found if each is not None]


def statement(sentence: str) -> Statement | None:
    """Return a sentence with its clarity, or None where it states nothing."""
    words = cut(_MARK.sub(" ", sentence))
    terms = _terms(words)
    if not _SHORTEST <= _width(sentence) <= _LONGEST or terms < _FEWEST_TERMS or _QUESTION.search(sentence):
        return None
    return Statement(sentence, _clarity(sentence, terms), words, terms)


def _sentences(content: str) -> Iterator[str]:
    prose = _NO_PROSE.sub(lambda found: "\n" * len(found[0]), content)
    for number, found in enumerate(_SENTENCE.finditer(prose)):
        if number >= _MOST_SENTENCES:
            return
        item = _ITEM.match(found[0])
        sentence = found[0][item.end() if item else 0 :].strip()
        if sentence:
            yield sentence


def _terms(words: tuple[str, ...]) -> float:
    """Return how many different words say something; each Chinese word is there as characters and as pairs."""
    telling = {word for word in words if not word[0].isdigit() and word not in _NUMBER_WORDS}
    chinese = sum(bool(_HAN.match(word)) for word in telling)
    return len(telling) - 0.65 * chinese


def _width(sentence: str) -> int:
    """Return the length of a sentence; a Chinese character says about as much as two others."""
    return len(sentence) + len(_HAN.findall(sentence))


def _clarity(sentence: str, terms: float) -> float:
    plain = _MARK.sub(" ", sentence)
    length = len(_WORD.findall(plain)) + 0.7 * len(_HAN.findall(plain))
    told = min(1.0, terms / (1.0 + 0.5 * length)) if length else 0.0
    score = 0.45 + 0.4 * told + 0.08 * min(2, _count(_SPECIFIC, plain)) - 0.35 * (not _ASSERTS.search(plain))
    score -= 0.12 * _count(_MARK, sentence) + 0.1 * _count(_HESITATION, plain) + 0.1 * bool(_HEDGE.search(plain))
    score -= 0.15 * bool(_NEEDS_CONTEXT.match(plain)) + 0.8 * _count(_POINTING, plain) / max(6.0, length)
    score -= 0.25 * bool(_UNFINISHED.search(plain)) + 0.02 * max(0.0, 8.0 - length) + 0.01 * max(0.0, length - 36.0)
    talk = _TALK_LEAVES ** min(2, _count(_TALK, plain))
    return max(0.0, min(1.0, score)) * talk


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
