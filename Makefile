# Everything a fresh machine with Python 3.11, pip and make needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo serve test check fuzz-readers clean

# The recogniser alone: no torch.
$(VENV)/.stamp-demo: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[figures]'
	@touch $@

$(VENV)/.stamp-serve: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[dev]'
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

fuzz-readers: $(VENV)/.stamp-dev  ## 20,000 mutated files against every reader
	INKTEX_FUZZ_CASES=20000 $(BIN)/python -m pytest -q tests/ink -k mutat

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
