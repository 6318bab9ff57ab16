"""What keeps two statements from contradicting: another time, speaker or part, or no claim at all."""

from __future__ import annotations

import re

from memsieve.text.scripts import HAN

# A question, an announcement, a change or a correction: nothing that stays as it is.
_NO_CLAIM = re.compile(
    r"""[?？]|[:：]\s*$
    |\b(?:sorry|scratch\sthat|correction|i\smean|or\srather|no\slonger|anymore|any\smore|
    (?<!\bbe\s)(?<!\bis\s)(?<!are\s)(?<!was\s)(?<!were\s)(?<!been\s)(?<!being\s)(?<!get\s)used\sto|
    (?:changed|switched|moved|renamed|migrated|increased|decreased|raised|reduced|cut|grew|rose|fell|dropped|went|updated|revised)\s(?:\w+\s){0,4}?(?:from|to)|
    (?:corrected|rescheduled|postponed|amended))\b
    |吗|呢[。]?$|不再|改为|改成|改到|变成|变为|转为|调整[到为至]|更正|修正|纠正|抱歉|
    (?:从(?![不未没来])|由).{1,12}(?:[变改]|[增降升提减][加长到至低为高少])""",
    re.VERBOSE | re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\s*(?:(?:so|and|but|or)\s)?(?:(?:do|does|did|is|are|was|were|can|will|have|has)\s(?:we|you|it|that|this|they|there|he|she|i|the)\b"
    r"|(?:what|why|how|who)\b)",
    re.IGNORECASE,
)
# Conditions, choices, ranges, examples and quotations contradict only their own repetition, word for word.
_DOUBTFUL = re.compile(
    r"""["“”「『«]|\b(?:if|unless|whether|suppose|supposing|assuming|imagine|otherwise|either|or|e\.g|for\s(?:example|instance)|
    not\s(?:only|just|merely|necessarily)|sometimes|alternat\w+|depend(?:s|ing)?|in\scase|rather|instead|ranges?|ranging|between|var(?:y|ies|ied)|until|till|become|becomes|became|from|
    when|where|(?:tr(?:y|ies|ied)|attempt(?:s|ed)?|plan(?:s|ned)?|promised?|intend(?:s|ed)?)\sto|
    (?-i:may)|might|could|would|should|maybe|perhaps|possibly|probably|likely|seems?|seemed|appears?|guess|wonder|hope|wish|want(?:s|ed)?|
    says|(?<!to\s)say|said|claimed|thinks|(?<!\bi\s)(?<!we\s)think|thought|believes|(?<!\bi\s)(?<!we\s)believe|believed|argues?|argued|(?:reports|reported|states|claims)\sthat|reportedly|according|told|
    tells?|suggests?|suggested|stated|asserts?|insists?|insisted|opinion|(?:my|his|her|their|our|s)\sview|feels?|felt|predicts?|predicted|disputes?)\b
    |不仅|不但|不只|不光|不一定|未必|有没有|[是能会可要行]不[是能会可要行]|有时|时而|一会|如果|假如|假设|要是|倘若|若(?!干)|除非|是否|能否|可否|比如|例如|譬如|举例|要么|或|还是|的话|与其|之间|试图|尝试|
    可能|也许|或许|大概|恐怕|似乎|好像|应该|希望|什么|怎么|哪|谁|(?<![我们])认为|表示|指出|声称|主张|(?<![我们])觉得|据.{0,8}[说报称]|(?<![来会能])说(?![白得实到起])|看来|坚持|传言|观点""",
    re.VERBOSE | re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:while|although|though|whereas|but|however)\b|但|而|却|虽", re.IGNORECASE)
# A condition asserts nothing by itself.
_CONDITION = re.compile(
    r"\s*(?:if|unless|in\scase|provided|suppose|assuming)\b[^,]*|\s*(?:如果|假如|假设|要是|倘若|若(?!干)|除非)[^,，]*",
    re.IGNORECASE,
)
# One of these on one side only means another time, part, plan or measure.
_SETTING = re.compile(
    r"""\b(?:yesterday|today|tomorrow|tonight|now|then|nowadays|previously|formerly|originally|initially|earlier|
    later|before|after|afterwards?|ago|once|recently|eventually|finally|meanwhile|next|last|past|future|first|second|third|
    fourth|fifth|former|latter|others?|another|else|rest|remaining|same|different|morning|afternoon|evening|night|
    noon|week|month|year|when|while|during|since|again|yet|soon|if|unless|or|(?-i:may)|might|could|would|should|
    each|every|per|total|totals|overall|altogether|combined|average|median|minimum|maximum|min|max|least|
    only|some|half|part|partly|partially|many|few|several|certain|additional|extra|than|need|needs|must|
    plan|plans|planned|target|goal|expected|estimated?|forecast|projected|proposed|proposal|aim|budgeted|actual|
    except|without|alone|nearly|almost|too|enough|fully|entirely|completely|exactly|new|old|left|right|upper|lower|top|bottom|
    inner|outer|north|south|east|west|internal|external|male|female|best|worst|summer|winter|autumn|local|remote|staging|
    production|default|both|neither|(?-i:[B-HJ-Z]))\b
    |(?-i:\b[a-z]+\sA\b|[A-H](?=[HAN])|(?<=[HAN])\s?[A-H](?![A-Za-z]))
    |昨[天日晚]|今[天日晚]|明[天日晚]|去年|今年|明年|前年|上个?[周月季年]|下个?[周月季年]|本[周月季年]|现在|目前|如今|当时|那时|
    原[来本先]|以前|之前|以后|之后|后来|曾|最[初终后]|起初|随后|早期|近期|前者|后者|其[他它余]|另|别的|剩|白天|夜|
    每|平均|总共|总计|合计|共计|一共|累计|最[多少大小高低]|至少|只|仅|部分|一些|有[些的人]|某|多[个处项名位次种]|若干|好几|多数|少数|许多|
    计划|预计|目标|预期|预估|拟|打算|建议|实际|除了|完全|太|够|左|右|内部|外部|[东南西北][方部边]|男|女|[春夏秋冬][天季]|
    首|[上下]半年|[甲乙丙丁]|[一二三四五六]期|方案[一二三四五]|必须|需要|
    更|比|先|再|如果|若(?!干)|可能|应该|或""".replace("HAN", HAN),
    re.VERBOSE | re.IGNORECASE,
)
# Words for something that is true of some and not of others.
_PARTIAL = frozenset(
    "some many few several certain half part partly 部分 一些 有些 有的 有人 某 多数 少数 许多".split()
)
_TIMES = frozenset(
    "yesterday today tonight last earlier recently morning afternoon evening night noon week month year "
    "昨天 昨日 昨晚 今天 今日 今晚 去年 今年 上周 上月 上个周 上个月 本周 本月".split()
)
_NEVER = re.compile(r"\bnever\b|从未|从没|从来没有", re.IGNORECASE)
_AMOUNTS = frozenset(
    "some many several 部分 一些 有些 有的 有人 多数 少数 许多 多个 多处 多项 多名 多位 多次 多种 若干 好几".split()
)
_UNCOUNTED = _PARTIAL | _AMOUNTS | {"every", "each", "每", "without"}


_ASKS = re.compile(r"[?？]|[:：]\s*$|[吗呢][。.]?\s*$")
_TAKES_BACK = re.compile(
    r"\b(?:sorry|scratch\sthat|correction|or\srather|i\smeant|no\slonger|any\s?more)\b"
    r"|不再|改为|改成|改到|变成|变为|转为|更正|修正|纠正|抱歉|说错",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Say whether a sentence is a question, or only announces what follows."""
    return bool(_ASKS.search(sentence) or _QUESTION.match(sentence))


def is_correction(sentence: str) -> bool:
    """Say whether a sentence corrects an earlier one or reports a change."""
    return bool(_TAKES_BACK.search(sentence))


def asserts(sentence: str) -> bool:
    """Say whether a sentence asserts something that stays as it is."""
    return not _NO_CLAIM.search(sentence) and not _QUESTION.match(sentence)


def condition(text: str) -> str:
    """Return the condition that a text begins with, or nothing."""
    found = _CONDITION.match(text)
    return found[0].strip().lower() if found else ""


def is_hypothetical(sentence: str) -> bool:
    """Say whether a sentence is conditional, vague, or somebody else's word."""
    return bool(_DOUBTFUL.search(sentence))


def is_contrasted(sentence: str) -> bool:
    """Say whether a sentence sets one thing against another."""
    return bool(_CONTRAST.search(sentence))


def is_doubtful(sentence: str) -> bool:
    """Say whether a sentence may contradict only its own repetition."""
    return is_hypothetical(sentence) or is_contrasted(sentence)


def setting(sentence: str) -> frozenset[str]:
    """Return the words that say when, which part, or in what sense."""
    return frozenset(match[0].lower() for match in _SETTING.finditer(sentence))


def is_partial(words: frozenset[str]) -> bool:
    """Say whether a setting covers some things and leaves others out."""
    return not words.isdisjoint(_PARTIAL)


def is_dated(words: frozenset[str]) -> bool:
    """Say whether a setting only says when something happened."""
    return bool(words) and words <= _TIMES


def says_never(sentence: str) -> bool:
    """Say whether a sentence denies something for all time."""
    return bool(_NEVER.search(sentence))


def amounts(words: frozenset[str]) -> frozenset[str]:
    """Return the words of a setting that count without a number."""
    return words & _AMOUNTS


def uncounted(words: frozenset[str]) -> frozenset[str]:
    """Return a setting without the words that count."""
    return words - _UNCOUNTED
