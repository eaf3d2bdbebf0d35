# The front door; CMakeLists.txt and CMakePresets.json do the work.
PREFIX ?= /usr/local
CMAKE ?= cmake
CTEST ?= ctest
MAKEFLAGS += --no-print-directory
CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || echo 2)
CTEST_PARALLEL_LEVEL ?= $(CMAKE_BUILD_PARALLEL_LEVEL)
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL

# What `make deps` installs: groups of scripts/packages.
FOR ?= build test

# How long or how much: of make fuzz for each target, of make soak, make mutation and make valgrind in all; of make kills; of make nightly.
SECONDS ?=
COUNT ?= 100
HOURS ?= 3
SEED ?= 0
FAULTS = S3SVM=$(CURDIR)/build/s3svm SOURCE_DIR=$(CURDIR) INJECT=$(CURDIR)/build/tests/inject.so python3 tests/faults

.PHONY: all help deps test test-gpu test-site test-web web check bench demo python site install debug clang fuzz faults kills soak performance
.PHONY: mutation portable nightly races valgrind analyze coverage format lint clean
.PHONY: dist test-dist deb test-deb wheel test-wheel test-slurm container recipes test-recipes release

all: ## build build/s3svm and the library, with what is installed
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | awk -F '\t' '{ printf "make %-12s %s\n", $$1, $$2 }'

deps: ## install the Debian packages that are missing for building and testing, and do nothing else
	scripts/install-deps $(FOR)

test: ## build and run the tests, within two minutes; installs what they need where it is missing
	scripts/install-deps build test
	$(CMAKE) --preset release -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset release
	$(CTEST) --preset short

check: ## what make test leaves out: long tests, the page in a browser, sanitizers, lint, clang, fuzzing
	scripts/install-deps build test python check mpi site performance
	scripts/install-deps browser || echo "Without Chromium or Node: without the tests of the page"
	scripts/install-deps torch || echo "Without PyTorch: without the tests of what is for it"
	$(CMAKE) --preset release -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset release
	$(CTEST) --preset long
	$(MAKE) debug
	$(MAKE) lint
	$(MAKE) clang
	$(MAKE) fuzz

test-gpu: ## check and time the graphics card, by gcc and nvcc alone
	bench/gpu/run.sh

web: ## compile the engine for browsers; the page that needs no server in build/web, the npm package in build/npm
	scripts/install-deps build web
	scripts/web

test-web: web ## the package in Node, the page in Chromium, against the command
	scripts/install-deps test browser
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command
	tests/web/run.sh build/s3svm

bench: ## run the benchmarks
	scripts/install-deps build bench
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target bench

demo: ## cut out an object, learn to restore noisy drawings; a page with pictures in build/demo, within a minute
	scripts/install-deps build demo
	$(CMAKE) --preset release -DSOS_AVX2=OFF
	$(CMAKE) --build --preset release --target s3svm_command
	scripts/demo build/s3svm build/demo

python: ## build the Python package in build/python
	scripts/install-deps build python
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_python
	@echo "PYTHONPATH=$(CURDIR)/build/python has the package s3svm; pip install . installs it"

site: ## write the static site into build/site; with the page to try where make web has built it
	scripts/install-deps build demo site
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command
	scripts/site build/s3svm build/site $(wildcard build/web)

test-site: site ## check the site: links, HTML, accessibility and search in Chromium
	scripts/install-deps browser
	npm ci --silent --no-audit --no-fund
	SOURCE_DIR=$(CURDIR) S3SVM=$(CURDIR)/build/s3svm tests/site/run.sh build/site
	find build/site -name '*.html' ! -path 'build/site/try/*' | xargs npx --no-install html-validate --config tests/site/html-validate.json
	SOURCE_DIR=$(CURDIR) SITE=$(CURDIR)/build/site CHROMIUM=$$(command -v chromium || command -v google-chrome) node --test tests/site/site.test.mjs

install: all ## install under PREFIX (/usr/local)
	$(CMAKE) --install build --prefix $(PREFIX)
	@scripts/after-install $(abspath $(PREFIX)) "$$(sed -n s/^CMAKE_INSTALL_LIBDIR:.*=//p build/CMakeCache.txt)"

debug: ## build with sanitizers and internal checks in build/debug, run the tests
	scripts/install-deps build test check
	$(CMAKE) --preset debug -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset debug
	$(CTEST) --preset debug

clang: ## build with clang in build/clang, warnings are errors, run the tests
	scripts/install-deps build test lint
	$(CMAKE) --preset clang
	$(CMAKE) --build --preset clang
	$(CTEST) --preset clang

