from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memorai.errors import InputError
from memorai.recall.messages import clean, read_messages

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
TREE = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(text=st.text(alphabet=st.characters(codec=None)))
def test_cleaned_text_can_be_stored_anywhere(text):
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    if "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text):
        assert cleaned == text


@given(
    message=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("role", "content", "name", "id", "time", "session", "caption"), TREE)
    )
)
def test_any_message_is_read_skipped_or_refused_in_one_line(message):
    try:
        turns, skipped = read_messages([message], None)
    except InputError as error:
        assert "\n" not in str(error).splitlines()[0]
    else:
        assert len(turns) + len(skipped) == 1
