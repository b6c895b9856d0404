"""Many processes on one store: python scripts/stress_store.py --seconds 60 --writers 4 --readers 4

Writers add messages as fast as they can, readers search; at the end every message that a writer was promised must be
there, and no process may have met an error but the documented busy timeout (`StoreBusy`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from memorai.memory import Memory

_CHILD = """
import sys, time
from memorai.graph.store.errors import StoreBusy
from memorai.memory import Memory
role, name, folder, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
memory = Memory.open(folder, embedder="hashing")
end, count, busy = time.monotonic() + seconds, 0, 0
while time.monotonic() < end:
    try:
        if role == "writer":
            memory.add({"role": "user", "content": f"I live in Town{count} near Lake{name}.", "id": f"{name}-{count}"})
            if count % 20 == 19:
                memory.flush()
        else:
            memory.search(f"Lake{count % 4} Town{count}", k=3)
        count += 1
    except StoreBusy:
        busy += 1
memory.close()
print(count, busy)
"""


def run(folder: Path, seconds: float, writers: int, readers: int) -> dict[str, int]:
    """Let the processes loose; return counts: written, searched, busy, failed, lost, problems."""
    Memory.open(folder, embedder="hashing").close()
    roles = ["writer"] * writers + ["reader"] * readers
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _CHILD, role, str(i), str(folder), str(seconds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for i, role in enumerate(roles)
    ]
    counts = {"written": 0, "searched": 0, "busy": 0, "failed": 0, "lost": 0, "problems": 0}
    written: list[int] = []
    for role, child in zip(roles, children, strict=True):
        out, err = child.communicate()
        if child.returncode:
            counts["failed"] += 1
            print(err, file=sys.stderr)
            continue
        done, busy = map(int, out.split())
        counts["written" if role == "writer" else "searched"] += done
        counts["busy"] += busy
        if role == "writer":
            written.append(done)
    with Memory.open(folder, embedder="hashing") as memory:
        counts["problems"] = len(memory.check())
        there = {turn.id for turn in memory.graph().turns}
    counts["lost"] = sum(f"{name}-{i}" not in there for name, done in enumerate(written) for i in range(done))
    return counts


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--readers", type=int, default=4)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        counts = run(Path(temporary) / "store", options.seconds, options.writers, options.readers)
    print(", ".join(f"{value} {name}" for name, value in counts.items()))
    return 1 if counts["failed"] or counts["lost"] or counts["problems"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
