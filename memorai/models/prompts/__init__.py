"""The prompts of the write path, one Markdown file each: system message, a line ``---``, user message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from memorai.errors import InputError
from memorai.models.llm import Prompt

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Template:
    """A prompt with ``{placeholders}`` in lower case; other braces, as in JSON, stand for themselves."""

    name: str
    system: str
    user: str

    @cached_property
    def placeholders(self) -> frozenset[str]:
        """Names that `fill` needs."""
        return frozenset(_PLACEHOLDER.findall(self.system + self.user))

    def fill(self, **values: str) -> Prompt:
        """Put values in, once: braces inside a value are left alone.

        Raises:
            InputError: the template names something that there is no value for.
        """
        unknown = sorted(self.placeholders - set(values))
        if unknown:
            have = ", ".join(sorted(values))
            raise InputError(f"prompt {self.name}: no value for {{{'}, {'.join(unknown)}}}; there are {have}")
        return Prompt(*(_PLACEHOLDER.sub(lambda m: values[m.group(1)], part) for part in (self.system, self.user)))


def load_prompt(name: str) -> Template:
    """Load a bundled prompt by name (``gate``), or one of your own by the path of its ``.md`` file.

    Raises:
        InputError: no such prompt, or it has no line ``---`` between system and user message.
    """
    if name.endswith(".md"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise InputError(f"prompt {name}: no such file; give a bundled prompt's name or the path of an .md file")
        text = path.read_text(encoding="utf-8")
    else:
        folder = files(__package__)
        known = sorted(item.name.removesuffix(".md") for item in folder.iterdir() if item.name.endswith(".md"))
        if name not in known:
            raise InputError(f"prompt {name}: not among {', '.join(known)}; own prompts are named by their .md file")
        text = folder.joinpath(f"{name}.md").read_text(encoding="utf-8")
    parts = _RULE.split(text)
    if len(parts) != 2:
        raise InputError(f"prompt {name}: needs one line '---' between system and user message, has {len(parts) - 1}")
    return Template(name, parts[0].strip(), parts[1].strip())
