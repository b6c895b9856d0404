"""A reader that asks a language model, by the paper's rules for answers (arXiv 2605.01386)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from memorai.answer.abstain import NO_INFORMATION, says_unknown, scored_as_abstention
from memorai.answer.clean import after_marker, clean, shorten, take_citations, without_head
from memorai.answer.types import Answer, Context
from memorai.errors import InputError
from memorai.models.llm import LLM, Reply
from memorai.models.parse import strip_thoughts
from memorai.models.prompts import fingerprint
from memorai.types import Query
from memorai.write.llm_step import Failed, Step, Unusable, refuses

_LEADING_IDS = re.compile(r"^\[([^\[\]\n]+)\]", re.MULTILINE)
_PLACEHOLDERS = ("context", "question", "date")
_MOST_NOTES = 4000  # characters of notes kept in an answer's info


class LLMReader:
    """Answers from the context alone: shortest, newest statement, dates worked out, or "No information available".

    A reply becomes an answer so: thoughts, fences, labels, markdown and quotes around all of it go, and so do date and
    speaker of a line that it copies; of several paragraphs the first counts; ids in brackets that the context shows
    become `Answer.turn_ids`; what says in other words that the context does not tell becomes "No information
    available", which LoCoMo's scorer knows. A reply that the model could not finish is kept as far as it goes.

    ``Answer.error`` is the kind of failure in `memorai.models.llm.Reply`, or ``empty`` (nothing in the reply),
    ``refusal`` (it will not answer), ``truncated`` (stopped before the answer began). Such a question costs no other.

    ``Answer.info`` holds ``prompt_tokens`` and ``completion_tokens``, and where they apply ``cut`` (``sentence`` or
    ``word``: where a text longer than ``max_words`` was cut), ``truncated``, ``said`` (the words of an abstention),
    ``invented`` (ids cited that are not in the context), ``notes``, ``unmarked`` (notes without an answer line: their
    last paragraph is taken), and ``detail`` of a failure.

    Args:
        llm: the model.
        prompt: a bundled prompt's name or the path of an ``.md`` or ``.txt`` file; it must hold ``{context}`` and
            ``{question}`` and may hold ``{date}``, when the question is asked.
        max_words: longer answers are cut.
        notes: the prompt has the model write down what matters first, and its answer after a last line's ``Answer:``
            (``answer_notes``; a "chain of note", as LongMemEval calls it).

    Raises:
        InputError: no model is configured, no such prompt, or not with these placeholders; ``max_words`` below 1.
    """

    def __init__(self, llm: LLM | None, prompt: str = "answer", max_words: int = 100, notes: bool = False) -> None:
        if max_words < 1:
            raise InputError(f"llm reader: max_words={max_words} must be at least 1")
        self.max_words, self.notes = max_words, notes
        self.step = Step(llm, "answer", prompt, None, "these questions have no answer, which counts as a wrong one")
        self.step.template.check(_PLACEHOLDERS, ("context", "question"))

    def labels(self) -> dict[str, str]:
        """Return what a manifest says of it."""
        return {"reader": self.step.llm.model_id, "prompt_sha256": fingerprint([self.step.template])}

    def read(self, questions: Sequence[Query], contexts: Sequence[Context]) -> list[Answer]:
        """Return one answer a question, asking for all of them at once."""
        values = [_values(question, context) for question, context in zip(questions, contexts, strict=True)]
        found = self.step.ask_each(values, lambda place, reply: self._read(reply, contexts[place]))
        return [_failed(each) if isinstance(each, Failed) else each for each in found]

    def _read(self, reply: Reply, context: Context) -> Answer:
        shown = _shown(context)
        info: dict[str, Any] = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": reply.completion_tokens}
        if reply.truncated:
            info["truncated"] = True
        text = strip_thoughts(reply.text)
        noted: tuple[str, ...] = ()
        if self.notes:
            notes, text, marked = after_marker(text)
            if not marked and reply.truncated:
                raise Unusable("stopped by max_tokens among its notes", "truncated")
            if marked:
                _, noted, _ = take_citations(notes, shown)
                info["notes"] = notes[:_MOST_NOTES]
            else:
                info["unmarked"] = True
        text, cited, invented = take_citations(text, shown)
        text = without_head(clean(text), {turn.speaker for turn in context.turns})
        if not any(char.isalnum() for char in text):
            raise Unusable("nothing that answers", "truncated" if reply.truncated else "empty")
        text, cut = shorten(text, self.max_words)
        if cut:
            info["cut"] = cut
        if invented:
            info["invented"] = list(invented)
        abstained = says_unknown(text)
        if not abstained and refuses(text):
            raise Unusable(f"a refusal: {text:.80}", "refusal")
        if abstained and not scored_as_abstention(text):
            info["said"], text = text, NO_INFORMATION
        return Answer(text, abstained, cited or noted, info=info)


def _values(question: Query, context: Context) -> dict[str, str]:
    return {
        "context": context.text.strip() or "(none)",
        "question": " ".join(question.text.split()),
        "date": f"{question.time:%Y-%m-%d %H:%M}" if question.time else "unknown date",
    }


def _shown(context: Context) -> set[str]:
    """The ids in the context: of its turns, and of turns that its relations and summaries rest on."""
    leading = {id_.strip() for group in _LEADING_IDS.findall(context.text) for id_ in group.split(",")}
    return leading | {turn.id for turn in context.turns}


def _failed(failure: Failed) -> Answer:
    return Answer("", error=failure.kind, info={"detail": failure.detail})
