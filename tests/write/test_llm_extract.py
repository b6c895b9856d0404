from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.graph.build import build_graph
from memorai.models.llm import Reply
from memorai.types import Conversation, Session
from memorai.write.extraction import Extraction, Segment
from memorai.write.lexical import LexicalExtractor
from memorai.write.llm_extract import LLMExtractor
from memorai.write.segment import SessionSegmenter
from tests.scripted_llm import FAILURES, ScriptedLLM
from tests.toys import CONVERSATION, TURNS, turn

SEGMENTS = SessionSegmenter().segment(CONVERSATION)
NOTHING: dict[str, list] = {"entities": [], "relations": []}


def entity(name: object, *messages: object, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "messages": list(messages)}


def relation(source: object, text: str, target: object, *messages: object) -> dict[str, Any]:
    return {"source": source, "relation": text, "target": target, "messages": list(messages)}


def extract(*answers: object, segments: tuple[Segment, ...] = SEGMENTS, **options: Any) -> Extraction:
    return LLMExtractor(ScriptedLLM(list(answers)), **options).extract(segments, "en")


def mentions(found: Extraction) -> list[tuple[str, str]]:
    return [(m.key, m.turn_id) for m in found.mentions]


def stated(found: Extraction) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(r.source, r.text, r.target, r.turn_ids) for r in found.relations]


def test_triplets_and_descriptions_carry_the_turns_they_came_from() -> None:
    first = {
        "entities": [entity("Rex", 3, description="Ann's puppy."), entity("I", 1, 3, description="Has a puppy.")],
        "relations": [relation("I", "adopted", "Rex", 1, 3)],
    }
    second = {
        "entities": [entity("Rome", 1, 2), entity("rex", 2, description="Loves Rome.")],
        "relations": [relation("Rex", "loves", "Rome", 2), relation("Bob", "moved_to", "Rome", 1)],
    }
    found = extract(first, second)
    assert stated(found) == [
        ("ann", "adopted", "rex", ("t1", "t3")),
        ("rex", "loves", "rome", ("t5",)),
        ("bob", "moved to", "rome", ("t4",)),
    ]
    assert mentions(found) == [
        *[("ann", "t1"), ("rex", "t1"), ("rex", "t3"), ("ann", "t3")],
        *[("rome", "t4"), ("bob", "t4"), ("rome", "t5"), ("rex", "t5")],
    ]
    assert {m.key: m.name for m in found.mentions} == {"ann": "Ann", "rex": "Rex", "rome": "Rome", "bob": "Bob"}
    assert found.descriptions == {"rex": "Ann's puppy. Loves Rome.", "ann": "Has a puppy."}
    graph = build_graph(CONVERSATION, SEGMENTS, found, describe=lambda name, turns: f"about {name}")
    assert [e.description for e in graph.entities] == [
        *["Has a puppy.", "Ann's puppy. Loves Rome.", "about Rome", "about Bob"]
    ]


def test_who_likes_whom() -> None:
    turns = (turn("a", "s1", "Ann", "Bob likes me."), turn("b", "s1", "Bob", "I do not know whether Ann likes me."))
    segments = (Segment("s1", turns),)
    found = extract({"relations": [relation("Bob", "likes", "me", 1)]}, segments=segments)
    assert stated(found) == [("bob", "likes", "ann", ("a",))]
    assert not [r for r in stated(found) if r[0] == "ann"]


@pytest.mark.parametrize(
    "record",
    [
        {"subject": "Rex", "predicate": "loves", "object": "Rome", "indices": "2"},
        {"Head": "Rex", "Relationship": "loves", "Tail": "Rome", "turns": 2},
        ["Rex", "loves", "Rome", [2]],
        "Rex | loves | Rome | 2",
        "(Rex | loves | Rome | [2])",
        {"source": "Rex", "relation": "loves", "target": "Rome"},  # cites nothing: both names stand in one turn
        {"source": "Rex", "relation": "loves", "target": "Rome", "messages": [77]},
    ],
    ids=str,
)
def test_a_triplet_in_another_form(record: object) -> None:
    assert stated(extract(NOTHING, {"relations": [record]})) == [("rex", "loves", "rome", ("t5",))]


@pytest.mark.parametrize(
    "record",
    [
        relation("Rex", "loves", "Paris", 88) | {"source": "Max"},  # in no message
        relation("Rex", "is", "rex", 2),
        relation("Rex", "", "Rome", 2),
        relation("Rex", "r" * 81, "Rome", 2),
        relation("he", "loves", "Rome", 2),
        relation("Rex", "loves", None, 2),
        {"source": "Rex"},
        ["Rex"],
        "Rex loves Rome",
        None,
        7,
    ],
    ids=str,
)
def test_what_cannot_be_traced_or_is_no_statement_is_dropped_alone(record: object) -> None:
    good = relation("Bob", "moved to", "Rome", 1)
    assert stated(extract(NOTHING, {"relations": [record, good]})) == [("bob", "moved to", "rome", ("t4",))]


