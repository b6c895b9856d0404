"""BM25 over the turns of one conversation."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Literal, get_args

import bm25s
import numpy as np

from memorai.errors import InputError
from memorai.index.tokenize import Tokenizer

# bm25s sets its own logger to DEBUG, and a line for each conversation would reach every handler
logging.getLogger("bm25s").setLevel(logging.WARNING)

Method = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]


class BM25:
    """BM25's parameters; `fit` makes an index of a collection.

    score(D, Q) = sum over the terms t of Q, repeats counted, of idf(t) tf / (tf + k1 (1 - b + b |D| / avg|D|)),
    with idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)): method ``lucene`` of Kamphuis et al., "Which BM25 Do You
    Mean?", ECIR 2020, which describes the other methods too.

    Args:
        tokenizer: makes terms of documents and queries.
        k1: saturation of the term frequency, > 0.
        b: how much the length of a document counts, in [0, 1].
        method: variant of the formula.

    Raises:
        InputError: a value is out of its range.
    """

    def __init__(
        self, tokenizer: Tokenizer | None = None, k1: float = 1.2, b: float = 0.75, method: Method = "lucene"
    ) -> None:
        if not 0 < k1 < float("inf") or not 0 <= b <= 1 or method not in get_args(Method):
            known = ", ".join(get_args(Method))
            raise InputError(
                f"lexical: k1={k1}, b={b}, method={method}; use k1 > 0, 0 <= b <= 1, method one of {known}"
            )
        self.tokenizer = tokenizer or Tokenizer()
        self.k1 = k1
        self.b = b
        self.method = method

    def fit(self, texts: Sequence[str], language: str = "en") -> BM25Index:
        """Return the index of ``texts``, which may be none."""
        return self.fit_terms([self.tokenizer(text, language) for text in texts], language)

    def fit_terms(self, documents: Sequence[Sequence[str]], language: str = "en") -> BM25Index:
        """Return the index of documents whose terms are known, as the tokenizer would make them."""
        return BM25Index(self, documents, language)


class BM25Index:
    """The collection of one `BM25.fit`, immutable."""

    def __init__(self, settings: BM25, terms: Sequence[Sequence[str]], language: str) -> None:
        self.num_documents = len(terms)
        self.language = language
        self._tokenizer = settings.tokenizer
        # ids in order of appearance: bm25s itself would number its vocabulary in the order of a set
        self._vocabulary: dict[str, int] = {}
        documents = [
            [self._vocabulary.setdefault(term, len(self._vocabulary)) for term in document] for document in terms
        ]
        self._scorer: bm25s.BM25 | None = None
        if self._vocabulary:  # bm25s cannot index a collection without any term
            scorer = bm25s.BM25(k1=settings.k1, b=settings.b, method=settings.method, backend="numpy")
            scorer.index((documents, self._vocabulary), create_empty_token=False, show_progress=False)
            self._scorer = scorer

    @property
    def nbytes(self) -> int:
        """Bytes of the inverted index's arrays; the vocabulary's strings are not counted."""
        arrays = self._scorer.scores.values() if self._scorer is not None else ()
        return sum(int(getattr(array, "nbytes", 0)) for array in arrays)

    def scores(self, queries: Sequence[str]) -> np.ndarray:
        """Return float32 [n_documents, Q]; a column is zero where no term of the query is known."""
        return self.scores_of_terms([self._tokenizer(query, self.language) for query in queries])

    def scores_of_terms(self, queries: Sequence[Sequence[str]]) -> np.ndarray:
        """Return what `scores` does, for queries that the index's tokenizer has split already."""
        out = np.zeros((len(queries), self.num_documents), dtype=np.float32)
        for row, terms in zip(out, queries, strict=True):
            ids = [self._vocabulary[term] for term in terms if term in self._vocabulary]
            if ids and self._scorer is not None:
                row[:] = self._scorer.get_scores_from_ids(ids)
        return out.T
