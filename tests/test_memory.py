from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
import sqlalchemy as sa

from memorai import Turn, load_dataset
from memorai.errors import InputError
from memorai.graph.store.errors import StoreBusy, StoreError
from memorai.graph.store.schema import turns
from memorai.models.hashing import HashingEmbedder
from tests.memories import Clock, bytes_of, opened, said, texts

CHAT = [
    said("My cat is called Biscuit.", "2024-05-01T10:00", id="a1", session="s1"),
    said("Biscuit loves tuna.", "2024-05-01T10:01", id="a2", session="s1"),
    said("I play the cello in an orchestra.", "2024-05-02T10:00", id="a3", session="s2"),
    said("The orchestra meets on Mondays.", "2024-05-02T10:01", id="a4", session="s2"),
]


def test_what_was_added_is_found_with_its_origin(tmp_path):
    with opened(tmp_path / "m") as memory:
        assert memory.add(CHAT).ids == ("a1", "a2", "a3", "a4")
        found = memory.search("What is the name of my cat?", k=2)
    assert found[0].id == "a1" and len(found) == 2
    first = found[0]
    assert (first.speaker, first.role, first.session) == ("user", "user", "s1")
    assert first.time == datetime(2024, 5, 1, 10, 0)
    assert first.turn_ids[0] == "a1" and first.why.path[-1] == "turn:a1"
    assert first.why.bm25 > 0 and 0 < first.why.seed <= 1
    assert first.score >= found[1].score


def test_the_path_says_by_which_word_a_turn_was_reached(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT[2:])
        found = {result.id: result for result in memory.search("cello", k=4)}
    assert found["a4"].why.path[-2:] in (("word:orchestra", "turn:a4"), ("turn:a3", "turn:a4"))


def test_it_is_there_after_reopening_and_in_another_memory(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
        with opened(tmp_path / "m") as other:
            assert other.search("cello", k=1)[0].id == "a3"
            memory.add(said("I bought a new bow for my cello.", id="a5"))
            assert "a5" in [result.id for result in other.search("bow cello", k=2)]
    with opened(tmp_path / "m") as memory:
        assert memory.stats()["turns"] == 5
        assert memory.search("tuna", k=1)[0].id == "a2"


def test_users_share_nothing(tmp_path):
    users = ("ann", "../ann", "ann'; DROP TABLE turns; --", "李")
    for user in users:
        with opened(tmp_path / "m", user) as memory:
            memory.add(said(f"The secret of {user} is Xanadu.", id="same"))
    for user in users:
        with opened(tmp_path / "m", user) as memory:
            assert texts(memory.search("secret Xanadu", k=10)) == [f"The secret of {user} is Xanadu."]
            assert {fact.turn_ids for fact in memory.history("Xanadu")} <= {("same",)}
            assert memory.check() == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]


def test_messages_wait_for_others_and_are_found_at_once_by_their_own_memory(tmp_path):
    with opened(tmp_path / "m", group_messages=10, group_ms=60_000.0) as memory:
        memory.add(CHAT[0])
        with opened(tmp_path / "m") as other:
            assert other.stats()["turns"] == 0
            assert memory.search("cat", k=1)[0].id == "a1"
            assert other.stats()["turns"] == 1
        memory.add(CHAT[1])
    with opened(tmp_path / "m") as memory:
        assert memory.stats()["turns"] == 2


def test_a_group_is_written_when_it_is_full_or_old(tmp_path):
    with opened(tmp_path / "m", group_messages=2, group_ms=60_000.0) as memory, opened(tmp_path / "m") as other:
        memory.add(CHAT[0])
        memory.add(CHAT[1])
        assert other.stats()["turns"] == 2
    with opened(tmp_path / "n", group_messages=100, group_ms=1.0) as memory, opened(tmp_path / "n") as other:
        memory.add(CHAT[0])
        timer = memory._writer._timer
        if timer is not None:
            timer.join(10)
        assert other.stats()["turns"] == 1


