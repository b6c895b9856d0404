"""Chinese and mixed-script conversations through every step that needs no language model."""

from datetime import datetime

import pytest

from memorai.graph.incremental import GraphWriter
from memorai.types import Conversation, Session, Turn
from memorai.write.describe import describe
from memorai.write.extraction import Segment
from memorai.write.gate import RuleGate
from memorai.write.lexical import LexicalExtractor
from memorai.write.resolve import EntityResolver
from memorai.write.segment import SessionSegmenter, WindowSegmenter
from memorai.write.sentences import split_sentences
from memorai.write.stems import StemExtractor
from memorai.write.summarize import summarize

SUNDAY = datetime(2023, 5, 7, 13, 5)


def turns_of(*texts, speakers=("王芳", "李雷")):
    return tuple(Turn(str(i), "s", speakers[i % 2], text, SUNDAY) for i, text in enumerate(texts))


def extract(*texts, **options):
    return LexicalExtractor(**options).extract([Segment("s", turns_of(*texts))], "zh")


def entities(text):
    return [m.name for m in extract(text).mentions if m.name != "王芳"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # mixed scripts, with and without spaces
        ("我在Google工作", ["Google"]),
        ("我在 Google 工作", ["Google"]),
        ("我昨天用Python写了一个bot", ["Python", "bot"]),
        ("我们team上周去了Tokyo开会", ["team", "Tokyo"]),
        # fullwidth forms
        ("我在Ｇｏｏｇｌｅ工作", ["Google"]),
        ("我买了ｉＰｈｏｎｅ１５", ["iphone15"]),
        # traditional characters
        ("我喜歡貓", ["貓"]),
        ("我養了一隻布偶貓", ["布偶貓"]),
        ("我妹妹住在臺北", ["妹妹", "臺北"]),
        ("我們昨天去了圖書館", ["圖書館"]),
        # names: with a middle dot, of endearment
        ("我认识了玛丽·居里", ["玛丽·居里"]),
        ("阿尔伯特·爱因斯坦是物理学家", ["阿尔伯特·爱因斯坦", "物理学家"]),
        ("约翰·列侬和他的妻子", ["约翰·列侬", "妻子"]),
        ("小明和小红结婚了", ["小明", "小红"]),
        ("老王喜欢钓鱼", ["老王", "钓鱼"]),
        # emoji
        ("我今天领养了小狗🐶🎉", ["小狗"]),
        ("我❤️北京", ["北京"]),
        # numbers and dates are none
        ("三点半我去了咖啡馆", ["咖啡馆"]),
        ("2023年5月我搬到了上海", ["上海"]),
        ("上周二我看了电影", ["电影"]),
        ("上个星期天我们去了公园", ["公园"]),
        ("去年夏天我去了杭州", ["杭州"]),
        ("我三天前买了两本书", ["书"]),
        ("十月一号我们去爬山", ["爬山"]),
        # family, short forms too
        ("我妈妈做了红烧肉", ["妈妈", "红烧肉"]),
        ("我妈住在成都", ["妈", "成都"]),
        ("我爷爷和奶奶住在乡下", ["爷爷", "奶奶", "乡下"]),
        # punctuation and quotation
        ("我喜欢猫；我妹妹喜欢狗。", ["猫", "妹妹", "狗"]),
        ("我读了「三体」！", ["三体"]),
        ("我看了《流浪地球》", ["流浪地球"]),
        ("她说「我喜欢苹果」", ["苹果"]),
        ("“你好吗？”他问。", []),
        # no pause at all
        ("我去了北京然后去了上海然后又去了广州最后回到了杭州", ["北京", "上海", "广州", "杭州"]),
        ("哈哈哈", []),
        ("嗯嗯好的谢谢", []),
    ],
)
def test_entities(text, expected):
    assert entities(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("小明喜欢猫", [("小明", "喜欢", "猫")]),
        ("小明養了一隻布偶貓", [("小明", "养了", "布偶猫")]),
        ("小紅住在上海", [("小紅", "住在", "上海")]),
        ("小明在阿里工作，阿里总部在杭州", [("小明", "在工作", "阿里"), ("阿里", "总部在", "杭州")]),
        ("我在Google工作", [("王芳", "在工作", "google")]),
        ("小明在Ｇｏｏｇｌｅ工作", [("小明", "在工作", "google")]),
        ("我三天前领养了小狗", [("王芳", "领养了", "小狗")]),
        ("我上周二去了北京", [("王芳", "去了", "北京")]),
        ("我妈住在成都", [("王芳", "有", "妈妈"), ("妈妈", "住在", "成都")]),
        ("我喜欢猫；我妹妹喜欢狗", [("王芳", "喜欢", "猫"), ("王芳", "有", "妹妹"), ("妹妹", "喜欢", "狗")]),
        ("我認識了玛丽·居里", [("王芳", "认识了", "玛丽·居里")]),
        ("小明喜欢小红，小红不喜欢小明", [("小明", "喜欢", "小红"), ("小红", "不喜欢", "小明")]),
        ("你喜歡貓嗎", []),
    ],
)
def test_relations_keep_their_direction(text, expected):
    found = LexicalExtractor(dates=False).extract([Segment("s", turns_of(text))], "zh").relations
    assert [(r.source, r.text, r.target) for r in found] == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("小明搬到了上海。", "真的吗？", "他喜欢猫。"), [("小明", "喜欢", "猫")]),
        (("我妹妹搬到了上海。", "真的吗？", "她喜歡貓。"), [("妹妹", "喜欢", "猫")]),
        (("小明和小红来了。", "真的吗？", "他喜欢猫。"), []),  # either
        (("我去了上海。", "真的吗？", "他喜欢猫。"), []),  # nobody
        (("李雷，你好。", "你好。", "他喜欢猫。"), []),  # who is spoken to is not he
    ],
)
def test_pronouns(texts, expected):
    found = extract(*texts, coreference=True).relations
    assert [(r.source, r.text, r.target) for r in found if "2" in r.turn_ids] == expected


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("我去年搬到了上海", datetime(2022, 1, 1)),
        ("我上周二搬到了上海", datetime(2023, 4, 25)),
        ("我2022年5月搬到了上海", datetime(2022, 5, 1)),
        ("我２０２２年５月搬到了上海", datetime(2022, 5, 1)),
        ("我三天前搬到了上海", datetime(2023, 5, 4)),
        ("我搬到了上海", None),
    ],
)
def test_a_relation_holds_from_the_date_that_is_said(text, start):
    pytest.importorskip("dateparser", reason="needs the extra `dates`")
    (found,) = (r for r in extract(text, dates=True).relations if r.target == "上海")
    assert (found.source, found.valid_from) == ("王芳", start)


