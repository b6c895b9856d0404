"""A corpus of what language models have really answered when asked for JSON, and what must come of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.models import parse
from memorai.models.parse import ParseError, parse_reply, read_indices, strip_thoughts

KEEP = {"type": "object", "properties": {"keep": {"type": "array", "items": {"type": "integer"}}}, "required": ["keep"]}
ENTITY = {"type": "object", "properties": {"name": {"type": "string"}, "messages": {"type": "array"}}}
RELATION = {
    "type": "object",
    "properties": {"source": {"type": "string"}, "relation": {"type": "string"}, "target": {"type": "string"}},
}
GRAPH = {
    "type": "object",
    "properties": {
        "entities": {"type": "array", "items": ENTITY},
        "relations": {"type": "array", "items": RELATION},
    },
}
SUMMARY = {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]}
ANN = {"name": "Ann", "messages": [1]}
LIKES = {"source": "Ann", "relation": "likes", "target": "Rex"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"keep": [1, 3]}', [1, 3], id="plain"),
        pytest.param('```json\n{"keep": [1, 3]}\n```', [1, 3], id="fence"),
        pytest.param('```\n{"keep": [1, 3]}', [1, 3], id="open fence"),
        pytest.param('Of course!\n\n```JSON\n{"keep": [1, 3]}\n```\nAnything else?', [1, 3], id="fence in prose"),
        pytest.param('Here it is: {"keep": [1, 3]} I hope that helps {you}.', [1, 3], id="prose around"),
        pytest.param('Message [2] is advice, so {"keep": [1, 3]}', [1, 3], id="brackets before"),
        pytest.param('<think>Maybe {"keep": [2]}?</think>{"keep": [1, 3]}', [1, 3], id="thought"),
        pytest.param('Maybe {"keep": [2, 4, 5]}?\n</think>\n\n{"keep": [1, 3]}', [1, 3], id="thought opened in prompt"),
        pytest.param(
            '<|channel|>analysis<|message|>[2]<|end|><|start|>assistant<|channel|>final<|message|>{"keep": [1, 3]}',
            [1, 3],
            id="harmony channels",
        ),
        pytest.param("[1, 3]", [1, 3], id="array at top level"),
        pytest.param('[{"keep": [1, 3]}]', [1, 3], id="object in a list"),
        pytest.param('{"keep": [1, 3', [1, 3], id="truncated"),
        pytest.param('```json\n{"keep": [1, 3,', [1, 3], id="truncated in a fence"),
        pytest.param("{'keep': [1, 3]}", [1, 3], id="single quotes"),
        pytest.param('{"keep": [1, 3,],}', [1, 3], id="trailing commas"),
        pytest.param("{keep: [1, 3]}", [1, 3], id="bare key"),
        pytest.param('{"keep": [1, 3] // the rest is advice\n}', [1, 3], id="comment"),
        pytest.param('{{"keep": [1, 3]}}', [1, 3], id="doubled braces"),
        pytest.param('{"Keep": [1, 3]}', [1, 3], id="key in another case"),
        pytest.param('{"keep": 3}', [3], id="scalar instead of list"),
        pytest.param('{"result": {"keep": [1, 3]}}', [1, 3], id="wrapped"),
        pytest.param(json.dumps('{"keep": [1, 3]}'), [1, 3], id="JSON in JSON"),
        pytest.param('{"properties": {"keep": [1, 3]}}', [1, 3], id="data in the schema's place"),
        pytest.param('{"reason": "[9] is advice", "keep": [1, 3]}', [1, 3], id="further keys"),
        pytest.param('{"keep": []}', [], id="nothing kept"),
        pytest.param('{"keep": [2]}\n{"keep": [1, 3]}', [1, 3], id="corrects itself"),
        pytest.param(f'{json.dumps(KEEP)}\n{{"keep": [1, 3]}}', [1, 3], id="schema, then data"),
    ],
)
def test_indices_come_out_of_whatever_stands_around_them(text: str, expected: list[int]) -> None:
    assert parse_reply(text, KEEP) == {"keep": expected}


@pytest.mark.parametrize(
    "text",
    [
        '{"drop": [1]}',
        '{"messages to forget": [1]}',
        '{"discard": {"messages": [2]}}',
        "Drop [1] since it is small talk.",
        "Keep all of them (see [1]).",
        "I would keep [1, 3], as [2] is advice.",
        "[]",
    ],
)
def test_numbers_that_nothing_calls_wanted_are_no_answer(text: str) -> None:
    with pytest.raises(ParseError):
        parse_reply(text, KEEP)


@pytest.mark.parametrize("text", ["[1, 3]", "```json\n[1, 3]\n```"])
def test_a_reply_that_is_a_list_answers_what_was_asked(text: str) -> None:
    assert parse_reply(text, KEEP) == {"keep": [1, 3]}


def test_lone_surrogates_become_replacement_characters() -> None:
    assert parse_reply(r'{"keep": ["a\ud83d", {"b\ude00": 1}, "\ud83d\ude00"]}', KEEP) == {
        "keep": ["a\ufffd", {"b\ufffd": 1}, "\U0001f600"]
    }


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t", id="blank"),
        pytest.param("<think>I should keep [1].</think>", id="thoughts alone"),
        pytest.param('<think>{"keep": [1]}', id="thought cut off"),
        pytest.param("I cannot help with that.", id="refusal"),
        pytest.param("null", id="null"),
        pytest.param("42", id="number"),
        pytest.param('{"keep": null}', id="null inside"),
        pytest.param('{"error": "overloaded"}', id="another object"),
        pytest.param(json.dumps(KEEP), id="schema echoed"),
        pytest.param(f"```json\n{json.dumps(KEEP, indent=2)}\n```", id="schema echoed in a fence"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"keep": ' * 20_000, id="deep objects"),
        pytest.param("x" * 200_001, id="too long"),
        pytest.param("__import__('os').system('true')", id="code"),
    ],
)
def test_what_holds_no_answer_is_a_parse_error_of_one_line(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_reply(text, KEEP)
    assert str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ({"entities": [ANN], "relations": [LIKES]}, {"entities": [ANN], "relations": [LIKES]}),
        ({"entities": ANN}, {"entities": [ANN]}),  # one record instead of a list of one
        (ANN, {"entities": [ANN]}),
        (LIKES, {"relations": [LIKES]}),
        ([ANN, LIKES], {"entities": [ANN], "relations": [LIKES]}),
        ([LIKES], {"relations": [LIKES]}),
        ({"relations": [], "entities": []}, {"entities": [], "relations": []}),
    ],
)
def test_records_find_the_property_that_they_belong_to(text: object, expected: dict) -> None:
    assert parse_reply(json.dumps(text), GRAPH) == expected


def test_a_truncated_list_keeps_its_whole_records() -> None:
    text = json.dumps({"entities": [ANN, {"name": "Bob", "messages": [2]}]})
    parsed = parse_reply(text[: text.index('"Bob"') + 3], GRAPH)
    assert parsed["entities"][0] == ANN


def test_text_values_keep_quotes_braces_and_scripts() -> None:
    summary = 'Ann said "no {way}" about 猫, then `left`.'
    assert parse_reply(json.dumps({"summary": summary}), SUMMARY) == {"summary": summary}
    assert parse_reply(f'{{"summary": "{summary[:8]}"}}', SUMMARY)["summary"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a<think>b</think>c", "ac"), ("b</think>c", "c"), ("a<THINK>b", "a"), ("a<think>b<think>c</think>d", "ad")],
)
def test_thoughts_are_cut_out(text: str, expected: str) -> None:
    assert strip_thoughts(text) == expected


@pytest.mark.parametrize(
    ("value", "places", "rejected"),
    [
        ([1, 3], [0, 2], 0),
        ([3, 1, 3], [0, 2], 0),
        (2, [1], 0),
        (["1", "[3]", "#2"], [0, 1, 2], 0),
        ("1, 3", [0, 2], 0),
        (["2-4"], [1, 2, 3], 0),
        ([1.0, 2.5], [0], 1),
        ([0, 5, -1, 99], [], 4),
        ([True, None, "many", {"a": "b"}], [], 4),
        ([{"index": 2, "reason": "a fact"}], [1], 0),
        (["4-2"], [], 1),
        (None, [], 1),
    ],
)
def test_indices_count_from_one_and_stay_in_range(value: object, places: list[int], rejected: int) -> None:
    assert read_indices(value, 4) == (places, rejected)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["keep", "type", "properties", "x"]) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", ",", ":", "```", "```json", "<think>", "</think>", "keep", '"keep"', "1", "\\", "\n"]
)


@given(st.text(max_size=60) | st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join) | JSON.map(json.dumps))
def test_any_text_gives_the_shape_or_a_parse_error(text: str) -> None:
    try:
        parsed = parse_reply(text, KEEP)
    except ParseError:
        return
    assert list(parsed) == ["keep"] and isinstance(parsed["keep"], list)


@given(JSON, st.integers(0, 50))
def test_any_value_gives_places_of_messages(value: object, count: int) -> None:
    places, rejected = read_indices(value, count)
    assert places == sorted(set(places)) and all(0 <= place < count for place in places) and rejected >= 0


@given(st.lists(st.integers(1, 99)), st.text(alphabet="abc xyz,.\n", max_size=20), st.text(alphabet="abc.", max_size=9))
def test_good_json_survives_any_prose(numbers: list[int], before: str, after: str) -> None:
    assert parse_reply(f'{before}{{"keep": {json.dumps(numbers)}}}{after}', KEEP) == {"keep": numbers}


def test_few_unclosed_brackets_are_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(parse, "_load", lambda candidate: asked.append(candidate))
    with pytest.raises(ParseError):
        parse_reply("{\n" * 500, KEEP)
    assert len(asked) <= 2 * parse._MAX_UNCLOSED
