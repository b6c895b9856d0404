"""Words for people: kin and roles, what only people do, and how people are called. Data only."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: one person, by kinship or role
PEOPLE = _words(
    """sister brother mother mom mum father dad son daughter wife husband partner girlfriend boyfriend fiance fiancee
    uncle aunt cousin grandma grandpa grandmother grandfather niece nephew friend bestie boss manager colleague coworker
    neighbor neighbour teacher mentor coach roommate flatmate therapist doctor dentist professor classmate teammate
    妹妹 姐姐 哥哥 弟弟 妈妈 爸爸 母亲 父亲 爷爷 奶奶 外公 外婆 儿子 女儿 妻子 丈夫 老婆 老公 女朋友 男朋友 朋友
    同事 老板 邻居 同学 室友"""
)
#: one person may be this to several people
LOOSE_ROLES = _words(
    """friend bestie colleague coworker neighbor neighbour roommate flatmate classmate teammate teacher coach mentor
    doctor dentist therapist professor 朋友 同事 邻居 同学 室友"""
)
PLURAL_PEOPLE = _words(
    """parents grandparents kids children sons daughters sisters brothers cousins friends colleagues coworkers
    neighbors neighbours classmates teammates roommates 父母 孩子们"""
)
#: a name before such a verb is a person's
PERSON_VERBS = _words(
    """said says told tells asked asks thinks thought feels felt loves loved likes liked hates hated wants wanted hopes
    hoped knows knew called calls texted wrote laughed smiled cried married adopted moved lives lived works worked"""
)
#: short forms of English given names that are no prefix of them (a prefix is a short form by itself)
NICKNAMES = {
    "bob": "robert", "bobby": "robert", "rob": "robert", "bill": "william", "billy": "william", "liz": "elizabeth",
    "beth": "elizabeth", "betty": "elizabeth", "dick": "richard", "rick": "richard", "jim": "james", "jimmy": "james",
    "jack": "john", "peggy": "margaret", "meg": "margaret", "maggie": "margaret", "kate": "katherine",
    "katie": "katherine", "ted": "edward", "ned": "edward", "tony": "anthony", "mike": "michael", "mick": "michael",
    "becky": "rebecca", "sasha": "alexander", "polly": "mary", "molly": "mary", "nell": "helen", "nora": "eleanor",
    "annie": "anne", "nancy": "anne", "hank": "henry", "harry": "henry", "larry": "lawrence", "chuck": "charles",
    "charlie": "charles", "sandy": "alexandra", "trish": "patricia", "patty": "patricia", "gina": "regina",
}  # fmt: skip
#: 小, 老 or 阿 and a character, and yet no name
NOT_NAMES_ZH = _words(
    """小时 小心 小孩 小说 小吃 小学 小区 小姐 小组 小麦 小费 小狗 小猫 小鸟 小鱼 小车 小店 小镇 小城 小朋 小伙 小型
    小声 小路 小事 小米 小提 小看 小睡 小住 小雨 小雪 小脚 小手 老师 老板 老人 老公 老婆 老家 老是 老虎 老鼠 老年 老百
    老外 老友 老大 老实 老早 老在 老想 小有 阿里 阿姨 阿根 阿拉"""
)
