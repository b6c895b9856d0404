from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memorai.answer.clean import after_marker, clean, shorten, take_citations, without_head

PLAIN = [
    "the red car",
    "7 May 2023",
    "7. May",
    "Rome, Paris",
    "-5 degrees",
    "She said: never again",
    'He called it "the beast" and "the thing"',
    "Ann's",
    "C# and F#",
    "2 * 3",
    "snake_case_name",
    "A: 5".removeprefix("A: "),
    "Mr. Petrie",
    "answer in hand",
    "狗叫雷克斯",
]


@pytest.mark.parametrize("answer", PLAIN)
def test_an_answer_that_is_only_an_answer_stays(answer: str) -> None:
    assert clean(answer) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("", ""),
        (" \n ", ""),
        ("...", ""),
        ("Answer:", ""),
        ("<think>Rome?", ""),
        ("<think>Rome?</think>", ""),
        ("<think>Rome?</think>\n\nParis", "Paris"),
        ("Rome?</think>Paris", "Paris"),
        (
            "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Paris<|return|>",
            "Paris",
        ),
        ("Answer: Paris", "Paris"),
        ("ANSWER：Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("**Answer**: Paris", "Paris"),
        ("### Answer\nParis", "Paris"),
        ("Final answer: Paris", "Paris"),
        ("The answer is: Paris", "Paris"),
        ("A: Paris", "Paris"),
        ("Answer: Answer: Paris", "Paris"),
        ("Answer:\n\nParis", "Paris"),
        ("答案：巴黎", "巴黎"),
        ('"Paris"', "Paris"),
        ('"Paris."', "Paris."),
        ('"Paris".', "Paris"),
        ("'Paris'", "Paris"),
        ("'It's Ann's'", "It's Ann's"),
        ("“Paris”", "Paris"),
        ("「巴黎」", "巴黎"),
        ('Answer: "**Paris**"', "Paris"),
        ("**Paris**", "Paris"),
        ("*Paris*", "Paris"),
        ("`Paris`", "Paris"),
        ("a **red** car", "a red car"),
        ("```\nParis\n```", "Paris"),
        ("```text\nParis\n```", "Paris"),
        ("```\nParis", "Paris"),
        ('```json\n{"answer": "Paris"}\n```', "Paris"),
        ('{"answer": "Paris"}', "Paris"),
        ('{"answer": ["Paris", "Rome"]}', "Paris, Rome"),
        ('{"answer": null}', ""),
        ('{"answer": ""}', ""),
        ("{broken", "{broken"),
        ("# Paris", "Paris"),
        ("> Paris", "Paris"),
        ("- Paris", "Paris"),
        ("- Paris\n- Rome.", "Paris, Rome"),
        ("1. Paris\n2. Rome", "Paris, Rome"),
        ("Cities:\n- Paris\n- **Rome**", "Paris, Rome"),
        ("Here they are:\n\n* Paris\n* Rome", "Paris, Rome"),
        ("Paris\n\nShe said so in May.", "Paris"),
        ("\n\n---\n\nParis", "Paris"),
        ("Paris,\nnear the river", "Paris, near the river"),
        ("Paris\nQuestion: And Bob?\nAnswer: Rome", "Paris"),
        ("# Paris\nParis\nRome\nParis", "Paris Rome"),
        ("Paris\r\n\r\nBecause.", "Paris"),
        ("Paris \ud83d", "Paris \ufffd"),
    ],
)
def test_what_models_put_around_an_answer_goes(reply: str, answer: str) -> None:
    assert clean(reply) == answer


WRAPPERS = [
    lambda text: f"<think>Is it {text}? No.</think>{text}",
    lambda text: f"Answer: {text}",
    lambda text: f"**{text}**",
    lambda text: f'"{text}"',
    lambda text: f"“{text}”",
    lambda text: f"```\n{text}\n```",
    lambda text: f"\n\n {text} \n",
    lambda text: f"{text}\n\nThat is what the lines say.",
]
WORDS = st.lists(st.sampled_from(["Rome", "red", "7", "May", "Ann's", "3:30", "狗", "semi-final"]), min_size=1).map(
    " ".join
)


@given(WORDS, st.lists(st.integers(0, len(WRAPPERS) - 1), max_size=3, unique=True))
def test_one_answer_comes_out_of_any_wrapping(answer: str, order: list[int]) -> None:
    # inner to outer: fences and paragraphs go around what stands on a line
    reply = answer
    for which in sorted(order, key=lambda i: (4, 3, 0, 1, 2, 5, 7, 6)[i]):
        reply = WRAPPERS[which](reply)
    assert clean(reply) == answer


NOISE = st.text(st.sampled_from("aR7 \n\t*_`\"'“”[]{}<>:#-.,;|/。答案："), max_size=60)


@given(st.one_of(st.text(max_size=80), NOISE))
@example("<think></think>```\n*Answer:*\n```")
def test_any_reply_gives_one_line_without_blanks_around_it(reply: str) -> None:
    answer = clean(reply)
    assert answer == " ".join(answer.split())
    answer.encode()  # no lone surrogates
    # nothing is made up, and what says something is not all taken away but for labels, thoughts and JSON
    assert all(char in reply or char in ", \ufffd" for char in answer)


