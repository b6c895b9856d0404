"""From a model's reply to the answer in it: thoughts, labels, fences, quotes, markdown and citations taken away."""

from __future__ import annotations

import re
from collections.abc import Collection

from memorai.models.cached_embedder import valid_unicode
from memorai.models.llm import Schema
from memorai.models.parse import ParseError, parse_reply, strip_thoughts
from memorai.write.sentences import CJK

#: of a reply; no answer is longer, and a model that repeats itself writes more
_MOST = 5_000
#: an object in place of "I do not know"
_NULL = re.compile(r"\{\s*\"?answer\"?\s*:\s*(?:null|None|\"\s*\"|\[\s*\])\s*,?\s*\}")
_OBJECT: Schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
_FENCED = re.compile(r"```[ \t]*[\w-]*[ \t]*(?:\r?\n|(?=\S))(.*?)(?:```|\Z)", re.DOTALL)
_NAMED = r"(?:(?:the|my|your|short|final|correct|best) )*answer(?: is)?"
_LABEL = re.compile(
    rf"(?:[\s*_#>]*(?:(?:{_NAMED}|(?-i:A)|答案(?:是)?|回答)[*_]*[ \t]*[:：][*_]*|{_NAMED}[*_]*[ \t]*(?=\n))\s*)+",
    re.IGNORECASE,
)
_MARKER = re.compile(rf"^[ \t*_#>]*(?:{_NAMED}|答案|回答)[*_]*[ \t]*[:：][*_]*", re.IGNORECASE | re.MULTILINE)
_RUN_ON = re.compile(r"(?:Question|Q|问题)\s*[:：]", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])[ \t]+")
_HEAD = re.compile(r"(?:#{1,6}|>)[ \t]+")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|``?)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_WHOLE = re.compile(r"\*([^*]+)\*|_([^_]+)_")
_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』|‘([^‘]+)’|'((?:[^']|(?<=\w)'(?=\w))+)'"
)
_GROUP = re.compile(r"[ \t]*\[([^\[\]\n]{1,200})\]")
_DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d"  # as `memorai.answer.context` writes it
_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:['’.:,-][^\W{CJK}]+)*")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")


def clean(reply: str) -> str:
    """Return the answer in a reply: one line, the first paragraph, without what models put around it.

    A bullet list becomes a list with commas. A paragraph that only leads in to the next (it ends in a colon) is passed
    over, and so is one without a word. Empty if nothing is left.

    Example:
        >>> clean('<think>Hm.</think>\\n**Answer:** "the red car"\\n\\nIt says so on Monday.')
        'the red car'
    """
    text = _unfenced(valid_unicode(strip_thoughts(reply)).strip()[:_MOST])
    if _NULL.fullmatch(text):
        return ""
    if text.startswith("{"):
        try:
            value = parse_reply(text, _OBJECT)["answer"]
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        except ParseError:
            pass
    text = _without(_LABEL, text)
    paragraphs = [each.strip() for each in re.split(r"\n[ \t\r]*\n", _unfenced(text)) if _says(each)]
    while len(paragraphs) > 1 and paragraphs[0].rstrip("*_ ").endswith((":", "：")):
        paragraphs.pop(0)
    return _peeled(_one_line(paragraphs[0])) if paragraphs else ""


def without_head(answer: str, speakers: Collection[str]) -> str:
    """Return an answer that copies a line of the context without the date and the speaker before what was said.

    Example:
        >>> without_head("2024-05-03 00:00 Bob: I moved to Rome.", ["Bob"])
        'I moved to Rome.'
    """
    names = "|".join(
        re.escape(" ".join(name.split())) for name in sorted(speakers, key=lambda name: (-len(name), name))
    )
    head = re.match(rf"(?:(?:{_DATE} )?(?:{names}): )+(?=\S)", answer) if names else None
    return answer[head.end() :] if head else answer


def after_marker(reply: str) -> tuple[str, str, bool]:
    """Cut a reply that notes first and answers then, at the last line that begins with ``Answer:``.

    Returns:
        what stands before it, what stands after it, and whether there is such a line; without one the first is empty
        and the second the last paragraph.
    """
    text = strip_thoughts(reply).strip()
    markers = list(_MARKER.finditer(text))
    if markers:
        return text[: markers[-1].start()].strip(), text[markers[-1].end() :].strip(), True
    paragraphs = [each for each in re.split(r"\n[ \t\r]*\n", text) if _says(each)]
    return "", paragraphs[-1].strip() if paragraphs else "", False


def shorten(text: str, max_words: int) -> tuple[str, str]:
    """Cut a text that has more than ``max_words`` words (CJK: characters) after its last whole sentence, or else word.

    Returns:
        the text, and where it was cut: ``sentence``, ``word``, or empty if it was not.
    """
    ends = [match.end() for match in _WORD.finditer(text)]
    if len(ends) <= max_words:
        return text, ""
    # one character more, so that a sentence that ends with the last word counts
    sentences = [match.end() for match in _SENTENCE_END.finditer(text[: ends[max_words - 1] + 2])]
    sentences = [end for end in sentences if end <= ends[max_words - 1] + 1]
    return (text[: sentences[-1]], "sentence") if sentences else (text[: ends[max_words - 1]], "word")


def take_citations(text: str, shown: Collection[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Take ids in square brackets out of a text, several in one bracket separated by commas or semicolons.

    Args:
        text: of a reply.
        shown: ids that the context shows. A bracket with something that only looks like one of them (the same but for
            its digits) is an invented citation and goes too; any other bracket stays.

    Returns:
        the text, the ids that are shown, and the invented ones, each once and in the order of the text.
    """
    shapes = {_shape(id_) for id_ in shown}
    real: dict[str, None] = {}
    invented: dict[str, None] = {}

    def replaced(match: re.Match[str]) -> str:
        parts = [part.strip() for part in re.split(r"[,;，；]", match.group(1))]
        if not all(part in shown or _shape(part) in shapes for part in parts):
            return match.group()
        real.update(dict.fromkeys(part for part in parts if part in shown))
        invented.update(dict.fromkeys(part for part in parts if part not in shown))
        return ""

    return _GROUP.sub(replaced, text), tuple(real), tuple(invented)


def _shape(id_: str) -> str:
    return re.sub(r"\d+", "0", id_)


def _says(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _without(opening: re.Pattern[str], text: str) -> str:
    found = opening.match(text)
    return text[found.end() :] if found else text


def _unfenced(text: str) -> str:
    fenced = _FENCED.match(text)
    return fenced.group(1).strip() if fenced and _says(fenced.group(1)) else text


def _one_line(paragraph: str) -> str:
    lines: list[str] = []
    for line in filter(_says, (line.strip() for line in paragraph.splitlines())):
        if lines and _RUN_ON.match(line):  # small models go on with questions of their own
            break
        line = _without(_HEAD, line)
        if line not in lines:  # and some say the same to the end
            lines.append(line)
    if len(lines) > 1 and lines[0].rstrip("*_ ").endswith((":", "：")):
        lines.pop(0)
    items = [_without(_BULLET, line) for line in lines if _BULLET.match(line)]
    if len(items) == len(lines) > 1:
        return ", ".join(_peeled(item.rstrip(" ,;.，；。")) for item in items)
    if len(lines) == 1 and re.match(r"[-*•][ \t]", lines[0]):  # "7. May" alone is no list
        return items[0]
    return " ".join(lines)


def _peeled(text: str) -> str:
    """The text without emphasis, label and quotes around all of it, however they are nested."""
    while True:
        bare = _EMPHASIS.sub(r"\2", " ".join(text.split()))
        bare = _without(_LABEL, bare)
        for wrapped in (_WHOLE, _QUOTED):
            found = wrapped.fullmatch(bare) or wrapped.fullmatch(bare.removesuffix(".").removesuffix("。"))
            inner = next(filter(None, found.groups()), "") if found else ""
            bare = inner if _says(inner) else bare
        bare = bare.strip()
        if bare == text or not _says(bare):
            return text if not _says(bare) else bare
        text = bare
