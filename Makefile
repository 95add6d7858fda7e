# make demo   ask the example site one question and print the answer
# make test   every check: lint, format, types, layers, tests
#
# Both make .venv on their first run. Needed on the machine: make, and a Python from 3.11 on.

VENV := .venv
RUN := $(VENV)/bin
PIP := $(RUN)/python -m pip --disable-pip-version-check -qq
PYTHONS := python3.11 python3.12 python3.13 python3.14 python3
QUESTION ?= How do I parse command-line arguments?
SITE ?= examples/site
export QUESTION SITE

.DELETE_ON_ERROR:
.PHONY: help demo test format clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: $(VENV)/.installed
	@printf '$$ longleaf ask "%s" %s\n\n' "$$QUESTION" "$$SITE" >&2
	@$(RUN)/longleaf ask "$$QUESTION" "$$SITE"

test: $(VENV)/.tests-installed
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/pytest

format: $(VENV)/.tests-installed
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

clean:
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# The first Python that is new enough, and whole enough to make a virtual environment with pip.
$(VENV)/.made:
	@echo 'Making $(VENV) (first run only) ...' >&2
	@for python in $(PYTHONS); do \
	  if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    "$$python" -m venv --clear $(VENV) && touch $@ && exit 0; exit 1; \
	  fi; \
	done; \
	echo 'No Python from 3.11 on with venv and ensurepip among: $(PYTHONS).' >&2; \
	echo 'Install one (on Debian and Ubuntu: python3 and python3-venv), then run make again.' >&2; \
	exit 1

$(VENV)/.installed: pyproject.toml $(VENV)/.made
	@echo 'Installing longleaf into $(VENV) ...' >&2
	@$(PIP) install -e .
	@touch $@

$(VENV)/.tests-installed: $(VENV)/.installed
	@echo 'Installing the test tools into $(VENV) ...' >&2
	@$(PIP) install -e '.[test,rich,lm]'
	@touch $@
