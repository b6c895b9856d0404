"""What holds for the repository as a whole: safe calls, import direction, pinned versions, links, run commands."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import memorai

ROOT = Path(__file__).resolve().parents[1]

#: top to bottom; a module imports only from its own room and from rooms above it
ROOMS = (
    *("types", "errors", "device", "timing", "datasets", "models", "index", "write", "graph", "retrieval", "recall"),
    *("answer", "systems", "metrics", "harness", "learn", "report"),
)
#: below all rooms: entry points and helpers at the top level of the package, free to import one another
GROUND = len(ROOMS)


def tracked() -> list[Path]:
    """Files under version control; outside a git checkout (an unpacked source distribution) every visible file."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [p for p in ROOT.rglob("*") if not any(part.startswith(".") for part in p.relative_to(ROOT).parts)]
    return sorted(p for p in paths if p.is_file())


TRACKED = tracked()
PYTHON = [p for p in TRACKED if p.suffix == ".py"]
SHIPPED = [p for p in PYTHON if p.relative_to(ROOT).parts[0] in {"memorai", "scripts", "notebooks"}]
EXPERIMENTS = [p for p in TRACKED if p.is_relative_to(ROOT / "conf" / "experiment") and p.suffix == ".yaml"]
MARKDOWN = [p for p in TRACKED if p.suffix == ".md"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def aliases(tree: ast.AST) -> dict[str, str]:
    """Local name -> dotted name, for every import in the file."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                names[item.asname or item.name.split(".")[0]] = item.name if item.asname else item.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                names[item.asname or item.name] = f"{node.module or ''}.{item.name}".lstrip(".")
    return names


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """The called function's dotted name; an unknown object is written as ``?``."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value, names)}.{node.attr}"
    return "?"


def calls(source: str) -> Iterator[tuple[ast.Call, str, dict[str, ast.expr]]]:
    """Every call with its dotted name and keyword arguments."""
    tree = ast.parse(source)
    names = aliases(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, dotted(node.func, names), {k.arg: k.value for k in node.keywords if k.arg}


# --- text files are opened with an encoding (some systems default to another than UTF-8) ---------------------------

BINARY_BY_DEFAULT = {"gzip.open", "bz2.open", "lzma.open"}
NOT_FILES = {"os.open", "webbrowser.open", "PIL.Image.open", "zipfile.ZipFile.open", "tarfile.open"}
NOT_FILES |= {"memorai.memory.Memory.open"}


def opens_without_encoding(source: str) -> list[int]:
    """Lines that open a file as text without ``encoding="utf-8"`` (or ``utf-8-sig``)."""
    lines = []
    for node, name, keywords in calls(source):
        method = name.rsplit(".", 1)[-1]
        if method not in {"open", "read_text", "write_text", "fdopen", "NamedTemporaryFile"} or name in NOT_FILES:
            continue
        texts = [
            value.value
            for value in (*node.args, keywords.get("mode"))
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
        ]
        # the last, for a file may be called "a"
        mode = next((text for text in reversed(texts) if re.fullmatch(r"[bt+]*[rwxa][bt+]*", text)), "")
        binary = "b" in mode or (name in BINARY_BY_DEFAULT and "t" not in mode)
        binary |= method == "NamedTemporaryFile" and not mode
        encoding = keywords.get("encoding")
        utf8 = isinstance(encoding, ast.Constant) and str(encoding.value).lower() in {"utf-8", "utf-8-sig"}
        if not binary and not utf8:
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("open('a')", True),
        ("open('a', 'w')", True),
        ("open('a', mode='a', encoding='latin-1')", True),
        ("open('a', encoding='utf-8')", False),
        ("open('a', 'rb')", False),
        ("path.open()", True),
        ("path.open('wb')", False),
        ("path.read_text()", True),
        ("path.write_text('w')", True),
        ("path.write_text(text, encoding='utf-8')", False),
        ("import gzip\ngzip.open('a')", False),
        ("from gzip import open as unzip\nunzip('a', 'rt')", True),
        ("import os\nos.open('a', 0)", False),
        ("path.read_bytes()", False),
    ],
)
def test_the_encoding_check_sees(source: str, faulty: bool) -> None:
    assert bool(opens_without_encoding(source)) is faulty


@pytest.mark.parametrize("path", SHIPPED, ids=name_of)
def test_text_files_are_opened_as_utf8(path: Path) -> None:
    assert opens_without_encoding(path.read_text(encoding="utf-8")) == []


# --- nothing that runs what it reads ---------------------------------------------------------------------------------

