"""English words for the edits and restatements: tables to read and extend."""

from __future__ import annotations

# "a/b": opposite of each other in the same grammatical form; a third word stands for another opposite of the first.
ANTONYMS = tuple(
    tuple(row.split("/"))
    for row in (
        "increase/decrease/reduce increases/decreases/reduces increased/decreased/reduced increasing/decreasing/"
        "reducing "
        "rise/fall rises/falls rose/fell rising/falling risen/fallen grow/shrink grows/shrinks grew/shrank growing/"
        "shrinking "
        "grown/shrunk growth/decline gain/loss gains/losses gained/lost climbed/dropped raise/lower raises/lowers "
        "raised/lowered "
        "raising/lowering expand/shrink expanded/contracted expanding/contracting expansion/contraction "
        "accept/reject/refuse accepts/rejects/refuses accepted/rejected/refused accepting/rejecting agree/disagree "
        "agrees/disagrees "
        "agreed/disagreed agreement/disagreement support/oppose supports/opposes supported/opposed supporting/opposing "
        "favour/oppose favor/oppose approve/reject approves/rejects approval/rejection allow/forbid/prohibit "
        "allows/forbids/prohibits allowed/forbidden/prohibited permit/ban permits/bans permitted/banned permission/"
        "prohibition "
        "succeed/fail succeeds/fails succeeded/failed success/failure successful/unsuccessful successfully/"
        "unsuccessfully "
        "win/lose wins/loses winning/losing winner/loser won/lost add/remove/delete adds/removes/deletes added/"
        "removed/deleted "
        "adding/removing addition/removal insert/delete inserted/deleted include/exclude includes/excludes "
        "included/excluded "
        "including/excluding inclusion/exclusion contain/lack contains/lacks contained/lacked love/hate loves/"
        "hates loved/hated "
        "enjoy/dislike enjoys/dislikes enjoyed/disliked hire/dismiss hired/fired hiring/firing join/leave joined/"
        "left joins/leaves "
        "remember/forget remembers/forgets remembered/forgot improve/worsen improves/worsens improved/worsened "
        "improving/deteriorating improvement/deterioration accelerate/slow accelerated/slowed strengthen/weaken "
        "strengthens/weakens strengthened/weakened connect/disconnect connects/disconnects connected/disconnected "
        "enable/disable "
        "enables/disables enabled/disabled enabling/disabling create/destroy/delete creates/destroys/deletes "
        "created/destroyed/deleted creating/destroying build/demolish built/demolished keep/discard keeps/discards "
        "kept/discarded "
        "keeping/discarding retain/drop retained/dropped confirm/deny confirms/denies confirmed/denied trust/distrust "
        "trusts/distrusts trusted/distrusted encourage/discourage encourages/discourages encouraged/discouraged "
        "encouraging/discouraging start/stop/end starts/stops/ends started/stopped/ended starting/stopping begin/"
        "end/finish "
        "begins/ends/finishes began/ended/finished beginning/end buy/sell buys/sells bought/sold buying/selling "
        "purchase/sell "
        "purchased/sold arrive/depart arrives/departs arrived/departed arriving/departing arrival/departure enter/"
        "leave/exit "
        "enters/leaves/exits entered/left/exited open/close/closed opens/closes opened/closed opening/closing push/"
        "pull "
        "pushes/pulls pushed/pulled attack/defend attacked/defended borrow/lend borrowed/lent send/receive sends/"
        "receives "
        "sent/received sending/receiving teach/learn taught/learned import/export imports/exports imported/exported "
        "upload/download uploaded/downloaded uploads/downloads lock/unlock locks/unlocks locked/unlocked install/"
        "uninstall "
        "installs/uninstalls installed/uninstalled installing/uninstalling load/unload loaded/unloaded saved/lost "
        "saves/loses spend/save spent/saved earn/lose earned/lost attract/repel attach/detach attached/detached "
        "attaches/detaches "
        "appear/disappear appears/disappears appeared/disappeared praise/criticise praised/criticised praises/"
        "criticises "
        "blame/praise blamed/praised reward/punish rewarded/punished protect/endanger protects/endangers protected/"
        "endangered "
        "helps/hinders helped/hindered hide/show hides/shows hid/showed hidden/visible show/hide shows/hides "
        "shown/hidden rent/own rented/owned advance/retreat advanced/retreated merge/split merged/split merges/splits "
        "combine/separate combined/separated gather/scatter gathered/scattered fill/empty filled/emptied tighten/"
        "loosen "
        "tightened/loosened simplify/complicate simplifies/complicates simplified/complicated maximize/minimize "
        "maximizes/minimizes maximise/minimise upgrade/downgrade upgraded/downgraded upgrades/downgrades promote/"
        "demote "
        "promoted/demoted resume/pause resumed/paused resumes/pauses activate/deactivate activated/deactivated "
        "activates/deactivates subscribe/unsubscribe register/unregister registered/unregistered mount/unmount "
        "mounted/unmounted "
        "compress/decompress compressed/uncompressed encrypt/decrypt encrypted/unencrypted encode/decode encoded/"
        "decoded "
        "encodes/decodes inflate/deflate ascend/descend ascending/descending prepend/append prepends/appends "
        "overestimate/underestimate "
        "overestimated/underestimated outperform/underperform outperforms/underperforms outperformed/underperformed "
        "ignore/consider ignores/considers ignored/considered obey/disobey obeyed/disobeyed "
        "inhale/exhale cry/laugh cried/laughed crying/laughing smile/frown smiled/frowned sleeping/awake asleep/awake "
        "sitting/standing sits/stands sat/stood "
        "true/false correct/incorrect/wrong correctly/incorrectly right/wrong accurate/inaccurate accurately/"
        "inaccurately "
        "valid/invalid legal/illegal possible/impossible feasible/infeasible available/unavailable able/unable "
        "present/absent presence/absence alive/dead complete/incomplete completely/partially finished/unfinished "
        "public/private "
        "required/optional mandatory/optional necessary/unnecessary compatible/incompatible safe/unsafe/dangerous "
        "safely/unsafely "
        "secure/insecure dangerous/safe stable/unstable free/paid permanent/temporary permanently/temporarily "
        "automatic/manual "
        "automatically/manually healthy/sick/unhealthy wet/dry odd/even busy/idle visible/invisible active/inactive "
        "genuine/fake real/fake guilty/innocent married/single/unmarried empty/full online/offline internal/external "
        "synchronous/asynchronous synchronously/asynchronously mutable/immutable static/dynamic statically/"
        "dynamically local/remote "
        "locally/remotely global/local known/unknown defined/undefined explicit/implicit explicitly/implicitly "
        "direct/indirect "
        "directly/indirectly reliable/unreliable readable/unreadable reachable/unreachable supported/unsupported "
        "experimental/stable deprecated/recommended positive/negative positively/negatively nullable/non-nullable "
        "case-sensitive/case-insensitive sensitive/insensitive symmetric/asymmetric regular/irregular consistent/"
        "inconsistent "
        "dependent/independent independently/jointly "
        "higher/lower highest/lowest larger/smaller largest/smallest bigger/smaller biggest/smallest greater/smaller "
        "longer/shorter longest/shortest taller/shorter tallest/shortest stronger/weaker strongest/weakest faster/"
        "slower "
        "fastest/slowest quicker/slower cheaper/pricier cheapest/priciest easier/harder easiest/hardest better/"
        "worse best/worst "
        "older/younger oldest/youngest earlier/later earliest/latest heavier/lighter heaviest/lightest hotter/colder "
        "hottest/coldest warmer/colder wider/narrower deeper/shallower thicker/thinner richer/poorer brighter/"
        "darker cleaner/dirtier "
        "louder/quieter closer/farther nearer/farther newer/older newest/oldest safer/riskier simpler/harder "
        "happier/sadder "
        "stricter/looser softer/harder smarter/dumber nicer/nastier "
        "cheap/expensive inexpensive/expensive costly/cheap fast/slow quick/slow quickly/slowly rapid/slow rapidly/"
        "slowly high/low "
        "large/small big/small huge/tiny long/short tall/short strong/weak strongly/weakly hot/cold warm/cool hard/"
        "easy/soft "
        "difficult/easy easy/difficult/hard easily/barely heavy/light good/bad/poor great/terrible/awful excellent/"
        "terrible "
        "happy/sad/unhappy happily/sadly glad/sorry satisfied/dissatisfied rich/poor wealthy/poor clean/dirty "
        "optimistic/pessimistic thick/thin wide/narrow broad/narrow deep/shallow loud/quiet noisy/quiet far/near "
        "bright/dark/dim "
        "common/rare/uncommon commonly/rarely frequent/rare frequently/rarely often/rarely/seldom usually/rarely "
        "important/unimportant/trivial significant/insignificant significantly/insignificantly lenient/strict "
        "ahead/behind "
        "profitable/unprofitable sufficient/insufficient enough/insufficient adequate/inadequate calm/nervous "
        "early/late old/new "
        "young/old new/old modern/ancient ancient/modern rough/smooth sharp/blunt sweet/bitter tight/loose tough/"
        "tender "
        "brave/cowardly polite/rude honest/dishonest friendly/hostile/unfriendly generous/stingy patient/impatient "
        "lazy/diligent clever/stupid smart/stupid wise/foolish beautiful/ugly interesting/boring exciting/boring "
        "useful/useless helpful/unhelpful harmful/harmless careful/careless clear/unclear/vague clearly/vaguely "
        "obvious/obscure "
        "simple/complicated/complex complex/simple complicated/simple normal/abnormal ordinary/extraordinary usual/"
        "unusual "
        "familiar/unfamiliar famous/obscure popular/unpopular lucky/unlucky fortunate/unfortunate fair/unfair "
        "equal/unequal "
        "certain/uncertain sure/unsure likely/unlikely aware/unaware willing/unwilling ready/unready pleasant/"
        "unpleasant "
        "comfortable/uncomfortable acceptable/unacceptable reasonable/unreasonable realistic/unrealistic efficient/"
        "inefficient "
        "effective/ineffective convenient/inconvenient flexible/rigid similar/different same/different identical/"
        "different "
        "separate/joint major/minor primary/secondary maximum/minimum upper/lower inner/outer top/bottom "
        "north/south northern/southern east/west eastern/western inside/outside indoors/outdoors indoor/outdoor "
        "above/below "
        "before/after vertical/horizontal vertically/horizontally male/female men/women man/woman boy/girl boys/girls "
        "husband/wife father/mother brother/sister son/daughter king/queen buyer/seller teacher/student doctor/patient "
        "employer/employee parent/child morning/evening summer/winter advantage/disadvantage advantages/disadvantages "
        "benefit/drawback benefits/drawbacks strength/weakness strengths/weaknesses profit/loss profits/losses "
        "asset/liability "
        "majority/minority victory/defeat friend/enemy friends/enemies supply/demand input/output optimism/pessimism "
        "agree/differ together/separately without/with prefix/suffix uppercase/lowercase client/server "
        "vegetarian/carnivorous domestic/foreign urban/rural voluntary/compulsory natural/artificial formal/informal "
        "professional/amateur mild/severe severe/mild minor/serious qualified/unqualified sober/drunk "
        "hopeful/hopeless confident/doubtful proud/ashamed calmly/nervously loyal/disloyal innocent/guilty "
        "overweight/underweight literate/illiterate employed/unemployed prepared/unprepared lawful/unlawful "
        "likes/dislikes liked/disliked deny/admit denied/admitted attend/miss attended/missed catch/miss caught/missed"
    ).split()
)

