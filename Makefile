# Everything runs in a virtual environment of this clone, made from pyproject.toml at the versions of constraints.txt.
# It is brought up to date when one of the two files changes and at no other time, so that a second run needs no network.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
N ?= 200
FORMAT ?= $(if $(GITHUB_ACTIONS),github,text)

# Where no Node.js 20.19 or newer is on the PATH, the package that holds one is installed as well.
node_on_path = node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'
node_extra = $(shell $(node_on_path) 2>/dev/null && command -v npm >/dev/null 2>&1 || echo node)

extras_site :=
extras_test := test
extras_browser := test,browser
extras_dev := dev
extras_release := release

comma := ,
empty :=
space := $(empty) $(empty)
extras = $(subst $(space),$(comma),$(strip $(extras_$*) $(node_extra)))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help site serve test test-browser test-elsewhere check lint types claims verify format screenshots dist bench bench-pages bench-report constraints clean

help:
	@echo 'make site            build the site into site/; any issue stops it'
	@echo 'make serve           preview the site at a local address; rebuilt at every change'
	@echo 'make test            run all tests but those in a browser'
	@echo 'make test-browser    build the site and drive it in Chromium'
	@echo 'make screenshots     pictures of every kind of page into screenshots/, to be looked at'
	@echo 'make test-elsewhere  build another project with the wheel alone'
	@echo 'make verify          execute pinned upstream code and whole models, and compare them with ours'
	@echo 'make check           lint, types, claims, tests and the strict build'
	@echo 'make dist            build the wheel and the source archive into dist/, and check them'
	@echo 'make format          put the code into its standard form'
	@echo 'make bench           build N=200 pages with this and other generators, which are installed into a cache'
	@echo 'make bench-pages     load their pages in a slowed-down Chromium'
	@echo 'make bench-report    write the page about speed from what both have measured'
	@echo 'make constraints     renew the versions in constraints.txt'
	@echo 'make clean           remove what these commands made in this folder'
	@echo 'Options: PYTHON=python3.12 (which Python makes the environment), VENV=folder (where it is),'
	@echo '         N=1000 (pages of make bench; several: N="200 1000 10000"), ROUNDS=5 (how often each is measured)'

site: $(VENV)/.installed-site
	$(BIN)/mkdocs build --strict
	@echo 'The site begins at site/index.html. Look at it with `make serve`, or on any web server: its links need one.'

serve: $(VENV)/.installed-site
	$(BIN)/mkdocs serve

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest

test-browser: site $(VENV)/.installed-browser
	$(BIN)/python -m pytest tests/browser

screenshots: site $(VENV)/.installed-browser
	$(BIN)/python .ci/screenshots.py

bench: $(VENV)/.installed-site
	$(BIN)/python -m bench.generators $(N) $(if $(ROUNDS),--rounds $(ROUNDS))

bench-pages: $(VENV)/.installed-browser
	$(BIN)/python -m bench.pages $(if $(ROUNDS),--rounds $(ROUNDS))

bench-report: $(VENV)/.installed-site
	$(BIN)/python -m bench.report

test-elsewhere: $(VENV)/.installed-test
	$(BIN)/python .ci/elsewhere.py

dist: $(VENV)/.installed-release
	rm -rf build dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*

check: lint types claims test site

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

claims: $(VENV)/.installed-site
	$(BIN)/atlas check --format $(FORMAT)

verify: $(VENV)/.installed-test
	$(BIN)/atlas verify --format $(FORMAT)

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

constraints: $(VENV)/.installed-site
	$(BIN)/python .ci/constraints.py

clean:
	rm -rf $(VENV) site .site-building-* build dist openmodelatlas.egg-info
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(VENV)/.made
	@echo 'Installing OpenModelAtlas$(if $(extras), with $(extras)) into $(VENV)'
	@{ $(BIN)/python -m pip install --quiet --constraint constraints.txt pip setuptools && \
		PYTHONWARNINGS='ignore:Editable installation' $(BIN)/python -m pip install --quiet \
		--constraint constraints.txt --no-build-isolation --editable '.$(if $(extras),[$(extras)])'; } || { \
		echo 'The packages of constraints.txt could not be installed. What pip calls a conflict above is often' >&2; \
		echo 'an index that it cannot reach.' >&2; \
		echo 'This needs the network, or a mirror that `pip config` names, once; after it, make works without.' >&2; exit 1; }
	@touch $@

$(VENV)/.made:
	@command -v '$(PYTHON)' >/dev/null || { \
		echo 'There is no $(PYTHON). Install Python 3.11 or newer, or name one: make PYTHON=python3.12' >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$$('$(PYTHON)' --version 2>&1) is too old: 3.11 or newer is needed. Name one: make PYTHON=python3.12" >&2; exit 1; }
	@'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || { \
		echo '$(PYTHON) has no venv module. On Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@echo "Making $(VENV) with $$('$(PYTHON)' --version)"
	@'$(PYTHON)' -m venv '$(VENV)'
	@touch $@
