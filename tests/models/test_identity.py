from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from memorai.errors import InputError
from memorai.models.identity import file_digest, folder_digest


def model_folder(path: Path, **files: str) -> Path:
    path.mkdir()
    for name, content in {"config.json": "{}", "model.safetensors": "weights", **files}.items():
        (path / name).write_text(content, encoding="utf-8")
    return path


def test_file_digest_follows_the_contents(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one")
    assert file_digest(path) == hashlib.sha256(b"one").hexdigest()
    path.write_bytes(b"other")
    assert file_digest(path) == hashlib.sha256(b"other").hexdigest()


def test_folder_digest_sees_configuration_vocabulary_and_weights_only(tmp_path: Path) -> None:
    base = folder_digest(model_folder(tmp_path / "base"))
    assert folder_digest(model_folder(tmp_path / "same")) == base
    assert folder_digest(model_folder(tmp_path / "readme", **{"README.md": "x"})) == base
    changes = [
        {"config.json": "{ }"},
        {"model.safetensors": "weightz"},
        {"tokenizer.json": "{}"},
        {"vocab.txt": "a"},
    ]
    digests = [folder_digest(model_folder(tmp_path / str(i), **change)) for i, change in enumerate(changes)]
    assert len({base, *digests}) == 5


def test_no_model_in_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json"):
        folder_digest(tmp_path)
