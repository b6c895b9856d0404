import pytest

from memorai.write.chunks import Chunker
from memorai.write.names import PhraseKeys, SpeakerAliases, TrueCase
from memorai.write.sentences import tokenize
from memorai.write.tagging_en import tag_english


def spans(text, max_words=4):
    tokens = tokenize(text)
    tag_english(tokens, TrueCase([tokens, tokenize("with Mel, LGBTQ, Yellowstone")]))
    return [s.name for s in Chunker(PhraseKeys(), SpeakerAliases(["Melanie", "Bob"]), max_words).spans(tokens)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to a LGBTQ support group", ["LGBTQ support group", "LGBTQ"]),
        ("my new Puppy chewed the old shoes", ["Puppy", "shoes"]),
        ("we saw Yellowstone National Park", ["Yellowstone National Park"]),
        ("I read the Lord of the Rings", ["Lord of the Rings"]),
        ('they played "Finding Freedom" outside', ["Finding Freedom"]),
        ("Wow, thanks Mel!", ["Mel"]),
        ("see you on Monday in May at 10", []),
    ],
)
def test_spans(text, expected):
    assert spans(text) == expected


def test_a_long_phrase_keeps_its_head():
    assert spans("the summer beach cleanup charity race", max_words=2) == ["charity race"]
