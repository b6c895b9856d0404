"""Gates: which turns are worth remembering. What a gate drops is neither extracted from nor retrieved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from memorai.errors import InputError
from memorai.types import Turn
from memorai.write.extraction import Segment


class Gate(Protocol):
    """Scores turns by how much they are worth keeping."""

    @property
    def threshold(self) -> float:
        """A turn is kept if its score reaches this, in [0, 1]."""
        ...

    def score(self, segments: Sequence[Segment], language: str = "en") -> Mapping[str, float]:
        """Return a score in [0, 1] for every turn of the segments, by turn id.

        A turn is judged in its context, the turns before it in its session: a bare answer is nothing without its
        question.
        """
        ...


class KeepAll:
    """Keeps every turn: no gate."""

    name = "none"
    threshold = 0.0

    def score(self, segments: Sequence[Segment], language: str = "en") -> dict[str, float]:
        """Return 1.0 for every turn."""
        return {turn.id: 1.0 for turn in turns_of(segments)}


class RuleGate:
    """Drops what holds no fact by its form: greetings, acknowledgements, and memories read back to the agent.

    It works on words alone, in English and Chinese; a turn that no rule covers is kept. An acknowledgement that
    answers another speaker's question ("Yes, absolutely!" after "Did you get the job?") is kept, as is anything with
    a digit or a picture.

    Args:
        max_words: longest turn, in words or Chinese characters, that can be a greeting or an acknowledgement.
        recalled: also drop turns that carry recalled memories or a system prompt rather than something said.
    """

    name = "rules"
    threshold = 0.5

    def __init__(self, max_words: int = 12, recalled: bool = True) -> None:
        if max_words < 1:
            raise InputError(f"gate=rules: max_words={max_words} is less than 1")
        self.max_words, self.recalled = max_words, recalled

    def score(self, segments: Sequence[Segment], language: str = "en") -> dict[str, float]:
        """Return 0.0 for a turn that a rule drops and 1.0 for every other."""
        scores: dict[str, float] = {}
        previous: Turn | None = None
        for turn in turns_of(segments):
            before = previous if previous and previous.session_id == turn.session_id else None
            scores[turn.id] = 0.0 if self.drops(turn, before) else 1.0
            previous = turn
        return scores

    def drops(self, turn: Turn, previous: Turn | None = None) -> bool:
        """Whether a rule drops a turn, given the one before it in its session."""
        if self.recalled and _RECALLED.search(turn.text):
            return True
        if turn.caption or any(map(str.isdigit, turn.text)):
            return False
        text = turn.text.casefold().replace("’", "'")
        said = _WORD.findall(_PHRASES.sub(" ", text))
        if len(_WORD.findall(text)) > self.max_words or not all(word in _EMPTY for word in said):
            return False
        greeting = not any(word in _ANSWERS for word in said) and "of course" not in text
        return greeting or previous is None or previous.speaker == turn.speaker or not asks(previous.text)


def turns_of(segments: Sequence[Segment]) -> tuple[Turn, ...]:
    """Return every turn of the segments once, in order; windows may share turns."""
    seen: dict[str, Turn] = {}
    for segment in segments:
        for turn in segment.turns:
            seen.setdefault(turn.id, turn)
    return tuple(seen.values())


def asks(text: str) -> bool:
    """Whether a text holds a question mark, of any script."""
    return any(mark in text for mark in "?？؟")


def words(text: str) -> frozenset[str]:
    """Return the words of a list written as one text."""
    return frozenset(text.split())


def kept_ids(
    gate: Gate, segments: Sequence[Segment], language: str = "en", drop_share: float | None = None
) -> frozenset[str]:
    """Return the ids of the turns that a gate keeps.

    Args:
        gate: gives the scores.
        segments: of one conversation.
        language: of the conversation.
        drop_share: None = keep what reaches the gate's threshold; else drop this share of the turns, rounded down:
            those with the lowest scores, and of equal ones the earlier.

    Raises:
        InputError: ``drop_share`` is outside [0, 1).
        ValueError: the gate left a turn without a score.
    """
    if drop_share is not None and not 0 <= drop_share < 1:
        raise InputError(f"drop_share={drop_share} is outside [0, 1)")
    turns, scores = turns_of(segments), gate.score(segments, language)
    missing = [turn.id for turn in turns if turn.id not in scores]
    if missing:
        raise ValueError(f"{type(gate).__name__} gave no score to turn {missing[0]}")
    if drop_share is None:
        return frozenset(turn.id for turn in turns if scores[turn.id] >= gate.threshold)
    order = sorted(range(len(turns)), key=lambda i: (scores[turns[i].id], i))
    return frozenset(turns[i].id for i in order[int(drop_share * len(turns)) :])


def without_dropped(segments: Sequence[Segment], kept: Iterable[str]) -> tuple[Segment, ...]:
    """Return the segments with their kept turns only; summaries stay whole, and a segment without a turn goes."""
    wanted = frozenset(kept)
    remaining = (replace(s, turns=tuple(turn for turn in s.turns if turn.id in wanted)) for s in segments)
    return tuple(segment for segment in remaining if segment.turns)


def gate_name(gate: Gate | None) -> str:
    """Return how tables call a gate: its ``name``, or that of its class."""
    if gate is None:
        return KeepAll.name
    return str(getattr(gate, "name", type(gate).__name__.removesuffix("Gate").lower()))


_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+(?:'[^\W\d_]+)*")
#: words that answer a yes-or-no question: alone they acknowledge, after a question they are a fact
_ANSWERS = words(
    """
    yes yeah yep yup no nope nah sure absolutely definitely exactly indeed totally right true agreed always never maybe
    probably 是 对 不 没 好 行 嗯 会 能 要 有
    """
)
_EMPTY = _ANSWERS | words(
    """
    hi hello hey heya there good morning afternoon evening bye goodbye later cya ttyl thanks thank thx you so much very
    again many cheers ok okay okey alright cool great nice awesome wow oh ah aw aww haha hahaha lol hmm mm mhm uh huh
    understood perfect amazing wonderful lovely fantastic brilliant anytime everyone and too well that's it's
    您 你 早 晚 上 安 再 见 拜 谢 客 气 哈 呵 啊 哦 噢 嗨 喂 吧 呀 呢 的 了 吗
    知 道 明 白 收 到 可 以 太 棒 真 很
    """
)
#: several words that say nothing together, though each may say something elsewhere
_PHRASES = re.compile(
    r"\b(?:have a (?:great|good|nice|lovely) (?:day|one|night|weekend)|see you(?: later| soon| tomorrow)?|take care"
    r"|i see|got it|(?:i'm )?(?:so |very )?glad to hear(?: that| it)?|how are you(?: doing)?(?: today)?"
    r"|how's it going|what's up|no (?:problem|worries)|you're welcome|my pleasure|of course"
    r"|(?:that )?sounds (?:good|great)|good night|nice to (?:see|meet|hear from) you|talk to you (?:later|soon))\b"
)
#: memories or prompts that a framework wrote into the chat, not words that somebody said
_RECALLED = re.compile(
    r"^\s*(?:<(?:relevant[-_ ]?)?(?:memor(?:y|ies)|recalled?|context|system)\b[^>]*>"
    r"|\[(?:relevant |recalled |retrieved )?(?:memor(?:y|ies)|context|system(?: prompt| message)?)\b[^\]]*\]"
    r"|#{0,4}\s*(?:relevant|recalled|retrieved) (?:memor(?:y|ies)|context)\b"
    r"|you are (?:a|an) (?:helpful|personal|ai)\b[^.]*\b(?:assistant|agent)\b"
    r"|(?:here (?:are|is)|i found) (?:the |some |your )?(?:relevant |recalled |stored )(?:memor(?:y|ies)|context)\b"
    r"|(?:相关记忆|检索到的记忆|以下是记忆)[：:])",
    re.IGNORECASE,
)