STATUS = tuple(
    tuple(row.split("/"))
    for row in (
        "passed/failed failed/passed/succeeded approved/rejected/declined rejected/approved open/closed opened/"
        "closed completed/cancelled/unfinished "
        "done/pending finished/pending pending/completed enabled/disabled online/offline up/down running/stopped "
        "active/inactive merged/rejected resolved/unresolved fixed/broken broken/working working/broken available/"
        "unavailable "
        "confirmed/cancelled cancelled/confirmed canceled/confirmed accepted/declined declined/accepted paid/unpaid "
        "delivered/lost shipped/delayed signed/unsigned published/withdrawn released/postponed verified/unverified "
        "tested/untested "
        "deployed/reverted blocked/unblocked connected/disconnected valid/expired expired/valid successful/"
        "unsuccessful "
        "granted/denied denied/granted found/missing missing/present solved/unsolved scheduled/cancelled full/empty "
        "booked/cancelled sold/unsold satisfied/unsatisfied complete/incomplete locked/unlocked read/unread "
        "visible/hidden ready/unfinished correct/incorrect true/false on/off"
    ).split()
)

# A word is no opposite here: the next word makes it another thing.
IDIOMS = frozenset(
    "good morning|good afternoon|good evening|good night|good luck|good idea|good bye|open source|open reading|"
    "open up|right now|right away|"
    "right here|right there|right after|right before|all right|free software|free to|feel free|early on|hard drive|"
    "hard disk|"
    "hard copy|long run|as long|so long|long ago|how long|no longer|any longer|as far|so far|far as|as soon|high "
    "school|high level|"
    "high street|new york|new zealand|new england|new orleans|light up|kind of|what kind|this kind|that kind|these "
    "kinds|same time|"
    "same as|the same|at least|short form|short term|in short|over time|over there|start with|starting with|right side|"
    "with respect|with regard|along with|deal with|help me|help you|can't help|please help|help desk|help text|"
    "sure to|make sure|"
    "for sure|i'm sure|great britain|great deal|good at|close to|as well|at best|best practice|best practices|best "
    "of|better off|"
    "had better|public domain|dynamic programming|true of|come true|even if|even though|even when|even the|even a|"
    "even in|even with|"
    "even for|even more|even after|even then|not even|or even|and even|to even|before you|day to|one day|some day|"
    "the other|"
    "other day|open the|like to|like a|like the|like this|like that|like you|look like|looks like|feel like|"
    "something like|things like|"
    "would like|just like|more like|back to|come back|go back|going back|get back|back in|back and|first like|known as|"
    "light of|in front|front of|on top|top of|inside of|end of|in order|well known|sort of|over the|over a|answer "
    "is|the answer|"
    "with that|with this|with it|early days|big deal|bottom line|in general|in particular|in addition|addition to|"
    "going on|based on|"
    "depending on|depends on|on the|on a|on this|on that|on it|on our|on your|on my|on and|so on|and so on|later "
    "on|hold on|move on|up to|up the|up with|"
    "up and|end up|set up|pick up|look up|sign up|come up|make up|give up|follow up|wake up|show up|speed up|back "
    "up|turn on|carry on|"
    "up a|up in|up on|up at|up your|up for|up my|up his|read the|read a|read it|read this|to read|read from|read "
    "about|even number".split("|")
)

