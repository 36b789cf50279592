# One virtual environment, two levels: what the law report needs, and everything.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
JOBS   ?= 2

.PHONY: laws test stress lint fmt bench catalog catalog-pin clean

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit("eukhe needs Python 3.11 or later, this is " + sys.version.split()[0] + "; say which to use: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.laws: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP) -e '.[laws]'
	touch $@

$(VENV)/.all: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP) -e '.[all]'
	touch $@ $(VENV)/.laws

laws: $(VENV)/.laws        ## the law report
	$(BIN)/eukhe laws $(ARGS)

lint: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

stress: $(VENV)/.all      ## 300 runs, each killed at random moments: make stress SEED=2
	EUKHE_CRASH_RUNS=300 EUKHE_CRASH_SEED=$(or $(SEED),1) $(BIN)/python -m pytest tests/agent/test_crash.py --timeout 1800 $(ARGS)

test: lint                 ## everything that CI runs
	$(BIN)/eukhe laws
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

fmt: $(VENV)/.all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.all        ## ratios, each measured in one run
	$(BIN)/python -m benchmarks $(ARGS)

catalog: $(VENV)/.made     ## make the compiled catalog of models again (needs the package index)
	$(BIN)/python scripts/make_catalog.py

catalog-pin: $(VENV)/.laws ## move the pin of the bundled catalog: make catalog-pin ARGS='GIT_URL_OR_FOLDER --ref REF'
	$(BIN)/python scripts/catalog_pin.py pin $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .eukhe-laws
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
