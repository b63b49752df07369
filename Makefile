# Every target sets up its own .venv with pip when needed; PYTHON names the interpreter to build it from.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo test quality style bench clean

help:            ## Show the targets.
	@grep -E '^[a-z]+: .*##|^[a-z]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) torch==2.13.0
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed-dev
	$(PIP) --editable '.[bench]'
	@touch $@

demo: $(VENV)/installed       ## Render videos, classify and attack them raw and anonymized, leave demo/ with a page.
	$(BIN)/hf-ppar demo demo

test: $(VENV)/installed-dev   ## Run the tests.
	$(BIN)/python -m pytest

quality: $(VENV)/installed-dev  ## Check style, types and formatting without changing anything.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

style: $(VENV)/installed-dev  ## Fix what can be fixed.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-bench  ## Measure speed and memory; prints ratios.
	$(BIN)/python examples/benchmarks/anonymize.py
	$(BIN)/python examples/benchmarks/data.py
	$(BIN)/python examples/benchmarks/stage.py
	$(BIN)/python examples/benchmarks/stprivacy.py
	$(BIN)/python examples/benchmarks/privrate.py
	$(BIN)/python examples/benchmarks/training.py
	$(BIN)/python examples/benchmarks/classify.py

clean:           ## Remove the environment and caches.
	rm -rf $(VENV) demo build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