def test_history_and_facts_carry_their_turns(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Beijing.", "2021-05-01", id="b"))
        memory.add(said("I moved to Shanghai.", "2024-06-01", id="s"))
        line = memory.history("user")
        assert [(str(fact), fact.turn_ids) for fact in line] == [
            ("user live in Beijing", ("b",)),
            ("user moved to Shanghai", ("s",)),
        ]
        assert memory.history(line[0]) == line and memory.history(line[1].id) == line
        assert memory.history("SHANGHAI") == line[1:]
        assert memory.history("nobody") == ()


def test_a_decision_can_be_taken_back(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Beijing.", "2021-05-01", id="b"))
        memory.add(said("I moved to Shanghai.", "2024-06-01", id="s"))
        closing = [d for d in memory.decisions() if d.kind == "close"]
        assert [d.after[1] for d in closing] == [datetime(2024, 6, 1, tzinfo=UTC)]
        memory.undo(closing[0].id)
        assert memory.history("Beijing")[0].valid_to is None
        assert memory.decisions()[closing[0].id - 1].undone is not None
        with pytest.raises(InputError, match="undone"):
            memory.undo(closing[0].id)


def test_forgetting_a_turn_takes_what_rests_on_it_alone(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Beijing.", "2021-05-01", id="b"))
        memory.add(said("I moved to Shanghai.", "2024-06-01", id="s"))
        memory.add(said("Shanghai is huge.", "2024-06-02", id="h"))
        gone = memory.forget(turn="s")
        assert (gone.turns, gone.relations, gone.entities) == (1, 1, 0)
        assert memory.history("Beijing")[0].valid_to is None  # as if nobody had ever moved
        assert texts(memory.search("Shanghai", k=5))[0] == "Shanghai is huge."
        assert memory.forget(entity="Shanghai").turns == 1
        assert memory.history("Shanghai") == () and memory.check() == ()
        with pytest.raises(InputError, match="no turn 'x'"):
            memory.forget(turn=["b", "x"])
        with pytest.raises(InputError, match="name one of"):
            memory.forget()
        assert memory.stats()["turns"] == 1


def test_forgetting_everything_leaves_no_byte(tmp_path):
    secret = "Zanzibarquux"
    folder = tmp_path / "m"
    with opened(folder, "other") as other:
        other.add(said("What others said stays, Timbuktu."))
        with opened(folder) as memory:
            for i in range(120):
                memory.add(said(f"{secret} number {i} met Quuxian{i} at the {secret} harbour.", session=f"{secret}{i}"))
            memory.search(f"{secret} harbour")
            (folder / "cache.sqlite").write_bytes(secret.encode())
            (folder / "index-1.safetensors").write_bytes(secret.encode())
            assert secret.encode() in bytes_of(folder)
            assert memory.forget(all=True).turns == 120
            left = bytes_of(folder)
            assert secret.encode() not in left and secret.lower().encode() not in left
            assert b"Timbuktu" in left
            assert memory.search(secret) == () and memory.stats()["turns"] == 0
            memory.add(said("A new beginning."))
            assert texts(memory.search("beginning")) == ["A new beginning."]
        assert texts(other.search("Timbuktu")) == ["What others said stays, Timbuktu."]


def test_forgetting_everything_says_so_where_another_process_still_reads(tmp_path):
    secret = b"anzibarquux"
    with opened(tmp_path / "m") as other, opened(tmp_path / "m", busy_seconds=0.05) as memory:
        memory.add([said(f"Zanzibarquux number {i}.") for i in range(50)])
        with other._database.read() as connection:
            assert len(connection.execute(sa.select(turns.c.n)).all()) == 50
            with pytest.raises(StoreBusy, match="call again"):
                memory.forget(all=True)
        assert memory.stats()["turns"] == 0
        memory.forget(all=True)
        assert secret not in bytes_of(tmp_path / "m")


def test_forgetting_one_turn_leaves_none_of_its_bytes_either(tmp_path):
    folder = tmp_path / "m"
    with opened(folder) as memory:
        memory.add(CHAT)
        memory.add(said("Zanzibarquux is my password.", id="z"))
        memory.forget(turn="z")
        assert b"anzibarquux" not in bytes_of(folder)
        assert memory.stats()["turns"] == 4


def test_a_memory_fades_and_is_strengthened_by_retrieval(tmp_path):
    clock = Clock()
    with opened(tmp_path / "m", clock=clock, strength_days=10.0, growth=2.0) as memory:
        memory.add(CHAT)
        clock.pass_days(10)
        assert memory.retention("a1") == pytest.approx(np.exp(-1))
        memory.search("cat Biscuit", k=1)
        assert memory.retention("a1") == 1.0
        clock.pass_days(10)
        assert memory.retention("a1") == pytest.approx(np.exp(-0.5))
        assert memory.retention("a3") == pytest.approx(np.exp(-2))
        assert set(memory.archive(below=0.2)) == {"a2", "a3", "a4"}
        assert [result.id for result in memory.search("cello orchestra cat", k=10)] == ["a1"]
        assert memory.stats()["archived"] == 3
        assert memory.restore(["a3"]) == ("a3",)
        assert [result.id for result in memory.search("cello", k=1)] == ["a3"]
        assert memory.restore() == ("a2", "a4")
        assert memory.search("tuna", k=1)[0].id == "a2"


def test_pruning_by_age_retention_and_budget(tmp_path):
    clock = Clock(datetime(2024, 5, 3, 12, tzinfo=UTC))
    with opened(tmp_path / "m", clock=clock) as memory:
        memory.add(CHAT)
        assert memory.prune(max_age=timedelta(days=2), dry_run=True) == ("a1", "a2")
        assert memory.stats()["turns"] == 4
        assert memory.prune(max_age=timedelta(days=2)) == ("a1", "a2")
        assert memory.history("Biscuit") == () and memory.check() == ()
        clock.pass_days(30)
        memory.search("cello", k=1)
        assert memory.prune(min_retention=0.5) == ("a4",)
        memory.add(CHAT[:2])
        nodes = sum(memory.stats()[kind] for kind in ("turns", "entities", "segments"))
        memory.prune(max_nodes=nodes - 1)
        assert sum(memory.stats()[kind] for kind in ("turns", "entities", "segments")) < nodes
        assert memory.check() == ()
        assert len(memory.prune(max_nodes=0)) == memory.stats()["turns"] + 2
        for wrong in ({}, {"min_retention": 2}, {"max_nodes": -1}, {"max_age": 3}):
            with pytest.raises(InputError, match="prune"):
                memory.prune(**wrong)


def test_the_gate_scores_and_drops_only_when_asked(tmp_path):
    chat = [said("I adopted a dog.", id="d"), said("Thanks!", id="t")]
    with opened(tmp_path / "m") as memory:
        assert memory.add(chat).ids == ("d", "t")
        gates = {result.id: result.gate for result in memory.search("dog thanks", k=2)}
        assert gates == {"d": 1.0, "t": 0.0}
    with opened(tmp_path / "n", drop=True) as memory:
        added = memory.add(chat)
        assert added.ids == ("d",) and [(s.id, s.reason, s.text) for s in added.skipped] == [("t", "gate", "Thanks!")]


def test_context_keeps_its_budget_and_the_order_of_time(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
        whole = memory.context("orchestra cello", budget_tokens=1000)
        assert whole.text.splitlines()[0].startswith("[2024-05-01 10:00] user: My cat")
        small = memory.context("orchestra cello", budget_tokens=20)
        assert 0 < small.tokens <= 20 and len(small.results) == 1
        assert memory.context("orchestra", budget_tokens=0).text == ""
        assert memory.context(" ").text == ""
        with pytest.raises(InputError, match="budget_tokens"):
            memory.context("x", budget_tokens=-1)


def test_export_can_be_read_as_a_data_set_and_added_again(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
        memory.add(said("I live in Rome.", "2024-05-05"))
        assert memory.export(tmp_path / "out.jsonl") == 5
        memory.export(tmp_path / "out.json")
        with pytest.raises(InputError, match="ends in"):
            memory.export(tmp_path / "out.txt")
        with pytest.raises(InputError, match="cannot be written"):
            memory.export(tmp_path / "no" / "out.json")
    dataset = load_dataset("jsonl", f"dataset.path={tmp_path / 'out.jsonl'}")
    assert dataset.counts["turns"] == 5 and dataset.notes == ()
    everything = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert everything["facts"][-1]["object"] == "Rome"
    assert all(entity["turn_ids"] for entity in everything["entities"])
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    with opened(tmp_path / "again") as memory:
        memory.add(lines)
        assert memory.stats()["turns"] == 5


def test_the_graph_is_what_the_research_half_takes(tmp_path):
    from memorai.graph.tensors import to_hetero

    with opened(tmp_path / "m") as memory:
        assert memory.graph().num_nodes == 0
        memory.add(CHAT)
        graph = memory.graph()
        assert memory.graph() is graph
        data = to_hetero(graph)
        assert data["turn"].num_nodes == 4 and data["turn", "next", "turn"].edge_index.tolist() == [[0, 2], [1, 3]]
        memory.add(said("One more."))
        assert memory.graph() is not graph
    assert all(entity.turn_ids for entity in graph.entities)


def test_results_are_remembered_until_anything_is_written(tmp_path):
    with opened(tmp_path / "m") as memory, opened(tmp_path / "m") as other:
        memory.add(CHAT)
        first = memory.search("cat", k=3)
        assert memory.search("cat", k=3) is first
        other.add(said("Another cat came by.", id="new"))
        assert "new" in [result.id for result in memory.search("cat", k=5)]
        assert memory.search("cat", k=3) is not first
    with opened(tmp_path / "m", cache_seconds=0.0) as memory:
        assert memory.search("cat", k=3) is not memory.search("cat", k=3)


def test_other_settings_and_values_are_refused_in_one_line(tmp_path):
    for options, message in (
        ({"embedder": "x"}, "embedder"),
        ({"on_conflict": "x"}, "on_conflict"),
        ({"dampin": 0.5}, "no such setting: dampin"),
        ({"damping": 1.0}, "damping"),
        ({"group_messages": 0}, "group_messages"),
        ({"growth": "x"}, "growth"),
        ({"user": ""}, "user"),
        ({"user": "a\0b"}, "user"),
        ({"user": "x" * 257}, "user"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            opened(tmp_path / "m", **options)
        assert "\n" not in str(caught.value)


def test_another_embedder_is_refused_unless_the_store_is_given_its_vectors(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
    other = HashingEmbedder(dim=64)
    with pytest.raises(StoreError, match="another embedder"):
        opened(tmp_path / "m", embedder=other)
    with opened(tmp_path / "m", embedder=other, reembed=True) as memory:
        assert memory.search("cello", k=1)[0].id == "a3"
        assert memory.check() == ()
    with pytest.raises(StoreError, match="another embedder"):
        opened(tmp_path / "m")


def test_nothing_new_is_read_with_what_another_process_has_forgotten(tmp_path):
    with opened(tmp_path / "m") as memory, opened(tmp_path / "m") as other:
        memory.add(said("Good morning.", session="s"))
        memory.add(said("My sister Annabella visited me.", "2024-01-01", id="z", session="s"))
        other.forget(turn="z")
        memory.add(said("She moved to Rome.", "2024-01-02", id="n", session="s"))
        memory.flush()
        assert b"nnabella" not in bytes_of(tmp_path / "m")


# --- bad input ------------------------------------------------------------------------------------------------------


def test_characters_that_no_database_takes_are_replaced(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add([said("half \ud83d of a pair"), said("nul \0 byte"), said("whole \ud83d\ude00 pair")])
        memory.add(Turn("t", "s", "A\0nn", "x\udc00y", caption="c\0"))
        assert sorted(texts(memory.search("half nul whole x", k=9))) == [
            "half \ufffd of a pair",
            "nul \ufffd byte",
            "whole 😀 pair",
            "x\ufffdy",
        ]
        assert memory.search("\ud83d\0", k=3) is not None
        assert memory.history("\0") == ()
        assert memory.check() == ()


def test_a_message_of_a_megabyte(tmp_path):
    text = "The aardvark of Zimbabwe. " + "lorem ipsum " * 87_000 + " the zebra of Angola."
    assert len(text) > 1_000_000
    with opened(tmp_path / "m") as memory:
        memory.add([said(text, id="big"), said("x" * 1_000_000, id="word"), *CHAT])
        assert memory.search("zebra Angola", k=1)[0].text == text
        assert memory.check() == ()
        assert memory.context("zebra", budget_tokens=50).tokens <= 50


def test_content_of_parts_and_without_words(tmp_path):
    parts = [
        {"type": "text", "text": "a"},
        "b",
        {"type": "image_url", "image_url": {}},
        {"type": "input_text", "text": "c"},
    ]
    with opened(tmp_path / "m") as memory:
        added = memory.add(
            [
                said(parts, id="p"),
                said("", id="e"),
                said(None, id="n"),
                said([], id="l"),
                said(" \n", id="w"),
                said([{"type": "image_url"}], id="i"),
            ]
        )
        assert added.ids == ("p",)
        assert [(s.id, s.reason) for s in added.skipped] == [(id_, "empty") for id_ in "enlwi"]
        assert texts(memory.search("a b c")) == ["a\nb\nc"]


@pytest.mark.parametrize(
    "message",
    [
        "text",
        b"bytes",
        3,
        {"content": "x"},
        {"role": 3, "content": "x"},
        {"role": "user", "content": 3},
        {"role": "user", "content": b"x"},
        {"role": "user", "content": [{"text": "x"}]},
        {"role": "user", "content": "x", "time": "yesterday"},
        {"role": "user", "content": "x", "time": 3},
        {"role": "user", "content": "x", "id": " "},
        {"role": "user", "content": "x", "id": "a\0"},
        {"role": "user", "content": "x", "id": "i" * 300},
        {"role": "user", "content": "x", "session": ""},
        {"role": "user", "content": "x", "name": 3},
        {"role": "user", "content": "x", "caption": 3},
    ],
)
def test_a_message_of_another_shape_stores_nothing_of_its_call(tmp_path, message):
    with opened(tmp_path / "m") as memory:
        with pytest.raises(InputError) as caught:
            memory.add([said("fine"), message] if not isinstance(message, str | bytes | int) else message)
        assert "\n" not in str(caught.value)
        assert memory.stats()["turns"] == 0


def test_roles(tmp_path):
    roles = ("system", "developer", "tool", "function", "assistant", "pirate")
    with opened(tmp_path / "m") as memory:
        added = memory.add([{"role": role, "content": f"I am {role}", "id": role} for role in roles])
        assert added.ids == ("assistant", "pirate")
        assert {s.reason for s in added.skipped} == {"role"}
        assert memory.search("pirate", k=1)[0].speaker == "pirate"


def test_times_out_of_order_and_with_mixed_zones(tmp_path):
    plus8 = timezone(timedelta(hours=8))
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Shanghai.", "2024-06-01T08:00+08:00", id="new"))
        memory.add(Turn("old", "default", "user", "I live in Beijing.", datetime(2021, 5, 1)))
        memory.add(said("Nobody knows when.", None, id="none"))
        memory.add(said("The first day.", "0001-01-01", id="first"))
        memory.add(said("The last day.", "9999-12-31T23:59:59", id="last"))
        line = memory.history("user")
        assert [fact.object for fact in line] == ["Beijing", "Shanghai"]
        moved = datetime(2024, 6, 1, 8, tzinfo=plus8)
        assert line[0].valid_to == moved == line[1].valid_from
        times = {result.id: result.time for result in memory.search("live day knows", k=9)}
        assert times["new"] == moved and times["new"].utcoffset() == timedelta(hours=8)
        assert times["old"] == datetime(2021, 5, 1) and times["none"] is None
        assert memory.context("day live knows").text
        assert memory.check() == ()


def test_adding_again_changes_nothing(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
        again = memory.add([*CHAT, said("other words, same id", id="a1"), said("new", id="n"), said("new", id="n")])
        assert again.ids == ("n",)
        assert [(s.id, s.reason) for s in again.skipped] == [
            (i, "duplicate") for i in ("a1", "a2", "a3", "a4", "a1", "n")
        ]
        assert memory.stats()["turns"] == 5
        assert memory.search("cat called", k=1)[0].text == "My cat is called Biscuit."


def test_searching_nothing_and_for_nothing(tmp_path):
    with opened(tmp_path / "m") as memory:
        assert memory.search("anything") == () and memory.history("x") == () and memory.decisions() == ()
        memory.add(CHAT)
        for query, k in (("", 5), (" \n\t", 5), ("cat", 0)):
            assert memory.search(query, k) == ()
        assert len(memory.search("cat", k=10_000)) == 4
        assert len(memory.search("?!", k=2)) == 2  # no words: nothing speaks against any turn
        for query, k in ((3, 5), ("x", -1), ("x", 1.5), ("x", True), (None, 1)):
            with pytest.raises(InputError, match="search"):
                memory.search(query, k)
        for at in ("soon", 5):
            with pytest.raises(InputError):
                memory.search("x", at=at)


def test_ids_and_numbers_that_nothing_has(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
        for number in (0, -1, 10**9, 10**30, -(10**30)):
            assert memory.history(number) == ()
            with pytest.raises(InputError, match="decision"):
                memory.undo(number)
        for turn in ("x", "\ud800", "a\0", "x" * 10**6, ["a1", "\ud800"], [""]):
            for call in (memory.forget, memory.restore):
                with pytest.raises(InputError, match="no turn"):
                    call(turn)
        for wrong in (3, [3], {"a1"}):
            for call in (memory.forget, memory.restore, memory.retention):
                with pytest.raises(InputError, match="no id"):
                    call(wrong)
        for entity, message in (("", "no entity"), ("\ud800", "no entity"), ("a\0", "no entity"), (3, "no text")):
            with pytest.raises(InputError, match=message):
                memory.forget(entity=entity)
        with pytest.raises(InputError, match="cannot be written"):
            memory.export(tmp_path / "a\0.json")
        assert memory.stats()["turns"] == 4


def test_before_hides_what_was_said_later(tmp_path):
    with opened(tmp_path / "m") as memory:
        memory.add(CHAT)
        assert {r.id for r in memory.search("cat cello", k=9, before="2024-05-02")} == {"a1", "a2"}


def test_a_closed_memory_says_so(tmp_path):
    memory = opened(tmp_path / "m")
    memory.close()
    memory.close()
    with pytest.raises(InputError, match="closed"):
        memory.search("x")


def test_a_full_disk_loses_nothing(tmp_path):
    memory = opened(tmp_path / "m", group_messages=1)
    memory.add(CHAT[0])
    engine = memory._database.engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()

    def limit(connection, _):
        connection.execute(f"PRAGMA max_page_count = {pages}")

    engine.dispose()
    sa.event.listen(engine, "connect", limit)
    big = said("word " * 20_000, id="big")
    with pytest.raises(StoreError, match="disk is full"):
        memory.add(big)
    with pytest.raises(StoreError, match="disk is full"):
        memory.flush()
    sa.event.remove(engine, "connect", limit)
    engine.dispose()
    memory.flush()  # the space is back
    assert memory.stats()["turns"] == 2
    memory.close()


def test_threads_share_a_memory(tmp_path):
    with opened(tmp_path / "m", group_messages=5, group_ms=5.0) as memory:
        errors: list[Exception] = []

        def work(name: int) -> None:
            try:
                for i in range(10):
                    memory.add(said(f"Thread {name} says {i} about gardens.", id=f"{name}-{i}"))
                    memory.search(f"gardens {i}", k=3)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert memory.stats()["turns"] == 40 and memory.check() == ()


def test_a_writer_that_waits_too_long_says_busy_and_keeps_the_message(tmp_path):
    with opened(tmp_path / "m") as holder, opened(tmp_path / "m", busy_seconds=0.05) as memory:
        holder.add(CHAT[0])
        with holder._database.write(), pytest.raises(StoreBusy, match="try again"):
            memory.add(CHAT[1])
        memory.flush()
        assert holder.stats()["turns"] == 2
