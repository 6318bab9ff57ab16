"""Where a rare change may fit: a quick look for it, so that no time is lost on sentences without it."""

from __future__ import annotations

import re

_EN_DATE = (
    r"(?i:\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|tomorrow|today|(?:last|next|this) (?:week|"
    r"month|year))\b)|\b(?:January|February|March|April|June|July|August|September|October|November|December)\b|"
    r"\b(?:1[89]|20)\d\d\b|\d:\d\d|\d ?[ap]m\b"
)
_EN_NUMBER = r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half of|third|second)\b"
_ZH_DATE = r"[年月日号点]|星期|周[一二三四五六]|礼拜|昨天|明天|去年|上周|下周|上午|下午|\d:\d\d"
_ZH_NUMBER = r"\d|[两三四五六七八九十百千万][个位名家次种件条台张本辆间座项套份篇层天年元]|百分之|第[二三四五]"
_TEXTS: dict[bool, dict[str, str]] = {
    False: {
        "number": _EN_NUMBER,
        "date": _EN_DATE,
        "unit": r"(?:\d|\b(?:two|three|four|five|six|ten|hundred|few|several)) ?-?(?:hours?|minutes?|days?|weeks?|"
        r"months?|years?|seconds?|miles?|k?m|feet|meters|dollars|euros|pounds|GBP|MB|GB|KB|bytes|bits|million|"
        r"billion|thousand)\b",
        "quantifier": r"\b(?:all|every|everyone|everything|always|never|often|usually|most|some of|both|"
        r"many|few|a lot of|at "
        r"least|more than|less than|nothing|nobody|sometimes|rarely)\b",
        "comparative": r"\bthan\b|\bas \w+ as\b",
        "roles": r"\bfrom (?:the|[A-Z]|left|right|top)|\b(?:I|he|she|we|they|[A-Z][a-z]+) (?:gave|told|asked|called|"
        r"paid|sent|helped|saw|loves?|loved|taught|beat|showed|likes|hates|owes|sold|invited|visited|thanked) "
        r"(?:me|him|her|us|them|[A-Z])|(?:er|more \w+) than (?:the|[A-Z])",
        "status": r"\b(?:is|are|was|were|been|be) (?:passed|failed|approved|rejected|open|closed|"
        r"completed|done|finished|"
        r"enabled|disabled|active|available|unavailable|confirmed|cancelled|accepted|paid|published|released|"
        r"valid|successful|unsuccessful|found|missing|satisfied|complete|visible|ready|correct|true|up|on|off|"
        r"down|running|working|booked|empty|full|locked|hidden|broken|fixed|merged|verified|found)\b",
        "number_format": _EN_NUMBER,
        "rounding": r"\d[\d.,]*\d",
        "bound": r"\d",
        "date_format": r"(?:January|February|March|April|May|June|July|August|September|October|November|"
        r"December) \d|\d "
        r"(?:January|February|March|April|May|June|July|August|September|October|November|December)|\d:\d\d",
        "voice": r"^(?:I|We|He|She|They|[A-Z][a-z]+) (?:bought|wrote|sold|built|opened|closed|sent|found|stole|broke|"
        r"invited|cleaned|painted|designed|finished|created|removed|added|published|discussed|checked) (?:the|"
        r"my|his|her|[A-Z])",
        "converse": r"er than (?:the|[A-Z])",
        "opposite_denied": r"\b(?:is|are|was|were) (?:not )?(?:open|closed|possible|impossible|available|"
        r"unavailable|valid|"
        r"invalid|correct|incorrect|true|false|complete|enabled|disabled|visible|required|optional|able|unable|"
        r"known|unknown|empty|safe|present|necessary)\b",
        "pronoun": r"^(?:The|This|Tom|Mary|John) ",
    },
    True: {
        "number": _ZH_NUMBER,
        "date": _ZH_DATE,
        "unit": r"[\d一两三四五六七八九十百千万几] ?(?:小时|分钟|天|个月|年|元|美元|英镑|公里|米|公斤|吨|万|亿|秒|毫秒|"
        r"字节|倍|周)",
        "quantifier": r"所有|全部|都|总是|一直|始终|从不|经常|通常|大部分|大多数|多数|许多|很多|部分|"
        r"完全|至少|最多|超过|"
        r"不到|每个人|偶尔|很少|一些",
        "comparative": r"比[\u4e00-\u9fff ]{1,10}[高低大小多少快慢长短贵强弱好差早晚远近重轻]|"
        r"[高低大小多少早晚优]于|超过|不如",
        "roles": r"从[^，。]{1,6}到|(?:我|你|他|她|我们|他们|汤姆|玛丽|您)(?:给|告诉|帮|问|打|喜欢|爱|教|借给|等|看见|"
        r"信任|欠)(?:我|你|他|她|汤姆|玛丽)|^[^，]{1,6}比",
        "status": r"已|通过|完成|合格|达标|成立|可用|在线|运行|正常|成功|失败|实现了|开放|有效|阳性|批准|预订",
        "number_format": _ZH_NUMBER + r"|[%％]",
        "rounding": r"\d[\d.,]*\d",
        "bound": r"\d",
        "date_format": r"星期|周[一二三四五六]|礼拜|月\d{1,2}[日号]|\d:\d\d",
        "object_first": r"把|将|被",
        "converse": r"比",
        "opposite_denied": r"失败|没有成功|不[一相]|很[困难便危少]|不安全|错误的|不正确|无效|不存在|不多|不远|"
        r"不贵|不知道|不容易|"
        r"未完成|未通过|不能|必须|一定要|禁止|不允许|不得",
        "pronoun": r"^(?:汤姆|玛丽|约翰|小|老|此|这|该|.总|.先生|.女士)",
        "abbreviation": r"大学|世卫|世界卫生|人工智能|运动会|冠状病毒|人民币|首席|应用程序|房地产|有限公司|"
        r"公共汽车|机场|"
        r"环境保护|环保|电子商务|电商|超市|信息技术|中小企业|电视机|电话号码|奥运|进出口",
        "reorder": r"因为|由于|虽然|^在|^(?:昨天|今天|明天|去年|今年|现在|目前|最近|每天|我|他|她|你|大家|公司)|^[^，"
        r"]*(?:是|有)[^，]*，[^，]*(?:是|有)[^，]*$",
    },
}
PATTERNS = {zh: {kind: re.compile(text) for kind, text in table.items()} for zh, table in _TEXTS.items()}
