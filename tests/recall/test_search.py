from __future__ import annotations

import pytest

from memorai import load_dataset, load_system
from memorai.models.hashing import HashingEmbedder
from tests.memories import opened, said


@pytest.fixture(scope="module")
def conversation():
    return load_dataset("demo", "dataset.part=en").conversations[0]


def test_a_small_memory_ranks_as_memorai_plus(tmp_path, conversation):
    """Without entities and facts, which memorai_plus does not have, the two are one method."""

    class Nothing:
        def extract(self, segments, language):
            from memorai.write.extraction import Extraction

            return Extraction()

    questions = [question.query for question in conversation.questions[:15]]
    system = load_system("memorai_plus", "embedder=hashing")
    expected = system.index(conversation).search(questions, k=10)
    with opened(tmp_path / "m", extractor=Nothing(), group_messages=1000, fact_share=0.0, exact_turns=10_000) as memory:
        memory.add(list(conversation.turns))
        found = [memory.search(question.text, k=10) for question in questions]
    # vectors are float16 in the store: near-ties may change places
    same = [set(r.ids[:5]) == {hit.id for hit in hits[:5]} for r, hits in zip(expected, found, strict=True)]
    assert sum(same) >= 13
    for ranking, hits in zip(expected, found, strict=True):
        assert ranking.ids[0] == hits[0].id
        assert hits[0].score == pytest.approx(_turn_share(ranking, hits) * ranking.scores[0], rel=0.2)


def _turn_share(ranking, hits) -> float:
    return sum(hit.score for hit in hits) / sum(ranking.scores)


def test_the_neighbourhood_finds_what_the_whole_graph_finds(tmp_path, conversation):
    questions = [question.text for question in conversation.questions[:20]]
    with opened(tmp_path / "m", group_messages=1000) as memory:
        memory.add(list(conversation.turns))
        whole = [[hit.id for hit in memory.search(text, k=5)] for text in questions]
    with opened(tmp_path / "m", exact_turns=0, seeds=60, candidates=200) as memory:
        part = [[hit.id for hit in memory.search(text, k=5)] for text in questions]
    overlap = [len(set(a) & set(b)) / 5 for a, b in zip(whole, part, strict=True)]
    assert sum(overlap) / len(overlap) > 0.8
    assert sum(a[0] == b[0] for a, b in zip(whole, part, strict=True)) >= 17


def test_the_compressed_scan_finds_what_all_cosines_find(tmp_path, conversation):
    faiss = pytest.importorskip("faiss")
    assert faiss
    questions = [question.text for question in conversation.questions[:20]]
    options = {"group_messages": 1000, "exact_turns": 0, "seeds": 60, "embedder": HashingEmbedder(dim=64)}
    with opened(tmp_path / "m", **options) as memory:
        memory.add(list(conversation.turns))
        plain = [[hit.id for hit in memory.search(text, k=5)] for text in questions]
    with opened(tmp_path / "m", scan_turns=10, **options) as memory:
        scanned = [[hit.id for hit in memory.search(text, k=5)] for text in questions]
        memory.add(said("A zebra crossed the bridge at noon.", id="zebra"))
        assert memory.search("zebra bridge", k=1)[0].id == "zebra"
    # the spread of cosines is estimated from a sample
    assert sum(a[0] == b[0] for a, b in zip(plain, scanned, strict=True)) >= 18


def test_a_question_of_an_unknown_kind_of_words_still_ranks_everything(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add([said("One.", id="1"), said("Two.", id="2")])
        assert len(memory.search("完全不同的问题", k=5)) == 2