@given(st.text(st.sampled_from("abc 1,.!\n"), min_size=1, max_size=60).filter(lambda text: any(map(str.isalnum, text))))
def test_words_without_markup_are_never_lost_altogether(reply: str) -> None:
    assert any(char.isalnum() for char in clean(reply))


@pytest.mark.parametrize(
    "char", ["*", '"', "`", "[", "{", "<think>", "Answer:", "\n\n", "- ", "'a", "\n", "\n\r", "答案："]
)
def test_a_reply_that_repeats_itself_is_read(char: str) -> None:
    """A quadratic pattern would take minutes for it."""
    for text in (char * 20_000 + "a", f"a{char * 20_000}a"):
        clean(text)
        take_citations(text, {"t1"})
        after_marker(text)
        shorten(text, 3)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("Notes:\n[t1] May\n\nAnswer: 7 May", ("Notes:\n[t1] May", "7 May", True)),
        ("Answer: it depends\nno, wait\n**Answer:** 7 May", ("Answer: it depends\nno, wait", "7 May", True)),
        ("<think>Answer: 6</think>none\nFinal answer:\n7 May", ("none", "7 May", True)),
        ("the answer: of old\nAnswer:", ("the answer: of old", "", True)),
        ("His answer: no\n\n7 May", ("", "7 May", False)),
        ("笔记\n答案：五月七日", ("笔记", "五月七日", True)),
        ("", ("", "", False)),
    ],
)
def test_the_last_marker_divides_notes_and_answer(reply: str, found: tuple[str, str, bool]) -> None:
    assert after_marker(reply) == found


@pytest.mark.parametrize(
    ("text", "words", "cut", "where"),
    [
        ("one two three", 3, "one two three", ""),
        ("one two three.", 3, "one two three.", ""),
        ("one two three four", 3, "one two three", "word"),
        ("One two. Three four", 3, "One two.", "sentence"),
        ("One two three. Four", 3, "One two three.", "sentence"),
        ("At 3.30 he came. And then he went.", 4, "At 3.30 he came.", "sentence"),
        ("At 3.30 he came. And then he went.", 2, "At 3.30", "word"),
        ("我养狗。狗叫雷克斯。", 5, "我养狗。", "sentence"),
        ("狗叫雷克斯", 2, "狗叫", "word"),
    ],
)
def test_a_long_answer_ends_with_a_sentence_or_a_word(text: str, words: int, cut: str, where: str) -> None:
    assert shorten(text, words) == (cut, where)


@given(st.text(st.sampled_from("ab .!,。狗'"), max_size=60), st.integers(1, 12))
def test_a_cut_is_a_beginning_within_the_limit(text: str, words: int) -> None:
    cut, where = shorten(text, words)
    assert text.startswith(cut)
    assert (cut == text) or where
    assert shorten(cut, words) == (cut, "")


@pytest.mark.parametrize(
    ("text", "left", "real", "invented"),
    [
        ("Rome [t4]", "Rome", ("t4",), ()),
        ("Rome [t4].", "Rome.", ("t4",), ()),
        ("[t4] Rome", " Rome", ("t4",), ()),
        ("Rome [t5, t4; t5]", "Rome", ("t5", "t4"), ()),
        ("Rome [t5][t4] it is", "Rome it is", ("t5", "t4"), ()),
        ("Rome [t99]", "Rome", (), ("t99",)),
        ("Rome [t4, t99]", "Rome", ("t4",), ("t99",)),
        ("Rome [sic]", "Rome [sic]", (), ()),
        ("Rome [t4 and more]", "Rome [t4 and more]", (), ()),
        ("Rome (t4)", "Rome (t4)", (), ()),
        ("a\n[D1:3]\nb", "a\n\nb", ("D1:3",), ()),
        ("[]", "[]", (), ()),
    ],
)
def test_ids_in_brackets_are_citations(text: str, left: str, real: tuple[str, ...], invented: tuple[str, ...]) -> None:
    assert take_citations(text, {"t4", "t5", "D1:3"}) == (left, real, invented)


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("2024-05-03 00:00 Bob: I moved.", "I moved."),
        ("Bob: I moved.", "I moved."),
        ("Bob: 2024-05-03 00:00 Bob: Ann: I moved.", "I moved."),
        ("Bob Lee: I moved.", "I moved."),
        ("Bo: I moved.", "Bo: I moved."),
        ("Carl: I moved.", "Carl: I moved."),
        ("2024-05-03 00:00", "2024-05-03 00:00"),
        ("2024-05-03 00:00 I moved", "2024-05-03 00:00 I moved"),
        ("Bob: ", "Bob: "),
        ("he told Bob: go", "he told Bob: go"),
        ("(x): yes", "yes"),
    ],
)
def test_date_and_speaker_of_a_copied_line_go(answer: str, left: str) -> None:
    assert without_head(answer, {"Bob", "Bob Lee", "Ann", "(x)"}) == left
    assert without_head(answer, set()) == answer