@pytest.mark.parametrize("bad", [*FAILURES, {"entities": [1, None]}], ids=str)
def test_one_bad_segment_loses_neither_itself_nor_the_session(bad: object) -> None:
    good = {"entities": [entity("Rome", 1)], "relations": [relation("Rex", "loves", "Rome", 2)]}
    with pytest.warns(UserWarning, match="extract: 1 of 2 calls .* LexicalExtractor takes their place"):
        found = extract(bad, good, fallback=LexicalExtractor())
    assert ("rex", "loves", "rome", ("t5",)) in stated(found)
    assert ("rex", "t3") in mentions(found)  # found by the fallback, and one entity with the model's Rex
    assert {"t1", "t2", "t3"} <= {turn_id for _, turn_id in mentions(found)}
    build_graph(CONVERSATION, SEGMENTS, found)


def test_without_a_fallback_a_failed_segment_has_no_entities() -> None:
    with pytest.warns(UserWarning, match="nothing is extracted there"):
        found = extract(Reply(error="timeout"), {"entities": [entity("Rome", 1)]})
    assert mentions(found) == [("rome", "t4")]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([NOTHING, NOTHING], r"no entity in 2 calls over 5 turns \(0 turns without an answer, 0 records rejected\)"),
        ([{"entities": [entity("she", 1)]}, NOTHING], r"\(0 turns without an answer, 1 records rejected\)"),
    ],
)
def test_a_run_without_entities_shows_the_first_reply(answers: list, said: str) -> None:
    with pytest.warns(UserWarning, match=said) as told:
        assert extract(*answers) == Extraction()
    assert len(told) == 1 and '"entities"' in str(told[0].message)


def test_a_run_in_which_every_call_fails_says_so() -> None:
    with pytest.warns(UserWarning) as told:
        extract("The conversation is about dogs.", "Dogs.")
    messages = [str(w.message) for w in told]
    assert len(messages) == 2
    assert "2 of 2 calls" in messages[0] and "5 turns without an answer" in messages[1]
    assert "The conversation is about dogs." in messages[1]


def test_turns_that_a_cut_off_answer_had_not_come_to_are_read_by_the_fallback() -> None:
    lists = {"entities": [entity("Puppy", 1)], "relations": []}
    cut = Reply("x", lists, truncated=True)
    found = extract(cut, NOTHING, fallback=LexicalExtractor())
    assert ("puppi", "t1") in mentions(found) and ("rex", "t3") in mentions(found)
    assert {turn_id for _, turn_id in mentions(found)} <= {"t1", "t2", "t3"}
    assert mentions(extract(Reply("x", lists), NOTHING, fallback=LexicalExtractor())) == [("puppi", "t1")]


def test_no_turns_need_no_model() -> None:
    assert extract(segments=()) == Extraction()


def test_long_segments_are_shown_in_windows() -> None:
    llm = ScriptedLLM([{"entities": [entity("Rex", 1)]}, {"entities": [entity("Rex", 2)]}])
    turns = tuple(turn(f"t{i}", "s1", "Ann", f"Rex {i}") for i in range(4))
    found = LLMExtractor(llm, max_turns=2).extract((Segment("s1", turns),), "en")
    assert mentions(found) == [("rex", "t0"), ("rex", "t3")]


def test_appending_a_session_changes_nothing_before() -> None:
    def script(user: str, _: int) -> dict[str, Any]:
        return {"entities": [entity("Rex", 1), entity("Rome", 2)], "relations": [relation("Rex", "r", "Rome", 1)]}

    before = LLMExtractor(ScriptedLLM(script)).extract(SEGMENTS[:1], "en")
    after = LLMExtractor(ScriptedLLM(script)).extract(SEGMENTS, "en")
    assert after.mentions[: len(before.mentions)] == before.mentions


def test_chinese_names_and_relations() -> None:
    turns = (turn("a", "s1", "小明", "我喜欢猫。"), turn("b", "s1", "小红", "我住在上海。"))
    conversation = Conversation("zh", (Session("s1", turns),), language="zh")
    answer = {"relations": [relation("我", "喜欢", "猫", 1), relation("小红", "住在", "上海", 2)]}
    found = LLMExtractor(ScriptedLLM([answer])).extract(SessionSegmenter().segment(conversation), "zh")
    assert stated(found) == [("小明", "喜欢", "猫", ("a",)), ("小红", "住在", "上海", ("b",))]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.sampled_from(["Rex", "I", "Rome", "x | y | z", "", "1-2"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "source", "relation", "target", "messages", "object", "x"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(st.lists(VALUES, max_size=4), st.lists(VALUES, max_size=4))
def test_whatever_the_records_are_the_graph_can_be_built(entities: list, relations: list) -> None:
    answer = Reply("x", {"entities": entities, "relations": relations})
    found = LLMExtractor(ScriptedLLM([answer, NOTHING])).extract(SEGMENTS, "en")
    graph = build_graph(CONVERSATION, SEGMENTS, found)
    assert {id_ for e in graph.entities for id_ in e.turn_ids} <= {t.id for t in TURNS}
