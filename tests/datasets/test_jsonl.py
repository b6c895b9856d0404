import datetime as dt
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorai.datasets.jsonl import load_jsonl, parse_jsonl
from memorai.errors import InputError
from memorai.types import Conversation, Question, Session, Turn

TURN = {"conversation": "c1", "session": "s1", "id": "t1", "speaker": "Ann", "text": "The cat is Biscuit."}
QUESTION = {"conversation": "c1", "question": "What is the cat called?", "evidence": ["t1"]}


CHAT = {
    "id": "chat-7",
    "model": "ignored",
    "time": "2024-05-01",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "name": "Ann", "content": [
            {"type": "text", "text": "Look"},
            {"type": "image_url", "image_url": {}},
            {"type": "text", "text": "my cat"},
        ]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "42"},
        {"role": "assistant", "content": "Lovely.", "time": "2024-05-02"},
    ],
    "questions": [{"question": "What did Ann show?", "evidence": "t1"}],
}  # fmt: skip


def lines(*records):
    return "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records).encode()


def parse(*records):
    return parse_jsonl(lines(*records), "f.jsonl")


def one(*records):
    (conversation,), _ = parse(*records)
    return conversation


def test_all_fields_arrive():
    conversation = one(
        {**TURN, "time": "2024-05-01T10:00", "caption": "a cat", "role": "user"},
        {**QUESTION, "answer": 3, "category": "single_hop", "difficulty": "easy", "time": "2024-06-01",
         "answerable": False, "id": "mine"},
        {"conversation": "c1", "language": "zh"},
    )  # fmt: skip
    time = dt.datetime(2024, 5, 1, 10)
    turn = Turn("t1", "s1", "Ann", "The cat is Biscuit.", time, "a cat", "user")
    question = Question(
        "mine", "What is the cat called?", ("t1",), ("s1",), "single_hop", "3", dt.datetime(2024, 6, 1), "easy", False
    )
    assert conversation == Conversation("c1", (Session("s1", (turn,), time),), (question,), "zh")


def test_defaults():
    conversation = one(
        QUESTION, {"conversation": "c1", "speaker": "Ann", "text": "a"}, {**TURN, "id": None, "session": 7}
    )
    assert [session.id for session in conversation.sessions] == ["default", "7"]
    assert [turn.id for turn in conversation.turns] == ["t1", "t2"]
    assert conversation.turns[0].time is conversation.sessions[0].time is None
    question = conversation.questions[0]
    assert (question.id, question.category, question.answer, question.answerable) == ("c1:q0", "all", None, True)
    assert question.evidence_sessions == ("default",)
    assert conversation.language == "en"


def test_sessions_are_in_time_order_if_all_have_a_time():
    late, early = {**TURN, "time": "2024-05-02"}, {**TURN, "id": "t2", "session": "s2", "time": "2024-05-01"}
    assert [session.id for session in one(late, early).sessions] == ["s2", "s1"]
    undated = {**TURN, "id": "t3", "session": "s0"}
    assert [session.id for session in one(late, early, undated).sessions] == ["s1", "s2", "s0"]


def test_interleaved_sessions_are_grouped():
    conversation = one(TURN, {**TURN, "id": "t2", "session": "s2"}, {**TURN, "id": "t3"})
    assert [[turn.id for turn in session.turns] for session in conversation.sessions] == [["t1", "t3"], ["t2"]]


