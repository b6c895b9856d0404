from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.harness.grid import Cell
from memorai.harness.write_path import (
    STAGES,
    CellRun,
    Job,
    SharedExtractor,
    SharedGate,
    SharedSegmenter,
    run_cells,
)
from memorai.index.lexical import BM25
from memorai.index.tokenize import Tokenizer
from memorai.models.embedders import HashingEmbedder
from memorai.models.llm import ACCOUNTING, StageUse
from memorai.retrieval.retrievers import DirectRetriever
from memorai.retrieval.scores import Lexical
from memorai.systems.memory_system import MemorySystem
from memorai.types import Conversation, Dataset
from memorai.write.segment import SessionSegmenter
from memorai.write.stems import StemExtractor
from tests.toys import CONVERSATION

OTHER = Conversation("other", CONVERSATION.sessions[:1], CONVERSATION.questions[1:2])
DATASET = Dataset("toy", "1", "0" * 64, (CONVERSATION, OTHER, Conversation("mute", CONVERSATION.sessions)))


class Counting:
    """A gate that drops t2 and t4 at its threshold, and counts what it is asked."""

    name, threshold = "counting", 0.5

    def __init__(self):
        self.asked = []

    def score(self, segments, language="en"):
        self.asked.append([turn.id for segment in segments for turn in segment.turns])
        return {id_: 0.1 if id_ in ("t2", "t4") else 0.9 for id_ in self.asked[-1]}


def run(*shares, gate=None):
    shared = (SharedSegmenter(SessionSegmenter()), SharedGate(gate or Counting()), SharedExtractor(StemExtractor()))
    jobs = []
    for share in shares:
        segmenter, gated, extractor = shared
        system = MemorySystem(
            DirectRetriever(Lexical()),
            HashingEmbedder(dim=16),
            BM25(Tokenizer()),
            lambda turn: turn.text,
            segmenter=segmenter,
            gate=gated,
            extractor=extractor,
            drop_share=share,
        )
        jobs.append(Job(CellRun(Cell("toy", "session", "counting", "stems", share), "untrained"), system, *shared))
    return run_cells(DATASET, jobs, k=5, progress=False)


def test_what_a_cell_keeps_and_loses_is_counted_by_conversation():
    (done,) = run(None)
    # t4 is the evidence of toy:q0; the conversation without a question is not written
    assert [(w.turns, w.kept, w.gold, w.lost) for w in done.written] == [(5, 3, 3, 1), (3, 2, 2, 0)]
    assert done.written[0].counts["nodes_turn"] == 3 and done.written[0].counts["nodes_snippet"] == 2
    assert set(done.rankings) == {"toy:q0", "toy:q1"}
    assert "t4" not in done.rankings["toy:q0"].ids


def test_cells_that_share_a_part_share_its_work_and_its_time():
    gate = Counting()
    half, most, again = run(0.5, 0.2, 0.5, gate=gate)
    assert gate.asked == [["t1", "t2", "t3", "t4", "t5"], ["t1", "t2", "t3"]]
    assert [w.kept for w in half.written] == [3, 2] and [w.kept for w in most.written] == [4, 3]
    for first, second in zip(half.written, again.written, strict=True):
        assert list(first.seconds) == list(STAGES)
        # the build alone is done again
        assert {**first.seconds, "build": 0.0} == {**second.seconds, "build": 0.0}
        assert first.counts == second.counts
    assert half.written[0].seconds["extract"] > 0


def test_use_of_language_models_is_charged_to_the_first_cell_that_asks():
    class Asking(Counting):
        def score(self, segments, language="en"):
            ACCOUNTING.merge([StageUse("gate", calls=len(segments))])
            return super().score(segments, language)

    ACCOUNTING.merge([StageUse("gate", calls=100)])
    first, second = run(None, 0.5, gate=Asking())
    assert [use.calls for use in first.costs.uses()] == [3]
    assert second.costs.uses() == []


def test_shared_parts_change_nothing():
    (done,) = run(0.5)
    plain = MemorySystem(
        DirectRetriever(Lexical()),
        HashingEmbedder(dim=16),
        BM25(Tokenizer()),
        lambda turn: turn.text,
        extractor=StemExtractor(),
        gate=Counting(),
        drop_share=0.5,
    )
    ranking = plain.index(CONVERSATION).search([CONVERSATION.questions[0].query], 5)[0]
    assert (ranking.ids, ranking.scores) == (done.rankings["toy:q0"].ids, done.rankings["toy:q0"].scores)


def test_a_data_set_without_evidence_is_refused():
    with pytest.raises(InputError, match="nothing to score"):
        run_cells(Dataset("mute", "1", "0" * 64, (DATASET.conversations[2],)), [], 5, False)
