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
from memsieve.text.word_lists import WordFile

_FILE = WordFile("memsieve.digest", "statements.txt")
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
_NUMBER_WORDS = frozenset(_FILE.words("number words"))
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
_TALK = _FILE.pattern("talk")
_ORDER = re.compile(
    rf"\s*(?:\d+[.)]\s*)?(?:{_FILE.one_of('orders')})\b(?!\s(?:is|are|was))"
    r"|.{0,40}\byou(?:r\stask|\s(?:are|should|must|need|will|have\sto|can))\b|\w+:\s(?:an?|the)\s(?:helpful|general)"
    rf"|\s*请(?!求)|\s*(?:{_FILE.one_of('orders.chinese')})(?!了|到|结果)",
    re.IGNORECASE,
)
_FUNCTION_WORD = _FILE.pattern("function words")
_HEDGE = _FILE.pattern("hedges")
_NEEDS_CONTEXT = re.compile(
    rf"\s*(?:(?:{_FILE.one_of('openings')})\b[\s,]*)+|\s*(?:{_FILE.one_of('openings.chinese')})", re.IGNORECASE
)
_POINTING = _FILE.pattern("pointing")
# A finite verb, or a word with -s in the place of a verb.
_ASSERTS = re.compile(
    rf"\b(?:{_FILE.one_of('asserting')})\b"
    r"|(?<!\bof\s)(?<!\bthe\s)(?<!\ball\s)(?<!\bother\s)\b[a-z]{2,}[^s\W]s\s"
    rf"(?:{_FILE.one_of('after a verb')})|{_FILE.one_of('asserting.chinese')}",
    re.IGNORECASE,
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
