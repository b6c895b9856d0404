"""The prompts, one Markdown file each: system message, a line ``---``, user message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
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

    @property
    def text(self) -> str:
        """Both messages, for what identifies a prompt."""
        return f"{self.system}\n---\n{self.user}"

    def fill(self, **values: str) -> Prompt:
        """Put values in, once: braces inside a value are left alone.

        Raises:
            InputError: the template names something that there is no value for.
        """
        self.check(values)
        return Prompt(*(_PLACEHOLDER.sub(lambda m: values[m.group(1)], part) for part in (self.system, self.user)))

    def check(self, given: Collection[str], needed: Collection[str] = ()) -> None:
        """Check placeholders before anything is asked.

        Args:
            given: names that there will be a value for.
            needed: of these, the ones that the prompt is of no use without.

        Raises:
            InputError: the template names something else, or leaves out something needed.
        """
        unknown = sorted(self.placeholders - set(given))
        if unknown:
            have = ", ".join(sorted(given))
            raise InputError(f"prompt {self.name}: no value for {{{'}, {'.join(unknown)}}}; there are {have}")
        missing = sorted(set(needed) - self.placeholders)
        if missing:
            raise InputError(f"prompt {self.name}: it must hold {{{'}, {'.join(missing)}}}")


def fingerprint(templates: Sequence[Template]) -> str:
    """Return the first 12 hex digits of the SHA-256 of the prompts' texts, which names them in results."""
    return hashlib.sha256("\n===\n".join(template.text for template in templates).encode()).hexdigest()[:12]


def load_prompt(name: str, positional: Sequence[str] = ()) -> Template:
    """Load a bundled prompt by name (``gate``), or one of your own by the path of its ``.md`` or ``.txt`` file.

    A ``.txt`` file is the user message as it stands, without a system message: the form in which others publish theirs.

    Args:
        name: of the prompt, or the path.
        positional: what the unnamed ``{}`` of a ``.txt`` file stand for, in order.

    Raises:
        InputError: no such prompt; an ``.md`` file without a line ``---`` between system and user message; a ``.txt``
            file with another number of ``{}`` than there are names; a file that is not UTF-8.
    """
    if name.endswith(".txt"):
        text = _own(name)
        unnamed = text.count("{}")
        if unnamed and unnamed != len(positional):
            wanted = f"{len(positional)}, for {', '.join(positional)}" if positional else "named ones instead"
            raise InputError(f"prompt {name}: it has {unnamed} unnamed {{}}; give {wanted}")
        for each in positional[:unnamed]:
            text = text.replace("{}", f"{{{each}}}", 1)
        return Template(name, "", text.strip())
    if name.endswith(".md"):
        text = _own(name)
    else:
        folder = files(__package__)
        known = sorted(item.name.removesuffix(".md") for item in folder.iterdir() if item.name.endswith(".md"))
        if name not in known:
            own = "own prompts are named by their .md or .txt file"
            raise InputError(f"prompt {name}: not among {', '.join(known)}; {own}")
        text = folder.joinpath(f"{name}.md").read_text(encoding="utf-8")
    parts = _RULE.split(text)
    if len(parts) != 2:
        raise InputError(f"prompt {name}: needs one line '---' between system and user message, has {len(parts) - 1}")
    return Template(name, parts[0].strip(), parts[1].strip())


def _own(name: str) -> str:
    path = Path(name).expanduser()
    if not path.is_file():
        raise InputError(
            f"prompt {name}: no such file; give a bundled prompt's name or the path of an .md or .txt file"
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"prompt {name}: not UTF-8 ({error}); save it as UTF-8") from None
