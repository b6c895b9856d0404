from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memorai.index.lexical import BM25
from memorai.models.embedders import HashingEmbedder
from memorai.retrieval.restart import TurnRestart
from memorai.retrieval.retrievers import DirectRetriever, PageRankRetriever, Retrieved
from memorai.retrieval.scores import Dense, Lexical
from memorai.retrieval.subgraph import FullGraph
from memorai.retrieval.transforms import SoftmaxZ
from memorai.retrieval.weights import UniformWeights
from memorai.systems.index_cache import IndexCache
from memorai.systems.memory_system import MemorySystem
from memorai.types import Conversation, Query, Session, Turn
from memorai.write.extraction import Extraction
from memorai.write.gate import KeepAll, RuleGate
from memorai.write.lexical import LexicalExtractor
from memorai.write.segment import SessionSegmenter
from tests.toys import CONVERSATION


class CountingEmbedder(HashingEmbedder):
    """Counts the texts that it is asked for."""

    asked = 0

    def embed(self, texts, kind="document"):
        self.asked += len(texts)
        return super().embed(texts, kind)


def walk(damping: float = 0.5) -> PageRankRetriever:
    weights = UniformWeights({"mentioned_in": 1.0, "next": 1.0})
    return PageRankRetriever(FullGraph(), TurnRestart(Lexical(), SoftmaxZ()), weights, damping)


def system(retriever, embedder=None, **options) -> MemorySystem:
    return MemorySystem(retriever, embedder or HashingEmbedder(dim=32), BM25(), lambda turn: turn.text, **options)


def ids(memory: MemorySystem, text: str, k: int = 5, conversation: Conversation = CONVERSATION) -> tuple[str, ...]:
    return memory.index(conversation).search([Query("q", text)], k)[0].ids


def test_finds_the_turn_that_says_it():
    assert ids(system(DirectRetriever(Lexical())), "Who adopted a puppy?")[0] == "t1"
    assert ids(system(walk(), extractor=LexicalExtractor()), "Who adopted a puppy?", k=1) == ("t1",)


def test_ties_go_to_the_earlier_turn():
    assert ids(system(DirectRetriever(Lexical())), "nothing that occurs") == ("t1", "t2", "t3", "t4", "t5")


def test_k_beyond_the_conversation_returns_every_turn_once():
    found = ids(system(walk(), extractor=LexicalExtractor()), "Rome", k=50)
    assert sorted(found) == ["t1", "t2", "t3", "t4", "t5"]


def test_batches_do_not_change_the_ranking():
    queries = [Query(f"q{i}", text) for i, text in enumerate(["Rome", "puppy", "Rex", "name", "called"])]
    whole, single = (
        system(walk(), extractor=LexicalExtractor(), batch_size=size).index(CONVERSATION).search(queries, 5)
        for size in (256, 1)
    )
    assert [r.ids for r in whole] == [r.ids for r in single]
    assert [r.question_id for r in whole] == ["q0", "q1", "q2", "q3", "q4"]


def test_plain_bm25_never_asks_the_embedder_and_says_so():
    embedder = CountingEmbedder(dim=8)
    memory = system(DirectRetriever(Lexical()), embedder)
    ids(memory, "Rome")
    assert embedder.asked == 0
    assert memory.labels()["embedder"] == "none"
    memory = system(DirectRetriever(Dense()), embedder)
    ids(memory, "Rome")
    assert memory.labels() == {"embedder": "hashing", "extractor": "none", "gate": "none"}


def test_the_cache_shares_an_index_only_between_equal_write_paths():
    cache, embedder = IndexCache(), CountingEmbedder(dim=8)

    def asked(key: str, conversation: Conversation = CONVERSATION) -> int:
        before = embedder.asked
        ids(system(DirectRetriever(Dense()), embedder, cache=cache, cache_key=key), "Rome", conversation=conversation)
        return embedder.asked - before - 1  # less the query

    assert asked("a") == 5
    assert asked("a") == 0
    assert asked("b") == 5
    other = Conversation("toy", (CONVERSATION.sessions[0],))
    assert asked("a", other) == 3


def test_conversations_share_nothing():
    ann = Conversation("a", (Session("s", (Turn("x", "s", "Ann", "My code is 1234."),)),))
    bob = Conversation("b", (Session("s", (Turn("y", "s", "Bob", "I like tea."),)),))
    memory = system(walk(), extractor=LexicalExtractor(), cache=IndexCache(), cache_key="same")
    assert ids(memory, "What is the code?", conversation=ann) == ("x",)
    assert ids(memory, "What is the code?", conversation=bob) == ("y",)


