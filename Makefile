# Bayplan's targets. `make help` lists them; each sets up what it needs on a fresh machine.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
ARGS ?=
WORKERS ?= 2

.PHONY: help up demo test check mutation acceptance bench crash machine kubectl mlserver docs clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: $(READY)  ## Run everything on this machine with a demo fleet, until Ctrl-C (ARGS="…" passes flags)
	@$(BIN)/bayplan up --demo $(ARGS)

demo: $(READY)  ## Take a guided tour of the running system, a minute long, that leaves nothing behind
	@$(BIN)/bayplan demo $(ARGS)

test: $(READY)  ## Run every test (ARGS="…" goes to pytest)
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

check: $(READY)  ## Lint, formatting, types, rings
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

acceptance: $(READY)  ## Run the case files (BAYPLAN_CASES=DIR, default tests/acceptance/cases)
	@$(BIN)/pytest tests/acceptance $(ARGS)

bench: $(READY)  ## Measure (ONLY=name DATA=DIR OUT=FILE)
	@$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA)) $(if $(OUT),--out $(OUT))

mutation: $(READY)  ## Change the framework in thousands of small ways; each change should make a test fail (slow)
	@BAYPLAN_HYPOTHESIS=mutation $(BIN)/mutmut run --max-children $(WORKERS)
	@$(BIN)/mutmut results

crash: $(READY)  ## Kill a store and a running system N times at bad moments; nothing may be lost (N=200 SEED=… TARGET=system)
	@PYTHONPATH=tests $(BIN)/python -m crash --kills $(or $(N),200) $(if $(SEED),--seed $(SEED)) $(if $(TARGET),--target $(TARGET))

machine: $(READY)  ## Run all loops with faults in virtual time, N histories of 50 steps (N=10000 SEED=…)
	@BAYPLAN_MACHINES=$(or $(N),10000) $(BIN)/pytest tests/properties/test_system_machine.py -n $(WORKERS) \
	  $(if $(SEED),--hypothesis-seed $(SEED))

kubectl:  ## Find a kubectl for the tests, else build one into a cache outside the repository
	@.ci/kubectl

mlserver: $(READY)  ## Find MLServer, else install it into an environment of its own outside the repository
	@.ci/mlserver

docs: $(READY)  ## Write the generated pages of docs/ again
	@$(BIN)/python docs/generate.py

clean:  ## Remove the virtual environment and everything that can be made again
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage mutants dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: $(PYTHON): Bayplan needs Python 3.11 or newer; set PYTHON=python3.11 (or newer)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	PIP_CONSTRAINT=constraints.txt $(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)
