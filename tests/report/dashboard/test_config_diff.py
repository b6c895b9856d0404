from hypothesis import given
from hypothesis import strategies as st

from memorai.report.dashboard.config_diff import differing

TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=6,
)
CONFIGS = st.dictionaries(st.sampled_from("abc"), TREES, max_size=3)


def test_only_keys_whose_values_differ_are_listed():
    one = {"seed": 0, "systems": {"a": {"damping": 0.3, "ks": [1, 2]}}, "embedder": {"name": "mini"}}
    two = {"seed": 0, "systems": {"a": {"damping": 0.7, "ks": [1, 2]}, "b": {}}, "embedder": {"name": "mini"}}
    assert differing([one, two]) == [("systems.a.damping", ["0.3", "0.7"]), ("systems.b", [None, "{}"])]


def test_nothing_is_not_the_same_as_null_nor_true_as_one():
    assert differing([{"a": None, "b": 1, "c": "1"}, {"b": True, "c": 1}]) == [
        ("a", ["null", None]),
        ("b", ["1", "true"]),
        ("c", ['"1"', "1"]),
    ]


def test_a_run_without_configuration_is_compared_with_nothing():
    assert differing([{"a": 1}, None]) == []
    assert differing([{"a": 1}, None, {"a": 2}]) == [("a", ["1", None, "2"])]
    assert differing([]) == []


def test_paths_are_cut_and_secrets_masked():
    one = {"path": "/srv/somebody/data/a.jsonl", "llm": {"api_key": "sk-secret", "url": "http://me:pw@host/v1"}}
    two = {"path": "/srv/somebody/data/b.jsonl", "llm": {"api_key": "", "url": "http://host/v2"}}
    found = differing([one, two])
    assert ("path", ['"a.jsonl"', '"b.jsonl"']) in found
    assert dict(found)["llm.api_key"] == ['"***"', '""']
    assert not any(text in str(found) for text in ("somebody", "sk-secret", "pw@"))


def test_what_never_changes_a_number_is_left_out():
    assert differing([{"progress": True, "resume": True}, {"progress": False, "resume": False}]) == []


@given(CONFIGS, CONFIGS)
def test_equal_configurations_differ_in_nothing_and_others_in_something(one, two):
    assert differing([one, dict(reversed(one.items()))]) == []
    assert [key for key, (a, b) in differing([one, two]) if a == b] == []
    assert [(key, values[::-1]) for key, values in differing([two, one])] == differing([one, two])
