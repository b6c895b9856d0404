"""The pages that list every value of conf/: one a group, one of the experiments, one of the entry points."""

from __future__ import annotations

from pathlib import Path

from docs_site.values import Choice, Option, Value, groups, head, options, read_root, summary

_INTRO = """# Configuration

Every choice is a value, and every value can be set on the command line. A *group* is a folder of `conf/`, an *option* a
file of it:

```bash
python -m memorai.eval +experiment=demo embedder=hashing systems.memorai.retriever.damping=0.5 \\
    restart@systems.memorai.retriever.restart=facets
```

The first override chooses another option of a group for the run, the second sets one value, the third chooses an option
where a system keeps a part. All of these pages are read from the comments in `conf/`, which also name the source of
what is not this project's own, and from the docstrings of the classes that the options build.
"""


def pages(conf: Path) -> dict[str, str]:
    """Place in the site -> text."""
    made = {}
    lines = [_INTRO, "## Groups", "", "| group | options |", "|---|---|"]
    for group in groups(conf):
        found = options(conf, group)
        made[f"configuration/{group}.md"] = "\n".join([f"# {group}", "", *(line for o in found for line in _option(o))])
        links = ", ".join(f"[{option.name}]({group}.md#{option.name})" for option in found)
        lines.append(f"| [{group}]({group}.md) | {links} |")
    lines += ["", "## Values of the run", ""]
    for path in sorted(conf.glob("*.yaml")):
        lines += [f"### memorai.{path.stem}", "", *body(read_root(conf, path.stem)), ""]
    made["configuration/index.md"] = "\n".join(lines)
    made["configuration/experiments.md"] = experiments(conf)
    return made


def _option(option: Option) -> list[str]:
    return [f"## {option.name} {{#{option.name}}}", "", *body(option), ""]


def body(option: Option) -> list[str]:
    """What an option builds, what its file says, and its values, as lines of Markdown."""
    lines = []
    if option.target:
        lines += [f"Builds {_link(option.target)}: {_safe(summary(option.target))}", ""]
    if option.about:
        lines += [_safe(option.about), ""]
    if option.commands:
        lines += ["```bash", *option.commands, "```", ""]
    if option.choices:
        lines += [f"Starts from: {', '.join(map(_choice, option.choices))}.", ""]
    if option.values:
        lines += ["| value | default | meaning | taken by |", "|---|---|---|---|", *map(_value, option.values), ""]
    return lines


def _choice(choice: Choice) -> str:
    if not choice.group:
        return f"`{choice.option}`"
    if not choice.option:
        return f"[{choice.place}: nothing]({choice.group}.md)"
    return f"[{choice.place}: {choice.option}]({choice.group}.md#{choice.option})"


def _value(value: Value) -> str:
    shown = value.default if len(value.default) <= 60 else f"{value.default[:57]}..."
    taker = _link(value.target) if value.target else ""
    return f"| `{value.path}` | `{shown}` | {_safe(value.meaning)} | {taker} |".replace("``", "")


def _link(target: str) -> str:
    return f"[`{target.rpartition('.')[2]}`][{target}]" if target.startswith("memorai.") else f"`{target}`"


def _safe(text: str) -> str:
    """Text for a table cell: no bar ends it, and no bracket becomes a link."""
    for mark, entity in (("|", "&#124;"), ("[", "&#91;"), ("]", "&#93;"), ("<", "&lt;"), ("*", "&#42;")):
        text = text.replace(mark, entity)
    return text


def experiments(conf: Path) -> str:
    """The page of the experiments."""
    lines = ["# Experiments", "", "Combinations of the options, each with the command that runs it.", ""]
    for path in sorted((conf / "experiment").glob("*.yaml")):
        about, commands = head(path.read_text(encoding="utf-8"))
        lines += [f"## {path.stem} {{#{path.stem}}}", "", _safe(about), "", "```bash", *commands, "```", ""]
    return "\n".join(lines)
