from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.report.html import document, safe_json, write_document
from tests.report.html_tags import Tags

SHARED = files("memorai.report").joinpath("page")
NASTY = "</script><script>alert(1)</script></title><img src=x onerror=alert(1)>'\"&amp; \u2028 \ud800 阿诚"
#: package -> its scripts, in the order in which they run
PAGES = {
    "memorai.report.explain": ("cytoscape.min.js", "walk.js", "draw.js", "page.js"),
    "memorai.report.dashboard": ("sorting.js", "plots.js", "sections.js", "page.js"),
}


@given(st.text())
def test_embedded_json_keeps_every_text_and_closes_nothing(text):
    written = safe_json({"a": text})
    assert json.loads(written) == {"a": text.encode("utf-8", "replace").decode()}
    assert not set("<>&\u2028\u2029") & set(written)


@pytest.mark.parametrize("package", PAGES)
def test_a_page_holds_its_data_and_fetches_nothing(package):
    tags = Tags(document(NASTY, package, PAGES[package], "<main></main>", {"text": NASTY}))
    assert [attributes for _, attributes in tags.found if {"src", "href"} & set(attributes)] == []
    assert tags.names == [
        *("html", "head", "meta", "meta", "meta", "meta", "title", "style", "body", "main"),
        *["script"] * (2 + len(PAGES[package])),
    ]
    assert json.loads(tags.data) == {"text": NASTY.replace("\ud800", "?")}
    policy = next(a["content"] for _, a in tags.found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';") and "http" not in policy


@pytest.mark.parametrize("folder", [SHARED, *(files(package).joinpath("page") for package in PAGES)], ids=str)
def test_our_scripts_write_no_markup_and_our_styles_fetch_nothing(folder):
    ours = [part for part in folder.iterdir() if part.name.endswith((".js", ".css")) and ".min." not in part.name]
    assert ours
    for part in ours:
        text = part.read_text(encoding="utf-8")
        for forbidden in (
            *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"),
            *("fetch(", "XMLHttpRequest", "@import", "url("),
        ):
            assert forbidden not in text, (part.name, forbidden)


def test_a_page_is_written_into_a_new_folder(tmp_path):
    path = write_document(tmp_path / "new" / "a.html", "阿诚 \ud800")
    assert path.read_text(encoding="utf-8") == "阿诚 ?"
