"""Whether an answer says that the memory does not tell, in whatever words."""

from __future__ import annotations

import re

#: what a reader of this package answers then; LoCoMo's scorer recognises it
NO_INFORMATION = "No information available"

#: LoCoMo's scorer (task_eval/evaluation.py) takes these for an abstention wherever they stand
_SCORED = re.compile(r"no information available|not mentioned", re.IGNORECASE)

_SOURCE = r"(?:information|info|context|conversations?|messages?|chats?|text|lines|memor(?:y|ies)|dialogue|notes)"
_GIVEN = r"(?:provided|given|available)"
_THE_SOURCE = rf"(?:the )?(?:{_GIVEN} )?{_SOURCE}(?: {_GIVEN})?"
_IT = r"(?:it|this|that|the answer)"
_SAID = r"(?:mentioned|specified|stated|provided|disclosed|discussed)"
_LEAD = (
    r"(?:(?:i'm|i am) (?:very |so )?(?:sorry|afraid)[,.]?\s*(?:but )?|sorry[,.]?\s*(?:but )?|unfortunately,? "
    r"|(?:based on|according to|from) [^,.]{1,60}, )*"
)
_WAYS = (
    # no information about it; not enough details are given
    r"(?:there (?:is|was) )?(?:no|not enough|not sufficient|insufficient) (?:relevant |such |specific |further )?"
    rf"(?:(?:information|info|mention)\b|(?:details?|data|evidence|context) (?:(?:is|are|was) )?{_GIVEN}\b)",
    # the information provided is not enough
    rf"{_THE_SOURCE} (?:is|are|was|were) (?:not (?:enough|sufficient|{_GIVEN})|insufficient|unavailable)\b",
    # the context does not say
    rf"{_THE_SOURCE} (?:do|does|did)(?: not|n't) "
    r"(?:say|tell|mention|specify|provide|contain|state|include|indicate|give|show)\b",
    # it is not specified
    rf"(?:{_IT} )?(?:(?:is |was )?(?:not|never)|isn't|wasn't) {_SAID}\b",
    # this cannot be determined; I can't answer that
    rf"(?:(?:i|we|the question|{_IT}) )?(?:cannot|can not|can't|could not|couldn't|(?:am |is )?unable to)(?: be)? "
    r"(?:answered|answer|determined|determine|inferred|established)\b",
    rf"i (?:cannot|can't|could not|couldn't) find (?:any |that |this |the |such )?(?:{_SOURCE}|mention|answer)\b",
    r"i (?:do not|don't) have (?:any |enough |sufficient |the |that )?information\b",
    # these only as the whole answer: as its opening they may be what somebody said
    r"(?:i (?:do not|don't) know|unknown|unanswerable|unspecified|not (?:known|given|available))\W*$",
)
_OPENING = re.compile(f"{_LEAD}(?:{'|'.join(_WAYS)})")
_CHINESE = re.compile(
    r"(?:(?:很|非常)?(?:抱歉|对不起)[，,。]?)?(?:"
    r"(?:所?提供的|现有的?|给出的|已有的?)?(?:信息|资料|上下文|对话|内容|记忆)(?:中|里)?(?:都|并)?"
    r"(?:不足|不够|没有(?:提到|提及|说明|提供)|未(?:提到|提及|说明|提供)|无法)"
    r"|(?:没有|无)(?:任何|相关|足够的?|可用的?)*信息|(?:并)?(?:没有|未)(?:提到|提及)|无法(?:确定|回答|得知|判断)"
    r"|(?:我)?不知道\W*$)"
)


def says_unknown(answer: str) -> bool:
    """Return whether an answer says that the memory does not tell.

    Besides LoCoMo's two phrases, which count anywhere, an answer counts that opens with the paper's "The information
    provided is not enough" (arXiv 2605.01386) or with words to that effect, in English or Chinese. An answer that only
    speaks of somebody who does not know does not.

    Example:
        >>> says_unknown("I'm sorry, but the context does not say."), says_unknown("She did not know.")
        (True, False)
    """
    text = " ".join(answer.replace("’", "'").lower().split()).lstrip("\"'*_([“‘ ")
    return bool(_SCORED.search(text) or _OPENING.match(text) or _CHINESE.match(text))


def scored_as_abstention(answer: str) -> bool:
    """Return whether LoCoMo's scorer, too, takes the answer for an abstention."""
    return bool(_SCORED.search(answer))