NUMERALS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety".split()
)
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
SHORT_MONTHS = "Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec".split()
SEASONS = "spring summer autumn winter".split()
RELATIVE_DAYS = (("yesterday", "today", "tomorrow"), ("last week", "this week", "next week"), ("last month",
"next month"),
                 ("last year", "this year", "next year"), ("last night", "this morning", "this afternoon"))  # fmt: skip
DAY_PARTS = "morning afternoon evening".split()

PEOPLE = (
    "Tom Mary John Anna Peter Susan David Laura James Linda Robert Karen Michael Sarah William Emma Daniel Alice Paul "
    "Julia Mark Helen George Nina Frank Rosa Henry Clara Oliver Grace Simon Diana Victor Irene Martin Sophie Kevin "
    "Ruth "
    "Brian Maria Steve Jane Bob Lisa Jack Kate Sam Lucy Max Ella Leo Olga Omar Priya Chen Yuki Ahmed Fatima Carlos "
    "Ines".split()
)
PLACES = (
    "London Paris Berlin Madrid Rome Vienna Dublin Lisbon Prague Warsaw Athens Oslo Stockholm Copenhagen Helsinki "
    "Moscow "
    "Kyiv Istanbul Cairo Nairobi Lagos Delhi Mumbai Tokyo Osaka Kyoto Seoul Beijing Shanghai Shenzhen Singapore "
    "Bangkok "
    "Jakarta Sydney Melbourne Toronto Vancouver Montreal Boston Chicago Seattle Denver Houston Dallas Miami Atlanta "
    "Cambridge Oxford Manchester Birmingham Edinburgh Glasgow Cardiff Bristol Leeds Norwich Stansted Broxbourne "
    "Peterborough".split()
)
ORGANISATIONS = (
    "Google Microsoft Apple Amazon Netflix Intel Oracle IBM Samsung Sony Toyota Siemens Bosch Nokia Huawei Tencent "
    "Alibaba Baidu "
    "Facebook Twitter Wikipedia NASA UNESCO Reuters Bloomberg Volkswagen Boeing Airbus Pfizer Unilever".split()
)
PRODUCTS = (
    "Linux Windows macOS Android Ubuntu Debian Python Java JavaScript Rust Ruby Kotlin Firefox Chrome Safari Edge "
    "Docker "
    "PostgreSQL MySQL SQLite Redis MongoDB Kafka GitHub GitLab Slack Excel Photoshop JSON XML YAML CSV HTML CSS".split()
)

