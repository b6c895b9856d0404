"""Reads the JSON that a language model meant, whatever it put around it or broke in it. Nothing is ever evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memorai.errors import InputError
from memorai.models.cached_embedder import valid_unicode

#: no reply that anybody asks for is longer, and the repair of a longer one could take minutes
_MAX_CHARACTERS = 200_000
_MAX_CANDIDATES = 32
#: a model that repeats an opening bracket would have each of them repaired to the end of the reply
_MAX_UNCLOSED = 3
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
_MARK = re.compile(r"<\|(?:end|return|im_end|eot_id)\|>")
_FENCE = re.compile(r"```[ \t]*[\w-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_PAIRS = {"{": "}", "[": "]"}


class ParseError(ValueError):
    """A reply in which no JSON of the wanted shape could be found. The message is one line."""


def parse_reply(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of ``schema``'s shape that ``text`` holds.

    Thoughts, fences and prose around are skipped; broken JSON goes through `json_repair`; a bare list, a single record
    instead of a list of them, a wrapper around the object and keys in another case are put right. Of several candidates
    the one that fits best wins, of equals the longest, then the last. Values inside the properties are not checked: who
    asked knows what to make of them.

    Args:
        text: the reply.
        schema: a JSON schema with ``properties``; the result has no other keys.

    Returns:
        at least one property, in the schema's order; array properties are lists.

    Raises:
        ParseError: empty, without JSON, without any of the properties, or the schema itself given back.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ParseError(f"the reply has {len(text)} characters, more than {_MAX_CHARACTERS}")
    visible = strip_thoughts(text).strip()
    if not visible:
        raise ParseError("the reply is empty" + (" but for its thoughts" if text.strip() else ""))
    fenced = _FENCE.fullmatch(visible)
    alone = (fenced.group(1) if fenced else visible).strip()
    best: tuple[int, int, int] | None = None
    chosen: dict[str, Any] = {}
    for place, candidate in enumerate(_candidates(visible)):
        value = _load(candidate)
        # "Drop [1]" in prose names no property; a reply that is nothing but "[1]" answers what was asked
        fitted = None if _bare_numbers(value) and candidate != alone else _fit(value, schema)
        if fitted is not None:
            rank = (len(fitted), len(candidate), place)
            if best is None or rank > best:
                best, chosen = rank, fitted
    if best is None:
        raise ParseError(f"no JSON object with {' or '.join(schema['properties'])} in: {_shown(visible)}")
    cleaned: dict[str, Any] = _valid(chosen)
    return cleaned


def _valid(value: Any) -> Any:
    """The same value without lone surrogates, which an escape such as \\ud83d may spell out and nothing can encode."""
    if isinstance(value, str):
        return valid_unicode(value)
    if isinstance(value, Mapping):
        return {_valid(key): _valid(item) for key, item in value.items()}
    return [_valid(item) for item in value] if isinstance(value, list) else value


def _bare_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not any(isinstance(item, Mapping | list) for item in value)


def strip_thoughts(text: str) -> str:
    """Return ``text`` without <think> blocks, closed or cut off, and without what stands before a "final" channel.

    A closing tag without an opening one ends a thought too: some chat templates write the opening tag into the prompt.
    """
    text = _MARK.sub("", text[max((m.end() for m in _FINAL.finditer(text)), default=0) :])
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THOUGHT.finditer(text):
        if tag.group(1) and not thinking:
            kept.clear()
        elif not thinking:
            kept.append(text[start : tag.start()])
        start, thinking = tag.end(), not tag.group(1)
    return "".join(kept) + ("" if thinking else text[start:])


def read_indices(value: Any, count: int) -> tuple[list[int], int]:
    """Read numbers of messages, counted from 1, from whatever a model wrote for a list of integers.

    Args:
        value: a list of numbers or of texts such as "3", "[3]", "2-4", or one of these alone.
        count: how many messages there are.

    Returns:
        places counted from 0, ascending, without repeats; and how many entries were no message's number.
    """
    found: set[int] = set()
    rejected = 0
    for item in value if isinstance(value, list | tuple) else [value]:
        spans = _numbers(item)
        rejected += not spans
        for first, last in spans:
            if 1 <= first <= last <= count:
                found.update(range(first - 1, last))
            else:
                rejected += 1
    return sorted(found), rejected


def _numbers(item: Any) -> list[tuple[int, int]]:
    if isinstance(item, bool) or item is None:
        return []
    if isinstance(item, int):
        return [(item, item)]
    if isinstance(item, float):
        return [(int(item), int(item))] if item.is_integer() else []
    if isinstance(item, Mapping):  # {"index": 3, "reason": "..."}
        return next((_numbers(v) for v in item.values() if isinstance(v, int) and not isinstance(v, bool)), [])
    if not isinstance(item, str) or not re.fullmatch(r"[\s\[\]#,;0-9–-]+", item):
        return []
    return [(int(a), int(b or a)) for a, b in re.findall(r"([0-9]{1,9})(?:\s*[–-]\s*([0-9]{1,9}))?", item)]


def _candidates(text: str) -> Iterator[str]:
    """Runs from an opening bracket to its partner, or to the end without one; in fenced blocks, then anywhere."""
    if text[0] == '"':  # JSON inside a JSON string
        yield text
    for block in [match.group(1) for match in _FENCE.finditer(text)][:_MAX_CANDIDATES]:
        yield from _bracketed(block)
    yield from _bracketed(text)


def _bracketed(text: str) -> Iterator[str]:
    start, found, unclosed = 0, 0, 0
    while found < _MAX_CANDIDATES and (match := re.search(r"[\[{]", text[start:])):
        begin = start + match.start()
        end = _closing(text, begin)
        unclosed += end is None
        if end or unclosed <= _MAX_UNCLOSED:
            yield text[begin : end or len(text)]
        start, found = end or begin + 1, found + 1


def _closing(text: str, begin: int) -> int | None:
    """End of the bracketed run that starts at ``begin``, or None; brackets inside double quotes do not count."""
    stack: list[str] = []
    quoted = escaped = False
    for place in range(begin, len(text)):
        char = text[place]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in _PAIRS:
            stack.append(_PAIRS[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return place + 1
    return None


def _load(candidate: str) -> Any:
    """Return the value of one candidate, or None. Plain JSON is not handed to the repair, which is slow and guesses."""
    try:
        return json.loads(candidate)
    except (ValueError, RecursionError):
        pass
    if candidate.lstrip()[:1] not in _PAIRS:
        return None
    try:
        from json_repair import loads
    except ImportError:
        raise InputError("parsing a language model's reply needs json-repair; pip install 'memorai[llm]'") from None
    try:
        return loads(candidate)
    except (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError):
        return None  # the repair is third-party code fed with arbitrary text


def _fit(value: Any, schema: Mapping[str, Any], depth: int = 0) -> dict[str, Any] | None:
    """Bring a JSON value into the schema's top-level shape, or return None."""
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    if depth > 2:
        return None
    if isinstance(value, str) and value.strip()[:1] in _PAIRS:  # JSON inside a JSON string
        return _fit(_load(value), schema, depth + 1)
    if isinstance(value, Mapping):
        if _is_schema(value):
            return None
        named = {str(key).strip().casefold(): item for key, item in value.items()}
        if any(name.casefold() in named for name in properties):
            out = {}
            for name, wanted in properties.items():
                item = named.get(name.casefold())
                if item is not None:
                    out[name] = _as_list(item) if wanted.get("type") == "array" else item
            return out or None
        home = _home(value, properties)
        if home:
            return {home: [dict(value)]}
        if len(value) == 1:  # {"result": {...}}, {"properties": {...}}; but {"drop": [1]} is no list of what to keep
            (inner,) = value.values()
            return None if _bare_numbers(inner) else _fit(inner, schema, depth + 1)
        return None
    return _fit_list(value, schema, depth) if isinstance(value, list) else None


