PYTHON ?= python3
VENV := .venv
DEMO := .memsieve-demo
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test lint fix bench soak fuzz clean

run: $(VENV)/run.stamp ## Set up, show memsieve at work, and serve that memory
	test -e $(DEMO)/memsieve.db || $(BIN)/memsieve demo --data $(DEMO)
	$(BIN)/memsieve serve --data $(DEMO)

test: lint ## Everything CI checks
	$(BIN)/pytest -n 2 --dist worksteal tests
	$(BIN)/pytest README.md docs # the examples of a page follow each other: they stay in one process

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/dev.stamp ## Mend what the linters can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp ## Print the tables of quality and speed, at all sizes
	$(BIN)/python -m benchmarks --full $(if $(DATA),--data $(DATA))

soak: $(VENV)/dev.stamp ## Record and ask from many processes for a minute while the engines are killed and restarted
	OUTAGE_SECONDS=60 $(BIN)/pytest tests/fault/test_outages.py

fuzz: $(VENV)/dev.stamp ## Try hundreds of made-up requests on every route of the API, as every role
	FUZZ_EXAMPLES=200 $(BIN)/pytest -n 2 tests/e2e/test_api_schema.py

clean:
	rm -rf $(VENV) build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt pip

$(VENV)/run.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt --build-constraint constraints.txt -e .
	touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt --build-constraint constraints.txt -e '.[otel,server]' --group dev
	touch $@ $(VENV)/run.stamp
