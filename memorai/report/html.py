"""Self-contained HTML: one file that holds its data, style and scripts, fetches nothing and runs nothing it was told.

What a page shows comes from conversations, configurations and names that anybody may have written. It travels as JSON
in which no character can close the element around it, and the scripts make text of it, never markup. A policy in the
page forbids every request besides.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

#: nothing is fetched, whatever a text may contain
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_SHARED = "memorai.report"


def document(title: str, package: str, scripts: Sequence[str], body: str, data: Any) -> str:
    """Return a page around data: the shared style and helpers of ``report/page``, then a package's own.

    Args:
        title: of the window, any text.
        package: whose folder ``page`` holds ``page.css`` and the scripts.
        scripts: file names there, in the order in which they run; they find the data in the element ``data``.
        body: markup of ours that the scripts fill.
        data: anything that JSON knows.
    """
    shared, own = (files(name).joinpath("page") for name in (_SHARED, package))
    style = "\n".join(
        part.read_text(encoding="utf-8") for part in (shared.joinpath("base.css"), own.joinpath("page.css"))
    )
    texts = [part.read_text(encoding="utf-8") for part in (shared.joinpath("make.js"), *map(own.joinpath, scripts))]
    for text in texts:
        assert "</script" not in text.lower()
    run = "\n".join(f"<script>{text}</script>" for text in texts)
    return (
        '<!DOCTYPE html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{safe_json(data)}</script>\n{run}\n</body>\n</html>\n'
    )


def write_document(path: str | Path, text: str) -> Path:
    """Write a page as UTF-8, in a folder that is made if need be, and return its path.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", errors="replace")
    return target


def safe_json(value: Any) -> str:
    """Return JSON that can stand inside a script element safely; a lone surrogate becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.encode("utf-8", "replace").decode("utf-8") if _has_surrogates(text) else text
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
