"""What all clients share: the cache, the counts, the parsing, the progress bar. A client only has to answer."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from memorai.errors import InputError
from memorai.models.cache import ByteCache, content_key
from memorai.models.llm import ACCOUNTING, Accounting, Prompt, Reply, Schema
from memorai.models.parse import ParseError, parse_reply

NAMESPACE = "replies"
_SHOW_PROGRESS_ABOVE = 8  # prompts; a language model takes seconds for each


class CachingClient(ABC):
    """Answers from a SQLite cache what it has answered before, and asks the model the rest.

    The key holds the model's identity, every sampling parameter, the schema, the number of alternatives and both parts
    of the prompt. Replies in error are not kept, so the next run asks them again.

    Args:
        model_id: what the key knows the model by; two endpoints that serve one model share their replies.
        parameters: everything else that shapes a reply, JSON-serialisable.
        cache: True for the default `ByteCache`, False for none, or one of your own.
        accounting: where calls are counted; default `memorai.models.llm.ACCOUNTING`.
        progress: show a bar on stderr for more than a few prompts.
    """

    def __init__(
        self,
        model_id: str,
        parameters: Mapping[str, Any],
        cache: bool | ByteCache = True,
        accounting: Accounting | None = None,
        progress: bool = True,
    ) -> None:
        self.model_id = model_id
        self.parameters = dict(parameters)
        self.accounting = ACCOUNTING if accounting is None else accounting
        self._cache = ByteCache() if cache is True else cache or None
        self._progress = progress

    @abstractmethod
    def _answer(self, prompts: Sequence[Prompt], schema: Schema | None, logprobs: int) -> Iterator[tuple[int, Reply]]:
        """Yield (place of the prompt, reply) as replies come in, each once; ``parsed`` and ``cached`` stay unset."""

    def complete(
        self, prompts: Sequence[Prompt], schema: Schema | None = None, *, stage: str = "llm", logprobs: int = 0
    ) -> list[Reply]:
        """Answer every prompt, as `LLM.complete` says. Equal prompts are asked once; the others count as cached."""
        with self.accounting.watch(stage) as counted:
            keys = [self.key(prompt, schema, logprobs) for prompt in prompts]
            found = self._stored(keys)
            missing: dict[str, Prompt] = {k: p for k, p in zip(keys, prompts, strict=True) if k not in found}
            fresh = set(missing)
            found.update(self._ask(missing, schema, stage, logprobs))
            for key in keys:
                reply = found[key]
                counted.append(_read(reply, schema))
                if key in fresh:  # its first use has been paid for
                    fresh.remove(key)
                    found[key] = _as_cached(reply)
        return list(counted)

    def key(self, prompt: Prompt, schema: Schema | None, logprobs: int) -> str:
        """Return the cache key of one request."""
        settings = json.dumps(self.parameters, sort_keys=True, ensure_ascii=False)
        # not sorted: the order of properties steers what a constrained model writes first
        shape = None if schema is None else json.dumps(schema, ensure_ascii=False)
        return content_key(self.model_id, settings, shape, logprobs, prompt.system, prompt.user)

    def _stored(self, keys: Sequence[str]) -> dict[str, Reply]:
        stored = self._cache.get_many(NAMESPACE, keys) if self._cache else {}
        replies = {key: _decode(value) for key, value in stored.items()}
        return {key: reply for key, reply in replies.items() if reply is not None}

    def _ask(self, missing: Mapping[str, Prompt], schema: Schema | None, stage: str, logprobs: int) -> dict[str, Reply]:
        replies: dict[str, Reply] = {}
        if not missing:
            return replies
        keys = list(missing)
        quiet = not self._progress or len(keys) <= _SHOW_PROGRESS_ABOVE
        with tqdm(total=len(keys), desc=stage, unit="call", disable=quiet) as bar:
            for place, reply in self._answer(list(missing.values()), schema, logprobs):
                replies[keys[place]] = reply
                if self._cache and not reply.error:  # at once: an interrupted run keeps what it has paid for
                    self._cache.put_many(NAMESPACE, {keys[place]: _encode(reply)})
                bar.update()
        return replies


def sampling(temperature: float, max_tokens: int, seed: int) -> dict[str, Any]:
    """Return the sampling parameters that all clients have, checked.

    Raises:
        InputError: a value is out of its range.
    """
    if temperature < 0 or max_tokens < 1:
        raise InputError(f"llm: temperature={temperature} must be at least 0 and max_tokens={max_tokens} at least 1")
    return {"temperature": float(temperature), "max_tokens": int(max_tokens), "seed": int(seed)}


def _as_cached(reply: Reply) -> Reply:
    return _decode(_encode(reply)) or reply if not reply.error else reply


def _read(reply: Reply, schema: Schema | None) -> Reply:
    """Fill in ``parsed``. Parsed on every read, so that a better parser serves old replies too."""
    if schema is None or reply.error:
        return reply
    try:
        parsed, error, detail = parse_reply(reply.text, schema), "", ""
    except ParseError as failure:
        parsed, error, detail = None, "unparsable", str(failure)
    return Reply(
        reply.text,
        parsed,
        error,
        detail,
        reply.cached,
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.truncated,
        reply.logprobs,
    )


_STORED = ("text", "prompt_tokens", "completion_tokens", "truncated", "logprobs")


def _encode(reply: Reply) -> bytes:
    return json.dumps({name: getattr(reply, name) for name in _STORED}).encode("utf-8", "surrogatepass")


def _decode(value: bytes) -> Reply | None:
    """None for an entry that another version wrote otherwise: it is asked again."""
    try:
        stored = json.loads(value)
        return Reply(**{name: stored[name] for name in _STORED}, cached=True)
    except (ValueError, KeyError, TypeError):
        return None