def test_the_parts_of_the_write_path_get_the_embedder_once_and_their_results_are_used():
    class Shift(SessionSegmenter):
        given: tuple[object, ...] = ()

        def prepare(self, *given: object) -> None:
            self.given += given

    def merge(extraction: Extraction, turns: Sequence[Turn]) -> Extraction:
        assert turns == CONVERSATION.turns
        return Extraction(tuple(replace(m, key="one") for m in extraction.mentions))

    segmenter = Shift()
    parts = {"segmenter": segmenter, "resolver": merge, "summarize": lambda turns: f"{len(turns)} turns"}
    memory = system(walk(), extractor=LexicalExtractor(), **parts)
    graph = memory.index(CONVERSATION).indexed.graph
    assert segmenter.given == (memory.embedder, memory.text_format)
    assert [entity.key for entity in graph.entities] == ["one"]
    assert [snippet.summary for snippet in graph.snippets] == ["3 turns", "2 turns"]


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="batch_size=0"):
        system(walk(), batch_size=0)
    with pytest.raises(ValueError, match="k=0"):
        ids(system(walk()), "Rome", k=0)
    with pytest.raises(ValueError, match="damping=1"):
        walk(1.0)


class Drops:
    """A gate that drops the turns it is told to."""

    threshold = 0.5

    def __init__(self, *dropped: str) -> None:
        self.dropped = dropped

    def score(self, segments, language="en"):
        return {turn.id: 0.1 if turn.id in self.dropped else 0.9 for s in segments for turn in s.turns}


def test_a_dropped_turn_is_neither_extracted_from_nor_found():
    memory = system(walk(), extractor=LexicalExtractor(), gate=Drops("t1", "t4"))
    index = memory.index(CONVERSATION)
    graph = index.indexed.graph
    assert [turn.id for turn in graph.turns] == ["t2", "t3", "t5"]
    assert all("puppy" not in entity.name for entity in graph.entities)
    assert sorted(ids(memory, "Who adopted a puppy?", k=50)) == ["t2", "t3", "t5"]
    assert index.statistics()["nodes_turn"] == 3
    assert "gate" in index.seconds()
    assert memory.labels()["gate"] == "drops"


def test_a_drop_share_decides_instead_of_the_threshold():
    memory = system(DirectRetriever(Lexical()), gate=Drops("t4"), drop_share=0.4)
    # the lowest score first, then the earliest of the equal ones
    assert sorted(ids(memory, "Rome", k=50)) == ["t2", "t3", "t5"]
    assert memory.labels()["gate"] == "drops 40% dropped"


def test_keeping_all_is_no_gate():
    plain, gated = system(DirectRetriever(Lexical())), system(DirectRetriever(Lexical()), gate=KeepAll())
    assert ids(plain, "Rome") == ids(gated, "Rome")
    assert plain.labels() == gated.labels()


def test_a_conversation_of_nothing_but_greetings_is_an_empty_memory():
    hello = Conversation("c", (Session("s", (Turn("x", "s", "Ann", "Hello!"),)),))
    assert ids(system(DirectRetriever(Lexical()), gate=RuleGate()), "Who?", conversation=hello) == ()


def test_what_is_kept_is_logged(caplog):
    with caplog.at_level("INFO"):
        system(DirectRetriever(Lexical()), gate=Drops("t4")).index(CONVERSATION)
    assert "toy: kept 4 of 5 turns" in caplog.text


class Backwards:
    """Reranks by turning the order round."""

    name = "backwards"

    def rerank(self, view, retrieved):
        return Retrieved(-retrieved.scores, retrieved.info)


def test_a_reranker_has_the_last_word_and_a_label_and_shares_the_index():
    cache, embedder = IndexCache(), CountingEmbedder(dim=32)
    shared = {"embedder": embedder, "cache": cache, "cache_key": "same"}
    plain, turned = (system(DirectRetriever(Dense()), reranker=reranker, **shared) for reranker in (None, Backwards()))
    found = ids(plain, "Who adopted a puppy?")
    asked = embedder.asked
    assert ids(turned, "Who adopted a puppy?") == found[::-1]
    assert embedder.asked == asked + 1  # the query alone
    assert "reranker" not in plain.labels() and turned.labels()["reranker"] == "backwards"
