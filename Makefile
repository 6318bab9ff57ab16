PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
DEMO := .memsieve-demo
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The tables that know the peers.
COMPARED := purity quality substance peer_speed
CONSOLE := src/memsieve/api/console
# What npm lays down last, and what the build does.
MODULES := console/node_modules/.package-lock.json
BUILT := $(CONSOLE)/index.html
# The types of the API's documents, generated; and what they are made of.
TYPES := console/src/api/types.ts
API := $(shell find src/memsieve/api src/memsieve/documents src/memsieve/model -name '*.py')
OPENAPI := $(BIN)/python -m tools.openapi
# All that a build is made of.
SOURCES := $(filter-out %.tsbuildinfo, $(wildcard console/*.*)) $(shell find console/src console/public -type f)

# Tests wait for processes now and then: with one worker more than cores, these are always busy.
WORKERS ?= 3
# Where make can do that, each command that runs beside others prints its lines together when it has ended.
SIDE_BY_SIDE = $(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=line)
# Before a command whose lines come at once nevertheless; such a command would run in a dry run, too.
AT_ONCE = $(if $(findstring n,$(firstword -$(MAKEFLAGS))),,+)

# Tests start hundreds of processes, and each would compile all of memsieve.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run console types test test-python test-docs test-console test-types check-console test-harness screenshots lint fix bench bench-peers soak fuzz clean

run: $(VENV)/run.stamp ## Set up, show memsieve at work, and serve that memory
	@tools/node && $(MAKE) --no-print-directory console || echo "The server starts without the console."
	test -e $(DEMO)/memsieve.db || $(BIN)/memsieve demo --data $(DEMO)
	$(BIN)/memsieve serve --data $(DEMO)

console: $(BUILT) ## Build the review console, if anything of it changed

types: $(VENV)/dev.stamp $(MODULES) ## Generate the console's types of the API's documents
	$(OPENAPI) | npm --prefix console run --silent types

test: ## Everything CI checks
	@$(SIDE_BY_SIDE) $(VENV)/dev.stamp $(MODULES)
	@tools/browser
	@$(MAKE) --no-print-directory test-types # before the build, which would make them anew
	@$(MAKE) --no-print-directory console
	@$(SIDE_BY_SIDE) --keep-going test-python lint test-docs check-console \
		|| { echo "Not all passed: above, each part that failed left a line with ***." >&2; exit 1; }

test-python: $(VENV)/dev.stamp console
	$(AT_ONCE)$(BIN)/pytest -n $(WORKERS) --dist worksteal --durations=25 tests

test-docs: $(VENV)/dev.stamp # the examples of a page follow each other: they stay in one process
	$(BIN)/pytest README.md docs

test-console: test-types ## The console's own types, style and unit tests
	$(MAKE) --no-print-directory console check-console

test-types: $(VENV)/dev.stamp $(MODULES)
	$(OPENAPI) | npm --prefix console run --silent types -- --check

check-console: $(MODULES)
	npm --prefix console run --silent check

test-harness: $(VENV)/dev.stamp ## Test the servers that tests start; `make test` does, too, when they changed
	rm -f tests/harness/passed.sha256
	$(BIN)/pytest tests/harness
	$(BIN)/python -c "import tests.conftest as conftest; conftest.PASSED_HARNESS.write_text(conftest.harness_digest())"

screenshots: $(VENV)/dev.stamp console ## Take a picture of every page of the console for docs/
	$(BIN)/python -m tools.screenshots

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/dev.stamp ## Mend what the linters can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	test ! -e $(MODULES) || $(MAKE) --no-print-directory types
	test ! -e $(MODULES) || npm --prefix console run --silent fix

bench: $(VENV)/dev.stamp ## Print the tables of purity, quality and speed, at all sizes; WRITE=1 keeps them in docs/
	$(BIN)/python -m benchmarks --full $(if $(DATA),--data $(DATA)) $(if $(WRITE),--write)

bench-peers: $(PEERS)/stamp ## Compare quality, purity and speed with mem0, LangGraph's store and Chroma, and keep it in docs/
	$(PEERS)/bin/python -m benchmarks $(COMPARED) --peers --write $(if $(DATA),--data $(DATA)) $(if $(FULL),--full)

soak: $(VENV)/dev.stamp ## A minute of recording while engines are killed and restarted; refine killed 200 times
	OUTAGE_SECONDS=60 REFINE_KILLS=200 $(BIN)/pytest tests/fault/test_outages.py tests/fault/test_kb_refine.py

fuzz: $(VENV)/dev.stamp ## Try hundreds of made-up requests on every route of the API, as every role
	FUZZ_EXAMPLES=200 $(BIN)/pytest -n 2 tests/e2e/test_api_schema.py

clean:
	rm -rf $(VENV) $(PEERS) build dist $(CONSOLE) console/node_modules

$(MODULES): console/package-lock.json
	@tools/node
	npm --prefix console ci --no-audit --no-fund
	touch $@

# The file is committed: whoever has no Python for memsieve builds the console all the same.
$(TYPES): $(API) | $(MODULES)
	test ! -x $(BIN)/memsieve || $(OPENAPI) | npm --prefix console run --silent types
	touch $@

$(BUILT): $(MODULES) $(SOURCES)
	npm --prefix console run --silent build
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt pip

$(VENV)/run.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt --build-constraint constraints.txt -e '.[mcp]'
	touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt --build-constraint constraints.txt -e '.[otel,server]' --group dev
	touch $@ $(VENV)/run.stamp

$(PEERS)/stamp: pyproject.toml constraints-peers.txt
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints-peers.txt \
		-e . chromadb fastembed langgraph langgraph-checkpoint-sqlite mem0ai packaging psutil pysqlite3-binary
	touch $@
