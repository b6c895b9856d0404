"""MemGAS: memories of four granularities, associated by a mixture, chosen by an entropy router, walked by PageRank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from memorai.graph.association import associate
from memorai.graph.schema import TURN
from memorai.index.vectors import top_k
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.retrieval.pagerank import Block, WeightedBlock, check_damping, pagerank
from memorai.retrieval.retrievers import Retrieved
from memorai.write.summarize import summarize

#: order of the granularities in every list
GRANULARITIES = ("session", "turn", "summary", "keyword")


@dataclass(frozen=True)
class Memories:
    """The units of one conversation, ordered by session.

    Args:
        vectors: float32 [M, d].
        kind: int64 [M], index into `GRANULARITIES`.
        session: int64 [M], the snippet of each unit.
        turn: int64 [M], the turn of a turn unit, -1 otherwise.
        block: associations, undirected when walked both ways.
    """

    vectors: Tensor
    kind: Tensor
    session: Tensor
    turn: Tensor
    block: Block

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors and associations."""
        return self.vectors.nbytes + self.block.source.nbytes + self.block.target.nbytes


class MultiGranularity:
    """MemGAS (Xu et al., arXiv 2505.19549) as a retriever of turns.

    A session, its turns, its summary and its keywords are memories of their own. A new memory is associated with those
    earlier ones that a Gaussian mixture accepts. A query weighs each granularity by how sure it is of it (one minus the
    entropy of the softmax over its cosines, divided by the entropy of a uniform choice so that granularities with
    different numbers of memories compare), the best ``seeds`` memories by weighted cosine seed PageRank, and a turn
    gets what its own memory and the other memories of its session get.

    Without a language model, summaries are extractive and keywords are the session's entities; the final filter by a
    language model is left out. The published code ranks sessions and averages a session's turns into one memory; here
    turns are memories, as in the paper's text, because turns are what is ranked.

    Args:
        damping: probability to follow an association; MemGAS uses 0.1.
        seeds: memories that seed; MemGAS 15.
        temperature: of the router's softmax; MemGAS 0.1.
        candidates: earlier memories looked at for associations; MemGAS 30.
    """

    def __init__(self, damping: float = 0.1, seeds: int = 15, temperature: float = 0.1, candidates: int = 30) -> None:
        check_damping(damping)
        for name, value in (("seeds", seeds), ("candidates", candidates)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value} is not a whole number of at least 1")
        if not 0 < temperature < float("inf"):
            raise ValueError(f"temperature={temperature} is not a positive number")
        self.damping, self.seeds, self.temperature, self.candidates = damping, seeds, temperature, candidates

    def retrieve(self, view: QueryView) -> Retrieved:
        """Return turn scores, and each query's granularity weights as ``info``."""
        indexed = view.indexed
        memories = indexed.kept(("granularity", self.candidates), lambda: self._memories(indexed))
        weights = self.route(view, memories)  # [4, Q]
        cosine = (memories.vectors @ view.vectors.T).double()
        score = (cosine * weights[memories.kind]).clamp_min(0)
        best = torch.from_numpy(top_k(score.cpu().numpy(), self.seeds)).to(view.device)
        restart = torch.zeros_like(score).scatter_(0, best, score.gather(0, best))
        edges = [WeightedBlock(memories.block)]
        walk = pagerank([edges[0], edges[0].reversed()], restart, self.damping) if len(score) else None
        mass = score if walk is None else walk.scores
        turns = self._turns(view, memories, mass)
        info = [
            {"granularity": {name: round(float(w), 4) for name, w in zip(GRANULARITIES, column, strict=True)}}
            for column in weights.T
        ]
        return Retrieved(turns, info)

    def route(self, view: QueryView, memories: Memories) -> Tensor:
        """Return the weight of each granularity, float64 [4, Q], each column summing to 1."""
        sure = torch.zeros(len(GRANULARITIES), len(view), dtype=torch.float64, device=view.device)
        for kind in range(len(GRANULARITIES)):
            own = memories.kind == kind
            count = int(own.sum())
            if not count:
                continue
            share = torch.softmax((memories.vectors[own] @ view.vectors.T).double() / self.temperature, 0)
            entropy = -(share * torch.log(share + 1e-12)).sum(0)
            sure[kind] = (1 - entropy / np.log(count)).clamp(1e-6, 1) if count > 1 else 1.0
        return sure / sure.sum(0).clamp_min(1e-12)

    def _turns(self, view: QueryView, memories: Memories, mass: Tensor) -> Tensor:
        own = memories.turn >= 0
        turns = mass.new_zeros(len(view.graph.turns), len(view))
        sessions = mass.new_zeros(max(1, len(view.graph.snippets)), len(view))
        sessions.index_add_(0, memories.session[~own], mass[~own])
        turns.index_add_(0, memories.turn[own], mass[own] + sessions[memories.session[own]])
        # turns that only their session speaks for come in the order of their cosine
        return turns + 1e-9 * view.similarity(TURN)

    def _memories(self, indexed: IndexedGraph) -> Memories:
        graph = indexed.graph
        place = {turn.id: i for i, turn in enumerate(graph.turns)}
        keywords: dict[str, list[str]] = {}
        for entity in graph.entities:
            for id_ in entity.turn_ids:
                keywords.setdefault(id_, []).append(entity.name)
        texts, kinds, sessions, turns = [], [], [], []
        for number, snippet in enumerate(graph.snippets):
            rows = [place[id_] for id_ in snippet.turn_ids]
            said = [graph.turns[row] for row in rows]
            words = dict.fromkeys(name for id_ in snippet.turn_ids for name in keywords.get(id_, ()))
            whole = "\n".join(indexed.turn_texts[row] for row in rows)
            units = [(0, whole, -1), *((1, indexed.turn_texts[row], row) for row in rows)]
            units += [(2, snippet.summary or summarize(said), -1), (3, ", ".join(words), -1)]
            for granularity, text, turn in units:
                texts.append(text)
                kinds.append(granularity)
                sessions.append(number)
                turns.append(turn)
        with indexed.watch("embed_documents"):
            vectors = indexed.embedder.embed(texts)
        with indexed.watch("build"):
            pairs = associate(vectors, sessions, self.candidates)
        ends = torch.from_numpy(pairs).to(indexed.device)
        rows_ = slice(0, len(texts))
        block = Block(
            rows_, rows_, ends[0], ends[1], torch.ones(ends.shape[1], dtype=torch.float64, device=ends.device)
        )
        kind, session, turn_of = (
            torch.tensor(v, dtype=torch.int64, device=ends.device) for v in (kinds, sessions, turns)
        )
        return Memories(torch.from_numpy(vectors).to(ends.device), kind, session, turn_of, block)
