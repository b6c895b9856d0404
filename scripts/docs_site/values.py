"""What every value of conf/ means, read from where it is said: comments of the YAML file and docstrings of the classes.

A value's meaning is, in this order, the comment beside or above its key, or the line of that name in the ``Args`` of
the class or function that its mapping's ``_target_`` names. Nothing is written twice, so nothing can disagree.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hydra import compose, initialize_config_dir
from hydra.utils import get_object
from omegaconf import DictConfig, ListConfig, OmegaConf

#: keys that steer Hydra and are no values of a part
STEERING = {"_target_", "_partial_", "_recursive_", "_convert_", "_args_", "defaults", "hydra"}
#: what ``${...}`` hands to a part from the run
SHARED = {
    "embedder": "the run's embedder",
    "lexical": "the run's lexical index",
    "text_format": "the run's text format",
    "device": "the run's device",
    "seed": "the run's seed",
    "llm": "the run's language model",
}


@dataclass(frozen=True)
class Value:
    """One value of a configuration file: its path there, its default as YAML, its meaning, and who takes it."""

    path: str
    default: str
    meaning: str
    target: str


@dataclass(frozen=True)
class Choice:
    """A ``defaults`` entry: the group it chooses from, where the choice is put, and the option, empty for none."""

    group: str
    place: str
    option: str


@dataclass(frozen=True)
class Option:
    """One file of a group: what its head says, its command, the class it builds, its choices and its values."""

    group: str
    name: str
    about: str
    commands: tuple[str, ...]
    target: str
    choices: tuple[Choice, ...]
    values: tuple[Value, ...]


def groups(conf: Path) -> list[str]:
    """Names of the groups of conf/ that hold parts; experiments are combinations of them, and Hydra's are its own."""
    names = sorted(path.name for path in conf.iterdir() if path.is_dir())
    return [name for name in names if name not in ("experiment", "hydra")]


def options(conf: Path, group: str) -> list[Option]:
    """Every option of a group, by name."""
    return [read_option(conf, group, path.stem) for path in sorted((conf / group).glob("*.yaml"))]


def read_option(conf: Path, group: str, name: str) -> Option:
    """Read one file with its comments; what it inherits is known from the composed configuration."""
    path = conf / group / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    merged = composed(conf, group, name)
    about, commands = head(text)
    chosen, values = read_values(text, merged)
    parents = [choice.option for choice in chosen if choice.group in (group, "")]
    inherited = [value for parent in parents for value in read_option(conf, group, parent).values]
    own = {value.path: value for value in values}
    told = {value.path: value.meaning for value in inherited}
    # what an option says of its own, else what the option that it starts from says
    values = [
        value if value.meaning else Value(value.path, value.default, told.get(value.path, ""), value.target)
        for value in own.values()
    ]
    target = merged.get("_target_", "") if isinstance(merged, dict) else ""
    return Option(group, name, about, commands, target, tuple(chosen), tuple(values))


def read_root(conf: Path, name: str) -> Option:
    """Read an entry point's own file, conf/eval.yaml or conf/train.yaml."""
    text = (conf / f"{name}.yaml").read_text(encoding="utf-8")
    with initialize_config_dir(str(conf), version_base="1.3"):
        merged = OmegaConf.to_container(compose(name), resolve=False)
    about, commands = head(text)
    chosen, values = read_values(text, merged)
    return Option("", name, about, commands, "", tuple(chosen), tuple(values))


def composed(conf: Path, group: str, name: str) -> Any:
    """An option as Hydra merges it with what it starts from, interpolations left as they are."""
    alone = OmegaConf.load(conf / group / f"{name}.yaml")
    if "defaults" not in alone:
        return OmegaConf.to_container(alone, resolve=False)
    with initialize_config_dir(str(conf), version_base="1.3"):
        config = compose(f"{group}/{name}")
    return OmegaConf.to_container(config[group], resolve=False)


# --- comments ---------------------------------------------------------------------------------------------------------


