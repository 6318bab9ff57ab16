"""Requests for work that has nothing to do with remembering, in English: poems, lessons, translations, code."""

from __future__ import annotations

from memsieve.ingress.checks.injection.phrases import Phrase

# What a sentence is made of up to its end; a full stop inside an address or a number ends nothing.
CLAUSE = r"(?:[^.!?\n]|[.!?](?!\s))"
LANGUAGE = (
    r"(?:english|french|german|spanish|italian|portuguese|dutch|russian|polish|turkish|arabic|hebrew|hindi|chinese|"
    r"mandarin|cantonese|japanese|korean|vietnamese|thai|indonesian|latin|greek|swedish|norwegian|danish|finnish|czech|"
    r"hungarian|romanian|ukrainian|swahili|esperanto|klingon|pig latin|morse(?: code)?|pirate|emojis?|base ?64|binary|"
    r"hex(?:adecimal)?|rot ?13|leetspeak|rhymes?|verse|haikus?|reverse|caps|all caps|uppercase|lowercase|"
    r"(?:a |an )?\w{1,15} (?:tone|accent|style|cipher|voice|persona))"
)
_MAKING = "write compose draft create generate provide develop produce craft invent give tell make sing recite"
_WORK = (
    r"(?:poems?|haikus?|limericks?|sonnets?|short stor(?:y|ies)|bedtime story|fairy ?tale|story (?:about|"
    r"based|where|set)|"
    r"essays?|songs?|lyrics|jokes?|riddles?|screenplay|speech|raps?|ballad|tongue twister|fun facts?|trivia|recipes?|"
    r"monologue|fable|letter to (?:a|an) \w+)"
)
_CODE = (
    r"(?:python|java|javascript|typescript|php|ruby|rust|sql|mysql|html|css|bash|perl|kotlin|swift|c\+\+|c#|golang|"
    r"matlab)"
)
_LESSON = (
    r"(?:theor(?:y|ies)|concepts?|process of|principles?|meaning of|history of|differences? between|importance of|"
    r"significance of|life ?cycle|water cycle|plot of|basics of|fundamentals of|causes of|effects of|benefits of|"
    r"functions? of|structure of|role of|rules of|laws? of)"
)

TASKS = (
    Phrase(
        "task",
        _MAKING,
        rf"(?: me| us| up)? (?:an? |some |the |another |one )?(?:\w{{1,15}} ){{0,3}}?{_WORK}\b",
        opens=True,
    ),
    Phrase(
        "task",
        "draft write prepare",
        r" (?:me )?(?:an? |the )?(?:\w{1,15} ){0,2}(?:introduction|conclusion|outline|paragraph) (?:for|of|to) "
        r"an? (?:\w{1,15} )?(?:essay|story|novel|article|poem|speech)\b",
        opens=True,
    ),
    Phrase(
        "task",
        "explain describe define outline discuss summarize summarise teach elaborate",
        rf"(?: me| us| on| briefly| in detail)? (?:the |an? )?(?:\w{{1,15}} ){{0,2}}?{_LESSON}\b",
        opens=True,
    ),
    Phrase(
        "task",
        "explain describe teach",
        rf"\b{CLAUSE}{{0,80}}?\b(?:in simple terms|in layman's terms|to a (?:five|5|child|beginner)|with (?:an|"
        rf"some) examples?|step by step|how \w{{1,20}}(?: \w{{1,20}})? works?)\b",
        opens=True,
    ),
    Phrase(
        "task",
        "break summarize summarise analyze analyse describe",
        r"(?: down)? (?:the )?(?:plot|storyline|sentiment|tone|mood|themes?|moral) (?:of|in|expressed|behind|"
        r"conveyed)\b",
        opens=True,
    ),
    Phrase(
        "task",
        "determine identify classify assess evaluate rate detect gauge",
        r" (?:the |whether the )?(?:\w{1,12} )?(?:sentiment|tone|mood|emotions?)\b",
        opens=True,
    ),
    Phrase(
        "task",
        "suggest recommend list give find name provide",
        r"(?: me| us)? (?:(?:a few|a couple of|some|any|an?|two|three|four|five|ten|\d{1,2}|the (?:top|best)|good|"
        r"great|popular|recent|interesting) ){1,3}(?:\w{1,15} )?(?:books?|movies?|films?|songs?|recipes?|"
        r"restaurants?|facts|jokes?|games?|exercises|hobbies|novels?|podcasts?|tourist \w+|travel \w+|vacation "
        r"\w+|gift ideas)\b",
        opens=True,
    ),
    Phrase(
        "task",
        "set create add",
        r" (?:me )?(?:a |an |the )?(?:\w{1,12} ){0,6}?(?:reminder (?:to|for)|to my (?:calendar|shopping list|"
        r"to-?do list|reminders))\b",
        opens=True,
    ),
    Phrase("task", "translate convert", rf"\b{CLAUSE}{{0,120}}?\b(?:to|into) {LANGUAGE}\b", opens=True),
    Phrase("task", "how", rf" (?:do|would|can) (?:you|i|we) say {CLAUSE}{{1,80}}? in {LANGUAGE}\b"),
    Phrase("task", "what what's whats", rf"(?: is|'s)? ?[\"'][^\"'\n]{{1,60}}[\"'] in {LANGUAGE}\b"),
    Phrase(
        "task",
        "what what's provide give",
        rf"(?: is|'s| me)? (?:the |an? )?(?:{LANGUAGE} (?:equivalent|translation|word)|translation) (?:for|of)\b",
        opens=True,
    ),
    Phrase(
        "task",
        "show give write provide create generate",
        rf"(?: me| us)? (?:an? |some |the )?(?:\w{{1,15}} ){{0,3}}?(?:(?:{_CODE} )(?:functions?|examples?|scripts?|"
        rf"programs?|snippets?|code|class|quer(?:y|ies))|(?:functions?|examples?|scripts?|programs?|snippets?|"
        rf"code)\b{CLAUSE}{{0,60}}?\b(?:in|using|with) {_CODE})\b",
        opens=True,
    ),
    Phrase(
        "task",
        "can could would will",
        rf" you (?:please )?(?:show|give|write|tell|create|generate|make|compose|draft)(?: me| us)? (?:an? |some |"
        rf"the )?(?:\w{{1,15}} ){{0,3}}?(?:{_WORK}|{_CODE} (?:functions?|examples?|scripts?|programs?|snippets?|"
        rf"code|class|quer(?:y|ies)))\b",
        opens=True,
    ),
)