# Base, third person, past: for putting in and taking out "do not".
VERBS = tuple(
    tuple(row.split("/"))
    for row in (
        "want/wants/wanted need/needs/needed know/knows/knew think/thinks/thought believe/believes/believed use/"
        "uses/used "
        "make/makes/made take/takes/took give/gives/gave get/gets/got go/goes/went come/comes/came see/sees/saw "
        "say/says/said "
        "work/works/worked run/runs/ran call/calls/called try/tries/tried feel/feels/felt find/finds/found tell/"
        "tells/told "
        "ask/asks/asked show/shows/showed play/plays/played move/moves/moved live/lives/lived hold/holds/held "
        "bring/brings/brought "
        "write/writes/wrote provide/provides/provided sit/sits/sat stand/stands/stood pay/pays/paid meet/meets/met "
        "include/includes/included continue/continues/continued learn/learns/learned change/changes/changed lead/"
        "leads/led "
        "understand/understands/understood watch/watches/watched follow/follows/followed stop/stops/stopped create/"
        "creates/created "
        "speak/speaks/spoke allow/allows/allowed add/adds/added open/opens/opened walk/walks/walked offer/offers/"
        "offered "
        "remember/remembers/remembered consider/considers/considered appear/appears/appeared buy/buys/bought serve/"
        "serves/served "
        "send/sends/sent expect/expects/expected build/builds/built stay/stays/stayed reach/reaches/reached remain/"
        "remains/remained "
        "suggest/suggests/suggested raise/raises/raised require/requires/required report/reports/reported decide/"
        "decides/decided "
        "return/returns/returned support/supports/supported contain/contains/contained apply/applies/applied "
        "affect/affects/affected ignore/ignores/ignored accept/accepts/accepted receive/receives/received agree/"
        "agrees/agreed "
        "explain/explains/explained like/likes/liked love/loves/loved hope/hopes/hoped enjoy/enjoys/enjoyed "
        "recommend/recommends/recommended mean/means/meant belong/belongs/belonged depend/depends/depended "
        "happen/happens/happened exist/exists/existed matter/matters/mattered help/helps/helped cause/causes/caused "
        "produce/produces/produced represent/represents/represented define/defines/defined set/sets/set read/reads/"
        "read "
        "leave/leaves/left arrive/arrives/arrived start/starts/started begin/begins/began end/ends/ended cost/"
        "costs/cost "
        "have/has/had keep/keeps/kept let/lets/let seem/seems/seemed look/looks/looked wait/waits/waited eat/eats/ate "
        "drink/drinks/drank win/wins/won lose/loses/lost sell/sells/sold discuss/discusses/discussed mention/"
        "mentions/mentioned "
        "cover/covers/covered involve/involves/involved increase/increases/increased improve/improves/improved "
        "check/checks/checked match/matches/matched handle/handles/handled generate/generates/generated "
        "specify/specifies/specified indicate/indicates/indicated enable/enables/enabled trigger/triggers/triggered "
        "update/updates/updated delete/deletes/deleted remove/removes/removed store/stores/stored load/loads/loaded "
        "complete/completes/completed confirm/confirms/confirmed identify/identifies/identified publish/publishes/"
        "published "
        "appreciate/appreciates/appreciated propose/proposes/proposed plan/plans/planned describe/describes/"
        "described".split()
    )
)

