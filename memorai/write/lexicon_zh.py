"""Chinese function words, verbs and small talk that bound a noun-like piece. Data only."""

from __future__ import annotations

import re

from memorai.write.tags import Tag


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _entries(tag: Tag, text: str) -> dict[str, Tag]:
    return dict.fromkeys(text.split(), tag)


FIRST_PERSON = frozenset(("我", "我们", "咱", "咱们"))
POSSESSED = _words(
    "妹妹 姐姐 哥哥 弟弟 妈妈 爸爸 母亲 父亲 爷爷 奶奶 外公 外婆 儿子 女儿 孩子 妻子 丈夫 老婆 老公 "
    "女朋友 男朋友 猫 狗 小狗 小猫"
)
#: one character and yet a noun of its own, where it stands alone between words
SINGLE_NOUNS = frozenset("猫狗鱼鸟马牛羊兔花树茶酒饭汤车船书歌海山湖雪雨琴棋球鞋药钱")
QUESTION_ENDINGS = ("吗", "呢", "么")
#: 在 X 工作: the verb follows its place
PLACE_VERBS = _words("工作 上班 上学 读书 生活 学习 出差 留学 实习 度假 旅行 旅游")

#: matched longest first; a word that stands here is never part of a piece
WORDS: dict[str, Tag] = {
    **_entries(
        Tag.PRONOUN,
        "我 我们 咱 咱们 你 你们 您 他 他们 她 她们 它 它们 自己 大家 别人 谁 什么 哪里 哪儿 怎么 怎么样 为什么",
    ),
    **_entries(
        Tag.DETERMINER,
        "我的 你的 他的 她的 它的 我们的 你们的 他们的 她们的 咱们的 这 那 这只 那只 这个 那个 "
        "这些 那些 这样 那样 每 每个 一些 有些 很多 许多 "
        "这里 那里 哪",
    ),
    **_entries(
        Tag.PREPOSITION,
        "在 从 到 对 向 跟 给 把 被 让 为了 关于 用 除了 随着 按照 通过",
    ),
    **_entries(
        Tag.CONJUNCTION,
        "和 与 以及 或 或者 但 但是 不过 可是 因为 所以 如果 虽然 然后 而且 而 并且 还是 因此 的话 当 时候 的时候",
    ),
    **_entries(
        Tag.AUXILIARY,
        "是 有 会 能 可以 应该 可能 必须 要 曾经 正在",
    ),
    **_entries(
        Tag.NEGATION,
        "不 没 没有 别 从不 不会 不能 不是",
    ),
    **_entries(
        Tag.ADVERB,
        "了 着 过 的 地 得 也 都 就 还 又 再 才 只 很 太 非常 特别 真 真的 挺 比较 最 更 已经 一直 经常 常常 总是 "
        "有时 刚 刚刚 一起 一般 平时 最后 最终 后来 首先 接着 "
        "仍然 正好 大概 大约 几乎 越来越 从来 好像 特意 顺便 "
        "们 吗 呢 吧 啊 呀 哦 嗯 啦 嘛 喔 么 之 其实 当然 终于 马上 突然 最近 "
        "以前 以后 之前 "
        "之后 一下 有点 一点 现在 里 里面 附近",
    ),
    # dates stand between subject and verb, as adverbs do
    **_entries(
        Tag.ADVERB,
        "今天 昨天 明天 前天 后天 今年 去年 明年 上周 下周 本周 这周 周末 上个月 下个月 早上 上午 中午 下午 晚上 "
        "昨晚 今晚 周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五 星期六 星期天 星期日",
    ),
    **_entries(
        Tag.VERB,
        "喜欢 爱 讨厌 养 养了 住在 住 搬到 搬到了 去 去了 去过 来 来自 买 买了 领养 领养了 收养 收养了 吃 吃了 喝 "
        "看 看了 看过 读 工作 上班 上学 读书 生活 学习 学 学会 想 想要 想去 打算 计划 觉得 认为 知道 认识 遇到 "
        "参加 参加了 加入 加入了 开始 开始了 做 做了 说 告诉 问 听 听说 聊 聊天 见 见到 需要 希望 决定 准备 帮 "
        "帮助 送 送了 收到 拿到 找到 结婚 旅行 出生 毕业于 毕业 叫 叫做 感到 记得 忘记 忘了 等 走 跑 玩 写 画 教 "
        "卖 开 坐 弹 唱 练 回到 回到了 回了 到了 用了 写了 画了 学了 读了 喝了 认识了 遇到了 见到了 "
        "送给 送给了 带了 带着 打了 买到 生了 成了 成为 "
        "换了 丢了 搬家 结婚了 离婚 讨厌 害怕 担心 相信 支持 享受 庆祝 总部在 总部位于 总部设在 位于 出差 "
        "留学 实习 度假 旅游",
    ),
    **_entries(
        Tag.STOP,
        "你好 您好 谢谢 多谢 哈哈 哈哈哈 再见 拜拜 对不起 没关系 好的 好吧 好啊 恭喜 加油 不客气 是的 对了 东西 "
        "事情 时间 样子 意思 方面",
    ),
    **_entries(
        Tag.ADJECTIVE,
        "好 新 旧 大 小 多 少 不错 开心 高兴 漂亮 好看 好吃 有趣 重要 厉害",
    ),
    # words that merely contain a function character
    **_entries(
        Tag.NOUN,
        "目的 目的地 和平 对象 对手 不同 小狗 小猫 小说 小学 大学 大学生 小时候 大家庭 爱好 爱情 爱人 用户 为人 "
        "过程 地铁 地图 得奖 画家 画展 作家 歌手 学生 学校 新闻 新年 新加坡 开发 开发者 走廊 玩具 写作 教师 教室 "
        "跑步 跑鞋 坐垫 好友 好莱坞 少年 大楼 大海 旅行社 工作室 看法 做法 想法 说法 等级 读者 听众 住房 住院 "
        "上海 阿里 阿里巴巴 小红书 里程碑 最爱 更衣室 会议 能力 能源 有机 要求 要点 是非 到期 从业 "
        "成都 首都 京都 都市 太原 开封 大连 大理 大阪 多伦多 新西兰 "
        "科学 科学家 物理学家 数学 化学 文学 哲学 医学 同学 中学 奖学金",
    ),
}

