"""The chat completions interface, which OpenAI's, vLLM's, Ollama's and llama.cpp's servers share: body and answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memorai.models.llm import Prompt, Reply, Schema

_OVERFLOW = re.compile(
    r"context.{0,40}(length|size|window)|exceed.{0,40}context|maximum context|prompt is too long|too many tokens",
    re.IGNORECASE | re.DOTALL,
)


def chat_body(prompt: Prompt, parameters: Mapping[str, Any], schema: Schema | None, logprobs: int) -> dict[str, Any]:
    """Return the body of one request.

    Args:
        prompt: the messages.
        parameters: temperature, max_tokens, seed and whatever else the server takes.
        schema: constrains the answer, for servers that can.
        logprobs: if > 0, one token with so many alternatives is asked for.
    """
    body: dict[str, Any] = {"messages": prompt.messages(), **parameters}
    if schema is not None:
        shape = {"name": "reply", "schema": dict(schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    if logprobs:
        body |= {"max_tokens": 1, "logprobs": True, "top_logprobs": logprobs}
    return body


def read_chat(answer: object) -> Reply:
    """Read an answer's body; a malformed one becomes a reply in error, never an exception."""
    try:
        return _read(answer)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        return failed("server", f"the answer is no chat completion ({type(error).__name__}: {error})")


def failed(kind: str, detail: object) -> Reply:
    """Return the reply that stands for a failure."""
    return Reply(error=kind, detail=" ".join(str(detail).split())[:300])


def rejected(status: int, detail: str) -> Reply:
    """Return the reply for a request that the server refused with an HTTP status."""
    if status == 413 or (status < 500 and _OVERFLOW.search(detail)):
        return failed("context_overflow", detail)
    kind = {408: "timeout", 429: "rate_limit"}.get(status, "server" if status >= 500 else "request")
    return failed(kind, f"HTTP {status}: {detail}")


def _read(answer: Any) -> Reply:
    if answer.get("error"):
        error = answer["error"]
        message = error.get("message", error) if isinstance(error, Mapping) else error
        code = error.get("code") if isinstance(error, Mapping) else None
        return rejected(code if isinstance(code, int) else 500, str(message))
    choice = answer["choices"][0]
    message = choice["message"]
    usage = answer.get("usage") or {}
    text = message.get("content") or ""
    if not isinstance(text, str):
        raise TypeError(f"content is {type(text).__name__}, not text")
    alternatives = _alternatives(choice.get("logprobs"))
    error, detail = "", ""
    if message.get("refusal"):
        error, detail = "refusal", str(message["refusal"])
    elif choice.get("finish_reason") == "content_filter":
        error, detail = "refusal", "stopped by the server's content filter"
    elif not text.strip() and not alternatives:
        error, detail = "empty", f"no text, finish_reason={choice.get('finish_reason')}"
    return Reply(
        text,
        error=error,
        detail=detail,
        prompt_tokens=int(usage.get("prompt_tokens") or 0),
        completion_tokens=int(usage.get("completion_tokens") or 0),
        truncated=choice.get("finish_reason") == "length",
        logprobs=alternatives,
    )


def _alternatives(logprobs: Any) -> dict[str, float]:
    tokens: Sequence[Any] = (logprobs or {}).get("content") or []
    return {str(item["token"]): float(item["logprob"]) for item in tokens[0]["top_logprobs"]} if tokens else {}
