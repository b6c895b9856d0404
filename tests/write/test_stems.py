import math

import pytest

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.stems import StemExtractor

TURNS = tuple(
    Turn(str(i), "s", "Ann", text, caption=caption)
    for i, (text, caption) in enumerate([("dog cat dog", None), ("dog fish", None), ("dog", "cat"), ("bird", None)])
)


def words(text, language):
    assert language == "en"
    return text.split()


def extract(**options):
    found = StemExtractor(tokenizer=words, **options).extract([Segment("s", TURNS)], "en")
    assert not found.relations
    return [(m.key, m.turn_id, m.weight) for m in found.mentions]


def test_shared_words_weigh_their_idf():
    dog, cat = math.log(1 + 4 / 3), math.log(1 + 4 / 2)
    assert extract() == [
        ("dog", "0", pytest.approx(dog)),
        ("cat", "0", pytest.approx(cat)),
        ("dog", "1", pytest.approx(dog)),
        ("dog", "2", pytest.approx(dog)),
        ("cat", "2", pytest.approx(cat)),
    ]


@pytest.mark.parametrize("max_df", [2, 0.5])
def test_max_df_counts_turns_or_a_share_of_them(max_df):
    assert {key for key, _, _ in extract(max_df=max_df)} == {"cat"}


@pytest.mark.parametrize("options", [{"min_df": 0}, {"min_df": 3, "max_df": 2}, {"max_df": 0.0}, {"max_df": 1.5}])
def test_values_out_of_range(options):
    with pytest.raises(InputError, match="max_df"):
        StemExtractor(tokenizer=words, **options)


def test_the_default_tokenizer_is_the_index_s():
    pytest.importorskip("memorai.index.tokenize")
    turns = (Turn("0", "s", "Ann", "two puppies"), Turn("1", "s", "Ann", "the puppy"))
    found = StemExtractor().extract([Segment("s", turns)], "en")
    assert [m.turn_id for m in found.mentions] == ["0", "1"]
