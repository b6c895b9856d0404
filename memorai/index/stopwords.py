"""Words that carry no topic, by language: the lists that bm25s maintains, and a short one for Chinese."""

from __future__ import annotations

from functools import lru_cache

from bm25s import stopwords as lists

from memorai.index.normalize import normalize

# What is left of a negation when it is cut at its apostrophe. The English list holds these pieces; the tokenizer
# never cuts there, and as words of their own they mean something: "won a prize", "Don", "Ma".
_ENGLISH_PIECES = frozenset(word.removesuffix("'t") for word in lists.STOPWORDS_EN_PLUS if word.endswith("n't")) | {
    "ma"
}

_LISTS: dict[str, tuple[str, ...]] = {
    "da": lists.STOPWORDS_DANISH,
    "de": lists.STOPWORDS_GERMAN,
    "en": tuple(word for word in lists.STOPWORDS_EN_PLUS if word not in _ENGLISH_PIECES),
    "es": lists.STOPWORDS_SPANISH,
    "fr": lists.STOPWORDS_FRENCH,
    "it": lists.STOPWORDS_ITALIAN,
    "ko": lists.STOPWORDS_KOREAN,
    "nl": lists.STOPWORDS_DUTCH,
    "no": lists.STOPWORDS_NORWEGIAN,
    "pt": lists.STOPWORDS_PORTUGUESE,
    "ru": lists.STOPWORDS_RUSSIAN,
    "sv": lists.STOPWORDS_SWEDISH,
    "tr": lists.STOPWORDS_TURKISH,
}

#: Function characters of Chinese, simplified and traditional. bm25s's Chinese list is made of words of news text
#: ("important", "develop", "today") and would take topics with it.
CHINESE_CHARACTERS = frozenset(
    "的了着著过過吗嗎呢吧啊呀嘛呗么麼之其与與和或及而且但是在有不没沒也都就还還又很太最更"
    "我你您他她它们們咱这這那哪谁誰啥什怎几幾个個把被给給对對从從到向为為以于於因所由跟让讓将將会會能要可得地"
)


@lru_cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a two-letter language code as the tokenizer sees them; empty where none are known."""
    return frozenset(normalize(word) for word in _LISTS.get(language, ()))
