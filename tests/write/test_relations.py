import pytest

from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.lexical import LexicalExtractor

CONTEXT = Turn("0", "s", "Eve", "We met Ann and Bob in Rome.")


def relations(text, language="en", speaker="Zoe"):
    segment = Segment("s", (CONTEXT, Turn("1", "s", speaker, text)))
    found = LexicalExtractor().extract([segment], language)
    return [(r.source, r.text, r.target) for r in found.relations if "1" in r.turn_ids]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I adopted a puppy.", [("zoe", "adopted", "puppi")]),
        ("Yesterday Ann likes Bob.", [("ann", "likes", "bob")]),
        ("Bob likes Ann", [("bob", "likes", "ann")]),
        ("my sister lives in Rome.", [("zoe", "has", "sister"), ("sister", "lives in", "rome")]),
        ("I don't like coffee.", [("zoe", "don't like", "coffe")]),
        ("I have no pets.", [("zoe", "have no", "pet")]),
        ("I'm a counselor.", [("zoe", "am", "counselor")]),
        ("I bought apples and pears.", [("zoe", "bought", "appl"), ("zoe", "bought", "pear")]),
        ("I want to visit Rome.", [("zoe", "want to visit", "rome")]),
        ("I am allergic to cats.", [("zoe", "am allergic to", "cat")]),
        ("We really just love that lake.", [("zoe", "love", "lake")]),
        ("The mother of Ann likes Bob.", []),
        ("Does Ann like Bob?", []),
        ("If I adopted a puppy, I would cry.", []),
        ("I hope Ann likes Bob.", []),
        ("I don't think Bob left Rome.", []),
        ("He likes Rome.", []),
        ("The support I got from friends", []),
        ("I love apples but Bob likes pears.", [("zoe", "love", "appl"), ("bob", "likes", "pear")]),
    ],
)
def test_english(text, expected):
    assert relations(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢苹果。", [("王芳", "喜欢", "苹果")]),
        ("我不喜欢香蕉。", [("王芳", "不喜欢", "香蕉")]),
        ("我妹妹住在罗马。", [("王芳", "有", "妹妹"), ("妹妹", "住在", "罗马")]),
        ("我在北京工作。", [("王芳", "在工作", "北京")]),
        ("女儿参加了学校的钢琴比赛。", [("女儿", "参加了", "钢琴比赛")]),
        ("你喜欢苹果吗", []),
        ("小明喜欢猫", [("小明", "喜欢", "猫")]),
        ("小明养了一只布偶猫", [("小明", "养了", "布偶猫")]),
        ("小红住在上海", [("小红", "住在", "上海")]),
        ("小明在阿里工作，阿里总部在杭州。", [("小明", "在工作", "阿里"), ("阿里", "总部在", "杭州")]),
        ("我养了两只猫。", [("王芳", "养了", "猫")]),
        ("小明正在学钢琴", [("小明", "正在学", "钢琴")]),
        ("小明正在上海出差", [("小明", "正在出差", "上海")]),
        ("我昨天去了北京", [("王芳", "去了", "北京")]),
        ("我的朋友小明喜欢小红", [("小明", "喜欢", "小红")]),
        ("小红不喜欢小明", [("小红", "不喜欢", "小明")]),
    ],
)
def test_chinese(text, expected):
    assert relations(text, "zh", "王芳") == expected
