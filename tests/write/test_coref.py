import pytest

from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.lexical import LexicalExtractor


def relations(*texts, speakers=("Ann", "Bob"), language="en"):
    turns = tuple(Turn(str(i), "s", speakers[i % len(speakers)], text) for i, text in enumerate(texts))
    found = LexicalExtractor(coreference=True).extract([Segment("s", turns)], language)
    last = turns[-1].id
    return [(r.source, r.text, r.target) for r in found.relations if last in r.turn_ids]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("My sister moved.", "Nice!", "She likes tea."), [("sister", "likes", "tea")]),
        (("My sister moved.", "Nice!", "I love her."), [("ann", "love", "sister")]),
        (("My sister moved.", "Nice!", "Yes.", "Oh.", "She likes tea."), []),  # too long ago
        (("My sister and my boss met.", "Nice!", "She likes tea."), []),  # either of two
        (("Bob, you rock.", "Thanks!", "He likes tea."), []),  # nobody but who takes part
        (("My parents moved.", "They love pizza."), [("parent", "love", "pizza")]),
        (("My sister moved.", "They love pizza."), []),  # one person is not many
        (("We met Emma. Emma said hi.", "She likes tea."), [("emma", "likes", "tea")]),
        (("We went to Rome.", "She likes tea."), []),  # a place
        (("My sister moved.", "Does she like tea?"), []),
        (("My sister moved.", "I love her dog."), [("bob", "love", "dog")]),
    ],
)
def test_english(texts, expected):
    assert relations(*texts) == expected


def test_chinese():
    talk = ("小明搬到了上海。", "真的吗？", "他喜欢猫。")
    assert relations(*talk, speakers=("王芳", "李雷"), language="zh") == [("小明", "喜欢", "猫")]


def test_off_by_default():
    turns = (Turn("0", "s", "Ann", "My sister moved."), Turn("1", "s", "Bob", "She likes tea."))
    found = LexicalExtractor().extract([Segment("s", turns)], "en")
    assert "sister" not in [m.key for m in found.mentions if m.turn_id == "1"]