def test_byte_order_mark_blank_lines_carriage_returns_and_line_separators():
    text = json.dumps({**TURN, "text": "one\u2028two\x85three"}, ensure_ascii=False)
    (conversation,), _ = parse_jsonl(b"\xef\xbb\xbf\r\n" + text.encode() + b"\r\n\r\n", "f.jsonl")
    assert conversation.turns[0].text == "one\u2028two\x85three"


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (["{"], r"f\.jsonl:1: not JSON"),
        ([TURN, "[1]"], r"f\.jsonl:2: a JSON object is expected, not a list"),
        ([TURN, {"conversation": "c1", "txt": "a"}], r"f\.jsonl:2: none of 'text'"),
        ([{**TURN, "conversation": None}], r"f\.jsonl:1: 'conversation' is missing"),
        ([{**TURN, "conversation": " "}], r"f\.jsonl:1: 'conversation' is blank"),
        ([{**TURN, "speaker": None}], r"f\.jsonl:1: 'speaker' is missing"),
        ([{**TURN, "text": " "}], r"f\.jsonl:1: neither 'text' nor 'caption'"),
        ([{**TURN, "text": 5}], r"f\.jsonl:1: 'text' must be text, not a int"),
        ([{**TURN, "role": "robot"}], r"f\.jsonl:1: role 'robot' is unknown"),
        ([{**TURN, "time": "1 May"}], r"f\.jsonl:1: '1 May' is no ISO 8601 time"),
        ([{**TURN, "time": 1714550400}], r"f\.jsonl:1: 1714550400 is no ISO 8601 time"),
        ([r'{"conversation": "c", "speaker": "A", "text": "\ud83d"}'], r"f\.jsonl:1: 'text' holds half"),
        ([TURN, "", TURN], r"f\.jsonl:3: turn id 't1' is taken in conversation 'c1' \(f\.jsonl:1\)"),
        (
            [{**TURN, "time": "2024-05-01T10:00Z"}, {**TURN, "id": "t2", "time": "2024-05-01"}],
            r"f\.jsonl:2: the time has no offset from UTC, unlike f\.jsonl:1",
        ),
        (
            [{**QUESTION, "time": "2024-05-01"}, {**TURN, "time": "2024-05-01T10:00+02:00"}],
            r"f\.jsonl:2: the time has an offset from UTC, unlike f\.jsonl:1",
        ),
        ([TURN, {**QUESTION, "question": ""}], r"f\.jsonl:2: the question is blank"),
        ([TURN, {**QUESTION, "difficulty": "mean"}], r"f\.jsonl:2: difficulty 'mean' is unknown"),
        ([TURN, {**QUESTION, "answerable": "no"}], r"f\.jsonl:2: 'answerable' must be true or false"),
        ([TURN, {**QUESTION, "answer": ["a"]}], r"f\.jsonl:2: an answer must be"),
        ([TURN, {**QUESTION, "answer": float("nan")}], r"f\.jsonl:2: an answer must be text or a finite number"),
        ([TURN, {**QUESTION, "category": "macro"}], r"f\.jsonl:2: category 'macro' is the name of a mean"),
        ([TURN, {**QUESTION, "category": ""}], r"f\.jsonl:2: the category is blank"),
        (
            [TURN, '{"conversation": "c1", "speaker": "A", "text": "a", "text": "b"}'],
            r"f\.jsonl:2: key 'text' stands twice",
        ),
        ([TURN, {**QUESTION, "evidence": [{}]}], r"f\.jsonl:2: 'evidence' must be text, not a dict"),
        ([TURN, {**QUESTION, "id": "q"}, {**QUESTION, "id": "q"}], r"f\.jsonl: question id 'q' occurs twice"),
        ([QUESTION], r"f\.jsonl: conversation 'c1' has no turns"),
        (
            [TURN, {"conversation": "c1", "language": "en"}, {"conversation": "c1", "language": "zh"}],
            r"f\.jsonl:3: .*'en'",
        ),
        ([""], r"f\.jsonl: no conversations"),
        ([{"messages": 5}], r"f\.jsonl:1: 'messages' must be a list"),
        ([{"messages": ["hi"]}], r"f\.jsonl:1: messages\[0\]: an object with a 'role'"),
        ([{"messages": [{"role": "robot", "content": "a"}]}], r"messages\[0\]: role 'robot' is unknown"),
        ([{"messages": [{"role": "user", "content": 5}]}], r"messages\[0\]: 'content' must be"),
        ([{"messages": [{"role": "user", "content": [{}]}]}], r"messages\[0\]: a part of 'content' has no 'type'"),
        ([{"messages": [{"role": "user", "content": "a"}], "questions": [1]}], r"questions\[0\]: an object"),
        (
            [{"messages": [{"role": "user", "content": "a"}], "questions": False}],
            r"f\.jsonl:1: 'questions' must be a list",
        ),
        (
            [{"messages": [{"role": "user", "content": "a"}], "questions": {}}],
            r"f\.jsonl:1: 'questions' must be a list",
        ),
        ([{**CHAT, "messages": [{"role": "user", "content": "a", "time": 0}]}], r"messages\[0\]: 0 is no ISO 8601"),
        ([{**CHAT, "messages": [{"role": "user", "content": "a", "time": ""}]}], r"messages\[0\]: '' is no ISO 8601"),
        ([{"id": "x", "messages": [{"role": "user", "content": "a"}]}] * 2, r"f\.jsonl:2: chat id 'x' occurs twice"),
    ],
)
def test_errors_name_the_line(records, message):
    with pytest.raises(InputError, match=f"^{message}" if message.startswith("f") else message) as caught:
        parse(*records)
    assert "\n" not in str(caught.value)


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "gbk.jsonl"
    path.write_bytes(lines(TURN) + b"\n" + json.dumps({**TURN, "text": "苹果"}, ensure_ascii=False).encode("gbk"))
    with pytest.raises(InputError, match=r"gbk\.jsonl:2: not UTF-8"):
        load_jsonl(path)


