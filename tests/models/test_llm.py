from __future__ import annotations

import threading

import pytest

from memorai.models.llm import Accounting, Prompt, Reply, StageUse


def test_a_prompt_without_a_system_message_has_one_message() -> None:
    assert Prompt("", "u").messages() == [{"role": "user", "content": "u"}]
    assert [m["role"] for m in Prompt("s", "u").messages()] == ["system", "user"]


def test_use_is_counted_by_stage_and_cached_replies_cost_no_tokens() -> None:
    accounting = Accounting()
    paid, free = Reply("a", prompt_tokens=5, completion_tokens=2), Reply("a", prompt_tokens=5, cached=True)
    accounting.add("gate", [paid, free, Reply(error="timeout")], 1.5)
    accounting.add("gate", [paid], 0.5)
    accounting.add_failed("gate", 2)
    accounting.add_failed("extract", 1)
    gate = StageUse("gate", calls=4, prompt_tokens=10, completion_tokens=4, cached=1, seconds=2.0, failed=3)
    assert accounting.uses() == [StageUse("extract", failed=1), gate]
    assert accounting.take()[1] == gate
    assert accounting.take() == []


def test_accountings_add_up() -> None:
    total, part = Accounting(), Accounting()
    part.add("gate", [Reply("a", prompt_tokens=5, completion_tokens=2)], 1.5)
    part.add("extract", [Reply("a", cached=True)], 0.5)
    total.merge(part.uses())
    total.merge(part.take())
    assert total.uses() == [StageUse("extract", 2, 0, 0, 2, 1.0), StageUse("gate", 2, 10, 4, 0, 3.0)]


def test_what_was_answered_before_an_exception_is_counted() -> None:
    accounting = Accounting()
    with pytest.raises(KeyboardInterrupt), accounting.watch("gate") as replies:
        replies.append(Reply("a"))
        raise KeyboardInterrupt
    assert accounting.uses()[0].calls == 1


def test_threads_share_an_accounting() -> None:
    accounting = Accounting()

    def count() -> None:
        for _ in range(500):
            accounting.add("gate", [Reply("a", prompt_tokens=1)], 0.0)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert accounting.uses()[0].prompt_tokens == 2000
