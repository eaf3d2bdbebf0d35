# The front door; CMakeLists.txt and CMakePresets.json do the work.
PREFIX ?= /usr/local
CMAKE ?= cmake
CTEST ?= ctest
MAKEFLAGS += --no-print-directory
CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || echo 2)
CTEST_PARALLEL_LEVEL ?= $(CMAKE_BUILD_PARALLEL_LEVEL)
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL

.PHONY: all help test bench demo python install debug fuzz coverage format lint clean

all: ## build build/s3svm and the library, with what is installed
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | awk -F '\t' '{ printf "make %-9s %s\n", $$1, $$2 }'

test: ## install missing Debian packages, build, run all tests
	scripts/install-deps build test python mpi
	scripts/install-deps browser || echo "Without Chromium or Node: without the tests of the page"
	$(CMAKE) --preset release -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset release
	$(CTEST) --preset release

bench: ## run the benchmarks
	scripts/install-deps build bench
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target bench

demo: ## learn to restore noisy drawings; a report with pictures in build/demo, within a minute
	scripts/install-deps build demo
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command
	build/s3svm experiment denoising --count 10 --sigma 0.7 --splits 1 -o build/demo

python: ## build the Python package in build/python
	scripts/install-deps build python
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_python
	@echo "PYTHONPATH=$(CURDIR)/build/python has the package s3svm; pip install --no-build-isolation . installs it"

install: all ## install under PREFIX (/usr/local)
	$(CMAKE) --install build --prefix $(PREFIX)
	@scripts/after-install $(abspath $(PREFIX)) "$$(sed -n s/^CMAKE_INSTALL_LIBDIR:.*=//p build/CMakeCache.txt)"

debug: ## build with sanitizers and internal checks in build/debug, run the tests but the long ones
	scripts/install-deps build test python
	$(CMAKE) --preset debug -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset debug
	$(CTEST) --preset debug

fuzz: ## run each fuzz target under clang's libFuzzer for some seconds
	scripts/install-deps build demo fuzz
	scripts/fuzz

coverage: ## run the tests, report which lines of the library they reach
	scripts/install-deps build test python coverage
	$(CMAKE) --preset coverage -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset coverage
	$(CTEST) --preset coverage
	gcovr --root . --filter src/ --filter programs/ --html-details build/coverage/index.html --print-summary build/coverage

format: ## format all C and C++ files
	scripts/sources | xargs clang-format -i

lint: ## check formatting, layers and, by shellcheck, cppcheck and clang-tidy, the code
	scripts/install-deps build test python mpi lint
	scripts/lint

clean: ## remove build/
	rm -rf build
