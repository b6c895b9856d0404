from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.answer.question import BASE_FORMS, terms_of, understand

SPEAKERS = ["Ann", "Bo Li", "小雨"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When did Ann move?", "when"),
        ("On what date was the party?", "when"),
        ("Which year did Bo graduate?", "when"),
        ("How long has Ann lived here?", "duration"),
        ("How many weeks did it take?", "duration"),
        ("How many cats does Bo own?", "count"),
        ("What time do I get up?", "count"),
        ("Who held the rope?", "who"),
        ("Where did Ann bury the cat?", "where"),
        ("Which country is Bo from?", "where"),
        ("Why was it late?", "why"),
        ("How did the interview go?", "how"),
        ("What broke when she fell?", "what"),  # the first word that asks decides
        ("Who cried when Ann left?", "who"),
        ("Did Ann finish the book?", "yes_no"),
        ("Could Bo help?", "yes_no"),
        ("Can you remind me of the name of the hostel?", "what"),
        ("Can you remind me where we ate?", "where"),
        ("Which came first, the bike or the car?", "choice"),
        ("小雨什么时候开业？", "when"),
        ("小雨搬到哪儿了？", "where"),
        ("一共多少钱？", "count"),
        ("谁来了？", "who"),
        ("她喜欢猫吗？", "yes_no"),
        ("他为什么没来？", "why"),
        ("", "what"),
    ],
)
def test_the_kind_of_a_question(text: str, kind: str) -> None:
    assert understand(text, SPEAKERS).kind == kind


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("What did Ann buy?", {"ann"}),
        ("What did Bo give Ann?", {"ann", "bo li"}),
        ("What did Annabel buy?", set()),  # another name that begins alike
        ("What did I buy?", {"user"}),
        ("Which cake did you recommend to me?", {"assistant"}),
        ("小雨买了什么？", {"小雨"}),
    ],
)
def test_whom_a_question_is_about(text: str, subjects: set[str]) -> None:
    assert understand(text, SPEAKERS).subjects == subjects


def test_the_options_and_the_order_of_a_choice() -> None:
    asked = understand("Which device did I set up first, the smart thermostat or the new router?", [])
    assert asked.options == ("the smart thermostat", "the new router") and asked.order == "first"
    assert understand("What did I use most recently, a bus or a train?", []).order == "last"
    assert understand("What is it, red or blue?", []).order == ""


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("In May, which came first, the bike or the car?", ("the bike", "the car")),
        ("Which was it: tea or coffee?", ("tea", "coffee")),
        ("Which did I use, a train, a bus, or a tram?", ("a train", "a bus", "a tram")),
        ("Does Ann prefer tea or coffee?", ("tea", "coffee")),
        ("What does Ann do to relax or unwind?", ()),  # no choice
        ("Would Ann rather ski, or?", ()),
        ("The bike, or the car", ()),
    ],
)
def test_options(text: str, options: tuple[str, ...]) -> None:
    assert understand(text, []).options == options


@pytest.mark.parametrize("piece", [", a", ", a or", "is it ", " ", "a few days ago ", "how many ", "which word "])
def test_a_question_of_any_length_is_read(piece: str) -> None:
    assert understand(piece * 50_000 + "?", []).kind  # patterns that went back and forth took hours


def test_questions_for_several_things() -> None:
    assert understand("What activities does Ann enjoy?", []).several
    assert understand("Which books has Bo read?", []).several
    assert not understand("What is the name of Ann's dogs' vet?", []).several
    assert not understand("What did Ann buy?", []).several


def test_irregular_verbs_meet_their_base_form() -> None:
    assert terms_of("I went and bought it", "en") == terms_of("go buy", "en")
    assert not set(BASE_FORMS) & set(BASE_FORMS.values()) - {"read", "hurt"}  # no form leads to another form


@given(st.text(max_size=200), st.lists(st.text(max_size=8), max_size=3))
def test_any_text_is_a_question_of_some_kind(text: str, speakers: list[str]) -> None:
    asked = understand(text, speakers)
    assert asked.kind and asked == understand(text, speakers)
