"""Whether a sentence only tells what somebody is doing at this moment."""

from __future__ import annotations

import re

from memsieve.refine.general import clauses, measures, telling
from memsieve.text.scripts import HAN

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
# "I am running a bakery" and "I just opened my shop" last.
_LASTING = "(?! (?:a|an|my|our|up|for)\\b)"
_NOW = (
    r"(?:now|right now|just now|at the moment|currently|today|this (?:morning|afternoon|evening|minute)|tonight|"
    r"a (?:moment|minute|second|while) ago|(?:minutes|hours) ago|earlier today|yesterday|in a (?:minute|moment|second)|"
    r"soon|again|once more)"
)


def _spaced(words: str) -> str:
    """Return a pattern whose spaces count where those of the pattern around it do not."""
    return words.replace(" ", r"\s+")


_ENGLISH = re.compile(
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
_CHINESE = re.compile(
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
# Who reports what they learned, or why, says more than what they do.
_LEARNED = re.compile(
    r"\b(?:found|noticed|learn(?:ed|t)|reali[sz]ed|discovered|confirmed|heard|figured|measured|proved|shows?|showed|"
    r"turns out|it seems|means|works?|fails?|so that|thanks to|which|causes?|caused|like|love|hate|want|think that|"
    r"believe|called|named|by (?!the way|then)\w+ing)\b"
    r"|发现|注意到|了解到|得知|证实|确认了|意味|原因|导致|结果是|说明|喜欢|觉得|认为|希望|计划|打算|叫做|原来",
    re.IGNORECASE,
)
# The moment itself has few words; a clause beside it must say nothing.
_MOST_IN_A_MOMENT = 7


def moment(sentence: str) -> str | None:
    """Return the words that make a sentence somebody's moment, when it says nothing else."""
    found = _find(sentence)
    if not found or _LEARNED.search(sentence) or measures(sentence):
        return None
    return None if any(map(_says_more, clauses(sentence))) else " ".join(found[0].split())


def _find(text: str) -> re.Match[str] | None:
    return _ENGLISH.search(text) or _CHINESE.search(text)


def _says_more(clause: str) -> bool:
    return telling(clause, _MOST_IN_A_MOMENT) if _find(clause) else telling(clause)
