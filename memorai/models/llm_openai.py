"""Any endpoint that speaks OpenAI's chat completions: vLLM, Ollama, llama.cpp's server, hosted models."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.llm import Accounting, Prompt, Reply, Schema
from memorai.models.llm_chat import chat_body, failed, read_chat, rejected
from memorai.models.llm_client import CachingClient, sampling

_UNSUPPORTED = (400, 404, 415, 422, 501)  # how servers without structured output refuse it
#: fields that the package takes by name; others travel as they are
_ARGUMENTS = frozenset(("messages", "temperature", "max_tokens", "seed", "response_format", "logprobs", "top_logprobs"))
_TRANSIENT = ("timeout", "connection", "server", "rate_limit")
_GONE_AFTER = 3  # requests in a row whose retries were all in vain


class OpenAIClient(CachingClient):
    """Asks a server through the ``openai`` package, several prompts at a time.

    Rate limits, server errors and broken connections are retried with exponential backoff, heeding ``Retry-After``.
    Once several requests in a row have used up their retries the server counts as gone and the rest is tried once
    each, so that a server that dies midway costs a run its replies but not its time.

    Args:
        model: name that the server knows it by.
        base_url: up to and with ``/v1``; None is OpenAI's own.
        api_key_env: the environment variable that holds the key, which no configuration ever does. None or an unset
            variable sends none, which servers of one's own do not mind; OpenAI's own needs one.
        temperature: 0 = greedy.
        max_tokens: of a reply.
        seed: sent to the server; another seed is also another cache entry, for repetitions.
        structured: ask for JSON-schema-constrained output; a server that refuses is asked without, for good.
        extra: further fields of the request's body, e.g. ``{reasoning_effort: low}``.
        timeout: seconds for one attempt.
        max_retries: attempts after the first.
        concurrency: requests in flight.
        identity: what the cache knows the model by; default ``model``. The URL is no part of it: name the weights where
            two servers call different ones the same.
        cache: as for `CachingClient`.
        accounting: as for `CachingClient`.
        progress: as for `CachingClient`.

    Raises:
        InputError: a value is out of its range.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key_env: str | None = "OPENAI_API_KEY",
        temperature: float = 0.0,
        max_tokens: int = 1024,
        seed: int = 0,
        structured: bool = True,
        extra: Mapping[str, Any] | None = None,
        timeout: float = 120.0,
        max_retries: int = 4,
        concurrency: int = 8,
        identity: str | None = None,
        cache: bool | ByteCache = True,
        accounting: Accounting | None = None,
        progress: bool = True,
    ) -> None:
        if timeout <= 0 or max_retries < 0 or concurrency < 1:
            raise InputError(
                f"llm={model}: timeout={timeout} must be positive, max_retries={max_retries} not negative and "
                f"concurrency={concurrency} at least 1"
            )
        body = {**sampling(temperature, max_tokens, seed), **(extra or {})}
        keyed = {**body, "structured": structured}
        super().__init__(f"openai|{identity or model}", keyed, cache, accounting, progress)
        self.model, self.base_url, self.api_key_env = model, base_url, api_key_env
        self.concurrency = concurrency
        self._body, self._structured = body, structured
        self._timeout, self._max_retries = timeout, max_retries
        self._lock = threading.Lock()
        self._in_vain = 0
        self._client: Any = None

    def _answer(self, prompts: Sequence[Prompt], schema: Schema | None, logprobs: int) -> Iterator[tuple[int, Reply]]:
        self._connect()
        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="llm") as pool:
            futures = {pool.submit(self._one, prompt, schema, logprobs): i for i, prompt in enumerate(prompts)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:  # after an interrupt nothing new is started
                pool.shutdown(wait=False, cancel_futures=True)

    def _connect(self) -> None:
        if self._client is not None:
            return
        try:
            from openai import OpenAI
        except ImportError:
            raise InputError(f"llm={self.model}: the openai package is missing; pip install 'memorai[llm]'") from None
        for name in ("httpx", "httpx2"):  # a line a request, which would tear the progress bar apart
            logging.getLogger(name).setLevel(logging.WARNING)
        key = os.environ.get(self.api_key_env) if self.api_key_env else None
        if not key and self.base_url is None:
            raise InputError(f"llm={self.model}: set the environment variable {self.api_key_env} to the API key")
        # the package insists on some key
        self._client = OpenAI(
            api_key=key or "none", base_url=self.base_url, timeout=self._timeout, max_retries=self._max_retries
        )

    def _one(self, prompt: Prompt, schema: Schema | None, logprobs: int) -> Reply:
        asked = schema if self._structured and not logprobs else None
        reply, status = self._send(chat_body(prompt, self._body, asked, logprobs))
        if asked is not None and status in _UNSUPPORTED and reply.error != "context_overflow":
            again, status = self._send(chat_body(prompt, self._body, None, logprobs))
            if not status and again.error not in _TRANSIENT:  # it was the schema, not the prompt
                self._structured = False
                reply = again
        return reply

    def _send(self, body: Mapping[str, Any]) -> tuple[Reply, int]:
        """Return the reply and the HTTP status of a refusal, 0 if there was none."""
        import openai

        client = self._client if self._in_vain < _GONE_AFTER else self._client.with_options(max_retries=0)
        known = {name: value for name, value in body.items() if name in _ARGUMENTS}
        others = {name: value for name, value in body.items() if name not in _ARGUMENTS}
        try:
            answer = client.chat.completions.with_raw_response.create(model=self.model, **known, extra_body=others)
            reply, status = read_chat(json.loads(answer.content)), 0
        except openai.APITimeoutError as error:
            reply, status = failed("timeout", f"no answer within {self._timeout:g} s ({error})"), 0
        except openai.APIConnectionError as error:
            reply, status = failed("connection", f"{error} ({error.__cause__})"), 0
        except openai.APIStatusError as error:
            reply, status = rejected(error.status_code, error.message), error.status_code
        except (openai.OpenAIError, ValueError) as error:  # a body that is no JSON
            reply, status = failed("server", f"{type(error).__name__}: {error}"), 0
        with self._lock:
            self._in_vain = self._in_vain + 1 if reply.error in _TRANSIENT else 0
        return reply, status
