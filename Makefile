# sonmf: `make` lists what there is. Needs Python 3.11+, make and access to PyPI; everything goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
IN_PARALLEL := -n auto --maxprocesses 4 --dist worksteal
NOTEBOOKS := $(patsubst examples/%.py,docs/_build/notebooks/%.ran,$(wildcard examples/*/plot_*.py))
REAL_DATA := $(wildcard ../shared/data)
WITHOUT_DATA := peers limits passes growth lasso cores
.DEFAULT_GOAL := help
.PHONY: help demo test optional quick torture docs bench lowest release clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sonmf needs Python 3.11 or newer, and $(PYTHON) is older: try make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "== creating .venv"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'  # which knows --group

.venv/app.installed: pyproject.toml | .venv/bin/python
	@echo "== installing sonmf[app] into .venv (a minute or two the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[app]'
	@touch $@

.venv/%.installed: pyproject.toml | .venv/bin/python
	@echo "== installing sonmf and the group '$*' of pyproject.toml into .venv (a minute or two the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group $*
	@touch $@

demo: .venv/app.installed  ## generate triage notes, fit a model per complaint, judge it, explain a patient, watch it
	@$(BIN)/sonmf demo --force

test: .venv/dev.installed  ## format, lint, types, import rules, and the tests that need nothing else (five minutes)
	@echo "== format and lint"
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@echo "== types"
	@$(BIN)/mypy
	@echo "== import rules"
	@$(BIN)/lint-imports --no-cache
	@echo "== tests"
	@$(BIN)/python -m pytest $(IN_PARALLEL) $(ARGS)
	@echo "== all checks passed"

optional: .venv/dev.installed  ## the tests that need torch, Chromium, PostgreSQL or data, the long ones, and more drawn examples, as .ci/run does
	@$(BIN)/python -m pytest $(IN_PARALLEL) -m "torch or browser or postgresql or data or long or hypothesis" --hypothesis-profile=many $(ARGS)

quick: .venv/dev.installed  ## the laws that every solver, kernel and estimator obeys, in a minute; or one room: make quick ROOM=text
	@$(BIN)/python -m pytest $(IN_PARALLEL) -x tests/$(or $(ROOM),contracts)

torture: .venv/dev.installed  ## the attacks of docs/promises.md at length, an hour or two: make torture ARGS="--minutes 10"
	@PYTHONPATH=tests $(BIN)/python -m torture --figures docs/promises_figures.md $(ARGS)

docs: .venv/docs.installed  ## build the documentation, warnings as errors; try its links, pages and notebooks
	@echo "== pages and gallery"
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "== links"
	@$(BIN)/python docs/check_links.py docs/_build/html
	@echo "== in a browser"
	@$(BIN)/python docs/check_site.py docs/_build/html
	@echo "== notebooks"
	@$(MAKE) --no-print-directory $(NOTEBOOKS)
	@echo "== open docs/_build/html/index.html"

docs/_build/notebooks/%.ran: examples/%.py docs/run_notebook.py
	@mkdir -p $(@D)
	@$(BIN)/python docs/run_notebook.py $<
	@touch $@

bench: .venv/bench.installed  ## the benchmarks, some hours: writes every table of figures in docs and README.md; those of real notes need ../shared/data
	@$(BIN)/python benchmarks/report.py $(if $(REAL_DATA),,$(WITHOUT_DATA))
	@for name in continuous binary text web; do $(BIN)/python benchmarks/$$name.py || exit 1; done
	@$(BIN)/python benchmarks/missing.py --out docs/missing_figures.md
	@trials=$$(mktemp -d) && $(BIN)/python benchmarks/rank.py --keep "$$trials" --out docs/rank_figures.md && rm -r "$$trials"
ifeq ($(REAL_DATA),)
	@echo "== ../shared/data is not there, so the tables of real notes and articles stay as they are"
else
	@$(BIN)/python benchmarks/measurements.py --out docs
	@$(BIN)/python benchmarks/seed_topics.py --out docs/seeds_figures.md
	@$(BIN)/python benchmarks/topic_words.py --out docs
	@$(BIN)/python benchmarks/trust.py --out docs
	@mkdir -p build && $(BIN)/python benchmarks/columns.py >build/columns_figures.md && mv build/columns_figures.md docs
	@$(BIN)/python benchmarks/outcome.py --repeats 1 --write
	@$(BIN)/python benchmarks/scoreboard.py --out docs
endif
	@$(BIN)/python benchmarks/readme.py

lowest:  ## run the tests against the oldest dependencies pyproject.toml allows
	@$(PYTHON) -m venv .venv-lowest && .venv-lowest/bin/python -m pip install --quiet uv
	@.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct --editable '.[app,dask,sql]' --group dev  # by name: only direct requirements are taken low
	@.venv-lowest/bin/python -m pytest -W default  # old versions warn about each other

release: .venv/release.installed  ## check version, changelog and tag; build and try sdist and wheel in dist/; uploads nothing
	@$(BIN)/python .ci/release.py
	@rm -rf dist
	@.ci/wheel "$(CURDIR)/dist"
	@echo "== dist/ is ready"

clean:  ## remove the environments and everything built
	rm -rf .venv .venv-lowest build dist docs/_build docs/api/generated docs/gallery .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
