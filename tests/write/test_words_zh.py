from hypothesis import given
from hypothesis import strategies as st

from memorai.write.words_zh import ChineseWords


def words(chinese, run):
    return [token.text for token in chinese.words(run)]


def test_a_name_and_a_term_that_a_later_run_teaches():
    chinese = ChineseWords(["王芳"])
    chinese.add(["王芳天天去宠物医院餐厅", "昨天小明来"])
    assert words(chinese, "王芳天天去宠物医院餐厅") == ["王芳", "天天", "去", "宠物", "医院", "餐厅"]
    assert chinese.add(["我去宠物医院"]) == ["王芳天天去宠物医院餐厅"]
    assert words(chinese, "王芳天天去宠物医院餐厅") == ["王芳", "天天", "去", "宠物医院", "餐厅"]
    assert chinese.add(["我去宠物医院", "我们走"]) == []


PIECES = st.sampled_from(
    ["小明", "小红", "喜欢", "宠物", "医院", "餐厅", "我", "和", "天天", "的", "甲", "乙丙丁", "老王"]
)
RUNS = st.lists(st.lists(PIECES, min_size=1, max_size=5).map("".join), max_size=8)


@given(RUNS, RUNS)
def test_learning_in_two_steps_is_learning_at_once_and_says_whose_words_change(first, second):
    stepwise, whole = ChineseWords(["王芳"]), ChineseWords(["王芳"])
    assert stepwise.add(first) == []
    before = {run: words(stepwise, run) for run in first}
    changed = stepwise.add(second)
    whole.add([*first, *second])
    for run in [*first, *second]:
        assert words(stepwise, run) == words(whole, run)
    assert {run for run, old in before.items() if words(stepwise, run) != old} <= set(changed) <= set(first)
