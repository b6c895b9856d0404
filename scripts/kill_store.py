"""Kill a writing process at random moments, reopen, and count what is lost: python scripts/kill_store.py --kills 200

Every child opens the store and adds messages in groups; after each `flush` it prints the number of messages that it may
rely on. The parent kills it (SIGKILL) after a random while, opens the store, and demands that every message
so promised is there, none in part, and that `check` finds nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memorai.memory import Memory

_CHILD = """
import sys
from memorai.memory import Memory
folder, first = sys.argv[1], int(sys.argv[2])
memory = Memory.open(folder, embedder="hashing", group_messages=10**9, group_ms=1e9)
print("open", flush=True)
for start in range(first, first + 100000, 7):
    for i in range(start, start + 7):
        memory.add({"role": "user", "content": f"I moved to Town{i % 50} and met Friend{i} there.", "id": f"m{i}"})
        if i % 5 == 4:
            memory.search(f"Friend{i}", k=2)
    memory.flush()
    print(start + 7, flush=True)
    if start % 70 == 63:
        memory.forget(turn=f"m{start}")
        print(f"gone {start}", flush=True)
"""


def kill_once(folder: Path, first: int, seconds: float) -> tuple[int, set[int]]:
    """Run a child for so long after it has opened the store; return the next number and the forgotten ones."""
    command = [sys.executable, "-c", _CHILD, str(folder), str(first)]
    promised, gone = first, set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n", "the child did not open the store"
        time.sleep(seconds)
        os.kill(child.pid, signal.SIGKILL)
        for line in child.stdout:
            if line.startswith("gone "):
                gone.add(int(line.split()[1]))
            elif line.endswith("\n"):
                promised = int(line)
    return promised, gone


def verify(folder: Path, promised: list[range], gone: set[int]) -> tuple[int, int, int]:
    """Open the store; return (messages lost, problems found, messages there)."""
    with Memory.open(folder, embedder="hashing") as memory:
        problems = memory.check()
        there = {turn.id: turn for turn in memory.graph().turns}
        wanted = {i for part in promised for i in part} - gone
        lost = sum(f"m{i}" not in there for i in wanted)
        back = sum(f"m{i}" in there for i in gone)
        rows = int(sum(len(entity.turn_ids) > 0 for entity in memory.graph().entities) == len(memory.graph().entities))
        found = memory.search("Friend1 Town1", k=3)
        assert rows and (found or not there)
        assert memory._reader._index.in_use.sum() == len(there) == len(memory._reader._index.dense)
    return lost + back, len(problems), len(there)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.4, help="seconds after opening, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", help="of the store; default a temporary one")
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    lost = problems = there = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary) / "store"
        promised: list[range] = []
        gone: set[int] = set()
        first = 0
        for kill in range(options.kills):
            last, forgotten = kill_once(folder, first, rng.uniform(0, options.longest))
            promised.append(range(first, last))
            gone |= forgotten
            missing, found, there = verify(folder, promised, gone)
            lost, problems = lost + missing, problems + found
            # a forgetting that was under way may have been committed without a word; its message is no longer promised
            first = (last // 1000 + 1) * 1000
            if sys.stderr.isatty():
                print(f"\r{kill + 1} kills, {lost} lost, {problems} problems", end="", file=sys.stderr)
    print(f"{options.kills} kills: {lost} committed messages lost, {problems} broken invariants, {there} messages")
    return 1 if lost or problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
