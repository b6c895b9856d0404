"""ONNX graphs of a few nodes, written by hand so that the tests need onnxruntime but not the onnx package.

The encoding is protobuf's (tag = field number * 8 + wire type); field numbers are those of onnx.proto3.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "sat", "ran", "mat", "query", ":", "�"]
_FLOAT, _INT64 = 1, 7
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def table(width: int) -> np.ndarray:
    """The words' vectors: float32 [12, width]."""
    return np.random.default_rng(0).normal(size=(len(WORDS), width)).astype(np.float32)


def write_encoder(folder: Path, width: int = 8) -> Path:
    """A model whose states are its words' vectors after dynamic quantisation, whose scale is the whole batch's."""
    nodes = [
        _node("Gather", ["table", "input_ids"], ["rows"]),
        _node("DynamicQuantizeLinear", ["rows"], ["quantised", "scale", "zero"]),
        _node("DequantizeLinear", ["quantised", "scale", "zero"], ["last_hidden_state"]),
    ]
    return _write(folder, nodes, table(width), ("last_hidden_state", ["batch", "length", width]))


def write_cross_encoder(folder: Path, width: int = 1) -> Path:
    """A model whose logit is the sum of its document's (second segment's) words' values."""
    nodes = [
        _node("Gather", ["table", "input_ids"], ["rows"]),
        _node("Cast", ["token_type_ids"], ["segment"], _attribute("to", _FLOAT)),
        _node("Unsqueeze", ["segment"], ["segment3"], _attribute("axes", [2])),
        _node("Mul", ["rows", "segment3"], ["document"]),
        _node("ReduceSum", ["document"], ["logits"], _attribute("axes", [1]), _attribute("keepdims", 0)),
    ]
    return _write(folder, nodes, table(width), ("logits", ["batch", width]))


def _write(folder: Path, nodes: Sequence[bytes], values: np.ndarray, output: tuple[str, Sequence[str | int]]) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    initializer = b"".join(_field(1, n) for n in values.shape) + _field(2, _FLOAT) + _field(8, "table")
    initializer += _field(9, values.astype("<f4").tobytes())
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "tiny") + _field(5, initializer)
    graph += b"".join(_field(11, _value(name, _INT64, ["batch", "length"])) for name in _INPUTS)
    graph += _field(12, _value(output[0], _FLOAT, output[1]))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_field(1, 7) + _field(8, _field(2, 12)) + _field(7, graph))
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    pair = "[CLS] $A [SEP] $B:1 [SEP]:1"
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", pair, special)
    tokenizer.enable_padding(length=16)  # as some published files have it; padding must not count
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], *attributes: bytes) -> bytes:
    ends = b"".join([*(_field(1, name) for name in inputs), *(_field(2, name) for name in outputs)])
    return ends + _field(4, kind) + b"".join(_field(5, attribute) for attribute in attributes)


def _attribute(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + b"".join(_field(8, entry) for entry in value) + _field(20, 7)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    dims = b"".join(_field(1, _field(2, d) if isinstance(d, str) else _field(1, d)) for d in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode("utf-8") if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def quantised(states: np.ndarray) -> np.ndarray:
    """What DynamicQuantizeLinear and DequantizeLinear make of one text's states, by the operators' definition."""
    low, high = min(0.0, float(states.min())), max(0.0, float(states.max()))
    scale = np.float32((high - low) / 255)
    zero = np.clip(np.rint(-np.float32(low) / scale), 0, 255)
    return ((np.clip(np.rint(states / scale) + zero, 0, 255) - zero) * scale).astype(np.float32)


def logits(documents: Sequence[str]) -> np.ndarray:
    """What the cross-encoder gives documents of known words, each closed by [SEP]."""
    value = dict(zip(WORDS, table(1)[:, 0], strict=True))
    return np.array([sum(value[word] for word in [*document.split(), "[SEP]"]) for document in documents], np.float32)
