import pytest

from memorai.write.tagging_zh import cut, split_long
from memorai.write.tags import Tag


@pytest.mark.parametrize(
    ("run", "nouns"),
    [
        ("我喜欢苹果", ["苹果"]),
        ("我上周领养了一只小狗", ["小狗"]),
        ("你好谢谢今天", []),
        ("东京タワーに行きました", ["东京", "タワー"]),
        ("猫和狗的事", ["猫", "狗"]),
    ],
)
def test_pieces_between_function_words(run, nouns):
    assert [token.text for token in cut(run) if token.tag is Tag.NOUN] == nouns


def test_known_names_stay_whole_and_nothing_is_lost():
    tokens = cut("我和和平在上海", known=["和和平"])
    assert [(t.text, t.tag) for t in tokens if t.tag is Tag.NAME] == [("和和平", Tag.NAME)]
    assert "".join(t.text for t in tokens) == "我和和平在上海"


@pytest.mark.parametrize(
    ("piece", "parts"),
    [("宠物医院餐厅", ("宠物医院", "餐厅")), ("甲乙丙丁戊", ("甲乙", "丙丁戊")), ("去宠物医院啦", ("宠物医院",))],
)
def test_long_pieces_split_at_words_used_elsewhere_then_in_pairs(piece, parts):
    assert split_long(piece, {"宠物医院", "医院"}) == parts