def _fit_list(items: Sequence[Any], schema: Mapping[str, Any], depth: int) -> dict[str, Any] | None:
    """A bare list: an object in a list, or entries each of which belongs into one of the array properties."""
    out: dict[str, list[Any]] = {}
    for item in items:
        home = _home(item, schema["properties"])
        if home:
            out.setdefault(home, []).append(item)
    if out:
        return {name: out[name] for name in schema["properties"] if name in out}
    for item in items:
        if isinstance(item, Mapping | list) and (fitted := _fit(item, schema, depth + 1)):
            return fitted
    lists = [name for name, wanted in schema["properties"].items() if wanted.get("type") == "array"]
    # nothing found is an answer; "[]" for numbers to choose from is none
    numbers = any(schema["properties"][name].get("items", {}).get("type") == "integer" for name in lists)
    return {lists[0]: []} if not items and len(lists) == 1 and not numbers else None


def _home(item: Any, properties: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The array property that an entry belongs to: the one with most keys in common, or of the entry's type."""
    scores: dict[str, int] = {}
    for name, wanted in properties.items():
        inner = wanted.get("items", {})
        if wanted.get("type") != "array":
            continue
        if isinstance(item, Mapping) and inner.get("type") == "object":
            keys = {str(key).strip().casefold() for key in item}
            scores[name] = sum(key.casefold() in keys for key in inner.get("properties", {}))
        elif inner.get("type") == "integer" and isinstance(item, int | float | str) and _numbers(item):
            scores[name] = 1
    home = max(scores, key=lambda name: scores[name], default=None)
    return home if home is not None and scores[home] > 0 else None


def _is_schema(value: Mapping[str, Any]) -> bool:
    inner = value.get("properties")
    return isinstance(inner, Mapping) and any(isinstance(i, Mapping) and "type" in i for i in inner.values())


def _as_list(item: Any) -> list[Any]:
    return item if isinstance(item, list) else [item]


def _shown(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit] + " …"
