"""What the documentation is made from: values and meanings, links, the menu, results, nothing from elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
sys.path.insert(0, str(ROOT / "scripts"))

from docs_site import api, links, menu, offline, results, values, values_pages  # noqa: E402

FILES = sorted(path.relative_to(CONF).with_suffix("").as_posix() for path in CONF.rglob("*.yaml"))
#: experiments are combinations of options; what is below hydra/ is Hydra's own
OPTIONS = [file for file in FILES if not file.startswith(("experiment/", "hydra/"))]


# --- every value has a meaning ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", OPTIONS)
def test_every_value_of_an_option_has_a_meaning(file: str) -> None:
    """Said beside it in the file, or in the Args of the class that takes it: then it is in the documentation, too."""
    group, _, name = file.rpartition("/")
    found = values.read_option(CONF, group, name) if group else values.read_root(CONF, name)
    assert [value.path for value in found.values if not value.meaning] == []
    assert found.about or values.summary(found.target)


def test_every_group_and_experiment_has_its_place() -> None:
    groups = {file.partition("/")[0] for file in OPTIONS if "/" in file}
    assert set(values.groups(CONF)) == groups
    text = values_pages.experiments(CONF)
    named = [Path(file).name for file in FILES if file.startswith("experiment/")]
    assert [name for name in named if f"{{#{name}}}" not in text] == []


def test_an_options_page_shows_what_there_is_to_know(tmp_path: Path) -> None:
    floor = "transform: {_target_: memorai.retrieval.transforms.Floor, floor: 0.1}\n"
    head = "# python -m memorai.eval a=1\n# By [Somebody].\n_target_: memorai.retrieval.weights.CosineWeights\n"
    lines = values_pages.body(option(tmp_path, head + floor))
    assert lines[0].startswith("Builds [`CosineWeights`][memorai.retrieval.weights.CosineWeights]: Eq. 1:")
    assert "By &#91;Somebody&#93;." in lines and "python -m memorai.eval a=1" in lines
    last = "| `transform.floor` | `0.1` | least value, >= 0. | [`Floor`][memorai.retrieval.transforms.Floor] |"
    assert last in lines


def option(tmp_path: Path, text: str, name: str = "mine", group: str = "weights") -> values.Option:
    (tmp_path / group).mkdir(parents=True, exist_ok=True)
    (tmp_path / group / f"{name}.yaml").write_text(text, encoding="utf-8")
    return values.read_option(tmp_path, group, name)


def test_meanings_come_from_comments_and_from_docstrings(tmp_path: Path) -> None:
    found = option(
        tmp_path,
        "# python -m memorai.eval +experiment=demo\n# From Somebody (2020).\n"
        "_target_: memorai.retrieval.weights.CosineWeights\n"
        "# by name\ntypes: {relation: 1.0, next: 0.5}\n"
        "reverse: none     # not back,\n                  # nor forth\n"
        "static: '# no'\n"
        "transform: {_target_: memorai.retrieval.transforms.Floor, floor: 0.1}\n"
        "novel: 3\n",
    )
    assert found.commands == ("python -m memorai.eval +experiment=demo",)
    assert (found.about, found.target) == ("From Somebody (2020).", "memorai.retrieval.weights.CosineWeights")
    said = {value.path: (value.default, value.meaning) for value in found.values}
    assert said == {
        "types": ("{next: 0.5, relation: 1.0}", "by name"),
        "reverse": ("none", "not back, nor forth"),
        "static": ("'# no'", "multiply by the graph's stored weights as well."),
        "transform": ("Floor", "what becomes of negative cosines."),
        "transform.floor": ("0.1", "least value, >= 0."),
        "novel": ("3", ""),
    }


def test_an_option_knows_what_it_starts_from(tmp_path: Path) -> None:
    option(tmp_path, "# base\n_target_: memorai.retrieval.weights.UniformWeights\nnovel: 3  # said once\n", "base")
    (tmp_path / "weights" / "mine.yaml").write_text(
        "# mine\ndefaults: [base, _self_]\nnovel: 4\nreverse: none\n", "utf-8"
    )
    found = values.read_option(tmp_path, "weights", "mine")
    assert [choice.option for choice in found.choices] == ["base"]
    assert [(value.path, value.default, bool(value.meaning)) for value in found.values] == [
        ("novel", "4", True),
        ("reverse", "none", True),
    ]


def test_a_docstrings_arguments() -> None:
    text = "Do.\n\nArgs:\n    a, b: two of\n        them.\n    c (int): one: of it\n\nReturns:\n    d: no argument\n"
    assert values.section(text) == {"a": "two of them.", "b": "two of them.", "c": "one: of it"}


# --- links -----------------------------------------------------------------------------------------------------------


def test_links_between_files_become_links_between_pages(tmp_path: Path) -> None:
    for name in (
        "README.md",
        "docs/a.md",
        "docs/b/c.md",
        "scripts/x.py",
        "experiments/e/README.md",
        "experiments/e/p.png",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", encoding="utf-8")
    (tmp_path / "conf" / "weights").mkdir(parents=True)
    origins = {
        "index.md": "README.md",
        "a.md": "docs/a.md",
        "b/c.md": "docs/b/c.md",
        "r/e.md": "experiments/e/README.md",
    }
    book = links.Book(tmp_path, origins)
    text = (
        "[a](docs/a.md#x) ![p](experiments/e/p.png) [s](scripts/x.py) [e](experiments/e) [c](conf/weights) "
        "[w](https://w.org/docs/a.md) [h](#here) `[a](docs/a.md)` [gone](docs/gone.md)\n\n```\n[a](docs/a.md)\n```\n"
    )
    taken = book.taken_along({"index.md": text})
    assert sorted(taken) == ["files/experiments/e/p.png", "files/scripts/x.py.md"]
    assert "```python\ntext\n```" in taken["files/scripts/x.py.md"]
    assert book.rewrite(text, "index.md") == (
        "[a](a.md#x) ![p](files/experiments/e/p.png) [s](files/scripts/x.py.md) [e](r/e.md) "
        "[c](configuration/weights.md) "
        "[w](https://w.org/docs/a.md) [h](#here) `[a](docs/a.md)` [gone](docs/gone.md)\n\n```\n[a](docs/a.md)\n```\n"
    )
    assert book.rewrite("[up](../a.md) [home](../../README.md#y)", "b/c.md") == "[up](../a.md) [home](../index.md#y)"
    assert book.rewrite("[a](docs/a.md)", "made.md") == "[a](docs/a.md)"


# --- menu, API, results ----------------------------------------------------------------------------------------------


def test_a_new_page_needs_no_entry() -> None:
    places = ["index.md", "design.md", "news.md", "api/index.md", "api/m.md", "images/a.svg", "limits.md"]
    found = menu.menu(places, {"news.md": "New things", "design.md": "Design", "limits.md": "Limits"})
    assert {"More": [{"New things": "news.md"}]} in found
    assert {"API": ["api/index.md", "api/m.md"]} in found
    assert {"Extend": [{"Design": "design.md"}]} in found and {"Limits": "limits.md"} in found
    assert all(next(iter(entry.values())) for entry in found)


def test_every_module_has_a_place_in_the_api() -> None:
    text = "".join(api.pages(ROOT / "memorai").values())
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "memorai").rglob("*.py")
        if not path.name.startswith("_")
    ]
    assert [module for module in modules if f"::: {module}\n" not in text] == []


def test_a_recorded_run_is_shown_with_its_date_and_revision(tmp_path: Path) -> None:
    row = {"system": "bm25", "variant": "", "protocol": "untrained", "category": "weighted", "unit": "turn", "n": 7}
    row |= {"metric": "ndcg", "k": 10, "value": 0.5, "lo": 0.25, "hi": 0.75}
    manifest = {"command": "python -m memorai.eval", "git_sha": "0123456789abcdef-dirty", "seconds": 3.2}
    manifest |= {"started": "2026-01-02T03:04:05+00:00", "data": {"name": "demo", "sha256": "ab" * 32}}
    for folder, content in (("one", {"manifest": manifest, "rows": [row]}), ("two", [1])):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(f"# The {folder}\n", encoding="utf-8")
        (tmp_path / folder / "results.json").write_text(json.dumps(content), encoding="utf-8")
    made = results.pages(tmp_path)
    assert "| [The one](one.md) | 2026-01-02 | demo | 7 | bm25 | `0123456` |" in made["results/index.md"]
    assert "| [The two](two.md) | see its page |" in made["results/index.md"]
    assert "| bm25 |  | untrained | 7 | 50.0 [25.0, 75.0] | – |" in made["results/one.md"]
    assert "not yet committed" in made["results/one.md"] and made["results/two.md"] == "# The two\n"


def test_every_recorded_experiment_is_listed() -> None:
    made = results.pages(ROOT / "experiments")
    folders = [path.parent.name for path in (ROOT / "experiments").glob("*/README.md")]
    assert folders and [name for name in folders if f"]({name}.md)" not in made["results/index.md"]] == []


# --- nothing from elsewhere ------------------------------------------------------------------------------------------


def test_a_page_that_fetches_is_found(tmp_path: Path) -> None:
    page = '<script src="https://a.org/x.js"></script><img src="b.png"><a href="https://c.org">c</a>'
    page += '<link rel="canonical" href="https://d.org"><link rel="stylesheet" href="//e.org/f.css"><script>1</script>'
    (tmp_path / "p.html").write_text(page, encoding="utf-8")
    assert list(offline.faults(tmp_path)) == [
        "p.html would fetch https://a.org/x.js",
        "p.html would fetch //e.org/f.css",
    ]


def test_a_group_that_starts_from_nothing_leads_to_its_page():
    from docs_site.values import Choice
    from docs_site.values_pages import _choice

    assert _choice(Choice("spread", "spread", "")) == "[spread: nothing](spread.md)"
    assert _choice(Choice("spread", "spread", "ray")) == "[spread: ray](spread.md#ray)"
