"""Reads what a judge replied, strictly: what could be taken either way is no verdict."""

from __future__ import annotations

import re

from memorai.models.parse import strip_thoughts
from memorai.write.llm_step import Unusable

_LABELS = {"CORRECT": True, "WRONG": False}
#: every label in the reply, whatever its value, also in broken JSON
_LABEL = re.compile(r"[\"'“]?\blabel[\"'”]?\s*[:=]\s*[\"'“]?([^\"'”,}\n]*)", re.IGNORECASE)
_LOUD = re.compile(r"(?:(?i:\bnot )|\bIN)CORRECT\b|\bCORRECT\b|\bWRONG\b")
_ANSWER = re.compile(r"(?:the |my |final )*(?:answer|verdict|label|response)(?: is)?\s*[:：]\s*")
_CLAUSE = re.compile(r"\s*[.!;,:\n—–]+\s*|\s+-+\s+")
_AGAINST_YES = re.compile(
    r"\bno\b|\b(?:incorrect|wrong|inaccurate|false)\b"
    r"|(?:\bnot|n't) (?:\w+ )?(?:correct|right|accurate|equivalent|match)"
)
_AGAINST_NO = re.compile(
    r"\byes\b|\b(?:is|are|was|seems|looks) (?:\w+ly |also |indeed |still )?(?:correct|right|accurate|equivalent)\b"
)


def read_label(text: str, label: object) -> bool:
    """Return the verdict of a reply with a JSON label, CORRECT or WRONG.

    Args:
        text: of the reply.
        label: as it was parsed from the text.

    Raises:
        Unusable: another label, two that differ, or the other one in capitals in the text around it.
    """
    said = label.strip().upper() if isinstance(label, str) else ""
    if said not in _LABELS:
        raise Unusable(f"the label is neither CORRECT nor WRONG: {label!r:.80}")
    visible = strip_thoughts(text)
    # the value itself is upper-cased above, so a quiet "correct" as label is one too
    labels = {found.strip().upper() for found in _LABEL.findall(visible)} - {""}
    loud = {found if found in _LABELS else "WRONG" for found in _LOUD.findall(visible)}
    if (labels | loud) - {said}:
        raise Unusable(f"labels that contradict each other: {' '.join(visible.split()):.80}")
    return _LABELS[said]


def read_yes_no(text: str) -> bool:
    """Return the verdict of a reply that says yes or no.

    The reply begins with the word, alone up to a mark or line end ("Yes.", "**no**", "Answer: yes"), or is an
    explanation whose last line is that word. What follows or precedes must not contradict it.

    Raises:
        Unusable: neither, both, or a contradiction.
    """
    visible = re.sub(r"[*_`\"“”#\[\]{}()]+", "", strip_thoughts(text).replace("’", "'").lower())
    lines = [line.strip() for line in visible.splitlines() if any(char.isalnum() for char in line)]
    if not lines:
        raise Unusable("no words", "empty")
    verdict = _verdict(lines[0]) or (_verdict(lines[-1], whole=True) if len(lines) > 1 else "")
    against = {"yes": _AGAINST_YES, "no": _AGAINST_NO}.get(verdict)
    if against is None:
        raise Unusable(f"neither yes nor no: {' '.join(lines):.80}")
    if against.search(" ".join(lines)):
        raise Unusable(f"yes and no: {' '.join(lines):.80}")
    return verdict == "yes"


def _verdict(line: str, whole: bool = False) -> str:
    line = _ANSWER.sub("", line, count=1) if _ANSWER.match(line) else line
    clauses = [clause for clause in _CLAUSE.split(line) if clause]
    if not clauses or clauses[0] not in ("yes", "no") or (whole and len(clauses) > 1):
        return ""
    return clauses[0]
