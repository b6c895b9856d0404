"""Facts in time, in English and Chinese: what holds now, what held then, and what a newer statement changes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.memories import opened, said, texts

HOMES = {
    "en": ("I live in Beijing.", "I moved to Shanghai.", "Where do I live?", "My cat is called Biscuit."),
    "zh": ("我住在北京。", "我搬到了上海。", "我住在哪里？", "我的猫叫饼干。"),
}
JOBS = {
    "en": (
        "From 2022 to 2024 I worked at Alibaba.",
        "I work at Tencent now.",
        "Alibaba's headquarters are in Hangzhou.",
        "The headquarters of Tencent is in Shenzhen.",
        "In which city is the headquarters of the company I work for?",
    ),
    "zh": (
        "2022年到2024年我在阿里巴巴工作。",
        "现在我在腾讯工作。",
        "阿里巴巴的总部在杭州。",
        "腾讯的总部在深圳。",
        "我工作的公司的总部在哪个城市？",
    ),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("backwards", [False, True])
def test_beijing_then_shanghai(tmp_path, language, backwards):
    old, new, question, other = HOMES[language]
    chat = [said(old, "2021-05-01", id="old"), said(other, "2022-01-01"), said(new, "2024-06-01", id="new")]
    with opened(tmp_path / "m") as memory:
        for message in reversed(chat) if backwards else chat:
            memory.add(message)
        assert memory.search(question, k=1)[0].id == "new"
        assert memory.search(question, k=1, at="2023-01-01")[0].id == "old"
        assert memory.search(question, k=1, at=datetime(2024, 6, 1, tzinfo=UTC))[0].id == "new"
        assert "old" in [result.id for result in memory.search(question, k=3)]  # lowered, not lost
        line = [fact for fact in memory.history("user") if fact.kind == "lives_in"]
        moved = datetime(2024, 6, 1, tzinfo=UTC)
        assert [(f.valid_from, f.valid_to, f.turn_ids) for f in line] == [
            (None, moved, ("old",)),
            (moved, None, ("new",)),
        ]
        assert not any(fact.conflict for fact in line)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_employer_s_headquarters_two_hops_away(tmp_path, language, backwards):
    first, second, hangzhou, shenzhen, question = JOBS[language]
    chat = [
        said(text, f"2025-01-{day}", id=id_)
        for day, (id_, text) in enumerate(
            zip(("a", "t", "hz", "sz"), (first, second, hangzhou, shenzhen), strict=True), 10
        )
    ]
    with opened(tmp_path / "m") as memory:
        memory.add(list(reversed(chat)) if backwards else chat)
        now = [result.id for result in memory.search(question, k=4)]
        then = [result.id for result in memory.search(question, k=4, at="2023-06-01")]
        assert set(now[:2]) == {"t", "sz"} and set(then[:2]) == {"a", "hz"}
        line = [fact for fact in memory.history("user") if fact.kind == "works_at"]
        ended = datetime(2025, 1, 1, tzinfo=UTC)
        assert [(f.valid_from, f.valid_to) for f in line] == [
            (datetime(2022, 1, 1, tzinfo=UTC), ended),
            (ended, None),
        ]


def test_who_asks_to_keep_both_gets_a_conflict(tmp_path):
    with opened(tmp_path / "m", on_conflict="keep") as memory:
        memory.add(said("I live in Beijing.", "2021-05-01"))
        memory.add(said("I live in Shanghai.", "2024-06-01"))
        line = memory.history("user")
        assert [(f.valid_to, f.conflict) for f in line] == [(None, True), (None, True)]
        assert memory.decisions() == ()


def test_other_relations_hold_side_by_side(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add([said("I love Rome.", "2021-01-01"), said("I love Paris.", "2022-01-01")])
        assert [f.valid_to for f in memory.history("user")] == [None, None]


def test_the_same_statement_again_is_another_source(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add([said("I live in Rome.", "2021-01-01", id="a"), said("I live in Rome.", "2022-01-01", id="b")])
        assert [f.turn_ids for f in memory.history("Rome")] == [("a", "b")]
        memory.add([said("I live in Oslo.", "2023-01-01"), said("I live in Rome.", "2024-01-01", id="c")])
        assert [(f.object, f.valid_to and f.valid_to.year) for f in memory.history("user")] == [
            ("Rome", 2023),
            ("Oslo", 2024),
            ("Rome", None),
        ]
        memory.forget(turn="a")
        assert memory.history("Rome")[0].turn_ids == ("b",)


def test_forgetting_the_middle_of_a_line_joins_its_ends(tmp_path):
    with opened(tmp_path / "m") as memory:
        for year, town in (("2021", "Rome"), ("2022", "Oslo"), ("2023", "Bern")):
            memory.add(said(f"I moved to {town}.", f"{year}-01-01", id=town))
        memory.forget(turn="Oslo")
        assert [(f.object, f.valid_to and f.valid_to.year) for f in memory.history("user")] == [
            ("Rome", 2023),
            ("Bern", None),
        ]


def test_what_is_over_ends_nothing(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Rome.", "2021-01-01"))
        memory.add(said("I used to live in Paris.", "2022-01-01"))
        memory.add(said("I no longer live in Oslo.", "2022-02-01"))
        facts = {f.object: f for f in memory.history("user") if f.kind}
        assert sorted(facts) == ["Paris", "Rome"]
        assert facts["Rome"].valid_to is None
        assert facts["Paris"].valid_to == datetime(2022, 1, 1, tzinfo=UTC)
        assert texts(memory.search("Where do I live?", k=1)) == ["I live in Rome."]
