# Lockgate. `make` alone lists what there is.

CARGO   ?= cargo
TARGET  := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(abspath $(TARGET))/release

# cargo-nextest gives every test a process and a deadline; without it cargo test does the same work.
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)
RUN_TESTS := $(if $(NEXTEST),$(CARGO) nextest run,$(CARGO) test)
FUZZ_SECONDS ?= 30

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test check bench clean tools fmt lint tidy audit bins unit all-tests built-tests doc-tests docs fuzz node-packages python-packages ui ui-packages ui-check ui-tests page

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: tools page build ## build and start the gateway with the demo server
	PATH="$(RELEASE):$$PATH" lockgate serve --config examples/demo/lockgate.yaml --data data

build: ## build the release binary
	$(CARGO) build --release

# Everything is built once, so nothing is kept for building it again.
test: export CARGO_INCREMENTAL := 0
# Lints and documents take what the tests leave of the processors, so they run beside them.
test: tools ## everything: format, lints, tidy, all tests, documents
	@$(MAKE) --no-print-directory fmt tidy audit ui-check bins node-packages python-packages
	@nice -n 19 $(MAKE) --no-print-directory lint doc-tests docs & beside=$$!; \
	trap 'kill $$beside' INT TERM; \
	$(MAKE) --no-print-directory built-tests ui-tests; failed=$$?; \
	wait $$beside && exit $$failed

check: ## the everyday loop: format, lints, tidy, unit tests
	@$(MAKE) --no-print-directory fmt lint tidy audit unit

bench: tools ## measure speed and memory (docs/performance.md)
	$(CARGO) build --release --workspace --bins
	$(CARGO) run --release --package bench

# The stable toolchain will do: without a sanitizer nothing is needed that only nightly has. What the fuzzer
# learns stays in fuzz/corpus, and an input that fails in fuzz/artifacts.
fuzz: ## throw random input at every reader, 30 s each (FUZZ_SECONDS=…)
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { echo "Please install cargo-fuzz: cargo install cargo-fuzz --locked"; exit 1; }
	@set -e; for target in $$($(CARGO) fuzz list); do \
		echo "== $$target, $(FUZZ_SECONDS) s"; \
		mkdir -p "fuzz/corpus/$$target"; \
		$(CARGO) fuzz run --sanitizer none "$$target" "fuzz/corpus/$$target" "fuzz/seeds/$$target" -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -max_len=4096 -verbosity=0 -print_final_stats=1; \
	done

clean: ## remove what was built; data/ stays
	$(CARGO) clean

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

tidy:
	$(CARGO) xtask tidy

audit: ## look for known holes in the libraries that are shipped
	$(CARGO) xtask audit

# The scenarios run these binaries. The tests are built with them: apart, what both need would be built twice, because
# tests ask for more features of it.
bins:
	$(CARGO) build --workspace --bins --tests
	$(if $(NEXTEST),$(CARGO) metadata --format-version 1 > $(TARGET)/packages.json)
	$(if $(NEXTEST),$(CARGO) nextest list --workspace --lib --bins --tests --list-type binaries-only --message-format json > $(TARGET)/tests.json)

# The web page. `ui` also refreshes ui/prebuilt, which is committed: a build without Node embeds it.
UI_STAMP := ui/node_modules/.installed
UI_NPM   := npm --prefix ui --silent

ui-packages: $(UI_STAMP)

$(UI_STAMP): ui/package-lock.json
	npm ci --prefix ui --loglevel=error >/dev/null
	@touch $@

ui: ui-packages ## build the web page from its sources
	$(UI_NPM) run build
	$(UI_NPM) run prebuilt

# Where there is no npm, the committed page will do.
page:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory ui-packages && $(UI_NPM) run build; \
	else echo "npm is not there: the web page comes from ui/prebuilt"; fi

# Types, lints, drift of generated types, unit tests, and the size of the first load; then the page is built for the
# binary that the scenarios open.
ui-check: ui-packages
	$(UI_NPM) run check
	$(UI_NPM) run drift
	$(UI_NPM) test
	$(UI_NPM) run build
	$(UI_NPM) run budget

# In a real browser, against the real binary.
ui-tests: ui-packages
	LOCKGATE_BIN="$(abspath $(TARGET))/debug/lockgate" $(UI_NPM) run e2e

# The conformance suite and real clients and servers, with the Node they need; again when the lock changes.
NODE_FOLDER := tests/conformance
NODE_STAMP  := $(NODE_FOLDER)/node_modules/.installed

node-packages: $(NODE_STAMP)

$(NODE_STAMP): $(NODE_FOLDER)/package-lock.json
	npm ci --prefix $(NODE_FOLDER) --loglevel=error >/dev/null
	@touch $@

# The Python client and servers, in an environment of their own; again when the list changes.
PYTHON_FOLDER := $(TARGET)/python
PYTHON_STAMP  := $(PYTHON_FOLDER)/.installed

python-packages: $(PYTHON_STAMP)

$(PYTHON_STAMP): $(NODE_FOLDER)/requirements.txt
	python3 -m venv $(PYTHON_FOLDER)
	$(PYTHON_FOLDER)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

unit:
	$(RUN_TESTS) --workspace --lib --bins

all-tests:
	$(RUN_TESTS) --workspace --lib --bins --tests

# The same with what `bins` has built, without asking cargo, which may be at work on something else.
built-tests:
	$(if $(NEXTEST),$(CARGO) nextest run --binaries-metadata $(TARGET)/tests.json --cargo-metadata $(TARGET)/packages.json,$(CARGO) test --workspace --lib --bins --tests)

# Crates without examples in their documentation say `doctest = false`: looking for them takes minutes.
doc-tests:
	$(CARGO) test --doc --workspace

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# Debian keeps the server's tools away from PATH, by version.
POSTGRES := $(or $(lastword $(wildcard /usr/lib/postgresql/*/bin/initdb)),initdb)

# Any Chromium will do; its shell without windows needs half of the processor time.
CHROMIUM := $(or $(shell command -v chromium-headless-shell || command -v chromium),chromium-headless-shell)

# Each line: program, Debian package, what it is for.
define NEEDED
cc build-essential the C compiler that builds SQLite
python3 python3-venv some of the tests
npm npm the conformance suite, real clients and servers, Restate
curl curl the test of the shell client
$(CHROMIUM) chromium-headless-shell the scenarios of the web page
$(POSTGRES) postgresql the tests of the PostgreSQL store
openssl openssl the certificate of that server
redis-server redis-server the tests of the Redis store
flock util-linux the end of that server
endef
export NEEDED

tools:
	@command -v $(CARGO) >/dev/null || { echo "Please install Rust 1.95 or newer: https://rustup.rs"; exit 1; }
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 \
		|| rustup component add rustfmt clippy \
		|| { echo "Please install the Rust components rustfmt and clippy."; exit 1; }
	@echo "$$NEEDED" | while read -r program package purpose; do \
		command -v "$$program" >/dev/null && continue; \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing $$package ($$purpose)"; \
			{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$$package"; } </dev/null || exit 1; \
		else \
			echo "Please install the package '$$package': it brings $$program ($$purpose)."; exit 1; \
		fi; \
	done
