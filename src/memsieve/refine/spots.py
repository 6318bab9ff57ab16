"""Whether a text is about one file, function, line, ticket or commit only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memsieve.model import Reason
from memsieve.refine import names
from memsieve.refine.general import clauses, measures, telling

# With a condition, what one function does is a rule for whoever calls it.
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
_LONGEST = 400


def spot(text: str) -> Reason | None:
    """Return why a text is about one place in the code or one ticket alone, or None."""
    if len(text) > _LONGEST or measures(text):
        return None
    anchors = _Anchors.of(text)
    if not anchors.one or not anchors.local(text) or any(map(_says_more, clauses(text))):
        return None
    return anchors.reason


def _says_more(clause: str) -> bool:
    about_it = _Anchors.of(clause).reason or any(words.search(clause) for words in (_FLAW, _EDIT, _STATUS))
    return not about_it and telling(clause)


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
