"""Code blocks of a Markdown page, with what a comment before each says of it.

<!-- file: NAME -->       the block is a file of that name for the blocks that follow on its page
<!-- not run: REASON -->  the block is checked (its commands compose), and not run for the reason given
<!-- before: CODE -->     Python that comes before a block and that the reader need not see
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, the line of its first line from 1, and its comment's parts."""

    language: str
    code: str
    line: int
    file: str = ""
    not_run: str = ""
    before: str = ""


_COMMENT = re.compile(r"<!-- (file|not run|before):\s*(.*?)\s*-->", re.DOTALL)


def blocks(markdown: str) -> list[Block]:
    """Every fenced block in order, also those inside lists and quotes."""
    found: list[Block] = []
    said: dict[str, str] = {}
    for token in MarkdownIt("commonmark").parse(markdown):
        if token.type == "html_block":
            said.update({kind.replace(" ", "_"): text for kind, text in _COMMENT.findall(token.content)})
        elif token.type == "fence":
            assert token.map is not None
            language = token.info.split()[0] if token.info.split() else ""
            found.append(Block(language, token.content, token.map[0] + 2, **said))
            said = {}
        elif token.type in ("paragraph_open", "heading_open", "table_open"):
            said = {}  # a comment speaks of what follows at once
    return found


@dataclass(frozen=True)
class Command:
    """One command of a bash block: its words without assignments before it, and its line from 1."""

    words: tuple[str, ...]
    line: int


def commands(block: Block) -> Iterator[Command]:
    """The commands of a bash block, lists and pipes taken apart, comments left out."""
    lines = block.code.splitlines()
    number = 0
    while number < len(lines):
        first, text = number, lines[number]
        while text.endswith("\\") and number + 1 < len(lines):
            number += 1
            text = text[:-1] + " " + lines[number].strip()
        number += 1
        lexer = shlex.shlex(text, posix=True, punctuation_chars="&|;")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word and not word.strip("&|;"):
                while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
                    words.pop(0)
                if words:
                    yield Command(tuple(words), block.line + first)
                words = []
            else:
                words.append(word)
