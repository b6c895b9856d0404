import pytest

from memorai.datasets.demo import load_demo
from memorai.datasets.jsonl import load_jsonl
from memorai.errors import InputError
from memorai.report.dashboard.quotes import read_quotes

CHAT = (
    '{"conversation": "c", "id": "t", "speaker": "Ann", "text": "I like tea."}\n'
    '{"conversation": "c", "question": "What does Ann like?", "answer": "tea", "evidence": ["t"]}\n'
)


def test_questions_come_from_the_data_that_was_measured():
    demo = load_demo()
    question = demo.conversations[0].questions[0]
    quotes = read_quotes([("demo", demo.sha256)] * 2)
    assert quotes[demo.sha256, question.id] == (question.text, question.answer)
    assert len(quotes) == sum(len(c.questions) for c in demo.conversations)


def test_other_data_is_not_quoted():
    with pytest.raises(InputError, match=r"demo is not the data of the runs \(sha256\)"):
        read_quotes([("demo", "0" * 64)])


@pytest.mark.parametrize("name", ["mine", "jsonl", "../demo", ""])
def test_data_that_no_configuration_names_is_asked_for(name):
    with pytest.raises(InputError, match="give its file with --data"):
        read_quotes([(name, "0" * 64)])


def test_ones_own_data_is_given_as_a_file(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(CHAT, encoding="utf-8")
    found = load_jsonl(path)
    asked = found.conversations[0].questions[0]
    assert read_quotes([("mine", found.sha256)], [path]) == {(found.sha256, asked.id): ("What does Ann like?", "tea")}
