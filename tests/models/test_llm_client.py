from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.llm import Accounting, Prompt, Reply, Schema
from memorai.models.llm_client import NAMESPACE, CachingClient, sampling

SCHEMA = {"type": "object", "properties": {"keep": {"type": "array", "items": {"type": "integer"}}}}


class Echo(CachingClient):
    """Answers with the prompt's user message, last prompt first; "fail" is an error."""

    def __init__(self, cache: bool | ByteCache, model_id: str = "echo", **parameters: object) -> None:
        super().__init__(model_id, parameters, cache, Accounting())
        self.asked: list[Prompt] = []

    def _answer(self, prompts: Sequence[Prompt], schema: Schema | None, logprobs: int) -> Iterator[tuple[int, Reply]]:
        for place in reversed(range(len(prompts))):
            self.asked.append(prompts[place])
            user = prompts[place].user
            yield place, Reply(error="timeout") if user == "fail" else Reply(user, prompt_tokens=2, truncated=True)


@pytest.fixture
def cache(tmp_path: Path) -> ByteCache:
    return ByteCache(tmp_path / "c.sqlite")


def test_replies_stand_in_the_order_of_the_prompts(cache: ByteCache) -> None:
    users = ["b", "a", "fail", "c"]
    replies = Echo(cache).complete([Prompt("s", user) for user in users])
    assert [reply.text or reply.error for reply in replies] == ["b", "a", "timeout", "c"]
    assert Echo(cache).complete([]) == []


def test_the_second_time_everything_but_failures_comes_from_the_cache(cache: ByteCache) -> None:
    prompts = [Prompt("s", "猫 \ud800"), Prompt("s", "fail")]
    first = Echo(cache).complete(prompts, stage="gate")
    again = Echo(cache)
    assert again.complete(prompts, stage="gate") == [replace(first[0], cached=True), first[1]]
    assert [prompt.user for prompt in again.asked] == ["fail"]
    use = again.accounting.uses()[0]
    assert (use.calls, use.cached, use.prompt_tokens, use.failed) == (2, 1, 0, 1)


def test_equal_prompts_are_asked_and_paid_once(cache: ByteCache) -> None:
    client = Echo(cache)
    replies = client.complete([Prompt("s", "a")] * 3)
    assert [reply.cached for reply in replies] == [False, True, True]
    assert len(client.asked) == 1
    assert client.accounting.uses()[0].prompt_tokens == 2


@pytest.mark.parametrize("kept", [False, True])
def test_without_a_cache_everything_is_asked_again(kept: bool, tmp_path: Path) -> None:
    client = Echo(ByteCache(tmp_path / "c.sqlite") if kept else False)
    client.complete([Prompt("s", "a")])
    client.complete([Prompt("s", "a")])
    assert len(client.asked) == (1 if kept else 2)


VARIED = {
    "model": lambda c, s: (Echo(c, "other", temperature=0.0), Prompt("s", "u"), s, 0),
    "value of a parameter": lambda c, s: (Echo(c, temperature=0.5), Prompt("s", "u"), s, 0),
    "further parameter": lambda c, s: (Echo(c, temperature=0.0, seed=1), Prompt("s", "u"), s, 0),
    "system message": lambda c, s: (Echo(c, temperature=0.0), Prompt("t", "u"), s, 0),
    "user message": lambda c, s: (Echo(c, temperature=0.0), Prompt("s", "v"), s, 0),
    "where system ends": lambda c, s: (Echo(c, temperature=0.0), Prompt("su", ""), s, 0),
    "no schema": lambda c, s: (Echo(c, temperature=0.0), Prompt("s", "u"), None, 0),
    "another schema": lambda c, s: (Echo(c, temperature=0.0), Prompt("s", "u"), {**s, "required": ["keep"]}, 0),
    "log probabilities": lambda c, s: (Echo(c, temperature=0.0), Prompt("s", "u"), s, 5),
}


@pytest.mark.parametrize("part", VARIED)
def test_each_part_of_a_request_is_part_of_its_key(part: str, cache: ByteCache) -> None:
    base = Echo(cache, temperature=0.0)
    client, prompt, schema, logprobs = VARIED[part](cache, SCHEMA)
    assert base.key(Prompt("s", "u"), SCHEMA, 0) == Echo(cache, temperature=0.0).key(Prompt("s", "u"), SCHEMA, 0)
    assert client.key(prompt, schema, logprobs) != base.key(Prompt("s", "u"), SCHEMA, 0)


def test_a_long_prompt_is_keyed_to_its_last_character(cache: ByteCache) -> None:
    client = Echo(cache)
    replies = client.complete([Prompt("s", "x" * 50_000 + end) for end in "ab"])
    assert len(client.asked) == 2 and replies[0].text != replies[1].text


def test_a_schema_fills_parsed_also_from_the_cache(cache: ByteCache) -> None:
    prompts = [Prompt("s", '{"keep": [2]}'), Prompt("s", "no")]
    for cached in (False, True):
        good, bad = Echo(cache).complete(prompts, SCHEMA)
        assert (good.parsed, good.error, good.cached, good.truncated) == ({"keep": [2]}, "", cached, True)
        assert (bad.parsed, bad.error, bad.text, bad.cached) == (None, "unparsable", "no", cached)
        assert "no JSON object with keep" in bad.detail


@pytest.mark.parametrize("entry", [b"", b"\xff", b"{}", b"[]", b'{"text": "a"}', b"null"])
def test_a_damaged_entry_is_asked_again(entry: bytes, cache: ByteCache) -> None:
    client = Echo(cache)
    cache.put_many(NAMESPACE, {client.key(Prompt("s", "a"), None, 0): entry})
    assert client.complete([Prompt("s", "a")])[0] == Reply("a", prompt_tokens=2, truncated=True)


def test_an_interrupted_batch_keeps_what_it_has_paid_for(cache: ByteCache) -> None:
    class Interrupted(Echo):
        def _answer(self, prompts, schema, logprobs):
            yield next(super()._answer(prompts, schema, logprobs))
            raise KeyboardInterrupt

    prompts = [Prompt("s", "a"), Prompt("s", "b")]
    with pytest.raises(KeyboardInterrupt):
        Interrupted(cache).complete(prompts)
    again = Echo(cache)
    again.complete(prompts)
    assert [prompt.user for prompt in again.asked] == ["a"]


@pytest.mark.parametrize(("temperature", "max_tokens"), [(-0.1, 8), (0.0, 0)])
def test_sampling_is_checked(temperature: float, max_tokens: int) -> None:
    with pytest.raises(InputError, match="temperature"):
        sampling(temperature, max_tokens, 0)