FORBIDDEN_CALLS = {
    *("eval", "exec", "builtins.eval", "builtins.exec", "os.system", "os.popen"),
    *("yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all", "pandas.read_pickle"),
}
FORBIDDEN_IMPORTS = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def unsafe_lines(source: str) -> list[int]:
    """Lines that may run code found in data: eval, exec, pickle, unsafe YAML, torch.load, a shell."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        imported = [item.name for item in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        lines += [node.lineno for module in imported if module.split(".")[0] in FORBIDDEN_IMPORTS]

    def is_true(value: ast.expr | None) -> bool:
        return isinstance(value, ast.Constant) and value.value is True

    for node, name, keywords in calls(source):
        if (
            name in FORBIDDEN_CALLS
            or (name == "torch.load" and not is_true(keywords.get("weights_only")))
            or (name == "numpy.load" and is_true(keywords.get("allow_pickle")))
            or (name.startswith("subprocess.") and is_true(keywords.get("shell")))
        ):
            lines.append(node.lineno)
    return sorted(lines)


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("eval('1')", True),
        ("exec(text)", True),
        ("model.eval()", False),
        ("import memorai.eval", False),
        ("import pickle", True),
        ("from pickle import loads", True),
        ("import yaml\nyaml.load(text)", True),
        ("import yaml as y\ny.load(text)", True),
        ("import yaml\nyaml.safe_load(text)", False),
        ("import torch\ntorch.load('a')", True),
        ("from torch import load\nload('a', weights_only=False)", True),
        ("import torch\ntorch.load('a', weights_only=True)", False),
        ("import numpy as np\nnp.load('a', allow_pickle=True)", True),
        ("import subprocess\nsubprocess.run('ls', shell=True)", True),
        ("import ast\nast.literal_eval(text)", False),
    ],
)
def test_the_safety_check_sees(source: str, faulty: bool) -> None:
    assert bool(unsafe_lines(source)) is faulty


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_no_code_is_run_from_data(path: Path) -> None:
    assert unsafe_lines(path.read_text(encoding="utf-8")) == []


# --- data flows one way ----------------------------------------------------------------------------------------------


def floor_of(module: str) -> int:
    """0 for the topmost room; GROUND for what stands at the top level of the package and is no room."""
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else ""
    if room == "__version__":
        return 0  # set before anything is imported
    if room in ROOMS:
        return ROOMS.index(room)
    assert not (room and (ROOT / "memorai" / room).is_dir()), f"enter the new room {room!r} in ROOMS, in its place"
    return GROUND


def imported_modules(source: str, module: str, is_package: bool = False) -> list[tuple[int, str]]:
    """(line, absolute name) of every import from memorai in ``module``, relative imports resolved."""
    package = module if is_package else module.rpartition(".")[0]
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, item.name) for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                anchor = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*anchor, *([base] if base else [])])
            # `from memorai import x` may name a room; elsewhere the module imported from tells enough
            found += [(node.lineno, f"{base}.{item.name}" if base == "memorai" else base) for item in node.names]
    return [(line, name) for line, name in found if name.split(".")[0] == "memorai"]


def upward_imports(source: str, module: str, is_package: bool = False) -> list[str]:
    """Imports of ``module`` that reach into a room below its own."""
    own = floor_of(module)
    found = imported_modules(source, module, is_package)
    return [f"line {line}: {name}" for line, name in found if floor_of(name) > own]


@pytest.mark.parametrize(
    ("module", "source", "faulty"),
    [
        ("memorai.types", "from memorai.errors import InputError", True),
        ("memorai.graph.build", "from memorai.types import Turn\nfrom memorai.write.gate import Gate", False),
        ("memorai.graph.build", "from memorai.retrieval import seeds", True),
        ("memorai.graph.build", "def f():\n    import memorai.report.tables", True),
        ("memorai.graph.build", "from memorai.memory import Memory", True),
        ("memorai.graph.build", "from . import schema", False),
        ("memorai.graph.build", "from ..systems import bm25", True),
        ("memorai.graph.build", "from memorai import systems", True),
        ("memorai.graph.build", "from memorai import __version__", False),
        ("memorai.graph.build", "import memorai", True),
        ("memorai.eval", "from memorai.report.tables import table\nfrom memorai.conf_path import conf", False),
    ],
)
def test_the_import_check_sees(module: str, source: str, faulty: bool) -> None:
    assert bool(upward_imports(source, module)) is faulty


@pytest.mark.parametrize("path", [p for p in SHIPPED if name_of(p).startswith("memorai/")], ids=name_of)
def test_imports_point_up_the_house(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    module = ".".join(parts[:-1] if is_package else parts)
    assert upward_imports(path.read_text(encoding="utf-8"), module, is_package) == []


# --- versions, links, paths, commands --------------------------------------------------------------------------------


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    # plain versions only: no local version (+cpu), no path, no range, so that the file serves every machine
    assert [pin for pin in pins if not re.fullmatch(r"[a-z0-9][a-z0-9-]*==[A-Za-z0-9.]+", pin)] == []
    names = [pin.split("==")[0] for pin in pins]
    assert names == sorted(set(names))
    return dict(pin.split("==") for pin in pins)


def project() -> dict[str, dict]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_constraints_pin_what_is_installed() -> None:
    pins = constraints()
    assert pins["torch"] == "2.13.0"
    declared = project()["project"]
    wanted = [*declared["dependencies"], *(r for extra in declared["optional-dependencies"].values() for r in extra)]
    requirements = [Requirement(text) for text in wanted]
    assert [r.name for r in requirements if canonicalize_name(r.name) not in pins] == []
    assert [str(r) for r in requirements if not r.specifier.contains(pins[canonicalize_name(r.name)], True)] == []


def test_changelog_and_citation_have_the_current_version() -> None:
    version = re.escape(memorai.__version__)
    assert re.search(rf"^## \[{version}\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.search(rf"^version: {version}$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)


#: the start of an absolute path on somebody's machine, not part of a URL, a relative path or a variable's tail
MACHINE_PATH = re.compile(r"(?<![\w.~})*-])/(?:work|tmp|home|root|Users)(?:/|\b(?=[\s\"'`]|$))", re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "faulty"),
    [
        ("/" + "work/data", True),
        ("cd /" + "work", True),
        ("path = '/" + "tmp/a'", True),
        ("file:///" + "home/me", True),
        ("https://example.org/home/", False),
        ("../tmp/x", False),
        ("{folder}/tmp/", False),
        ("frame/work", False),
        ("/workers/", False),
    ],
)
def test_the_path_check_sees(text: str, faulty: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is faulty


#: what a merge leaves in a file that it cannot merge
CONFLICT = re.compile(r"^(?:<{7}|>{7}) .*", re.MULTILINE)


@pytest.mark.parametrize("fault", [MACHINE_PATH, CONFLICT], ids=["machine path", "unresolved merge"])
def test_no_tracked_file_holds(fault: re.Pattern[str]) -> None:
    found = []
    for path in TRACKED:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or an archive
        found += [f"{name_of(path)}: {match.group()}" for match in fault.finditer(text)]
    assert found == []


def test_the_merge_check_sees() -> None:
    assert CONFLICT.findall("a\n" + "<" * 7 + " HEAD\nb\n" + ">" * 7 + " c\n" + "=" * 7) == [
        "<" * 7 + " HEAD",
        ">" * 7 + " c",
    ]


@pytest.mark.parametrize("path", EXPERIMENTS, ids=name_of)
def test_an_experiment_opens_with_the_command_that_runs_it(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    name = path.relative_to(ROOT / "conf" / "experiment").with_suffix("").as_posix()
    command = rf"python -m memorai\.\w+ .*experiment={re.escape(name)}(?![\w/-])"
    assert re.search(command, " ".join(line.lstrip("# ").rstrip("\\ ") for line in lines[:end]))


def relative_links(markdown: str) -> list[str]:
    """Targets of links and pictures that point into the repository, without their anchors."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", markdown, flags=re.DOTALL)
    targets = re.findall(r"\]\(\s*<?([^)\s>]+)", prose) + re.findall(r"(?:src|href|srcset)=\"([^\"\s]+)", prose)
    targets += re.findall(r"^\[[^\]]+\]:\s*(\S+)", prose, re.MULTILINE)
    inside = [target for target in targets if not re.match(r"[a-z][a-z0-9+.-]*:|//|#", target, re.IGNORECASE)]
    return [target.split("#")[0] for target in inside]


def test_the_link_check_sees() -> None:
    text = '[a](docs/a.md#b) ![b](c.svg "t") <img src="d.png"> [e](https://e.org) [f](#f) `[g](h)`\n[i]: j.md\n'
    assert sorted(relative_links(text)) == ["c.svg", "d.png", "docs/a.md", "j.md"]


@pytest.mark.parametrize("path", MARKDOWN, ids=name_of)
def test_relative_links_resolve(path: Path) -> None:
    links = relative_links(path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("script", "pictures"), [("draw_pipeline.py", ["pipeline.svg"]), ("draw_concepts.py", ["graph.svg", "walk.svg"])]
)
def test_the_pictures_are_what_their_scripts_draw(
    script: str, pictures: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if matplotlib.__version__ != constraints()["matplotlib"]:
        pytest.skip("another matplotlib than the pinned one draws other bytes")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    target = tmp_path if len(pictures) > 1 else tmp_path / pictures[0]
    runpy.run_path(str(ROOT / "scripts" / script))["main"]([str(target)])
    for picture in pictures:
        assert (tmp_path / picture).read_bytes() == (ROOT / "docs" / "images" / picture).read_bytes()
