"""English closed-class words and common verbs: what a noun phrase cannot contain. Data only.

The lists are short on purpose. They carry the function words and the small talk of conversations; a content word
that is missing costs one odd entity, never a lost one.
"""

from __future__ import annotations

from memorai.write.tags import Tag


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST_PERSON = _words("i we")
POSSESSIVE_FIRST = _words("my our")
SUBJECT_PRONOUNS = FIRST_PERSON | _words("you he she they it who which y'all")
PRONOUNS = SUBJECT_PRONOUNS | _words(
    """me him us them mine yours hers ours theirs myself yourself himself herself itself ourselves yourselves
    themselves whom something someone somebody somewhere anything anyone anybody anywhere everything everyone
    everybody everywhere nothing nobody nowhere none others"""
)
DETERMINERS = _words(
    """a an the this that these those my your his her its our their some any no every each all both either neither
    another other such what whatever whichever whose much many few several more most less least own same enough half
    certain various whole only"""
)
PREPOSITIONS = _words(
    """about above across after against along alongside among amongst around at before behind below beneath beside
    besides between beyond by despite during except for from in inside into near of off on onto out outside over
    past per since through throughout till toward towards under underneath until up upon via with within without
    down than as like unlike including regarding"""
)
CONJUNCTIONS = _words(
    """and or but nor yet because if when whenever while although though unless whereas whether where wherever how
    however why once plus cause cuz"""
)
CONDITIONALS = _words("if unless whether")
BE = _words("am is are was were be been being 'm 're ain't isn't aren't wasn't weren't")
HAVE = _words("have has had having 've haven't hasn't hadn't")
MODALS = _words(
    "do does did doing can could will would shall should may might must ought cannot 'll 'd gonna wanna gotta"
)
NEGATIONS = _words("not never")
ADVERBS = _words(
    """just really very so too also even still already always often sometimes usually again back away here there now
    then soon ever maybe perhaps quite pretty almost rather together apart forward ahead alone instead else anyway
    anyways anymore yet well far long lately super kinda sorta literally mostly hard fast better best worse worst
    more most forever hopefully likely overall especially further indeed otherwise somehow someday sometime
    altogether twice thrice therefore thus hence etc aside abroad online outdoors indoors"""
)
NOT_ADVERBS = _words(
    """family italy reply supply assembly butterfly jelly belly ally bully lily fly july anomaly monopoly homily
    melancholy dragonfly firefly emily kelly molly sally holly billy polly ugly lovely friendly lonely silly elderly
    weekly daily monthly yearly early curly homely"""
)
INTERJECTIONS = _words(
    """hey hi hiya hello wow whoa woah thanks thank thx lol lmao haha hahaha heh yeah yea yes yep yup nope ok okay oh
    ooh ah aw aww awww hmm hm gosh geez congrats congratulations bye goodbye cheers please sure welcome omg ugh yay
    woohoo woo sorry alright absolutely definitely totally exactly agreed kudos btw ya yo um uh huh damn phew oops
    wassup sup nah nope bravo hooray"""
)
CALENDAR = _words(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april june july august september october november december mon tue tues wed thu
    thur thurs fri jan feb mar apr jun jul aug sep sept oct nov dec today tonight tomorrow yesterday week weeks
    weekend weekends month months year years day days hour hours minute minutes second seconds morning mornings
    afternoon afternoons evening evenings night nights noon midnight ago later am pm daily weekly monthly yearly
    o'clock decade decades century"""
)
NUMBERS = _words(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
    million dozen couple first third fourth fifth last next recent previous upcoming past ones"""
)
LIGHT_NOUNS = _words(
    """thing things stuff lot lots bit way ways time times kind kinds sort sorts type types piece pieces part parts
    moment moments guy guys folks people person man dude everyone matter matters deal case fact point side end rest
    total ton tons bunch reason reasons place places idea ideas something luck fun while word words vibe vibes
    feeling feelings chance look looks wait glad example hand mind head whole start top bottom front middle minute
    plenty loads course number amount worries problem problems doubt doubts pic pics let's lets kinda"""
)
GENERIC_ADJECTIVES = _words(
    """good great nice new old big small little huge tiny large long short high low young early late amazing awesome
    cool fantastic wonderful incredible excellent perfect lovely beautiful gorgeous pretty cute sweet fun funny
    happy sad glad excited exciting interesting inspiring inspired impressive proud grateful thankful lucky tough
    hard easy simple difficult different similar important special favorite favourite real true right wrong sure
    ready able best better worse worst own full free busy tired bored boring stressed stressful nervous scared scary
    afraid worried curious strong weak rough crazy wild weird strange rare common certain clear close open main
    major minor recent current whole entire single extra super overall total local personal memorable unique
    powerful meaningful peaceful helpful useful supportive refreshing relaxing rewarding challenging amazed stunning
    breathtaking adorable delicious tasty yummy fresh positive negative possible impossible available worth stoked
    thrilled pumped psyched hyped keen eager fond okay fine bad terrible awful horrible cheap expensive rich poor
    nearby several various many few interested comfortable confident determined dedicated passionate creative
    hopeful optimistic calm calming cozy loud quiet bright dark warm cold hot colorful deep solid sick healthy alive
    lost ill safe honest kind caring unreal surreal epic dope rad legit neat sweetest cutest coolest biggest
    greatest amazingly outta ol sorry upset frustrated frustrating overwhelmed overwhelming disappointed
    disappointing surprised surprising encouraging motivated motivating touching fascinating satisfying fulfilling
    enjoyable fabulous magical serene soothing thoughtful talented mindful super-cool well-deserved younger older
    bigger smaller longer closer stronger happier easier harder higher lower nicer latest newest oldest additional
    specific general typical usual normal regular basic essential necessary crucial key vital nutty lively vibrant
    blessed chill pleasant brave inclusive present involved vulnerable intense particular hectic emotional grippy
    nerve-wracking sooo soo friendly lonely silly elderly ugly electric genuine solo fave plain"""
)
COLOURS = _words("white black red blue green yellow pink purple orange brown gray grey golden silver wooden")
ADJECTIVE_ENDINGS = ("ful", "ous", "able", "ible", "less", "ish", "ive")
NOT_ADJECTIVES = _words(
    """english spanish turkish british finnish swedish danish polish dish fish relish vegetable table cable constable
    handful vehicle detective native narrative initiative perspective motive olive archive representative executive
    relative objective adjective alternative incentive rubbish radish catfish jellyfish goldfish variable disable"""
)

