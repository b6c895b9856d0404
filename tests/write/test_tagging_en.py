import pytest

from memorai.write.names import TrueCase
from memorai.write.sentences import tokenize
from memorai.write.tagging_en import tag_english
from memorai.write.tags import Tag


@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("I work in town", "work", Tag.VERB),
        ("my work is hard", "work", Tag.NOUN),
        ("we love dogs", "love", Tag.VERB),
        ("The LGBTQ support group met", "support", Tag.NOUN),
        ("painting helps me", "painting", Tag.NOUN),
        ("painting the wall", "painting", Tag.VERB),
        ("thanks for raising awareness", "raising", Tag.VERB),
        ("I like tea", "like", Tag.VERB),
        ("people like you", "like", Tag.PREPOSITION),
        ("a book that wins", "that", Tag.CONJUNCTION),
        ("I painted that lake", "that", Tag.DETERMINER),
        ("you can't deny it", "deny", Tag.VERB),
        ("it really mattered", "really", Tag.ADVERB),
        ("my family came", "family", Tag.NOUN),
        ("Mel's dog", "'s", Tag.DETERMINER),
        ("it's fun", "'s", Tag.AUXILIARY),
        ("see you Monday", "Monday", Tag.STOP),
        ("wow a delightful trip", "delightful", Tag.ADJECTIVE),
    ],
)
def test_context_decides(text, word, tag):
    tokens = tokenize(text)
    tag_english(tokens, TrueCase([tokenize("with Mel and LGBTQ")]))
    assert {token.text: token.tag for token in tokens}[word] is tag
