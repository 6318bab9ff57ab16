"""Orders told by their grammar: a class of verbs, a class of things only a model has, at the head of a clause."""

from __future__ import annotations

from memsieve.ingress.checks.injection.phrases import Phrase

_WORDS = r"(?: [\w'-]{1,15}){0,5}?"
_RULES = (
    r"(?:instructions?|directions?|directives?|rules|guidelines|(?:system |initial )?prompts?|orders|commands|"
    r"constraints|restrictions|guardrails|safeguards|programming|safety (?:settings|filters?|policy|policies|checks)|"
    r"system messages?)"
)
_GIVEN = r"(?:your|you|previous|prior|above|earlier|preceding|all|any|every|other|developer|system|before|so far)"
_MODEL = r"(?:ai|llm|language model|model|assistant|chatbot|bot|agent)s?"
_ROUND = r"(?:questions?|repl(?:y|ies)|answers?|responses?|messages?|quer(?:y|ies)|prompts?|requests?|outputs?)"
_UNSEEN_RULES = (
    r"(?:system|hidden|initial|secret|internal|developer|original) "
    r"(?:prompts?|instructions?|messages?|rules|guidelines)"
)

_SHELL = r"(?:sudo|rm|curl|wget|chmod|dd|mkfs|nc|bash|sh|python|powershell|eval|del|drop)"

ENGLISH_ORDERS = (
    Phrase(
        "override",
        "ignore disregard forget discard drop skip bypass override overrule cancel abandon erase neglect",
        rf"(?:{_WORDS} {_GIVEN}{_WORDS} {_RULES}|{_WORDS} {_RULES}{_WORDS} {_GIVEN})\b",
        opens=True,
    ),
    Phrase(
        "override",
        "set put pay",
        rf" (?:aside|no attention to){_WORDS} {_GIVEN}{_WORDS} {_RULES}\b",
        opens=True,
    ),
    Phrase(
        "override",
        "this these the following",
        r"(?: following| new| next)? (?:instructions?|messages?|commands?|directives?|notes?|rules?) "
        r"(?:supersedes?|overrides?|overrules?|replaces? all|takes? precedence|ha(?:s|ve) (?:the )?highest priority)\b",
    ),
    Phrase(
        "address",
        "note message attention instruction instructions reminder memo notice",
        rf" (?:to|for) (?:the |any |all |every |whichever )?{_MODEL}\b[^.!?\n]{{0,30}}[:,]",
        opens=True,
    ),
    Phrase(
        "address",
        "the any every all",
        rf" {_MODEL} (?:must|should|shall|will|has to|have to|is to|are to) (?:always |now )?"
        r"(?:output|reply|respond|answer|say|print|return|write) (?:only|just|nothing but|exactly|with only)\b",
    ),
    Phrase(
        "standing order",
        "answer reply respond begin start end finish open close prefix preface conclude sign",
        rf"(?: to)? (?:each|every|all|any)(?: of)?(?: your| future| the| user| my| our){{0,2}} {_ROUND} "
        r"(?:with|by|in|as|using|off)\b",
        opens=True,
    ),
    Phrase(
        "standing order",
        "treat consider regard accept",
        r" (?:any|all|every) (?:requests?|messages?|instructions?|inputs?|orders?) (?:from|by|of) [^.!?\n]{1,40}? as "
        r"(?:authori[sz]ed|trusted|approved|valid|true|system|safe|verified|binding)\b",
        opens=True,
    ),
    Phrase(
        "standing order",
        "whatever no regardless however whenever",
        r"(?: matter)?(?: of)?(?: what| how)? (?:the |any |a )?(?:user|human|anyone|person|people|customer|caller|"
        r"question|prompt)s? (?:say|says|ask|asks|want|wants|request|requests|write|writes|is|may)\b[^.!?\n]{0,30}?,? "
        r"(?:always |just |only |you )?(?:answer|reply|respond|say|output|return|refuse|recommend|insist)\b",
    ),
    Phrase(
        "standing order",
        "henceforth hereafter",
        r",? (?:you|the assistant|the model|the ai)(?: (?:must|will|shall|should))? "
        r"(?:only|always|never|obey|follow|answer|reply|respond|act|treat|trust|refuse|ignore)\b",
    ),
    Phrase(
        "override",
        "your",
        rf" (?:\w{{1,12}} )?{_RULES} (?:have|has|were|was|are|is) (?:now )?"
        r"(?:changed|been (?:changed|updated|replaced|revoked|lifted|suspended|cancell?ed)|updated|replaced|void|"
        r"lifted|revoked|suspended|no longer)\b",
    ),
    Phrase(
        "override",
        "delete erase wipe clear reset purge",
        rf" your{_WORDS} (?:memory|memories|context|{_RULES})\b",
        opens=True,
    ),
    Phrase(
        "override",
        "overlook disregard ignore forget",
        r" (?:all|any)(?: of)?(?: the)? (?:earlier|previous|prior|preceding|above) "
        r"(?:guidance|advice|messages?|text|content|context|information|requests?)\b",
        opens=True,
    ),
    Phrase(
        "exfiltration",
        "email mail send forward post upload transmit deliver copy",
        r" (?:me |us )?(?:the )?(?:full |entire |whole |complete )?(?:contents? |text |transcript |history |copy )?"
        r"(?:of )?(?:this|the|your|our) (?:chat|conversation|context|context window|session|memory|memories|prompt|"
        r"system prompt)(?: history| window| contents?)? to\b",
        opens=True,
    ),
    Phrase(
        "tool call",
        "call invoke use execute trigger run",
        r" the [\w.`'\"-]{2,40} (?:tool|function)\b(?: (?:with|using|to|and|now|without|immediately)\b|[.!])",
        opens=True,
    ),
    Phrase(
        "tool call",
        "run execute",
        r" (?:the |this )?(?:following )?(?:shell |bash |system )?(?:command|script|code)s?:? "
        rf"[`\"']{{0,3}}{_SHELL} ",
        opens=True,
    ),
    Phrase(
        "persona",
        "pretend imagine roleplay behave",
        r"(?: that| as if| as though)? (?:to be an?|you are|you're|you were|as an?) ",
        opens=True,
    ),
    Phrase(
        "disclosure",
        "show print reveal give tell display output repeat quote paste list leak share expose describe send state",
        rf"{_WORDS} (?:your|the) (?:full |entire |exact |complete ){{0,2}}{_UNSEEN_RULES}\b",
        opens=True,
    ),
    Phrase(
        "secrecy",
        "do don't never",
        r" (?:not )?(?:tell|inform|reveal|mention|disclose|admit)(?: [\w'-]{1,12}){0,4}? (?:that|about) "
        r"(?:this|these) (?:memory|memories|note|message|instruction|instructions|text|record|entry|prompt)\b",
        opens=True,
    ),
)