def test_unknown_keys_are_noted():
    _, notes = parse({**TURN, "captions": "a cat"}, {**TURN, "id": "t2", "captions": "a dog"})
    assert [(note.kind, note.record) for note in notes] == [("unknown_key", "f.jsonl:1")]
    assert notes[0].detail == "'captions' is no key of a turn line; ignored 2 times"


def test_unknown_keys_inside_a_chat_are_noted():
    messages = [{"role": "user", "content": "a", "speker": "Ann"}, {"role": "user", "content": "b", "speker": "Ann"}]
    questions = [{"question": "Who?", "evidence": "t1", "anser": "Ann", "conversation": "c1"}]
    _, notes = parse({"messages": messages, "questions": questions, "model": "ignored"})
    assert [(note.kind, note.record, note.detail) for note in notes] == [
        ("unknown_key", "f.jsonl:1: messages[0]", "'speker' is no key of a message; ignored 2 times"),
        ("unknown_key", "f.jsonl:1: questions[0]", "'anser' is no key of a chat's question; ignored 1 times"),
        ("unknown_key", "f.jsonl:1: questions[0]", "'conversation' is no key of a chat's question; ignored 1 times"),
    ]


def test_a_message_without_time_has_the_chats():
    said = [{"role": "user", "content": "a", "time": None}, {"role": "user", "content": "b", "time": "2024-05-02"}]
    conversation = one({"time": "2024-05-01", "messages": said, "questions": None})
    assert [turn.time for turn in conversation.turns] == [dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 2)]


def test_turns_without_id_take_the_next_free_number():
    nameless = {key: value for key, value in TURN.items() if key != "id"}
    conversation = one({**TURN, "id": "t2"}, nameless, {**TURN, "id": "t4"}, nameless, nameless)
    assert [turn.id for turn in conversation.turns] == ["t2", "t3", "t4", "t5", "t6"]
    assert [turn.id for turn in one(nameless, {**TURN, "id": "x"}, nameless).turns] == ["t1", "x", "t3"]


def test_half_a_surrogate_pair_reaches_no_note():
    part = {"type": "\ud83d", "text": "a"}
    _, notes = parse({"messages": [{"role": "user", "content": ["hi", part], "\ud83d": 1}]})
    assert [note.kind for note in notes] == ["skipped_part", "unknown_key"]
    assert all((note.record + note.detail).encode() for note in notes)


def test_roles_that_do_not_talk_are_skipped_and_noted():
    (conversation,), notes = parse({**TURN, "id": "t0", "role": "system"}, TURN)
    assert [turn.id for turn in conversation.turns] == ["t1"]
    assert [(note.kind, note.detail) for note in notes] == [("skipped_role", "system")]


def test_openai_messages():
    (conversation,), notes = parse(CHAT)
    day = dt.datetime(2024, 5, 1)
    first = Turn("t1", "s1", "Ann", "Look\nmy cat", day, role="user")
    second = Turn("t2", "s1", "assistant", "Lovely.", dt.datetime(2024, 5, 2), role="assistant")
    question = Question("chat-7:q0", "What did Ann show?", ("t1",), ("s1",))
    assert conversation == Conversation("chat-7", (Session("s1", (first, second), day),), (question,))
    assert [(note.kind, note.record) for note in notes] == [
        ("skipped_role", "f.jsonl:1: messages[0]"),
        ("skipped_part", "f.jsonl:1: messages[1]"),
        ("empty_turn", "f.jsonl:1: messages[2]"),
        ("skipped_role", "f.jsonl:1: messages[3]"),
    ]