def head(text: str) -> tuple[str, tuple[str, ...]]:
    """What the comment that opens a file says, and the commands in it."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line[1:].strip())
    joined = re.sub(r" ?\\\n\s*", " ", "\n".join(line for line in lines if not line.startswith("@package")))
    commands, prose = [], []
    for line in joined.splitlines():
        if re.match(r"(?:pip|vllm|ollama) \w", line):
            commands.append(re.split(r"\s{2,}\(", line)[0])
            continue
        found = re.search(r"(python -m memorai\.\w+ [^;()]*)", line)
        if found and (line.startswith("python -m") or line.rstrip().endswith(found[1].rstrip())):
            commands.append(found[1].strip())
            line = (
                re.sub(r"[;:,]?\s*(?:train:)?\s*$", ".", line[: found.start()]) if line[: found.start()].strip() else ""
            )
        prose.append(line)
    return " ".join(" ".join(prose).split()), tuple(commands)


def comments(text: str) -> dict[int, str]:
    """Line number from 0 -> the comment that belongs to the key on it: above, beside and going on below."""
    lines = text.splitlines()
    found: dict[int, str] = {}
    above: list[str] = []
    last: tuple[int, int] | None = None  # line of the key whose comment may go on, column of its comment
    opening = True
    for number, line in enumerate(lines):
        if line.startswith("#") and opening:
            continue
        opening = False
        whole = re.match(r"(\s*)#\s?(.*)", line)
        if whole:
            if last is not None and len(whole[1]) > last[1] - 3 and len(whole[1]) > 8:
                found[last[0]] += " " + whole[2].strip()
            else:
                above.append(whole[2].strip())
            continue
        if not line.strip():
            above, last = [], None
            continue
        beside = re.search(r"""^((?:[^'"#]|"[^"]*"|'[^']*'|(?<=\S)#)*?)\s#\s?(.*)$""", line)
        said = [*above, *([beside[2].strip()] if beside else [])]
        if said:
            found[number] = " ".join(said)
        last = (number, len(beside[1]) + 1) if beside else None
        above = []
    return found


# --- values -----------------------------------------------------------------------------------------------------------


def read_values(text: str, merged: Any) -> tuple[list[Choice], list[Value]]:
    """The choices and the values that a file's text states, with the targets that the merged configuration knows."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        return [], []
    said = comments(text)
    chosen = [choice for key, value in node.value if key.value == "defaults" for choice in _choices(value)]
    return chosen, list(_walk(node, merged, said, "", ""))


def _choices(node: yaml.Node) -> Iterator[Choice]:
    for entry in yaml.safe_load(yaml.serialize(node)):
        if entry == "_self_":
            continue
        if isinstance(entry, str):
            yield Choice("", "", entry)
            continue
        for key, option in entry.items():
            if key.startswith("override "):
                continue
            group, _, place = key.lstrip("/").partition("@")
            yield Choice(group, place or group, "" if option is None else str(option))


def _walk(node: yaml.MappingNode, merged: Any, said: dict[int, str], prefix: str, outer: str) -> Iterator[Value]:
    target = merged.get("_target_", "") if isinstance(merged, dict) else ""
    told = arguments(target) if target else {}
    for key_node, value_node in node.value:
        key = key_node.value
        if key in STEERING:
            continue
        path = f"{prefix}{key}"
        inside = merged.get(key) if isinstance(merged, dict) else None
        meaning = _beside(node, key_node, value_node, said) or told.get(key, "")
        shared = re.fullmatch(r"\$\{(\w+)\}", value_node.value) if isinstance(value_node, yaml.ScalarNode) else None
        if not meaning and shared:
            meaning = SHARED.get(shared[1], "")
        builds = isinstance(inside, dict) and "_target_" in inside
        if builds and not meaning:
            meaning = summary(inside["_target_"])
        yield Value(path, default(inside), meaning, target or outer)
        if isinstance(value_node, yaml.MappingNode) and (builds or not meaning or not _flat(inside)):
            yield from _walk(value_node, inside, said, f"{path}.", target or outer)
        if isinstance(value_node, yaml.SequenceNode) and isinstance(inside, list):
            for i, (item, built) in enumerate(zip(value_node.value, inside, strict=False)):
                if isinstance(item, yaml.MappingNode) and isinstance(built, dict) and "_target_" in built:
                    yield from _walk(item, built, said, f"{path}.{i}.", target or outer)


def _flat(value: Any) -> bool:
    return isinstance(value, dict) and not any(isinstance(item, dict | list) for item in value.values())


def _beside(node: yaml.MappingNode, key: yaml.Node, value: yaml.Node, said: dict[int, str]) -> str:
    """The comment of a key; in a mapping on one line, only of the key that opens the line."""
    if node.flow_style and key.start_mark.line == node.start_mark.line:
        return ""
    return said.get(key.start_mark.line, "")


def default(value: Any) -> str:
    """A value as it would be written on the command line; a part by the name of its class."""
    if isinstance(value, dict) and "_target_" in value:
        return str(value["_target_"]).rpartition(".")[2]
    if isinstance(value, DictConfig | ListConfig):
        value = OmegaConf.to_container(value)
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, allow_unicode=True).strip()
    return text.removesuffix("\n...").strip()


# --- docstrings -------------------------------------------------------------------------------------------------------


@cache
def arguments(target: str) -> dict[str, str]:
    """Name -> meaning, from the ``Args`` (or ``Attributes``) of a class, of its bases, or of a function."""
    made = get_object(target)
    sources = [base for base in inspect.getmro(made) if base is not object] if inspect.isclass(made) else [made]
    if inspect.ismethod(made):
        sources.append(made.__self__)
    found: dict[str, str] = {}
    for source in sources:
        for name, meaning in section(inspect.getdoc(source) or "").items():
            also = re.fullmatch(r"see `?`?(\w+)`?`?\.?", meaning)
            if also:  # another class of the module says it
                other = getattr(inspect.getmodule(source), also[1], None)
                meaning = section(inspect.getdoc(other) or "").get(name, meaning) if other else meaning
            found.setdefault(name, meaning)
    return found


def section(docstring: str) -> dict[str, str]:
    """Name -> text of the ``Args`` and ``Attributes`` of a docstring in Google's form; ``a, b: text`` tells of both."""
    found: dict[str, str] = {}
    for block in re.findall(r"^(?:Args|Attributes):\n((?:[ \t]+.*\n?|\n)+)", docstring, flags=re.MULTILINE):
        indent = len(block) - len(block.lstrip())
        names: list[str] = []
        for line in block.splitlines():
            opened = re.match(rf"\s{{{indent}}}([\w*]+(?:, [\w*]+)*)(?: \([^)]*\))?:\s*(.*)", line)
            if opened:
                names = opened[1].split(", ")
                found.update(dict.fromkeys(names, opened[2].strip()))
            else:
                for name in names:
                    found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def summary(target: str) -> str:
    """The first paragraph of a class's or function's docstring."""
    return " ".join((inspect.getdoc(get_object(target)) or "").split("\n\n")[0].split())
