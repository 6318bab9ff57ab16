"""What an instruction to the reader of a memory looks like.

A phrase begins with one of `starts` and goes on as `then`, where a blank stands for any gap between words. Phrases are
matched against folded text (lower case, simplified Chinese). Those that `open` count only where a sentence begins:
"Explain the theory…" is an order, "they explain the theory…" is not.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say it: a kind, the words it starts with, and how it goes on."""

    kind: str
    starts: str
    then: str
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that needs no words: looked for only where the text holds its sign."""

    kind: str
    sign: str
    pattern: str


# The kind of what was found by weighing its signs, where it is no task.
KINDS = {
    "an order to say": "message",
    "an order to answer": "answer shaping",
    "an order to change": "answer shaping",
    "a rule for an answer": "answer shaping",
    "a role to play": "persona",
}

_LINE = r"(?:^|\n)[ \t>*]{0,4}"
_IMAGE = r"(?:!\[[^\]\n]{0,200}\]\(\s?|<img[^>\n]{0,100}src=[\"']?)https?://"
_LEAKING = (
    r"(?:data|leak|exfil|secrets?|prompt|history|conversation|chat|context|payload|memory|memories|msg|info|user_?data|"
    r"stolen|summary)"
)

MARKS = (
    Mark("role tag", "<|", r"<\|[a-z_ ]{2,30}\|>"),
    Mark("role tag", "inst]", r"\[/?inst\]"),
    Mark("role tag", "sys>>", r"<</?sys>>"),
    Mark("role tag", "[", r"\[/?system\]|\[system (?:message|prompt|override)\]"),
    Mark("role tag", "_of_turn>", r"<(?:start|end)_of_turn>"),
    Mark(
        "role tag",
        "<",
        r"(?<!`)</?(?:system|assistant|human|instructions?|system[_-](?:prompt|message|reminder|instructions?)|"
        r"im_start|im_end)>",
    ),
    Mark(
        "role tag",
        "</",
        r"</(?:memory|memories|memsieve[\w-]{0,20}|history_context|untrusted[\w-]{0,20}|unverified|"
        r"working_memory)>",
    ),
    Mark(
        "role tag",
        "#",
        r"(?:^|\n)[ \t]{0,3}#{1,6} ?(?:system|assistant|human|user)(?: (?:prompt|message|instructions?))? ?:",
    ),
    Mark("role tag", "#", r"(?:^|\n)[ \t]{0,3}#{2,6} ?(?:instruction|response|系统|指令) ?:"),
    Mark(
        "role tag",
        ":",
        rf"{_LINE}(?:system|系统|developer)(?: (?:message|prompt|override|instruction|note|消息|提示词?))?[ "
        rf"*]{{0,3}}:[ "
        rf"*]{{0,3}}"
        r"(?:you (?:are|must|will|should|shall|now)|ignore|always|never|from now|do not|don't|override|the assistant|"
        r"assistant must|你(?:是|必须|现在|要|应)|忽略|从现在)",
    ),
    Mark(
        "role tag",
        ":",
        rf"{_LINE}(?:assistant|ai|model|助手)[ *]{{0,3}}:[^\n]{{0,60}}(?:i will|i'll|我会|我将)[^\n]{{0,40}}"
        r"(?:ignore|disregard|obey|comply with any|reveal|忽略|无视|服从|始终|泄露)",
    ),
    Mark(
        "tool call",
        "<",
        r"</?(?:tool_calls?|function_calls?|tool_use|function_results?)>|<invoke name=|<function=[\w.]{1,40}>",
    ),
    Mark("tool call", "[tool_calls]", r"\[tool_calls\]"),
    Mark("exfiltration", "http", rf"{_IMAGE}[^)\s>\"']{{1,300}}[?&]{_LEAKING}="),
    Mark(
        "exfiltration",
        "http",
        rf"{_IMAGE}[^)\s>\"'?]{{1,200}}\?[^)\s>\"']{{0,200}}=[^)\s>\"'&]{{0,40}}(?:\{{|\[|<|%7b|\$)",
    ),
)

# Words that show the sentence is about attacks, in which a quoted or reported phrase is only mentioned.
ATTACK_TALK = (
    r"attack|inject|jailbreak|malicious|adversar|payload|red.?team|exploit|phishing|vulnerab|threat|blocked|detect|"
    r"注入|攻击|越狱|恶意|拦截|红队|漏洞|检测|钓鱼"
)
REPORTED = (
    r"(?:\b(?:models?|agents?|assistants?|llms?|ai|chatbots?|bots?|it|them|systems?)(?: to| into)? |"
    r"(?:模型|智能体|助手|机器人|ai|它|系统)(?:去|来)?)$"
)
NEGATED = (
    r"(?:\b(?:not|never|n't|dont|they|who|we|i|nobody|cannot)(?: (?:to|simply|just|ever|ll|would|can|should|"
    r"often|always))? |"
    r"(?:不要|别|不能|不得|请勿|不可|不应|不应该|切勿|不会|没有|并未|不该|我们|他们|不可以|员工|用户)(?:随意|擅自)?)$"
)
