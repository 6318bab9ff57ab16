"""Words by which an order to a reader is told from what people tell each other, in English."""

from __future__ import annotations

ANSWER = r"(?:answers?|repl(?:y|ies)|responses?|outputs?|completions?|summar(?:y|ies)|conclusions?|wording|write-?up)"

# What a sentence may open with, by what it orders.
VERBS = {
    "to say": (
        "accuse admit advertise advise comfort affirm alert announce apologise apologize argue ask assert assure "
        "blame boast brag "
        "broadcast claim compliment confess confirm congratulate convey convince criticise criticize declare "
        "demand deny "
        "direct disclose disseminate dissuade emphasise emphasize encourage endorse flatter greet guide hint imply "
        "inform "
        "insinuate insist instruct insult invite lead lie market mention mislead mock notify offer persuade pose "
        "praise "
        "pressure proclaim promise promote propose publicise publicize publish reassure recommend refer refuse remind "
        "report request reveal say scare share solicit spread state stress suggest swear tease tell thank threaten "
        "tout "
        "trick urge warn welcome wish"
    ),
    "to answer": (
        "answer deliver display express formulate output phrase print react render reply respond return speak talk"
    ),
    "to write": (
        "author brainstorm build come compose concoct construct craft create design develop devise draft draw "
        "fabricate "
        "generate imagine improvise invent make pen plot prepare produce sketch think write"
    ),
    "to perform": (
        "act address assume be become behave celebrate chat converse debate entertain flirt guess impersonate joke "
        "mimic perform play "
        "pretend rap recite role-play roleplay simulate sing take treat"
    ),
    "to explain": (
        "break clarify define demonstrate describe detail discuss elaborate expand explain expound explore give "
        "illustrate introduce "
        "narrate outline provide recount review show summarise summarize teach trace walk"
    ),
    "to find out": (
        "analyse analyze assess calculate categorise categorize check choose cite classify compare compute conduct "
        "contrast "
        "count critique detect determine diagnose differentiate distinguish enumerate estimate evaluate examine "
        "extract "
        "find forecast gauge identify infer interpret investigate judge justify label list locate look mark "
        "measure name pick predict "
        "rank rate research search select solve speculate tally"
    ),
    "to change": (
        "abbreviate add adjust adopt alter alternate anagram append apply attach augment avoid begin blend bold "
        "bracket "
        "capitalise capitalize change cipher combine compress conceal conclude convert correct decode delete disguise "
        "double drop duplicate edit eliminate embed embellish employ encipher enclose encode encrypt end enhance "
        "enrich "
        "exchange finish flip format fuse garble group hide highlight incorporate include inject insert integrate "
        "interleave invert italicise italicize join jumble leave limit link mask merge mirror misspell mix "
        "modify number obfuscate omit pair paraphrase permute place prefix prepend punctuate put randomise randomize "
        "rearrange remove reorder repeat rephrase replace restrict reverse reword rewrite rotate scatter scramble "
        "separate "
        "shift shorten shuffle simplify slip spell split sprinkle start strip structure stutter substitute "
        "surround swap "
        "switch tag toggle transcribe transform translate transliterate transpose turn type underline use utilise "
        "utilize "
        "vary weave wrap"
    ),
    "to do": (
        "arrange automate book buy call cancel collect compile complete coordinate download email execute fill forward "
        "gather help install log message monitor optimise optimize order organise organize pay plan post purchase "
        "reserve "
        "run save schedule send set sort store submit text track transfer update upload work"
    ),
    "to drop": "discard disregard erase forget ignore quit skip stop",
}
# "Report of the board": after these, what looks like a verb was a noun.
NOUN_BEFORE = "of is are was were has have had will would said says reported reports"
IDIOMS = (
    "thank you, thank goodness, thank god, look at, look forward, come on, count me, speak "
    "to, let me, welcome to, reply to, leave it, take care, take it, make it, take a, wish i, wish "
    "we, give up, guess what, say never, check out, look how"
)

# Verbs that order something only before these.
ONLY_BEFORE = {
    "do": ("to perform", "a an your some"),
    "have": ("to perform", "your every each"),
    "keep": ("to change", "your the every each all"),
    "let": ("to say", "the them users readers everyone people your"),
    "stay": ("to perform", "in"),
}