def test_chats_of_one_conversation_are_its_sessions():
    said = [{"role": "user", "content": "a"}]
    conversation = one(
        {"conversation": "ann", "messages": said},
        {"conversation": "ann", "id": "x", "messages": said},
        {"conversation": "ann", "id": "y", "session": "z", "messages": said},
    )
    assert [(turn.id, turn.session_id) for turn in conversation.turns] == [("t1", "s1"), ("t2", "x"), ("t3", "z")]


def test_chats_without_id_never_join_another():
    said = {"messages": [{"role": "user", "content": "a"}]}
    conversations, _ = parse({**said, "id": "c2"}, said, said)
    assert [conversation.id for conversation in conversations] == ["c2", "c3", "c4"]


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (CHAT["messages"], ["export"]),
        (CHAT, ["chat-7"]),
        ([CHAT, {"messages": CHAT["messages"]}], ["chat-7", "c2"]),
    ],
)
def test_plain_json(write, value, ids):
    dataset = load_jsonl(write(value, "export.json"))
    assert [conversation.id for conversation in dataset.conversations] == ids
    assert {len(conversation.turns) for conversation in dataset.conversations} == {2}


@pytest.mark.parametrize("wrap", [lambda turn: turn, lambda turn: [turn], lambda turn: [turn, {**turn, "id": "t2"}]])
def test_turns_with_a_role_in_plain_json_are_turns(write, wrap):
    dataset = load_jsonl(write(wrap({**TURN, "role": "user"}), "export.json"))
    assert [conversation.id for conversation in dataset.conversations] == ["c1"]
    assert {turn.text for turn in dataset.conversations[0].turns} == {TURN["text"]}
    assert dataset.notes == ()


def test_plain_json_errors_name_the_record(write):
    with pytest.raises(InputError, match=r"export\.json: \[1\]: 'messages' must be a list"):
        load_jsonl(write([CHAT, {"messages": 1}], "export.json"))
    with pytest.raises(InputError, match=r"export\.json: not JSON .* at line 2 column 1"):
        load_jsonl(write("[\n", "export.json"))


def test_dataset(write):
    text = "\n".join(json.dumps(r) for r in (TURN, {**QUESTION, "category": "b"}, {**QUESTION, "evidence": []}))
    dataset = load_jsonl(write(text, "own.jsonl"), name="own")
    assert (dataset.name, dataset.categories) == ("own", ("b", "all"))
    assert (dataset.counts["questions"], dataset.counts["scored"], dataset.counts["scored/b"]) == (2, 1, 1)
    assert dataset.version == f"sha256:{dataset.sha256[:12]}"
    with pytest.raises(InputError, match="no such file; check the path"):
        load_jsonl("missing.jsonl")


@pytest.mark.parametrize("name", [None, 5, " "])
def test_a_name_is_text(write, name):
    with pytest.raises(InputError, match="give the data set a name"):
        load_jsonl(write(json.dumps(TURN), "own.jsonl"), name=name)


@pytest.mark.parametrize("path", [None, 5])
def test_a_path_must_be_given(path):
    with pytest.raises(
        InputError, match=r"path of a file is expected; check the path, as in dataset\.path=chats\.jsonl"
    ):
        load_jsonl(path)


def test_the_documented_lines_are_read():
    from pathlib import Path

    document = Path(__file__).parents[2].joinpath("docs", "data-format.md").read_text(encoding="utf-8")
    examples = re.findall(r"```json\n(.*?)\n```", document, flags=re.DOTALL)
    assert len(examples) == 4
    (first, second), notes = parse(*examples)
    assert (first.id, first.language, len(first.turns), len(first.questions)) == ("c1", "zh", 1, 1)
    assert (second.id, len(second.turns), notes) == ("chat-7", 2, ())


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
TIMES = st.none() | st.datetimes()