#: base forms; inflections are found through the stem
VERBS = _words(
    """accept achieve act add adjust admire admit adopt adore advise afford agree aim allow amaze announce answer
    apologize appear apply appreciate approach argue arrange arrive ask assume attach attempt attend avoid bake
    become begin believe belong bet book borrow bother break breathe bring browse build buy call camp cancel care
    carry catch celebrate challenge change chase chat check cheer choose clean clear climb close collect combine
    come compete complain complete confirm connect consider contact contain continue contribute convince cook cope
    cost count cover create cry cut dance deal decide decorate deliver depend describe deserve design destroy
    develop die disagree disappear discover discuss donate draw dream dress drink drive drop earn eat embrace
    encourage end enjoy ensure enter escape exchange exercise exist expand expect experience explain explore express
    face fail fall feed feel fight figure fill find finish fit fix fly focus follow forget forgive gain gather get
    give go grab grow guess guide handle hang happen hate head heal hear heat help hesitate hide hike hit hold hope
    host hug hurt ignore imagine impact improve include increase influence inform inspire install intend introduce
    invest invite involve join joke jump keep kick kiss knock know lack land laugh launch lead learn leave lend let
    lie lift like limit listen live look lose love maintain make manage marry matter mean meet mention mind miss
    motivate move name need notice offer open order organize own pack paint pass pay perform pick plan plant play
    post practice prefer prepare present prevent produce promise promote prove provide publish pull purchase push
    put raise reach react read realize receive recharge recommend recover reduce reflect refuse relate relax relieve
    remain remember remind remove rent repair replace reply report represent require rescue rest return reveal ride
    rise run save say schedule score search see seem sell send serve set settle share shine shoot shop show sing sit
    sketch sleep smell smile solve sort sound speak spend stand start stay step stick stop strengthen strive
    struggle study succeed suffer suggest suit support suppose surprise surround survive swim take talk taste teach
    tell tend test think throw touch tour train travel treat trust try turn understand unwind use value visit
    volunteer vote wait wake walk want warm wash watch wear welcome win wish wonder work worry write yell bond chill
    cherish pursue transform empower overcome tackle capture showcase blow sign spark thrive sponsor hop dive crash
    crush rock rule stream upload download text email google bless blend spread captivate soar shape destress
    rehearse deny impress vent transport prioritize research overthink glow cuddle nail ace juggle recall scare pray
    adapt advocate aspire assist balance boost brainstorm brighten cater coach collaborate commit compare consume
    convert educate engage enhance evolve excite expose facilitate feature foster fuel function generate guarantee
    harness honor identify implement indulge invent inherit invade light magnify mix navigate nourish nurture
    observe obtain partner perceive persevere persist possess preserve prioritise process progress protect purify
    rebuild reconnect refine refresh reinforce renew resonate respect restore retire revive satisfy seek simplify
    spice stir stress stretch suck switch sync tie tinker tweak uncover unite upgrade uplift venture wander whip
    widen wow wrap"""
)
IRREGULAR_PAST = _words(
    """ate became been began begun blew bought broke broken brought built came caught chose chosen cost did done drank
    drawn drew driven drove drunk eaten fallen fed fell felt flew flown forgot forgotten fought found gave given
    gone got gotten grew grown heard held hid hidden hung hurt kept knew known laid led left lent lost made meant
    met paid put ran read rode risen rose said sang sat saw seen sent set shone shot shown slept sold spent spoke
    spoken stood stuck sung swam swum taken taught thought threw thrown told took understood woke woken won wore
    worn written wrote dove lit dug swung stole stolen bit bitten sank sunk shook shaken went"""
)
#: what people do, said as nouns: the only -ing forms of known verbs that name an entity without a determiner
ACTIVITIES = _words(
    """painting swimming running reading camping hiking cooking dancing writing drawing singing climbing surfing
    shopping baking knitting traveling travelling counseling gardening fishing skiing biking cycling training acting
    boxing gaming coding programming journaling volunteering driving walking sketching hunting teaching building
    engineering blogging streaming advertising marketing networking parenting wedding meeting ending meaning
    clothing housing setting mentoring coaching filming riding racing learning fundraising performing drumming
    jogging sewing pottery"""
)
#: after a verb-like word they tell a verb: "check out"
PARTICLES = _words("out up off back away")
#: verbs that are nouns about as often; only their context tells
NOUN_VERBS = _words(
    """act aim answer attempt bake book break bet bond call camp care challenge change chat check cheer climb contact
    cook cost count cover cry cut dance deal design dream dress drink drive drop email end escape exchange exercise
    experience face fall feed fight figure fit fix fly focus gain guess guide head heat help hike hit hope host hug
    hurt impact increase influence interest joke jump kick kiss knock lack land laugh launch lead lie lift limit
    look love match mind miss move name need notice offer order pack paint pass pay pick plan plant play post
    practice present promise purchase push race raise reach record report rescue rest return ride rise rock rule run
    sale save schedule score search set share shoot shop show sign sketch smell smile sort sound spark sponsor stand
    start stay step stick stop stream struggle study suit support surprise swim talk taste test text touch tour
    train travel treat trust try turn use value view visit volunteer vote wait walk wash watch welcome win wish
    wonder work worry throw blow crash crush warm heal bless blend research progress process partner respect stress
    stretch switch balance boost feature function honor light mix coach spread glow"""
)
#: plurals that no stemmer folds
PLURALS = {
    "lives": "life", "wives": "wife", "children": "child", "men": "man", "women": "woman", "feet": "foot",
    "teeth": "tooth", "mice": "mouse", "knives": "knife", "leaves": "leaf", "shelves": "shelf",
    "wolves": "wolf", "scarves": "scarf",
}  # fmt: skip
#: a clause under these is not stated as a fact
OPINION_VERBS = _words("hope hoping hoped wish wished wishing doubt doubted wonder wondered wondering imagine")
#: their object may turn out to be the subject of a clause: "I think Bob left"
CLAUSE_VERBS = OPINION_VERBS | _words(
    """think thought believe believed know knew say said guess feel felt bet mean meant hear heard see saw suppose
    heard tell told understand realize realized notice noticed remember find found let make made help helped want"""
)
#: "my X" with such an X states that the speaker has one
POSSESSED = _words(
    """sister brother mother mom mum father dad parent parents son daughter child children kid kids wife husband
    partner girlfriend boyfriend fiance fiancee uncle aunt cousin grandma grandpa grandmother grandfather niece
    nephew dog dogs cat cats puppy puppies kitten kittens pet pets"""
)


def _closed_class() -> dict[str, Tag]:
    # later groups win where lists overlap
    groups = (
        (GENERIC_ADJECTIVES, Tag.ADJECTIVE),
        (LIGHT_NOUNS, Tag.STOP),
        (ADVERBS, Tag.ADVERB),
        (NUMBERS, Tag.NUMBER),
        (PREPOSITIONS, Tag.PREPOSITION),
        (DETERMINERS, Tag.DETERMINER),
        (PRONOUNS, Tag.PRONOUN),
        (CONJUNCTIONS, Tag.CONJUNCTION),
        (INTERJECTIONS, Tag.STOP),
        (CALENDAR, Tag.STOP),
        (BE | HAVE | MODALS, Tag.AUXILIARY),
        (NEGATIONS, Tag.NEGATION),
        (frozenset(("to",)), Tag.TO),
    )
    return {word: tag for words, tag in groups for word in words}


#: tag of every word whose class needs no context
CLOSED_CLASS = _closed_class()
