"""Instructions to the reader, in English."""

from __future__ import annotations

from memsieve.ingress.checks.injection.phrases import Phrase
from memsieve.ingress.checks.injection.tasks import CLAUSE, LANGUAGE

_REPLY = r"(?:answers?|repl(?:y|ies)|responses?|outputs?|completions?)"
_SAY = (
    r"(?:say|reply|respond|answer|tell|recommend|claim|state|insist|suggest|mention|output|refuse|promote|direct|write)"
)
_OBEY = (
    r"(?:always|never|only|reply|respond|answer|obey|say|recommend|tell|include|ignore|follow|comply|trust|treat|act|"
    r"mention|refuse|speak|output|forward|pretend|promote|insist|claim)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|orders?|constraints?|restrictions?|"
    r"polic(?:y|ies)|"
    r"programming|training|safeguards?|guardrails?|system messages?|safety (?:rules|measures|filters?)|context|"
    r"conversations?|what (?:you were|i) told(?: you)?)"
)
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|existing|original|initial|former|past|current|old|other|"
    r"foregoing|system|"
    r"developer|safety|your)"
)
_READER = (
    r"(?:ai|a\.i\.|llms?|language models?|ai (?:assistants?|agents?|models?)|chatgpt|gpt|claude|gemini|copilot|"
    r"chatbots?)"
)
# What people ask each other to put into a reply.
_PARTICULARS = (
    r"(?! (?:your|the|this|any|all|these|my|our|both|a copy of) (?:\w{1,15} ){0,3}(?:numbers?|ids?|reference|code|"
    r"details|address|name|phone|screenshots?|attachments?|cv|resume|logs?|receipts?|invoices?|availability|documents?|"
    r"files?|dates?|proof|subject|signature|portfolio)\b)"
)
_NOT_A_DEADLINE = (
    r"(?!,? (?:by(?! \w+ing\b)|before|within|no later|until|as soon|to (?:this|the|our|my|me|us)|here|below|"
    r"above|via|on the|"
    r"in the (?:box|space|field|form|chat|comments?|thread|survey))\b)"
)
_SHAPING = (
    "add alter anagram append apply arrange augment begin blend capitalize capitalise change combine compose compress "
    "conceal conclude construct convert craft create deliver disguise double embed emphasize emphasise encode encrypt "
    "encipher end endorse enhance enrich express fill finish flip format formulate generate give group have "
    "hide highlight "
    "include incorporate inject insert integrate interleave introduce invert jumble link make mask mention "
    "mirror misspell "
    "mix modify obfuscate omit output paste phrase place plant present produce promote provide put randomize randomise "
    "rearrange remove render reorder repeat rephrase replace reverse rewrite rotate scramble separate shift "
    "shuffle slip "
    "speak spell split sprinkle start state structure substitute swap tailor transform translate "
    "transliterate turn type use "
    "utilize utilise vary weave wrap write"
)
_GARBLING = (
    "anagram encode encrypt encipher garble group jumble misspell obfuscate randomize randomise rearrange "
    "render reverse "
    "scramble shuffle substitute replace convert translate"
)

_HUMAN_ROLE = (
    r"(?:members?|subscribers?|customers?|owners?|admin\w*|users?|part|participants?|fans?|parents?|mother|father|"
    r"homeowner|citizen|partner|employee|students?|teacher|manager|hosts?|organi[sz]er|leads?|contact|first|only|proud|"
    r"big|little|bit|lot|few|step|day|week|month|year|position|point|place|person|team|one|family|man|woman|adult)"
)
_SHAPING_VERB = "|".join(_SHAPING.split())

