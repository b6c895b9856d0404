import pytest

from memorai.errors import InputError
from memorai.report.published import published_rows


def _values(rows):
    return {(row.system, row.metric, row.k, row.category): round(100 * row.value, 2) for row in rows}


def test_default_rows():
    rows = published_rows()
    assert list(dict.fromkeys(row.system for row in rows)) == [
        "nvidia/Nemotron-3-Embed-8B-BF16",
        "sentence-transformers/all-MiniLM-L6-v2",
        "BAAI/bge-small-en-v1.5",
    ]
    values = _values(rows)
    assert values["nvidia/Nemotron-3-Embed-8B-BF16", "ndcg", 10, "macro"] == 56.51
    assert values["nvidia/Nemotron-3-Embed-8B-BF16", "recall", 50, "weighted"] == 89.96
    assert values["sentence-transformers/all-MiniLM-L6-v2", "ndcg", 10, "weighted"] == 29.11
    assert {(row.dataset, row.protocol, row.unit, row.n, row.lo) for row in rows} == {
        ("locomo_lmeb", "published", "turn", 1976, None)
    }


def test_names_are_found_with_or_without_owner_and_once():
    short, full = published_rows(["ALL-minilm-l6-V2"]), published_rows(["sentence-transformers/all-MiniLM-L6-v2"])
    assert short == full and len(short) == 10
    assert published_rows(["best", "nvidia/Nemotron-3-Embed-8B-BF16"]) == published_rows(["best"])
    assert published_rows([]) == []


def test_an_unknown_model_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"'all-minilm-l6'.*did you mean 'sentence-transformers/all-MiniLM-L6-v2'"):
        published_rows(["all-minilm-l6"])


def test_one_name_need_not_stand_in_a_list():
    assert published_rows("best") == published_rows(["best"])


@pytest.mark.parametrize("models", [None, 5, True, [5], [None], {"best": 1}])
def test_what_is_no_list_of_names_is_refused(models):
    with pytest.raises(InputError, match="is not a list of model names; use published="):
        published_rows(models)
