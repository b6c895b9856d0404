"""Two systems on two conversations, their scores known."""

from __future__ import annotations

from memorai.harness.run import Outcome
from memorai.types import Conversation, Dataset, Question, Ranking, Session, Turn


def conversation(name: str) -> Conversation:
    turns = tuple(
        Turn(f"{name}{i}", "s", "Ann", text) for i, text in enumerate(["I like *tea*.", "I live in Rome.", "Hi."])
    )
    questions = (
        Question(f"{name}:q0", "Does Ann like tea?", (f"{name}0",), ("s",), "easy", answer="yes", difficulty="easy"),
        Question(f"{name}:q1", "What town is home?", (f"{name}1",), ("s",), "hard", difficulty="hard"),
    )
    return Conversation(name, (Session("s", turns),), questions)


DATASET = Dataset("mine", "1", "0" * 64, (conversation("a"), conversation("b")), ("easy", "hard"))


def outcome(system: str, first: dict[str, int]) -> Outcome:
    """Rankings that begin with the turn whose place ``first`` gives for each question."""
    rankings = {}
    for name in "ab":
        for number in "01":
            question = f"{name}:q{number}"
            order = sorted(range(3), key=lambda i, question=question: (i != first[question], i))
            rankings[question] = Ranking(question, tuple(f"{name}{i}" for i in order), (3.0, 2.0, 1.0))
    stages = {"embed_documents": [1000.0, 500.0], "retrieve": [2.0] * 4}
    return Outcome(system, rankings, stages, memory=3 << 20)


GOOD = outcome("good", {"a:q0": 0, "a:q1": 1, "b:q0": 0, "b:q1": 1})
POOR = outcome("poor", {"a:q0": 2, "a:q1": 1, "b:q0": 2, "b:q1": 0})