fuzz: ## run each fuzz target under clang's libFuzzer for some seconds (SECONDS=3)
	scripts/install-deps build demo fuzz
	scripts/fuzz $(SECONDS)

faults: ## let every operation on files fail in turn, in the command and the server; goes on where it was stopped
	scripts/install-deps build test
	$(CMAKE) --preset release -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset release --target s3svm_command inject
	$(FAULTS)/faults.py --keep build/faults/done --seed $(SEED)

kills: ## kill training, learning, serving and saving COUNT=100 times; goes on where it was stopped
	scripts/install-deps build test
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command
	$(FAULTS)/kills.py --count $(COUNT) --keep build/kills/results.jsonl

soak: ## send 50 clients, good and bad, to the server for SECONDS=60; it must stay as it is
	scripts/install-deps build test
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command
	$(FAULTS)/soak.py --seconds $(or $(SECONDS),60) --keep build/soak/results.jsonl

performance: ## count the instructions of fixed work, and compare with the last count (scripts/performance has more)
	scripts/install-deps build performance
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target bench_jobs
	scripts/performance check

mutation: ## change one operator or number at a time, for SECONDS=3600; tests must notice; goes on where it was stopped
	scripts/install-deps build test
	scripts/mutation run --seconds $(or $(SECONDS),3600)

portable: ## compile for arm64, armhf, s390x, i386 and musl, and run tests there; the same labels and models as here
	scripts/install-deps build test portable
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command
	scripts/portable

races: ## run the tests whose threads work together, under clang's thread sanitizer in build/races
	scripts/install-deps build test lint
	scripts/races

valgrind: ## run a sample of the tests under valgrind's memcheck, for SECONDS=600; SEED=0 draws it
	scripts/install-deps build test performance
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release
	scripts/valgrind --seconds $(or $(SECONDS),600) --seed $(SEED)

analyze: ## look at all C sources by gcc's -fanalyzer; what it finds must be mended, or explained in scripts/analyze.known
	scripts/install-deps build test
	$(CMAKE) --preset release
	scripts/analyze

nightly: ## run a share of each long job, by the date, within HOURS=3; one page in build/nightly
	scripts/install-deps build test check fuzz lint performance portable web
	$(CMAKE) --preset release -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset release
	scripts/nightly --hours $(HOURS)

coverage: ## run the tests, report which lines of the library they reach
	scripts/install-deps build test check coverage
	$(CMAKE) --preset coverage -DSOS_TESTS_REQUIRED=ON
	$(CMAKE) --build --preset coverage
	$(CTEST) --preset coverage
	gcovr --root . --filter src/ --filter programs/ --html-details build/coverage/index.html --print-summary build/coverage

format: ## format all C and C++ files
	scripts/sources | xargs clang-format -i

lint: ## check formatting, layers and, by shellcheck, cppcheck and clang-tidy, the code
	scripts/install-deps build test mpi lint
	scripts/lint

dist: ## the source tarball of the last commit, with its checksum, in build/dist
	scripts/dist

test-dist: ## build the source tarball as it comes, and run make test in it
	scripts/test-dist

wheel: ## the Python wheel, with the libraries inside, and the source distribution, in build/dist
	scripts/install-deps wheel
	scripts/wheel

test-wheel: ## install the wheel in a plain environment and run its tests; build the source distribution in one
	scripts/test-wheel

deb: ## the Debian packages of the last commit in build/deb, twice, with the same bytes; lintian looks at them
	scripts/install-deps deb
	TWICE=1 scripts/deb

test-deb: ## install the Debian packages in a fresh Debian and try them there
	scripts/install-deps deb
	scripts/test-deb

test-slurm: ## the job script of docs/cluster.md under a Slurm of its own: cancelled, resumed, the same model
	scripts/install-deps build mpi slurm
	$(CMAKE) --preset release
	$(CMAKE) --build --preset release --target s3svm_command s3svm_openmpi
	S3SVM=build/s3svm tests/slurm/run.sh

container: ## the image of the server, of the last commit, by buildah, and try it
	scripts/install-deps container
	scripts/container

recipes: dist ## the recipes for Homebrew and conda in build/dist, for the source tarball there
	scripts/recipes

test-recipes: ## run the recipes in clean prefixes, without Homebrew and conda
	scripts/install-deps recipes
	scripts/test-recipes

release: ## all of that for a release: checked, built, tested; prints what to upload (scripts/release --rehearse before)
	scripts/release

clean: ## remove build/
	rm -rf build
