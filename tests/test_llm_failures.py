"""The paper's whole write path against servers on bad days: whatever they say, no turn and no session is lost."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memorai.index.lexical import BM25
from memorai.models.cache import ByteCache
from memorai.models.embedders import HashingEmbedder
from memorai.models.llm import Accounting
from memorai.models.llm_openai import OpenAIClient
from memorai.models.prompts import load_prompt
from memorai.retrieval.retrievers import DirectRetriever
from memorai.retrieval.scores import Lexical
from memorai.systems.memory_system import GraphIndex, MemorySystem
from memorai.types import Query
from memorai.write.lexical import LexicalExtractor
from memorai.write.llm_extract import LLMExtractor
from memorai.write.llm_gate import LLMGate, LLMLogitGate
from memorai.write.llm_segment import LLMSegmenter
from memorai.write.llm_summarize import LLMSummarizer
from memorai.write.summarize import summarize
from tests.chat_server import Answer, ChatServer, asked, refused, said
from tests.toys import CONVERSATION

pytest.importorskip("openai")
pytest.importorskip("json_repair")
pytestmark = pytest.mark.filterwarnings("ignore:.*gave nothing usable:UserWarning")

STAGES = ("segment", "summarize", "gate", "extract")
STAGE_OF = {load_prompt(stage).system: stage for stage in STAGES}
#: what a model that works says of both sessions; the gate drops the first message of each, t1 and t4
GOOD = {
    "segment": '{"starts": [1]}',
    "summarize": "They spoke.",
    "gate": '{"keep": [2, 3]}',
    "extract": '{"entities": [{"name": "Rex", "description": "A dog.", "messages": [2]}], "relations": []}',
}
GOOD_OF_TWO = {**GOOD, "gate": '{"keep": [2]}', "extract": GOOD["extract"].replace("[2]", "[1]")}


def stage_of(body: dict[str, Any]) -> str:
    return STAGE_OF[body["messages"][0]["content"]]


def in_first_session(body: dict[str, Any]) -> bool:
    return "What is its name?" in asked(body)


def well(body: dict[str, Any]) -> Answer:
    return said((GOOD if in_first_session(body) else GOOD_OF_TWO)[stage_of(body)])


def memory(base_url: str, accounting: Accounting, cache: bool | ByteCache = False, **options: Any) -> MemorySystem:
    client = {"concurrency": 1, "timeout": 20.0, "max_retries": 0, "progress": False, **options}
    llm = OpenAIClient("m", base_url, cache=cache, accounting=accounting, **client)
    return MemorySystem(
        DirectRetriever(Lexical()),
        HashingEmbedder(dim=32),
        BM25(),
        lambda turn: turn.text,
        segmenter=LLMSegmenter(llm),
        summarize=LLMSummarizer(llm, fallback=summarize),
        gate=LLMGate(llm),
        extractor=LLMExtractor(llm, fallback=LexicalExtractor()),
    )


def indexed(
    script: Callable[[dict[str, Any], int], Answer], **options: Any
) -> tuple[GraphIndex, dict[str, tuple[int, int]]]:
    """The index that comes of a server, and (calls, failed) by stage."""
    accounting = Accounting()
    with ChatServer(script) as server:
        index = memory(server.base_url, accounting, **options).index(CONVERSATION)
    return index, {use.stage: (use.calls, use.failed) for use in accounting.uses()}


def turns(index: GraphIndex) -> list[str]:
    return [turn.id for turn in index.indexed.graph.turns]


def check_nothing_is_lost(index: GraphIndex, kept: list[str]) -> None:
    """Turns, sessions, snippets with summaries and entities are there, and every turn can be found."""
    graph = index.indexed.graph
    assert turns(index) == kept
    assert [turn for snippet in graph.snippets for turn in snippet.turn_ids] == kept
    assert all(snippet.summary for snippet in graph.snippets)
    assert {turn for entity in graph.entities for turn in entity.turn_ids} & {"t1", "t2", "t3"}
    assert {turn for entity in graph.entities for turn in entity.turn_ids} & {"t4", "t5"}
    assert sorted(index.search([Query("q", "Rex")], 9)[0].ids) == kept


def test_a_server_in_good_health() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index, counts = indexed(lambda body, _: well(body))
    assert counts == dict.fromkeys(sorted(STAGES), (2, 0))
    check_nothing_is_lost(index, ["t2", "t3", "t5"])
    assert [entity.description for entity in index.indexed.graph.entities] == ["A dog."]


#: what a server answers instead, by name
BAD = {
    "a 429": refused(429, "slow down"),
    "a 500": refused(500, "oops"),
    "a 503 in HTML": Answer("<html>busy</html>", 503),
    "a 404": refused(404, "no such model"),
    "a context overflow": refused(400, "This model's maximum context length is 9 tokens"),
    "a closed connection": Answer("", drop=True),
    "a timeout": Answer("{}", hang=1.5),
    "no body": Answer(""),
    "no JSON": Answer("<html>busy</html>"),
    "half a body": Answer('{"choices": ['),
    "no choices": Answer({"choices": []}),
    "null": said(None),
    "blanks": said(" \n"),
    "thoughts alone": said("<think>Hm, what is asked of me"),
    "a refusal": said(None, refusal="I will not."),
    "a refusal in prose": said("I'm sorry, but I can't help with that."),
    "a content filter": said("They", finish="content_filter"),
}
#: replies of the steps that want JSON, in which none of it is to be found
MALFORMED = {
    "prose": "Here you are: they speak of a dog.",
    "an open brace": "{",
    "a key alone": '{"keep": ',
    "another object": '{"answer": 42}',
    "null": '{"keep": null, "starts": null, "entities": null, "relations": null}',
    "the schema": '{"type": "object", "properties": {"keep": {"type": "array"}, "entities": {"type": "array"}}}',
    "numbers of no message": '{"keep": [0, 44], "starts": [99], "entities": [0], "relations": []}',
    "words for numbers": '{"keep": ["all"], "starts": ["top"], "entities": [null], "relations": [null]}',
    "a repeated word": "I I I I I I I I I I I I",
    "an expression": "__import__('os').getcwd()",
    "a lone surrogate": '\\ud800{"',
}
CASES = [(stage, name, answer) for stage in STAGES for name, answer in BAD.items()]
CASES += [(stage, name, said(text)) for stage in STAGES if stage != "summarize" for name, text in MALFORMED.items()]


@pytest.mark.parametrize(("stage", "name", "bad"), CASES, ids=[f"{stage}: {name}" for stage, name, _ in CASES])
def test_one_bad_segment_costs_that_step_of_that_segment_alone(stage: str, name: str, bad: Answer) -> None:
    def script(body: dict[str, Any], _: int) -> Answer:
        return bad if stage_of(body) == stage and in_first_session(body) else well(body)

    index, counts = indexed(script, timeout=0.4 if name == "a timeout" else 20.0)
    assert counts == {each: (2, int(each == stage)) for each in sorted(STAGES)}
    check_nothing_is_lost(index, ["t1", "t2", "t3", "t5"] if stage == "gate" else ["t2", "t3", "t5"])


@pytest.mark.parametrize("answers", range(2 * len(STAGES) + 1))
def test_a_server_that_dies_midway_loses_nothing_and_is_asked_the_rest_when_it_is_back(
    answers: int, tmp_path: Path
) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    index, counts = indexed(lambda body, n: well(body) if n < answers else Answer("", drop=True), cache=cache)
    assert sum(calls for calls, _ in counts.values()) == 8
    assert sum(failed for _, failed in counts.values()) == 8 - answers
    # segment, segment, summarize, summarize, then the gate: of a session that it did not see it keeps every turn
    kept = ["t2", "t3"] if answers > 4 else ["t1", "t2", "t3"]
    check_nothing_is_lost(index, [*kept, *(["t5"] if answers > 5 else ["t4", "t5"])])
    accounting = Accounting()
    with ChatServer(lambda body, _: well(body)) as revived:
        again = memory(revived.base_url, accounting, cache).index(CONVERSATION)
    check_nothing_is_lost(again, ["t2", "t3", "t5"])
    uses = accounting.uses()
    assert sum(use.failed for use in uses) == 0
    # prompts of the steps after a lost one can differ: what is asked again is at least what was lost
    assert len(revived.requests) == sum(use.calls - use.cached for use in uses) >= 8 - answers


def test_a_rate_limit_is_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    limited = Answer({"error": {"message": "slow down"}}, 429, {"retry-after": "7"})
    index, counts = indexed(lambda body, n: limited if n % 2 == 0 else well(body), max_retries=1)
    assert counts == dict.fromkeys(sorted(STAGES), (2, 0))
    check_nothing_is_lost(index, ["t2", "t3", "t5"])
    assert [seconds for seconds in slept if seconds] == [7.0] * 8


def test_every_answer_bad_leaves_the_path_without_a_model() -> None:
    index, counts = indexed(lambda body, _: said("no"))
    assert counts == {**dict.fromkeys(sorted(STAGES), (2, 2)), "summarize": (2, 0)}
    check_nothing_is_lost(index, ["t1", "t2", "t3", "t4", "t5"])


def test_a_list_that_was_cut_off_drops_nothing_behind_its_end() -> None:
    def script(body: dict[str, Any], _: int) -> Answer:
        return said('{"keep": [2,', finish="length") if stage_of(body) == "gate" else well(body)

    index, _ = indexed(script)
    assert turns(index) == ["t2", "t3", "t5"]  # t1 and t4 stand before the 2


def test_the_odds_of_yes_through_the_whole_path() -> None:
    """The last alternatives of a server that gives none for one turn, as Ollama does for all."""

    def script(body: dict[str, Any], _: int) -> Answer:
        message = asked(body).split("Message:\n")[1].splitlines()[0]
        if message.startswith("Bob: What"):
            return said("Yes")
        odds = {"Yes": -0.1, "No": -3.0} if "Rex" in message else {"Yes": -3.0, "No": -0.1}
        top = [{"token": token, "logprob": value} for token, value in odds.items()]
        answer = said("x")
        assert isinstance(answer.body, dict)
        answer.body["choices"][0]["logprobs"] = {"content": [{"token": "x", "logprob": -1.0, "top_logprobs": top}]}
        return answer

    accounting = Accounting()
    with ChatServer(script) as server:
        llm = OpenAIClient("m", server.base_url, cache=False, accounting=accounting, max_retries=0, progress=False)
        system = MemorySystem(
            DirectRetriever(Lexical()), HashingEmbedder(dim=8), BM25(), lambda turn: turn.text, gate=LLMLogitGate(llm)
        )
        index = system.index(CONVERSATION)
    assert turns(index) == ["t2", "t3", "t5"]
    assert system.labels()["gate"] == "llm_logit"
    assert [(use.stage, use.calls, use.failed) for use in accounting.uses()] == [("gate", 5, 1)]


def test_a_drop_share_holds_the_models_gate_to_a_budget() -> None:
    with ChatServer(lambda body, _: well(body)) as server:
        system = memory(server.base_url, Accounting())
        system.drop_share = 0.2
        index = system.index(CONVERSATION)
    assert turns(index) == ["t2", "t3", "t4", "t5"]  # one of the two that the model left out, the earlier
    assert system.labels()["gate"] == "llm 20% dropped"