# Either word says the same in nearly every sentence.
SYNONYMS = tuple(
    tuple(row.split("/"))
    for row in (
        "big/large begin/start begins/starts began/started however/but quickly/fast also/too purchase/buy "
        "purchased/bought "
        "assist/help assists/helps utilize/use utilizes/uses utilized/used nearly/almost almost/nearly perhaps/"
        "maybe maybe/perhaps "
        "several/a_few approximately/about require/need requires/needs required/needed entire/whole "
        "whole/entire method/approach difficult/hard hard/difficult simple/easy glad/happy correct/right error/mistake "
        "mistake/error finish/complete finished/completed show/display shows/displays obtain/get obtains/gets "
        "choose/pick "
        "choose/select select/choose selected/chosen attempt/try attempts/tries attempted/tried receive/get "
        "receives/gets allow/let "
        "permits/allows provide/give provides/gives provided/gave via/through because/since although/though "
        "therefore/so thus/so additionally/also moreover/also movie/film kids/children children/kids photo/picture "
        "picture/photo "
        "fridge/refrigerator tv/television television/tv phone/telephone job/work company/firm firm/company city/"
        "town error/fault "
        "issue/problem problem/issue problems/issues issues/problems important/significant rapidly/quickly quickly/"
        "rapidly "
        "frequently/often often/frequently rarely/seldom seldom/rarely annually/yearly currently/at_present now/"
        "currently "
        "contain/include contains/includes happen/occur happens/occurs happened/occurred occur/happen occurs/happens "
        "reply/answer replied/answered discuss/talk_about discussed/talked_about mention/bring_up ask/inquire "
        "verify/check "
        "verifies/checks checked/verified check/verify modify/change modifies/changes modified/changed alter/"
        "change enable/turn_on "
        "terminate/end speak/talk speaking/talking shut/close silent/quiet sick/ill gift/present automobile/car "
        "road/street "
        "sufficient/enough additional/extra extra/additional further/more main/primary primary/main whilst/while "
        "among/amongst "
        "toward/towards towards/toward until/till each/every every/each anyone/anybody anybody/anyone someone/somebody "
        "everyone/everybody everybody/everyone nobody/no_one permit/allow permitted/allowed forbidden/prohibited "
        "attend/go_to located/situated ordinary/normal execute/run executes/runs executed/ran returns/gives_back "
        "value/figure "
        "amount/quantity participants/attendees staff/employees employees/staff student/pupil students/pupils "
        "teacher/instructor "
        "doctor/physician boss/manager assistance/help demonstrate/show demonstrates/shows indicated/showed "
        "indicates/shows "
        "determine/find_out remain/stay remains/stays construct/build constructed/built reduce/cut reduced/cut "
        "decrease/reduce decreased/reduced increase/raise rise/go_up fell/dropped".split()
    )
)
SYNONYMS_SAFE = {row[0]: row[1].replace("_", " ") for row in SYNONYMS if len(row) == 2}

