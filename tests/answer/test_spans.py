from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memorai.answer.question import understand
from memorai.answer.spans import MAX_TOKENS, SPAN_FEATURES, Words, candidates, span_features, surface, words_of
from memorai.types import Turn
from memorai.write.names import PhraseKeys
from memorai.write.reading import Reader
from memorai.write.tags import Tag


def words(text: str, language: str = "en") -> Words:
    reader = Reader(["Ann"], PhraseKeys(language), 4)
    reader.append([Turn("t1", "s1", "Ann", text)])
    return words_of([token for reading in reader.readings[0] for token in reading.tokens], language)


def stretches(text: str, language: str = "en") -> list[str]:
    taken = words(text, language)
    return [surface(taken.tokens[first:last]) for first, last in candidates(taken)]


def test_no_noun_phrase_is_cut_and_no_stretch_ends_in_a_function_word() -> None:
    found = stretches("I adopted a small black kitten from the shelter.")
    assert {"a small black kitten", "small black kitten", "the shelter", "shelter"} <= set(found)
    assert not {"small", "a small", "black kitten", "kitten from", "kitten from the"} & set(found)


def test_the_whole_sentence_counts_however_long_it_is() -> None:
    text = "Ann " + "walked slowly and " * 12 + "stopped"
    taken = words(text)
    assert (0, len(taken.tokens)) in candidates(taken) and len(taken.tokens) > MAX_TOKENS
    assert candidates(Words((), ())) == []


def test_of_chinese_sentences_the_clauses() -> None:
    assert stretches("相机掉进沙堆里，镜头全是沙。", "zh") == ["相机掉进沙堆里", "镜头全是沙"]


def test_pronouns_of_the_speaker_go() -> None:
    assert surface(words("my old guitar").tokens) == "old guitar"
    assert surface(words("I").tokens) == "I"  # nothing else is left
    assert surface(words("Ann's dog, Rex").tokens) == "Ann's dog, Rex"


def test_features_by_hand() -> None:
    taken = words("I adopted Rex from the shelter")
    asked = understand("Where did Ann adopt the dog?", ["Ann"])
    tokens = [token.text for token in taken.tokens]
    spans = [(2, 3), (4, 6), (0, 6)]  # Rex; the shelter; all of it
    assert [tokens[a:b] for a, b in spans] == [["Rex"], ["the", "shelter"], tokens]
    found = span_features(asked, taken, spans, {"adopt": 2.0, "ann": 1.0, "dog": 1.0})
    assert found.shape == (3, len(SPAN_FEATURES))
    column = {name: found[:, place] for place, name in enumerate(SPAN_FEATURES)}
    np.testing.assert_allclose(column["asked_inside"], [0, 0, 0.5])  # adopt is 2 of 4
    np.testing.assert_allclose(column["length"], [0.1, 0.2, 0.6])
    np.testing.assert_allclose(column["distance_left"], [1.0, 1 / 3, 0.0])  # right after, and two further on
    np.testing.assert_allclose(column["where_fits"], [1, 1, 1])  # a name, what follows "from", both
    np.testing.assert_allclose(column["whole"], [0, 0, 1])
    np.testing.assert_allclose(column["first_person"], [0, 0, 1])
    assert taken.tokens[1].tag is Tag.VERB and column["starts_after_verb"].tolist() == [1, 0, 0]


@given(st.text(max_size=120))
def test_any_text_has_finite_features(text: str) -> None:
    taken = words(text)
    spans = candidates(taken)
    assert all(0 <= first < last <= len(taken.tokens) for first, last in spans)
    assert len(set(spans)) == len(spans)
    if spans:
        assert np.isfinite(span_features(understand(text, []), taken, spans, {})).all()
