"""The agent's memory from the shell: memorai add | search | explain | history | forget | export | check.

What the user got wrong ends in one line on stderr and exit status 2, never in a traceback.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memorai.datasets.common import decode_utf8, parse_json, read_file
from memorai.errors import InputError
from memorai.graph.store.errors import StoreError
from memorai.graph.store.records import Fact
from memorai.memory import Memory
from memorai.recall.results import Result
from memorai.recall.writer import Added

STORE = "MEMORAI_STORE"
_DEFAULT = "memory"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 (check found something), 2 (bad input) or 130 (interrupted)."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that does not know a character shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return int(options.run(options))
    except InputError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
    except BrokenPipeError:  # `memorai search ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"error: {error.filename or 'memory'}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("error: interrupted; what was committed is safe", file=sys.stderr)
        return 130
    return 2


def run() -> None:
    """The console script."""
    raise SystemExit(main())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memorai", description="The memory of an agent: a folder, or a database.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.add_argument(
            "--store",
            default=os.environ.get(STORE, _DEFAULT),
            help=f"folder or postgresql:// URL (default: ${STORE}, else {_DEFAULT})",
        )
        made.add_argument("--user", default="default", help="whose memory")
        made.add_argument("--embedder", choices=("minilm", "hashing"), default="minilm")
        made.add_argument("--json", action="store_true", help="print JSON instead of a table")
        made.set_defaults(run=run)
        return made

    add = command("add", _add, "Add a message, or the messages of a file.")
    add.add_argument("text", nargs="?", help="what was said; without it, --file")
    add.add_argument("--file", help="JSON Lines: one message or turn a line; - is standard input")
    add.add_argument("--role", default="user")
    add.add_argument("--name", help="who speaks (default: the role)")
    add.add_argument("--session", help="conversation that the message belongs to")
    add.add_argument("--time", help="when it was said, ISO 8601")
    add.add_argument("--id", help="adding the same id again changes nothing")

    search = command("search", _search, "Find the turns that answer a question.")
    search.add_argument("query")
    search.add_argument("-k", type=int, default=5, help="how many at most")
    search.add_argument("--at", help="as of when, ISO 8601")
    search.add_argument("--before", help="only what was said before, ISO 8601")

    explain = command("explain", _explain, "Write an HTML file that shows why a search finds what it finds.")
    explain.add_argument("query")
    explain.add_argument("--html", default="explain.html", help="the file (default: explain.html)")
    explain.add_argument("-k", type=int, default=10, help="how many memories to list")
    explain.add_argument("--nodes", type=int, default=500, help="how many nodes to draw at most")
    explain.add_argument("--at", help="as of when, ISO 8601")
    explain.add_argument("--before", help="only what was said before, ISO 8601")

    history = command("history", _history, "Show what is known of somebody or something, in time.")
    history.add_argument("name", help="a name, or the number of a fact")

    forget = command("forget", _forget, "Forget for good.")
    which = forget.add_mutually_exclusive_group(required=True)
    which.add_argument("--turn", action="append", help="id of a turn; may be repeated")
    which.add_argument("--entity", help="everything that mentions it")
    which.add_argument("--all", action="store_true", help="everything of this user")

    export = command("export", _export, "Write the memory to a file.")
    export.add_argument("path", help=".jsonl: turns, as `add --file` reads them; .json: everything")

    check = command("check", _check, "Verify the store; exit status 1 if something is wrong and was not repaired.")
    check.add_argument("--repair", action="store_true", help="derive what can be derived, delete what lost its origin")
    check.add_argument("--reembed", action="store_true", help="give the store this embedder's vectors")
    return parser


def _open(options: argparse.Namespace, must_exist: bool = True, **more: Any) -> Memory:
    store = str(options.store)
    if must_exist and "://" not in store and store.strip() and not Path(store).expanduser().exists():
        raise InputError(f"{store}: no such store; name one with --store, or make one: memorai add")
    return Memory.open(store, user=options.user, embedder=options.embedder, **more)


def _add(options: argparse.Namespace) -> int:
    if (options.text is None) == (options.file is None):
        raise InputError("add: give the text of a message, or --file")
    bad: list[str] = []
    if options.file is None:
        given = {"role": options.role, "content": options.text, "time": options.time, "id": options.id}
        messages: list[Any] = [{**given, "name": options.name}]
    else:
        messages = _lines(options.file, bad)
    with _open(options, must_exist=False) as memory:
        added = [_added(memory, message, options, bad) for message in messages]
    ids = [id_ for one in added if one is not None for id_ in one.ids]
    skipped = [asdict(left) for one in added if one is not None for left in one.skipped]
    if options.json:
        _print_json({"ids": ids, "skipped": skipped, "rejected": bad})
    else:
        print(f"{len(ids)} added, {len(skipped)} skipped, {len(bad)} rejected")
        for left in skipped:
            print(f"  skipped {left['id']}: {left['reason']}")
    for line in bad:
        print(f"error: {line}", file=sys.stderr)
    return 2 if bad else 0


def _added(memory: Memory, message: Any, options: argparse.Namespace, bad: list[str]) -> Added | None:
    """Add one message; what is wrong with it costs no other."""
    where = ""
    if options.file is not None:
        where, message = message
    try:
        return memory.add(message, session=options.session)
    except StoreError:
        raise
    except InputError as error:
        if options.file is None:
            raise
        bad.append(f"{where}: {str(error).removeprefix('add: messages[0]: ').removeprefix('add: ')}")
        return None


def _lines(name: str, bad: list[str]) -> list[tuple[str, Any]]:
    """Messages of a JSON Lines file with their places; a chat line holds several."""
    data = sys.stdin.buffer.read() if name == "-" else read_file(Path(name))
    text = decode_utf8(data, name)
    out: list[tuple[str, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{name}:{number}"
        if not line.strip():
            continue
        try:
            record = parse_json(line, where)
        except InputError as error:
            bad.append(str(error))
            continue
        if not isinstance(record, dict):
            bad.append(f"{where}: not an object; give a message or a turn a line")
            continue
        if "question" in record:
            continue  # of a data set: nothing that was said
        inner = record.get("messages")
        out += [(where, message) for message in inner] if isinstance(inner, list) else [(where, record)]
    return out


def _search(options: argparse.Namespace) -> int:
    with _open(options) as memory:
        results = memory.search(options.query, options.k, at=options.at, before=options.before)
    if options.json:
        _print_json([_result(result) for result in results])
    elif not results:
        print("nothing found")
    else:
        rows = [
            (f"{r.score:.3f}", _date(r.time), r.speaker, r.text, "; ".join(map(str, r.facts)), r.id) for r in results
        ]
        _table(("score", "time", "speaker", "text", "facts", "id"), rows)
    return 0


def _explain(options: argparse.Namespace) -> int:
    with _open(options) as memory:
        found = memory.explain(
            options.query, options.html, options.k, at=options.at, before=options.before, nodes=options.nodes
        )
    if options.json:
        _print_json({"path": options.html, "ranked": [asdict(one) for one in found.ranked]})
    else:
        print(f"{len(found.ranked)} memories explained in {options.html}")
    return 0


def _history(options: argparse.Namespace) -> int:
    with _open(options) as memory:
        facts = memory.history(int(options.name) if options.name.isdecimal() else options.name)
    if options.json:
        _print_json([_fact(fact) for fact in facts])
    elif not facts:
        print("nothing known")
    else:
        rows = [
            (
                str(fact.id),
                _date(fact.valid_from),
                _date(fact.valid_to),
                str(fact),
                "conflict" if fact.conflict else f"until {fact.closed_by}" if fact.closed_by else "",
                " ".join(fact.turn_ids),
            )
            for fact in facts
        ]
        _table(("fact", "from", "to", "", "", "turns"), rows)
    return 0


def _forget(options: argparse.Namespace) -> int:
    with _open(options) as memory:
        gone = memory.forget(turn=options.turn, entity=options.entity, all=options.all)
    if options.json:
        _print_json(asdict(gone))
    else:
        print(f"forgot {gone.turns} turns, {gone.entities} entities, {gone.relations} facts, {gone.segments} segments")
    return 0


def _export(options: argparse.Namespace) -> int:
    with _open(options) as memory:
        count = memory.export(options.path)
    if options.json:
        _print_json({"path": options.path, "turns": count})
    else:
        print(f"{count} turns written to {options.path}")
    return 0


def _check(options: argparse.Namespace) -> int:
    with _open(options, reembed=options.reembed) as memory:
        problems = memory.check(repair=options.repair)
    if options.json:
        _print_json([asdict(problem) for problem in problems])
    elif not problems:
        print("all is well")
    else:
        _table(("problem", "row", ""), [(p.what, p.row, "repaired" if p.repaired else "") for p in problems])
    return 1 if any(not problem.repaired for problem in problems) else 0


def _result(result: Result) -> dict[str, Any]:
    plain = asdict(result)
    return {**plain, "facts": [_fact(fact) for fact in result.facts], "turn_ids": list(result.turn_ids)}


def _fact(fact: Fact) -> dict[str, Any]:
    return {**asdict(fact), "text": str(fact)}


def _date(time: datetime | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M}".removesuffix(" 00:00")


def _print_json(value: Any) -> None:
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not unicode, indent=1, default=_plain))


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        # text of the memory is data: no markup, and no control characters that would steer a terminal
        table.add_row(*(Text("".join(c if c.isprintable() else " " for c in cell)) for cell in row))
    Console().print(table)


if __name__ == "__main__":
    run()
