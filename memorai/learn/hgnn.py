"""A heterogeneous graph network over each question's candidates, their neighbours and shared entities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, HeteroData
from torch_geometric.nn import HeteroConv, SAGEConv

from memorai.graph.schema import ENTITY, MENTIONED_IN, NEXT, TURN
from memorai.learn.examples import Group
from memorai.learn.features import CANDIDATES
from memorai.learn.fit import Settings
from memorai.learn.scorer import EvidenceScorer, softmax_cross_entropy

_MENTIONS = (TURN, "mentions", ENTITY)
_BEFORE = (TURN, "before", TURN)
_AFTER = (TURN, "after", TURN)


class HeteroScorer(nn.Module):
    """The scorer of evidence, corrected by what the neighbourhood in the graph says.

    Messages run between neighbouring turns, in both directions apart, and between turns and the entities they share.
    An entity begins with how many candidates mention it. The last layer begins at zero: training starts from the plain
    scorer.

    Args:
        mean: [F] of the evidence.
        scale: [F].
        hidden: units of the scorer and of each node.
        layers: rounds of messages.
    """

    def __init__(self, mean: Tensor, scale: Tensor, hidden: int = 32, layers: int = 2) -> None:
        super().__init__()
        self.plain = EvidenceScorer(mean, scale, hidden)
        self.turn, self.entity = nn.Linear(len(mean), hidden), nn.Linear(1, hidden)
        kinds = (_BEFORE, _AFTER, _MENTIONS, MENTIONED_IN)
        self.rounds = nn.ModuleList(
            HeteroConv({kind: SAGEConv(hidden, hidden) for kind in kinds}, aggr="sum") for _ in range(layers)
        )
        self.last = nn.Linear(hidden, 1, bias=False)
        nn.init.zeros_(self.last.weight)

    def forward(self, data: HeteroData) -> Tensor:
        """Return the score of every turn node of a batch of subgraphs."""
        evidence = data[TURN].x
        nodes = {
            TURN: torch.relu(self.turn((evidence - self.plain.mean) / self.plain.scale)),
            ENTITY: torch.relu(self.entity(data[ENTITY].x)),
        }
        for conv in self.rounds:
            found = conv(nodes, data.edge_index_dict)
            nodes = {kind: x + torch.relu(found[kind]) if kind in found else x for kind, x in nodes.items()}
        return self.plain(evidence) + self.last(nodes[TURN]).squeeze(-1)


def subgraph(group: Group, question: int, candidates: int) -> HeteroData:
    """Return the graph of one question: its best candidates, edges among them, and entities that two of them mention.

    Turn nodes carry ``x`` [K, F], ``gold`` [K] and ``place`` [K], the turn's position in the conversation.
    """
    place = np.sort(np.argsort(-group.features.column(CANDIDATES)[question], kind="stable")[:candidates])
    local = np.full(len(group.turn_ids), -1)
    local[place] = np.arange(len(place))
    data = HeteroData()
    data[TURN].x = torch.from_numpy(np.ascontiguousarray(group.features.values[question, place]))
    data[TURN].gold = torch.from_numpy(group.gold[question, place]).float()
    data[TURN].place = torch.from_numpy(place)
    following = local[group.edges[NEXT]]
    following = torch.from_numpy(following[:, (following >= 0).all(0)])
    data[_BEFORE].edge_index, data[_AFTER].edge_index = following, following.flip(0)
    entity, turn = group.edges[MENTIONED_IN]
    turn = local[turn]
    entity, turn = entity[turn >= 0], turn[turn >= 0]
    names, number, count = np.unique(entity, return_inverse=True, return_counts=True)
    shared = count > 1
    renumbered = np.cumsum(shared) - 1
    keep = shared[number]
    mentions = np.stack([turn[keep], renumbered[number[keep]]]) if len(names) else np.zeros((2, 0), dtype=np.int64)
    edges = torch.from_numpy(mentions.astype(np.int64))
    data[ENTITY].x = torch.log(torch.from_numpy(count[shared]).float())[:, None] / 3
    data[_MENTIONS].edge_index, data[MENTIONED_IN].edge_index = edges, edges.flip(0)
    return data


def fit_hetero(groups: Sequence[Group], settings: Settings, seed: int, layers: int = 2) -> HeteroScorer:
    """Train on subgraphs of all questions whose gold is among their candidates, for ``settings.epochs``."""
    graphs = [subgraph(g, i, settings.candidates) for g in groups for i in range(len(g.questions))]
    graphs = [graph for graph in graphs if graph[TURN].gold.any()]
    flat = torch.cat([graph[TURN].x for graph in graphs])
    scale = flat.std(0, unbiased=False)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = HeteroScorer(flat.mean(0), torch.where(scale > 1e-4, scale, 1.0), settings.hidden, layers)
        optimiser = torch.optim.AdamW(model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay)
        steps = -(-len(graphs) // settings.batch) * settings.epochs
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.lr, total_steps=steps)
        for _ in range(settings.epochs):
            for part in torch.randperm(len(graphs)).split(settings.batch):
                batch = Batch.from_data_list([graphs[i] for i in part])
                loss = softmax_cross_entropy(*_padded(model(batch), batch))
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                schedule.step()
    return model.eval()


def hetero_scores(model: HeteroScorer, group: Group, candidates: int) -> np.ndarray:
    """Return float64 [Q, n]: candidates by the network, the others below them by `CANDIDATES`."""
    rest = group.features.column(CANDIDATES).astype(np.float64)
    scores = rest - rest.max(initial=0) - 1e3
    with torch.inference_mode():
        for i in range(len(group.questions)):
            batch = Batch.from_data_list([subgraph(group, i, candidates)])
            scores[i, batch[TURN].place.numpy()] = model(batch).double().numpy()
    return scores


def _padded(scores: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """Scores [B, K] with -inf and gold [B, K] with 0 where a subgraph has fewer turns."""
    owner = batch[TURN].batch
    sizes = torch.bincount(owner)
    column = torch.arange(len(owner)) - (sizes.cumsum(0) - sizes)[owner]
    shape = (len(sizes), int(sizes.max()))
    padded = scores.new_full(shape, float("-inf")).index_put((owner, column), scores)
    return padded, scores.new_zeros(shape).index_put((owner, column), batch[TURN].gold)
