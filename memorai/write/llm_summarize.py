"""The paper's second layer: two or three sentences about a whole segment, dropped turns included."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memorai.models.llm import LLM, Reply, Schema
from memorai.models.parse import ParseError, parse_reply, strip_thoughts
from memorai.types import Turn
from memorai.write.describe import trim
from memorai.write.llm_step import Step, Unusable, refuses, shown

_WRAPPED: Schema = {"type": "object", "properties": {"summary": {"type": "string"}}}


class LLMSummarizer:
    """Summaries in plain text: nothing to parse, so that the smallest model can give one.

    Args:
        llm: the model.
        fallback: summarises where the model gives nothing usable; None leaves the summary empty.
        max_words: longer summaries are cut, with an ellipsis.
        prompt: a bundled prompt's name or the path of an ``.md`` file.
    """

    def __init__(
        self,
        llm: LLM | None,
        fallback: Callable[[Sequence[Turn]], str] | None = None,
        max_words: int = 120,
        prompt: str = "summarize",
    ) -> None:
        self.fallback, self.max_words = fallback, max_words
        instead = "their summaries stay empty" if fallback is None else "they are summarised extractively"
        self.step = Step(llm, "summarize", prompt, None, instead)

    def __call__(self, turns: Sequence[Turn]) -> str:
        """Summarise one segment's turns."""
        return self.many([turns])[0]

    def many(self, segments: Sequence[Sequence[Turn]]) -> list[str]:
        """Summarise the turns of several segments, asking for all of them at once."""
        found = self.step.ask([shown(turns) for turns in segments], lambda _, reply: self._read(reply))
        without = self.fallback or (lambda turns: "")
        return [without(turns) if text is None else text for text, turns in zip(found, segments, strict=True)]

    def _read(self, reply: Reply) -> str:
        text = strip_thoughts(reply.text).strip()
        if text[:1] in ("{", "`", "["):
            try:
                text = str(parse_reply(text, _WRAPPED)["summary"])
            except ParseError:
                text = text.strip("`{}[] \n")
        text = " ".join(text.split())
        if not any(char.isalnum() for char in text):
            raise Unusable("no words")
        if refuses(text):
            raise Unusable(f"a refusal: {text:.80}")
        return trim(text, self.max_words)
