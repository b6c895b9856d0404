import logging
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Extraction, Mention, RelationMention, Segment
from memorai.write.lexical import LexicalExtractor
from memorai.write.resolve import EntityResolver, folded
from tests.toys import TableEmbedder


def resolve(*names, speakers=("Ann",), **options):
    """(source, target) of the decisions on entities that are named so, one a turn; a name repeats to count more."""
    options = {"similar": False} | options
    turns = [Turn(str(i), "s", speakers[i % len(speakers)], name) for i, name in enumerate(names)]
    mentions = tuple(Mention(name, name, turn.id) for name, turn in zip(names, turns, strict=True))
    found = EntityResolver(**options).resolve(Extraction(mentions), turns)
    return [(d.reason, d.source, d.target) for d in found.decisions]


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (("e-mail", "email"), True),
        (("Ｒｏｍｅ", "rome"), True),
        (("U.K.", "UK"), True),
        (("New York", "Newyork"), True),
        (("苹果", "香蕉"), False),
        (("résumé", "resume"), False),
        (("版本1.5", "版本15"), False),
        (("C++", "C#"), False),
        (("猫", "狗"), False),
        (("...", "---"), False),
    ],
)
def test_form(names, same):
    assert resolve(*names) == ([("form", names[1], names[0])] if same else [])


def test_the_most_frequent_form_stays():
    assert resolve("email", "e-mail", "e-mail") == [("form", "email", "e-mail")]


def test_aliases_by_table_and_by_speaker():
    assert resolve("the Big Apple", "New York", aliases={"The big apple": "new york"}) == [
        ("alias", "the Big Apple", "New York")
    ]
    assert resolve("NYC", aliases={"NYC": "New York"}) == [("alias", "NYC", "new york")]
    speakers = ("Melanie Lee", "Robert")
    assert resolve("Mel", "Bob", "mel", "Zed", speakers=speakers) == [
        ("form", "mel", "Mel"),
        ("alias", "Mel", "melanie lee"),
        ("alias", "Bob", "robert"),
    ]
    assert resolve("Mel", "tea", speakers=("Melanie", "Melissa")) == []
    assert resolve("Mel", speakers=("Melanie",), nicknames=False) == []
    assert resolve("Daniel", speakers=("Daniela",)) == []  # one letter less is another name


def test_a_speaker_keeps_the_key():
    assert resolve("Mel", "melanie", "Mel", speakers=("Melanie",)) == [("alias", "Mel", "melanie")]


@pytest.mark.parametrize(
    ("rare", "common", "same"),
    [
        ("Yelowstone", "Yellowstone", True),
        ("Yelowstonne", "Yellowstone", True),  # two edits of eleven letters
        ("Barcleona", "Barcelona", True),  # a swap is one edit
        ("Daniela", "Daniel", False),
        ("Christina", "Christine", False),
        ("Maria", "Marla", False),  # short
        ("contest", "context", False),  # no name
        ("Windows 10", "Windows 11", False),
        ("Москва", "Мосвка", False),
        ("苹果手机壳子", "苹果手机盒子", False),
    ],
)
def test_near_duplicates(rare, common, same):
    pytest.importorskip("rapidfuzz", reason="needs the extra `resolve`")
    names = (rare, *[common] * 3)
    assert resolve(*names, similar=True) == ([("similar", rare, common)] if same else [])
    assert resolve(rare, common, common, similar=True) == []  # too few to tell which is right
    assert resolve(*names, similar=True, speakers=(common,)) == []


def test_embeddings_come_last_and_know_their_languages():
    table = {"pup": (1.0, 0.1), "puppy": (1.0, 0.0), "tea": (0.0, 1.0), "苹果": (1.0, 0.0), "香蕉": (1.0, 0.0)}
    names = ("pup", "puppy", "puppy", "tea", "苹果", "香蕉", "Pups")
    assert resolve(*names, embedding=0.9, embedder=TableEmbedder(table)) == [("embedding", "pup", "puppy")]
    with pytest.raises(InputError, match="needs an embedder"):
        resolve("a", embedding=0.9)
    with pytest.raises(InputError, match="embedding=2"):
        EntityResolver(embedding=2.0, similar=False)


TALK = (
    Turn("1", "s", "Ann", "My sister moved to Oslo."),
    Turn("2", "s", "Bob", "My sister lives in Rome."),
    Turn("3", "s", "Ann", "I sent Bob an e-mail. I got an email."),
)


def test_sisters_of_two_speakers_stay_apart_with_their_relations():
    found = LexicalExtractor().extract([Segment("s", TALK)], "en")
    resolver = EntityResolver(similar=False)
    resolution = resolver.resolve(found, TALK)
    stated = {(r.source, r.text, r.target) for r in resolution.extraction.relations}
    assert {
        ("sister of ann", "moved to", "oslo"),
        ("sister of bob", "lives in", "rome"),
        ("ann", "has", "sister of ann"),
    } <= stated
    assert [(d.reason, d.source) for d in resolution.decisions] == [
        ("split", "sister"),
        ("split", "sister"),
        ("form", "email"),
    ]
    assert resolver(found, TALK) == resolution.extraction
    assert resolution.undo().extraction == found


def test_decisions_are_logged(caplog):
    with caplog.at_level(logging.DEBUG, logger="memorai.write.resolve"):
        resolve("email", "e-mail")
    assert "'form'" in caplog.text and "'e-mail'" in caplog.text


NAMES = st.sampled_from(
    ["Mel", "Melanie", "sister", "Emma", "苹果", "香蕉", "Yellowstone", "Yelowstone", "1.5", "-", "e-mail"]
)
TEXTS = st.sampled_from(["My sister Emma", "my boss Emma", "your sister", "Ann's sister", "我妹妹", "Hi", ""])


@given(st.lists(st.tuples(st.sampled_from(["Ann", "Melanie", ""]), TEXTS, st.lists(NAMES, min_size=1)), max_size=6))
def test_every_turn_keeps_its_mentions_relations_have_ends_and_undo_is_exact(rows):
    turns = [Turn(str(i), "s", who, text) for i, (who, text, _) in enumerate(rows)]
    mentions = tuple(
        Mention(folded(n) or n, n, str(i)) for i, (_, _, names) in enumerate(rows) for n in dict.fromkeys(names)
    )
    relations = tuple(
        RelationMention(folded(a) or a, "to", folded(b) or b, (str(i),))
        for i, (_, _, names) in enumerate(rows)
        for a, b in pairwise(names)
    )
    found = Extraction(mentions, relations)
    resolution = EntityResolver(similar=False).resolve(found, turns)
    done = resolution.extraction
    assert {m.turn_id for m in done.mentions} == {m.turn_id for m in mentions}
    held = {(m.key, m.turn_id) for m in done.mentions}
    assert len(held) == len(done.mentions)
    assert all((end, t) in held for r in done.relations for t in r.turn_ids for end in (r.source, r.target))
    assert resolution.undo().decisions == ()
