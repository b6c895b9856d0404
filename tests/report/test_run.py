from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.harness.run import Outcome
from memorai.report.run import check_ks, check_settings, check_systems, protocol_of, rows_of, write_rankings
from memorai.types import Conversation, Dataset, Question, Ranking, Session, Turn

GOOD = {
    "seed": 0,
    "bootstrap": 0,
    "progress": False,
    "protocol": "loco",
    "published": ["best"],
    "systems": {"bm25": {"k1": 1.2}},
}
TURNS = (Turn("t1", "s", "Ann", "a"), Turn("t2", "s", "Bob", "b"))
QUESTION = Question("c:q0", "?", ("t2",), ("s",), "easy")
DATASET = Dataset("/opt/ann/mine", "1", "", (Conversation("c", (Session("s", TURNS),), (QUESTION,)),))
RANKING = Ranking("c:q0", ("t2", "t1"), (1.0, 0.5))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("seed", value) for value in (None, 1.5, "abc", [1], -1, True)),
        *(("bootstrap", value) for value in (None, 1.5, "abc", -1, True)),
        *(("progress", value) for value in (None, "abc", 1)),
        *(("protocol", value) for value in (None, "published", "zero-shot", ["loco"], "")),
        *(("published", value) for value in (None, 5, [5], ["nope"])),
        *(("systems", value) for value in (None, {}, 5, {"a": None}, {"a": 5}, {"qrels": {}})),
    ],
)
def test_a_wrong_setting_is_named(key, value):
    check_settings(GOOD)
    with pytest.raises(InputError, match="nope" if value == ["nope"] else key) as caught:
        check_settings({**GOOD, key: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["memorai", "memorai d=0.3", "BM25+", "检索", "v1.2", "a" * 100, "qrels2"])
def test_a_system_may_be_called(name):
    check_systems([name])


@pytest.mark.parametrize(
    "name",
    ["qrels", "QRELS", "", " ", "a/b", "../a", "/a", "a\\b", ".", "..", ".a", "a\n", "a\0", "\ud800", "C:a", "a" * 101],
)
def test_a_system_may_not_be_called(name):
    with pytest.raises(InputError, match="cannot name a system"):
        check_systems(["bm25", name])


def test_names_that_differ_in_case_would_share_a_file():
    with pytest.raises(InputError, match="bm25 and BM25 differ in case only"):
        check_systems(["bm25", "BM25"])


@pytest.mark.parametrize(
    ("ks", "says"), [(2.5, "2.5"), (None, "None"), ("10", "'10'"), ([True], "True"), ([], "empty")]
)
def test_cut_offs_are_counts(ks, says):
    with pytest.raises(InputError, match=says):
        check_ks(ks)
    assert check_ks([10, 1, 10]) == [1, 10] and check_ks(5) == [5]


def test_rows_show_no_path():
    rows = rows_of(DATASET, Outcome("bm25", {"c:q0": RANKING}), [1], n_resamples=0)
    assert {row.dataset for row in rows} == {"mine"}


@pytest.mark.parametrize(
    ("chosen_here", "protocol", "shown"),
    [
        (False, "untrained", "untrained"),
        (True, "untrained", "within"),
        (True, "zero_shot", "within"),
        (True, "loco", "loco"),
    ],
)
def test_settings_chosen_on_the_data_set_are_not_untrained(chosen_here, protocol, shown):
    assert protocol_of(Outcome("plus", chosen_here=chosen_here), protocol) == shown


def test_a_trained_retriever_is_never_called_untrained():
    assert protocol_of(Outcome("learned", learned="loco"), "untrained") == "loco"
    assert protocol_of(Outcome("learned", learned="zero_shot", chosen_here=True), "untrained") == "within"
    assert protocol_of(Outcome("learned", learned="zero_shot"), "loco") == "loco"


def test_gold_and_rankings_have_files_of_their_own(tmp_path):
    write_rankings(tmp_path, DATASET, [Outcome("bm25", {"c:q0": RANKING})])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bm25.trec", "predictions.jsonl", "qrels.trec"]
    assert (tmp_path / "qrels.trec").read_text(encoding="utf-8") == "c:q0 0 t2 1\n"
