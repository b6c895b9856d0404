"""Show why a question found what it found: ``python -m memorai.explain +experiment=demo question=ID``."""

from __future__ import annotations

from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf, open_dict
from rich.console import Console

from memorai.entry import run_main
from memorai.errors import InputError
from memorai.harness.build import build_dataset, build_systems
from memorai.report.explain.explain import explain, find_question
from memorai.report.explain.html import write_page


def explain_question(config: DictConfig) -> Path:
    """Write the page of one question under the systems that ``config.show`` names, and return its path.

    Raises:
        InputError: no such question or system, or a value out of range; the line names what there is.
    """
    shown, known = _names(config.show), [str(name) for name in config.systems]
    if not known:
        raise InputError("no system to show; add an experiment, such as +experiment=demo")
    unknown = [name for name in shown if name not in known]
    if unknown or not shown:
        wrong = f"{unknown[0]} is not among the systems" if unknown else "no system is named"
        raise InputError(f"show=[{','.join(shown)}]: {wrong}; there are {', '.join(known)}")
    dataset = build_dataset(config)
    conversation, question = find_question(dataset, None if config.question is None else str(config.question))
    with open_dict(config):
        config.systems = {name: config.systems[name] for name in shown}
    systems = build_systems(config)
    made = [explain(name, systems[name], conversation, question, config.k, config.nodes) for name in shown]
    path = Path(config.out) if config.out else Path(HydraConfig.get().runtime.output_dir) / "explain.html"
    write_page(path, made)
    Console().print(f"wrote {path}", markup=False, highlight=False, soft_wrap=True)
    return path


def _names(show: object) -> list[str]:
    found = OmegaConf.to_container(show, resolve=True) if OmegaConf.is_config(show) else show
    listed = [found] if isinstance(found, str) else found
    if not isinstance(listed, list):
        raise InputError(f"show={found!r}: give names of systems, such as show=[memorai,memorai_plus]")
    return list(dict.fromkeys(map(str, listed)))


def main() -> None:
    """Entry point."""
    run_main(explain_question, "explain")


if __name__ == "__main__":
    main()
