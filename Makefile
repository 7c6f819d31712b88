# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv/bin

.PHONY: demo demo-all test test-rooms test-oracles test-slow test-all test-bounds mutants known test-floors test-ecosystem lint bench docs pictures learned wheel release clean

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit("envsuite needs Python 3.11 or newer, this is %s" % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	touch $@

.venv/ready: .venv/made pyproject.toml
	$(VENV)/python -m pip install -qq -e .
	touch $@

# In one step, and sources are compiled when they are imported: `make test` is what newcomers wait for.
.venv/ready-test: .venv/made pyproject.toml
	$(VENV)/python -m pip install -qq --no-compile -e ".[test]"
	touch $@ .venv/ready

.venv/ready-lint: .venv/ready
	$(VENV)/python -m pip install -qq -e ".[lint]"
	touch $@

.venv/ready-rooms: .venv/ready-test
	$(VENV)/python -m pip install -qq -e ".[rooms]"
	touch $@

.venv/ready-oracles: .venv/ready-test
	$(VENV)/python -m pip install -qq -e ".[oracles]"
	touch $@

demo: .venv/ready  ## play episodes of eight worlds with baselines; returns, steps per second, pictures in demo/
	$(VENV)/python examples/demo.py

demo-all: .venv/ready  ## the same with every world
	$(VENV)/python examples/demo.py --all

# A case is skipped that reaches nothing changed since it passed; ARGS=--all runs all.
PYTEST = $(VENV)/python -m pytest --unchanged

ifdef W
test: .venv/ready-test  ## all layers of one world: make test W=Hanabi
	$(VENV)/python -m pytest -m "quick or slow or oracles or long" --world $(W) $(ARGS)
else
test: .venv/ready-test  ## rules and promises of all worlds, as Python
# Preparing all assertions to show their values takes as long as a tenth of the tests; those that fail run again with it.
	ENVSUITE_PYTHON=1 $(VENV)/python -m pytest --assert=plain $(ARGS) || \
		{ ENVSUITE_PYTHON=1 $(VENV)/python -m pytest --last-failed --last-failed-no-failures none; exit 1; }
endif

test-rooms: .venv/ready-rooms  ## serving, data, learning, language models, clusters
	$(PYTEST) -m rooms $(ARGS)

test-oracles: .venv/ready-oracles  ## comparisons with other packages
	$(VENV)/python tests/reference_environment.py momaland overcooked pogema
	$(PYTEST) -m oracles $(ARGS)

test-slow: .venv/ready-test  ## machine code against Python for all worlds, statistics, long games, examples, pictures
	$(PYTEST) -m slow $(ARGS)

test-all: test test-rooms test-oracles test-slow  ## everything: all checks of all worlds and variants, and with bounds checks
	-$(VENV)/python tests/reference_environment.py meltingpot
	$(PYTEST) -m "quick or long" $(ARGS)
	$(MAKE) test-bounds

test-bounds: .venv/ready-test  ## machine code, and forged records, with every array access checked
	ENVSUITE_BOUNDSCHECK=1 $(PYTEST) -m "slow or long" tests/worlds/test_worlds.py tests/worlds/test_finite_controls.py \
		tests/attacks/test_records.py tests/attacks/test_entries.py tests/attacks/test_splices.py $(ARGS)

mutants: .venv/ready-test  ## small changes of a world's kernels that its own tests do not notice: make mutants W=Harvest N=40
	PYTHONPATH=tests $(VENV)/python tests/mutants.py $(W) $(if $(N),-n $(N)) $(ARGS)

known: .venv/ready-test  ## random play, measured again and compared with the numbers on the pages of worlds; or make known W=Harvest
	$(VENV)/python tests/known.py $(W)

test-floors: .venv/ready-test  ## interfaces and all worlds with the oldest Gymnasium and PettingZoo that are accepted
	$$($(VENV)/python tests/reference_environment.py floors) -m pytest \
		tests/interfaces tests/worlds/test_worlds.py $(ARGS)

test-ecosystem: .venv/ready-test  ## other learning libraries, each in an environment of its own (8 GB of disk in all)
	$(VENV)/python tests/ecosystem/run.py $(ARGS)

lint: .venv/ready-lint  ## ruff and mypy
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy

.venv/ready-bench: .venv/ready-oracles
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

pictures: .venv/ready-test  ## the stored pictures of all worlds again, or of ARGS=NAME, for tests to compare with: look at what changes
	PYTHONPATH=tests $(VENV)/python tests/render/test_pictures.py $(ARGS)

learned: .venv/ready-rooms  ## train the networks that the table of learned scores lacks; ARGS="KuhnPoker --seeds 2" trains one again
	$(VENV)/python -m envsuite.learn.tasks $(ARGS)

# Named after the oldest C library that has the functions which the machine code calls.
wheel: .venv/ready  ## a wheel in dist/ with machine code of all worlds, policies and generators (Linux on x86-64)
	rm -rf build/wheel
	mkdir -p build/wheel
	cp -R pyproject.toml setup.py building.py README.md LICENSE envsuite render build/wheel
	$(VENV)/envsuite build build/wheel/envsuite/native.so
	libc=$$( (echo 17; grep -aoE 'GLIBC_2[.][0-9]+' build/wheel/envsuite/native.so | cut -d. -f2) | sort -n | tail -1) && \
	$(VENV)/python -m pip wheel -qq --no-deps -w dist build/wheel \
		-C--build-option=--plat-name=manylinux_2_$${libc}_x86_64

release: .venv/ready  ## the files of a release in dist/, each tried in a bare environment; ARGS="sdist wheel" leaves one out
	$(VENV)/python tests/release.py $(ARGS)

clean:
	rm -rf .venv build dist *.egg-info demo
