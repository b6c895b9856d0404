import pytest

from memorai.write.names import PhraseKeys, SpeakerAliases, TrueCase, name_key
from memorai.write.sentences import tokenize


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Melanie", "MELANIE", True),
        ("Mel's", "mel", True),
        ("Rene\u0301", "Ren\u00e9", True),
        ("Ren\u00e9", "Rene", False),
        ("苹果", "香蕉", False),
        ("Ａnn  Lee", "ann lee", True),
        ("James", "Jame", False),
    ],
)
def test_name_key(one, other, same):
    assert (name_key(one) == name_key(other)) is same


def test_phrase_keys_fold_plurals_per_language():
    assert PhraseKeys()(["support", "groups"]) == PhraseKeys()(["Support", "group"])
    assert PhraseKeys()(["children"]) == PhraseKeys()(["child"])
    assert PhraseKeys("zh")(["苹果"]) == "苹果"
    assert PhraseKeys("es")(["gatos"]) == PhraseKeys("es")(["gato"])


def test_true_case():
    case = TrueCase(
        map(tokenize, ["Painting in Rome with Hope.", "I hope so.", "I hope not.", "The LGBTQ group", "STOP IT NOW"])
    )
    tokens = {t.text: t for t in tokenize("Painting Rome Hope LGBTQ STOP rome The")}
    assert [text for text, token in tokens.items() if case.is_name(token)] == ["Rome", "LGBTQ"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Mel", "melanie"),
        ("Melanie", "melanie"),
        ("Me", None),
        ("Jon", "jon"),
        ("Jona", "jonathan lee"),
        ("Lee", "jonathan lee"),
        ("Zed", None),
        ("Mar", None),
    ],
)
def test_aliases(name, expected):
    assert SpeakerAliases(["Melanie", "Jon", "Jonathan Lee", "Mary", "Mark"]).resolve(name) == expected
