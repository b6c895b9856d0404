import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.describe import describe, trim

TURNS = [
    Turn("1", "s", "Ann", "Hi! I saw a puppy. It ran."),
    Turn("2", "s", "Bob", "Puppies bite."),
    Turn("3", "s", "Ann", "My puppy is called Max. He sleeps."),
]


def test_first_and_last_mention_by_stem():
    assert describe("puppies", TURNS) == "puppies: I saw a puppy. My puppy is called Max."
    assert describe("puppies", TURNS[:2]) == "puppies: I saw a puppy. Puppies bite."


def test_one_mention_is_said_once():
    assert describe("puppy", TURNS[:1]) == "puppy: I saw a puppy."
    assert describe("puppy", TURNS, max_sentences=1) == "puppy: I saw a puppy."


def test_a_speaker_is_described_by_what_they_say():
    assert describe("Ann", TURNS) == "Ann: I saw a puppy. My puppy is called Max."
    assert describe("Bob", TURNS[1:2]) == "Bob: Puppies bite."


def test_unnamed_falls_back_to_the_turn_and_no_turn_to_the_name():
    assert describe("Zed", TURNS[1:2]) == "Zed: Puppies bite."
    assert describe("Zed", []) == "Zed"


def test_captions_get_an_end_mark():
    shown = [Turn("1", "s", "Ann", "", caption="a puppy in snow"), Turn("2", "s", "Bob", "That puppy!")]
    assert describe("puppy", shown) == "puppy: a puppy in snow. That puppy!"


def test_long_sentences_are_cut():
    assert trim("one two, three four", 3) == "one two, three …"
    assert trim("我喜欢苹果", 3) == "我喜欢 …"
    assert trim("one two", 2) == "one two"
    assert describe("puppy", TURNS, max_words=4) == "puppy: I saw … My puppy …"


@pytest.mark.parametrize("options", [{"max_sentences": 0}, {"max_words": 0}])
def test_limits_are_checked(options):
    with pytest.raises(InputError, match=next(iter(options))):
        describe("puppy", TURNS, **options)


@settings(deadline=None)
@given(st.text(st.characters()), st.lists(st.text(st.characters())))
def test_any_text(name, texts):
    assert describe(name, [Turn(str(i), "s", "Ann", text) for i, text in enumerate(texts)]).startswith(name)


def test_one_long_turn_is_read_once_not_once_an_entity(monkeypatch):
    from memorai.write import describe as module

    reads = []
    real = module.turn_sentences
    monkeypatch.setattr(module, "turn_sentences", lambda turn: reads.append(turn.id) or real(turn))
    module._searchable.cache_clear()
    turn = Turn("long", "s", "Ann", " ".join(f"I saw the word{i}." for i in range(50)))
    for i in range(50):
        assert module.describe(f"word{i}", [turn]) == f"word{i}: I saw the word{i}."
    assert reads == ["long"]