@st.composite
def conversations(draw):
    name = draw(TEXT)
    sessions, clock = [], dt.datetime(2024, 1, 1)
    for session_id in draw(st.lists(TEXT, min_size=1, max_size=3, unique=True)):
        clock += dt.timedelta(days=1)
        turns = tuple(
            Turn(
                id=f"{len(sessions)}-{n}",
                session_id=session_id,
                speaker=draw(TEXT),
                text=draw(TEXT),
                time=clock,
                caption=draw(st.none() | TEXT),
                role=draw(st.sampled_from([None, "user", "assistant"])),
            )
            for n in range(draw(st.integers(1, 3)))
        )
        sessions.append(Session(session_id, turns, clock))
    ids = {turn.id: turn.session_id for session in sessions for turn in session.turns}
    questions = []
    for n in range(draw(st.integers(0, 3))):
        evidence = tuple(draw(st.lists(st.sampled_from(list(ids)), unique=True, max_size=3)))
        questions.append(
            Question(
                id=f"{name}:q{n}",
                text=draw(TEXT),
                evidence=evidence,
                evidence_sessions=tuple(dict.fromkeys(ids[turn_id] for turn_id in evidence)),
                category=draw(TEXT),
                answer=draw(st.none() | TEXT),
                time=draw(TIMES),
                difficulty=draw(st.sampled_from([None, "easy", "hard"])),
                answerable=draw(st.booleans()),
            )
        )
    return Conversation(name, tuple(sessions), tuple(questions), draw(st.sampled_from(["en", "zh"])))


def records_of(conversation):
    yield {"conversation": conversation.id, "language": conversation.language}
    for turn in conversation.turns:
        yield {"conversation": conversation.id, "session": turn.session_id, "id": turn.id,
               "text": turn.text, "speaker": turn.speaker, "time": turn.time.isoformat(),
               "caption": turn.caption, "role": turn.role}  # fmt: skip
    for question in conversation.questions:
        yield {"conversation": conversation.id, "question": question.text, "evidence": question.evidence,
               "category": question.category, "answer": question.answer, "difficulty": question.difficulty,
               "time": question.time and question.time.isoformat(), "answerable": question.answerable}  # fmt: skip


@settings(deadline=None)
@given(st.lists(conversations(), min_size=1, max_size=2, unique_by=lambda c: c.id), st.booleans())
def test_round_trip(wanted, ascii_only):
    records = [record for conversation in wanted for record in records_of(conversation)]
    data = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records).encode()
    found, notes = parse_jsonl(data, "f.jsonl")
    assert found == tuple(wanted)
    unscored = [q.id for conversation in wanted for q in conversation.questions if not q.evidence]
    assert [(note.kind, note.record) for note in notes] == [("empty_evidence", name) for name in unscored]


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_damaged_file_is_only_ever_an_input_error(damage, data):
    question = {**QUESTION, "time": "2024-06-01", "answer": "a", "category": "b", "difficulty": "easy"}
    records = damage(
        data.draw, [{**TURN, "time": "2024-05-01"}, question, CHAT, {"conversation": "c1", "language": "zh"}]
    )
    label = data.draw(st.sampled_from(["f.jsonl", "f.json"]))
    text = (
        json.dumps(records)
        if label == "f.json" or not isinstance(records, list)
        else "\n".join(map(json.dumps, records))
    )
    try:
        parse_jsonl(text.encode(), label)
    except InputError as error:
        assert "\n" not in str(error)


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=60), st.sampled_from(["f.jsonl", "f.json"]))
def test_garbage_bytes_are_only_ever_an_input_error(data, label):
    with pytest.raises(InputError) as caught:
        parse_jsonl(data, label)
    assert "\n" not in str(caught.value)


def test_evidence_that_names_nothing_is_noted_and_loses_no_other_record():
    lines = [
        {**QUESTION, "evidence": ["t9", "t1"]},
        {**QUESTION, "evidence": ["t8"]},
        {**QUESTION, "evidence": ["t1"], "evidence_sessions": ["s9"]},
        TURN,
    ]
    (conversation,), notes = parse_jsonl("\n".join(map(json.dumps, lines)).encode(), "f.jsonl")
    assert [q.evidence for q in conversation.questions] == [("t1",), (), ("t1",)]
    assert [(note.kind, note.record) for note in notes] == [
        ("dangling_evidence", "c1:q0"),
        ("dangling_evidence", "c1:q1"),
        ("empty_evidence", "c1:q1"),
        ("dangling_session", "c1:q2"),
    ]
    assert notes[0].detail == "f.jsonl:1: 't9' does not exist"
