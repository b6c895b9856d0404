import pytest

from memorai.types import Turn
from memorai.write.owners import split_by_owner


def parts(name, *said):
    """(speaker, text) or (speaker, text, session) -> turn numbers by new name."""
    turns = [Turn(str(i), rest[0] if rest else "s", who, text) for i, (who, text, *rest) in enumerate(said)]
    found = split_by_owner({name.lower(): name}, {name.lower(): turns})
    return {decision.name: " ".join(decision.turn_ids) for decision in found}


def test_my_sister_of_two_speakers_is_two_people():
    talk = [
        ("Ann", "My sister moved."),
        ("Bob", "Your sister? How is she?"),
        ("Bob", "My younger sister paints."),
        ("Ann", "A sister who paints!"),
        ("Bob", "Ann's sister paints too."),
        ("Bob", "A sister is a gift.", "later"),
    ]
    assert parts("sister", *talk) == {"Ann's sister": "0 1 4", "Bob's sister": "2 3"}


@pytest.mark.parametrize(
    ("name", "talk"),
    [
        ("sister", [("Ann", "My sister moved."), ("Bob", "Your sister!"), ("Bob", "Hi")]),
        ("sister", [("Ann", "My sister moved."), ("Bob", "and that's sister number two")]),
        ("garden", [("Ann", "My garden"), ("Bob", "My garden")]),
        ("Ann", [("Ann", "My sister Ann"), ("Bob", "My boss Ann")]),
        ("Emma", [("Ann", "My sister Emma came."), ("Bob", "My friend Emma paints.")]),
        ("Emma", [("Ann", "My sister Emma came."), ("Bob", "Your sister Emma paints.")]),
    ],
)
def test_one_owner_or_no_owner_is_no_split(name, talk):
    assert parts(name, *talk) == {}


def test_one_name_with_two_roles_is_two_people():
    talk = [("Ann", "My sister Emma came."), ("Bob", "My boss Emma is strict."), ("Ann", "Emma left.")]
    assert parts("Emma", *talk) == {"Ann's Emma": "0 2", "Bob's Emma": "1"}


def test_pets_and_plurals():
    assert parts("cats", ("Ann", "I fed my cat."), ("Bob", "My two cats sleep.")) == {
        "Ann's cats": "0",
        "Bob's cats": "1",
    }


def test_chinese():
    talk = [("王芳", "我妹妹住在上海"), ("李雷", "我的妹妹喜欢猫"), ("李雷", "你妹妹呢")]
    assert parts("妹妹", *talk) == {"王芳的妹妹": "0 2", "李雷的妹妹": "1"}
