"""From a turn's text to sentences, and from a sentence to tokens."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from memorai.types import Turn
from memorai.write.tags import Tag, Token

CJK = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
# marks that `\w` leaves out although they are parts of words (combining accents, Arabic and Indic vowel signs)
_MARKS = (
    "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0e31-\u0e4e"
)
_LETTER = rf"(?:[^\W_{CJK}]|[{_MARKS}])"
_TOKEN = re.compile(
    rf"""(?P<title>《[^《》]{{1,40}}》|「[^「」]{{1,20}}」|[“"][^“”"]{{1,60}}[”"])
    |(?P<cjk>[{CJK}]+(?:[·‧•][{CJK}]+)*)
    |(?P<date>\d{{4}}年(?:\d{{1,2}}月(?:\d{{1,2}}[日号])?)?|\d{{1,2}}月(?:\d{{1,2}}[日号]|份)?|\d{{1,2}}点(?:半|\d{{1,2}}分?)?
        |\d+(?:年|天|周|个?(?:月|星期|礼拜|小时))(?:以前|之前|前|以后|之后|后))
    |(?P<number>\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|am|pm|s|%)?(?!{_LETTER}))
    |(?P<word>{_LETTER}+(?:['’`&-]{_LETTER}+)*)
    |(?P<other>\S)""",
    re.VERBOSE,
)
_CLITIC = re.compile(r"^(.+)(['’`](?:s|m|re|ve|ll|d))$", re.IGNORECASE)
# a full stop ends a sentence only before a space, and not after a title or an initial
_SENTENCE_END = re.compile(
    r"""(?:[!?。！？…]+|(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<!\bProf)(?<!\b[A-Z])(?<!\.)\.++(?=[\s"”’')]|$))["”’')」』）】]*|[\r\n]+"""
)
_CAPTION_LEAD = re.compile(
    r"^(?:(?:an?|the)\s+)?(?:close[- ]?up\s+)?(?:photos?|photography?|pictures?|images?|screenshots?)\s+of\s+",
    re.IGNORECASE,
)
_QUESTION_TAIL = re.compile(r"[?？]")
_CASED_TITLE_WORDS = 6
_CJK_QUOTE_CHARS = 12
# what somebody says has a clause mark, a pronoun or a final particle; a title rarely
_CJK_SPEECH = re.compile(r"[，。！？、；：,.!?我你您他她妳]|[吗嗎呢吧啊呀啦了]$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as written, with its end mark, and whether it asks."""

    text: str
    question: bool


def split_sentences(text: str) -> list[Sentence]:
    """Split at ``. ! ? 。 ！ ？ …`` and line ends; empty pieces are dropped. Linear in the text's length."""
    sentences: list[Sentence] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        _append(sentences, text[start : match.end()], match.group())
        start = match.end()
    _append(sentences, text[start:], "")
    return sentences


def _append(sentences: list[Sentence], piece: str, end: str) -> None:
    piece = piece.strip()
    if any(char.isalnum() for char in piece):
        sentences.append(Sentence(piece, bool(_QUESTION_TAIL.search(end))))


def turn_sentences(turn: Turn) -> list[Sentence]:
    """Sentences of a turn's text, then of its caption without its "a photo of" opening."""
    sentences = split_sentences(turn.text)
    if turn.caption:
        sentences += split_sentences(_CAPTION_LEAD.sub("", turn.caption.strip()))
    return sentences


def tokenize(text: str) -> list[Token]:
    """Split a sentence into untagged tokens; numbers and punctuation are tagged, CJK runs stay whole.

    Clitics are tokens of their own ("Mel's" -> "Mel", "'s"), "n't" stays with its verb. A quoted title is one token.
    """
    return _tokens(unicodedata.normalize("NFKC", text))


def _tokens(text: str) -> list[Token]:
    out: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup, match.group()
        if kind == "title":
            out += _quoted(piece)
        elif kind == "cjk":
            out.append(Token(piece, piece.casefold(), cjk=True))
        elif kind == "date":  # stands between subject and verb, as adverbs do
            out.append(Token(piece, piece, Tag.ADVERB, cjk=True))
        elif kind == "number":
            out.append(Token(piece, piece.casefold(), Tag.NUMBER))
        elif kind == "word":
            clitic = _CLITIC.match(piece)
            out += [_word(part) for part in clitic.groups()] if clitic else [_word(piece)]
        else:
            out.append(Token(piece, piece, Tag.PUNCTUATION))
    return out


def _word(piece: str) -> Token:
    return Token(piece, piece.casefold().replace("’", "'").replace("`", "'"))


def _quoted(piece: str) -> list[Token]:
    """A quotation is a title if it reads like one, else its tokens between punctuation."""
    inner = piece[1:-1].strip(" ,.")
    if _is_title(piece[0], inner):
        return [Token(inner, inner.casefold(), Tag.NAME, title=True, cjk=bool(re.match(f"[{CJK}]", inner)))]
    mark = Token(piece[0], piece[0], Tag.PUNCTUATION)
    return [mark, *_tokens(inner), mark]


def _is_title(mark: str, inner: str) -> bool:
    if not any(char.isalnum() for char in inner):
        return False
    if mark == "《":
        return True
    if re.search(f"[{CJK}]", inner):
        return len(inner) <= _CJK_QUOTE_CHARS and not _CJK_SPEECH.search(inner)
    words = inner.split()
    # every longer word capitalised: "Charlotte's Web" is a title, "Be yourself, always" is speech
    return len(words) <= _CASED_TITLE_WORDS and all(
        word[0].isupper() for word in words if len(word) > 3 or word is words[0]
    )
