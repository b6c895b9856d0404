"""Learn the walk itself: edge types, damping, seed temperature and fusion, through the PageRank's adjoint gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from memorai.graph.schema import ENTITY, MENTIONED_IN, NEXT, PART_OF, TURN, EdgeType
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.pagerank import WeightedBlock, pagerank

#: edge types whose weight is learned, relative to NEXT, whose weight is 1
FREE: tuple[EdgeType, ...] = (MENTIONED_IN, PART_OF)


@dataclass(frozen=True)
class WalkExample:
    """Questions of one conversation.

    Args:
        view: of the questions.
        scores: z-scores [n_turn, Q] of each scorer that seeds the walk.
        gold: [n_turn, Q], 1 for evidence.
    """

    view: QueryView
    scores: Mapping[str, Tensor]
    gold: Tensor


class LearnedWalk(nn.Module):
    """A PageRank whose numbers are parameters.

    Restart: softmax(sum_i w_i z_i), so that the weights hold the temperature too. A mention of entity e weighs
    ``type * static * exp(relevance * cos(q, e))``; at relevance 0 the walk does not look at the question's words.

    Args:
        scorers: names of the seeds' scorers.
        damping: to begin with.
        conditioned: learn ``relevance``; else it stays 0.
    """

    def __init__(self, scorers: Sequence[str], damping: float = 0.5, conditioned: bool = True) -> None:
        super().__init__()
        self.scorers, self.conditioned = tuple(scorers), conditioned
        self.seeds = nn.Parameter(torch.ones(len(self.scorers), dtype=torch.float64))
        self.types = nn.Parameter(torch.full((len(FREE),), -1.0, dtype=torch.float64))
        start = float(np.log(damping / (1 - damping)))
        self.damping = nn.Parameter(torch.tensor(start, dtype=torch.float64))
        self.relevance = nn.Parameter(torch.zeros((), dtype=torch.float64), requires_grad=conditioned)

    def forward(self, example: WalkExample) -> Tensor:
        """Return the log of the turns' mass, [n_turn, Q]."""
        view = example.view
        seeds = sum(
            (w * example.scores[name] for w, name in zip(self.seeds, self.scorers, strict=True)), torch.zeros(())
        )
        restart = view.zeros()
        rows = view.graph.rows(TURN)
        restart = torch.cat([restart[: rows.start], torch.softmax(seeds, 0), restart[rows.stop :]])
        mass = pagerank(self._blocks(view), restart, torch.sigmoid(self.damping), max_iter=300).scores[rows]
        return torch.log(mass + 1e-12)

    def values(self) -> dict[str, float]:
        """Return the parameters in the units of a configuration."""
        named = {f"seed/{name}": float(w) for name, w in zip(self.scorers, self.seeds.detach(), strict=True)}
        named |= {f"type/{kind[1]}": float(w.exp()) for kind, w in zip(FREE, self.types.detach(), strict=True)}
        return named | {
            "damping": float(torch.sigmoid(self.damping.detach())),
            "relevance": float(self.relevance.detach()),
        }

    def _blocks(self, view: QueryView) -> list[WeightedBlock]:
        blocks = []
        for kind in (*FREE, NEXT):
            if not view.graph.edges[kind].weight.size:
                continue
            block = view.indexed.block(kind)
            weight = self.types[FREE.index(kind)] if kind in FREE else self.types.new_zeros(())
            scale = weight.expand(block.num_sources, len(view))
            if kind == MENTIONED_IN and self.conditioned:
                scale = scale + self.relevance * view.similarity(ENTITY)
            scale = scale.exp()
            blocks += [WeightedBlock(block, scale), WeightedBlock(block, scale, reverse=True)]
        return blocks


def fit_walk(
    examples: Sequence[WalkExample],
    scorers: Sequence[str],
    seed: int = 0,
    epochs: int = 3,
    lr: float = 0.1,
    conditioned: bool = True,
    on_step: Callable[[float], None] | None = None,
) -> LearnedWalk:
    """Maximise the likelihood of the evidence under the walk's mass on turns; one step a conversation.

    Args:
        examples: training conversations.
        scorers: names of the seeds' scorers.
        seed: of the order of conversations.
        epochs: passes over the conversations.
        lr: of Adam.
        conditioned: see `LearnedWalk`.
        on_step: told the loss of each step.
    """
    walk = LearnedWalk(scorers, conditioned=conditioned)
    optimiser = torch.optim.Adam([p for p in walk.parameters() if p.requires_grad], lr=lr)
    order = np.random.default_rng(seed)
    for _ in range(epochs):
        for i in order.permutation(len(examples)):
            loss = walk_loss(walk(examples[i]), examples[i].gold)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if on_step:
                on_step(float(loss.detach()))
    return walk


def walk_loss(logs: Tensor, gold: Tensor) -> Tensor:
    """Cross-entropy of the turns' normalised mass with the uniform distribution over the gold: a scalar.

    Args:
        logs: log mass [n_turn, Q].
        gold: [n_turn, Q], 1 for evidence.
    """
    target = gold / gold.sum(0).clamp_min(1)
    return -(target * torch.log_softmax(logs, 0)).sum(0).mean()
