from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memorai.errors import InputError
from memorai.models.llm import Accounting, Prompt
from memorai.models.llm_transformers import TransformersClient

WORDS = [
    *("[PAD]", "[UNK]", "[EOS]", "the", "cat", "sat", "on", "mat", "dog", "ran", "yes", "no", ":"),
    *("system", "user", "assistant"),
]


@pytest.fixture(scope="module")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A two-layer Llama with random weights and a vocabulary of sixteen words, saved as a model folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-llama")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=48,
        initializer_range=0.5,  # so that padding mistakes show in the output
        eos_token_id=2,
        bos_token_id=None,
        pad_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", eos_token="[EOS]", unk_token="[UNK]")
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m.role }} : {{ m.content }} {% endfor %}"
        "{% if add_generation_prompt %}assistant :{% endif %}"
    )
    tokenizer.save_pretrained(folder)
    return folder


def client(folder: Path, **options: Any) -> TransformersClient:
    options = {"max_tokens": 6, "device": "cpu", "cache": False, "accounting": Accounting(), **options}
    return TransformersClient(str(folder), **options)


PROMPTS = [Prompt("", "the cat"), Prompt("the dog ran", "on the mat the cat sat on the mat"), Prompt("", "dog")]


def greedy(folder: Path, prompt: Prompt, steps: int) -> list[str]:
    """Plain reference: one prompt, no padding, no cache, the likeliest word each time."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    system = f"system : {prompt.system} " if prompt.system else ""
    ids = tokenizer(f"{system}user : {prompt.user} assistant :")["input_ids"]
    start = len(ids)
    while len(ids) < start + steps:
        with torch.inference_mode():
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == tokenizer.eos_token_id:
            break
    return [WORDS[i] for i in ids[start:]]


@pytest.mark.parametrize("batch_size", [1, 3])
def test_replies_are_greedy_whatever_the_batch(tiny_llama: Path, batch_size: int) -> None:
    replies = client(tiny_llama, batch_size=batch_size).complete(PROMPTS)
    expected = [[word for word in greedy(tiny_llama, prompt, 6) if word[0] != "["] for prompt in PROMPTS]
    assert [reply.text.split() for reply in replies] == expected and any(expected)
    assert [reply.prompt_tokens for reply in replies] == [6, 18, 5]


def test_a_prompt_beyond_the_context_costs_itself_alone(tiny_llama: Path) -> None:
    long, short = client(tiny_llama).complete([Prompt("", "cat " * 60), PROMPTS[0]])
    assert long.error == "context_overflow" and "64 tokens" in long.detail
    assert short.error == ""


def test_alternatives_of_the_first_token(tiny_llama: Path) -> None:
    import math

    reply = client(tiny_llama).complete(PROMPTS[:1], logprobs=len(WORDS))[0]
    assert sum(math.exp(value) for value in reply.logprobs.values()) == pytest.approx(1.0, abs=1e-3)
    assert max(reply.logprobs, key=lambda word: reply.logprobs[word]) == greedy(tiny_llama, PROMPTS[0], 1)[0]


def test_a_seed_repeats_its_sample(tiny_llama: Path) -> None:
    def sample(seed: int) -> str:
        return client(tiny_llama, temperature=2.0, seed=seed, max_tokens=20).complete(PROMPTS[:1])[0].text

    assert sample(1) == sample(1)
    assert len({sample(seed) for seed in range(5)}) > 1


def test_the_cache_knows_a_folder_by_its_files(tiny_llama: Path) -> None:
    assert client(tiny_llama).model_id.startswith("transformers|tiny-llama")
    assert str(tiny_llama.parent) not in client(tiny_llama).model_id
    assert TransformersClient("org/m", revision="abc", cache=False).model_id == "transformers|org/m@abc"


def test_what_cannot_be_loaded_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be loaded"):
        client(tmp_path).complete(PROMPTS)
    with pytest.raises(InputError, match="batch_size"):
        client(tmp_path, batch_size=0)
