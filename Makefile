# Everything works from a fresh checkout: tools/bootstrap.sh installs what is missing, once.
.DEFAULT_GOAL := help
.PHONY: help run test check lint tested compiled format docs pictures wheel clean

BIN := .venv/bin
WORKERS = $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) # of tests; some wait, for a window or a clock
CUDA_SOURCES = $(wildcard gpu/kernels/*.cu gpu/kernels/*.cuh gpu/emulation/*.cpp gpu/emulation/*.hpp)
export PYTHON
unexport PYTHONDONTWRITEBYTECODE # else each worker compiles every test anew

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

run: ## open the window, or render to wheatstone.png where there is no display; ARGS="bench sgm" runs that instead
	@sh tools/bootstrap.sh run
ifneq ($(strip $(ARGS)),)
	@$(BIN)/wheatstone $(ARGS)
else ifneq ($(DISPLAY)$(WAYLAND_DISPLAY),)
	@$(BIN)/wheatstone
else
	@echo "wheatstone: no display here, so the view is rendered to wheatstone.png"
	@$(BIN)/wheatstone render sgm --out wheatstone.png
endif

test: ## lint, and run every test this machine can run; ARGS="-k census" goes to pytest
	@sh tools/bootstrap.sh test
	@$(MAKE) --no-print-directory -j2 lint tested

check: ## lint, and run the tests of tests/quick.txt, in about two minutes
	@$(MAKE) --no-print-directory test ARGS=@tests/quick.txt

tested: compiled # beside the linters, which take a core for a part of the time only
	@$(BIN)/pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: ## check layout, style and types
	@sh tools/bootstrap.sh test
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(if $(CUDA_SOURCES),$(BIN)/clang-format --dry-run -Werror $(CUDA_SOURCES))
	@test -d .mypy_cache || echo "checking types: takes minutes the first time"
	@$(BIN)/mypy

compiled:
	@$(BIN)/python -m compileall -q gpu viewer src
	@echo "compiling the functions that tests share: takes a minute the first time"
	@$(BIN)/python -m tests.compile_ahead
	@echo "collecting the tests: takes a minute"
	@test -d .pytest_cache || $(BIN)/pytest --collect-only -qq >/dev/null || true # else each worker rewrites all

format: ## lay out the Python and CUDA sources
	@sh tools/bootstrap.sh test
	@$(BIN)/ruff check --select I --fix
	@$(BIN)/ruff format
	@$(if $(CUDA_SOURCES),$(BIN)/clang-format -i $(CUDA_SOURCES))

docs: ## write the generated parts of the documentation, and the manual page
	@sh tools/bootstrap.sh test
	@$(BIN)/python -m wheatstone.viewer.cli.documentation

pictures: ## make the pictures of README and docs anew; those of CUDA variants need a GPU
	@sh tools/bootstrap.sh test
	@WHEATSTONE=$(BIN)/wheatstone sh tools/pictures.sh

wheel: ## build the wheel into dist/
	@sh tools/bootstrap.sh test
	@$(BIN)/python -m build --wheel --no-isolation

clean: ## remove what these commands made, except .venv
	@rm -rf dist .pytest_cache .mypy_cache .ruff_cache .hypothesis wheatstone.png
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
