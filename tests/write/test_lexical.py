from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.lexical import LexicalExtractor, WindowLexicalExtractor


def extract(*texts, speakers=("Melanie", "Caroline"), language="en", **options):
    turns = tuple(Turn(str(i), "s", speakers[i % len(speakers)], text) for i, text in enumerate(texts))
    return LexicalExtractor(**options).extract([Segment("s", turns)], language)


def names(extraction, turn_id="0"):
    return [m.name for m in extraction.mentions if m.turn_id == turn_id]


def test_each_turn_mentions_its_speaker_first_and_the_other_by_a_short_name():
    found = extract("Hello!", "Hey Mel, I adopted a puppy and two cats.")
    assert names(found) == ["Melanie"]
    assert names(found, "1") == ["Caroline", "Melanie", "puppy", "cats"]
    assert all(m.weight == 1.0 for m in found.mentions)


def test_small_talk_dates_and_numbers_are_no_entities():
    assert names(extract("Wow, thanks! Lol. See you Monday, 12 May 2023, at 10:30.")) == ["Melanie"]


def test_plurals_are_one_entity_shown_in_the_most_frequent_form():
    found = extract("A puppy!", "The puppies ate.", "The puppies ran.")
    keys = {m.key: m.name for m in found.mentions if m.key not in ("melanie", "caroline")}
    assert keys == {"puppi": "puppies"}


def test_a_nested_phrase_that_stands_alone_elsewhere_is_mentioned_too():
    texts = ("My adoption agency interview went well.", "The adoption agency called.")
    assert names(extract(*texts)) == ["Melanie", "adoption agency interview", "adoption agency"]
    assert names(extract(*texts, nested=False)) == ["Melanie", "adoption agency interview"]


def test_document_frequency_limits_spare_speakers():
    texts = ["My garden and a lake."] + ["The garden."] * 11
    assert names(extract(*texts, min_df=2, max_df_share=1.0)) == ["Melanie", "garden"]
    assert names(extract(*texts, max_df_share=0.5)) == ["Melanie", "lake"]  # 12 turns > max(10, 6)


def test_without_speakers_only_statements_and_names_mention_them():
    turns = (Turn("0", "s", "Ann", "A puppy!"), Turn("1", "s", "Bob", "I adopted a puppy."))
    found = LexicalExtractor(speakers=False).extract([Segment("s", turns)], "en")
    assert [(m.name, m.turn_id) for m in found.mentions] == [("puppy", "0"), ("puppy", "1"), ("Bob", "1")]
    assert not LexicalExtractor(relations=False).extract([Segment("s", turns)], "en").relations


def test_a_relation_collects_all_its_turns():
    found = extract("I love tea.", "ok", "I love tea.")
    assert [(r.source, r.text, r.target, r.turn_ids) for r in found.relations] == [
        ("melanie", "love", "tea", ("0", "2"))
    ]


def test_a_relation_holds_from_the_only_date_of_its_sentence():
    pytest.importorskip("dateparser", reason="needs the extra `dates`")
    said = "My sister moved to Rome last week. I adopted a puppy in 2022. I like tea."
    turn = Turn("0", "s", "Ann", said, datetime(2023, 5, 7, 13))
    for dates in (True, False):
        found = LexicalExtractor(dates=dates).extract([Segment("s", (turn,))], "en")
        assert {r.text: r.valid_from for r in found.relations} == {
            "has": None,
            "moved to": datetime(2023, 4, 24) if dates else None,
            "adopted": datetime(2022, 1, 1) if dates else None,
            "like": None,
        }


def test_chinese():
    found = extract("李雷，我看了《三体》，喜欢苹果。", speakers=("王芳", "李雷"), language="zh")
    assert names(found) == ["王芳", "李雷", "三体", "苹果"]
    both = extract("李雷，我喜欢苹果。", "王芳，我喜欢香蕉。", speakers=("王芳", "李雷"), language="zh")
    assert names(both) == ["王芳", "李雷", "苹果"]
    assert names(both, "1") == ["李雷", "王芳", "香蕉"]


@pytest.mark.parametrize("options", [{"max_words": 0}, {"min_df": 0}, {"max_df_share": 0.0}, {"max_df_share": 1.5}])
def test_values_out_of_range_are_named(options):
    with pytest.raises(InputError, match=next(iter(options))):
        LexicalExtractor(**options)


ENGLISH = "I Ann Bob Mel likes adopted a puppy 's don't it's and of the Rings 1st if no my sister"
OTHER = "我 喜欢 苹果 的 在 。 ? ! \" “ ” 《 》 « ' - 😀 قطة \ud800 \x00 e\u0301 ß İ ｶﾞ"
WORDS = st.sampled_from([*ENGLISH.split(), *OTHER.split(" ")])
TEXT = st.one_of(
    st.text(st.characters(), max_size=80), st.lists(WORDS, max_size=25).map(" ".join), st.lists(WORDS).map("".join)
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(TEXT, TEXT, st.none() | TEXT), max_size=5),
    st.sampled_from(["en", "zh", "ar", "de", "", "xx"]),
    st.booleans(),
)
def test_any_text_gives_mentions_of_its_turns_and_mentioned_endpoints(rows, language, speakers):
    turns = tuple(Turn(str(i), "s", who, text, caption=caption) for i, (who, text, caption) in enumerate(rows))
    extractor = LexicalExtractor(speakers=speakers)
    found = extractor.extract([Segment("s", turns)], language)
    mentioned = [(m.key, m.turn_id) for m in found.mentions]
    assert len(mentioned) == len(set(mentioned))
    assert {turn_id for _, turn_id in mentioned} <= {turn.id for turn in turns}
    assert all(m.key and m.name and m.weight > 0 for m in found.mentions)
    for relation in found.relations:
        assert relation.text and relation.turn_ids
        for turn_id in relation.turn_ids:
            assert {(relation.source, turn_id), (relation.target, turn_id)} <= set(mentioned)
    assert extractor.extract([Segment("s", turns)], language) == found


@pytest.mark.parametrize(
    "unit",
    [
        "with Mel dog ",
        "really ",
        "苹果的",
        "我喜欢苹果的",
        "... x",
        ".",
        "'s ",
        " ",
        "“Mel” ",
        "a",
        "I like and ",
        "of the Rings ",
    ],
)
def test_long_texts_neither_recurse_nor_stall(unit):
    found = extract(unit * 5000, "Mel and Rings")
    assert {m.turn_id for m in found.mentions} == {"0", "1"}


@pytest.mark.parametrize("sentences", [1, 5, 20_000])
def test_overlapping_windows_are_read_as_each_alone(sentences):
    said = [
        ("Ann", "My sister Rosa visited Rome."),
        ("Bob", "Did she like it?"),
        ("Ann", "Yes, Rosa loves rome and the Trevi fountain."),
        ("Ann", "我姐姐王芳住在北京。"),
        ("Bob", "王芳 works at Ford."),
        ("Ann", "Rosa works at Ford. Did she like it?"),
    ]
    turns = [Turn(str(i), "s", speaker, text) for i, (speaker, text) in enumerate(said)]
    remembering = WindowLexicalExtractor(sentences, coreference=True)
    for language in ("en", "zh", "en"):
        for end in range(1, len(turns) + 1):
            window = [Segment("s", tuple(turns[max(0, end - 4) : end]))]
            alone = LexicalExtractor(coreference=True).extract(window, language)
            assert remembering.extract(window, language) == alone
