import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.datasets.stream import iter_json_array
from memorai.errors import InputError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("stream") / "array.json"


@settings(deadline=None)
@given(st.lists(JSON, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_equals_json_loads_at_any_chunk_size(file, records, chunk, indent, ascii_only):
    file.write_text(json.dumps(records, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    assert list(iter_json_array(file, chunk)) == records


@settings(deadline=None)
@given(st.text(alphabet='{}",:\\ntu019.e- ', max_size=12), st.integers(1, 8))
def test_accepts_exactly_the_arrays(file, text, chunk):
    text = f"[{text}]"
    file.write_text(text, encoding="utf-8")
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, list):
        assert list(iter_json_array(file, chunk)) == whole
    else:
        with pytest.raises(InputError):
            list(iter_json_array(file, chunk))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a JSON array is expected"),
        ('{"a": 1}', "a JSON array is expected"),
        ('[{"a": 1}, {"b": 2', "item 1: not JSON"),
        ('[{"a": 1} {"b": 2}]', "no comma after item 0"),
        ('[{"a": 1}', "no comma after item 0"),
        ('[{"a": 1},]', "item 1: not JSON"),
        ('[{"a": 1}] x', "text after the end"),
        ("[" * 100_000, "nested too deep to read; fetch the file again"),
        ('[{"a": 1}, {"b": 1, "c": {"d": 1, "d": 1}}]', "item 1: key 'd' stands twice in one object; keep one"),
        ("[" + "9" * 5000 + "]", "item 0: not JSON"),
    ],
)
def test_errors_name_the_item(file, text, message):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        list(iter_json_array(file, 64))
    assert "\n" not in str(caught.value)


def test_broken_text_is_found_without_reading_the_rest(file):
    file.write_text('[{"a": oops' + " " * 200_000, encoding="utf-8")
    items = iter_json_array(file, 64)
    with pytest.raises(InputError, match="item 0: not JSON"):
        next(items)


def test_items_come_before_the_file_is_read_to_its_end(file):
    file.write_text('[{"a": 1}, ' + " " * 1000 + "broken", encoding="utf-8")
    items = iter_json_array(file, 16)
    assert next(items) == {"a": 1}
    with pytest.raises(InputError):
        next(items)


def test_other_encodings_are_refused(file):
    file.write_bytes('[{"a": "é"}]'.encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        list(iter_json_array(file))


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"gone\.json: cannot be read \(No such file or directory\)"):
        list(iter_json_array(tmp_path / "gone.json"))


@settings(deadline=None)
@given(st.integers(1, 30))
def test_a_key_that_stands_twice_is_found_at_any_chunk_size(file, chunk):
    file.write_text('[{"a": "x"}, {"text": "first", "b": [1, 2], "text": "second"}]', encoding="utf-8")
    items = iter_json_array(file, chunk)
    assert next(items) == {"a": "x"}
    with pytest.raises(InputError, match="item 1: key 'text' stands twice"):
        next(items)
