"""Whether a text is about one spot or one moment and holds nothing general.

A good finding called narrow is lost, a narrow one let through costs a look: in doubt, a text is not narrow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memsieve.model import Reason
from memsieve.refine import names
from memsieve.refine.concepts import concepts
from memsieve.text import numbers
from memsieve.text.normalize import unify
from memsieve.text.numbers import QuantityKind
from memsieve.text.scripts import HAN
from memsieve.text.sentences import split_clauses, split_sentences

# Rules, habits, decisions and reasons; and what a product, its price and its people are.
_GENERAL = re.compile(
    r"""
    \b(?:always|never|every(?:one|body|thing|where|time)?|each|must|should(?:n['’]?t)?|shall|whenever|wherever|
      all(?!\s+(?:the|my|of|these|those|right|good|set|done|i\b))|
      any(?!\s+(?:questions?|thoughts?|ideas?|comments?|updates?))|
      generally?|usually|typically|often|normally|by\s+default|rules?|polic(?:y|ies)|conventions?|standards?|
      guidelines?|principles?|require[sd]?|requirements?|mandatory|forbidden|prohibited|deprecated|
      decid(?:ed?|es|ing)|decisions?|agree[ds]?|agreements?|chose|chosen|we\s+will|we['’]ll|avoid|prefer(?:red|s)?|
      recommend(?:ed|s)?|ensure[sd]?|make\s+sure|remember|lessons?|in\s+general|as\s+a\s+rule|no\s+one|nobody|
      none\s+of|only|do\s+not|don['’]?t|cannot|can['’]?t|instead|rather\s+than|because|since|otherwise|therefore|
      so\s+that|due\s+to|in\s+order\s+to|unless|depends?|customers?|users|clients?|supports?|contracts?|architecture|
      trade-?offs?|pattern|best\s+practice|guarantee[sd]?|safe\s+to|unsafe|means\s+that|root\s+cause|deadlines?|
      budget|prices?|costs?)\b
  | 总是|总要|始终|永远|从不|从来|一直|所有|全部|全都|任何|凡是?|一律|必须|务必|应该|应当|必需|须要|需要|不得|不准
  | 不许|禁止|不要|不能|不可|不应|避免|每次|每个|每当|每一|每天|每周|只要|只能|只有|都(?:要|会|得|是|应|必|不)|无论
  | 不管|统一|规定|规范|规则|约定|原则|政策|策略|惯例|标准|要求|决定|决议|商定|达成|同意|采用|选用|改用|默认|通常|一般
  | 往往|经常|建议|推荐|确保|保证|记住|切记|教训|经验|最佳实践|架构|以后|今后|因为|由于|所以|因此|否则|以免|以便|为了
  | 除非|取决于|依赖于|支持|客户|用户|合同|预算|价格|成本|截止|而不是|才能|就会|就能|会导致|根本原因|通用|普遍
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LASTING_UNITS = frozenset({"$", "€", "£", "¥", "%", "size", "length", "weight", "°"})
_VALUE_START = re.compile(r"(?<![\w.])[$€£¥]?\d|百分之|[一二两三四五六七八九十百千]")
# A clause with this many concepts says something of its own.
_TELLING = 3

# What one does for a moment at work. "I am looking for a job" lasts longer, so some need a word of now beside them.
_DOING = (
    "running|checking|looking (?:at|into|through)|testing|debugging|opening|clicking|fixing|compiling|installing|"
    "rebooting|restarting|typing|scrolling|rerunning|rebuilding|committing|uploading|downloading|loading|printing|"
    "going through|going over|walking through|rebasing|merging|deploying|browsing|joining|grabbing"
)
_DOING_NOW = "looking|reading|searching|trying|waiting|pushing|reviewing|writing|editing|sharing|calling|leaving"
_DO = (
    "check|look|see|run|test|open|read|search|try|start(?! to| [a-z]+ing)|begin|continue|think|verify|find|click|"
    "scroll|inspect|explain|ask|go|fix|debug|rerun|restart|pull|push|share|show|grab|double-check|have a look|"
    "take a look|do (?:that|it|this)|proceed|finish|call|jump|walk|dig|analy[sz]e|examine|review|summari[sz]e|confirm"
)
# Together one decides more than one does: "let's go with the touch screen" is a decision.
_DO_TOGETHER = (
    "see|look|start|begin|continue|think|check|proceed|move on|get started|get back|wrap up|stop here|"
    "take a (?:break|look)|try (?:this|that|it|again)|go (?:on|back|through|over|ahead|to)|wait (?:a|here)|break"
)
_DID = (
    "fixed|pushed|committed|merged|ran|reran|checked|tested|restarted|updated|renamed|changed (?:it|this|that|the)|"
    "edited|opened|sent|read|clicked|looked|deleted|removed|added|reverted|rebased|rebooted|deployed|tried|copied|"
    "pasted|uploaded|saved|talked|spoke|called|emailed|pinged|saw|logged"
)
# "I am running a bakery" and "I just opened my shop" are no moments.
_LASTING = "(?! (?:a|an|my|our|up|for)\\b)"
_NOW = (
    r"(?:now|right now|just now|at the moment|currently|today|this (?:morning|afternoon|evening|minute)|tonight|"
    r"a (?:moment|minute|second|while) ago|(?:minutes|hours) ago|earlier today|yesterday|in a (?:minute|moment|second)|"
    r"soon|again|once more)"
)


def _spaced(words: str) -> str:
    """Return a pattern whose spaces count where those of the pattern around it do not."""
    return words.replace(" ", r"\s+")


_ENGLISH_MOMENT = re.compile(
    rf"""
    \blet\s+me\s+(?:just\s+|quickly\s+|now\s+|first\s+)*(?:{_spaced(_DO)}|wait)\b
  | \blet['’]?s\s+(?:just\s+|quickly\s+|now\s+|first\s+|all\s+)*(?:{_spaced(_DO_TOGETHER)})\b
  | \bi(?:['’]?m|\s+am|\s+was)\s+(?:just\s+|now\s+|still\s+|currently\s+|also\s+)*
        (?:{_spaced(_DOING)})\b{_spaced(_LASTING)}
  | \bi(?:['’]?m|\s+am|\s+was)\s+(?:just|now)\s+(?:{_spaced(_DOING_NOW)})\b
  | \bi(?:['’]?m|\s+am)\s+(?:still\s+|currently\s+)*(?:{_spaced(_DOING_NOW)})\b
        (?=.*\b(?:{_spaced(_NOW)}|build|tests?|pipeline|ci|deploy)\b)
  | \b(?:we(?:['’]re|\s+are)|he['’]s|she['’]s|[a-z]+\s+is)\s+(?:just\s+|now\s+|still\s+|currently\s+)*
        (?:{_spaced(_DOING)})\b(?=.*\b{_spaced(_NOW)}\b)
  | \bi(?:['’]ll|\s+will|['’]?m\s+going\s+to|\s+am\s+going\s+to|['’]?m\s+gonna)\s+
        (?:just\s+|now\s+|quickly\s+|first\s+|go\s+and\s+)*
        (?:{_spaced(_DO)}|be\s+(?:right\s+)?back|ping\s+you|let\s+you\s+know|wait)\b
  | \bi(?:['’]?ve|\s+have)?\s+just\s+(?:{_spaced(_DID)})\b{_spaced(_LASTING)}
  | \bi(?:['’]?ve|\s+have)?\s+(?:already\s+)?(?:{_spaced(_DID)})\b(?=.*\b{_spaced(_NOW)}\b)
  | \b(?:give\s+me|just)\s+(?:a|one)\s+(?:second|sec|moment|minute)\b|\b(?:hold|hang)\s+on\b
  | \bone\s+(?:moment|sec|second)\b|\b(?:brb|be\s+right\s+back|bear\s+with\s+me|where\s+was\s+i)\b
  | \bcan\s+you\s+(?:see|hear)\s+(?:me|my)\b
  | \bi(?:['’]?m|\s+am|\s+have\s+to|\s+need\s+to|['’]?ve\s+got\s+to)\s+
        (?:leav(?:e|ing)|go(?:ing)?|run|step(?:ping)?|head(?:ing)?)(?:\s+(?:home|out|away|off))?
        \s*(?:now|soon|early|today|at\s+\d|in\s+(?:\d|a)|for\s+(?:lunch|coffee|a))
  | \b(?:is|am|was)\s+(?:sick|ill|off\s+sick|out\s+(?:sick|of\s+(?:the\s+)?office)|on\s+(?:leave|holiday|vacation)|
        at\s+lunch|in\s+a\s+meeting)\s+(?:{_spaced(_NOW)}|tomorrow|this\s+week)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HAN_DO = (
    "看|查|跑|试|测|改|修|翻|找|问|检查|确认|运行|执行|测试|调试|打开|点击|搜|处理|重启|提交|合并|部署|编译|下载|上传|"
    "安装|重跑|回复|联系|开会|吃饭|休息|说|讲|补充|念|继续|总结"
)
_HAN_SOON = (
    "(?:现在|正在|正|马上|这就|先|刚刚?|刚才|赶紧|去|来|再|待会儿?|一会儿?|等下|等会儿?|今早|今天早上|今天|今晚|还在)"
)
_HAN_AWAY = "请假|不在|休假|外出|出差|生病|开会|有事|迟到|要走|得走"
_CHINESE_MOMENT = re.compile(
    rf"""
    我(?:也|就|都|那|这边|这里)*{_HAN_SOON}+(?:把[^，。；,;]{{1,24}}?)?(?:{_HAN_DO})(?!到?的|病|房|牙|婚)
  | 我在(?:跑|编译|测试|调试|重启|部署|查日志)
  | 我们(?:就|现在)*(?:先|来|再|接着)(?:{_HAN_DO})(?=一下|下|一会|$|[，。,.!！])
  | (?:让|容|等)我(?:先|再|来|去|想)*(?:{_HAN_DO}|想)
  | 我(?:{_HAN_DO})(?:一下|下|一眼)
  | 稍等|等一下|等一等|等等我|请稍候|稍后再说|等会儿?再|失陪|马上回来|马上就?好
  | [{HAN}]{{1,3}}(?:今天|现在|明天|这周|下午|上午)(?:{_HAN_AWAY})
  | (?:听|看)得?[到见](?:我|吗|屏幕)
    """,
    re.VERBOSE,
)
# A report of what was learned, or why, is more than a report of what somebody does.
_LEARNED = re.compile(
    r"\b(?:found|noticed|learn(?:ed|t)|reali[sz]ed|discovered|confirmed|heard|figured|measured|proved|shows?|showed|"
    r"turns out|it seems|means|works?|fails?|so that|thanks to|which|causes?|caused|like|love|hate|want|think that|"
    r"believe|called|named|by (?!the way|then)\w+ing)\b"
    r"|发现|注意到|了解到|得知|证实|确认了|意味|原因|导致|结果是|说明|喜欢|觉得|认为|希望|计划|打算|叫做|原来",
    re.IGNORECASE,
)
# The moment itself has few words; a clause beside it must say nothing.
_MOST_IN_A_MOMENT = 7

# With a condition, what one function does is a rule for its callers.
_CONDITION = re.compile(
    r"\b(?:when|if|while|until|once|after|before|during|where)\b|如果|当|若|时(?!间)|的话|一旦|之后|之前", re.IGNORECASE
)
# A file that others depend on, or that holds something, is a fact about the project.
_PLACE = re.compile(
    r"\b(?:holds?|contains?|stores?|lives?|is where|are (?:in|kept)|kept|defines?|defined|generated|owns?|"
    r"source of truth|entry point|documented|configured|reads? from|loads?|exposes?|implements?|returns?|"
    r"handles?|depends|uses)\b"
    r"|存放|保存在|放在|位于|定义|包含|负责|生成|入口|依赖|读取|加载|返回|实现|记录在|写在|配置在",
    re.IGNORECASE,
)
_FLAW = re.compile(
    r"\b(?:typos?|off[- ]by[- ]one|unused|todos?|fixmes?|stray|leftover|dead code|special[- ]cas(?:e|ed|ing)|"
    r"special handling|misspelled|indentation|indented|whitespace|semicolon|commented out|"
    r"missing (?:import|comma|bracket|semicolon|quote|return|colon|brace|parenthesis|newline)|"
    r"trailing (?:comma|space|whitespace)|magic number|hard-?coded|lines long|null check|"
    r"extra (?:comma|space|bracket|newline|semicolon)|wrong (?:variable|index|sign|operator)|debug print|"
    r"print statement|lint warning|docstring)\b"
    r"|拼写错误|拼错|笔误|错别字|未使用|没用到|多余|少了|漏了|多了一?个|缺了?一?个|缺少(?:分号|逗号|括号|引号|导入)"
    r"|特殊处理|特判|缩进|注释掉?|写死|硬编码|死代码|空指针判断|魔法数字|待办|行长|打印语句|变量名",
    re.IGNORECASE,
)
_DONE = "修改|修复|重构|合并|提交|回滚|更新|重命名|删除|添加|新增|清理"
_EDIT = re.compile(
    r"\b(?:fixed|renamed|changed|edited|updated|moved|added|removed|deleted|refactored|reverted|merged|rebased|"
    r"patched|cleaned up|tweaked|bumped|rewrote|rewritten|touched|modified|corrected|reformatted|inlined|extracted|"
    r"split out)\b"
    r"|(?:^|[.;]\s)\s*(?:fix|rename|remove|delete|add|update|tweak|clean up|refactor|revert)\b"
    rf"|(?:改|修|删|加|挪|移|换|调整|格式化|{_DONE})(?:好|掉|完|过|动)?(?:了|过)|[已刚](?:经)?(?:改|修|删|加|移|{_DONE})",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\b(?:merged|closed|opened|reopened|assigned|unassigned|in review|under review|blocked|waiting|awaiting|"
    r"approved|done|in progress|resolved|needs? (?:a )?(?:review|rebase|approval)|ready for review|on hold|pending|"
    r"picked up|green|red|conflicts?|landed|broke|pushed|stuck|still open|is open|moved to)\b"
    r"|已?合并|关闭|打开|分配给|指派给|评审中|审核中|待评审|待审|等待|阻塞|卡住|卡在|进行中|已解决|已完成|挂起|通过了"
    r"|还没(?:合|关|改|修)|冲突|还开着|在等",
    re.IGNORECASE,
)
# A longer text is about more than one spot, whatever it names.
_LONGEST_SPOT = 400


def why_narrow(text: str) -> Reason | None:
    """Return why a text is too narrow to keep; None when something in it is, or may be, general."""
    plain = unify(text)
    if _general(plain):
        return None
    if found := _spot(plain):
        return found
    if quote := _moments(plain):
        return Reason.of("refine.narrow_moment", quote=quote)
    return None


def _moments(text: str) -> str | None:
    """Return the first moment of a text in which every sentence that says something is one."""
    quote = None
    for sentence in split_sentences(text):
        found = _moment(sentence)
        if found is None and len(concepts(sentence)) > 1:
            return None
        quote = quote or found
    return quote


def _general(text: str) -> bool:
    """Say whether a text holds a word that makes it a rule, a habit, a decision or a reason."""
    return _GENERAL.search(text) is not None


def _telling(clause: str, concepts_needed: int = _TELLING) -> bool:
    """Say whether a clause has enough concepts to say something of its own."""
    return len(concepts(clause)) >= concepts_needed


def _measures(text: str) -> bool:
    """Say whether a text holds a price, a share or a size: these outlast a moment."""
    lower = text.lower()
    values = (numbers.read(lower, found.start(), "") for found in _VALUE_START.finditer(lower))
    return any(value and value.kind is QuantityKind.NUMBER and value.unit in _LASTING_UNITS for value in values)


def _moment(sentence: str) -> str | None:
    """Return the words that make a sentence somebody's moment, when it says nothing else."""
    found = _find_moment(sentence)
    if not found or _LEARNED.search(sentence) or _measures(sentence):
        return None
    return None if any(map(_says_more_than_moment, split_clauses(sentence))) else " ".join(found[0].split())


def _find_moment(text: str) -> re.Match[str] | None:
    return _ENGLISH_MOMENT.search(text) or _CHINESE_MOMENT.search(text)


def _says_more_than_moment(clause: str) -> bool:
    return _telling(clause, _MOST_IN_A_MOMENT) if _find_moment(clause) else _telling(clause)


def _spot(text: str) -> Reason | None:
    """Return why a text is about one place in the code or one ticket alone, or None."""
    if len(text) > _LONGEST_SPOT or _measures(text):
        return None
    anchors = _Anchors.of(text)
    if not anchors.one or not anchors.local(text) or any(map(_says_more_than_spot, split_clauses(text))):
        return None
    return anchors.reason


def _says_more_than_spot(clause: str) -> bool:
    about_it = _Anchors.of(clause).reason or any(words.search(clause) for words in (_FLAW, _EDIT, _STATUS))
    return not about_it and _telling(clause)


@dataclass(frozen=True, slots=True)
class _Anchors:
    """The places a text names: a function in a file on a line is one."""

    files: list[str]
    functions: list[str]
    tickets: list[str]
    lines: list[str]

    @classmethod
    def of(cls, text: str) -> _Anchors:
        return cls(names.files(text), names.functions(text), names.tickets(text), names.lines(text))

    @property
    def one(self) -> bool:
        return max(len(self.files), len(self.functions), len(self.tickets)) == 1

    def local(self, text: str) -> bool:
        """Say whether the text tells a flaw, an edit or a state of its one place."""
        if self.tickets and (_STATUS.search(text) or _EDIT.search(text)):
            return True
        if not self.files and not self.functions:
            return False
        if self.lines:
            return True
        fact = _CONDITION.search(text) or _PLACE.search(text)
        return not fact and bool(_FLAW.search(text) or _EDIT.search(text))

    @property
    def reason(self) -> Reason | None:
        """Which place the text is about; None where it names none."""
        line = f", {self.lines[0]}" if self.lines else ""
        for kind, found in (("file", self.files), ("function", self.functions), ("ticket", self.tickets)):
            if found:
                return Reason.of(f"refine.narrow_{kind}", place=f"{found[0]}{line}")
        return None
