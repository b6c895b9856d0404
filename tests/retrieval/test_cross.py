from __future__ import annotations

import numpy as np

from memorai.retrieval.cross import CrossEncoderScores
from memorai.retrieval.rerank import CrossEncoderReranker
from memorai.retrieval.retrievers import DirectRetriever
from memorai.retrieval.scores import Lexical
from tests.toys import toy_view


class LengthEncoder:
    name = "length"
    languages = ("en",)

    def score(self, pairs):
        return np.array([float(len(document)) for _, document in pairs], np.float32)


def scores(depth, **options):
    reranker = CrossEncoderReranker(LengthEncoder(), lambda turns, i: turns[i].text, depth=depth)
    view = toy_view(texts=["Rex in Rome", "puppy"], **options)
    return CrossEncoderScores(reranker, DirectRetriever(Lexical())).score(view)


def test_what_was_read_gets_its_logit_and_the_rest_the_least_of_them():
    # best by BM25: t5 "Rex loves Rome." (15), then t4 "I moved to Rome." (16) or t3 "He is called Rex." (17)
    found = scores(2)[:, 0].tolist()
    assert found[4] == 15
    assert sorted(found)[:4] == [15, 15, 15, 15] and max(found) in (16, 17)


def test_an_unknown_language_scores_nothing():
    assert not scores(2, language="zh").any()
