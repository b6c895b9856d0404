"""A graph with what makes it searchable (`IndexedGraph`), and a batch of queries looking at it (`QueryView`).

Everything is computed on first use and kept, so that a system pays only for what its parts ask for: plain BM25 never
loads an embedder, plain dense retrieval never builds an inverted index.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import torch
from torch import Tensor

from memorai.errors import InputError
from memorai.graph.schema import ENTITY, RELATION, SNIPPET, TURN, EdgeType, MemoryGraph
from memorai.index.lexical import BM25, BM25Index
from memorai.models.embedders import Embedder
from memorai.retrieval.pagerank import Block
from memorai.timing import Stopwatch
from memorai.types import Query, Turn

#: the relation edges, where a kind of text is asked for
RELATION_KIND = RELATION[1]

#: what stands for a node type in the embedding space: its own text, or the mean of its turns' vectors
TextSource = Literal["text", "centroid"]

T = TypeVar("T")


class IndexedGraph:
    """A memory graph, its texts, and the vectors and statistics of those texts.

    Args:
        graph: the structure.
        embedder: turns texts into unit vectors.
        lexical: BM25 settings; statistics are those of this graph's turns.
        text_format: what embedder and BM25 see of a turn.
        language: of the conversation, for stemming and stop words.
        entity_vectors: ``text`` embeds "name: description", ``centroid`` is the mean vector of the entity's turns.
        snippet_vectors: ``text`` embeds the summary (the verbatim span where there is none), ``centroid`` likewise.
        device: where similarities and the walk are computed.
        watch: counts the time of what is computed on first use.
    """

    def __init__(
        self,
        graph: MemoryGraph,
        embedder: Embedder,
        lexical: BM25,
        text_format: Callable[[Turn], str],
        language: str = "en",
        entity_vectors: TextSource = "text",
        snippet_vectors: TextSource = "text",
        device: str | torch.device = "cpu",
        watch: Stopwatch | None = None,
    ) -> None:
        for name, source in (("entity_vectors", entity_vectors), ("snippet_vectors", snippet_vectors)):
            if source not in get_args(TextSource):
                raise InputError(f"{name}={source} is not one of {', '.join(get_args(TextSource))}")
        self.graph = graph
        self.embedder = embedder
        self.lexical = lexical
        self.text_format = text_format
        self.language = language
        self.device = torch.device(device)
        self.watch = watch or Stopwatch()
        self._source: dict[str, TextSource] = {ENTITY: entity_vectors, SNIPPET: snippet_vectors}
        self._vectors: dict[str, Tensor] = {}
        self._blocks: dict[tuple[EdgeType, bool], Block] = {}
        self._kept: dict[Hashable, Any] = {}

    @cached_property
    def turn_texts(self) -> tuple[str, ...]:
        """Formatted text of every turn node."""
        return tuple(self.text_format(turn) for turn in self.graph.turns)

    @cached_property
    def bm25(self) -> BM25Index:
        """BM25 over the turn texts."""
        with self.watch("index_lexical"):
            return self.lexical.fit(self.turn_texts, self.language)

    def texts(self, kind: str) -> tuple[str, ...]:
        """What an embedder sees of each node of a type, or of each relation edge (``kind="relation"``)."""
        if kind == TURN:
            return self.turn_texts
        if kind == ENTITY:
            return tuple(entity.description or entity.name for entity in self.graph.entities)
        if kind == SNIPPET:
            place = {turn.id: i for i, turn in enumerate(self.graph.turns)}
            return tuple(
                snippet.summary or "\n".join(self.turn_texts[place[t]] for t in snippet.turn_ids)
                for snippet in self.graph.snippets
            )
        name = {entity.key: entity.name for entity in self.graph.entities}
        return tuple(f"{name[r.source]} {r.text} {name[r.target]}" for r in self.graph.relations)

    def vectors(self, kind: str) -> Tensor:
        """Unit vectors float32 [n, d] of a node type or of the relation edges."""
        if kind not in self._vectors:
            with self.watch("embed_documents"):
                if self._source.get(kind) == "centroid":
                    self._vectors[kind] = self._centroids(kind)
                else:
                    self._vectors[kind] = torch.from_numpy(self.embedder.embed(self.texts(kind))).to(self.device)
        return self._vectors[kind]

    def block(self, edge_type: EdgeType, static: bool = True) -> Block:
        """The edges of a type as a sparse block, with their static weights or with weight 1 each."""
        key = (edge_type, static)
        if key not in self._blocks:
            edges = self.graph.edges[edge_type]
            weight = torch.from_numpy(edges.weight).to(self.device, torch.float64)
            self._blocks[key] = Block(
                source_rows=self.graph.rows(edge_type[0]),
                target_rows=self.graph.rows(edge_type[2]),
                source=torch.from_numpy(edges.index[0]).to(self.device),
                target=torch.from_numpy(edges.index[1]).to(self.device),
                weight=weight if static else torch.ones_like(weight),
            )
        return self._blocks[key]

    def kept(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return what a part of the read path derives from this graph, built on first use; equal keys share it."""
        if key not in self._kept:
            self._kept[key] = build()
        return self._kept[key]

    def nbytes(self) -> int:
        """Return the bytes of the vectors, blocks and inverted indexes that exist by now; texts are not counted."""
        blocks = [*self._blocks.values(), *(part for part in self._kept.values() if isinstance(part, Block))]
        held = [*self._vectors.values(), *(part for part in self._kept.values() if not isinstance(part, Block))]
        held += [array for block in blocks for array in (block.source, block.target, block.weight)]
        if "bm25" in vars(self):
            held.append(self.bm25)
        return sum(int(getattr(part, "nbytes", 0)) for part in held)

    def _centroids(self, kind: str) -> Tensor:
        items = self.graph.entities if kind == ENTITY else self.graph.snippets
        place = {turn.id: i for i, turn in enumerate(self.graph.turns)}
        turns = self.vectors(TURN)
        rows = [turns[[place[t] for t in item.turn_ids]].mean(0) for item in items]
        stacked = torch.stack(rows) if rows else turns.new_zeros(0, turns.shape[1])
        return torch.nn.functional.normalize(stacked, dim=1)


