"""The client against a scripted server on the loopback interface: what real ones do on bad days."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.llm import Accounting, Prompt
from memorai.models.llm_openai import OpenAIClient
from tests.chat_server import Answer, ChatServer, Script, asked, refused, said

pytest.importorskip("openai")

SCHEMA = {"type": "object", "properties": {"keep": {"type": "array", "items": {"type": "integer"}}}}
PROMPTS = [Prompt("s", f"prompt {i}") for i in range(6)]


def client(base_url: str, cache: bool | ByteCache = False, **options: Any) -> OpenAIClient:
    options = {"concurrency": 1, "timeout": 20.0, "max_retries": 2, **options}
    return OpenAIClient("m", base_url, cache=cache, accounting=Accounting(), **options)


def echo(body: dict[str, Any], _: int) -> Answer:
    return said(asked(body))


def answers(script: Script, prompts: list[Prompt] = PROMPTS[:1], **options: Any):
    with ChatServer(script) as server:
        asker = client(server.base_url, **options)
        return asker.complete(prompts, options.get("schema")), server, asker


def test_the_request_holds_what_was_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    options = {"api_key_env": "SOME_KEY", "seed": 3, "max_tokens": 11, "extra": {"reasoning_effort": "low"}}
    replies, server, _ = answers(echo, **options)
    body = server.requests[0]
    assert replies[0].text == "prompt 0" and replies[0].prompt_tokens == 7
    assert body["messages"][0] == {"role": "system", "content": "s"}
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("m", 0.0, 3, 11)
    assert body["reasoning_effort"] == "low"
    assert server.keys == ["Bearer secret"]


def test_several_prompts_are_in_flight_and_come_back_in_order() -> None:
    together = threading.Barrier(3, timeout=20)

    def script(body: dict[str, Any], number: int) -> Answer:
        together.wait()  # passes only when three requests are there at once
        return Answer(said(asked(body)).body, hang=0.05 if asked(body) == "prompt 0" else 0.0)

    replies, _, _ = answers(script, PROMPTS, concurrency=3)
    assert [reply.text for reply in replies] == [prompt.user for prompt in PROMPTS]


def test_no_more_requests_than_allowed_are_in_flight() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def script(body: dict[str, Any], _: int) -> Answer:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.02)
        with lock:
            running -= 1
        return said("x")

    answers(script, PROMPTS, concurrency=2)
    assert most <= 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_refusal_that_passes_is_retried(status: int) -> None:
    replies, server, _ = answers(lambda body, n: refused(status, "wait") if n < 2 else echo(body, n))
    assert (replies[0].text, replies[0].error, len(server.requests)) == ("prompt 0", "", 3)


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit"), (500, "server")])
def test_retries_are_bounded(status: int, kind: str) -> None:
    replies, server, asker = answers(lambda body, n: refused(status, "no"))
    assert (replies[0].error, len(server.requests)) == (kind, 3)
    assert asker.accounting.uses()[0].failed == 1


def test_a_request_at_fault_is_not_retried() -> None:
    replies, server, _ = answers(lambda body, n: refused(404, "no such model"))
    assert (replies[0].error, len(server.requests)) == ("request", 1)
    assert "no such model" in replies[0].detail


def test_a_context_overflow_costs_one_prompt() -> None:
    def script(body: dict[str, Any], n: int) -> Answer:
        return refused(400, "maximum context length is 9 tokens") if asked(body) == "prompt 1" else echo(body, n)

    replies, server, _ = answers(script, PROMPTS[:3])
    assert [reply.error for reply in replies] == ["", "context_overflow", ""]
    assert len(server.requests) == 3


def test_a_timeout_costs_one_prompt() -> None:
    def script(body: dict[str, Any], n: int) -> Answer:
        return Answer(said(asked(body)).body, hang=3.0 if asked(body) == "prompt 1" else 0.0)

    replies, _, _ = answers(script, PROMPTS[:3], timeout=0.5, max_retries=0)
    assert [reply.error for reply in replies] == ["", "timeout", ""]


def test_a_server_that_dies_midway_loses_no_reply_that_it_gave(tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    replies, _, _ = answers(
        lambda body, n: echo(body, n) if n < 2 else Answer("", drop=True), PROMPTS, cache=cache, max_retries=0
    )
    assert [reply.error for reply in replies] == ["", ""] + ["connection"] * 4
    with ChatServer(echo) as revived:
        again = client(revived.base_url, cache).complete(PROMPTS)
    assert [reply.text for reply in again] == [prompt.user for prompt in PROMPTS]
    assert [reply.cached for reply in again] == [True, True] + [False] * 4


def test_a_server_that_is_gone_is_not_retried_for_ever() -> None:
    replies, server, _ = answers(lambda body, n: refused(503, "down"), PROMPTS, max_retries=2)
    assert [reply.error for reply in replies] == ["server"] * 6
    assert len(server.requests) == 3 * 3 + 3  # three with retries, then three without


def test_nobody_listening_is_a_connection_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    replies = client(f"http://127.0.0.1:{port}/v1", max_retries=0).complete(PROMPTS[:2])
    assert [reply.error for reply in replies] == ["connection", "connection"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("", "server"),
        ("<html>busy</html>", "server"),
        ('{"choices": [', "server"),
        ("{}", "server"),
        ("null", "server"),
        ('{"choices": []}', "server"),
        ('{"choices": [{"message": {"content": null}}]}', "empty"),
        ('{"choices": [{"message": {"content": null, "refusal": "no"}}]}', "refusal"),
    ],
)
def test_a_malformed_body_costs_one_prompt(body: str, kind: str) -> None:
    def script(request: dict[str, Any], n: int) -> Answer:
        return Answer(body) if asked(request) == "prompt 1" else echo(request, n)

    replies, _, _ = answers(script, PROMPTS[:3])
    assert [reply.error for reply in replies] == ["", kind, ""]


@pytest.mark.parametrize("status", [400, 422, 501])
def test_a_server_without_structured_output_is_asked_without(status: int) -> None:
    def script(body: dict[str, Any], n: int) -> Answer:
        if "response_format" in body:
            return refused(status, "response_format: json_schema is not supported")
        return said('Sure: {"keep": [2]}')

    with ChatServer(script) as server:
        asker = client(server.base_url, max_retries=0)
        replies = asker.complete(PROMPTS[:3], SCHEMA)
    assert [reply.parsed for reply in replies] == [{"keep": [2]}] * 3
    assert len(server.requests) == 4  # refused once, then never sent again


def test_a_prompt_at_fault_does_not_turn_structured_output_off() -> None:
    def script(body: dict[str, Any], n: int) -> Answer:
        return refused(400, "bad role") if asked(body) == "prompt 0" else said('{"keep": []}')

    with ChatServer(script) as server:
        replies = client(server.base_url).complete(PROMPTS[:2], SCHEMA)
    assert [reply.error for reply in replies] == ["request", ""]
    assert "response_format" in server.requests[-1]


def test_structured_output_can_be_off() -> None:
    with ChatServer(lambda body, n: said('{"keep": [1]}')) as server:
        client(server.base_url, structured=False).complete(PROMPTS[:1], SCHEMA)
    assert "response_format" not in server.requests[0]


def test_the_key_of_the_cache_knows_seed_and_extra_but_not_the_url(tmp_path: Path) -> None:
    key = client("http://a/v1").key(PROMPTS[0], None, 0)
    assert client("http://b/v1").key(PROMPTS[0], None, 0) == key
    assert client("http://a/v1", seed=1).key(PROMPTS[0], None, 0) != key
    assert client("http://a/v1", extra={"top_p": 0.5}).key(PROMPTS[0], None, 0) != key
    assert client("http://a/v1", identity="m@4bit").key(PROMPTS[0], None, 0) != key
    assert client("http://a/v1", timeout=1.0, concurrency=4).key(PROMPTS[0], None, 0) == key


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="set the environment variable OPENAI_API_KEY"):
        OpenAIClient("gpt-4o", cache=False).complete(PROMPTS[:1])


@pytest.mark.parametrize("options", [{"timeout": 0}, {"max_retries": -1}, {"concurrency": 0}, {"max_tokens": 0}])
def test_values_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        client("http://a/v1", **options)
