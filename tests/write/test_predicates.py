from __future__ import annotations

import pytest

from memorai.write.predicates import KINDS, asked_kinds, first_person, read_predicate


@pytest.mark.parametrize(
    ("predicate", "kind", "past"),
    [
        ("live in", "lives_in", False),
        ("am living in", "lives_in", False),
        ("moved to", "lives_in", False),
        ("have moved to", "lives_in", False),
        ("used to live in", "lives_in", True),
        ("lived in", "lives_in", True),
        ("have lived in", "lives_in", False),
        ("want to live in", "", False),
        ("work at", "works_at", False),
        ("work with", "", False),
        ("worked for", "works_at", True),
        ("started working at", "works_at", False),
        ("am called", "named", False),
        ("is headquartered in", "headquartered_in", False),
        ("住在", "lives_in", False),
        ("搬到了", "lives_in", False),
        ("在工作", "works_at", False),
        ("总部位于", "headquartered_in", False),
        ("喜欢", "", False),
    ],
)
def test_kinds_and_tense(predicate, kind, past):
    reading = read_predicate(predicate, f"I {predicate} X.")
    assert (reading.kind, reading.past, reading.denied) == (kind, past, False)


@pytest.mark.parametrize("sentence", ["我以前住在广州。", "I formerly live in X."])
def test_words_of_the_past(sentence):
    assert read_predicate("住在" if "住" in sentence else "live in", sentence).past


@pytest.mark.parametrize("sentence", ["I no longer live in X.", "I don't live in X any more.", "我不再住在北京。"])
def test_what_is_denied_has_no_kind(sentence):
    assert read_predicate("live in", sentence) == read_predicate("住在", sentence)
    assert read_predicate("live in", sentence).denied


def test_questions():
    assert asked_kinds("Where do I live?") == ("lives_in",)
    assert asked_kinds("我在哪家公司工作？") == ("works_at",)
    assert asked_kinds("What is the weather?") == ()
    assert set(asked_kinds("Where is the headquarters of the company I work for?")) == {"works_at", "headquartered_in"}
    assert all(kind in KINDS for kind in asked_kinds("live work name married how old headquarters"))
    assert first_person("my cat") and first_person("我的猫") and not first_person("Ann's cat")
