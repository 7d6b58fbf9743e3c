# All targets work from a fresh checkout: tools/bootstrap.sh installs missing packages once.
.DEFAULT_GOAL := help
.PHONY: help run install test check coverage lint tested compiled format docs site pictures film wheel clean

BIN := .venv/bin
WORKERS = $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) # test processes; one more than cores, because some tests wait
CUDA_SOURCES = $(wildcard gpu/kernels/*.cu gpu/kernels/*.cuh gpu/emulation/*.cpp gpu/emulation/*.hpp)
export PYTHON
unexport PYTHONDONTWRITEBYTECODE # otherwise each worker compiles every test again

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

run: ## open the window, or render to wheatstone.png where there is no display; ARGS="bench sgm" runs that instead
	@sh tools/bootstrap.sh run
ifneq ($(strip $(ARGS)),)
	@$(BIN)/wheatstone $(ARGS)
else ifneq ($(DISPLAY)$(WAYLAND_DISPLAY),)
	@$(BIN)/wheatstone
else
	@echo "wheatstone: no display here, so the view is rendered to wheatstone.png;" \
		"to see the window in a browser:  make run ARGS=serve"
	@$(BIN)/wheatstone render sgm --out wheatstone.png
endif

install: ## link the command into ~/.local/bin, so that any shell runs it
	@sh tools/bootstrap.sh run
	@mkdir -p ~/.local/bin
	@ln -sfn "$(CURDIR)/$(BIN)/wheatstone" ~/.local/bin/wheatstone
	@echo "wheatstone: linked to ~/.local/bin/wheatstone"
	@case ":$$PATH:" in *":$$HOME/.local/bin:"*) ;; *) \
		if grep -qs '\.local/bin' ~/.profile ~/.bash_profile ~/.zprofile; then when="The next login adds it; in this shell"; \
		else when="In this shell, and in its profile for later ones"; fi; \
		echo "wheatstone: that folder is not in PATH yet. $$when:  export PATH=\"\$$HOME/.local/bin:\$$PATH\"" ;; esac

test: ## lint, and run every test this machine can run; ARGS="-k census" goes to pytest
	@sh tools/bootstrap.sh test
	@$(MAKE) --no-print-directory -j2 lint tested

check: ## lint, and run the tests of tests/quick.txt, in about two minutes
	@$(MAKE) --no-print-directory test ARGS=@tests/quick.txt

coverage: ## run the tests, and print how many lines of viewer and gpu they run; takes twice as long as test
	@sh tools/bootstrap.sh test
	@$(BIN)/python -c "import pytest_cov" 2>/dev/null || { echo "wheatstone: the extra release is missing" >&2; exit 1; }
	@$(MAKE) --no-print-directory tested ARGS="--cov --cov-report= $(ARGS)"; code=$$?; \
		for name in viewer gpu; do $(BIN)/coverage report --include="*/$$name/*" --format=total | \
		sed "s/.*/wheatstone: tests run & % of the lines of $$name/"; done; exit $$code

tested: compiled # in parallel with the linters, which use a core for a part of the time only
	@$(BIN)/pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: ## check layout, style and types
	@sh tools/bootstrap.sh test
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(if $(CUDA_SOURCES),$(BIN)/clang-format --dry-run -Werror $(CUDA_SOURCES))
	@sh tools/announced.sh "checking types, about two minutes the first time" $(BIN)/mypy

compiled:
	@$(BIN)/python -m compileall -q gpu viewer src
	@sh tools/announced.sh "compiling functions that tests share" $(BIN)/python -m tests.compile_ahead
	@test -d .pytest_cache || sh tools/announced.sh "collecting tests" $(BIN)/pytest --collect-only -qq >/dev/null || true # otherwise each worker rewrites all tests

format: ## lay out the Python and CUDA sources
	@sh tools/bootstrap.sh test
	@$(BIN)/ruff check --select I --fix
	@$(BIN)/ruff format
	@$(if $(CUDA_SOURCES),$(BIN)/clang-format -i $(CUDA_SOURCES))

docs: ## write the generated parts of the documentation, and the manual page
	@sh tools/bootstrap.sh test
	@$(BIN)/python -m wheatstone.viewer.cli.documentation

site: ## build the site of the documentation into dist/site/
	@sh tools/bootstrap.sh test
	@PYTHONPATH=src NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "wheatstone: to see the site:  $(BIN)/python -m http.server -b 127.0.0.1 -d dist/site"

pictures: ## make the pictures of README and docs again; those of CUDA variants need a GPU
	@sh tools/bootstrap.sh test
	@WHEATSTONE=$(BIN)/wheatstone sh tools/pictures.sh

film: ## make a film of 30 seconds that shows the window, tour.mp4
	@sh tools/bootstrap.sh test
	@$(BIN)/wheatstone render sgm --scene garden --variant cpu --preset fast --bars --fresh --script docs/scripts/tour.txt --out tour.mp4

wheel: ## build the wheel into dist/
	@sh tools/bootstrap.sh test
	@$(BIN)/python -m build --wheel --no-isolation

clean: ## remove what these commands made, except .venv
	@rm -rf dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis wheatstone.png
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