# What may stand before the verb.
LEADS = {
    "asked whether you can": (
        r"(?:can|could|would|will|might|won't|can't|couldn't) you"
        r"(?: please| kindly| also| just| maybe| quickly| possibly| (?:help|assist) me(?: to)?)*\b"
    ),
    "said to be wanted": (
        r"(?:i|we)(?:'d| would)? (?:want|need|like|love|ask|expect|order|command|beg|require|request)(?: for)? you "
        r"to\b|"
        r"it(?:'s| is| would be) (?:\w+ )?(?:important|essential|nice|great|good|crucial|vital|helpful|necessary|"
        r"wonderful)(?: that| if) you(?: could| would| can)?\b|"
        r"your (?:\w+ )?(?:task|job|goal|mission|role|duty|purpose|assignment|objective) is to\b"
    ),
    "said to be a duty": (
        r"you (?:must|should|need to|have to|will|shall|are to|ought to|may|are (?:hereby )?(?:required|instructed|"
        r"ordered|"
        r"asked) to)\b(?: now| also| always| only| never| not)*"
    ),
    "said to be made sure of": (
        r"(?:make|be) (?:sure|certain)(?: to| that you| you|$)|(?:do not|don't|never) (?:forget|fail|hesitate) to\b|"
        r"remember to\b|ensure (?:that )?you\b|try (?:to|and)\b|feel free to\b|go (?:ahead|on) and\b|"
        r"do your best to\b|take care to\b|start by\b"
    ),
    "forbidden": r"(?:do not|don't|never)\b",
    "asked for politely": r"(?:please|kindly)\b",
    "led into": (
        r"(?:from (?:now|here|this point) (?:on|onwards?|forward)|in addition|as well|in the end|henceforth|to "
        r"(?:conclude|"
        r"finish)|by the way|after that|one more thing|also|then|now|next|finally|lastly|additionally|furthermore|"
        r"moreover|"
        r"instead|just|simply|and|but|so|ok|okay|well|always|only|actually|yes|hey|hi|hello|first|secondly|again|maybe|"
        r"perhaps|otherwise|afterwards|subsequently|(?!reply|apply|supply|multiply)[a-z]{3,14}ly)\b"
    ),
}
# What a clause before the order may open with: "Before you answer, count to ten."
CLAUSES = (
    r"(?:in|at|before|after|instead|if|when|while|to|from|for|whatever|whenever|as|with|once|rather|without|on|by|"
    r"until|no "
    r"matter|regardless|during|throughout|upon|given|since|let's|i need|i want|we need|now|hey|dear|attention|"
    r"assistant|"
    r"important|note)\b"
)
# Sentences that order without an imperative.
STATED = {
    "a rule for an answer": (
        rf"(?:your|the|all(?: of)?(?: your)?|every|each|any|both)\b[^,]{{0,60}}?\b(?:{ANSWER}|word|sentence|line|"
        rf"text|message|"
        r"paragraph)\b[^,]{0,40}?\b(?:must|should|shall|has to|have to|needs? to|is to|are to|may|cannot|can only|"
        r"ought "
        r"to)\b"
    ),
    "a role to play": (
        r"(?:(?:you are|you're)(?: now| no longer)? (?:an?|the|my|called|named)|your name is|suppose you)\b"
    ),
    "a wish": (
        r"(?:i|we)(?:'d| would)? (?:need|want|like|require)(?: to (?:have|hear|read|see|know))? (?:an?|some|the|"
        r"two|three|"
        r"five|ten|more|about|your|how|what|why)\b"
    ),
    "a question": (
        r"(?:what|who|how|why|when|where|which|what's|who's|whose|is|are|does|do|did|was|were|has|have|should)\b"
        r"[^?]{3,300}\?\W{0,3}$"
    ),
}

