from memorai.types import Turn
from memorai.write.names import PhraseKeys
from memorai.write.reading import Reader


def turns(*texts):
    return [Turn(str(i), "s", "Ann", text) for i, text in enumerate(texts)]


def names(reader, place):
    return [span.name for reading in reader.readings[place] for span in reading.spans]


def test_only_turns_with_a_word_of_new_standing_are_read_again():
    reader = Reader(["Ann"], PhraseKeys(), 4)
    assert reader.append(turns("Hope came.", "The dog slept.", "Rome burns.")) == [0, 1, 2]
    assert names(reader, 0) == ["hope"]
    kept = reader.readings[1]
    assert reader.append(turns("We met Hope.", "ok")) == [0, 3, 4]
    assert names(reader, 0) == ["Hope"]
    assert reader.readings[1] is kept
    # it is written small more often than not, and so no name after all
    assert reader.append(turns("there is hope, hope, hope")) == [0, 3, 5]
    assert names(reader, 0) == ["hope"]


def test_a_chinese_name_learned_later():
    reader = Reader(["王芳"], PhraseKeys("zh"), 4)
    reader.append(turns("天天小明来"))
    assert "小明" not in names(reader, 0)
    assert reader.append(turns("小明喜欢猫")) == [0, 1]
    assert "小明" in names(reader, 0)
