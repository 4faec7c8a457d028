# Everything a fresh machine with Python 3.11, pip and make needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# LOCKED=1 installs exactly what the lock files say, with hashes (Linux x86_64, Python 3.11: what CI has).
LOCKED ?=
EXACTLY := $(if $(LOCKED),--no-build-isolation --no-deps)
locked = $(if $(LOCKED),$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(1))

.PHONY: demo serve test check fuzz-readers fuzz soak bulk-proof bulk-table two-machines lock audit sbom clean

# The recogniser alone: no torch.
$(VENV)/.stamp-demo: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call locked,requirements-demo.txt)
	$(PIP) $(EXACTLY) --editable '.[figures]'
	@touch $@

$(VENV)/.stamp-serve: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call locked,requirements-ci.txt)
	$(PIP) $(EXACTLY) --editable '.[dev]'
	@touch $@ $(VENV)/.stamp-demo $(VENV)/.stamp-serve

demo: $(VENV)/.stamp-demo  ## recognise the example ink; shows LaTeX and a picture
	$(BIN)/python scripts/demo.py

serve: $(VENV)/.stamp-serve  ## open the page to write on
	$(BIN)/inktex serve

check: $(VENV)/.stamp-dev  ## lint, types, import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check  ## all checks and all tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q

CASES ?= 20000
fuzz-readers: $(VENV)/.stamp-dev  ## so many mutated files against every reader
	INKTEX_FUZZ_CASES=$(CASES) $(BIN)/python -m pytest -q tests/ink -k mutat

SECONDS_PER_TARGET ?= 120
fuzz: $(VENV)/.stamp-dev  ## coverage-guided fuzzing of readers, tokeniser, HTTP API and session messages
	$(PIP) 'atheris>=2.3,<4' 'httpx>=0.27,<1'
	for target in readers tokenizer http session; do \
		OMP_NUM_THREADS=1 $(BIN)/python fuzz/run.py $$target --seconds $(SECONDS_PER_TARGET) || exit 1; done

MINUTES ?= 30
SOAK ?=
soak: $(VENV)/.stamp-dev  ## live sessions and bulk at once; memory, errors and latency as a picture
	OMP_NUM_THREADS=1 $(BIN)/python scripts/soak.py --minutes $(MINUTES) $(SOAK)

# Ray is not among what CI installs; the tests that need it are skipped there.
$(VENV)/.stamp-ray: $(VENV)/.stamp-dev
	$(PIP) --editable '.[ray]'
	@touch $@

bulk-proof: $(VENV)/.stamp-ray  ## 20,000 inks on two Ray workers, one killed: exactly one output per input?
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/bulk_kill.py

two-machines: $(VENV)/.stamp-dev  ## train over two launchers, kill a worker: does the run go on from its checkpoint?
	$(BIN)/python scripts/two_machines.py

bulk-table: $(VENV)/.stamp-ray  ## throughput of the plain engine and of Ray against workers, into docs/scale.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/bulk.py

lock: $(VENV)/.stamp-dev  ## pin what CI installs, with hashes
	$(BIN)/python scripts/lock.py figures -o requirements-demo.txt
	$(BIN)/python scripts/lock.py dev -o requirements-ci.txt

audit: $(VENV)/.stamp-dev  ## known vulnerabilities in what CI installs (needs the network)
	$(PIP) 'pip-audit>=2.7,<3'
	$(BIN)/python scripts/audit.py requirements-ci.txt

sbom: $(VENV)/.stamp-dev  ## what the recogniser is made of, as CycloneDX: out/sbom.json
	$(PIP) 'cyclonedx-bom>=5,<8'
	mkdir -p out
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --of JSON -o out/sbom.json requirements-demo.txt

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
