from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.memory import Memory


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "m", embedder="hashing") as memory:
        for i, text in enumerate(
            ["I adopted a puppy called Rex.", "I moved to Rome.", "Rex loves the beach in Rome.", "I live in Bergen."]
        ):
            memory.add([{"role": "user", "content": text, "id": f"t{i}", "time": f"2024-05-0{i + 1}"}])
        yield memory


def test_it_is_the_search_taken_apart(memory):
    results = memory.search("Where does Rex like to be?", k=3, touch=False)
    found = memory.explain("Where does Rex like to be?", k=3)
    assert [(r.id, r.score) for r in found.ranked] == [(r.id, r.score) for r in results]
    # a search stops at 1e-6, an explanation goes on
    scores = dict(found.rerank())
    assert {r.id: scores[r.id] for r in results} == pytest.approx({r.id: r.score for r in results}, abs=1e-5)
    for result in results:
        node = next(node for node in found.nodes if node.id == result.id)
        assert node.text == result.text and node.bm25 == pytest.approx(result.why.bm25)
        assert node.cosine == pytest.approx(result.why.cosine, abs=1e-6)
    words = {node.label: node.turn_ids for node in found.nodes if node.kind in ("word", "entity")}
    assert words["rex"] == words["Rex"] == ("t0", "t2")
    assert sorted(found.walk.weights) == ["static", "uniform"]


def test_the_time_asked_for_lowers_scores(memory):
    memory.add([{"role": "user", "content": "I moved to Oslo.", "id": "t9", "time": "2024-06-01"}])
    found = memory.explain("Where do I live?", at="2024-05-20")
    results = memory.search("Where do I live?", at="2024-05-20", touch=False)
    assert [(r.id, r.score) for r in found.ranked] == [(r.id, r.score) for r in results]
    assert (found.walk.factor < 1).any() and any("lowered" in note for note in found.notes)
    assert [id_ for id_, _ in found.rerank()][: len(results)] == [r.id for r in results]


def test_it_strengthens_nothing(memory):
    before = memory.retention("t0")
    memory.explain("puppy")
    memory.flush()
    assert memory.retention("t0") <= before


def test_an_empty_memory_and_a_blank_question_have_nothing_to_show(memory, tmp_path):
    assert memory.explain(" ", tmp_path / "blank.html").ranked == ()
    with Memory.open(tmp_path / "empty", embedder="hashing") as empty:
        assert empty.explain("anything", tmp_path / "a.html").nodes == ()
    assert "Nothing is stored" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("change", [{"k": 0}, {"nodes": 0}, {"query": 3}, {"at": 5}])
def test_bad_input_is_refused(memory, change):
    with pytest.raises(InputError):
        memory.explain(**({"query": "Rex"} | change))
