import pytest

from memorai.write.plurals import plural_groups, singulars


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("cats", ("cat",)),
        ("puppies", ("puppy", "puppie")),
        ("shoes", ("shoe", "sho")),
        ("boxes", ("boxe", "box")),
        ("children", ("child",)),
        *((word, ()) for word in ("cat", "glass", "bus", "tennis", "glasses", "news", "gas", "苹果s", "b2s")),
    ],
)
def test_singulars(word, expected):
    assert singulars(word) == expected


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["cat", "dog", "cats"], [["cat", "cats"]]),
        (["running shoes", "running shoe", "shoes"], [["running shoes", "running shoe"]]),
        (["puppies", "puppy", "box", "boxes"], [["puppies", "puppy"], ["box", "boxes"]]),
        (["Park", "Parks", "glass", "glasses", "new", "news", "cats show", "cat show"], []),
        (["苹果", "香蕉"], []),
    ],
)
def test_groups(names, groups):
    assert plural_groups(names) == groups
