"""A chat model from the hub or a folder, run by transformers in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from memorai.device import resolve_device
from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.identity import folder_digest
from memorai.models.llm import Accounting, Prompt, Reply, Schema
from memorai.models.llm_chat import failed
from memorai.models.llm_client import CachingClient, sampling

_LOADING = threading.Lock()


class TransformersClient(CachingClient):
    """Generates with ``AutoModelForCausalLM``, in batches padded on the left; loaded at the first uncached prompt.

    Output is not constrained by the schema, which the prompt has to spell out; the tolerant parser does the rest.

    Args:
        model: hub name, or a local folder, which the cache knows by the sha256 of its files.
        temperature: 0 = greedy.
        max_tokens: of a reply.
        seed: of the sampling; another seed is also another cache entry.
        batch_size: prompts generated for at once.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: of the weights, e.g. ``bfloat16``; ``auto`` = as they are stored.
        revision: commit, tag or branch on the hub.
        cache: as for `CachingClient`.
        accounting: as for `CachingClient`.
        progress: as for `CachingClient`.
    """

    def __init__(
        self,
        model: str,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int = 0,
        batch_size: int = 8,
        device: str = "auto",
        dtype: str = "auto",
        revision: str | None = None,
        cache: bool | ByteCache = True,
        accounting: Accounting | None = None,
        progress: bool = True,
    ) -> None:
        if batch_size < 1:
            raise InputError(f"llm={model}: batch_size={batch_size} must be at least 1")
        folder = Path(model).expanduser()
        identity = f"{folder.name}|{folder_digest(folder)}" if folder.is_dir() else f"{model}@{revision or 'main'}"
        self._sampling = sampling(temperature, max_tokens, seed)
        keyed = {**self._sampling, "dtype": dtype}
        super().__init__(f"transformers|{identity}", keyed, cache, accounting, progress)
        self._arguments = (str(folder) if folder.is_dir() else model, revision, dtype, resolve_device(device))
        self._batch_size = batch_size

    def _answer(self, prompts: Sequence[Prompt], schema: Schema | None, logprobs: int) -> Iterator[tuple[int, Reply]]:
        with _LOADING:  # generation seeds torch's global generator: one batch at a time
            tokenizer, model = _load(*self._arguments)
            texts = [_render(tokenizer, prompt) for prompt in prompts]
            lengths = [len(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts]
            room = int(getattr(model.config, "max_position_embeddings", 0) or 0)
            wanted = 1 if logprobs else self._sampling["max_tokens"]
            fitting: list[int] = []
            for place, length in enumerate(lengths):
                if room and length + wanted > room:
                    detail = f"{length} tokens and {wanted} to write exceed the context of {room}"
                    yield place, failed("context_overflow", detail)
                else:
                    fitting.append(place)
            fitting.sort(key=lambda place: (lengths[place], place))  # little padding
            for start in range(0, len(fitting), self._batch_size):
                places = fitting[start : start + self._batch_size]
                replies = self._generate(tokenizer, model, [texts[place] for place in places], logprobs)
                yield from zip(places, replies, strict=True)

    def _generate(self, tokenizer: Any, model: Any, texts: Sequence[str], logprobs: int) -> list[Reply]:
        import torch

        batch = tokenizer(list(texts), return_tensors="pt", padding=True, add_special_tokens=False).to(model.device)
        temperature = self._sampling["temperature"]
        torch.manual_seed(self._sampling["seed"])
        limit = 1 if logprobs else self._sampling["max_tokens"]
        sampled = {"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False}
        with torch.inference_mode():
            out = model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                max_new_tokens=limit,
                pad_token_id=tokenizer.pad_token_id,
                return_dict_in_generate=True,
                output_logits=bool(logprobs),
                **sampled,
            )
        written = out.sequences[:, batch["input_ids"].shape[1] :]
        replies = []
        for row in range(len(texts)):
            ends = (written[row] == tokenizer.eos_token_id).nonzero()
            count = int(ends[0]) if len(ends) else written.shape[1]
            text = tokenizer.decode(written[row, :count], skip_special_tokens=True)
            alternatives = {}
            if logprobs:
                scores = out.logits[0][row].float().log_softmax(-1)
                top = scores.topk(min(logprobs, scores.numel()))
                pairs = zip(top.indices.tolist(), top.values.tolist(), strict=True)
                alternatives = {tokenizer.decode([token]): value for token, value in reversed(list(pairs))}
            replies.append(
                Reply(
                    text,
                    error="" if text.strip() or logprobs else "empty",
                    prompt_tokens=int(batch["attention_mask"][row].sum()),
                    completion_tokens=min(count + 1, written.shape[1]),
                    truncated=not len(ends),
                    logprobs=alternatives,
                )
            )
        return replies


def _render(tokenizer: Any, prompt: Prompt) -> str:
    if tokenizer.chat_template is None:  # a base model: plain text, one blank line between the parts
        return f"{prompt.system}\n\n{prompt.user}\n\n".lstrip()
    return tokenizer.apply_chat_template(prompt.messages(), tokenize=False, add_generation_prompt=True)


@lru_cache(maxsize=2)
def _load(model: str, revision: str | None, dtype: str, device: str) -> tuple[Any, Any]:
    """One loaded model a process: the steps of a write path each have a client of their own."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    weights: Any
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, revision=revision, padding_side="left")
        weights = AutoModelForCausalLM.from_pretrained(model, revision=revision, dtype=dtype)
    except (OSError, ValueError) as error:
        raise InputError(f"llm={model}: cannot be loaded ({' '.join(str(error).split())[:200]})") from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer, weights.to(device).eval()