def test_traditional_and_simplified_spellings_are_one_entity_and_different_words_are_not():
    turns = turns_of("我喜歡貓和蘋果", "我喜欢猫和香蕉", "小紅来了", "小红走了")
    found = LexicalExtractor().extract([Segment("s", turns)], "zh")
    cats = {m.key for m in found.mentions if m.name in ("猫", "貓")}
    assert cats == {"猫"}
    resolution = EntityResolver(similar=False).resolve(found, turns)
    assert [(d.reason, d.source, d.target) for d in resolution.decisions] == [("form", "小红", "小紅")]
    assert {"苹果", "香蕉"} <= {m.key for m in resolution.extraction.mentions}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("你好！我是王芳。你呢？", ["你好！", "我是王芳。", "你呢？"]),
        ("他说：「我走了。」然后离开。", ["他说：「我走了。」", "然后离开。"]),
        ("真的吗？！太好了……", ["真的吗？！", "太好了……"]),
        ("第一；第二，第三", ["第一；第二，第三"]),
    ],
)
def test_sentences(text, expected):
    assert [sentence.text for sentence in split_sentences(text)] == expected


def test_the_whole_write_path():
    long = "我喜欢猫也喜欢狗而且我妹妹住在上海" * 400
    said = (
        "你好！",
        "我在Google工作，喜歡貓。",
        "小明养了一只布偶猫🐱",
        "谢谢！",
        long,
        "小明在阿里工作，阿里总部在杭州。",
    )
    turns = turns_of(*said)
    gate = RuleGate().score([Segment("s", turns)], "zh")
    assert [gate[turn.id] for turn in turns] == [0, 1, 1, 0, 1, 1]
    talk = Conversation("c", (Session("s", turns[:3]), Session("t", turns[3:])), language="zh")
    for segmenter in (SessionSegmenter(), WindowSegmenter()):
        for extractor, resolver in (
            (LexicalExtractor(coreference=True), EntityResolver(similar=False)),
            (StemExtractor(), None),
        ):
            graph = GraphWriter(talk, segmenter, extractor, resolver, summarize).graph
            assert graph.sizes["turn"] == 6 and all(snippet.summary for snippet in graph.snippets)
    found = {e.name: e for e in GraphWriter(talk, extractor=LexicalExtractor()).graph.entities}
    assert {"王芳", "李雷", "Google", "小明", "布偶猫", "阿里", "杭州", "妹妹", "上海"} <= set(found)
    assert found["阿里"].description == "阿里: 小明在阿里工作，阿里总部在杭州。"
    assert describe("布偶猫", turns[2:3]) == "布偶猫: 小明养了一只布偶猫🐱"
