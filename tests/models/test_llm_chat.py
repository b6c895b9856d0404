from __future__ import annotations

import pytest

from memorai.models.llm import Prompt
from memorai.models.llm_chat import chat_body, read_chat, rejected

SCHEMA = {"type": "object", "properties": {"keep": {"type": "array"}}}


def answer(**choice: object) -> dict:
    return {"choices": [{"finish_reason": "stop", **choice}], "usage": {"prompt_tokens": 4, "completion_tokens": 2}}


def test_a_body_holds_parameters_and_schema() -> None:
    body = chat_body(Prompt("s", "u"), {"temperature": 0.0, "max_tokens": 9}, SCHEMA, 0)
    assert body["messages"][1] == {"role": "user", "content": "u"}
    assert body["max_tokens"] == 9
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "response_format" not in chat_body(Prompt("s", "u"), {}, None, 0)


def test_alternatives_ask_for_one_token() -> None:
    body = chat_body(Prompt("s", "u"), {"max_tokens": 9}, None, 5)
    assert (body["max_tokens"], body["logprobs"], body["top_logprobs"]) == (1, True, 5)


def test_a_completion_is_read() -> None:
    reply = read_chat(answer(message={"content": "hi"}, finish_reason="length"))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens, reply.truncated) == ("hi", 4, 2, True)
    assert reply.error == ""


def test_alternatives_are_read() -> None:
    top = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    reply = read_chat(answer(message={"content": " "}, logprobs={"content": [{"top_logprobs": top}]}))
    assert (reply.logprobs, reply.error) == ({"Yes": -0.1, "No": -2.5}, "")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (answer(message={"content": None, "refusal": "I will not."}), "refusal"),
        (answer(message={"content": "part"}, finish_reason="content_filter"), "refusal"),
        (answer(message={"content": ""}), "empty"),
        (answer(message={"content": None}), "empty"),
        (answer(message={"content": [1]}), "server"),
        (answer(message=None), "server"),
        (answer(), "server"),
        ({"choices": []}, "server"),
        ({}, "server"),
        ([], "server"),
        (None, "server"),
        ("text", "server"),
        ({"error": {"code": 400, "message": "request exceeds the available context size"}}, "context_overflow"),
        ({"error": {"message": "loading"}}, "server"),
        ({"error": "loading"}, "server"),
    ],
)
def test_whatever_a_server_sends_becomes_a_reply(body: object, kind: str) -> None:
    assert read_chat(body).error == kind


@pytest.mark.parametrize(
    ("status", "detail", "kind"),
    [
        (400, "This model's maximum context length is 4096 tokens.", "context_overflow"),
        (400, "request (15031 tokens) exceeds the available context size (4096 tokens)", "context_overflow"),
        (400, "input exceeds the context window", "context_overflow"),
        (413, "too large", "context_overflow"),
        (400, "response_format is not supported", "request"),
        (404, "no such model", "request"),
        (429, "slow down", "rate_limit"),
        (408, "too slow", "timeout"),
        (503, "loading", "server"),
    ],
)
def test_refusals_are_told_apart(status: int, detail: str, kind: str) -> None:
    assert rejected(status, detail).error == kind
