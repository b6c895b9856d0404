import pytest

from memorai.datasets.demo import CATEGORIES, load_demo
from memorai.errors import InputError


def test_both_languages():
    dataset = load_demo()
    assert (dataset.name, dataset.version) == ("demo", "bundled")
    assert dataset.categories == CATEGORIES
    assert {conversation.language for conversation in dataset.conversations} == {"en", "zh"}
    assert dataset.counts["questions"] >= 40
    assert dataset.notes == ()
    parts = [load_demo("en"), load_demo("zh")]
    assert dataset.conversations == parts[0].conversations + parts[1].conversations
    assert len({dataset.sha256, parts[0].sha256, parts[1].sha256}) == 3


@pytest.mark.parametrize(("part", "sessions", "turns"), [("en", 8, 120), ("zh", 1, 60)])
def test_it_is_large_enough_to_show_something(part, sessions, turns):
    dataset = load_demo(part)
    assert dataset.name == f"demo_{part}"
    assert {conversation.language for conversation in dataset.conversations} == {part}
    assert dataset.counts["sessions"] >= sessions
    assert dataset.counts["turns"] >= turns


def test_turns_have_times_and_answerable_questions_have_gold():
    for conversation in load_demo().conversations:
        assert all(turn.time is not None for turn in conversation.turns)
        times = [session.time for session in conversation.sessions]
        assert times == sorted(times)
        for question in conversation.questions:
            assert question.answerable == (question.category != "unanswerable")
            assert bool(question.evidence) or not question.answerable


def test_unknown_part():
    with pytest.raises(InputError, match="choose one of all, en, zh"):
        load_demo("fr")
