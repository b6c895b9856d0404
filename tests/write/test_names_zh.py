import pytest

from memorai.write.names_zh import find_names


@pytest.mark.parametrize(
    ("run", "names"),
    [
        ("小明喜欢猫", ["小明"]),
        ("我和小明去了北京", ["小明"]),
        ("我的朋友阿强在上海", ["阿强"]),
        ("我喜欢小红", ["小红"]),
        ("小红书很好看", []),
        ("老师喜欢小狗", []),
        ("阿里总部在杭州", []),
        ("大小明天再说", []),
    ],
)
def test_names(run, names):
    assert list(find_names([run])) == names
