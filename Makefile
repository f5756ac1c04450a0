# make setup | app | lab | test | bench | screenshots | specs | format
PORT ?= 8866
PYTHON ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.complete

.DEFAULT_GOAL := help
.PHONY: help setup app lab test format bench calibrate screenshots specs runtime clean

help:
	@echo "make app          set up .venv and open the workbook at http://localhost:$(PORT)  (PORT=8900 changes it)"
	@echo "make lab          open the notebooks in JupyterLab"
	@echo "make test         set up .venv and run every check and test"
	@echo "make bench        measure speed and memory"
	@echo "make calibrate    fit the constants of the step-time model again (minutes)"
	@echo "make screenshots  redo the pictures in the README"
	@echo "make specs        freeze the charts' specifications again"
	@echo "make runtime      build the charts' JavaScript bundle again"
	@echo "make format       format the code"

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@python="$(PYTHON)"; \
	if [ -z "$$python" ]; then \
	  for candidate in python3 python3.13 python3.12 python3.11; do \
	    if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      python=$$candidate; break; \
	    fi; \
	  done; \
	fi; \
	if [ -z "$$python" ]; then \
	  echo "netdesign needs Python 3.11 or newer and found none. Install it, or name it: make setup PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	if ! $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	  echo "netdesign needs Python 3.11 or newer; $$python is older or does not run." >&2; exit 1; \
	fi; \
	if ! $$python -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$$python cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$($$python --version); the first time takes a minute or two."; \
	$$python -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

app: setup
	@$(BIN)/netdesign serve --port $(PORT)

lab: setup
	@$(BIN)/jupyter lab --notebook-dir=notebooks

test: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	@set -e; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script; done

screenshots: setup
	$(BIN)/python benchmarks/screenshots.py

specs: setup
	$(BIN)/python -m netdesign.charts.freeze

runtime: setup
	$(BIN)/python -m netdesign.app.transport.build_runtime

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache

calibrate: setup
	@$(BIN)/python benchmarks/calibrate.py