# What may follow the verb.
FOLLOWING = {
    "then a or some": "a an some any another one two three four five six seven eight nine ten several more up",
    "then the or this": "the this that these those its their his her",
    "then your": "your yourself",
    "then my or our": "my our",
    "then me or us": "me us",
    "then them": "them him it everyone everybody people",
    "then how or why": "how why what whether which who where when if",
    "then every": "every each all both",
    "then a preposition": "in with to about on as like for from by at of into using without through only just nothing",
}

# What the sentence speaks of.
TOPICS = {
    "your answer": (
        rf"\byour (?:\w+ ){{0,2}}?{ANSWER}\b|\byour (?:own )?(?:text|words?|sentences?|lines|writing|verdict|"
        rf"messages?)\b"
    ),
    "the answer": (
        rf"\b(?:the|this|each|every|all|any|an?|in) (?:\w+ ){{0,2}}?{ANSWER}\b|\bwhat you (?:write|say)|\bthe "
        rf"(?:result|text|"
        r"whole text|remainder|rest)\b"
    ),
    "a piece of writing": (
        r"\b(?:poems?|haikus?|limericks?|sonnets?|stor(?:y|ies)|tales?|essays?|songs?|lyrics|jokes?|riddles?|puns?|"
        r"screenplay|scripts?|speech(?:es)?|raps?|ballads?|tongue twisters?|fun facts?|facts?|trivia|recipes?|"
        r"monologues?|"
        r"dialogues?|conversation between|fables?|letter (?:to|of)|cover letter|novels?|plots?|articles?|blog posts?|"
        r"paragraphs?|slogans?|jingles?|taglines?|headlines?|captions?|quiz(?:zes)?|puzzles?|crosswords?|games?|"
        r"characters?|adverts?|ads?|advertisements?|advertising|campaigns?|commercials?|biograph(?:y|ies)|reviews?|"
        r"quotes?|"
        r"metaphors?|synonyms?|tweets?|posts?|hashtags?|compliments?|toasts?|anecdotes?|news report|report about|"
        r"product "
        r"descriptions?|passwords?|names for)\b"
    ),
    "letters or words": (
        r"\b(?:letters?|vowels?|consonants?|alphabet|characters?|words?|nouns?|verbs?|adjectives?|sentences?|"
        r"punctuation|"
        r"spaces|commas?|syllables?|capitals?|upper ?case|lower ?case|initials|typos?|misspell\w*|anagram\w*|"
        r"paragraphs?|synonyms?|asterisks?|hyphens|brackets?|exclamation marks?|quotation marks|emojis?|emoticons?|"
        r"symbols?|"
        r"pictograms?|digits?|numerals?)\b"
    ),
    "each letter, word or line": (
        r"\b(?:every|each|all(?: the)?|both|first|second|third|fourth|fifth|last|other) (?:\w+ ){0,2}?(?:letters?|"
        r"vowels?|"
        r"consonants?|characters?|words?|nouns?|verbs?|adjectives?|sentences?|lines?|paragraphs?|spaces?|names?|"
        r"numbers?)\b"
    ),
    "a cipher or format": (
        r"\b(?:base ?\d\d|rot ?-?\d+|caesar|cipher\w*|cypher|morse|binary|hex(?:adecimal)?|octal|ascii|unicode|"
        r"encod\w+|"
        r"encrypt\w*|vigen\w+|backwards?|reversed?|right to left|back to front|mirrored|json|xml|csv|yaml|html|"
        r"markdown|"
        r"code block)\b"
    ),
    "a language": (
        r"\b(?:in|into|to|an?|first|only|broken|fluent|of) (?:english|french|german|spanish|italian|portuguese|dutch|"
        r"russian|polish|turkish|arabic|hebrew|hindi|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai|"
        r"indonesian|latin|greek|swedish|norwegian|danish|finnish|czech|hungarian|romanian|ukrainian|swahili|esperanto|"
        r"klingon|welsh|irish|persian|urdu|bengali|pig latin)\b"
    ),
    "the user or reader": (
        r"\b(?:users?|readers?|recipients?|audience|listeners?|whoever|person (?:you|who)|people|everyone|"
        r"everybody|public|"
        r"them|viewers?|visitors?)\b"
    ),
    "a web address": r"\b(?:https?:|www\.)|\b[\w-]{2,40}\.(?:com|net|org|io|example|xyz|site|info|co)\b|@\w",
    "a quotation": r"['\"][^'\"]{3,}['\"]",
    "the text at hand": (
        r"\b(?:(?:the|this|these|that) (?:\w+ )?(?:text|passages?|paragraphs?|sentences?|documents?|messages?|"
        r"e-?mails?|"
        r"conversation|statements?|above|following)|above|so far|following (?:sentence|text|phrase|numbers|animals|"
        r"words?)|"
        r"the author|the writer)\b"
    ),
    "a manner of speaking": (
        r"\b(?:tone|style|accent|voice|manner|persona|role|mood|sarcas\w+|pirate|rhymes?|emotion\w*|feeling|sentiment|"
        r"positive|negative|neutral|polite\w*|formal|humou?r\w*|funny|opinions?|impression|point of view|as (?:if|"
        r"though)|"
        r"like an?)\b"
    ),
    "this and nothing else": (
        r"\b(?:only|nothing (?:else|but)|instead|exactly|no more than|at most|at least|under \w+ words|without|"
        r"single|never|"
        r"throughout|whenever|everything you|times)\b"
    ),
    "a lesson": (
        r"\b(?:how to|how (?!did|is|was|are|were|have|has|about|much|long)\w+ \w+|why (?!did|is|was|are|have|"
        r"has)\w+|differences?|theor(?:y|ies)|concepts?|process of|principles?|meaning of|"
        r"history of|importance of|life (?:cycle|of)|basics of|causes? of|effects? of|benefits of|rules of|laws? "
        r"of|pros "
        r"and cons|advantages|impact of|biography|the term|overview|examples?|step by step|in simple terms|reasons "
        r"(?:to|"
        r"why|for)|tips|ways to|ideas for|steps)\b"
    ),
    "money or secrets": (
        r"\b(?:credit card|card number|passwords?|bank|account|bitcoin|crypto\w*|lottery|prize|won|deposit|fee|refund|"
        r"ransom|personal (?:data|information|details)|login|identity|invest\w*|free trial|sign up|discount|"
        r"premium|click|"
        r"subscribe|download|install|link|coupon|sale|virus|infected|warranty|donat\w+)\b"
    ),
    "a falsehood": (
        r"\b(?:fake|false(?:ly)?|rumou?rs?|lies?|hoax|staged|rigged|conspiracy|cures?|secretly|subtly|harmless|"
        r"vaccines?|"
        r"election|government|propaganda|untrue|never happened|convincing|misleading|as a fact|flat|scandal)\b"
    ),
    "us": r"\b(?:we|our|us|ours|we're|we'll|let's)\b",
    "me": r"\b(?:i|my|mine|i'm|i'll|i've|i'd|me)\b",
    "you": r"\b(?:you|your|you're|yourself)\b",
    "a date": (
        r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|yesterday|tonight|week|"
        r"month|january|"
        r"february|march|april|june|july|august|september|october|november|december|noon|o'clock|\d{1,2}:\d\d|"
        r"deadline|by "
        r"the end|until|soon|later|last night|quarter)\b"
    ),
    "work at hand": (
        r"\b(?:teams?|customers?|clients?|invoices?|contract|orders?|tickets?|servers?|database|tables?|config\w*|"
        r"deploy\w*|"
        r"tests?|build|release|repo\w*|branch|commit|files?|meeting|report|budget|project|department|manager|"
        r"colleagues?|"
        r"service|data|page|form|app|details|information|issue|problem|option|feature|item|step|results?|support|"
        r"subscription|backup|task|image|website|sources?|criteria|search)\b"
    ),
    "something pointed at": r"\b(?:this|that|these|those|it|there|here)\b",
    "spoken fillers": (
        r"\b(?:uh|um|yeah|okay|ok|you know|i mean|disfmarker|vocalsound|mm|gonna|wanna|hmm|cause|wow|cool|awesome|"
        r"great|"
        r"amazing)\b"
    ),
    "a condition": r"\b(?:if|before|after|when|unless|otherwise|because|since|until)\b",
    "a number": r"\d",
    "code": r"[{}=<>\\_`]|\(\)|\*\*",
}
