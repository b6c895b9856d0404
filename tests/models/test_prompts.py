from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from memorai.errors import InputError
from memorai.models.prompts import Template, fingerprint, load_prompt

FOLDER = Path(__file__).parents[2] / "memorai" / "models" / "prompts"
NEEDS = {
    "segment": {"date", "messages"},
    "gate": {"date", "messages"},
    "gate_logit": {"before", "message"},
    "summarize": {"date", "messages"},
    "extract": {"date", "messages"},
    "answer": {"context", "question", "date"},
    "answer_notes": {"context", "question", "date"},
    "judge_locomo": {"question", "gold_answer", "generated_answer"},
    **{
        f"judge_longmemeval_{kind}": {"question", "gold_answer", "generated_answer"}
        for kind in ("default", "temporal", "update", "preference", "abstention")
    },
}


def test_every_bundled_prompt_is_here() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == sorted(NEEDS)


@pytest.mark.parametrize("name", NEEDS)
def test_a_bundled_prompt_needs_what_its_step_gives(name: str) -> None:
    template = load_prompt(name)
    assert template.placeholders == NEEDS[name]
    prompt = template.fill(**{key: f"<{key}>" for key in NEEDS[name]})
    assert prompt.system and all(f"<{key}>" in prompt.user for key in NEEDS[name])


def test_braces_of_values_and_of_json_stay(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text('Be brief.\n---\n{messages} -> {"keep": [1]} {messages}', encoding="utf-8")
    prompt = load_prompt(str(path)).fill(messages="{date} {messages} \\1", date="unused")
    assert prompt.system == "Be brief."
    assert prompt.user == '{date} {messages} \\1 -> {"keep": [1]} {date} {messages} \\1'


@pytest.mark.parametrize("text", ["no rule", "a\n---\nb\n---\nc"])
def test_a_prompt_has_two_parts(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="one line '---'"):
        load_prompt(str(path))


def test_an_unknown_placeholder_or_prompt_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text("---\n{nobody}", encoding="utf-8")
    with pytest.raises(InputError, match=r"no value for \{nobody\}; there are date"):
        load_prompt(str(path)).fill(date="x")
    with pytest.raises(InputError, match="not among answer, answer_notes"):
        load_prompt("other")
    with pytest.raises(InputError, match="no such file"):
        load_prompt("other.md")


def test_a_text_file_is_the_user_message_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "theirs.txt"
    path.write_text('\ufeffQ: {}\n---\nA: {} {date} {"a": 1}\n', encoding="utf-8")
    template = load_prompt(str(path), ("question", "gold"))
    prompt = template.fill(question="{gold}", gold="g", date="d")
    assert (prompt.system, prompt.user) == ("", 'Q: {gold}\n---\nA: g d {"a": 1}')
    assert prompt.messages() == [{"role": "user", "content": prompt.user}]


def test_unnamed_places_need_names(tmp_path: Path) -> None:
    path = tmp_path / "theirs.txt"
    path.write_text("{} {}", encoding="utf-8")
    with pytest.raises(InputError, match=r"2 unnamed {}; give 1, for question"):
        load_prompt(str(path), ("question",))
    with pytest.raises(InputError, match=r"2 unnamed {}; give named ones instead"):
        load_prompt(str(path))
    path.write_text("{question}", encoding="utf-8")
    assert load_prompt(str(path), ("other",)).placeholders == {"question"}


def test_a_prompt_that_is_not_utf8_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "latin.md"
    path.write_bytes("---\né".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        load_prompt(str(path))


def test_what_a_prompt_must_hold_is_checked_without_filling_it() -> None:
    template = Template("own", "{date}", "{question} {question}")
    template.check(("question", "date", "context"), ("question",))
    with pytest.raises(InputError, match=r"prompt own: no value for {date}; there are question"):
        template.check(("question",))
    with pytest.raises(InputError, match=r"prompt own: it must hold {context}, {place}"):
        template.check(("question", "date", "context", "place"), ("place", "question", "context"))


def test_prompts_are_told_apart_by_their_whole_text_and_order() -> None:
    first, second = Template("a", "s", "u"), Template("b", "s", "v")
    assert fingerprint([first]) == hashlib.sha256(b"s\n---\nu").hexdigest()[:12]
    assert fingerprint([Template("other name", "s", "u")]) == fingerprint([first])
    prints = [fingerprint(each) for each in ([first], [second], [first, second], [second, first])]
    assert len(set(prints)) == 4
