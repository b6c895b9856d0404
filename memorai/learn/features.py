"""What speaks for a turn: the evidence that a learned scorer weighs, as an array of a row a (question, turn)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from weakref import WeakKeyDictionary

import numpy as np
import torch

from memorai.learn.cues import PAIR_CUES, QUERY_CUES, TURN_CUES, PairCues, query_cues, turn_cues, without_names
from memorai.learn.walks import WALKS, StaticWalks
from memorai.models.cache import ByteCache, content_key
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.retrieval.neighbours import Sessions
from memorai.retrieval.scores import TurnScorer, z_score

NAMESPACE = "evidence"
#: what is computed changed: cached arrays of another version are not read
VERSION = 2
#: by which the candidates of a question are chosen, and which ranks the turns beyond them
CANDIDATES = "walk/all"
#: turns before and after whose scores are evidence for a turn
_STEPS = (-2, -1, 1, 2)


@dataclass(frozen=True)
class Features:
    """Evidence of Q questions over n turns: float32 [Q, n, F] and the F names, ``family/name`` each."""

    names: tuple[str, ...]
    values: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """Return one feature [Q, n]."""
        return self.values[..., self.names.index(name)]


def identity_of(scorer: TurnScorer) -> str:
    """Return what a scorer computes, for keys and cards: its kind, and its model where it has one of its own."""
    return f"{type(scorer).__name__}({getattr(scorer, 'model_id', '')})"


def _variants(scorer: TurnScorer) -> list[tuple[str, TurnScorer]]:
    return list(getattr(scorer, "variants", dict)().items())


class Evidence:
    """Computes the features of a view.

    Families: ``match`` (each scorer's z-score over the conversation, BM25 of several fields, the share of the
    question's idf found), ``near`` (scores of the turns around), ``session`` (maximum and mean), ``walk`` (z-scored
    log-PageRank, see `WALKS`, and one of each scorer's own), ``turn``, ``pair`` and ``query`` (`memorai.learn.cues`),
    ``cross`` (products that let a linear scorer read a score in its context).

    Args:
        fused: scorers whose z-scores are summed to the seeds of the walks; each is evidence of every kind too.
            A scorer with `variants` (see `memorai.retrieval.late.LateInteraction`) adds a feature for each.
        weights: of the fused scorers' z-scores; default 1 each.
        single: more scorers, each a feature of its own and no seed.
        cache: where arrays are kept: True for the default `ByteCache`, False for nowhere.
    """

    def __init__(
        self,
        fused: Mapping[str, TurnScorer],
        weights: Mapping[str, float] | None = None,
        single: Mapping[str, TurnScorer] | None = None,
        cache: bool | ByteCache = True,
    ) -> None:
        if not fused:
            raise ValueError("evidence needs at least one scorer to fuse")
        self.fused = dict(fused)
        self.single = {
            f"{name}_{kind}": scorer for name, part in self.fused.items() for kind, scorer in _variants(part)
        }
        self.single |= dict(single or {})
        self.weights = {name: float((weights or {}).get(name, 1.0)) for name in self.fused}
        walks = [asdict(walk) for walk in WALKS.values()]
        parts = [f"{name}={identity_of(scorer)}*{self.weights[name]}" for name, scorer in self.fused.items()]
        parts += [f"{name}={identity_of(scorer)}" for name, scorer in self.single.items()]
        self.identity = content_key(VERSION, str(walks), *parts)
        self._cache = ByteCache() if cache is True else cache or None
        self._turns: WeakKeyDictionary[IndexedGraph, _Turns] = WeakKeyDictionary()

    @property
    def names(self) -> tuple[str, ...]:
        """The F names in the order of the columns."""
        base = [*self.fused, "fused"]
        return (
            *(f"match/{name}" for name in (*base, *self.single, *_FIELDS, "overlap", "rarest")),
            *(f"near/{name}{step:+d}" for name in (*base, "text") for step in _STEPS),
            *(f"session/{name}" for name in (*base, "mean")),
            *(f"walk/{name}" for name in (*WALKS, *self.fused)),
            *(f"turn/{name}" for name in TURN_CUES),
            *(f"pair/{name}" for name in PAIR_CUES),
            *(f"query/{name}" for name in QUERY_CUES),
            *(f"cross/{name}" for name in ("answers", "speaker", "asks")),
        )

    def __call__(self, view: QueryView) -> Features:
        """Return the features of every turn for every question."""
        shape = (len(view), len(view.graph.turns), len(self.names))
        if not self._cache:
            return Features(self.names, self._compute(view))
        lexical = f"{vars(view.indexed.lexical)}{vars(view.indexed.lexical.tokenizer)}"
        lexical = re.sub(r"<[^>]*>", "", lexical)  # addresses of objects
        turns = [f"{t.id}\0{t.session_id}\0{view.indexed.text_format(t)}\0{t.role}" for t in view.graph.turns]
        texts = [query.text for query in view.queries]
        key = content_key(self.identity, view.indexed.embedder.model_id, lexical, len(turns), *turns, *texts)
        blob = self._cache.get_many(NAMESPACE, [key]).get(key)
        if blob is None or len(blob) != 2 * int(np.prod(shape)):
            blob = self._compute(view).astype("<f2").tobytes()
            self._cache.put_many(NAMESPACE, {key: blob})
        return Features(self.names, np.frombuffer(blob, dtype="<f2").reshape(shape).astype(np.float32))

    def _compute(self, view: QueryView) -> np.ndarray:
        queries = view.queries
        n, q = len(view.graph.turns), len(queries)
        if not n or not q:
            return np.zeros((q, n, len(self.names)), dtype=np.float32)
        if view.indexed not in self._turns:
            self._turns[view.indexed] = _Turns(view.indexed)
        turns = self._turns[view.indexed]
        sessions = turns.sessions
        scores = {name: z_score(scorer.score(view)).cpu().numpy() for name, scorer in self.fused.items()}
        total = np.zeros((n, q)) + sum(weight * scores[name] for name, weight in self.weights.items())
        scores["fused"] = _z(total)
        fields = turns.scores(view)
        single = [scorer.score(view).cpu().numpy() for scorer in self.single.values()]
        matches = _each_z([*single, *(fields[name] for name in _FIELDS)])
        columns = [*scores.values(), *matches, fields["overlap"], fields["rarest"]]
        near = np.stack([*scores.values(), matches[len(single) + _FIELDS.index("text")]], axis=-1)
        shifted = [sessions.shifted(near, step) for step in _STEPS]
        columns += [values[..., i] for i in range(near.shape[-1]) for values in shifted]
        best = sessions.maximum(near[..., :-1])
        columns += [best[..., i] for i in range(best.shape[-1])]
        columns.append(sessions.mean(scores["fused"]))
        columns += turns.walks(view, scores["fused"], [scores[name] for name in self.fused])
        own, pairs = turns.cues, turns.pairs(queries)
        columns += [np.broadcast_to(column[:, None], (n, q)) for column in own.T]
        columns += [pairs[..., i] for i in range(len(PAIR_CUES))]
        terms = [len(view.indexed.lexical.tokenizer(query.text, view.indexed.language)) for query in queries]
        columns += [np.broadcast_to(column[None, :], (n, q)) for column in query_cues(queries, terms).T]
        asks, follows = own[:, TURN_CUES.index("asks")], own[:, TURN_CUES.index("follows_asking")]
        columns.append(follows[:, None] * sessions.shifted(scores["fused"], -1))
        columns += [pairs[..., 0] * scores["fused"], asks[:, None] * scores["fused"]]
        out = np.empty((q, n, len(columns)), dtype=np.float32)
        for i, column in enumerate(columns):
            out[..., i] = column.T
        return out


_FIELDS = ("text", "caption", "around", "whole_session")


class _Turns:
    """All that is the same for every question, made once a graph.

    Sessions, cues and walks of the turns, BM25 of their parts and of their surroundings, and where each term is.
    """

    def __init__(self, indexed: IndexedGraph) -> None:
        turns, lexical, language = indexed.graph.turns, indexed.lexical, indexed.language
        self.sessions = sessions = Sessions.of(turns)
        self.cues, self.pairs, self.walks = turn_cues(turns, sessions), PairCues(turns), StaticWalks(indexed)
        # each turn is tokenised once: a blank always ends a term, so terms of joined texts are the joined terms
        captions = [lexical.tokenizer(turn.caption or "", language) for turn in turns]
        terms = [lexical.tokenizer(turn.text, language) + own for turn, own in zip(turns, captions, strict=True)]
        groups = [terms[i:j] for i, j in zip(sessions.starts, [*sessions.starts[1:], len(terms)], strict=True)]
        documents = {
            "text": terms,
            "caption": captions,
            "around": [_joined(group[max(0, i - 1) : i + 2]) for group in groups for i in range(len(group))],
            "whole_session": [_joined(group) for group in groups],
        }
        self.bm25 = {name: lexical.fit_terms(parts, language) for name, parts in documents.items()}
        self.speakers = list(dict.fromkeys(turn.speaker for turn in turns))
        self.holding: dict[str, list[int]] = {}
        for i, own in enumerate(terms):
            for term in dict.fromkeys(own):
                self.holding.setdefault(term, []).append(i)

    def scores(self, view: QueryView) -> dict[str, np.ndarray]:
        """Return [n, Q] by field, and the share of the question's idf that a turn holds (``overlap``, ``rarest``).

        The question goes without the speakers' names: the index's own BM25 has them.
        """
        tokenizer, language = view.indexed.lexical.tokenizer, view.indexed.language
        questions = [tokenizer(without_names(query.text, self.speakers), language) for query in view.queries]
        found = {name: index.scores_of_terms(questions) for name, index in self.bm25.items()}
        found["whole_session"] = found["whole_session"][self.sessions.number]
        n = len(view.graph.turns)
        overlap = np.zeros((n, len(questions)), dtype=np.float32)
        rarest = np.zeros_like(overlap)
        for column, question in enumerate(questions):
            weigh = {t: np.log1p(n / len(self.holding.get(t, " "))) for t in question}
            for term, idf in weigh.items():
                places = self.holding.get(term, [])
                overlap[places, column] += idf / sum(weigh.values())
                rarest[places, column] = np.maximum(rarest[places, column], idf / np.log1p(n))
        return {**found, "overlap": overlap, "rarest": rarest}


def _joined(parts: Sequence[Sequence[str]]) -> list[str]:
    return [term for part in parts for term in part]


def _each_z(scores: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Z-scores of several arrays [n, Q] at once."""
    return np.split(_z(np.concatenate(scores, axis=1)), len(scores), axis=1) if scores else []


def _z(scores: np.ndarray) -> np.ndarray:
    return z_score(torch.from_numpy(np.ascontiguousarray(scores, dtype=np.float64))).numpy()
