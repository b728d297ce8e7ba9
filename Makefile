# `make` lists the targets. Works with GNU make 3.81 (macOS) and later.

SHELL := /bin/bash
PY := .venv/bin/python
STAMP := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help venv browser demo testbeds test test-all check bench fidelity lab notebooks-clear lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
		awk -F ':.*## ' '{ printf "make %-16s %s\n", $$1, $$2 }'

venv: $(STAMP) ## Make .venv with odokit and all packages at the locked versions

$(STAMP): pyproject.toml constraints.txt scripts/make_venv.sh
	@PYTHON="$(PYTHON)" scripts/make_venv.sh
	@touch $@

browser: $(STAMP) ## Make sure there is a Chromium: Playwright's, or Debian's package
	@scripts/install_browser.sh

demo: browser ## From a bare clone to a report: model from demonstrations, ten new tasks executed
	@.venv/bin/odokit demo

testbeds: browser ## Install and provision the three real applications
	@set -e; for app in kolibri oscar vendure; do \
		.venv/bin/odokit testbed $$app up; .venv/bin/odokit testbed $$app down; \
	done

test: browser ## Run the tests, without the slow ones
	$(PY) -m pytest -m "not slow"

test-all: browser ## Run all tests
	$(PY) -m pytest

check: $(STAMP) ## Check format, lint and types
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy

bench: browser ## Run the benchmarks: one table, and reports/bench.json
	$(PY) benchmarks/run_all.py

fidelity: browser ## Compare what happens on pages with what is recorded of it
	$(PY) benchmarks/fidelity.py

lab: browser ## Open the notebooks in JupyterLab
	.venv/bin/jupyter lab notebooks

# The kernel's name stays: papermill needs it.
notebooks-clear: $(STAMP) ## Strip outputs and run metadata from the notebooks
	.venv/bin/nbstripout --extra-keys \
		"metadata.language_info metadata.papermill metadata.widgets cell.metadata.papermill" \
		notebooks/*.ipynb

lock: ## Resolve all dependencies afresh and write constraints.txt
	@scripts/lock.sh

clean: ## Remove .venv and caches; recordings, store, reports and test beds stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build odokit.egg-info
	find odokit tests scripts -name __pycache__ -prune -exec rm -rf {} +
