from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models.cache import ByteCache, content_key
from memorai.models.cached_embedder import NAMESPACE, valid_unicode
from memorai.models.transformer import TransformerEmbedder

TEXTS = ["the cat sat on the mat", "dog", "the dog ran", "", "cat cat cat cat cat cat cat"]


def plain(folder: Path, text: str, pooling: str, max_length: int = 256) -> np.ndarray:
    """One text at a time, no padding, no batch: what the embedder must agree with."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    ids = AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
    if len(ids) > max_length:
        ids = ids[: max_length - 1] + ids[-1:]
    with torch.no_grad():
        states = model(torch.tensor([ids])).last_hidden_state[0].double().numpy()
    vector = states[0] if pooling == "cls" else states.mean(axis=0)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_agrees_with_a_plain_computation(tiny_model: Path, pooling: str) -> None:
    embedder = TransformerEmbedder(str(tiny_model), pooling=pooling, device="cpu", cache=False)
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32 and rows.shape == (5, 16) and embedder.dim == 16
    np.testing.assert_allclose(rows, [plain(tiny_model, text, pooling) for text in TEXTS], atol=1e-5)


def test_prefixes_reach_the_model(tiny_model: Path) -> None:
    embedder = TransformerEmbedder(
        str(tiny_model), query_prefix="query: ", document_prefix="dog: ", device="cpu", cache=False
    )
    np.testing.assert_allclose(
        embedder.embed(["cat"], kind="query")[0], plain(tiny_model, "query: cat", "mean"), atol=1e-5
    )
    np.testing.assert_allclose(embedder.embed(["cat"])[0], plain(tiny_model, "dog: cat", "mean"), atol=1e-5)


def test_long_texts_are_cut_at_max_length_and_at_the_model_s_positions(tiny_model: Path) -> None:
    text = "the cat sat on the mat " * 20
    for max_length, effective in [(6, 6), (512, 24)]:
        row = TransformerEmbedder(str(tiny_model), max_length=max_length, device="cpu", cache=False).embed([text])[0]
        np.testing.assert_allclose(row, plain(tiny_model, text, "mean", effective), atol=1e-5)


def test_a_vector_does_not_depend_on_its_batch(tiny_model: Path) -> None:
    texts = [f"the {'cat ' * (i % 17)}{'dog ' * (i % 5)}" for i in range(100)]
    together = TransformerEmbedder(str(tiny_model), device="cpu", cache=False).embed(texts)
    alone = TransformerEmbedder(str(tiny_model), batch_size=1, device="cpu", cache=False).embed(texts)
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_cached_vectors_come_back_bit_for_bit_in_any_company(tiny_model: Path, tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    first = TransformerEmbedder(str(tiny_model), device="cpu", cache=cache).embed(TEXTS)
    again = TransformerEmbedder(str(tiny_model), device="cpu", cache=cache).embed(["mat", *reversed(TEXTS), "dog"])
    np.testing.assert_array_equal(again[1:6], first[::-1])
    np.testing.assert_array_equal(again[6], first[1])


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\0" * 63,
        b"\0" * 64,
        np.full(16, np.nan, "<f4").tobytes(),
        np.full(16, np.inf, "<f4").tobytes(),
        np.full(15, 0.25, "<f4").tobytes(),  # cut off: 15/16 of unit length
        np.eye(1, 15, dtype="<f4").tobytes(),  # a unit vector, but shorter than the others
        np.eye(1, 17, dtype="<f4").tobytes(),
        "text",
        7,
    ],
)
def test_a_damaged_row_is_computed_anew_and_mended(tiny_model: Path, tmp_path: Path, value: object) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    rows = TransformerEmbedder(str(tiny_model), device="cpu", cache=cache).embed(TEXTS)
    embedder = TransformerEmbedder(str(tiny_model), device="cpu", cache=cache)
    key = content_key(embedder._vector_id, TEXTS[1])
    cache.put_many(NAMESPACE, {key: value})
    np.testing.assert_allclose(embedder.embed(TEXTS), rows, atol=1e-6)
    assert np.frombuffer(cache.get_many(NAMESPACE, [key])[key], "<f4").shape == (16,)


def test_a_row_of_another_length_among_new_texts(tiny_model: Path, tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    embedder = TransformerEmbedder(str(tiny_model), device="cpu", cache=cache)
    assert embedder.dim == 16
    cache.put_many(NAMESPACE, {content_key(embedder._vector_id, "dog"): np.eye(1, 15, dtype="<f4").tobytes()})
    fresh = TransformerEmbedder(str(tiny_model), device="cpu", cache=False).embed(["dog", "cat"])
    np.testing.assert_allclose(embedder.embed(["dog"]), fresh[:1], atol=1e-6)  # the length is known
    cache.put_many(NAMESPACE, {content_key(embedder._vector_id, "dog"): np.eye(1, 15, dtype="<f4").tobytes()})
    other = TransformerEmbedder(str(tiny_model), device="cpu", cache=cache)
    np.testing.assert_allclose(other.embed(["dog", "cat"]), fresh, atol=1e-6)  # "cat" tells it


def test_duplicates_are_encoded_once(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = TransformerEmbedder(str(tiny_model), device="cpu", cache=False)
    encoder = embedder._loaded()
    seen: list[str] = []
    encode = encoder.encode
    monkeypatch.setattr(encoder, "encode", lambda texts, progress: seen.extend(texts) or encode(texts, progress))
    rows = embedder.embed(["dog", "cat", "dog", "dog"])
    assert seen == ["dog", "cat"]
    np.testing.assert_array_equal(rows[[2, 3]], rows[[0, 0]])


def test_a_warm_cache_imports_neither_torch_nor_transformers(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    embedder = TransformerEmbedder(str(tiny_model), device="cpu", cache=ByteCache(path))
    rows = embedder.embed(["the cat", "dog"])
    assert embedder.dim == 16  # asked of the model now, so that it lies in the cache
    code = (
        "import sys; from memorai.models.cache import ByteCache;"
        "from memorai.models.embedders import TransformerEmbedder;"
        f"e = TransformerEmbedder({str(tiny_model)!r}, cache=ByteCache({str(path)!r}));"
        "print(e.dim, e.embed(['the cat', 'dog']).tobytes().hex());"
        "print(*{'torch', 'transformers', 'tokenizers'}.intersection(sys.modules))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == f"16 {rows.tobytes().hex()}\n\n"


def test_each_part_of_the_key_varies_the_vector_s_identity(tiny_model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(tiny_model, other)
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    variants = [
        TransformerEmbedder(str(tiny_model)),
        TransformerEmbedder(str(other)),
        TransformerEmbedder(str(tiny_model), pooling="cls"),
        TransformerEmbedder(str(tiny_model), max_length=12),
        TransformerEmbedder(str(tiny_model), query_prefix="query: "),
        TransformerEmbedder(str(tiny_model), document_prefix="query: "),
        TransformerEmbedder("org/name"),
        TransformerEmbedder("org/other"),
        TransformerEmbedder("org/name", revision="abc"),
    ]
    assert len({embedder.model_id for embedder in variants}) == len(variants)
    assert not any(str(tmp_path) in embedder.model_id for embedder in variants)


def test_another_model_s_vectors_are_not_served(tiny_model: Path, tmp_path: Path) -> None:
    cache = ByteCache(tmp_path / "c.sqlite")
    options = [{}, {"pooling": "cls"}, {"max_length": 4}, {"document_prefix": "query: "}]
    rows = [TransformerEmbedder(str(tiny_model), device="cpu", cache=cache, **o).embed([TEXTS[0]])[0] for o in options]
    fresh = [TransformerEmbedder(str(tiny_model), device="cpu", cache=False, **o).embed([TEXTS[0]])[0] for o in options]
    np.testing.assert_array_equal(rows, fresh)
    assert min(np.abs(rows[i] - rows[j]).max() for i in range(4) for j in range(i)) > 1e-3


def test_the_same_model_in_another_folder_is_the_same_model(tiny_model: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_model, tmp_path / "moved")
    assert TransformerEmbedder(str(tmp_path / "moved")).model_id == TransformerEmbedder(str(tiny_model)).model_id


def test_lone_surrogates_and_no_texts(tiny_model: Path) -> None:
    embedder = TransformerEmbedder(str(tiny_model), device="cpu", cache=False)
    np.testing.assert_array_equal(embedder.embed(["cat \ud83d"]), embedder.embed(["cat �"]))
    assert embedder.embed([]).shape == (0, 16)
    assert valid_unicode("\ud83d\ude00 é") == "😀 é"


def test_many_texts_show_a_bar_on_stderr_only(tiny_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    embedder = TransformerEmbedder(str(tiny_model), device="cpu", cache=False)
    embedder.embed(["cat"])
    capsys.readouterr()
    embedder.embed([f"cat {i}" for i in range(500)])
    assert capsys.readouterr() == ("", "")
    embedder.embed([f"cat {i}" for i in range(501)])
    shown = capsys.readouterr()
    assert shown.out == "" and "501/501" in shown.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "./no-such-folder"}, "no such folder"),
        ({"model": "org/name", "pooling": "max"}, "use mean or cls"),
        ({"model": "org/name", "max_length": 2}, "max_length"),
        ({"model": "org/name", "batch_size": 0}, "batch_size"),
        ({"model": "org/name", "max_length": "abc"}, "max_length=abc, batch_size=64; give whole numbers"),
        ({"model": "org/name", "batch_size": 1.5}, "batch_size=1.5; give whole numbers"),
        ({"model": None}, "model=None; give a model folder or a hub name"),
        ({"model": "~no-such-user/model"}, "no such folder .*; give a model folder"),
        ({"model": "x" * 5000}, "no such folder .*; give a model folder"),
        ({"model": "org/name", "languages": "en"}, r"languages='en'; give a list of codes, as in \[en\]"),
        ({"model": "org/name", "languages": [5]}, r"languages=\[5\]; give a list"),
        ({"model": "org/name", "languages": 5}, "languages=5; give a list"),
    ],
)
def test_bad_values_are_told_at_once(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TransformerEmbedder(**options)


def test_a_folder_without_a_model(tmp_path: Path, tiny_model: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json"):
        TransformerEmbedder(str(tmp_path))
    with pytest.raises(InputError, match="revision=abc is for hub models"):
        TransformerEmbedder(str(tiny_model), revision="abc")
    broken = tmp_path / "broken"
    shutil.copytree(tiny_model, broken)
    (broken / "model.safetensors").unlink()
    with pytest.raises(InputError, match="cannot be loaded"):
        TransformerEmbedder(str(broken), cache=False).embed(["cat"])