class QueryView:
    """A batch of Q queries over one indexed graph; the parts of the read path take it and return [n, Q] arrays."""

    def __init__(self, indexed: IndexedGraph, queries: Sequence[Query]) -> None:
        self.indexed = indexed
        self.graph = indexed.graph
        self.queries = tuple(queries)
        self._similarity: dict[str, Tensor] = {}
        self._kept: dict[Hashable, Any] = {}
        #: whether anything asked for a vector, of a query or of the graph
        self.embeds = False

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def device(self) -> torch.device:
        """Where the arrays of this view live."""
        return self.indexed.device

    @cached_property
    def vectors(self) -> Tensor:
        """Unit query vectors float32 [Q, d]."""
        self.embeds = True
        with self.indexed.watch("embed_query"):
            found = self.indexed.embedder.embed([query.text for query in self.queries], kind="query")
            return torch.from_numpy(found).to(self.device)

    def node_vectors(self, kind: str) -> Tensor:
        """Unit vectors float32 [n, d] of a node type, see `IndexedGraph.vectors`."""
        self.embeds = True
        return self.indexed.vectors(kind)

    def similarity(self, kind: str) -> Tensor:
        """Cosine of every node of a type (or ``relation`` edge) with every query: float64 [n, Q] in [-1, 1]."""
        if kind not in self._similarity:
            cosine = self.indexed.vectors(kind) @ self.vectors.T
            self._similarity[kind] = cosine.double().clamp(-1, 1)
        return self._similarity[kind]

    @cached_property
    def lexical(self) -> Tensor:
        """BM25 of every turn for every query: float64 [n_turn, Q] >= 0."""
        scores = self.indexed.bm25.scores([query.text for query in self.queries])
        return torch.from_numpy(np.ascontiguousarray(scores)).to(self.device, torch.float64)

    def kept(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return what several parts derive from this view, built on first use; equal keys share it."""
        if key not in self._kept:
            self._kept[key] = build()
        return self._kept[key]

    def zeros(self) -> Tensor:
        """float64 [N, Q] of zeros."""
        return torch.zeros(self.graph.num_nodes, len(self), dtype=torch.float64, device=self.device)

    def everything(self) -> Tensor:
        """bool [N, Q], all True: the full graph as a mask."""
        return torch.ones(self.graph.num_nodes, len(self), dtype=torch.bool, device=self.device)
