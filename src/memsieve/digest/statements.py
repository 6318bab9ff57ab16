"""Find the sentences of a text that state something a person could decide on, and score their clarity.

A digest is read by somebody who was not there: a good statement is whole, says something of its own, and needs no
neighbour to be understood. Greetings, questions, half sentences, talk about the talk, logs and code are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memsieve.text.normalize import simplify
from memsieve.text.scripts import HAN, count_han, is_han
from memsieve.text.sentences import find_sentences
from memsieve.text.tokenize import tokenize

_MOST_SENTENCES = 400
_SHORTEST, _LONGEST = 12, 400
_FEWEST_TERMS = 3

_NO_PROSE = re.compile(
    r"""```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)
    |^[^\n]*(?:[;{}]\s*$|https?://\S{1,999}+\s*$|^[ \t]*[\[{<|$>#]|==|=>|::|&&|\|\||</\w+>|^[ \t]*[\w.\[\]"']+\s?=\s
    |\w\.py:\d|\[\s?\d{1,3}%\]|\(core\ dumped\)
    |^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T\ ]\d|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b
    |"[^"\n]{1,80}"\s?:|File\s"|Traceback|[A-Z]\w+(?:Error|Exception):|def\s|class\s|import\s|return\b|print\(
        |(?:Process|Command|Script|Program)\s(?:finished|exited|completed|terminated)\s|(?:npm|pip|yarn|cargo)\s[A-Z]
        |(?:warning|error|panic|fatal):\s|at\s[\w.$/<>]+\(|[dl-](?:[r-][w-][xst-]){3}\s
        |Successfully\s(?:installed|built)\s|(?:Collecting|Compiling|Downloading)\s[\w.-]+(?:[<>=~(]|\sv?[\d(])
        |(?:added|removed|changed)\s\d+\spackages?\b|日志[：:]|(?:进程|程序|命令)已(?:结束|退出|完成)))[^\n]*$""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_ITEM = re.compile(r"\s*(?:[-*•·●▪◦+]|\(?\d{1,3}[.)、]|[（(][一二三四五六七八九十\d]+[)）]|#{1,6}|>)\s+")
# The tags of transcripts: {laugh}, [Inaudible.]
_MARK = re.compile(r"\{[a-z]{3,20}\}|\[[A-Za-z ]{3,20}\.?\]")
_WORD = re.compile(r"[A-Za-z0-9_'’]+(?:[-.][A-Za-z0-9_]+)*")
# A run of letters that are neither Latin nor Chinese.
_OTHER_SCRIPT = re.compile(rf"[^\W\d_A-Za-z\u00aa-\u024f{HAN}]{{2,}}")
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
    |是不是|能不能|会不会|有没有|^[^，,]{0,12}(?:什么|怎么|为何|如何|是否|哪些|哪个|谁)""",
    re.IGNORECASE | re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"""(?:[,，、:：—–-]|\.\.\.|…
    |\b(?:and|or|but|so|the|a|an|of|to|in|on|for|with|that|which|because|if|uh|um|is|are|was|like|just|i|we|you|they
        |it|'s|well|also|then|than)
    |[和与或但而且的因为所以如果就是然后]{1,2}|之[初后前际间]|期间|当中|过程中|的时候|情况下|的话)\s*[.。]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_HESITATION = re.compile(
    r"""\b(?:u+h+m*|u+m+|e+r+m?|m+h*m+|h+m+|ah+|oh|huh|yeah|yep|okay|ok|alright|gonna|wanna|dunno|kinda|sorta|like)\b
    |\b(\w+)\s+\1\b|\b(\w{1,4})\s+\2\w+\b|(?<![\w'’.])[b-hj-z](?![\w'’._])
    |[嗯啊哦呃呀哎唉哈]|对吧|是吧|对不对|就是说|怎么讲""",
    re.IGNORECASE | re.VERBOSE,
)
# Talk about the talk: opinions, thanks, whose turn it is, and when it ends.
_TALK = re.compile(
    r"""\b(?:
    i\s(?:think|don'?t\sthink|do\sthink|believe|guess|mean|suppose|wonder|don'?t\sknow|was\sthinking|would\s(?:say|like)
        |just|like|want(?:ed)?\sto|am\sgoing|ask|rise|will|have\s(?:now|successfully|completed))
    |i'?(?:m\s(?:not\ssure|sorry|going|just|gonna|pleased|happy)|ll|d\slike)|you\sknow|let'?s|let\sme|thank(?:s|\syou)
    |good\s(?:morning|afternoon|evening)|hello|welcome|hope\sthis|sorry|please|excuse\sme|my\sname|tell\sus
    |you(?:'ll|\s(?:will|would|could|can))\s(?:be\ssent|receive|have|see|find|tell)
    |questions?|the\sfloor|go\sahead|over\sto|move\son|proceed(?:ings)?|adjourn(?:ed)?|apolog(?:y|ies)|agenda|chair
    |honou?rable|presentation|slides?|item\s\d|paper\sto\snote|minutes?\s(?:left|remaining)|half\san\shour
    |(?:next|this|today's|previous|last|final|first|following\sthe)\s(?:meeting|session|item|speaker|evidence)
    |in\s\w+\sminutes|this\s(?:morning|afternoon)|as\si\ssaid|to\sbe\shonest|by\sthe\sway|(?:see|talk\sto)\syou
    |the\s(?:request|task|user'?s?\s(?:request|question)|above|following)|step\s\d|transcription
    |(?:sort|kind)\sof|or\s(?:something|whatever)|and\s(?:stuff|so\son)|blah
    |we(?:'ll|\swill)\s(?:now|go|look|see|have|start|talk|move))\b
    |我(?:觉得|想|认为|感觉|猜|不知道|刚才|再|就|来|先|看|说|讲|的问题|个人|自己|给大家|叫|是)|我们(?:来|先|请|再看|今天)
    |谢谢|感谢|大家好|[你您]好|各位|欢迎|请问|请.{0,6}(?:发言|介绍|分享)|有请|掌声|鼓掌|不好意思|怎么说|什么的|之类的
    |刚才|刚刚|接下来|待会|下一(?:位|个)|嘉宾|主持|老师|校长|打个招呼|今天(?:的)?(?:会议|论坛|这个|很|非常)|环节|议题
    |主题是|闭幕|开幕|祝(?:福|大家|愿)|再见|发言|圆桌|提问|问题是|讨论一下|聊[一聊]|细聊|介绍一下|总(?:讲|说|您)
    |您(?:觉得|认为|怎么|这|刚)|你(?:觉得|看|说|知道|想)|听到|大家(?:都)?(?:知道|看到|可以看)""",
    re.IGNORECASE | re.VERBOSE,
)
# Tasks and orders say what somebody should do now, and not what is so.
_ORDER = re.compile(
    r"""\s*(?:\d+[.)]\s*)?(?:use|confirm|determine|identify|find|verify|provide|collect|check|search|ensure|make\ssure|write
        |create|run|open|click|list|calculate|compute|analy[sz]e|extract|visit|look|try|consider|note|see|read|scroll
        |follow|gather|review|summari[sz]e|respond|reply|answer|return|complete|begin|start|stop|help)\b(?!\s(?:is|are|was))
    |.{0,40}\byou(?:r\stask|\s(?:are|should|must|need|will|have\sto|can))\b|\w+:\s(?:an?|the)\s(?:helpful|general)
    |\s*请(?!求)|\s*(?:查找|搜索|打开|点击|确认|检查|计算|列出|运行|编写|收集)(?!了|到|结果)""",
    re.IGNORECASE | re.VERBOSE,
)
# A sentence of English has one of these; a heading, a list or a row of buttons has none.
_FUNCTION_WORD = re.compile(
    r"""\b(?:the|an?|of|to|in|on|for|with|is|are|was|were|be|been|will|must|should|shall|can|cannot|may|has|have|had|do|does
        |did|at|by|from|as|that|not|no|we|it|its|their|our|his|her|they|than|when|if|because|and|or|into|only|never|all
        |every|each|after|before|since|until|per|about|over|under|between|within|without|i|you|de|la|le|el|der|die|das)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|might|could|would|probably|possibly|if)\b|可能|也许|或许|大概|如果|好像", re.IGNORECASE
)
_NEEDS_CONTEXT = re.compile(
    r"""\s*(?:(?:and|but|so|or|because|'?cause|well|then|also|which|yes|no|right|okay|yeah|now|anyway|except|if|like
        |though|although|else|not|maybe|just|depends)\b[\s,]*)+
    |\s*(?:而且|但是|但|所以|因为|然后|那么|那|对|或者|还有|另外|包括|就|也|其实|当然|因此|同时|比如|如果|再一个|首先|其次
        |第[一二三四五六七八九十])""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTING = re.compile(
    r"""\b(?:i|i'm|i've|my|me|it|its|it's|that|that's|this|these|those|they|they're|them|he|she|him|her|here|there
        |things?|stuff|ones?|something|someone|anything|everything|which|such)\b
    |[它他她]们?|我(?![们国])|[这那](?:个|些|样|里|边|种|块|是|么)?|其中|东西
    |一个(?![月小季星])|一[些种]|很多|非常|方面|的话|就是|其实|来说|来讲|来看|包括|的时候""",
    re.IGNORECASE | re.VERBOSE,
)
# A finite verb: a common one, a past tense, or a word with -s in the place of a verb.
_ASSERTS = re.compile(
    r"""\b(?:is|are|was|were|isn't|aren't|wasn't|will|won't|must|should|shall|can|cannot|can't|may|has|have|had|does|did|don't
        |doesn't|didn't|need|needs|requires?|costs?|uses?|runs?|supports?|means|found|shows?|allows?|contains?|works?|fails?
        |keeps?|kept|makes?|made|takes?|took|gives?|gave|gets?|got|goes|went|comes?|came|says?|said|became|becomes?|began|built
        |put|sells?|sold|spent|lost|won|grew|fell|rose|led|left|met|sent|set|ran|wrote|chose|holds?|held|brings?|brought
        |we\s\w{3,}|they\s\w{3,}|[a-z]{3,}ed)\b
    |(?<!\bof\s)(?<!\bthe\s)(?<!\ball\s)(?<!\bother\s)\b[a-z]{2,}[^s\W]s\s(?:the|an?|to|at|in|on|by|for|with|from|up|out|its
        |their|our|no|all|every|each|only|about|after|before|between|when|if|because|that|\d)
    |[是有为将会能须应已在]|需要|可以|必须|决定|采用|达到|超过|支持|使用|导致|增长|提高|降低|包括|属于|发现|使得|要求""",
    re.IGNORECASE | re.VERBOSE,
)
_SPECIFIC = re.compile(
    r"""\d|%|\b[A-Z][A-Za-z]*[A-Z0-9]\w*\b|(?<=[a-z,]\ )[A-Z][a-z]{2,}|\b\w+_\w+\b
    |\b(?:hundred|thousand|million|percent|per\scent|twenty|thirty|forty|fifty|half|twice)\b
    |百分之|[一二三四五六七八九十两]{1,3}(?:个|亿|万|千|百|倍|年|月|天|次|家|种)""",
    re.VERBOSE,
)
# Weights of clarity, chosen by reading the statements found in meetings in both languages.
_TALK_LEAVES = 0.6
_UNHEARD = 0.12
_BRIEF, _LENGTHY = 8.0, 36.0
_LAST_WORDS = 24


@dataclass(frozen=True, slots=True)
class ClearStatement:
    """A verbatim sentence of a text, and how clearly it states something, 0..1."""

    text: str
    clarity: float
    words: tuple[str, ...]
    terms: float


def statements(content: str) -> list[ClearStatement]:
    """Return the sentences of a text that state something, in order."""
    found = (statement(sentence) for sentence in _sentences(content))
    return [each for each in found if each is not None]


def statement(sentence: str) -> ClearStatement | None:
    """Return a sentence with its clarity, or None where it states nothing."""
    if not _SHORTEST <= _width(sentence) <= _LONGEST:
        return None
    plain = _MARK.sub(" ", sentence)
    # The rules know simplified characters only.
    plain = simplify(plain)
    if _QUESTION.search(plain) or _heading(plain):
        return None
    words = tokenize(plain)
    terms = _terms(words)
    if terms < _FEWEST_TERMS:
        return None
    unheard = _UNHEARD * len(_MARK.findall(sentence))
    return ClearStatement(sentence, max(0.0, _clarity(plain, terms) - unheard), words, terms)


def _sentences(content: str) -> Iterator[str]:
    prose = _NO_PROSE.sub(lambda found: "\n" * len(found[0]), content)
    for number, found in enumerate(find_sentences(prose)):
        if number >= _MOST_SENTENCES:
            return
        item = _ITEM.match(found[0])
        sentence = found[0][item.end() if item else 0 :].strip()
        if sentence:
            yield sentence


def _heading(sentence: str) -> bool:
    """Say whether English words are put together without the small words that make a sentence of them, or shouted."""
    if count_han(sentence) or _OTHER_SCRIPT.search(sentence):
        return False
    shouted = sentence.isupper() and len(_WORD.findall(sentence)) < _BRIEF
    return shouted or not _FUNCTION_WORD.search(sentence)


def _terms(words: tuple[str, ...]) -> float:
    """Return how many different words say something; each Chinese word is there as characters and as pairs."""
    telling = {word for word in words if not word[0].isdigit() and word not in _NUMBER_WORDS}
    chinese = sum(is_han(word) for word in telling)
    return len(telling) - 0.65 * chinese


def _width(sentence: str) -> int:
    """Return the length of a sentence; a Chinese character says about as much as two others."""
    return len(sentence) + count_han(sentence)


def _clarity(sentence: str, terms: float) -> float:
    """Return how clearly a sentence states something: much that tells in few words, and few of the faults of speech."""
    others = len(_OTHER_SCRIPT.findall(sentence))
    length = len(_WORD.findall(sentence)) + 0.7 * count_han(sentence) + others
    density = min(1.0, terms / (1.0 + 0.5 * length))
    score = 0.45 + 0.4 * density + 0.08 * min(3, _count(_SPECIFIC, sentence))
    # Which words assert something is known in two languages only.
    score -= 0.35 * (not others and not _ASSERTS.search(sentence))
    score -= 0.1 * _count(_HESITATION, sentence) + 0.1 * bool(_HEDGE.search(sentence))
    score -= 0.3 * bool(_ORDER.match(sentence))
    score -= 0.15 * bool(_NEEDS_CONTEXT.match(sentence)) + 0.8 * _count(_POINTING, sentence) / max(6.0, length)
    score -= 0.25 * bool(_UNFINISHED.search(sentence[-_LAST_WORDS:]))
    score -= 0.02 * max(0.0, _BRIEF - length) + 0.01 * max(0.0, length - _LENGTHY)
    return max(0.0, min(1.0, score)) * _TALK_LEAVES ** min(2, _count(_TALK, sentence))


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
