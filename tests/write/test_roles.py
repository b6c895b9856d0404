import pytest

from memorai.types import Turn
from memorai.write.roles import role_groups


def groups(*said, others=("Ann", "Bob")):
    """(speaker, name of an entity in that turn) -> groups of names."""
    mentioned: dict[str, list[Turn]] = {}
    for i, (who, name) in enumerate([*said, *((other, "tea") for other in others)]):
        mentioned.setdefault(name, []).append(Turn(str(i), "s", who, name))
    return role_groups({name: name for name in mentioned}, mentioned)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            [("Ann", "my sister"), ("Bob", "Ann's sister"), ("Bob", "your sister")],
            [["my sister", "Ann's sister", "your sister"]],
        ),
        ([("Bob", "the sister of Ann"), ("Ann", "My sister")], [["the sister of Ann", "My sister"]]),
        ([("Ann", "my mom"), ("Bob", "Ann's mother")], [["my mom", "Ann's mother"]]),
        ([("Ann", "my sister"), ("Bob", "Bob's sister")], []),
        ([("Ann", "my sister"), ("Bob", "my sister"), ("Bob", "Ann's sister")], []),  # two sisters under one name
        ([("Ann", "my sister"), ("Bob", "her sister")], []),
        ([("Ann", "my friend"), ("Bob", "Ann's friend")], []),  # any of several
        ([("Ann", "my sister"), ("Bob", "Ann's sisters")], []),
        ([("Ann", "my sister"), ("Bob", "Eve's sister")], []),
        ([("Ann", "my sister Emma"), ("Bob", "Ann's sister")], []),  # there may be another
    ],
)
def test_english(said, expected):
    assert groups(*said) == expected


def test_your_of_three_participants_is_anybodys():
    said = [("Ann", "my sister"), ("Bob", "your sister")]
    assert groups(*said) == [["my sister", "your sister"]]
    assert groups(*said, others=("Ann", "Bob", "Eve")) == []


def test_chinese():
    said = [
        ("王芳", "我妹妹"),
        ("李雷", "王芳的妹妹"),
        ("李雷", "你的妹妹"),
        ("李雷", "我妹妹的猫"),
        ("李雷", "他妹妹"),
    ]
    assert groups(*said, others=("王芳", "李雷")) == [["我妹妹", "王芳的妹妹", "你的妹妹"]]
    assert groups(("王芳", "我媽媽"), ("李雷", "王芳的母亲"), others=()) == [["我媽媽", "王芳的母亲"]]