#: 我妈 is 我妈妈
SHORT_KIN = {"爸": "爸爸", "妈": "妈妈", "哥": "哥哥", "姐": "姐姐", "弟": "弟弟", "妹": "妹妹"}

_N = "[零一二两三四五六七八九十百几半]"
#: dates that no list can hold: 上上周二, 下个月, 三点半, 十月一号, 三天前, 两个月以后; they stand as adverbs do
DATED = re.compile(
    rf"""(?:上上|下下|上|下|这|本|每)个?(?:周|星期|礼拜)[一二三四五六日天末]?|(?:上上|下下|上|下|这|本|每)个?月
    |{_N}+点(?:半|钟|{_N}+分)?(?!儿)|{_N}+月(?:份|{_N}+[日号])
    |{_N}+(?:年|天|日|周|个?(?:月|星期|礼拜|小时))(?:以前|之前|前|以后|之后|后)
    |[春夏秋冬]天|(?:周|星期|礼拜)[一二三四五六日天]""",
    re.VERBOSE,
)

# characters that foreign names are written with
_SOUNDS = (
    "阿埃艾爱安奥巴白班鲍贝本比彼宾波伯博布查达戴丹德狄迪蒂丁杜多顿恩尔法菲费弗夫福盖甘高戈格根古哈海汉赫亨胡华惠霍基吉加贾杰金居卡凯坎康考"
    "科克肯库拉莱兰劳勒雷里利丽莉林琳龙卢鲁路罗洛伦玛马麦迈曼毛梅蒙米明莫姆穆娜纳南内尼诺欧帕佩彭皮普奇齐乔琼让瑞茹萨塞桑瑟森沙莎山舍圣盛"
    "施史舒司丝斯思坦苏索塔泰特提汀图托瓦万威韦维温翁沃乌西希夏谢辛休雅亚扬耶叶伊依因英尤约泽詹珍治朱兹佐侬翰"
)
_OPENING = "".join(char for char in _SOUNDS if char not in WORDS)
#: a foreign name: 玛丽·居里. Where it begins nothing but a function word can tell, so it begins with none
DOTTED = re.compile(rf"[{_OPENING}]{{1,6}}(?:[·・‧•][{_SOUNDS}]{{1,6}})+")
