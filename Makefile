# Everything a fresh machine with Python 3.11, pip and make needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# LOCKED=1 installs exactly what the lock files say, with hashes (Linux x86_64, Python 3.11: what CI has).
LOCKED ?=
EXACTLY := $(if $(LOCKED),--no-build-isolation --no-deps)
locked = $(if $(LOCKED),$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(1))

.PHONY: demo serve site test check docs web fuzz-readers fuzz mutants soak bulk-proof bulk-table two-machines serving security-table lock audit sbom clean examples lab

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

SITE ?= out/site
site: $(VENV)/.stamp-demo  ## the page as a folder of files that any web server serves; reads ink in the browser
	$(BIN)/inktex site -o $(SITE)

check: $(VENV)/.stamp-dev  ## lint, types, import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check web  ## all checks and all tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist loadfile

# What needs CROHME stays as it is: the results files, which `inktex evaluate … --out docs/results/…` writes.
docs: $(VENV)/.stamp-dev  ## make what the docs show anew: example scores, notebook, figures, screenshots, tables
	$(BIN)/python scripts/example_outputs.py
	OMP_NUM_THREADS=1 $(BIN)/python scripts/figures.py
	OMP_NUM_THREADS=1 $(BIN)/python scripts/screenshots.py
	$(BIN)/python scripts/readme_table.py
	$(BIN)/python scripts/model_cards.py

# The package for browsers; a machine without Node (18 or later) and npm builds and tests everything else.
web/node_modules/.stamp: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund && touch node_modules/.stamp

web:  ## build and test the package for browsers
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory web/node_modules/.stamp && cd web && npm run check && npm run build && npm test; \
	else echo "web: skipped, Node and npm are not installed (Debian: apt install nodejs npm)"; fi

CASES ?= 20000
RECORD ?=
fuzz-readers: $(VENV)/.stamp-dev  ## so many mutated files, of every format and kind of archive, against the readers; RECORD=1: into docs/results
	$(BIN)/python tests/ink/mutations.py --cases $(CASES) $(if $(RECORD),--record)

SECONDS_PER_TARGET ?= 120
fuzz: $(VENV)/.stamp-dev  ## coverage-guided fuzzing of readers, tokeniser, HTTP API and session messages
	$(PIP) 'atheris>=2.3,<4' 'httpx>=0.27,<1'
	for target in readers tokenizer http session; do \
		OMP_NUM_THREADS=1 $(BIN)/python fuzz/run.py $$target --seconds $(SECONDS_PER_TARGET) || exit 1; done

MUTANTS ?=
mutants: $(VENV)/.stamp-dev  ## change every line that guards something; how often do the tests notice?
	$(PIP) 'mutmut>=3.8,<4'
	OMP_NUM_THREADS=1 $(BIN)/python scripts/mutants.py $(MUTANTS)

MINUTES ?= 30
SOAK ?=
soak: $(VENV)/.stamp-dev  ## live sessions and bulk at once; memory, errors and latency as a picture
	OMP_NUM_THREADS=1 $(BIN)/python scripts/soak.py --minutes $(MINUTES) $(SOAK)

examples: $(VENV)/.stamp-dev  ## build the examples for browsers and the plug-in for Obsidian into out/examples
	$(BIN)/python scripts/web_examples.py

# JupyterLab is not among what CI installs: it has an environment of its own, which sees ours. `addsitedir`, and not the bare path,
# because ours holds inktex by a .pth file, and those are only followed in folders that are added as a site.
LAB := .venv-lab
lab: $(VENV)/.stamp-dev  ## the notebook canvas in a real JupyterLab, in Chromium
	test -x $(LAB)/bin/python || $(BIN)/python -m venv $(LAB)
	$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' > "$$($(LAB)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/inktex.pth"
	$(LAB)/bin/python -m pip install --quiet --disable-pip-version-check 'jupyterlab>=4.2,<5' ipykernel anywidget
	OMP_NUM_THREADS=1 $(LAB)/bin/python scripts/lab_check.py

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

serving: $(VENV)/.stamp-dev  ## load, overload, floods and memory of the server, into the docs (6 minutes; best on a quiet machine)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/serving.py --record
	$(BIN)/python scripts/security_table.py --write

security-table: $(VENV)/.stamp-dev  ## load held, faults survived, inputs tried, losses: the table of SECURITY.md
	@$(BIN)/python scripts/security_table.py

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
	rm -rf $(VENV) $(LAB) build dist .pytest_cache .mypy_cache .ruff_cache
