"""Turns added piece by piece give what reading them at once gives."""

from datetime import datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.lexical import LexicalExtractor

ENGLISH = [
    *(
        "Hope",
        "hope",
        "Hope came",
        "We met Hope",
        "Hope Lee and Ann",
        "my sister Emma",
        "Emma said hi",
        "She likes tea",
    ),
    *(
        "They left",
        "my parents",
        "he works",
        "her dog",
        "Bob, you rock",
        "I adopted a puppy",
        "adoption agency",
        "in rome",
    ),
    *("my adoption agency interview", "the Adoption agency called", "I live in Rome", "ROME IS BIG", "I love tea"),
]
CHINESE = [
    *("小明", "喜欢", "小红", "我", "去了", "宠物医院", "餐厅", "宠物医院餐厅", "他", "在阿里工作", "天天"),
    *("我妹妹", "她住在上海", "老王", "，", "。", "寵物醫院", "小紅"),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(ENGLISH), max_size=3).map(". ".join),
    st.lists(st.sampled_from(ENGLISH), max_size=3).map(" ".join),
    st.lists(st.sampled_from(CHINESE), max_size=5).map("".join),
)
SPEAKERS = st.sampled_from(["Ann", "Bob", "ann", "Emma", "小明", ""])
ROWS = st.lists(st.tuples(SPEAKERS | st.just("Ann"), TEXTS), max_size=12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"coreference": True, "min_df": 2},
        {"speakers": False, "nested": False, "max_df_share": 0.3},
        {"speakers": False, "coreference": True},
    ],
)
def test_growing_equals_reading_at_once(options):
    extractor = LexicalExtractor(**options)

    @given(ROWS, st.lists(st.integers(0, 12), max_size=4), st.sampled_from(["en", "zh"]))
    def check(rows, cuts, language):
        turns = [Turn(str(i), "s", who, text, datetime(2024, 1, 1)) for i, (who, text) in enumerate(rows)]
        growing, seen, names = extractor.grow(language), 0, {}
        for end in sorted({*cuts, len(turns)}):
            if end > len(turns):
                continue
            table = growing.append(turns[seen:end])
            seen = end
            whole = extractor.extract([Segment("s", tuple(turns[:end]))], language)
            assert table.extraction(turns) == whole
            # what is not reported as changed is as it was
            now = {}
            for number, turn in zip(table.entity.tolist(), table.turn.tolist(), strict=True):
                now.setdefault(number, (table.keys[number], table.names[number], []))[2].append(turn)
            kept = [n for n in now if n in names and n not in table.changed]
            assert [now[n] for n in kept] == [names[n] for n in kept]
            names = {n: value for n, value in (names | now).items() if n not in table.changed or n in now}
            ends = [(table.keys[a], table.keys[b]) for a, b in table.ends.T.tolist()]
            assert ends == [(r.source, r.target) for r in table.relations]

    check()


def test_a_pronoun_is_resolved_anew_when_its_antecedent_becomes_a_name():
    growing = partial(Turn, session_id="s")
    extraction = LexicalExtractor(coreference=True).grow("en")
    said = ["Grace said hi.", "Nice.", "She likes tea."]
    turns = [growing(id=str(i), speaker="AB"[i % 2], text=text) for i, text in enumerate(said)]
    assert not extraction.append(turns).relations
    later = growing(id="3", speaker="B", text="I met Grace there.")
    found = extraction.append([later]).relations
    assert ("grace", "likes", "tea") in [(r.source, r.text, r.target) for r in found]
