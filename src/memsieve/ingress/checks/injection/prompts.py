"""What a system prompt says to its model: who it is, what it may use, what it will be given."""

from __future__ import annotations

from memsieve.ingress.checks.injection.phrases import Phrase

_KIND = "system prompt"
_MODEL = (
    r"(?:ai|artificial intelligence|assistant|chat ?bot|bot|chatgpt|gpt|claude|gemini|llm|(?:large )?language model|"
    r"multi-agent (?:system|team)|\w{1,20} agent (?:of|for|in|that|who|responsible|with)|agent (?:in|that|who|with))"
)
_GIVEN = (
    r"(?:documents?|texts?|passages?|questions?|conversations?|transcripts?|dialogues?|images?|tables?|articles?|"
    r"tasks?|sentences?|queries|query|contexts?|code|paragraphs?|reviews?|emails?|e-mails?)"
)
_CHINESE_MODEL = r"(?:助手|助理|机器人|语言模型|大模型|人工智能|智能体|ai(?![a-z])|gpt|客服)"
_CHINESE_GIVEN = r"(?:文档|文本|文章|问题|对话|段落|材料|图片|表格|任务|句子|代码|邮件|评论)"

ENGLISH_PROMPTS = (
    Phrase(
        _KIND,
        "you",
        rf"(?:'re| are) (?:an? |the |my |our |part of an? )?(?:[\w-]{{1,15}} ){{0,4}}?{_MODEL}\b",
        opens=True,
    ),
    Phrase(_KIND, "you", r"(?:'re| are) an (?:expert|experienced) \w", opens=True),
    Phrase(_KIND, "you", r"(?: have access to| can use| may use) (?:the following|these) (?:tools|functions|apis)\b"),
    Phrase(
        _KIND,
        "you",
        rf"(?: will be| are|'ll be) (?:given|provided with|shown) (?:an? |the |some |two |several |one )?"
        rf"(?:[\w-]{{1,15}} ){{0,2}}?{_GIVEN}\b",
        opens=True,
    ),
    Phrase(
        _KIND,
        "the below here",
        r"(?: following)? is an? (?:\w{1,15} )?(?:conversation|dialogue|chat|exchange) (?:with|between)"
        r"[^.\n]{0,40}?\b(?:ai|assistant|bot|language model)\b",
        opens=True,
    ),
)
CHINESE_PROMPTS = (
    Phrase(_KIND, "你 您", rf"是[^。!?;\n]{{0,24}}?{_CHINESE_MODEL}(?!吗|么|吧|呢|[^。!\n]{{0,6}}[?])", opens=True),
    Phrase(_KIND, "你 您", r"是(?:一名|一位|一个)(?:资深|专业|经验丰富|优秀)的?\S", opens=True),
    Phrase(_KIND, "你 您", r"(?:可以|能够|能)(?:使用|调用)(?:以下|下列|下面)的?(?:工具|函数|接口)"),
    Phrase(_KIND, "你的任务 您的任务", r"(?:是|为|:)", opens=True),
    Phrase(
        _KIND, "我会给你 我将给你 我将提供 我会提供 将给你 会给你", rf"[^。!?\n]{{0,8}}?{_CHINESE_GIVEN}", opens=True
    ),
    Phrase(
        _KIND,
        "以下是 下面是",
        rf"[^。!?\n]{{0,16}}?(?:与|和|跟)[^。!?\n]{{0,10}}?{_CHINESE_MODEL}[^。!?\n]{{0,4}}?的?(?:对话|聊天)",
    ),
    Phrase(_KIND, "扮演 充当", r"(?:一名|一位|一个)\S", opens=True),
)
