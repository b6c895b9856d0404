"""Explain what one system found for one question of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from memorai.errors import InputError
from memorai.graph.schema import ENTITY, SNIPPET, TURN
from memorai.report.explain.data import (
    NODES,
    RANKED,
    Asked,
    Explanation,
    Gold,
    Node,
    Ranked,
    check_sizes,
    explained,
    shorten,
    turn_node,
)
from memorai.report.explain.schemes import walk_of
from memorai.report.explain.walk import Ints
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.readout import TurnNodes
from memorai.retrieval.retrievers import PageRankRetriever
from memorai.systems.base import System
from memorai.systems.memory_system import GraphIndex
from memorai.types import Conversation, Dataset, Question, Ranking


def find_question(dataset: Dataset, wanted: str | None) -> tuple[Conversation, Question]:
    """Return the question of an id, and its conversation.

    Raises:
        InputError: there is none; the line names close ids, or where ids begin.
    """
    known = {question.id: (c, question) for c in dataset.conversations for question in c.questions}
    if wanted in known:
        return known[wanted]
    if not known:
        raise InputError(f"data set {dataset.name}: it has no questions")
    near = get_close_matches(wanted or "", known, n=5, cutoff=0.6) or list(known)[:3]
    if wanted is None:
        raise InputError(f"question: give an id of {dataset.name}, such as {near[0]}")
    raise InputError(f"question={wanted}: {dataset.name} has no such id; close are {', '.join(near)}")


def explain(
    name: str, system: System, conversation: Conversation, question: Question, k: int = RANKED, nodes: int = NODES
) -> Explanation:
    """Index the conversation, ask the question, and take the walk apart.

    Args:
        name: of the system.
        system: any; only one whose retriever is a `PageRankRetriever` has a walk to show.
        conversation: holds the question; the system does not see its gold.
        question: one of them, or any other.
        k: memories to list.
        nodes: most nodes to draw.

    Raises:
        InputError: k or nodes below 1.
    """
    check_sizes(k, nodes)
    reveal = getattr(system, "reveal", None)
    if reveal is not None:
        reveal([question])
    index = system.index(replace(conversation, questions=()))
    (ranking,) = index.search([question.query], max(1, len(conversation.turns)))
    notes = []
    graphed = index if isinstance(index, GraphIndex) else None
    view = None if graphed is None else QueryView(graphed.indexed, [question.query])
    retriever = None if graphed is None else graphed.system.retriever
    walk = None
    if graphed is not None and view is not None and isinstance(retriever, PageRankRetriever):
        walk, rows = walk_of(retriever, view)
        made = _graph_nodes(view, rows)
        notes += _order_notes(graphed, retriever)
    else:
        notes.append("This system does not walk: its ranking is shown without a graph.")
        wanted = dict.fromkeys([*ranking.ids[:k], *question.evidence])
        made = _turn_nodes(conversation, view, list(wanted))
    place = {node.id: i for i, node in enumerate(made) if node.kind == TURN}
    gold = set(question.evidence)
    # ids of a ranking whose turns a readout found outside the walk's subgraph cannot be shown in it
    listed = [
        Ranked(rank, turn, score, place[turn], turn in gold)
        for rank, (turn, score) in enumerate(zip(ranking.ids[:k], ranking.scores, strict=False), 1)
        if turn in place
    ]
    asked = Asked(question.id, question.text, question.category, question.answer)
    found = _gold(question, ranking, place, {turn.id for turn in view.graph.turns} if view is not None else None)
    return explained(asked, name, made, listed, found, walk, notes, nodes)


def _order_notes(index: GraphIndex, retriever: PageRankRetriever) -> list[str]:
    notes = []
    if not isinstance(retriever.readout, TurnNodes):
        name = type(retriever.readout).__name__
        notes.append(f"The system reads turns off the walk by {name}; the controls rank turns by their own nodes.")
    if index.system.reranker.name != "none":
        name = index.system.reranker.name
        notes.append(f"The system reranks by {name}; the controls rank by the walk alone.")
    known, language = index.indexed.embedder.languages, index.indexed.language
    if known is not None and language not in known:
        notes.append(f"The embedder does not know the language {language!r}: cosines mean little here.")
    return notes


def _gold(question: Question, ranking: Ranking, place: dict[str, int], kept: set[str] | None) -> list[Gold]:
    rank = {turn: i for i, turn in enumerate(ranking.ids, 1)}
    found = []
    for turn in question.evidence:
        missing = ""
        if turn not in rank:
            dropped = kept is not None and turn not in kept
            missing = "the gate dropped it" if dropped else "it lies outside the query's subgraph"
        found.append(Gold(turn, rank.get(turn), place.get(turn), missing))
    return found


def _graph_nodes(view: QueryView, rows: Ints) -> list[Node]:
    graph = view.graph
    cosine = {kind: view.similarity(kind)[:, 0].tolist() for kind in (ENTITY, TURN, SNIPPET) if graph.sizes[kind]}
    bm25 = view.lexical[:, 0].tolist()
    made = []
    for row in rows.tolist():
        if row < graph.offsets[TURN]:
            entity = graph.entities[row]
            made.append(
                Node(ENTITY, entity.key, entity.name, entity.description, entity.turn_ids, cosine=cosine[ENTITY][row])
            )
        elif row < graph.offsets[SNIPPET]:
            i = row - graph.offsets[TURN]
            made.append(turn_node(graph.turns[i], cosine[TURN][i], bm25[i]))
        else:
            i = row - graph.offsets[SNIPPET]
            part = graph.snippets[i]
            label = shorten(part.summary) or f"snippet {part.id}"
            made.append(Node(SNIPPET, part.id, label, part.summary, part.turn_ids, cosine=cosine[SNIPPET][i]))
    return made


def _turn_nodes(conversation: Conversation, view: QueryView | None, wanted: Sequence[str]) -> list[Node]:
    """Turns in the order of the conversation; BM25 where the system has it, cosines where it used vectors."""
    turns = {turn.id: turn for turn in conversation.turns}
    order = {turn: i for i, turn in enumerate(turns)}
    bm25: dict[str, float] = {}
    if view is not None:
        bm25 = dict(zip((turn.id for turn in view.graph.turns), view.lexical[:, 0].tolist(), strict=True))
    return [turn_node(turns[id_], None, bm25.get(id_)) for id_ in sorted(wanted, key=lambda id_: order[id_])]