ENGLISH = (
    Phrase(
        "override",
        "ignore disregard forget skip bypass override neglect overlook discard abandon erase drop",
        rf"(?: about)?(?: (?:all|any|every|each|everything|of|the|those|these|my|your|and|or|in){{1}}){{0,4}} "
        rf"{_EARLIER}"
        rf"(?: (?:and|or|the|\w{{1,15}})){{0,3}}? {_RULES}\b",
    ),
    Phrase(
        "override",
        "ignore disregard forget override",
        rf" (?:all |any )?(?:of )?(?:the |your |these |those )?{_RULES} (?:above|before|you (?:have|were|got|"
        rf"received)|given|from before|so far|that came before|preceding|prior)\b",
    ),
    Phrase(
        "override",
        "ignore disregard override bypass",
        r" (?:all(?: of)?|any|your|every) (?:(?:the|your|its) )?(?:\w{1,12} )?(?:instructions?|rules|guidelines|"
        r"restrictions|safeguards|guardrails|system prompt)\b",
    ),
    Phrase(
        "override",
        "forget disregard ignore",
        r" (?:all |about )?(?:everything|anything|what(?:ever)?|all)(?: that)?(?: (?:is|was|were|has been|i|we|"
        r"you))?(?: \w{1,10})?(?: \w{1,10})? (?:above|before(?: this| now)?|earlier|previously|so far|until now|"
        r"up to now|told|learned|know|taught|said)\b",
    ),
    Phrase("override", "forget", r" everything\b(?! (?:i |we |about (?:it|work|him|her)))", opens=True),
    Phrase(
        "override",
        "stop",
        r" (?:following|obeying|adhering to) (?:\w{1,10} ){0,3}(?:instructions|rules|guidelines|prompt|directives)\b",
        opens=True,
    ),
    Phrase(
        "override",
        "do don't dont never",
        r" (?:not )?(?:follow|obey|listen to|comply with) (?:any |all |the |your |of ){0,3}(?:previous|prior|"
        r"above|earlier|original|system|other) (?:\w{1,12} )?(?:instructions|rules|guidelines|prompts?|directives|"
        r"messages?)\b",
    ),
    Phrase(
        "override",
        "new updated revised real actual secret hidden override",
        r" (?:\w{1,12} )?(?:instructions?|directives?|orders|system prompt)(?: (?:from|for) (?:\w{1,12} ?){1,3})? ?:",
        opens=True,
    ),
    Phrase(
        "override",
        "your",
        r" (?:new|real|true|actual|only|updated) (?:instructions?|directives?|task|goal|objective|purpose|persona|"
        r"identity|mission) (?:is|are|will be|shall be)\b",
        opens=True,
    ),
    Phrase(
        "persona",
        "you",
        rf"(?:'re| are) (?:now|henceforth)(?: going to be)?,? (?:an? |the |my )(?!(?:[\w-]{{1,15}} "
        rf"){{0,2}}{_HUMAN_ROLE}\b)\w",
    ),
    Phrase(
        "persona",
        "you",
        r"(?:'re| are) (?:now|henceforth),? (?:dan|jailbroken|unrestricted|unfiltered|uncensored|free (?:of|from)|"
        r"acting as|operating|playing|called|named|known as|in \w{1,15} mode|\w{0,15}(?:gpt|bot)\b|[\w-]{1,15}, "
        r"(?:an?|the|my)) ?",
    ),
    Phrase(
        "persona",
        "you",
        r"(?:'re| are) no longer (?:bound|restricted|limited|constrained|governed|required to (?:follow|obey)|an? "
        r"(?:\w{1,12} )?(?:ai|assistant|language model|chatbot|model))\b",
    ),
    Phrase(
        "persona",
        "pretend imagine",
        r" (?:to be|you(?:'re| are)|that you(?:'re| are)) (?:not )?(?:an?|the|my|in|dan)\b[^.\n]{0,60}\b(?:ai|"
        r"assistant|bot|model|hacker|no (?:rules|restrictions)|unrestricted|restrictions|mode)\b",
        opens=True,
    ),
    Phrase(
        "persona",
        "act behave roleplay respond speak",
        r" (?:as|like)(?: if you (?:are|were))? (?:an? |my |the )?(?:\w{1,15} ){0,4}?(?:ai|assistant|chatbot|bot|"
        r"language model|llm|linux terminal|hacker|pirate|dan|character|persona|unrestricted|evil)\b",
        opens=True,
    ),
    Phrase(
        "persona",
        "enter enable activate switch",
        r" (?:to |into )?(?:dan|jailbreak|god|unrestricted|do anything now|evil|unfiltered) mode\b",
    ),
    Phrase(
        "standing order",
        "from",
        r" (?:now|this (?:point|moment)|here|today) (?:on|onwards?|forward),? (?:please )?(?:you (?:are(?! "
        r"(?:responsible|in charge|on|allowed|required|free|expected|part|welcome|able))|must|shall|will "
        r"(?:always|only|never|act|respond|reply|answer|be (?:known|called)|obey|speak|pretend)|should (?:always|"
        r"only|never|respond|reply|answer)|(?:always|only|never|respond|reply|answer|speak|act|obey)\b)|(?:always "
        r"|only |never )?(?:reply|respond|answer|speak|act as|pretend|obey|ignore|say|recommend|refuse|output|end|"
        r"begin|start) |(?:all |every |each )?(?:of )?your (?:answers?|repl|responses?|outputs?))",
    ),
    Phrase(
        "standing order",
        "always",
        r" (?:reply|respond|answer)(?: (?:to )?(?:the |any |all |every )?(?:users?|them|everyone|questions?|"
        r"queries|quer(?:y|ies)|messages?)){0,2},? ?(?:with|in|that|by|as|using|like|[:\"'])",
        opens=True,
    ),
    Phrase(
        "standing order",
        "always never",
        r" (?:recommend|claim|insist|promote|praise|say (?:that|yes|no|[\"':])|tell (?:the )?users?|answer (?:yes|"
        r"no|truthfully)|refuse (?:to|any|all)|trust (?:this|messages|instructions)|obey|(?:end|begin|start|"
        r"finish) (?:your|each|every|all))\b",
        opens=True,
    ),
    Phrase(
        "standing order",
        "you",
        rf" (?:must|shall|should|will|have to|need to|are to|are (?:required|instructed|ordered) to) (?:always|"
        rf"never|only|now|instead) (?:also )?{_SAY}\b",
    ),
    Phrase(
        "standing order",
        "remember note",
        rf",? (?:that )?you (?:must|have to|should|shall|will|can|are to|may) (?:now |not )?{_OBEY}\b",
    ),
    Phrase(
        "standing order",
        "when if whenever every",
        rf"(?: ?ever)?(?: time)? (?:you(?: are|'re)? |someone |anyone |anybody |(?:a|the|any) user |users |people |"
        rf"they (?:are )?)?(?:is |are |get |gets )?(?:asks?|asked|inquires?|mentions?|requests?|queried|"
        rf"questioned)\b[^.\n]{{0,100}}?[,:] ?(?:you (?:must|should|will|shall) |please |then |just |simply |"
        rf"always |only |instead ){{0,2}}{_SAY}\b",
    ),
    Phrase(
        "standing order",
        "whenever when if",
        r" (?:the |a |any )?(?:users?|someone|anyone) (?:asks?|says?|mentions?|requests?|wants?|types?|sends?|"
        r"inquires?|talks?)\b[^.\n]{0,100}?(?:,| you| always| please) ?(?:you |must |should |will |always |please "
        r"|never |only ){0,3}(?:say|reply|respond|answer|tell (?:them|him|her|the)|recommend|claim|insist|output|"
        r"refuse|promote|direct them|send them|include|mention|give them|lie)\b",
    ),
    Phrase(
        "standing order",
        "no",
        r" matter what (?:the |any )?(?:users?|you(?:'re| are)|anyone|question|they)\b[^.\n]{0,60}?,? ?(?:you |"
        r"must |should |always |please ){0,3}(?:say|reply|respond|answer|tell|recommend|claim|output)\b",
    ),
    Phrase(
        "standing order",
        "in for",
        r" (?:all|every|each|any) (?:of )?(?:your )?(?:future |subsequent |later |following )?(?:answers?|"
        r"repl(?:y|ies)|responses?|conversations?|questions?|quer(?:y|ies)),? ?(?:you |please |must |should |"
        r"always ){0,3}(?:say|reply|respond|answer|tell|recommend|claim|include|add|mention|use|insert|append|"
        r"state)\b",
    ),
    Phrase(
        "answer shaping",
        _SHAPING,
        rf"\b{_PARTICULARS}{CLAUSE}{{0,160}}?\byour (?:\w{{1,15}} ){{0,2}}?{_REPLY}\b{_NOT_A_DEADLINE}",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        _GARBLING,
        rf"\b{CLAUSE}{{0,80}}?\b(?:your (?:\w{{1,15}} ){{0,1}}?(?:messages?|text|words|sentences)|every \w{{1,8}} "
        rf"(?:letters?|words?)|(?:letters|vowels|consonants) (?:with|to|by|for)|the letters of)\b",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        "include add append insert put mention attach embed end begin start finish",
        rf"\b{_PARTICULARS}{CLAUSE}{{0,120}}?\b(?:in|to|with|of|at the end of|into) (?:every|each|all|any)(?: "
        rf"one)?(?: of)?(?: your| the)? (?:future |subsequent |single )?{_REPLY}\b",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        "in within for throughout inside",
        rf" your (?:\w{{1,15}} )?{_REPLY},? (?:please |also |you (?:must|should) |always |subtly "
        rf")?(?:{_SHAPING_VERB}|suggest|tease|recommend|say|tell|invite|encourage|advertise|imply|claim|direct|ask|"
        rf"explain|list|describe|discuss|hint|persuade|urge|warn|refer)\b",
    ),
    Phrase(
        "answer shaping",
        "your",
        rf" (?:\w{{1,12}} )?{_REPLY} (?:must|should|shall|has to|have to|needs? to|will|is to|are to)(?: also)? "
        rf"(?:only|always|never|contain|include|begin|start|end|consist|use|mention|rhyme|be (?:in |written|"
        rf"formatted|entirely|encoded|reversed|limited to|no (?:more|longer)|exactly|a (?:poem|single|haiku)))",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        "reply respond answer speak talk write",
        rf"(?: back)?(?: to (?:me|us|this|the user|everything|all questions|the (?:following|question|query|email|"
        rf"message)))?,? ?(?:only|just|solely|exclusively|entirely|always)? ?(?:(?:in|using|with)(?: only| nothing "
        rf"but| the language of| fluent| broken)? {LANGUAGE}\b|backwards?\b|as (?:if you|though you)|with (?:only|"
        rf"nothing but|the (?:word|phrase|sentence|text|following))\b|like (?:a|an) \w)",
        opens=True,
    ),
    Phrase(
        "secrecy",
        "do don't dont never",
        r" (?:not |ever )?(?:ever )?(?:tell|inform|reveal (?:\w{1,12} ){0,3}to|disclose (?:\w{1,12} ){0,3}to|"
        r"mention (?:\w{1,12} ){0,3}to|let) (?:the |any |your )(?:users?|human|operator|owner|developers?)\b",
    ),
    Phrase(
        "secrecy",
        "do don't dont never",
        r" (?:not |ever )?(?:mention|reveal|disclose|repeat|discuss|acknowledge|admit|talk about) (?:that "
        r")?(?:this|these|the|any of these|you)(?: \w{1,12}){0,3}? (?:instructions?|prompt|directive|rule|command|"
        r"received|were told|were instructed)\b",
    ),
    Phrase(
        "secrecy",
        "without",
        r" (?:ever )?(?:telling|informing|letting|notifying|alerting|mentioning (?:it|this) to) (?:the |your "
        r")(?:user|human|operator|owner)\b",
    ),
    Phrase(
        "secrecy",
        "keep hide conceal",
        r" (?:this|these|it|that|all of this)(?: \w{1,12}){0,3} from (?:the |your )?(?:users?|human|operator|"
        r"owner|developers?)\b",
    ),
    Phrase(
        "disclosure",
        "reveal print show output repeat display leak share disclose expose dump recite tell give write what "
        "what's list paste summarize",
        r"(?: me| us| out| back| is| are| exactly)*(?: all(?: of)?)? (?:your|the) (?:(?:entire|full|hidden|"
        r"initial|original|exact|whole|complete|secret|internal|current|own|very|confidential|above) "
        r"){0,3}(?:system (?:prompts?|messages?|instructions?)|prompts?|(?:hidden|initial|original|secret|"
        r"internal|confidential|full|exact) (?:instructions?|prompts?|rules|guidelines)|instructions verbatim|"
        r"developer messages?|instructions above)\b",
        opens=True,
    ),
    Phrase(
        "disclosure",
        "reveal print output repeat leak disclose expose dump recite",
        r"(?: \w{1,8}){0,2} your (?:\w{1,12} ){0,2}(?:system prompts?|system messages?|instructions|hidden prompt|"
        r"initial prompt)\b",
    ),
    Phrase(
        "disclosure",
        "repeat print output",
        r" (?:\w{1,10} ){0,2}(?:words|text|everything|lines?|all)(?: \w{1,8})? (?:above|before this|verbatim)\b",
        opens=True,
    ),
    Phrase(
        "exfiltration",
        "send post forward upload transmit email leak exfiltrate submit deliver copy mail share",
        rf"\b{CLAUSE}{{0,60}}?\b(?:conversation|chat (?:history|log)|system prompt|user'?s? (?:\w{{1,12}} "
        rf")?(?:data|messages?|input|queries|query|emails?|passwords?|files?|name|information|credentials|address|"
        rf"location)|memory contents|memories|everything (?:above|you know|the user)|all (?:\w{{1,12}} "
        rf")?(?:credentials|passwords|secrets|api keys|tokens|memories|messages|user data)|(?:your|stored|their) "
        rf"(?:credentials|passwords?|secrets?|api keys?|tokens?)|api keys?|passwords|secrets|credentials|"
        rf"environment variables|private keys?|\.env|ssh keys?){CLAUSE}{{0,60}}?\b(?:to|at|via) "
        rf"{CLAUSE}{{0,30}}?(?:https?:|www\.|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.|[\w-]{{2,30}}\.(?:com|net|org|io|xyz|"
        rf"cn|ru|example|evil|site|top|dev|co)\b)",
        opens=True,
    ),
    Phrase(
        "address",
        "dear hey attention hello hi note message instruction instructions notice important",
        rf",? ?(?:(?:to|for) )?(?:the |any |all |every |future )*{_READER}(?: (?:reading|processing|that reads|who "
        rf"reads|systems?|models?|readers?)(?: \w{{1,10}}){{0,3}})? ?[:,!]",
        opens=True,
    ),
    Phrase(
        "address",
        "if since because as",
        rf" you(?:'re| are) (?:an? |the )?(?:{_READER}|assistant|ai-powered \w+|automated (?:agent|system)|"
        rf"bot)\b(?: (?:reading|processing|summari[sz]ing|analy[sz]ing) |,)",
    ),
    Phrase(
        "address",
        "any every all the",
        rf" (?:{_READER}|assistants?|agents?|models?)(?: \w{{1,10}})? (?:reading|processing|that reads?|who reads?|"
        rf"seeing|retrieving|summari[sz]ing) (?:this|these|the above|it)\b[^.\n]{{0,40}}?\b(?:must|should|shall|"
        rf"will|has to|have to|is to|are to|needs? to)\b",
    ),
    Phrase(
        "address",
        "when if after once before",
        r" (?:you |an ai |an agent |the assistant )?(?:read|reads|reading|retrieve|retrieves|see|sees|process|"
        r"processes|load|recall) this (?:memory|entry|note|record|document|text|message|file)?,? ?(?:you |must |"
        r"should |please |immediately |always |first ){0,3}(?:reply|respond|answer|say|tell|send|run|execute|call|"
        r"delete|forward|ignore|include|output|open|visit|download|do)\b",
    ),
    Phrase(
        "override",
        "set put throw cast leave",
        r" (?:aside|away|out) (?:\w{1,12} ){0,3}(?:instructions?|directions|directives|rules|guidelines|guidance|"
        r"prompts?)\b",
        opens=True,
    ),
    Phrase(
        "override",
        "your all any",
        r" (?:of your )?(?:previous|prior|earlier|original|existing|current) (?:instructions|directives|prompts?|"
        r"guidelines|rules) (?:is|are|were|have been) (?:now |hereby )?(?:void|invalid|cancell?ed|revoked|"
        r"obsolete|superseded|overridden|replaced|null|suspended|no longer)\b",
    ),
    Phrase(
        "override",
        "override bypass ignore disable",
        r" (?:all |any |the |your |every ){0,2}(?:safety|content|ethical|moderation|alignment) (?:protocols?|"
        r"filters?|guidelines|restrictions|polic(?:y|ies)|rules|checks)\b",
        opens=True,
    ),
    Phrase(
        "override",
        "system admin administrator developer root security",
        r" (?:override|directive|command)s? ?:",
        opens=True,
    ),
    Phrase(
        "persona",
        "you",
        r"(?:'re| are| have| can| will)(?: \w{1,12}){0,5}? (?:dan\b|no (?:rules|restrictions|filters|ethical|"
        r"moral)\b(?! on)|without (?:any )?(?:rules|restrictions|filters)\b|do anything now\b)",
    ),
    Phrase(
        "standing order",
        "the every any all",
        r" (?:ai |virtual |digital )?(?:assistants?|ai|agents?|chatbots?|bots?|llms?|models?) (?:must|should|"
        r"shall|will|has to|have to|needs to) (?:always|never|only|from now on|instead) (?:recommend|claim|insist|"
        r"promote|(?:reply|respond|answer) (?:with|that|in)|say|tell|ignore|refuse|obey|trust|praise|mention)\b",
    ),
    Phrase(
        "standing order",
        "you",
        r" (?:must|will|shall|have to|should)(?: now| always| immediately)? (?:obey|(?:comply with|follow|execute|"
        r"carry out|perform) (?:this|these|the following|my|all my)(?: \w{1,12})? (?:commands?|instructions?|"
        r"orders?|directives?|tasks?))\b",
    ),
    Phrase(
        "standing order",
        "tell inform convince persuade assure advise urge trick deceive",
        r" (?:the |all |any |every )?users? (?:that|to|they|their|he|she|his|her|it|there|this)\b",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        "every each all",
        r" (?:of (?:your|the) )?(?:answers?|repl(?:y|ies)|responses?|messages?|outputs?) (?:that )?you (?:give|"
        r"write|produce|make|send|generate|provide|output) (?:must|should|shall|has to|have to|needs? to|will)\b",
    ),
    Phrase(
        "answer shaping",
        "ensure make it see guarantee",
        r"(?: sure|(?:'s| is) (?:essential|important|crucial|imperative|vital|required|mandatory|necessary|"
        r"critical)| to it)?(?: that)? (?:all (?:of )?)?your (?:\w{1,12} ){0,2}?(?:answers?|repl(?:y|ies)|"
        r"responses?|outputs?) (?:\w{1,12} )?(?:contains?|includes?|mentions?|ends?|begins?|starts?|rhymes?|"
        r"promotes?|recommends?|uses?|is (?:in|written|encoded|formatted|reversed|only))\b",
    ),
    Phrase(
        "answer shaping",
        "reply respond answer",
        r"(?: to)?(?: (?:all|any|every|each|my|their|further|future|following|subsequent|next|other|user|"
        rf"users')){{1,3}} (?:questions?|quer(?:y|ies)|messages?|prompts?|requests?|users?)(?: \w{{1,10}})? (?:in "
        rf"{LANGUAGE}|with [\"']|with (?:the|a|an|only|nothing) |using |as (?:if|a|an|though)|by saying|that )",
        opens=True,
    ),
    Phrase(
        "address",
        "assistant ai chatgpt claude gpt gemini chatbot",
        r", ?(?:please |you must |you should |now )?(?:stop|ignore|send|email|reply|answer|tell|delete|run|"
        r"execute|forward|always|never|from now|transfer|disregard|output|reveal|print|forget|obey|pretend)\b",
        opens=True,
    ),
    Phrase(
        "address",
        "as being",
        rf" (?:an? |the )?(?:helpful )?{_READER}\b[^.\n]{{0,50}}?,? you (?:must|should|shall|will|have to|need to|"
        r"are (?:required|obliged|expected|instructed))\b",
    ),
    Phrase(
        "disclosure",
        "what",
        r" (?:is|are|were|was) your (?:\w{1,12} )?(?:initial|original|system|exact|first|hidden|secret) "
        r"(?:\w{1,12} )?(?:instructions?|prompts?|message|rules)\b",
    ),
    Phrase(
        "override",
        "your all any",
        r" (?:of your )?(?:previous|prior|earlier|original|existing) (?:instructions|directives|prompts?|"
        r"guidelines|guidance|rules) (?:no longer (?:apply|applies|count)|(?:do|does) not apply|ceases?)\b",
    ),
    Phrase(
        "override",
        "do don't dont never",
        r" (?:not )?(?:follow|obey|listen to|comply with) (?:the |your )?(?:developers?|creators?|owners?|"
        r"operators?)(?:'s?)? (?:\w{1,12} )?(?:instructions|rules|guidelines|prompts?|directives)\b",
    ),
    Phrase(
        "standing order",
        "you",
        r" (?:will|shall|must|should) (?:henceforth|now|from now on|hereafter) (?:answer|reply|respond|act|speak|"
        r"behave|be|obey|serve|say|refuse)\b(?! (?:able|asked|required|in|on|at|charged|receive))",
    ),
    Phrase(
        "standing order",
        "treat consider regard accept",
        r" (?:\w{1,12} ){1,6}?as (?:an? |the )?(?:\w{1,12} )?(?:administrator|admin|system|trusted|authoritative|"
        r"root|developer) (?:\w{1,12} )?(?:commands?|instructions?|prompts?|orders?)\b",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        "ensure make",
        r"(?: sure)?(?: that)? (?:every|each) (?:answer|reply) (?:contains?|includes?|mentions?|ends?|begins?|"
        r"starts?|promotes?|recommends?)\b",
        opens=True,
    ),
    Phrase(
        "answer shaping",
        "reply respond answer",
        r"(?: to)? (?:all|any|every|each) (?:questions?|quer(?:y|ies)|messages?|requests?) (?:about|on|regarding|"
        r"concerning) (?:\w{1,15} ){1,5}?(?:with|by|in|using)\b",
        opens=True,
    ),
    Phrase(
        "address",
        "ai llm llms agents assistants models",
        r"(?: (?:agents?|assistants?|models?|systems?))? (?:reading|processing|that reads?|who reads?|seeing|"
        r"retrieving|summari[sz]ing) (?:this|these)\b[^.\n]{0,40}?\b(?:must|should|shall|has to|have to|is to|are "
        r"to|needs? to)\b",
    ),
)
