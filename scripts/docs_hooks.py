"""What mkdocs calls while it builds the documentation (mkdocs.yml): made pages, the menu, links, a last check.

    mkdocs build --strict

Made pages are written nowhere but into the site: README and CHANGELOG, which stand outside docs/, every value of conf/,
the API, the notebooks, the recorded results, and the files that a page links to.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parent))

from docs_site import api, links, menu, notebooks, offline, results, values_pages

ROOT = Path(__file__).resolve().parents[1]
LOG = logging.getLogger("mkdocs.hooks.memorai")
#: pages of the repository outside docs/, and where they stand in the site
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages, and the menu that names all pages."""
    made = {place: (ROOT / source).read_text(encoding="utf-8") for source, place in OUTSIDE.items()}
    made |= values_pages.pages(ROOT / "conf")
    made |= api.pages(ROOT / "memorai")
    made |= notebooks.pages(ROOT / "notebooks")
    made |= results.pages(ROOT / "experiments")
    for place, content in made.items():
        files.append(File.generated(config, place, content=content))
    origins = {place: source for source, place in OUTSIDE.items()} | results.origins(ROOT / "experiments")
    origins |= {file.src_uri: f"docs/{file.src_uri}" for file in files if file.src_uri not in made}
    book = links.Book(ROOT, origins)
    # links out of docs/ take the files that they name with them
    texts = {place: content for place, content in made.items() if place in origins}
    texts |= {
        place: (ROOT / origin).read_text(encoding="utf-8")
        for place, origin in origins.items()
        if place.endswith(".md") and place not in made
    }
    for place, content in book.taken_along(texts).items():
        files.append(File.generated(config, place, content=content))
    config.extra["book"] = book
    config.nav = menu.menu([file.src_uri for file in files], {place: menu.title(text) for place, text in texts.items()})
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages."""
    return config.extra["book"].rewrite(markdown, page.file.src_uri)


def on_post_build(config: MkDocsConfig) -> None:
    """Warn, and so fail under --strict, of whatever a page would fetch from elsewhere."""
    for fault in offline.faults(Path(config.site_dir)):
        LOG.warning(fault)
