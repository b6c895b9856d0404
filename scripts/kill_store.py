"""Kill a writing process at random moments, reopen, and count what is lost: python scripts/kill_store.py --kills 200

Every child opens the store, adds messages in groups and forgets some; after each `flush` it says up to which number its
messages may be relied on. The parent kills it (SIGKILL) after a random while, opens the store, and demands that
every message so promised is there and can be found, none that is forgotten has come back, and `check` finds nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from memorai.memory import Memory


def write_forever(folder: Path, first: int, out: int) -> None:
    """What a child does: add messages in groups, forget one now and then, and say what may be relied on."""
    memory = Memory.open(folder, embedder="hashing", group_messages=10**9, group_ms=1e9)
    os.write(out, b"open\n")
    for start in range(first, first + 100_000, 7):
        for i in range(start, start + 7):
            memory.add({"role": "user", "content": f"I moved to Town{i % 50} and met Friend{i} there.", "id": f"m{i}"})
            if i % 5 == 4:
                memory.search(f"Friend{i}", k=2)
        memory.flush()
        os.write(out, f"{start + 7}\n".encode())
        if start // 7 % 5 == 4:
            os.write(out, f"going {start}\n".encode())
            memory.forget(turn=f"m{start}")
            os.write(out, f"gone {start}\n".encode())


def kill_once(folder: Path, first: int, seconds: float, opening: bool) -> tuple[int, set[int], set[int]]:
    """Run a child for so long from its start (``opening``), or from its first write, and kill it.

    Returns:
        the number up to which messages are promised, those forgotten, and those on their way out.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            write_forever(folder, first, writing)
        finally:
            os._exit(1)
    os.close(writing)
    promised, gone, going = first, set(), set()
    with os.fdopen(reading, encoding="utf-8") as lines:
        if not opening:
            lines.readline()
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for line in lines:
            word, _, number = line.strip().rpartition(" ")
            if word == "gone":
                gone.add(int(number))
            elif word == "going":
                going.add(int(number))
            elif number.isdecimal():
                promised = int(number)
    return promised, gone, going - gone


def verify(folder: Path, promised: list[range], gone: set[int], going: set[int]) -> tuple[int, int, int]:
    """Open the store; return (messages lost or come back, broken invariants, messages there)."""
    with Memory.open(folder, embedder="hashing") as memory:
        problems = memory.check()
        there = {turn.id: turn for turn in memory.graph().turns}
        wanted = {i for part in promised for i in part} - gone - going
        lost = sum(f"m{i}" not in there for i in wanted)
        back = sum(f"m{i}" in there for i in gone)
        # rows and vectors agree: every message has its vector, and every one of them can be found
        found = memory.search("Friend1 Town1", k=10**6, touch=False)
        apart = {result.id for result in found} != set(there)
    return lost + back, len(problems) + apart, len(there)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds a child runs, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", help="of the store; default a temporary one")
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    lost = problems = there = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary) / "store"
        promised: list[range] = []
        gone: set[int] = set()
        going: set[int] = set()
        first = 0
        for kill in range(options.kills):
            # one in ten may die while it opens the store, all others while they write
            last, forgotten, half = kill_once(folder, first, rng.uniform(0, options.longest), kill % 10 == 0)
            promised.append(range(first, last))
            gone |= forgotten
            going |= half
            missing, found, there = verify(folder, promised, gone, going)
            lost, problems = lost + missing, problems + found
            first = (last // 1000 + 1) * 1000
            if sys.stderr.isatty():
                print(f"\r{kill + 1} kills, {lost} lost, {problems} problems", end="", file=sys.stderr)
    print(f"{options.kills} kills: {lost} committed messages lost, {problems} broken invariants, {there} messages")
    return 1 if lost or problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
