from __future__ import annotations

from pathlib import Path

import pytest

from memorai.errors import InputError
from memorai.models.prompts import load_prompt

FOLDER = Path(__file__).parents[2] / "memorai" / "models" / "prompts"
NEEDS = {
    "segment": {"date", "messages"},
    "gate": {"date", "messages"},
    "gate_logit": {"before", "message"},
    "summarize": {"date", "messages"},
    "extract": {"date", "messages"},
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
    with pytest.raises(InputError, match="not among extract, gate"):
        load_prompt("other")
    with pytest.raises(InputError, match="no such file"):
        load_prompt("other.md")
