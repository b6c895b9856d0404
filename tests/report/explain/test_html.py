from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import pytest

from memorai.errors import InputError
from memorai.report.explain.data import Asked, Node, Ranked, explained
from memorai.report.explain.html import render, write_page
from tests.report.html_tags import Tags

PAGE = files("memorai.report.explain").joinpath("page")
NASTY = "</script><script>alert(1)</script><!-- <b>&amp; \u2028 \u2029 \ud800 \x00 阿诚"


def plain(text: str = "Hi", asked: str = "Who?"):
    node = Node("turn", "t1", text, text, ("t1",))
    return explained(Asked("q", asked), "bm25", [node], [Ranked(1, "t1", 1.0, 0, True)])


def test_texts_become_no_markup():
    page = render([plain(NASTY, NASTY)])
    tags = Tags(page)
    assert [attributes for tag, attributes in tags.found if tag == "script"] == [
        {"type": "application/json", "id": "data"},
        {},
        {},
        {},
        {},
        {},
    ]
    assert [tag for tag in tags.names if tag not in {"html", "head", "meta", "title", "style", "body"}] == [
        *("header", "main"),
        *["script"] * 6,
    ]
    data = json.loads(tags.data)
    assert data["panels"][0]["nodes"][0]["text"] == NASTY.replace("\ud800", "?")


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
