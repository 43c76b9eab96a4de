# `make test` and `make train` need nothing but Python 3.11 or newer with pip, and make.
PYTHON ?= python3
VENV   ?= .venv
EXTRAS ?= dev,train,onnx,play,sb3,bench
TORCH  ?= 2.13.0
JOBS   ?= 2

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
CPU_WHEELS := https://download.pytorch.org/whl/cpu

.PHONY: env test test-page lint format train recipes bench ladder soak mutants wheel clean
.DEFAULT_GOAL := test

env: $(VENV)/.stamp-env

$(VENV)/.stamp-venv:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	touch $@

# The plain torch for Linux is several gigabytes of CUDA. Without an NVIDIA GPU the CPU build is taken: from
# wherever pip is configured to look, else from PyTorch's index of CPU builds; the plain one is the last resort.
$(VENV)/.stamp-torch: $(VENV)/.stamp-venv
	if [ "$$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null; then \
		$(PIP) install -q "torch==$(TORCH)+cpu" 2>/dev/null \
		|| $(PIP) install -q --retries 1 --timeout 20 --index-url $(CPU_WHEELS) "torch==$(TORCH)" \
		|| $(PIP) install -q "torch==$(TORCH)"; \
	else \
		$(PIP) install -q "torch==$(TORCH)"; \
	fi
	touch $@

$(VENV)/.stamp-env: $(VENV)/.stamp-torch pyproject.toml
	$(PIP) install -q -e ".[$(EXTRAS)]" "torch==$(TORCH)"
	touch $@

lint: env
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: env
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: lint
	$(BIN)/pytest -n $(JOBS) -q

# The page in a real Chromium, taken from the system; where there is none, Debian's is installed.
test-page: env $(VENV)/.stamp-page
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || { \
		SUDO=$$([ "$$(id -u)" = 0 ] || echo sudo); $$SUDO apt-get update -qq \
		&& $$SUDO env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; }
	CI=1 $(BIN)/pytest tests/page -m page -n $(JOBS) -q

$(VENV)/.stamp-page: $(VENV)/.stamp-env
	$(PIP) install -q -e ".[page]"
	touch $@

# Self-play learning on the small configuration, a match against the scripted bots, the export, a game against it.
train: env
	$(BIN)/python -m training configs/smoke.yaml

# Every recipe in an environment of its own: its tests, its training with the defaults (about a minute of one core for
# most), the match at the end; then a line for each. One that fails does not stop the others. What is done is kept in
# runs/recipes and done again only if a source has changed.
RECIPES ?= sb3 rllib torchrl tianshou skrl benchmarl cleanrl openspiel
RECIPE_TESTS := $(wildcard tests/training/test_recipe_*.py)
RECIPE_SHARED := $(filter-out $(RECIPE_TESTS:tests/training/test_recipe_%=training/recipes/%),$(wildcard training/recipes/*.py))

recipes:
	@$(MAKE) -k $(patsubst %,runs/recipes/%.line,$(RECIPES)); failed=$$?; \
		cat $(patsubst %,runs/recipes/%.line,$(RECIPES)); exit $$failed

runs/recipes/%.line: training/recipes/%.py tests/training/test_recipe_%.py $(RECIPE_SHARED)
	rm -f $@
	$(MAKE) env VENV=runs/recipes/venv-$* EXTRAS=dev,$*
	runs/recipes/venv-$*/bin/pytest -q tests/training/test_recipe_$*.py
	runs/recipes/venv-$*/bin/python -m training.recipes.$* -o runs/recipes/$* > runs/recipes/$*.log
	grep " against easy " runs/recipes/$*.log > $@.part
	mv $@.part $@

bench: env
	for file in tests/benchmarks/bench_*.py; do \
		$(BIN)/python -m "tests.benchmarks.$$(basename "$$file" .py)" || exit 1; \
	done

# All bots against hard and against each other: about 40 minutes of one idle core (docs/ladder.md says where they go). What
# was played is kept in runs/ladder/jobs, so a run that was stopped goes on; the page is made from the results.
LADDERS := $(patsubst %,runs/ladder/%.json,core-4 core-3 core-2 others-4 others-8 dominoplay-2 long-2)
.PHONY: $(LADDERS)
FEWER := --bots easy,medium,hard,expert:20,expert:100,oracle:hands,oracle
runs/ladder/core-4.json: TABLE := --rules core --players 4 --deals 500 --unrated expert:400
runs/ladder/core-3.json: TABLE := --rules core --players 3 --deals 200 $(FEWER)
runs/ladder/core-2.json: TABLE := --rules core --players 2 --deals 200 $(FEWER)
runs/ladder/others-4.json: TABLE := --rules pagat,dominoplay,deluxe --players 4 --deals 60 $(FEWER)
runs/ladder/others-8.json: TABLE := --rules pagat,dominoplay,deluxe --players 8 --deals 60 $(FEWER)
runs/ladder/dominoplay-2.json: TABLE := --rules dominoplay --players 2 --deals 60 $(FEWER)
runs/ladder/long-2.json: TABLE := --rules pagat,deluxe --players 2 --deals 40 \
	--bots easy,medium,hard,expert:20,oracle:hands:10,oracle

ladder: $(LADDERS)
	$(BIN)/python -m mtrain_env.evaluation.ladder_docs docs/ladder.md $^

$(LADDERS): env
	mkdir -p $(@D)
	$(BIN)/mtrain ladder --seed 2000002 $(TABLE) --out $(@D)/jobs \
		--html $(@:.json=.html) --png $(@:.json=.png) --json > $@.part
	mv $@.part $@

# The engine against the reference, a million decisions a preset (ten minutes on two idle cores); what seats see, a
# million times each (twelve minutes of one core); then the long tests.
soak: env
	$(BIN)/python -m tests.engine.soak
	$(BIN)/python -m tests.envs.soak
	$(BIN)/pytest -m soak -n $(JOBS) -q

# Breaks one rule of the engine at a time and says which of the breaks no test noticed.
mutants: env
	$(BIN)/python -m tests.mutants

# Wheel and sdist in dist/, tried in fresh environments (minutes); PYTHONS="python3.12 ..." in place of those it finds.
PYTHONS ?=
wheel:
	$(PYTHON) -m tests.packaging $(PYTHONS)

clean:
	rm -rf build dist .numba_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage htmlcov
	find mtrain_env tests -name __pycache__ -type d -prune -exec rm -rf {} +
