"""One query: seeds by cosine and BM25, a walk over shared words, entities, facts and neighbours, the best turns.

The composition is `memorai_plus` (conf/system/memorai_plus.yaml), which walks over the whole graph. So does this up to
`Settings.exact_turns`; in a larger store it walks over the neighbourhood of the best seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from memorai.recall.arrays import top, top_positive
from memorai.recall.dense import cosines
from memorai.recall.facts import Focus
from memorai.recall.live import LiveIndex
from memorai.recall.settings import Settings
from memorai.recall.walk import Walk, walk

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
#: more answers than this, and a question was not about one of them
_MOST_ANSWERS = 50
#: shares two turns by a node: ("word", hash), ("entity", number); or itself a turn: ("turn", row)
Node = tuple[str, int]
#: in the order in which `Graph` holds them
KINDS_OF_EDGES = ("next", "shared_word", "mention", "relation")


@dataclass(frozen=True)
class Asked:
    """A query as the index sees it.

    Args:
        vector: unit vector float32 [d], or None where the embedder does not know its language.
        terms: hashes of its terms.
        at: microseconds: facts count that hold then.
        past: a time was asked for: what was said after ``at`` counts less.
        before: microseconds: only what was said before; None = all.
        kinds: kinds of facts that it asks for, as places in `memorai.write.predicates.KINDS`.
        named: entities that it names, or means by "I".
    """

    vector: npt.NDArray[np.float32] | None
    terms: npt.NDArray[np.uint64]
    at: int
    past: bool = False
    before: int | None = None
    kinds: tuple[int, ...] = ()
    named: tuple[int, ...] = ()


@dataclass(frozen=True)
class Hit:
    """A turn that was found: its row, score, restart mass, cosine, BM25, and the way by which its mass came."""

    row: int
    score: float
    seed: float
    cosine: float
    bm25: float
    path: tuple[Node, ...]


@dataclass(frozen=True)
class Trace:
    """A walk before its best turns are taken: rows and factors of its turns, graph, walk, BM25 of every row."""

    rows: Ints
    graph: Graph
    found: Walk
    factors: Floats
    bm25: Floats

    @property
    def scores(self) -> Floats:
        """float64 [turns], by which they are ranked."""
        scores: Floats = self.found.scores[: len(self.rows)] * self.factors
        return scores


def search(index: LiveIndex, asked: Asked, k: int, settings: Settings) -> list[Hit]:
    """Return the k best turns, best first; ties go to the earlier turn."""
    traced = None if k < 1 else trace(index, asked, settings)
    if traced is None:
        return []
    rows, graph, found, scores = traced.rows, traced.graph, traced.found, traced.scores
    best = top(scores, k)
    near = np.zeros(len(best)) if asked.vector is None else cosines(index.dense.gather(rows[best]), asked.vector)
    return [
        Hit(
            row=int(rows[place]),
            score=float(scores[place]),
            seed=float(found.restart[place]),
            cosine=float(cosine),
            bm25=float(traced.bm25[rows[place]]),
            path=tuple(graph.label(node) for node in found.path(place)),
        )
        for place, cosine in zip(best.tolist(), near, strict=True)
    ]


def trace(index: LiveIndex, asked: Asked, settings: Settings) -> Trace | None:
    """Return the walk of a query; None where there is no turn to find."""
    usable = index.in_use if asked.before is None else index.in_use & (index.times < asked.before)
    count = int(usable.sum())
    if not count:
        return None
    seeds = _seeds(index, asked, usable, settings)
    factors = index.facts.factors(asked.at, index.times, settings.stale, settings.later if asked.past else None)
    focus = None
    if asked.kinds and settings.fact_share:
        named = np.array(asked.named, dtype=np.int64)
        focus = index.facts.focus(asked.kinds, named, asked.at, _MOST_ANSWERS)
    if focus is not None:
        factors = _aside(index, focus, factors, settings.aside)
        seeds = _with_answers(seeds, focus.rows[usable[focus.rows]], settings.fact_share / 2)
    mass = seeds.mass if factors is None else seeds.mass * factors[seeds.rows]
    exact = count <= settings.exact_turns
    rows = np.flatnonzero(usable) if exact else _neighbourhood(index, seeds.rows, mass, usable, settings)
    restart = np.zeros(len(rows))
    at = np.searchsorted(rows, seeds.rows)
    inside = (at < len(rows)) & (rows[np.minimum(at, len(rows) - 1)] == seeds.rows)
    restart[at[inside]] = mass[inside]
    answers = np.empty(0, np.int64) if focus is None else focus.objects
    graph = _graph(index, rows, count, asked.at, answers, settings)
    restart = np.concatenate([restart, np.zeros(graph.num_nodes - len(rows))])
    at = graph.num_nodes - len(graph.entities) + np.flatnonzero(np.isin(graph.entities, answers))
    if at.size and restart.sum() > 0:
        restart[at] = settings.fact_share / (1 - settings.fact_share) * restart.sum() / at.size
    found = walk(graph.num_nodes, graph.source, graph.target, graph.weight, restart, settings.damping)
    factor = np.ones(len(rows)) if factors is None else factors[rows]
    return Trace(rows, graph, found, factor, seeds.bm25)


def _aside(index: LiveIndex, focus: Focus, factors: Floats | None, aside: float) -> Floats | None:
    """Lower the turns about entities that facts of the kind asked for name only for another time."""
    if not focus.others.size:
        return factors
    about = np.zeros(len(index), dtype=bool)
    about[index.entities.rows_of(focus.others)[1]] = True
    about[index.entities.rows_of(focus.objects)[1]] = False
    out = np.ones(len(index)) if factors is None else factors
    out[about] = np.minimum(out[about], aside)
    return out


def _with_answers(seeds: _Seeds, rows: Ints, share: float) -> _Seeds:
    """Give the turns that state what holds a share of the mass, on top of their own."""
    if not rows.size or not seeds.mass.sum():
        return seeds
    every = np.union1d(seeds.rows, rows)
    mass = np.zeros(every.size)
    mass[np.searchsorted(every, seeds.rows)] = seeds.mass
    mass[np.searchsorted(every, rows)] += share / (1 - share) * seeds.mass.sum() / rows.size
    return _Seeds(every, mass, seeds.bm25)


@dataclass(frozen=True)
class _Seeds:
    rows: Ints  # increasing
    mass: Floats
    bm25: Floats  # of every row


def _seeds(index: LiveIndex, asked: Asked, usable: npt.NDArray[np.bool_], settings: Settings) -> _Seeds:
    """The softmax of the fused z-scores over all turns; in a large store only its head is kept."""
    bm25 = index.words.scores(asked.terms, int(index.in_use.sum()))
    every = np.flatnonzero(usable)
    exact = len(every) <= settings.exact_turns
    narrow = None if exact or asked.vector is None else index.dense.nearest(asked.vector, 4 * settings.seeds)
    if narrow is None:
        rows, sample = every, every
        cosine = None if asked.vector is None else index.dense.scores(asked.vector)[rows]
        sampled = cosine
    else:
        lexical = top_positive(np.where(usable, bm25, 0.0), 4 * settings.seeds)
        rows = np.unique(np.concatenate([narrow[usable[narrow]], lexical]))
        sample, sample_vectors = index.dense.sample()
        vector = asked.vector
        assert vector is not None
        cosine = cosines(index.dense.gather(rows), vector)
        sampled = cosines(sample_vectors, vector)[usable[sample]]
        sample = sample[usable[sample]]
    mean, spread = _moments(bm25[every])
    lexical_z = [settings.lexical * _z(bm25[part], mean, spread) for part in (rows, sample)]
    fused, spread_of = lexical_z
    if cosine is not None and sampled is not None:
        mean, spread = _moments(sampled)
        fused = fused + settings.dense * _z(cosine, mean, spread)
        spread_of = spread_of + settings.dense * _z(sampled, mean, spread)
    z = _z(fused, *_moments(spread_of))
    mass = np.exp((z - z.max(initial=0.0)) / settings.temperature)
    if not exact and len(rows) > settings.seeds:
        kept = np.sort(top(z, settings.seeds))
        rows, mass = rows[kept], mass[kept]
    return _Seeds(rows, mass, bm25)


def _moments(values: Floats) -> tuple[float, float]:
    return (float(values.mean()), float(values.std())) if values.size else (0.0, 0.0)


def _z(values: Floats, mean: float, spread: float) -> Floats:
    # a spread that is rounding noise of the values' own size is no spread
    noise = 1e-12 * float(np.abs(values).max(initial=0.0))
    return (values - mean) / spread if spread > noise else np.zeros(values.size)


def _neighbourhood(
    index: LiveIndex, seeds: Ints, mass: Floats, usable: npt.NDArray[np.bool_], settings: Settings
) -> Ints:
    """The seeds and the turns to which most of their mass would go in a step; increasing."""
    gain = np.zeros(len(index))
    for link in (index.next, index.previous):
        for steps in range(2):
            neighbours = link[seeds]
            if steps:
                neighbours = np.where(neighbours >= 0, link[neighbours], -1)
            there = neighbours >= 0
            np.add.at(gain, neighbours[there], settings.next_weight * mass[there] / (1 + steps))
    for incidence in (index.words.own, index.entities):
        owner, items, _ = incidence.items_of(seeds)
        df = incidence.df[items]
        linking = (df >= 2) & (df <= settings.max_df)
        weights = mass[owner[linking]] * settings.shared_weight * np.log1p(len(index) / df[linking])
        distinct, inverse = np.unique(items[linking], return_inverse=True)
        given = np.bincount(inverse, weights=weights, minlength=distinct.size)
        place, rows, _ = incidence.rows_of(distinct)
        gain += np.bincount(rows, weights=(given / incidence.df[distinct])[place], minlength=gain.size)[: gain.size]
    gain[seeds] = np.inf
    gain[~usable] = -np.inf
    return np.sort(top_positive(gain, max(settings.candidates, len(seeds))))


@dataclass(frozen=True)
class Graph:
    """Edges between places: turns first, then shared words and entities."""

    source: Ints
    target: Ints
    weight: Floats
    kind: Ints  # places in KINDS_OF_EDGES
    words: Ints
    entities: Ints
    rows: Ints
    index: LiveIndex

    @property
    def num_nodes(self) -> int:
        """Turns, words and entities."""
        return len(self.rows) + len(self.words) + len(self.entities)

    def label(self, node: int) -> Node:
        """What a node is."""
        if node < len(self.rows):
            return "turn", int(self.rows[node])
        node -= len(self.rows)
        if node < len(self.words):
            return "word", self.index.words.word_of(int(self.words[node]))
        return "entity", int(self.entities[node - len(self.words)])


def _graph(index: LiveIndex, rows: Ints, count: int, at: int, answers: Ints, settings: Settings) -> Graph:
    """The graph of some turns (increasing): what they share, what holds between that, and who follows whom."""
    edges: list[tuple[Ints, Ints, Floats]] = []
    following = index.next[rows]
    place = np.minimum(np.searchsorted(rows, following), len(rows) - 1)
    linked = np.flatnonzero((following >= 0) & (rows[place] == following))
    edges.append((linked, place[linked], np.full(linked.size, settings.next_weight)))
    offset, found = len(rows), []
    for incidence in (index.words.own, index.entities):
        owner, items, _ = incidence.items_of(rows)
        df = incidence.df[items]
        linking = (df >= 2) & (df <= settings.max_df)
        if incidence is index.entities:
            linking |= np.isin(items, answers)
        distinct, inverse = np.unique(items[linking], return_inverse=True)
        weights = settings.shared_weight * np.log1p(count / df[linking])
        edges.append((owner[linking], offset + inverse, weights))
        found.append(distinct.astype(np.int64))
        offset += distinct.size
    words, entities = found
    edges.append(_relations(index, entities, len(rows) + len(words), at, settings))
    source, target, weight = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    kind = np.repeat(np.arange(len(edges)), [len(part[0]) for part in edges])
    return Graph(source, target, weight, kind, words, entities, rows, index)


def _relations(index: LiveIndex, entities: Ints, offset: int, at: int, settings: Settings) -> tuple[Ints, Ints, Floats]:
    """Edges between the entities (increasing) of which a relation holds."""
    from_, to = (np.searchsorted(entities, ends) for ends in index.facts.holding(at, entities))
    return offset + from_, offset + to, np.full(from_.size, settings.relation_weight)
