from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.report.explain.data import Asked, Node, Ranked, explained
from memorai.report.explain.html import render, safe_json, write_page

PAGE = files("memorai.report.explain").joinpath("page")
NASTY = "</script><script>alert(1)</script><!-- <b>&amp; \u2028 \u2029 \ud800 \x00 阿诚"


def plain(text: str = "Hi", asked: str = "Who?"):
    node = Node("turn", "t1", text, text, ("t1",))
    return explained(Asked("q", asked), "bm25", [node], [Ranked(1, "t1", 1.0, 0, True)])


class Scripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script":
            self.texts.append(data)


@given(st.text())
def test_embedded_json_keeps_every_text_and_closes_nothing(text):
    written = safe_json({"a": text})
    assert json.loads(written) == {"a": text.encode("utf-8", "replace").decode()}
    assert not set("<>&\u2028\u2029") & set(written)


def test_texts_become_no_markup():
    page = render([plain(NASTY, NASTY)])
    parser = Scripts()
    parser.feed(page)
    scripts = [attributes for tag, attributes in parser.tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}, {}, {}, {}]
    assert [tag for tag, _ in parser.tags if tag not in {"html", "head", "meta", "title", "style", "body"}] == [
        *("header", "main", "script", "script", "script", "script", "script"),
    ]
    data = json.loads(parser.texts[0])
    assert data["panels"][0]["nodes"][0]["text"] == NASTY.replace("\ud800", "?")


def test_nothing_is_fetched():
    parser = Scripts()
    parser.feed(render([plain()]))
    assert [attributes for _, attributes in parser.tags if {"src", "href"} & set(attributes)] == []
    policy = next(a["content"] for _, a in parser.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';") and "http" not in policy
    assert "@import" not in PAGE.joinpath("page.css").read_text(encoding="utf-8")


def test_our_scripts_never_write_markup():
    for name in ("walk.js", "draw.js", "page.js"):
        text = PAGE.joinpath(name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)


def test_the_library_is_the_published_one_with_its_licence():
    # dist/cytoscape.min.js of npm's cytoscape 3.35.0
    data = PAGE.joinpath("cytoscape.min.js").read_bytes()
    assert hashlib.sha256(data).hexdigest() == "71fa9ebec21a7ca2c40cff6aacc30d1f6464e363662ad4b2c197e1adc770cd94"
    licence = PAGE.joinpath("cytoscape.LICENSE").read_text(encoding="utf-8")
    assert "The Cytoscape Consortium" in licence and "Permission is hereby granted, free of charge" in licence


def test_a_page_shows_one_question():
    with pytest.raises(InputError, match="no system"):
        render([])
    with pytest.raises(InputError, match="several"):
        render([plain(), plain(asked="Where?")])


def test_the_same_explanation_gives_the_same_file(tmp_path):
    path = write_page(tmp_path / "new" / "a.html", [plain()])
    assert path.read_text(encoding="utf-8") == render([plain()])
