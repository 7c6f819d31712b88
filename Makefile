# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv/bin

.PHONY: demo demo-all test test-bounds lint bench docs pictures clean

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("envsuite needs Python 3.11 or newer, this is %s" % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(VENV)/python -m pip install -qq --upgrade pip
	$(VENV)/python -m pip install -qq -e .
	touch $@

.venv/ready-dev: .venv/ready
	$(VENV)/python -m pip install -qq -e ".[test,lint]"
	touch $@

demo: .venv/ready  ## play episodes of eight worlds with baselines; returns, steps per second, pictures in demo/
	$(VENV)/python examples/demo.py

demo-all: .venv/ready  ## the same with every world
	$(VENV)/python examples/demo.py --all

test: .venv/ready-dev  ## all tests
	$(VENV)/python tests/reference_environment.py overcooked pogema
	$(VENV)/python -m pytest

test-bounds: .venv/ready-dev  ## kernels of all worlds and policies once more with every array access checked
	ENVSUITE_BOUNDSCHECK=1 $(VENV)/python -m pytest tests/worlds/test_worlds.py tests/core/test_core.py

lint: .venv/ready-dev  ## ruff and mypy
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy

.venv/ready-bench: .venv/ready-dev
	$(VENV)/python -m pip install -qq -e ".[bench]"
	touch $@

bench: .venv/ready-bench  ## ratios to C and to other suites
	$(VENV)/python benchmarks/run.py
	$(VENV)/python benchmarks/gridworlds.py

.venv/ready-docs: .venv/ready
	$(VENV)/python -m pip install -qq -e ".[docs]"
	touch $@

docs: .venv/ready-docs  ## the documentation in build/docs; pages of worlds and their animations are made from the code
	NO_MKDOCS_2_WARNING=1 $(VENV)/mkdocs build --strict

pictures: .venv/ready-dev  ## the stored pictures of all worlds anew, for tests to compare with: look at what changes
	PYTHONPATH=tests $(VENV)/python tests/render/test_pictures.py

clean:
	rm -rf .venv build dist *.egg-info demo
