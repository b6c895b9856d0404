from __future__ import annotations

import pytest

from memorai.answer.abstain import NO_INFORMATION, says_unknown, scored_as_abstention
from memorai.metrics.answer import ABSTENTIONS, abstains

UNKNOWN = [
    "No information available",
    "no information available.",
    '"No information available"',
    "There is no information available on that.",
    "Not mentioned in the conversation",
    "It is not mentioned.",
    "Her job is not mentioned in these lines.",
    "The information provided is not enough",
    "The information provided is not enough to answer.",
    "The provided information is insufficient",
    "Information is not available",
    "Not enough information.",
    "Insufficient information to answer the question",
    "There is no mention of a dog.",
    "There isn't a word about it: not mentioned",
    "No relevant information was found.",
    "The context does not say.",
    "The lines don’t mention a brother",
    "The conversation did not specify which.",
    "Based on the lines, the conversation does not tell.",
    "I'm sorry, but the context does not provide that.",
    "I'm sorry, but I can't determine that.",
    "Unfortunately, it is not specified",
    "It wasn't stated.",
    "It cannot be determined from the context.",
    "This can't be answered",
    "I cannot find any information about that",
    "I don't have enough information to tell",
    "I don't know.",
    "Unknown",
    "Unanswerable.",
    "not known",
    "**Not specified**",
    "没有提到",
    "未提及。",
    "信息不足，无法回答。",
    "提供的信息不足",
    "对话中没有提到她的工作。",
    "抱歉，没有相关信息。",
    "无法确定",
    "我不知道。",
]
KNOWN = [
    "",
    "Rex",
    "7 May 2023",
    "He did not know her name.",
    "Ann does not know the town.",
    "She said that she had no information",
    "I don't know how to swim",
    "No",
    "No, she moved to Rome.",
    "None",
    "Not Rome but Paris",
    "Not enough flour in the dough",
    "No evidence of a burglar",
    "The text of the song",
    "The information desk at the station",
    "The messages were lost in May",
    "An unknown soldier",
    "Not known for his cooking",
    "I couldn't find my keys",
    "It is not expensive.",
    "信息学",
    "他不知道这件事",
    "没有孩子",
]


@pytest.mark.parametrize("answer", UNKNOWN)
def test_an_answer_may_say_in_many_ways_that_it_does_not_know(answer: str) -> None:
    assert says_unknown(answer)


@pytest.mark.parametrize("answer", KNOWN)
def test_an_answer_that_speaks_of_not_knowing_is_an_answer(answer: str) -> None:
    assert not says_unknown(answer)


@pytest.mark.parametrize("answer", [*UNKNOWN, *KNOWN])
def test_what_the_scorer_takes_for_an_abstention_is_what_the_metric_takes(answer: str) -> None:
    assert scored_as_abstention(answer) == abstains(answer)
    assert says_unknown(answer) or not abstains(answer)


def test_the_readers_phrase_is_one_that_scores() -> None:
    assert NO_INFORMATION.lower() in ABSTENTIONS
