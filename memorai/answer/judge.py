"""Judges that ask a language model whether an answer is right: LoCoMo's generous criterion, LongMemEval's by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memorai.answer.types import Answer, Verdict
from memorai.answer.verdict import read_label, read_yes_no
from memorai.errors import InputError
from memorai.models.llm import LLM, Reply, Schema
from memorai.models.prompts import Template, fingerprint, load_prompt
from memorai.types import Question
from memorai.write.llm_step import Failed, Step

#: what a prompt may hold, in the order that the unnamed {} of a .txt file stand for
PLACEHOLDERS = ("question", "gold_answer", "generated_answer")
NOT_JUDGED = Verdict(None, "not_judged")
NO_ANSWER = Verdict(False, "no_answer")

_INSTEAD = "these answers have no verdict"
_LABEL: Schema = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["CORRECT", "WRONG"]}},
    "required": ["label"],
    "additionalProperties": False,
}
_UNKNOWN_WHY = "The chats do not tell."


class LocomoJudge:
    """The generous criterion that mem0's evaluation brought to LoCoMo: the same topic, or the same time, suffices.

    Adversarial questions and questions without a gold answer are not judged. The reply is a JSON object with a
    ``label``, CORRECT or WRONG.

    Args:
        llm: the model that judges, which need not be the reader's.
        prompt: a bundled prompt's name or the path of an ``.md`` or ``.txt`` file with ``{question}``,
            ``{gold_answer}`` and ``{generated_answer}``, or with three unnamed ``{}`` in that order.

    Raises:
        InputError: no model is configured, no such prompt, or not with these placeholders.
    """

    def __init__(self, llm: LLM | None, prompt: str = "judge_locomo") -> None:
        self.step = Step(llm, "judge_locomo", _loaded(prompt), _LABEL, _INSTEAD)

    def labels(self) -> dict[str, str]:
        """Return what a manifest says of it."""
        return {"judge": self.step.llm.model_id, "prompt_sha256": fingerprint([self.step.template])}

    def judge(self, questions: Sequence[Question], answers: Sequence[Answer]) -> list[Verdict]:
        """Return one verdict an answer, asking for all of them at once."""
        steps = [None if question.category == "adversarial" else self.step for question in questions]
        return _judged(questions, answers, steps, lambda reply: read_label(reply.text, reply.parsed["label"]))


class LongMemEvalJudge:
    """LongMemEval's criteria (Wu et al., ICLR 2025), one prompt a kind of question; the reply is yes or no.

    ``default``     the right answer, an equivalent, or every step to it
    ``temporal``    the same, and counts of days, weeks or months may be off by one
    ``update``      what held before may stand beside what holds now
    ``preference``  the gold answer is a rubric of what suits the user
    ``abstention``  the answer has to say that the chats do not tell; for every question that is not answerable

    Questions that are answerable and have no gold answer are not judged.

    Args:
        llm: the model that judges, which need not be the reader's.
        prompts: kind -> bundled prompt or path, as for `LocomoJudge`; kinds left out have the bundled ones.
        kinds: category -> kind; categories left out have ``default``. None: LongMemEval's own categories.

    Raises:
        InputError: as for `LocomoJudge`; a kind that is none of the five.
    """

    #: kind -> bundled prompt
    PROMPTS: Mapping[str, str] = {
        kind: f"judge_longmemeval_{kind}" for kind in ("default", "temporal", "update", "preference", "abstention")
    }
    #: LongMemEval's categories that have a criterion of their own
    KINDS: Mapping[str, str] = {
        "temporal-reasoning": "temporal",
        "knowledge-update": "update",
        "single-session-preference": "preference",
    }

    def __init__(
        self,
        llm: LLM | None,
        prompts: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self.kinds = dict(self.KINDS if kinds is None else kinds)
        unknown = sorted({*(prompts or {}), *self.kinds.values()} - self.PROMPTS.keys())
        if unknown:
            raise InputError(f"longmemeval judge: no kind {', '.join(unknown)}; there are {', '.join(self.PROMPTS)}")
        self.steps = {
            kind: Step(llm, "judge_longmemeval", _loaded(name), None, _INSTEAD)
            for kind, name in {**self.PROMPTS, **(prompts or {})}.items()
        }

    def labels(self) -> dict[str, str]:
        """Return what a manifest says of it."""
        templates = [self.steps[kind].template for kind in sorted(self.steps)]
        return {"judge": self.steps["default"].llm.model_id, "prompt_sha256": fingerprint(templates)}

    def judge(self, questions: Sequence[Question], answers: Sequence[Answer]) -> list[Verdict]:
        """Return one verdict an answer, asking for all of a kind at once."""
        kinds = [
            self.kinds.get(question.category, "default") if question.answerable else "abstention"
            for question in questions
        ]
        return _judged(questions, answers, [self.steps[kind] for kind in kinds], lambda reply: read_yes_no(reply.text))


def _loaded(prompt: str) -> Template:
    template = load_prompt(prompt, PLACEHOLDERS)
    template.check(PLACEHOLDERS, PLACEHOLDERS)
    return template


def _judged(
    questions: Sequence[Question],
    answers: Sequence[Answer],
    steps: Sequence[Step | None],
    read: Callable[[Reply], bool],
) -> list[Verdict]:
    """Ask each question's step; None, and questions without gold that have one, are not judged."""
    verdicts: list[Verdict] = []
    asked: dict[int, tuple[Step, list[int]]] = {}
    for place, (question, answer, step) in enumerate(zip(questions, answers, steps, strict=True)):
        if step is None or (question.answer is None and question.answerable):
            verdicts.append(NOT_JUDGED)
        elif answer.error or not answer.text.strip():
            verdicts.append(NO_ANSWER)
        else:
            verdicts.append(NOT_JUDGED)
            asked.setdefault(id(step), (step, []))[1].append(place)
    for step, places in asked.values():
        values = [_values(questions[place], answers[place]) for place in places]
        found = step.ask_each(values, lambda _, reply: read(reply))
        for place, each in zip(places, found, strict=True):
            verdicts[place] = Verdict(None, each.kind) if isinstance(each, Failed) else Verdict(each)
    return verdicts


def _values(question: Question, answer: Answer) -> dict[str, str]:
    gold = _UNKNOWN_WHY if question.answer is None else question.answer
    return {"question": question.text, "gold_answer": gold, "generated_answer": answer.text}
