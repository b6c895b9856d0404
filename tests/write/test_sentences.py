import pytest

from memorai.types import Turn
from memorai.write.sentences import split_sentences, tokenize, turn_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Dr. Smith at 3.5 km. Really?", [("I met Dr. Smith at 3.5 km.", False), ("Really?", True)]),
        ("你好！你喜欢猫吗？喜欢。", [("你好！", False), ("你喜欢猫吗？", True), ("喜欢。", False)]),
        ("one\ntwo", [("one", False), ("two", False)]),
        ("Wait... what?!", [("Wait...", False), ("what?!", True)]),
        ("😀 !!! \x00", []),
        ("", []),
    ],
)
def test_split(text, expected):
    assert [(s.text, s.question) for s in split_sentences(text)] == expected


def test_caption_is_text_without_its_opening():
    turn = Turn("1", "s", "Ann", "Look.", caption="a photo of a red kite")
    assert [s.text for s in turn_sentences(turn)] == ["Look.", "a red kite"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mel's dog isn't here", ["Mel", "'s", "dog", "isn't", "here"]),
        ("I’ve a 2nd t-shirt", ["I", "’ve", "a", "2nd", "t-shirt"]),
        ('I read "Charlotte\'s Web," twice', ["I", "read", "Charlotte's Web", "twice"]),
        ('she said "be nice"', ["she", "said", '"', "be", "nice", '"']),
        ("看《三体》和iPhone", ["看", "三体", "和", "iPhone"]),
    ],
)
def test_tokenize(text, expected):
    assert [token.text for token in tokenize(text)] == expected


def test_composed_and_decomposed_accents_are_one_word():
    assert [t.lower for t in tokenize("Cafe\u0301")] == [t.lower for t in tokenize("Caf\u00e9")]
