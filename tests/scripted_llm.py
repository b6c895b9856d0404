"""A language model that says what the test wrote down."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from memorai.models.llm import Accounting, Prompt, Reply, Schema
from memorai.models.parse import ParseError, parse_reply


class ScriptedLLM:
    """Answers by a function of (prompt's user message, how many came before); an object is sent as JSON."""

    model_id = "scripted"

    def __init__(self, script: Callable[[str, int], Any] | Sequence[Any]) -> None:
        self.script = script if callable(script) else lambda _, place: script[place]
        self.accounting = Accounting()
        self.prompts: list[Prompt] = []
        self.stages: list[str] = []

    def complete(
        self, prompts: Sequence[Prompt], schema: Schema | None = None, *, stage: str = "llm", logprobs: int = 0
    ) -> list[Reply]:
        replies = []
        for prompt in prompts:
            said = self.script(prompt.user, len(self.prompts))
            self.prompts.append(prompt)
            self.stages.append(stage)
            replies.append(said if isinstance(said, Reply) else self._reply(said, schema))
        self.accounting.add(stage, replies, 0.0)
        return replies

    @staticmethod
    def _reply(said: Any, schema: Schema | None) -> Reply:
        text = said if isinstance(said, str) else json.dumps(said)
        if schema is None:
            return Reply(text)
        try:
            return Reply(text, parse_reply(text, schema))
        except ParseError as error:
            return Reply(text, error="unparsable", detail=str(error))


#: one of each kind that a client reports
FAILURES = [
    Reply(error=kind, detail=f"{kind} happened")
    for kind in ("timeout", "connection", "rate_limit", "server", "context_overflow", "request", "refusal", "empty")
] + [Reply("I will not.", error="unparsable", detail="no JSON")]
