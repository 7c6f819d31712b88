# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv/bin

.PHONY: demo demo-all test test-all test-bounds test-floors test-ecosystem lint bench docs pictures learned wheel clean

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

test: .venv/ready-dev  ## rules and promises of all worlds, as Python where that is quicker; about 20 minutes on 2 cores
	$(VENV)/python tests/reference_environment.py momaland overcooked pogema
	$(VENV)/python -m pytest

test-all: .venv/ready-dev  ## the slow tests, unless nothing that they reach has changed since they passed; ARGS=--all runs all
	$(VENV)/python tests/reference_environment.py momaland overcooked pogema
	$(VENV)/python -m pytest -m slow $(ARGS)
	$(MAKE) test-bounds

test-bounds: .venv/ready-dev  ## machine code, and forged records, with every array access checked
	ENVSUITE_BOUNDSCHECK=1 $(VENV)/python -m pytest -m slow tests/worlds/test_worlds.py tests/worlds/test_finite_controls.py \
		tests/attacks/test_records.py $(ARGS)

test-floors: .venv/ready-dev  ## interfaces and all worlds with the oldest Gymnasium and PettingZoo that are accepted
	$$($(VENV)/python tests/reference_environment.py floors) -m pytest \
		tests/interfaces tests/worlds/test_worlds.py $(ARGS)

test-ecosystem: .venv/ready-dev  ## other learning libraries, each in an environment of its own (8 GB of disk in all)
	$(VENV)/python tests/ecosystem/run.py $(ARGS)

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

pictures: .venv/ready-dev  ## the stored pictures of all worlds again, or of ARGS=NAME, for tests to compare with: look at what changes
	PYTHONPATH=tests $(VENV)/python tests/render/test_pictures.py $(ARGS)

learned: .venv/ready-dev  ## train the networks that the table of learned scores lacks; ARGS="KuhnPoker --seeds 2" trains one again
	$(VENV)/python -m envsuite.learn.tasks $(ARGS)

# Named after the oldest C library that has the functions which the machine code calls.
wheel: .venv/ready  ## a wheel in dist/ with machine code of all worlds, policies and generators (Linux on x86-64)
	rm -rf build/wheel
	mkdir -p build/wheel
	cp -R pyproject.toml README.md LICENSE envsuite render build/wheel
	$(VENV)/envsuite build build/wheel/envsuite/native.so
	libc=$$( (echo 17; grep -aoE 'GLIBC_2[.][0-9]+' build/wheel/envsuite/native.so | cut -d. -f2) | sort -n | tail -1) && \
	$(VENV)/python -m pip wheel -qq --no-deps -w dist build/wheel \
		-C--build-option=--plat-name=manylinux_2_$${libc}_x86_64

clean:
	rm -rf .venv build dist *.egg-info demo
