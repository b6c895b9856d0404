"""Any transformers encoder as an embedder, with its vectors cached on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.cached_embedder import CachedEmbedder, TextEncoder, is_whole
from memorai.models.identity import folder_digest


class TransformerEmbedder(CachedEmbedder):
    """Embeds with a transformers encoder; vectors are cached by everything that shapes them.

    A vector depends on its own text alone, up to rounding, and a cached one comes back bit for bit. Device, batch size
    and library versions shift results by rounding only and are no part of the key. A hub model without ``revision``
    is keyed as ``main``: pin a revision where the model may still change.

    Args:
        model: hub name or local folder. A folder is keyed by the sha256 of its files.
        pooling: ``mean`` over tokens or ``cls``.
        query_prefix: put before each query.
        document_prefix: put before each document.
        max_length: tokens kept of a text, prefix and special tokens included.
        batch_size: texts in a batch at most.
        device: ``auto``, ``cpu`` or ``cuda``.
        revision: commit, tag or branch on the hub; not for a local folder.
        cache: True for the default `ByteCache`, False for none, or one of your own.
        name: how tables call it. Default: the hub name or the folder's name.
        languages: codes that it was trained on; None = no language in particular.

    Raises:
        InputError: a value is out of its range, or the folder is no model folder.
    """

    def __init__(
        self,
        model: str,
        pooling: Literal["mean", "cls"] = "mean",
        query_prefix: str = "",
        document_prefix: str = "",
        max_length: int = 256,
        batch_size: int = 64,
        device: str = "auto",
        revision: str | None = None,
        cache: bool | ByteCache = True,
        name: str | None = None,
        languages: Sequence[str] | None = None,
    ) -> None:
        source = ModelSource(model, revision, "embedder")
        if pooling not in ("mean", "cls"):
            raise InputError(f"embedder '{model}': pooling={pooling}; use mean or cls")
        if not is_whole(max_length, 3) or not is_whole(batch_size, 1):
            given = f"max_length={max_length}, batch_size={batch_size}"
            raise InputError(f"embedder '{model}': {given}; give whole numbers, at least 3 and at least 1")

        def load() -> TextEncoder:
            # torch and transformers take seconds to import: only when a text must be encoded
            from memorai.models.encoder import Encoder

            return Encoder(source.place, revision, pooling, max_length, batch_size, device)

        vector_id = f"{source.identity}|{pooling}|{max_length}"
        super().__init__(name or source.name, vector_id, load, query_prefix, document_prefix, cache, languages)


class ModelSource:
    """Where a transformers model comes from: a local folder or the hub.

    Args:
        model: hub name or local folder.
        revision: commit, tag or branch on the hub; not for a local folder.
        role: what messages call it, e.g. ``embedder``.

    Raises:
        InputError: no such folder, no model folder, or a revision of a folder.
    """

    def __init__(self, model: str, revision: str | None, role: str) -> None:
        if not isinstance(model, str) or not model.strip():
            raise InputError(f"{role}: model={model!r}; give a model folder or a hub name")
        try:
            folder = Path(model).expanduser()
            local = folder.is_dir()
        except (OSError, RuntimeError) as error:  # a path too long or not to be entered; ~name of no user
            raise InputError(f"{role} '{model}': no such folder ({error}); give a model folder or a hub name") from None
        if not local and (folder.is_absolute() or model.startswith((".", "~"))):
            raise InputError(f"{role} '{model}': no such folder; give a model folder or a hub name")
        if local and revision is not None:
            raise InputError(f"{role} '{model}': revision={revision} is for hub models, this is a folder")
        #: how tables call it: the hub name or the folder's name
        self.name = folder.resolve().name if local else model
        #: for cache keys; no path of this machine
        self.identity = folder_digest(folder) if local else f"{model}@{revision or 'main'}"
        #: what transformers loads from
        self.place = str(folder) if local else model