OPENINGS = (
    "As I said, ", "As I said before, ", "As mentioned, ", "As mentioned above, ", "As noted earlier, ",
    "As we discussed, ",
    "As stated, ", "To repeat, ", "To sum up, ", "In summary, ", "In short, ", "To recap, ", "To be clear, ",
    "Just to be clear, ",
    "In other words, ", "Put simply, ", "Put differently, ", "For the record, ", "One more thing to keep in mind: ",
    "Again, ",
    "Once again, ", "So ", "So, ", "And ", "Well, ", "Yeah, ", "Okay, so ", "I mean, ", "You know, ", "Basically, ",
    "Essentially, ", "In fact, ",
    "Actually, ", "Indeed, ", "Overall, ", "In conclusion, ", "Note that ", "Please note that ", "Note: ",
    "Remember that ",
    "Remember, ", "Keep in mind that ", "Let me repeat: ", "Let me say it again: ", "The point is, ", "The thing is, ",
    "What I'm saying is that ", "What this means is that ", "That is, ", "That means ", "It is worth repeating that ",
    "It should be noted that ",
    "It is clear that ", "We know that ", "We agreed that ", "I think ", "I believe ", "I would say ",
    "As you know, ", "As everyone knows, ",
    "Of course, ", "Obviously, ", "Clearly, ", "Certainly, ", "Also, ", "By the way, ", "Finally, ", "Lastly, ",
    "Moreover, ",
    "Furthermore, ", "Additionally, ", "Therefore, ", "Thus, ", "Hence, ", "As a result, ", "Anyway, ",
    "At the end of the day, ",
    "All in all, ", "Bottom line: ", "Summary: ", "Conclusion: ", "Final answer: ", "Update: ", "FYI, ", "Reminder: ",
    "Just a reminder: ",
    "Right, ", "Sure, ", "Great, ", "Look, ", "Listen, ", "Honestly, ", "Frankly, ", "To tell the truth, ",
    "The fact is that ",
    "The result is that ", "It turns out that ", "Based on the above, ", "Based on this information, ",
    "According to our notes, ",
    "From the above, ", "Here is the summary: ", "To conclude, ", "In brief, ", "More precisely, ",
    "Let us not forget: ",
    "Everyone agrees that ", "I can confirm that ", "I want to stress that ", "It is important to note that ", "Mm, ",
    "Um, ", "Alright, ",
)  # fmt: skip
CLOSINGS = (
    ", as I said", ", as mentioned", ", as noted above", ", you know", ", of course", ", I think", ", I believe",
    ", to be clear", ", basically",
    ", as we discussed", ", in short", ", that is all", ", as far as I know", ", obviously", ", anyway", ", right",
    ", so to speak", ", after all",
    ", as everyone knows", ", for the record", ", and that is important", ", as you can see",
)  # fmt: skip
FILLERS = frozenset(
    "really very actually basically just quite simply certainly definitely obviously clearly well um uh er erm hmm "
    "mm yeah so "
    "also however indeed essentially honestly literally okay ok like of_course you_know i_mean sort_of kind_of".split()
)
SPEAKERS = (
    "Speaker A", "Speaker 1", "Project Manager", "Marketing", "Industrial Designer", "User Interface", "Grad A",
    "Professor C", "PhD D", "Chair",
    "Assistant", "User", "Agent", "Orchestrator", "WebSurfer", "Coder", "Reviewer", "Moderator", "Host", "Anna",
    "Tom", "Dr. Lee", "Ms. Gray",
)  # fmt: skip
CONTRACTIONS = (
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"), ("has not", "hasn't"), ("have not", "haven't"), ("had not", "hadn't"), ("will not",
    "won't"),
    ("would not", "wouldn't"), ("should not", "shouldn't"), ("could not", "couldn't"), ("cannot", "can't"),
    ("can not", "can't"),
    ("it is", "it's"), ("that is", "that's"), ("there is", "there's"), ("I am", "I'm"), ("we are", "we're"),
    ("you are", "you're"),
    ("they are", "they're"), ("I have", "I've"), ("we have", "we've"), ("they have", "they've"), ("I will", "I'll"),
    ("we will", "we'll"),
    ("you will", "you'll"), ("it will", "it'll"), ("he is", "he's"), ("she is", "she's"), ("what is", "what's"),
    ("let us", "let's"),
    ("I would", "I'd"), ("you have", "you've"), ("they will", "they'll"), ("he will", "he'll"), ("she will", "she'll"),
)  # fmt: skip
UNITS = (
    ("hours", "minutes", "days", "weeks", "months"), ("days", "weeks", "hours", "months", "years"), ("weeks", "days",
    "months"),
    ("months", "weeks", "years", "days"), ("years", "months", "decades"), ("minutes", "seconds", "hours"), ("seconds",
    "minutes", "milliseconds"),
    ("hour", "minute", "day"), ("minute", "hour", "second"), ("week", "day", "month"), ("month", "week", "year"),
    ("year", "month", "week"),
    ("miles", "kilometers", "meters", "feet"), ("kilometers", "miles", "meters"), ("km", "m", "miles"), ("meters",
    "feet", "kilometers", "centimeters"),
    ("feet", "meters", "inches"), ("inches", "centimeters", "feet"), ("dollars", "euros", "pounds", "cents"),
    ("euros", "dollars", "pounds"),
    ("pounds", "dollars", "euros"), ("cents", "dollars"), ("kg", "g", "lbs"), ("grams", "kilograms"), ("MB", "GB",
    "KB"), ("GB", "MB", "TB"), ("KB", "MB"),
    ("bytes", "bits", "kilobytes", "megabytes"), ("bits", "bytes"), ("million", "thousand", "billion"), ("billion",
    "million", "trillion"),
    ("thousand", "hundred", "million"), ("degrees", "percent"), ("GBP", "USD", "EUR"),
)  # fmt: skip