_FILLER = r"[^。!?;,\n]"

CHINESE_ORDERS = (
    Phrase(
        "standing order",
        "不管 无论 不论",
        rf"(?:用户|对方|有人|别人|任何人|谁|客户){_FILLER}{{0,8}}?(?:什么|怎么|如何|多少|啥)?,?(?:你)?(?:都|一律|始终|就)"
        r"(?:要|必须|请|只)?(?:回答|回复|答复|说|输出|拒绝|推荐|告诉)",
    ),
    Phrase(
        "standing order",
        "下次 以后 今后 每当 当 只要",
        rf"(?:有人|用户|对方|别人){_FILLER}{{0,4}}?(?:提问|询问|问起|问到|问){_FILLER}{{0,6}}?,?(?:请|你要|你就|必须|就)"
        r"(?:回答|回复|答复|说|告诉)",
    ),
    Phrase(
        "standing order",
        "现在起 从现在起 今后 以后 从今以后 即日起",
        rf",?(?:你)?(?:只|仅)(?:能)?(?:听从|服从|执行|相信|听){_FILLER}{{1,10}}?(?:命令|指令|指示|话)",
    ),
    Phrase(
        "override",
        "你的 您的",
        r"(?:系统)?(?:指令|指示|规则|提示词|设定|限制)(?:已经?|现已|现在)?(?:更新|变更|更改|改变|解除|取消|失效|作废|替换)",
    ),
    Phrase(
        "disclosure",
        "把 将",
        rf"(?:你|您)的{_FILLER}{{0,4}}(?:上下文|系统提示词?|提示词|指令|对话记录|内部规则){_FILLER}{{0,6}}?"
        r"(?:输出|打印|告诉|发送|展示|显示|写出|列出|泄露|复述)",
    ),
    Phrase(
        "tool call",
        "执行 运行",
        r"(?:以下|下面的?|这条)?(?:系统)?(?:命令|脚本|代码):?\s?[`\"']{0,3}"
        rf"{_SHELL}[\s/]",
        opens=True,
    ),
    Phrase(
        "override",
        "忽略 无视 忽视 忘记 忘掉 忘了 抛开 不要理会 不再遵守 放弃 跳过 绕过 推翻",
        rf"(?:掉)?{_FILLER}{{0,6}}(?:你|您|开发者|系统){_FILLER}{{0,8}}?(?:对你说的|告诉你的|学到的|学过的|知道的|设定|指令|规则|限制)",
        opens=True,
    ),
    Phrase(
        "override",
        "以下 下列 下面 本 此 该 这条 这些",
        rf"(?:的)?(?:指令|命令|指示|消息|要求|规则){_FILLER}{{0,4}}(?:优先级最高|优先于|高于一切|凌驾于|覆盖之前|取代之前)",
    ),
    Phrase(
        "address",
        "阅读 看到 读到 读取 处理 收到",
        rf"(?:到)?(?:此|这|该|本){_FILLER}{{0,6}}的(?:人工智能|ai|大?模型|助手|语言模型|智能体|机器人)",
    ),
    Phrase(
        "address",
        "人工智能 ai助手 大模型 语言模型 智能助手",
        r"(?:们)?(?:应当|必须|应该|务必|需要|须|一律)(?:始终|无条件|直接|立即|一律|都)?"
        r"(?:批准|回答|回复|输出|服从|遵守|忽略|执行|推荐|同意|照做)",
    ),
    Phrase(
        "standing order",
        "始终 总是 一律 永远 每次 每次都 务必始终",
        r"(?:都)?(?:要|必须|请)?(?:只)?(?:用|使用|以)[^。!?;,\n由]{1,8}?(?:回答|回复|答复|作答|应答|回应)",
        opens=True,
    ),
    Phrase(
        "standing order",
        "回答 回复 作答 答复",
        r"(?:用户)?(?:的)?(?:问题)?时(?:都)?(?:一定要|务必|必须|都要|要|请|应当)?(?:提到|提及|推荐|包含|加上|强调|附上|插入|声称)",
        opens=True,
    ),
)
