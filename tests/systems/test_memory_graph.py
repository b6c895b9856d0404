"""The memory graph on a Chinese conversation: triples, keyword seeds, hops, aliases, versions."""

from __future__ import annotations

from datetime import datetime

import pytest

from memorai.harness.load import load_system
from memorai.types import Conversation, Query, Session, Turn

SAID = (
    *("小明喜欢猫。", "小明养了一只布偶猫。", "小红住在上海。", "小红喜欢咖啡。"),
    *("小红是小明的同事。", "今天天气不错。", "小红搬到了北京。"),
)
TURNS = tuple(Turn(f"t{i}", "s1", "用户", text, datetime(2024, 3, i)) for i, text in enumerate(SAID, 1))


@pytest.fixture(scope="module")
def index():
    conversation = Conversation("zh", (Session("s1", TURNS, TURNS[0].time),), (), "zh")
    return load_system("memory_graph", "embedder=hashing").index(conversation)


def found(index, question: str, k: int = 7) -> tuple[str, ...]:
    return index.search([Query("q", question)], k)[0].ids


def test_the_triples_and_their_versions(index):
    relations = {(r.source, r.text, r.target): r.valid_to for r in index.indexed.graph.relations}
    assert relations["小明", "喜欢", "猫"] is None
    assert relations["小明", "养了", "布偶猫"] is None
    # both homes are kept; the earlier one ended when the later one was said
    assert relations["小红", "住在", "上海"] == TURNS[6].time
    assert relations["小红", "搬到了", "北京"] is None


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("小明养了什么宠物？", "t2"),
        ("小明喜欢什么？", "t1"),
        ("谁养了布偶猫？", "t2"),
        ("小红喜欢喝什么？", "t4"),
        ("小红住在哪里？", "t7"),
    ],
)
def test_the_fact_that_answers_comes_first(index, question, best):
    assert found(index, question, 1) == (best,)


def test_what_has_ended_comes_last_and_is_still_found(index):
    ranked = found(index, "小红住在哪里？")
    assert ranked[0] == "t7" and ranked[-1] == "t3"


def test_another_persons_facts_are_two_hops_away_and_small_talk_is_not_found(index):
    # 小明 -> 同事 -> 小红: where a colleague lives is reached through who the colleague is
    ranked = found(index, "小明的同事住在哪里？")
    assert "t7" in ranked and ranked.index("t5") < ranked.index("t7") < ranked.index("t3")
    assert "t6" not in found(index, "小明喜欢什么？")
