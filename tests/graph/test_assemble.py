import numpy as np

from memorai.graph.assemble import GraphAssembly
from memorai.graph.schema import MENTIONED_IN, RELATION
from memorai.types import Session, Turn
from memorai.write.extraction import RelationMention, Segment
from memorai.write.growing import MentionTable


def table(entity, turn, changed, relations=(), ends=None):
    keys = ["tea", "cat", "dog"]
    ends = np.zeros((2, 0), np.int64) if ends is None else np.array(ends)
    return MentionTable(
        keys, keys, np.array(entity, np.int64), np.array(turn, np.int64), np.ones(len(entity)), changed, relations, ends
    )


def test_only_changed_entities_are_written_and_numbers_follow_first_appearance():
    written = []

    def describe(name, turns):
        written.append((name, [turn.id for turn in turns]))
        return name.upper()

    turns = tuple(Turn(str(i), "s", "Ann", "x") for i in range(3))
    assembly = GraphAssembly("c", describe)
    assembly.add([Session("s", turns[:2])], [Segment("s", turns[:2])], turns[:2])
    graph = assembly.graph(table([1, 2, 1], [0, 0, 1], [0, 1, 2]))
    assert [(e.key, e.turn_ids, e.description) for e in graph.entities] == [
        ("cat", ("0", "1"), "CAT"),
        ("dog", ("0",), "DOG"),
    ]
    assert graph.edges[MENTIONED_IN].index.tolist() == [[0, 1, 0], [0, 0, 1]]
    assert written == [("cat", ["0", "1"]), ("dog", ["0"])]
    written.clear()
    assembly.add([Session("t", turns[2:])], [Segment("t", turns[2:])], turns[2:])
    # a bound admits tea and drops cat; dog gains a turn
    likes = RelationMention("dog", "likes", "tea", ("2",))
    graph = assembly.graph(table([0, 2, 2], [0, 0, 2], [2], (likes,), [[2], [0]]))
    assert [e.key for e in graph.entities] == ["tea", "dog"]
    assert graph.edges[MENTIONED_IN].index.tolist() == [[0, 1, 1], [0, 0, 2]]
    assert graph.edges[RELATION].index.tolist() == [[1], [0]]
    assert written == [("tea", ["0"]), ("dog", ["0", "2"])]
    assert [s.turn_ids for s in graph.snippets] == [("0", "1"), ("2",)]
