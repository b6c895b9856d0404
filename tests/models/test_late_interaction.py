from __future__ import annotations

import numpy as np
import pytest

from memorai.errors import InputError
from memorai.models.late_interaction import OnnxTokenEncoder
from tests.tiny_onnx import WORDS, quantised, table, write_encoder

OPTIONS = {"query_marker": "query", "document_marker": "mat"}


def test_every_token_has_its_unit_state_and_a_marker_leads(tmp_path):
    pytest.importorskip("onnxruntime")
    encoder = OnnxTokenEncoder(write_encoder(tmp_path), "tiny", languages=["en"], **OPTIONS)
    for kind, marker in OPTIONS.items():
        cat, both = encoder.encode(["cat", "dog sat"], kind.split("_")[0])
        assert cat.ids.tolist() == [WORDS.index(word) for word in ("[CLS]", marker, "cat", "[SEP]")]
        states = quantised(table(8)[both.ids])
        expected = states / np.linalg.norm(states, axis=1, keepdims=True)
        np.testing.assert_allclose(both.vectors, expected, atol=1e-3)
        assert both.vectors.dtype == np.float16
    assert encoder.encode([]) == [] and encoder.languages == ("en",)


def test_what_cannot_be(tmp_path):
    pytest.importorskip("onnxruntime")
    folder = write_encoder(tmp_path)
    with pytest.raises(InputError, match=r"the vocabulary has no \[unused0\]"):
        OnnxTokenEncoder(folder, "tiny").encode(["cat"])
    with pytest.raises(InputError, match="max_length=1"):
        OnnxTokenEncoder(folder, "tiny", max_length=1)
    with pytest.raises(InputError, match="token encoder"):
        OnnxTokenEncoder(tmp_path / "none", "tiny")
    ids = {OnnxTokenEncoder(folder, "a", **o).model_id for o in ({}, OPTIONS, {"max_length": 9})}
    assert len(ids) == 3
